"""The best reader on given inputs: what no model can beat on exactly these pairs, places and words."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from jaxtyping import Float, Int

from lessons.given.corpora.ideal import ideal
from lessons.given.corpora.pairs import Pairing, Pairs, cut_law
from lessons.given.corpora.world import SLOTS, World
from lessons.given.corpora.worlds import find_world
from lessons.given.records import IGNORE_INDEX, PAD_ID, SEP_ID

A_SENTENCE = len(SLOTS)


class PackedPair(Protocol):
    """One packed pair of a held-out set: `[MASK]` at all hidden places, whose original ids are the labels."""

    @property
    def input_ids(self) -> np.ndarray: ...

    @property
    def labels(self) -> np.ndarray: ...


class Scores(NamedTuple):
    """The best reader's scores on R packed pairs, in their order.

    `loss[r, s]` is the sum of its losses (nats) at the hidden places of slot s, `hidden[r, s]` how many there
    are; `true_order[r]` the probability that it gives to label 1.
    """

    loss: Float[np.ndarray, "R 9"]
    hidden: Int[np.ndarray, "R 9"]
    true_order: Float[np.ndarray, "R"]

    @property
    def floor(self) -> float:
        """The mean loss of a hidden word: a model scored on the same pairs cannot be below it but by luck."""
        return float(self.loss.sum() / self.hidden.sum())


def ideal_scores(
    world: str | World,
    pairing: Pairing,
    packed: Sequence[PackedPair],
    tokens: Sequence[str],
    agreement: bool = True,
) -> Scores:
    """Score the best reader on packed pairs of stories.

    Args:
        world: the world that the stories come from.
        pairing: how the pairs were cut. Lesson 3's datasets and the capstone's held-out set clip at the
            document's end: `Pairing(..., clipped=True)`.
        packed: pairs `[CLS] A [SEP] B [SEP]`, padded or not, not truncated.
        tokens: the vocabulary, `tokens[id]` the word (`vocab.tokens`).
        agreement: False for the reader that does not know that adjective and noun agree.

    Raises:
        ValueError: a pair that was truncated, or a word that is not the world's.
    """
    world = find_world(world)
    index_of = {word: index for index, word in enumerate(world.words)}
    word_of = np.array([index_of.get(token, -1) for token in tokens])
    law = cut_law(world, pairing)
    groups: dict[tuple[int, int], list[int]] = {}
    parsed = [_parse(pair, word_of) for pair in packed]
    for row, (words, _, a) in enumerate(parsed):
        groups.setdefault((a, len(words) - a), []).append(row)
    loss, count = np.zeros((len(packed), A_SENTENCE)), np.zeros((len(packed), A_SENTENCE), dtype=np.int64)
    true_order = np.zeros(len(packed))
    for (a, _), rows in groups.items():
        words = np.stack([parsed[row][0] for row in rows])
        masked = np.stack([parsed[row][1] for row in rows])
        pairs = Pairs(words[:, :a], words[:, a:], np.ones(len(rows), dtype=np.int64))
        best = ideal(world, pairing, pairs, masked, agreement, law)
        loss[rows] = -np.where(masked, np.log(np.where(masked, best.words, 1)), 0).sum(axis=1)
        count[rows] = masked.sum(axis=1)
        true_order[rows] = best.true_order
    return Scores(loss, count, true_order)


def _parse(pair: PackedPair, word_of: Int[np.ndarray, "V"]) -> tuple[np.ndarray, np.ndarray, int]:
    """Words and hidden places, both [sentences, 9], and how many sentences the first segment has."""
    hidden = pair.labels != IGNORE_INDEX
    ids = np.where(hidden, pair.labels, pair.input_ids)
    real = ids != PAD_ID
    ids, hidden = ids[real], hidden[real]
    first_end, second_end = np.flatnonzero(ids == SEP_ID)
    kept = np.r_[1:first_end, first_end + 1 : second_end]
    lengths = first_end - 1, second_end - first_end - 1
    if any(length == 0 or length % A_SENTENCE for length in lengths):
        raise ValueError(
            f"packed pair: got segments of {lengths[0]} and {lengths[1]} tokens, expected whole sentences of "
            f"{A_SENTENCE} (was the pair truncated? raise max_len)"
        )
    words = word_of[ids[kept]]
    if (words < 0).any():
        raise ValueError(
            f"packed pair: got id {ids[kept][words < 0][0]}, expected the words of this world only"
        )
    return words.reshape(-1, A_SENTENCE), hidden[kept].reshape(-1, A_SENTENCE), int(lengths[0] // A_SENTENCE)
