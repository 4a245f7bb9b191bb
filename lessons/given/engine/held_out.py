"""The one fixed set on which every model of a comparison is scored."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from lessons.given.records import CLS_ID, IGNORE_INDEX, MASK_ID, PAD_ID, SEP_ID, SPECIAL_TOKENS

Documents = Sequence[Sequence[Sequence[int]]]
Task = Literal["nsp", "sop"]


class HeldOutPair(NamedTuple):
    """One packed pair: what the model reads, its segments, and the original ids at the hidden places."""

    input_ids: np.ndarray
    segment_ids: np.ndarray
    labels: np.ndarray


class HeldOut(NamedTuple):
    """Pairs in true order, and for each its negative of both sentence tasks.

    Every pair has `[MASK]` at all of its chosen places, never a random word or the original. `swapped[i]` is
    `true[i]` in the other order with the same tokens hidden. `random[i]` has `true[i]`'s first segment and a
    second one from the same place of another document. `digest` names the set: two runs with equal digests
    were scored on equal inputs.
    """

    true: list[HeldOutPair]
    swapped: list[HeldOutPair]
    random: list[HeldOutPair]
    digest: str

    def negatives(self, task: Task) -> list[HeldOutPair]:
        """The negatives of a sentence task."""
        return self.random if task == "nsp" else self.swapped


def fingerprint(documents: Documents) -> str:
    """Twelve hex digits that name a list of documents of ids; they depend on every id and every boundary."""
    digest = hashlib.sha256()
    for document in documents:
        for sentence in document:
            digest.update(np.asarray(sentence, dtype=np.int64).tobytes() + b"s")
        digest.update(b"d")
    return digest.hexdigest()[:12]


def held_out_set(
    documents: Documents,
    max_len: int,
    seed: int,
    *,
    sentences: tuple[int, int] = (1, 1),
    probability: float = 0.15,
    max_pairs: int = 1024,
) -> HeldOut:
    """Draw the held-out pairs and the places that are hidden in them.

    Args:
        documents: at least two with a sentence, one of them with two (ValueError).
        max_len: pairs are cut to this many tokens, `[CLS]` and `[SEP]`s included.
        seed: equal arguments give an equal set.
        sentences: the range of sentences in a segment. Where the drawn numbers do not fit at a place of a
            document that is long enough for them elsewhere, there is no pair: lengths say nothing of the order.
        probability: of hiding a word; at least one word of a pair is hidden.
        max_pairs: if the documents hold more, these many are drawn.
    """
    places = [(d, i) for d, document in enumerate(documents) for i in range(len(document) - 1)]
    others = [d for d, document in enumerate(documents) if document]
    if not places or len(others) < 2:
        raise ValueError(
            f"held-out documents: got {len(others)} with a sentence and {len(places)} pairs, "
            "expected at least two documents and one pair"
        )
    rng = np.random.default_rng([seed, 15])
    rows: list[tuple[HeldOutPair, HeldOutPair, HeldOutPair]] = []
    for k in rng.permutation(len(places)):
        a, b = (int(n) for n in rng.integers(sentences[0], sentences[1] + 1, size=2))
        cut = _cut(documents, places[k], (a, b), others, rng)
        if cut is not None:
            rows.append(_hide_and_pack(cut, max_len, probability, rng))
        if len(rows) == max_pairs:
            break
    true, swapped, random = ([row[kind] for row in rows] for kind in range(3))
    return HeldOut(true, swapped, random, _digest([*true, *swapped, *random]))


class _Cut(NamedTuple):
    """A first and a second segment, and a stranger's second."""

    first: list[int]
    second: list[int]
    third: list[int]


def _cut(
    documents: Documents,
    place: tuple[int, int],
    sizes: tuple[int, int],
    others: list[int],
    rng: np.random.Generator,
) -> _Cut | None:
    """The segments of these many sentences from this place; None where they fit only elsewhere."""
    (d, i), (a, b) = place, sizes
    document = documents[d]
    if i + a + b > len(document) >= a + b:
        return None
    a = min(a, len(document) - 1 - i)
    stranger = documents[_other(others, d, rng)]
    start = min(i + a, len(stranger) - 1)
    return _Cut(
        _flat(document[i : i + a]), _flat(document[i + a : i + a + b]), _flat(stranger[start : start + b])
    )


def _hide_and_pack(
    cut: _Cut, max_len: int, probability: float, rng: np.random.Generator
) -> tuple[HeldOutPair, HeldOutPair, HeldOutPair]:
    """The pair in true order, swapped, and with the stranger's second."""
    first, second = _truncate(cut.first, cut.second, max_len - 3)
    kept, third = _truncate(first, cut.third, max_len - 3)
    hidden, hidden_second = _hide(len(first), len(second), probability, rng)
    hidden_third = rng.random(len(third)) < probability
    return (
        _pack(first, hidden, second, hidden_second),
        _pack(second, hidden_second, first, hidden),
        _pack(kept, hidden[: len(kept)], third, hidden_third),
    )


def _other(others: list[int], d: int, rng: np.random.Generator) -> int:
    """A document other than d, uniformly."""
    while (other := others[int(rng.integers(len(others)))]) == d:
        pass
    return other


def _hide(n_first: int, n_second: int, probability: float, rng: np.random.Generator) -> list[np.ndarray]:
    hidden = rng.random(n_first + n_second) < probability
    if not hidden.any():
        hidden[rng.integers(len(hidden))] = True
    return np.split(hidden, [n_first])


def _pack(a: list[int], hidden_a: np.ndarray, b: list[int], hidden_b: np.ndarray) -> HeldOutPair:
    original = np.array([CLS_ID, *a, SEP_ID, *b, SEP_ID], dtype=np.int64)
    hidden = np.concatenate([[False], hidden_a, [False], hidden_b, [False]])
    hidden &= original >= len(SPECIAL_TOKENS)
    segment_ids = np.repeat(np.array([0, 1], dtype=np.int64), [len(a) + 2, len(b) + 1])
    return HeldOutPair(
        np.where(hidden, MASK_ID, original), segment_ids, np.where(hidden, original, IGNORE_INDEX)
    )


def _flat(sentences: Iterable[Sequence[int]]) -> list[int]:
    return [token for sentence in sentences for token in sentence]


def _truncate(first: list[int], second: list[int], budget: int) -> tuple[list[int], list[int]]:
    first, second = list(first), list(second)
    while len(first) + len(second) > budget:
        (first if len(first) > len(second) else second).pop()
    return first, second


def _digest(pairs: list[HeldOutPair]) -> str:
    digest = hashlib.sha256(f"{PAD_ID} {IGNORE_INDEX}".encode())
    for pair in pairs:
        for array in pair:
            digest.update(array.tobytes() + b"|")
    return digest.hexdigest()[:12]
