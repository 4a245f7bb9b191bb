"""Records attention maps of a quick run: `python -m checks.site.record_attention FOLDER --commit REV`.

One held-out pair goes through both trained models. docs/results/attention.json holds its tokens, each model's
first guesses for the hidden word, and for every layer and head the shares that each token gives to each other,
in thousandths. Each row of a map is one string, two digits to the base 36 a share. Pages draw them.
"""

import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from torch import Tensor, nn

from checks.cli.capstone_data import read_documents
from checks.experiments.job import weights_of
from checks.site.preset_runs import MODELS, read_runs
from checks.site.record_run import day_of, full_commit, write_results
from checks.site.results import RESULTS, ROOT
from checks.subject.world import World
from lessons.given.engine.budgets import BUDGETS
from lessons.given.records import MASK_ID, Run, Vocab

SENTENCES = 2  # a segment
HIDDEN_FROM_END = 5  # the noun of the last sentence: "... the ADJECTIVE NOUN PREPOSITION the PLACE ."
GUESSES = 3


@contextmanager
def maps_of(model: nn.Module, attention: Any) -> Iterator[list[Tensor]]:
    """Within the block every attention of `model` adds its weights `[N, T, T]` to the list, layer by layer.

    `attention` is the lesson's module; the weights are computed from the input by its own functions, from row 0.
    A layer that is applied twice adds twice.
    """
    found: list[Tensor] = []

    def look(module: Any, inputs: tuple[Any, ...]) -> None:
        heads = (
            attention.split_heads(part(inputs[0]), module.n_heads) for part in (module.query, module.key)
        )
        found.append(attention.attention_weights(*heads)[0].detach())

    parts = [part for part in model.modules() if isinstance(part, attention.MultiHeadAttention)]
    hooks = [part.register_forward_pre_hook(look) for part in parts]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()


def packed(row: Tensor) -> str:
    """A row of shares in thousandths, each as two digits to the base 36.

    Example:
        >>> packed(torch.tensor([1.0, 0.036, 0.0]))
        'rs1000'
    """
    digits = string.digits + string.ascii_lowercase
    return "".join(digits[n // 36] + digits[n % 36] for n in (1000 * row.double()).round().long().tolist())


def read_model(
    model: nn.Module, ids: Tensor, segments: Tensor, hidden: int, words: Vocab, attention: Any
) -> dict[str, Any]:
    """The maps and the guesses of one model for one packed pair `[1, T]`."""
    model.eval()
    with torch.no_grad(), maps_of(model, attention) as found:
        sequence_output, _ = model(ids, segments)
        logits = model.mlm_logits(sequence_output)[0, hidden]  # type: ignore[operator]
    shares, best = logits.softmax(dim=-1).topk(GUESSES)
    return {
        "guesses": [
            [words.tokens[i], round(p, 3)] for i, p in zip(best.tolist(), shares.tolist(), strict=True)
        ],
        "maps": [[[packed(row) for row in head] for head in layer] for layer in found],
    }


def attention_values(folder: Path, root: Path = ROOT / "solutions") -> dict[str, Any]:
    """Everything that the picture needs, from the run folder of one quick comparison."""
    runs, world = read_runs(folder), World(root, None)
    vocab, pairing, attention = (world.load(name) for name in ("vocab", "pairing", "attention"))
    settings = runs["BERT"].settings
    budget = BUDGETS[settings["preset"]]
    _, train, held_out = read_documents(("stories",), budget, settings["seed"])
    words = vocab.build_vocab((s for document in train for s in document), max_size=budget.max_vocab)
    if len(words.tokens) != runs["BERT"].config.vocab_size:
        raise ValueError(
            f"{folder.name}: the vocabulary of its corpus is not the one that it was trained with"
        )
    sentences = [vocab.encode(vocab.tokenize(text), words) for text in held_out[0][: 2 * SENTENCES]]
    first, second = (
        [i for sentence in part for i in sentence] for part in (sentences[:SENTENCES], sentences[SENTENCES:])
    )
    ids, segments = pairing.pack_pair(first, second, runs["BERT"].config.max_len)
    hidden = len(ids) - 1 - HIDDEN_FROM_END
    word = words.tokens[ids[hidden]]
    shown = np.where(np.arange(len(ids)) == hidden, MASK_ID, ids)
    return {
        "tokens": [words.tokens[i] for i in shown],
        "segments": segments.tolist(),
        "hidden": {"place": hidden, "word": word},
        "models": {
            name: read_model(
                trained(world, name, run, folder), torch.from_numpy(shown)[None],
                torch.from_numpy(segments)[None], hidden, words, attention,
            )
            for name, run in runs.items()
        },
    }  # fmt: skip


def trained(world: World, name: str, run: Run, folder: Path) -> nn.Module:
    """The model of a finished run; ValueError without a checkpoint."""
    _, end = weights_of(world, name.startswith("ALBERT"), run, folder / name.lower())
    if end is None:
        raise ValueError(f"{folder.name}: {name} has no checkpoint")
    return end


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option("--commit", required=True, help="The commit whose code made the run.")
@click.option("--out", type=click.Path(path_type=Path), default=RESULTS, help="Default: docs/results.")
def main(folder: Path, commit: str, out: Path) -> None:
    """Record attention maps of the quick run in FOLDER as docs/results/attention.json."""
    try:
        values = attention_values(folder)
        runs = read_runs(folder)
        seed = runs[MODELS[0]].settings["seed"]
        entry = {
            "command": f"litebert capstone --seed {seed}; python -m checks.site.record_attention FOLDER",
            "date": day_of(folder / "summary.md"),
            "commit": full_commit(commit),
            "seconds": round(max(run.seconds for run in runs.values()), 1),
            "values": values,
        }
        path = write_results("attention", entry, out)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    for name, found in values["models"].items():
        guesses = ", ".join(f"{word} {share:.2f}" for word, share in found["guesses"])
        click.echo(f"{name}: {values['hidden']['word']!r} hidden, guesses {guesses}")
    click.echo(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
