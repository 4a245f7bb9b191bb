"""Lesson 2: masking.

The task of masked language modelling: hide some words, and keep the originals as labels to predict.

Minutes: 70. Before: nothing in code (lesson 1 for the ids).
Check:   pytest checks/test_masking.py
Page:    docs/lessons/02-masking.md

Ids 0-4 are special ([PAD] [UNK] [CLS] [SEP] [MASK]), words start at 5. A place is maskable if a word stands
there. `select_spans` and `find_faults` are bonus.
"""

import copy
import itertools
import math
import random
from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Bool, Int

from lessons.given.records import CLS_ID, IGNORE_INDEX, MASK_ID, SEP_ID, SPECIAL_TOKENS

MaskTokens = Callable[..., tuple[Int[np.ndarray, "..."], Int[np.ndarray, "..."]]]


def select_positions(
    input_ids: Int[np.ndarray, "..."], rng: np.random.Generator, probability: float = 0.15
) -> Bool[np.ndarray, "..."]:
    """Choose the places to predict: an independent draw for every maskable place.

    Each word is chosen with the given probability, whatever happens to its neighbours. So the number of
    chosen places varies from call to call, and a short sequence may have none. Special ids (0-4) are never
    chosen.

    Args:
        input_ids: ids of any shape, [T] or [B, T] as a rule.
        rng: the only source of randomness.
        probability: 0 to 1; at 0 nothing is chosen, at 1 every word.

    Returns:
        True at the chosen places, in the shape of `input_ids`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> select_positions(np.array([2, 7, 8, 1, 3, 0]), rng, probability=1.0).tolist()
        [False, True, True, False, False, False]
        >>> round(float(select_positions(np.full(10_000, 7), rng).mean()), 2)
        0.15

    Source: Devlin et al. 2019, section 3.1, task 1. Google's code picks exactly k places; here k is free.
    """
    # 1. Draw for every place, and keep the draws that fall on a word.
    ids = np.asarray(input_ids)
    return (rng.random(ids.shape) < probability) & (ids >= len(SPECIAL_TOKENS))


def mask_tokens(
    input_ids: Int[np.ndarray, "..."],
    vocab_size: int,
    rng: np.random.Generator,
    probability: float = 0.15,
    selected: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Int[np.ndarray, "..."], Int[np.ndarray, "..."]]:
    """Hide words and say which.

    The places are those of `select_positions`, or `selected` where it is given. Each of them has one of three
    fates, drawn independently: with probability 0.8 it becomes [MASK], with 0.1 a random word, with 0.1 it
    stays as it is. A random word is uniform on 5..vocab_size - 1: never a special id, and possibly the
    original.

    Args:
        input_ids: ids of any integer dtype, [T] or [B, T]; T may be 0.
        vocab_size: V, 6 or more, so that there is a word to draw.
        rng: the only source of randomness.
        probability: as in `select_positions`; not used where `selected` is given.
        selected: the places to predict, in the shape of `input_ids`. True at a special id is ignored.

    Returns:
        `(masked_ids, mlm_labels)`, two new int64 arrays of the same shape, whatever the dtype of the ids and
        however many places are selected. `mlm_labels` holds the original id at every selected place, the
        unchanged ones included, and -100 elsewhere. The arguments are left as they are.

    Example:
        >>> ids = np.array([2, 7, 8, 9, 3, 0])
        >>> selected = np.array([True, True, False, True, False, False])
        >>> masked_ids, mlm_labels = mask_tokens(ids, 10, np.random.default_rng(0), selected=selected)
        >>> mlm_labels.tolist()
        [-100, 7, -100, 9, -100, -100]
        >>> masked_ids[~selected].tolist(), int(masked_ids[0]), ids.tolist()
        ([8, 3, 0], 2, [2, 7, 8, 9, 3, 0])

    Source: Devlin et al. 2019, section 3.1 and appendix A.1. Google's and Hugging Face's code may also draw a
    special id as the random word; here it cannot be.
    """
    # 1. Settle the places: given or drawn, and never a special id.
    ids = np.asarray(input_ids, dtype=np.int64)
    chosen = select_positions(ids, rng, probability) if selected is None else np.asarray(selected, dtype=bool)
    chosen = chosen & (ids >= len(SPECIAL_TOKENS))
    places = np.flatnonzero(chosen)
    originals = ids.ravel()[places]
    # 2. The labels: the original at chosen places, IGNORE_INDEX elsewhere.
    labels = np.full(ids.size, IGNORE_INDEX, dtype=np.int64)
    labels[places] = originals
    # 3. One draw a place settles its fate; write [MASK] and random words into a copy.
    fate = rng.random(places.size)
    words = rng.integers(len(SPECIAL_TOKENS), vocab_size, size=places.size)
    new = np.where(fate < 0.8, MASK_ID, originals)
    new = np.where(fate >= 0.9, words, new)
    masked_ids = ids.flatten()
    masked_ids[places] = new
    return masked_ids.reshape(ids.shape), labels.reshape(ids.shape)


def select_spans(
    input_ids: Int[np.ndarray, "..."], rng: np.random.Generator, probability: float = 0.15, max_ngram: int = 3
) -> Bool[np.ndarray, "..."]:
    """Bonus. Choose whole spans of neighbouring words, as ALBERT does.

    Each row has a budget of places, and exactly that many are chosen: `max(1, round(probability * maskable))`
    with Python's `round`, or 0 where no place is maskable or the probability is 0. Spans are placed one after
    the other until the budget is used up:

    - the length n is drawn first, from 1..max_ngram, with P(n) proportional to 1/n; then it is cut to what is
      left of the budget, and to the longest stretch of free words in the row;
    - the span's start is uniform among the places where n free words stand side by side. A word is free until
      a span covers it. So no place is chosen twice and none holds a special id; spans may touch.

    Only the first span of a row follows P(n) exactly (where it was not cut).

    Args:
        input_ids: ids, [T] or [B, T].
        rng: the only source of randomness.
        probability: 0 to 1, the share of the maskable places to choose.
        max_ngram: the longest span, 1 or more.

    Returns:
        True at the chosen places, in the shape of `input_ids`.

    Example:
        >>> ids = np.array([[2, 5, 6, 7, 8, 9, 3], [2, 5, 3, 0, 0, 0, 0]])
        >>> select_spans(ids, np.random.default_rng(0), probability=0.6).sum(axis=1).tolist()
        [3, 1]

    Source: Lan et al. 2020, section 4.1: with a largest length of 3, P(n) is 6/11, 3/11, 2/11.
    """
    # 1. The chances of the lengths.
    ids = np.asarray(input_ids)
    lengths = np.arange(1, max_ngram + 1)
    chances = (1 / lengths) / (1 / lengths).sum()
    chosen = np.zeros(ids.shape, dtype=bool)
    for ids_T, chosen_T in zip(np.atleast_2d(ids), np.atleast_2d(chosen), strict=True):
        # 2. The row's free places and its budget.
        free_T = ids_T >= len(SPECIAL_TOKENS)
        maskable = int(free_T.sum())
        budget = max(1, round(probability * maskable)) if maskable and probability > 0 else 0
        while budget:
            # 3. Draw a length; cut it to the budget and to what fits.
            n = min(int(rng.choice(lengths, p=chances)), budget)
            while not (fits := np.convolve(free_T, np.ones(n, int), mode="valid") == n).any():
                n -= 1
            # 4. Draw the start, and take the span.
            start = int(rng.choice(np.flatnonzero(fits)))
            chosen_T[start : start + n] = True
            free_T[start : start + n] = False
            budget -= n
    return chosen


def find_faults(mask_tokens: MaskTokens, vocab_size: int, rng: np.random.Generator) -> list[str]:
    """Bonus. Write a check yourself: say what is wrong with an implementation of `mask_tokens`.

    The function given is called as `mask_tokens(input_ids, vocab_size, rng, probability=0.15,
    selected=None)`, as often as you like, with inputs and vocabulary sizes of your choice. Judge only what it
    returns and does, against the docstring above. Some faults show in a single call (a changed input, a label
    at a special id), others only in shares over many draws (72 % instead of 80 % [MASK]); some need inputs
    made for them (a vocabulary of few words, so that a random word that never is the original shows). A share
    over n draws strays by chance, by about sqrt(p * (1 - p) / n): draw enough to see one per cent, and allow
    enough not to accuse a right implementation.

    Args:
        mask_tokens: the implementation to judge. It may also raise.
        vocab_size: a usual V for it, 7 or more.
        rng: the only source of randomness, also for the generators that you hand on.

    Returns:
        One line in words for each fault found; empty when all is right. The wording is yours. A right
        implementation must be accepted but for one time in a million.

    Example:
        >>> find_faults(mask_tokens, 1000, np.random.default_rng(0))
        []
        >>> find_faults(lambda ids, *rest, **more: (ids, ids), 1000, np.random.default_rng(0))[0]
        'special ids are labelled'
    """
    # 1. Run every group of tests, with few words and with the usual number; a crash is a fault like the others.
    faults: list[str] = []
    before = _global_state()
    try:
        for size, probability in ((12, 0.15), (vocab_size, 0.5)):
            faults.extend(_broken_rules(mask_tokens, size, rng))
            faults.extend(_wrong_chance(mask_tokens, size, rng))
            faults.extend(_wrong_shares(mask_tokens, size, rng, probability))
    except Exception as error:
        faults.append(f"raises {type(error).__name__}: {error}")
    # 2. The global generators are as they were. Each fault is named once.
    if _global_state() != before:
        faults.append("global random state is used")
    return list(dict.fromkeys(faults))


# The rest is one way to build `find_faults`; yours may look different.
def _global_state() -> str:
    """The states of both global generators."""
    # 1. In one text.
    return repr((random.getstate(), np.random.get_state()))  # noqa: NPY002


def _broken_rules(mask_tokens: MaskTokens, size: int, rng: np.random.Generator) -> Iterator[str]:
    """What a single call can show: on special ids alone and on all ids, with `selected` and without."""
    shapes, tops, shares = ((600,), (20, 30)), (len(SPECIAL_TOKENS), size), (0.0, 0.5, 1.0)
    for shape, top, share, give in itertools.product(shapes, tops, shares, (True, False)):
        # 1. Call with copies, which are compared afterwards.
        ids, selected = rng.integers(0, top, shape), rng.random(shape) < share
        ids.flat[: len(SPECIAL_TOKENS)] = range(len(SPECIAL_TOKENS))
        ids_after, selected_after = ids.copy(), selected.copy()
        options = {"probability": share, "selected": selected_after if give else None}
        masked, labels = mask_tokens(ids_after, size, _new(rng), **options)
        # 2. Name the rules that do not hold. At shares 0 and 1 the places are known without `selected` too.
        words, labelled = ids >= len(SPECIAL_TOKENS), labels != IGNORE_INDEX
        drawn = masked[labelled & (masked != ids) & (masked != MASK_ID)]
        known = give or share != 0.5
        rules = {
            "the results are not int64": masked.dtype == labels.dtype == np.int64,
            "special ids are labelled": not labelled[~words].any(),
            "labels are not the original ids": (labels == ids)[labelled].all(),
            "places without a label are changed": (masked == ids)[~labelled].all(),
            "random words include special ids": (drawn >= len(SPECIAL_TOKENS)).all(),
            "random words lie outside the vocabulary": (drawn < size).all(),
            "not the places asked for are labelled": not known or np.array_equal(labelled, selected & words),
            "the input is changed in place": np.array_equal(ids_after, ids),
            "`selected` is changed in place": np.array_equal(selected_after, selected),
        }
        yield from (fault for fault, holds in rules.items() if not holds)


def _wrong_chance(mask_tokens: MaskTokens, size: int, rng: np.random.Generator) -> Iterator[str]:
    """Equal generators must give equal results; another one, or the same one again, must not."""
    ids = np.full((30, 40), size - 1)
    for selected in (None, np.ones(ids.shape, dtype=bool)):
        # 1. Four calls with three generators, two of them equal.
        one = _new(rng)
        generators = one, copy.deepcopy(one), one, _new(rng)
        first, equal, *others = (
            np.stack(mask_tokens(ids.copy(), size, each, selected=selected)) for each in generators
        )
        # 2. Compare.
        if not np.array_equal(equal, first):
            yield "equal generators give different results"
        if any(np.array_equal(other, first) for other in others):
            yield "the masks are the same each time"


def _wrong_shares(
    mask_tokens: MaskTokens, size: int, rng: np.random.Generator, probability: float
) -> Iterator[str]:
    """What only many draws can show, in one large call and in 250 small ones.

    One word stands everywhere, between [CLS] and [SEP]. A random word is the original one time in W, so that the
    share of unchanged words is 0.1 + 0.1 / W.
    """
    # 1. Number the words from 0 and put them into seven groups, as equal as can be.
    n_words = size - len(SPECIAL_TOKENS)
    group = np.arange(n_words) * 7 // n_words
    word = int(rng.integers(n_words))
    others = np.delete(group, word)
    for calls, rows, columns in ((1, 8000, 24), (250, 1, 12)):
        ids = np.full((rows, columns + 2), word + len(SPECIAL_TOKENS))
        ids[:, 0], ids[:, -1] = CLS_ID, SEP_ID
        k = np.arange(columns + 1)
        ways = np.array([math.comb(columns, number) for number in k])
        for selected, rate in ((None, probability), (np.ones(ids.shape, dtype=bool), 1.0)):
            # 2. Call, and put the rows of all calls below each other, without [CLS] and [SEP].
            generator = _new(rng)
            results = [
                mask_tokens(ids.copy(), size, generator, probability=probability, selected=selected)
                for _ in range(calls)
            ]
            masked, labels = (np.concatenate(arrays)[:, 1:-1] for arrays in zip(*results, strict=True))
            chosen, new = labels != IGNORE_INDEX, masked - len(SPECIAL_TOKENS)
            # 3. The shares of chosen, hidden and unchanged words; and how many a row has, which is binomial.
            for name, hits, share in (
                ("chosen words", chosen, rate),
                ("[MASK]", masked == MASK_ID, rate * 0.8),
                ("unchanged words", chosen & (new == word), rate * (0.1 + 0.1 / n_words)),
            ):
                if _strays(hits.sum(), hits.size, share):
                    yield f"the share of {name} is wrong"
                numbers = np.bincount(hits.sum(1), minlength=columns + 1)
                binomial = ways * share**k * (1 - share) ** (columns - k)
                if _strays(numbers, len(hits), binomial):
                    yield f"the number of {name} in a row is not left to chance"
            # 4. The other words come equally often, and neighbours get theirs independently.
            drawn = chosen & (new != word) & (new >= 0) & (new < n_words)
            counts = np.bincount(group[new[drawn]], minlength=7)
            if _strays(counts, drawn.sum(), np.bincount(others, minlength=7) / len(others)):
                yield "random words are not uniform"
            both = drawn[:, ::2] & drawn[:, 1::2]
            alike = both & (new[:, ::2] == new[:, 1::2])
            if _strays(alike.sum(), both.sum(), 1 / len(others)):
                yield "neighbours do not get their words independently"


def _strays(hits: np.ndarray, trials: int, share: float | np.ndarray) -> bool:
    """Whether some count of hits is too far from its share of the trials to be chance.

    n draws of chance p show a share q with a probability of at most 2 exp(-n KL(q || p)) (Chernoff's bound).
    The limit of 22 makes that 6e-10 a count; all tests together look at fewer than 1,000 counts.
    """
    # 1. The observed shares, n KL(q || p) for each, and the limit.
    q, p, tiny = hits / max(trials, 1), np.asarray(share), np.finfo(float).tiny
    pairs = (q, p), (1 - q, 1 - p)
    divergence = sum(a * np.log(np.maximum(a, tiny) / np.maximum(b, tiny)) for a, b in pairs)
    return bool((trials * divergence > 22).any())


def _new(rng: np.random.Generator) -> np.random.Generator:
    """A new generator, seeded by `rng`."""
    # 1. Draw the seed.
    return np.random.default_rng(rng.integers(2**62))
