"""Training steps of both sides, timed: full sequences, and sentence pairs of a corpus."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from checks.benchmark.agree import difference
from checks.benchmark.rounds import Peak, Step, in_turn, median_ratio, turns_of
from checks.benchmark.sides import ATTENTIONS, Theirs, Way, engine_side, engine_step
from checks.benchmark.sizes import Size
from checks.subject.world import World
from lessons.given.config import ModelConfig
from lessons.given.engine import Part
from lessons.given.records import IGNORE_INDEX

WARM = 2  # rounds that do not count; the faster attention is chosen in them


class Work(NamedTuple):
    """The same examples as each side gets them: a batch an entry, which the engine may have cut into parts."""

    ours: Sequence[Sequence[Part]]
    theirs: Sequence[Part]


def compare(
    worlds: dict[str, World],
    config: ModelConfig,
    batch_size: int,
    work: Work,
    way: Way,
    rounds: int,
) -> dict[str, Any]:
    """Time the engine with each world's model against Hugging Face's; the first world's figures come first.

    Returns:
        `ratio` (theirs over ours, above 1 is faster), `share` of the measured matrix-product peak without the last
        feed-forward where nobody reads it, `share_of_whole` with it at every token, the seconds of a step, tokens a
        second, which attention theirs ran with, the differences found before.
    """
    ours = {name: engine_side(world, config, batch_size, way) for name, world in worlds.items()}
    first = next(iter(ours.values()))
    weights = {name: value.clone() for name, value in first.model.state_dict().items()}
    theirs = {attention: Theirs(weights, config, attention, way) for attention in ATTENTIONS}
    apart = {name: difference(side, theirs["eager"], work.theirs[0]) for name, side in ours.items()}
    attention = faster({name: side.steps(work.theirs[:1]) for name, side in theirs.items()}, way.device)
    for other in set(ATTENTIONS) - {attention}:
        del theirs[other]
    peak = Peak(way.device, way.precision)
    sides: dict[str, Step] = {name: engine_step(side, work.ours) for name, side in ours.items()}
    sides |= {"Hugging Face": theirs[attention].steps(work.theirs), "peak": peak.run}
    turns = turns_of(in_turn(sides, 1, way.device))
    taken = in_turn(sides, rounds, way.device, turns)
    parts = [part for batch in work.ours for part in batch]
    reference = next(iter(worlds.values()))
    whole = 3 * sum(whole_flops(reference, config, part) for part in parts)
    useful = whole - 3 * sum(unread_flops(config, part) for part in parts)
    tokens = sum(part.tokens for part in parts)
    results = {
        name: {
            "ratio": median_ratio(taken["Hugging Face"], taken[name]),
            "share": peak.share(useful, taken[name], taken["peak"]),
            "share_of_whole": peak.share(whole, taken[name], taken["peak"]),
            "seconds_a_step": statistics.median(taken[name]) / len(work.ours),
            "tokens_a_second": tokens / statistics.median(taken[name]),
            "rounds": [a / b for a, b in zip(taken["Hugging Face"], taken[name], strict=True)],
            "loss_difference": apart[name].loss,
            "gradient_difference": apart[name].gradient,
        }
        for name in ours
    }
    return {
        **results,
        "hugging_face": {
            "attention": attention,
            "seconds_a_step": statistics.median(taken["Hugging Face"]) / len(work.theirs),
        },
        "peak": {"square": peak.n, "flops": peak.flops / statistics.median(taken["peak"])},
    }


def faster(sides: dict[str, Callable[[], None]], device: str) -> str:
    """Which of them is faster, by the better of two rounds after a first."""
    in_turn(dict(sides), 1, device)
    taken = in_turn(dict(sides), WARM, device)
    return min(taken, key=lambda name: min(taken[name]))


def whole_flops(world: World, config: ModelConfig, part: Part) -> float:
    """The forward pass's matrix products by lesson 12's formula, without padding and unlabelled places' words."""
    lengths = part.batch.attention_mask.sum(1).tolist()
    masked = (part.batch.mlm_labels != IGNORE_INDEX).sum(1).tolist()
    count = world.load("counting").forward_flops
    albert = config.sharing == "all"
    return sum(
        count(config, tokens=t, factorized=albert, masked=m) for t, m in zip(lengths, masked, strict=True)
    )


def unread_flops(config: ModelConfig, part: Part) -> float:
    """Those of the last feed-forward at tokens that no head reads: all but the first and the labelled ones."""
    read = len(part.batch.input_ids) + int((part.batch.mlm_labels != IGNORE_INDEX).sum())
    return (int(part.batch.attention_mask.sum()) - read) * 4 * config.d_model * config.d_ff


def pairs_of(
    world: World, documents: list[list[str]], size: Size, model: str, batches: int, device: str = "cpu"
) -> tuple[ModelConfig, Work]:
    """One-sentence pairs: the engine's batches of one pool, and the same pairs in random batches.

    Each random batch is padded to its longest sequence, as the usual collator does.
    """
    from lessons.given.engine import Plan, Pools, prepare

    vocab, datasets = world.load("vocab"), world.load("datasets")
    words = vocab.build_vocab((s for document in documents for s in document), max_size=size.vocab_size)
    ids = [[vocab.encode(vocab.tokenize(s), words) for s in document] for document in documents]
    ids = [[sentence for sentence in document if sentence] for document in ids]
    config = size.config(model, len(words.tokens))
    kind = datasets.ALBERTDataset if model == "ALBERT" else datasets.BERTDataset
    dataset = kind(ids, config.vocab_size, size.tokens, 0)
    plan = Plan(
        steps=batches, batch_size=size.batch_size, lr=1e-4, max_len=size.tokens, pool=batches, device=device
    )
    seen: list[Any] = []

    class Noted:
        """The dataset, which remembers what was drawn."""

        def __len__(self) -> int:
            return len(dataset)

        def __getitem__(self, i: int) -> Any:
            seen.append(dataset[i])
            return seen[-1]

    ours = Pools(Noted(), datasets.collate, plan)[0]
    order = np.random.default_rng(0).permutation(len(seen))
    chunks = np.split(order, len(ours))
    return config, Work(ours, [prepare(datasets.collate([seen[i] for i in chunk])) for chunk in chunks])
