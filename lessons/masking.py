"""Lesson 2: masking.

The task of masked language modelling: hide some words, and keep the originals as labels to predict.

Minutes: 70. Before: nothing in code (lesson 1 for the ids).
Check:   pytest checks/test_masking.py
Page:    docs/lessons/02-masking.md

Ids 0-4 are special ([PAD] [UNK] [CLS] [SEP] [MASK]), words start at 5. A place is maskable if a word stands
there. `select_spans` and `find_faults` are bonus.
"""

import math
import random
from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Int
from numpy.lib.stride_tricks import sliding_window_view

from lessons.given.records import CLS_ID, IGNORE_INDEX, MASK_ID, SEP_ID, SPECIAL_TOKENS

NEIGHBOURS = (np.s_[:, ::2], np.s_[:, 1::2]), (np.s_[::2], np.s_[1::2])  # in a row, in a column
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
    raise NotImplementedError("lesson masking: select_positions is still to do")


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
        input_ids: ids, [T] or [B, T].
        vocab_size: V, 6 or more, so that there is a word to draw.
        rng: the only source of randomness.
        probability: as in `select_positions`; not used where `selected` is given.
        selected: the places to predict, in the shape of `input_ids`. True at a special id is ignored.

    Returns:
        `(masked_ids, mlm_labels)`, two new int64 arrays of the same shape. `mlm_labels` holds the original id
        at every selected place, the unchanged ones included, and -100 elsewhere. The arguments are left as
        they are.

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
    # 2. The labels: the original at chosen places, IGNORE_INDEX elsewhere.
    # 3. One draw a place settles its fate; write [MASK] and random words into a copy.
    raise NotImplementedError("lesson masking: mask_tokens is still to do")


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
    # 2. The row's free places and its budget.
    # 3. Draw a length; cut it to the budget and to what fits.
    # 4. Draw the start, and take the span.
    raise NotImplementedError("lesson masking: select_spans is still to do")


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
    # 1. Run every group of tests; a crash is a fault like the others. Each fault is named once.
    raise NotImplementedError("lesson masking: find_faults is still to do")


class _Inspection:
    """One way to build `find_faults`: the tests in groups, and the list of the faults found so far.

    With a vocabulary of 12 ids there are 7 words. A random word is then the original one time in seven, so
    the share of unchanged places is 0.1 + 0.1 / 7.
    """

    def __init__(self, mask_tokens: MaskTokens, rng: np.random.Generator) -> None:
        # 1. Keep both; no faults yet.
        raise NotImplementedError("lesson masking: _Inspection.__init__ is still to do")

    def require(self, fault: str, holds: bool | np.bool) -> None:
        """Note the fault unless the rule holds."""
        # 1. Add it to the list.
        raise NotImplementedError("lesson masking: _Inspection.require is still to do")

    def expect(self, fault: str, hits: np.ndarray, trials: np.ndarray, share: float | np.ndarray) -> None:
        """Note the fault if some count of hits is too far from its share of the trials to be chance.

        n draws of chance p show a share q with a probability of at most 2 exp(-n KL(q || p)) (Chernoff's
        bound). The limit of 22 makes that 6e-10 a count; all tests together look at fewer than 1,000 counts.
        """
        # 1. The observed shares, n KL(q || p) for each, and the limit.
        raise NotImplementedError("lesson masking: _Inspection.expect is still to do")

    def call(
        self,
        ids: Int[np.ndarray, "..."],
        size: int = 12,
        probability: float = 0.15,
        selected: Bool[np.ndarray, "..."] | None = None,
    ) -> tuple[Int[np.ndarray, "..."], Bool[np.ndarray, "..."]]:
        """Call once, note every rule that this one call breaks, and return (masked_ids, where labels are)."""
        # 1. Call with copies, which are compared afterwards.
        # 2. Hold the result against every rule that needs no statistics.
        raise NotImplementedError("lesson masking: _Inspection.call is still to do")

    def check_arguments(self, vocab_size: int) -> None:
        """The ends of `probability`, and `selected` with nothing, something and everything in it."""
        # 1. Probability 0 labels nothing, 1 every word.
        # 2. What is selected is labelled, and a sequence without words is left alone.
        raise NotImplementedError("lesson masking: _Inspection.check_arguments is still to do")

    def check_randomness(self, vocab_size: int) -> None:
        """Equal generators agree, others do not, and global random state stays as it is."""
        # 1. Four calls: two equal generators, the first once more, another one.
        # 2. Compare.
        raise NotImplementedError("lesson masking: _Inspection.check_randomness is still to do")

    def check_selection(self) -> None:
        """The rate of the choice, overall, by column, word and row; and neighbours are independent."""
        # 1. One large draw with a few special ids in it.
        # 2. Neighbours in a row, and in a column.
        # 3. Another rate, by row.
        raise NotImplementedError("lesson masking: _Inspection.check_selection is still to do")

    def check_short_calls(self) -> None:
        """Many short sequences: the number of chosen words is binomial, and the fates have their shares."""
        # 1. 16 words a call, as [T] and as [B, T].
        # 2. How often k are chosen, for every k.
        # 3. The shares of the fates, which an exact split of few words gets wrong.
        raise NotImplementedError("lesson masking: _Inspection.check_short_calls is still to do")

    def check_fates(self) -> None:
        """The shares 80/10/10, overall, by column and by word; and neighbours are independent."""
        # 1. One large draw with everything selected, from four of the seven words.
        # 2. Neighbours in a row and in a column: both hidden; both changed to one word from one word.
        # 3. Every word but the original is the new one equally often.
        raise NotImplementedError("lesson masking: _Inspection.check_fates is still to do")

    def check_words(self, vocab_size: int) -> None:
        """Random words are uniform over a vocabulary of the usual size, counted in at most 16 bins."""
        # 1. One original everywhere; number the other words from 0 on, and cut the numbers into bins.
        # 2. Compare the counts with the bins' sizes.
        raise NotImplementedError("lesson masking: _Inspection.check_words is still to do")
