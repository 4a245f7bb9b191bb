"""The large draws behind lesson 2's shares: about 750,000 tokens in all, each made once for a subject.

Standard deviations: a share p of n draws strays by sqrt(p (1 - p) / n), so 80 % of 205,000 selected words by
0.0009, 15 % of 224,000 words by 0.0008.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from checks.subject import Seed, Subject

Array = np.ndarray

PROBABILITY = 0.15
SHORT = 12  # words in a short call
VOCAB_SIZE = 12  # seven words, so that a random word is often the original
WORDS_IN_ALL = VOCAB_SIZE - 5
ROWS, COLUMNS, WORDS_A_ROW = 8_000, 32, 28
ISLANDS = 20
SPAN_ROWS = 1_200


def seed(subject: Subject, stream: int) -> Seed:
    """The seed of a stream of draws: another one for each use and each of the subject's seeds."""
    return Seed(1_000_003 * stream + subject.seed)


def plain_ids(subject: Subject) -> Array:
    """Rows with 28 words and 4 special ids in any order."""
    return _plain_rows()[: subject.draws(ROWS)]


@lru_cache
def _plain_rows() -> Array:
    rng = np.random.default_rng(11)
    ids = rng.integers(5, VOCAB_SIZE, (ROWS, COLUMNS))
    ids[:, WORDS_A_ROW:] = rng.integers(0, 5, (ROWS, COLUMNS - WORDS_A_ROW))
    ids = rng.permuted(ids, axis=1)
    ids.flags.writeable = False
    return ids


def _fate_rows() -> tuple[Array, Array]:
    """Rows with the words 5..8, one in ten places special, and nearly every place selected."""
    rng = np.random.default_rng(12)
    shape = 5_000, 48
    words = rng.choice([5, 6, 7, 8], size=shape, p=[0.4, 0.3, 0.2, 0.1])
    ids = np.where(rng.random(shape) < 0.1, rng.integers(0, 5, shape), words)
    ids.flags.writeable = False
    return ids, rng.random(shape) < 0.95


IDS, _SELECTED = _fate_rows()
CHOSEN = _SELECTED & (IDS >= 5)
REST = ~CHOSEN
SELECTED_SPECIALS = float((_SELECTED & (IDS < 5))[REST].mean())
SELECTED_PADS = float((_SELECTED & (IDS == 0))[REST].mean())
WORDS_ELSEWHERE = float((IDS >= 5)[REST].mean())
PADS_ELSEWHERE = float((IDS == 0)[REST].mean())


def word_frequencies() -> tuple[dict[int, float], dict[int, float]]:
    """How often each word is the original, in `IDS` and in `plain_ids`."""
    return (
        {word: float((IDS[CHOSEN] == word).mean()) for word in range(5, VOCAB_SIZE)},
        dict.fromkeys(range(5, VOCAB_SIZE), 1 / WORDS_IN_ALL),
    )


def _cached(subject: Subject, name: str, draw: Any) -> Any:
    if name not in subject.cache:
        subject.cache[name] = draw()
    return subject.cache[name]


def positions(subject: Subject) -> Any:
    """`select_positions` on the plain rows, at the probability that it has by default."""
    return _cached(
        subject,
        "positions",
        lambda: subject.call("select_positions", plain_ids(subject), seed(subject, 1)),
    )


def whole(subject: Subject) -> Any:
    """`mask_tokens` on the plain rows: it chooses for itself, at the probability that it has by default."""
    return _cached(
        subject,
        "whole",
        lambda: subject.call("mask_tokens", plain_ids(subject), VOCAB_SIZE, seed(subject, 2)),
    )


def fates(subject: Subject) -> Any:
    """`mask_tokens` with nearly every place selected."""
    arguments = (IDS, VOCAB_SIZE, seed(subject, 3), PROBABILITY, _SELECTED)
    return _cached(subject, "fates", lambda: subject.call("mask_tokens", *arguments))


def two_words(subject: Subject) -> Any:
    """`mask_tokens` on 40,000 places that all hold 5, all selected, where 5 and 6 are the only words."""
    ids = np.full((1_000, 40), 5)
    arguments = (ids, 7, seed(subject, 11), PROBABILITY, np.ones(ids.shape, bool))
    return _cached(subject, "two words", lambda: subject.call("mask_tokens", *arguments))


LARGE = (
    40_011  # more words than places, so that each place could have its own; all but one in seven equal groups
)


def large_vocabulary(subject: Subject) -> Any:
    """`mask_tokens` on 40,000 places that all hold the first word of a large vocabulary, all selected."""
    ids = np.full((1_000, 40), 5)
    return subject.call("mask_tokens", ids, LARGE, seed(subject, 14), PROBABILITY, np.ones(ids.shape, bool))


def groups(masked: Array) -> Array:
    """How many of the new words fall into each of seven equal groups of the words above the first."""
    return np.bincount((masked[masked > 5] - 6) * 7 // (LARGE - 6), minlength=7)[:7]


def short_calls(subject: Subject) -> Any:
    """`mask_tokens` in 200 calls on 12 selected words each: a call has one fate only if its code draws only one."""
    ids = np.full(SHORT, 7)
    calls = [[ids, VOCAB_SIZE, seed(subject, 400 + i), PROBABILITY, np.ones(SHORT, bool)] for i in range(200)]
    return _cached(subject, "short calls", lambda: subject.call_each("mask_tokens", calls))


def is_pair(result: Any, shape: tuple[int, ...]) -> bool:
    """Whether `result` is two integer arrays of this shape."""
    return (
        type(result) is list
        and len(result) == 2
        and all(isinstance(x, np.ndarray) and x.shape == shape and x.dtype.kind == "i" for x in result)
    )


def is_choice(result: Any, shape: tuple[int, ...]) -> bool:
    """Whether `result` is a bool array of this shape."""
    return isinstance(result, np.ndarray) and result.shape == shape and result.dtype.kind == "b"


def _spread(chosen: Array) -> float:
    """The variance of the rows' counts over that of independent draws."""
    return float(chosen.sum(axis=1).var() / (WORDS_A_ROW * PROBABILITY * (1 - PROBABILITY)))


def position_statistics(subject: Subject) -> Any:
    """Shares of `select_positions`: of words, of special ids, the spread by row, the largest gap between columns."""
    ids, chosen = plain_ids(subject), positions(subject)
    if not is_choice(chosen, ids.shape):
        return chosen
    words = ids >= 5
    by_column = (chosen & words).sum(0) / words.sum(0)
    return {
        "rate": float(chosen[words].mean()),
        "rate of specials": float(chosen[~words].mean()),
        "spread": _spread(chosen & words),
        "columns": float(by_column.max() - by_column.min()),
    }


def mask_statistics(subject: Subject) -> Any:
    """Shares of `mask_tokens`: of fates and labels with places given, then where it chooses itself."""
    given, own, two, plain = fates(subject), whole(subject), two_words(subject), plain_ids(subject)
    if not is_pair(given, IDS.shape) or not is_pair(own, plain.shape) or not is_pair(two, (1_000, 40)):
        return None
    short = short_calls(subject)
    if not all(is_pair(result, (SHORT,)) for result in short):
        return None
    masked, labels = given
    new, old = masked[CHOSEN], IDS[CHOSEN]
    own_masked, own_labels = own
    words, labelled = plain >= 5, own_labels != -100
    seen = labelled & words
    here = own_masked[seen]
    return {
        "hidden": float((new == 4).mean()),
        "kept": float((new == old).mean()),
        "special": float(((new >= 0) & (new < 4)).mean()),
        "outside": float((new >= VOCAB_SIZE).mean()),
        "labelled": float((labels[CHOSEN] != -100).mean()),
        "right": float((labels[CHOSEN] == old).mean()),
        "elsewhere": float((labels[REST] != -100).mean()),
        "zeros": float((labels[REST] == 0).mean()),
        "changed": float((masked[REST] != IDS[REST]).mean()),
        "own rate": float(labelled[words].mean()),
        "own rate of specials": float(labelled[~words].mean()),
        "own spread": _spread(seen),
        "own hidden": float((here == 4).mean()) if here.size else -1.0,
        "own kept": float((here == plain[seen]).mean()) if here.size else -1.0,
        "two words, hidden": float((two[0] == 4).mean()),
        "two words, kept": float((two[0] == 5).mean()),
        "calls wholly hidden": float(np.mean([(masked == 4).all() for masked, _ in short])),
    }


def island_ids(subject: Subject, size: int) -> Array:
    """Rows of islands of `size` words between [SEP]s."""
    row = ([3] + [7] * size) * ISLANDS + [3]
    return np.array([row] * subject.draws(SPAN_ROWS))


def spans(subject: Subject, size: int) -> Any:
    """`select_spans` with a budget and a longest span of `size`, on islands of that size."""
    ids, probability = island_ids(subject, size), 1 / ISLANDS
    return _cached(
        subject,
        f"spans {size}",
        lambda: subject.call("select_spans", ids, seed(subject, 3 + size), probability, max_ngram=size),
    )


CUT_ISLANDS, CUT_ROWS, LONG_CUT_ROWS = 8, 2_600, 1_500


def cut_ids(subject: Subject) -> Array:
    """Rows of islands of two words: a span of three is cut to two."""
    return np.array([([3] + [7] * 2) * CUT_ISLANDS + [3]] * subject.draws(CUT_ROWS))


@lru_cache
def cut_share(
    step: int = 1, budget: int = 3, whole: int = CUT_ISLANDS, half: int = 0, longest: int = 3
) -> float:
    """The chance that an island of two is covered whole, with a budget of 3 and max_ngram `longest`.

    A length too long for the islands shrinks by `step` until it fits; 0: a shorter one is drawn instead. `whole`
    islands are free, of `half` others one word is.
    """
    if budget == 0:
        return 0.0
    as_pair = {1: 0.0, 2: 1.0, 3: {1: 1.0, 2: 0.0, 0: 0.5}[step]}
    lengths = range(1, longest + 1)
    pairs = sum(as_pair[min(n, budget)] / n for n in lengths) / sum(1 / n for n in lengths)
    words = 2 * whole + half
    alone = half / words + 2 * whole / words * cut_share(step, budget - 1, whole - 1, half + 1, longest)
    return pairs + (1 - pairs) * alone


TWO_PAIRS = [2, 7, 7, 3, 7, 7, 3, *[8, 3] * 6]  # and six single words, all of them next to the second pair
LONG_ROWS = 900


def two_pairs(subject: Subject) -> Array:
    """Rows of two pairs of words and six single ones; at probability 0.2 the budget is 2."""
    return np.array([TWO_PAIRS] * subject.draws(LONG_ROWS))


FIVE_ROWS = 500


def fives(subject: Subject) -> Array:
    """Rows of five words; at probability 0.4 the budget is 2."""
    return np.array([[2, *[7] * 5, 3]] * subject.draws(FIVE_ROWS))


def covered_whole(chosen: Array, size: int) -> int:
    """In how many rows an island is covered whole."""
    islands = chosen[:, :-1].reshape(len(chosen), -1, size + 1)[:, :, 1:]
    return int(np.any(np.all(islands, axis=2), axis=1).sum())


def span_statistics(subject: Subject) -> Any:
    """How often an island is covered whole, for islands of two and three words."""
    results = {name: (spans(subject, size), size) for name, size in (("two", 2), ("three", 3))}
    if not all(is_choice(chosen, island_ids(subject, size).shape) for chosen, size in results.values()):
        return None
    shares = {name: covered_whole(chosen, size) / len(chosen) for name, (chosen, size) in results.items()}
    return shares | {"first": float(np.any(results["two"][0][:, :3], axis=1).mean())}
