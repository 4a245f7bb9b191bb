"""Makes the recorded runs of lesson 15: `python -m checks.cli.record_runs [--seeds 2] [--only FAULT] [--out DIR]`.

Each fault is built into a short training run of the reference; nothing is made up afterwards.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import torch
from torch import nn

from lessons.given import corpora, engine
from lessons.given.config import ModelConfig
from lessons.given.corpora.lines import lines
from lessons.given.corpora.pairs import Pairing
from lessons.given.corpora.scored import ideal_scores
from lessons.given.recordings import FOLDER
from lessons.given.records import IGNORE_INDEX, SPECIAL_TOKENS, Example, Recording
from solutions import vocab
from solutions.capstone import PIECES
from solutions.datasets import BERTDataset
from solutions.models import BERTModel, init_weights

SENTENCES = (2, 2)
MAX_LEN = 40
PARTS = ("embeddings", "encoder", "pooler", "mlm_head", "sentence_head")


class Fault(NamedTuple):
    """How a run is broken: its rate, and what is changed in the examples, the held-out set and the model.

    `longer` multiplies the steps: the sentence task must have been learnt where its labels are at fault.
    """

    longer: int = 1
    lr: float = 2e-3
    dropout: float = 0.0
    example: Callable[[Example], Example] = lambda example: example
    held_out: Callable[[engine.HeldOut], engine.HeldOut] = lambda held_out: held_out
    model: Callable[[nn.Module], Any] = lambda model: None


def original(ids: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The ids before anything was hidden."""
    return np.where(labels == IGNORE_INDEX, ids, labels)


def label_everything(example: Example) -> Example:
    """Every word has a label, hidden or not."""
    ids = original(example.input_ids, example.mlm_labels)
    return example._replace(mlm_labels=np.where(ids < len(SPECIAL_TOKENS), IGNORE_INDEX, ids))


def show_answers(example: Example) -> Example:
    """Nothing is hidden, so each label is also in the input."""
    return example._replace(input_ids=original(example.input_ids, example.mlm_labels))


def show_all_answers(held_out: engine.HeldOut) -> engine.HeldOut:
    """The same for the held-out set."""

    def shown(side: list[engine.HeldOutPair]) -> list[engine.HeldOutPair]:
        return [pair._replace(input_ids=original(pair.input_ids, pair.labels)) for pair in side]

    return held_out._replace(
        true=shown(held_out.true), swapped=shown(held_out.swapped), random=shown(held_out.random)
    )


def swap_label(example: Example) -> Example:
    """1 for a random second segment, 0 for the true one."""
    assert example.sentence_label is not None
    return example._replace(sentence_label=1 - example.sentence_label)


def freeze_heads(model: nn.Module) -> None:
    """The heads learn nothing; the word table, which the decoder shares, does."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not name.startswith(("mlm_head", "sentence_head")))


def blind(model: nn.Module) -> None:
    """Attention adds nothing, for good: no token learns of another."""
    for name, parameter in model.named_parameters():
        if ".attention.output." in name:
            nn.init.zeros_(parameter).requires_grad_(False)


def stay_in_training(model: nn.Module) -> None:
    """A forgotten `eval()`: dropout is on while the held-out set is scored."""
    model.eval = lambda: model  # type: ignore[method-assign]


FAULTS = {
    "healthy": Fault(),
    "rate too high": Fault(lr=0.2),
    "N(0,1) start": Fault(model=lambda model: init_weights(model, std=1.0)),
    "labels everywhere": Fault(example=label_everything),
    "frozen head": Fault(model=freeze_heads),
    "below the floor": Fault(example=show_answers, held_out=show_all_answers),
    "slot-unigram plateau": Fault(model=blind),
    "dropout in evaluation": Fault(dropout=0.1, model=stay_in_training),
    "swapped labels": Fault(example=swap_label, longer=2),
}


class Changed(BERTDataset):
    """BERT's dataset with every example changed on its way out."""

    change: Callable[[Example], Example]

    def __getitem__(self, index: int) -> Example:
        return type(self).change(super().__getitem__(index))


def record(fault: Fault, seed: int, steps: int) -> Recording:
    """Train a small BERT with the fault and write down what a careful observer would."""
    texts = corpora.stories(6_000, seed)
    words = vocab.build_vocab(sentence for document in texts for sentence in document)
    documents, unseen = (
        [[vocab.encode(vocab.tokenize(sentence), words) for sentence in document] for document in part]
        for part in (texts, corpora.stories(256, seed + 1_000_003))
    )
    held_out = engine.held_out_set(unseen, MAX_LEN, seed, sentences=SENTENCES, max_pairs=256)
    kind = type("Kind", (Changed,), {"change": staticmethod(fault.example)})
    dataset = kind(documents, len(words.tokens), MAX_LEN, seed, sentences=SENTENCES, same_place=True)
    config = ModelConfig(
        vocab_size=len(words.tokens), max_len=MAX_LEN, d_model=64, n_layers=2, n_heads=4,
        dropout=fault.dropout, activation="gelu_tanh", init_std=0.07,
    )  # fmt: skip
    plan = engine.Plan(
        steps=fault.longer * steps, batch_size=32, lr=fault.lr, max_len=MAX_LEN, seed=seed, sentences=SENTENCES,
        evaluate_every=50,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = BERTModel(config)
        fault.model(model)
        start = {name: value.detach().clone() for name, value in model.named_parameters()}
        scored, again = fault.held_out(held_out), []
        run = engine.train(
            model, dataset, scored, plan, PIECES, name="BERT", task="nsp",
            training_data=engine.fingerprint(documents), parameters={},
            indices=engine.complete_places(documents, SENTENCES),
            observe=lambda model, step: again.append(engine.evaluate(model, scored, "nsp").mlm_loss),
        )  # fmt: skip
    pairing = Pairing(sentences=SENTENCES)
    above = lines("small", pairing)
    floor = ideal_scores("small", pairing, held_out.true, words.tokens).floor
    nats = {"ln V": above["ln V"], "unigram": above["unigram"], "slot-unigram": above["slot unigram"]}
    return Recording(
        steps=run.steps,
        train_mlm=run.history.mlm_loss,
        held_out_mlm=[evaluation.mlm_loss for evaluation in run.evaluations],
        held_out_again=again,
        sentence_accuracy=[evaluation.sentence_accuracy for evaluation in run.evaluations],
        moved=moved(start, model),
        lines={**nats, "floor": floor},
    )


def moved(start: dict[str, torch.Tensor], model: nn.Module) -> dict[str, float]:
    """For each part the norm of its change over the norm of its start."""
    out = {}
    for part in PARTS:
        own = [
            (start[name], value) for name, value in model.named_parameters() if name.startswith(part + ".")
        ]
        change = sum(float((after.detach() - before).square().sum()) for before, after in own)
        norm = sum(float(before.square().sum()) for before, _ in own)
        out[part] = (change / norm) ** 0.5
    return out


def save(fault: str, seed: int, recording: Recording, out: Path) -> Path:
    """Write a recording as JSON, rounded to five digits."""
    slug = "".join(c if c.isalnum() else "-" for c in fault.lower()).strip("-").replace("--", "-")
    path = out / f"{slug}-{seed}.json"
    rounded = json.loads(
        json.dumps({"fault": fault, **recording._asdict()}), parse_float=lambda x: round(float(x), 5)
    )
    path.write_text(json.dumps(rounded) + "\n", encoding="utf-8")
    return path


@click.command()
@click.option("--seeds", default=2, show_default=True, type=click.IntRange(1))
@click.option("--steps", default=500, show_default=True, type=click.IntRange(2))
@click.option("--only", type=click.Choice(list(FAULTS)), multiple=True, help="These faults; default all.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=FOLDER)
def main(seeds: int, steps: int, only: tuple[str, ...], out: Path) -> None:
    """Record runs with each fault, several seeds a fault."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    out.mkdir(parents=True, exist_ok=True)
    for fault in only or FAULTS:
        for seed in range(seeds):
            recording = record(FAULTS[fault], seed, steps)
            path = save(fault, seed, recording, out)
            end = f"training {recording.train_mlm[-1]:.3f}, held-out {recording.held_out_mlm[-1]:.3f}, "
            click.echo(f"{path.name}: {end}sentence {recording.sentence_accuracy[-1]:.3f}")


if __name__ == "__main__":
    main()
