"""Segment pairs from a world: where they come from, exactly, and seeded samples of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Bool, Float, Int

from lessons.given.corpora.stories import story_words
from lessons.given.corpora.world import SLOTS, World

Kind = Literal["true", "sop", "nsp"]


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """How two segments A and B are cut from documents.

    Args:
        kind: "true" (always the true order), "sop" (half of the pairs swapped) or "nsp" (half of the pairs
            with a B from another document).
        sentences: the fewest and the most sentences of a segment; both lengths are drawn uniformly.
        same_place: an NSP negative starts where the true B would; else anywhere.
        clipped: False cuts pairs only where both drawn lengths fit (every such place is equally likely). True
            is lesson 3's way: A starts anywhere and both are clipped at the document's end. Then short segments
            come from the end, and their lengths alone tell something of the order.
    """

    kind: Kind = "true"
    sentences: tuple[int, int] = (2, 3)
    same_place: bool = True
    clipped: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind: got {self.kind!r}, expected one of {', '.join(get_args(Kind))}")
        if not 1 <= self.sentences[0] <= self.sentences[1]:
            raise ValueError(f"sentences: got {self.sentences}, expected 1 <= fewest <= most")


class Cut(NamedTuple):
    """One way to cut a pair: A is `length_a` sentences from `start_a` of its document, B likewise."""

    label: int
    length_a: int
    length_b: int
    start_a: int
    start_b: int


class Pairs(NamedTuple):
    """P pairs of equal lengths as indices into `world.words`; label 1 is the true order (is next)."""

    first: Int[np.ndarray, "P a 9"]
    second: Int[np.ndarray, "P b 9"]
    labels: Int[np.ndarray, "P"]


def cut_law(world: World, pairing: Pairing) -> dict[Cut, float]:
    """The probability of every cut. Labels 1 and 0 share evenly (all are 1 when the kind is "true")."""
    n = world.sentences
    low, high = pairing.sentences
    if not pairing.clipped and 2 * high > n:
        raise ValueError(
            f"sentences: got {pairing.sentences}, expected two segments to fit into {n} sentences"
        )
    lengths = range(low, high + 1)
    law: dict[Cut, float] = {}

    def add(cut: Cut, probability: float) -> None:
        law[cut] = law.get(cut, 0.0) + probability

    for drawn_a in lengths:
        for drawn_b in lengths:
            starts = range(n - 1) if pairing.clipped else range(n - drawn_a - drawn_b + 1)
            probability = 1 / (len(lengths) ** 2 * len(starts))
            for i in starts:
                a = min(drawn_a, n - 1 - i)
                b = min(drawn_b, n - i - a)
                if pairing.kind == "true":
                    add(Cut(1, a, b, i, i + a), probability)
                    continue
                add(Cut(1, a, b, i, i + a), probability / 2)
                if pairing.kind == "sop":
                    add(Cut(0, b, a, i + a, i), probability / 2)
                elif pairing.same_place:
                    add(Cut(0, a, b, i, i + a), probability / 2)
                else:
                    others = range(n) if pairing.clipped else range(n - drawn_b + 1)
                    for j in others:
                        add(Cut(0, a, min(drawn_b, n - j), i, j), probability / 2 / len(others))
    return law


def sample_pairs(world: World, pairing: Pairing, n: int, seed: int) -> Iterator[Pairs]:
    """`n` independent pairs, each from documents of its own, in groups of equal lengths."""
    law = cut_law(world, pairing)
    cuts = np.array(list(law))
    rng = np.random.default_rng([seed, 1])
    drawn = cuts[rng.choice(len(cuts), size=n, p=np.array(list(law.values())))]
    documents = story_words(n, seed, world)
    others = story_words(n, seed, world, first=n) if pairing.kind == "nsp" else documents
    for a, b in np.unique(drawn[:, 1:3], axis=0):
        rows = np.flatnonzero((drawn[:, 1] == a) & (drawn[:, 2] == b))
        labels, start_a, start_b = drawn[rows, 0], drawn[rows, 3], drawn[rows, 4]
        first = documents[rows[:, None], start_a[:, None] + np.arange(a)]
        at_b = start_b[:, None] + np.arange(b)
        second = np.where(
            labels[:, None, None] == 1, documents[rows[:, None], at_b], others[rows[:, None], at_b]
        )
        yield Pairs(first, second, labels)


def evaluation_mask(
    pairs: Pairs, rng: np.random.Generator, probability: float = 0.15
) -> Bool[np.ndarray, "P sentences 9"]:
    """Independent draws over all words of both segments: True where an evaluation shows `[MASK]`."""
    sentences = pairs.first.shape[1] + pairs.second.shape[1]
    return rng.random((len(pairs.labels), sentences, len(SLOTS))) < probability


def place_weights(
    law: dict[Cut, float], lengths: tuple[int, int], label: int, n: int
) -> Float[np.ndarray, "n n"]:
    """`[i, j]`: the probability of these lengths and this label with A starting at i and B at j."""
    weights = np.zeros((n, n))
    for cut, probability in law.items():
        if (cut.length_a, cut.length_b) == lengths and cut.label == label:
            weights[cut.start_a, cut.start_b] += probability
    return weights
