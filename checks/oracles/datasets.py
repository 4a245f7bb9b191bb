"""Oracle of lesson 4: every example that can come of a place, by enumeration, and padding row by row."""

from itertools import product
from typing import Any

import numpy as np

from checks.judge import Probe
from checks.judge.statistics import Share
from checks.oracles.datasets_facts import ALBERT_FACTS, BERT_FACTS
from checks.oracles.datasets_mistakes import MISTAKES
from checks.oracles.pairing import pack
from checks.oracles.pairs import Lookup
from checks.subject import Subject
from lessons.given.records import Batch, Example

__all__ = ["MISTAKES", "PROBES", "STATISTICS", "candidates", "collate", "restored"]

IGNORE = -100
Packed = tuple[tuple[int, ...], tuple[int, ...], int]


def restored(example: Example) -> np.ndarray:
    """The ids before masking: the label where there is one."""
    return np.where(example.mlm_labels == IGNORE, example.input_ids, example.mlm_labels)


def candidates(
    lookup: Lookup, place: tuple[int, int], task: str, sentences: tuple[int, int], max_len: int, head: int
) -> set[Packed]:
    """Every (ids, segments, label) that the pair of `place` can become, packed, before masking.

    Of the random second segments only those that begin with the id `head` are listed.
    """
    d, i = place
    document = lookup.documents[d]
    o, start = lookup.place.get(head, (d, 0))
    found: set[Packed] = set()
    for a, b in product(range(sentences[0], sentences[1] + 1), repeat=2):
        a = min(a, len(document) - 1 - i)
        first, true = _flat(document[i : i + a]), _flat(document[i + a : i + a + b])
        pairs = [(first, true, 1)] + ([(true, first, 0)] if task == "sop" else [])
        due = start == min(i + a, len(lookup.documents[o]) - 1)
        if task == "nsp" or (task == "same_place" and due):
            pairs += [(first, _flat(lookup.documents[o][start : start + b]), 0)] if o != d else []
        for one, two, label in pairs:
            ids, segments = pack(one, two, max_len)
            found.add((tuple(ids.tolist()), tuple(segments.tolist()), label))
    return found


def _flat(sentences: list[list[int]]) -> list[int]:
    return [word for sentence in sentences for word in sentence]


def collate(
    examples: list[Example],
    length: int | None = None,
    *,
    label_fill: int = IGNORE,
    segment_fill: int = 0,
    id_fill: int = 0,
    mask: str = "real",
    side: str = "right",
    width: str = "asked",
) -> Batch:
    """One row after the other.

    Options: the values that fill; `mask` "all" True, "ids" (where the id is not 0), "words" (from 5 on), "inverted";
    `side` "left"; `width` "longest" whatever is asked.
    """
    longest = max(len(example.input_ids) for example in examples)
    total = longest if length is None or width == "longest" else length

    def row(values: np.ndarray, fill: int) -> list:
        more = [fill] * (total - len(values))
        return [*more, *values.tolist()] if side == "left" else [*values.tolist(), *more]

    ids = np.array([row(example.input_ids, id_fill) for example in examples])
    real = np.array([row(np.ones(len(example.input_ids), bool), False) for example in examples], bool)
    masks = {"real": real, "all": np.ones_like(real), "ids": ids != 0, "words": ids > 4, "inverted": ~real}
    labels = [example.sentence_label for example in examples]
    fields: tuple[Any, ...] = (
        ids,
        np.array([row(example.segment_ids, segment_fill) for example in examples]),
        masks[mask],
        np.array([row(example.mlm_labels, label_fill) for example in examples]),
        None if None in labels else np.array(labels),
    )
    return Batch(*fields)


def examples(rng: np.random.Generator, lengths: list[int], labelled: bool = True) -> list[Example]:
    """Examples of these lengths: any ids (the [PAD] among them), segments, labels at some places."""
    made = []
    for n in lengths:
        chosen = rng.random(n) < 0.3
        made.append(
            Example(
                rng.integers(0, 40, n),
                rng.integers(0, 2, n),
                np.ones(n, bool),
                np.where(chosen, rng.integers(5, 40, n), IGNORE),
                int(rng.integers(2)) if labelled else None,
            )
        )
    return made


def _case() -> dict[str, Any]:
    return {"examples": examples(np.random.default_rng(8), [6, 9, 5]), "length": 11}


def _collate(subject: Subject, case: dict[str, Any]) -> Batch:
    return subject.call("collate", case["examples"], length=case["length"])


COLLATE_PROBE = Probe(
    "collate", _case(), _collate, lambda case, **options: collate(case["examples"], case["length"], **options)
)
# One dataset a seed: is a place of item 0 selected exactly when an early pair of its epoch, or of the next, is
# a negative?
STREAM_SEEDS = 400
STREAM_PLACES = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2))
_FAIR = (0.5,) * len(STREAM_PLACES)
STREAMS = Share(
    "agreement of item 0's masks with the labels of its epoch and of the next",
    _FAIR * 2,
    STREAM_SEEDS,
    {
        "one stream for both": (0.25, *_FAIR[1:], *_FAIR),
        "one stream for masks and the next epoch's pairs": (*_FAIR, *_FAIR[:2], 0.75, *_FAIR[3:]),
    },
)
STATISTICS = (STREAMS,)
PROBES = (COLLATE_PROBE, BERT_FACTS, ALBERT_FACTS)
