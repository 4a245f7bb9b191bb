"""What a dataset's items depend on, as facts: the same for every right implementation, however it draws."""

from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles.pairs import Documents, corpus, vocab_size
from checks.subject import Subject

IGNORE = -100
SEED, MAX_LEN = 3, 40
# Sentences of six words each: every item has 15 tokens, so that masks of different items can be compared.
WORLD: Documents = [[list(range(w, w + 6)) for w in range(start, start + 36, 6)] for start in (5, 41, 77)]
VOCAB = vocab_size(WORLD)
# 30 items of two words each.
SHORT: Documents = [[[word] for word in range(start, start + 16)] for start in (5, 21)]
# 1001 items of 40 words each.
FAR: Documents = [[[5] * 20] * 1002, [[5] * 20]]
MIXED = corpus((6, 0, 1, 5, 7), np.random.default_rng(12))

RIGHT = {
    "equal in reverse": True,
    "equal when asked again": True,
    "pairs equal when asked again": True,
    "equal in a pickled copy": True,
    "equal in a second dataset": True,
    "equal back in epoch 0": True,
    "pairs of another seed": True,
    "masks of another seed": True,
    "pairs of another epoch": True,
    "pairs of other documents": True,
    "masks of another epoch": True,
    "masks of another item": True,
    "masks of the next item in the epoch before": True,
    "nothing selected at 0": True,
    "every word selected at 1": True,
}


def masks(items: list) -> np.ndarray:
    """Where each item has a label."""
    return np.stack([item.mlm_labels != IGNORE for item in items])


def pairs(items: list) -> np.ndarray:
    """Each item's words before masking and its label."""
    ids = [np.where(item.mlm_labels == IGNORE, item.input_ids, item.mlm_labels) for item in items]
    return np.stack([np.append(row, int(item.sentence_label)) for row, item in zip(ids, items, strict=True)])


def differ(one: np.ndarray, other: np.ndarray) -> bool:
    """Most rows differ: with a dozen words to select from, a few may agree by chance."""
    return bool((one == other).all(axis=1).mean() < 0.5)


def same(one: list, other: list) -> bool:
    """Equal in every value."""
    return len(one) == len(other) and all(
        np.array_equal(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)
    )


def facts(subject: Subject, kind: str) -> dict[str, bool]:
    """Ask for items in several ways, and compare."""
    try:
        return _facts(subject, kind)
    except (AttributeError, IndexError, TypeError, ValueError):  # what came are no examples
        return {"examples": False}


def _facts(subject: Subject, kind: str) -> dict[str, bool]:

    def build(seed: int = SEED, probability: float = 0.5) -> Any:
        return subject.dataset(kind, WORLD, VOCAB, MAX_LEN, seed, probability=probability)

    data = build()
    n = len(data)
    items = data.items()
    again, copy, backward = data.items(), data.pickled().items(), build().items(list(range(n))[::-1])[::-1]
    data.set_epoch(1)
    later = data.items()
    data.set_epoch(0)
    back, twin, stranger = data.items(), build().items(), build(SEED + 1).items()
    turned = subject.dataset(kind, WORLD[::-1], VOCAB, MAX_LEN, SEED, probability=0.5).items()
    alone = masks(items)
    distinct = {row.tobytes() for row in alone}
    none, every = masks(build(probability=0.0).items()), build(probability=1.0).items()
    words = pairs(every)[:, :-1] > 4
    return {
        "equal in reverse": same(items, backward),
        "equal when asked again": same(items, again),
        "pairs equal when asked again": np.array_equal(pairs(items), pairs(again)),
        "equal in a pickled copy": same(items, copy),
        "equal in a second dataset": same(items, twin),
        "equal back in epoch 0": same(items, back),
        "pairs of another seed": not np.array_equal(pairs(items), pairs(stranger)),
        "masks of another seed": differ(alone, masks(stranger)),
        "pairs of another epoch": not np.array_equal(pairs(items), pairs(later)),
        "pairs of other documents": not np.array_equal(pairs(items), pairs(turned)),
        "masks of another epoch": differ(alone, masks(later)),
        "masks of another item": len(distinct) > n / 2,
        "masks of the next item in the epoch before": differ(alone[1:], masks(later)[:-1]),
        "nothing selected at 0": not none.any(),
        "every word selected at 1": np.array_equal(masks(every), words),
    }


def _probe(kind: str) -> Probe:
    return Probe(kind, kind, facts, lambda kind, **changed: RIGHT | changed)


BERT_FACTS = _probe("BERTDataset")
ALBERT_FACTS = _probe("ALBERTDataset")
