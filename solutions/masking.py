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
    ids = np.asarray(input_ids, dtype=np.int64)
    chosen = select_positions(ids, rng, probability) if selected is None else np.asarray(selected, dtype=bool)
    chosen = chosen & (ids >= len(SPECIAL_TOKENS))
    # 2. The labels: the original at chosen places, IGNORE_INDEX elsewhere.
    labels = np.where(chosen, ids, IGNORE_INDEX)
    # 3. One draw a place settles its fate; write [MASK] and random words into a copy.
    fate = rng.random(ids.shape)
    words = rng.integers(len(SPECIAL_TOKENS), vocab_size, size=ids.shape)
    masked_ids = np.where(chosen & (fate < 0.8), MASK_ID, ids)
    masked_ids = np.where(chosen & (fate >= 0.9), words, masked_ids)
    return masked_ids, labels


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
            while not (fits := sliding_window_view(free_T, n).all(axis=-1)).any():
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
    # 1. Run every group of tests; a crash is a fault like the others. Each fault is named once.
    inspection = _Inspection(mask_tokens, rng)
    try:
        inspection.check_arguments(vocab_size)
        inspection.check_randomness(vocab_size)
        inspection.check_selection()
        inspection.check_short_calls()
        inspection.check_fates()
        inspection.check_words(vocab_size)
    except Exception as error:
        inspection.faults.append(f"raises {type(error).__name__}: {error}")
    return list(dict.fromkeys(inspection.faults))


class _Inspection:
    """One way to build `find_faults`: the tests in groups, and the list of the faults found so far.

    With a vocabulary of 12 ids there are 7 words. A random word is then the original one time in seven, so
    the share of unchanged places is 0.1 + 0.1 / 7.
    """

    def __init__(self, mask_tokens: MaskTokens, rng: np.random.Generator) -> None:
        # 1. Keep both; no faults yet.
        self.mask_tokens = mask_tokens
        self.rng = rng
        self.faults: list[str] = []

    def require(self, fault: str, holds: bool | np.bool) -> None:
        """Note the fault unless the rule holds."""
        # 1. Add it to the list.
        if not holds:
            self.faults.append(fault)

    def expect(self, fault: str, hits: np.ndarray, trials: np.ndarray, share: float | np.ndarray) -> None:
        """Note the fault if some count of hits is too far from its share of the trials to be chance.

        n draws of chance p show a share q with a probability of at most 2 exp(-n KL(q || p)) (Chernoff's
        bound). The limit of 22 makes that 6e-10 a count; all tests together look at fewer than 1,000 counts.
        """
        # 1. The observed shares, n KL(q || p) for each, and the limit.
        q, tiny = hits / np.maximum(trials, 1), np.finfo(float).tiny
        divergence = q * np.log(np.maximum(q, tiny) / share) + (1 - q) * np.log(
            np.maximum(1 - q, tiny) / (1 - share)
        )
        self.require(fault, not (trials * divergence > 22).any())

    def call(
        self,
        ids: Int[np.ndarray, "..."],
        size: int = 12,
        probability: float = 0.15,
        selected: Bool[np.ndarray, "..."] | None = None,
    ) -> tuple[Int[np.ndarray, "..."], Bool[np.ndarray, "..."]]:
        """Call once, note every rule that this one call breaks, and return (masked_ids, where labels are)."""
        # 1. Call with copies, which are compared afterwards.
        given_ids, given_selected = ids.copy(), None if selected is None else selected.copy()
        rng = np.random.default_rng(self.rng.integers(2**63))
        results = self.mask_tokens(given_ids, size, rng, probability=probability, selected=given_selected)
        masked, labels = (np.asarray(result) for result in results)
        for array in (masked, labels):
            if array.shape != ids.shape or array.dtype.kind != "i":
                raise TypeError(f"got {array.dtype} of shape {array.shape} for ids of shape {ids.shape}")
        # 2. Hold the result against every rule that needs no statistics.
        words, labelled = ids >= len(SPECIAL_TOKENS), labels != IGNORE_INDEX
        drawn = masked[labelled & (masked != ids) & (masked != MASK_ID)]
        self.require("special ids are labelled", not labelled[~words].any())
        self.require("special ids are changed", (masked == ids)[~words].all())
        self.require("labels are not the original ids", (labels == ids)[labelled].all())
        self.require("places without a label are changed", (masked == ids)[~labelled].all())
        self.require("random words include special ids", (drawn >= len(SPECIAL_TOKENS)).all())
        self.require("random words lie outside the vocabulary", (drawn < size).all())
        self.require("the input is changed in place", np.array_equal(given_ids, ids))
        if selected is not None and given_selected is not None:
            self.require("`selected` is changed in place", np.array_equal(given_selected, selected))
            self.require("`selected` is not obeyed", np.array_equal(labelled, selected & words))
        return masked, labelled

    def check_arguments(self, vocab_size: int) -> None:
        """The ends of `probability`, and `selected` with nothing, something and everything in it."""
        for shape in ((400,), (20, 30)):
            # 1. Probability 0 labels nothing, 1 every word.
            ids = self.rng.integers(0, vocab_size, size=shape)
            ids.flat[:5] = range(5)
            for probability in (0.0, 1.0):
                _, labelled = self.call(ids, vocab_size, probability)
                wanted = (ids >= len(SPECIAL_TOKENS)) & (probability == 1)
                self.require("`probability` 0 or 1 is not obeyed", np.array_equal(labelled, wanted))
            # 2. What is selected is labelled, and a sequence without words is left alone.
            for share in (0.0, 0.5, 1.0):
                self.call(ids, vocab_size, selected=self.rng.random(shape) < share)
            self.call(ids % len(SPECIAL_TOKENS), vocab_size, probability=1.0)

    def check_randomness(self, vocab_size: int) -> None:
        """Equal generators agree, others do not, and global random state stays as it is."""
        # 1. Four calls: two equal generators, the first once more, another one.
        ids = np.full((30, 40), len(SPECIAL_TOKENS))
        seed = int(self.rng.integers(2**62))
        first, equal, other = (np.random.default_rng(s) for s in (seed, seed, seed + 1))
        before = repr((np.random.get_state(), random.getstate()))  # noqa: NPY002
        results = [
            np.stack(self.mask_tokens(ids.copy(), vocab_size, g)) for g in (first, equal, first, other)
        ]
        after = repr((np.random.get_state(), random.getstate()))  # noqa: NPY002
        # 2. Compare.
        self.require("equal seeds give different results", np.array_equal(results[0], results[1]))
        static = any(np.array_equal(results[0], result) for result in results[2:])
        self.require("the masks are the same each time", not static)
        self.require("global random state is used", before == after)

    def check_selection(self) -> None:
        """The rate of the choice, overall, by column, word and row; and neighbours are independent."""
        # 1. One large draw with a few special ids in it.
        shape = 4000, 48
        special = self.rng.random(shape) < 0.08
        ids = np.where(special, self.rng.integers(0, 5, shape), self.rng.integers(5, 12, shape))
        _, chosen = self.call(ids)
        self.expect("the share of chosen words is not 15 %", chosen.sum(), (~special).sum(), 0.15)
        self.expect("the choice depends on the column", chosen.sum(0), (~special).sum(0), 0.15)
        for word in range(5, 12):
            hits = chosen & (ids == word)
            self.expect("the choice depends on the word", hits.sum(), (ids == word).sum(), 0.15)
        # 2. Neighbours in a row, and in a column.
        for one, two in NEIGHBOURS:
            hits, trials = chosen[one] & chosen[two], ~(special[one] | special[two])
            self.expect("neighbours are not chosen independently", hits.sum(), trials.sum(), 0.15**2)
        # 3. Another rate, by row.
        _, chosen = self.call(np.full((200, 100), 5), probability=0.5)
        self.expect("`probability` is not obeyed", chosen.sum(1), np.full(200, 100), 0.5)

    def check_short_calls(self) -> None:
        """Many short sequences: the number of chosen words is binomial, and the fates have their shares."""
        for rows, words in ((1, 16), (2, 8)):
            # 1. 16 words a call, as [T] and as [B, T].
            ids_BT = np.tile(np.array([CLS_ID, *[5] * words, SEP_ID]), (rows, 1))
            ids = ids_BT[0] if rows == 1 else ids_BT
            masked, labelled = (np.stack(x) for x in zip(*(self.call(ids) for _ in range(500)), strict=True))
            # 2. How often k are chosen, for every k.
            counts = np.bincount(labelled.reshape(500, -1).sum(1), minlength=17)
            shares = np.array([math.comb(16, k) * 0.15**k * 0.85 ** (16 - k) for k in range(17)])
            self.expect(
                "the number of chosen words is not left to chance", counts[:17], np.full(17, 500), shares
            )
            # 3. The shares of the fates, which an exact split of few words gets wrong.
            hidden, kept = masked == MASK_ID, labelled & (masked == ids)
            self.expect("few words: [MASK] has not 80 %", hidden.sum(), labelled.sum(), 0.8)
            self.expect("few words: unchanged has not 10 %", kept.sum(), labelled.sum(), 0.1 + 0.1 / 7)

    def check_fates(self) -> None:
        """The shares 80/10/10, overall, by column and by word; and neighbours are independent."""
        # 1. One large draw with everything selected, from four of the seven words.
        ids = self.rng.integers(5, 9, size=(4000, 48))
        masked, _ = self.call(ids, selected=np.ones(ids.shape, dtype=bool))
        hidden, kept = masked == MASK_ID, masked == ids
        changed = ~hidden & ~kept
        for name, hits, share in (("[MASK]", hidden, 0.8), ("unchanged", kept, 0.1 + 0.1 / 7)):
            self.expect(f"the share of {name} is wrong", hits.sum(), np.array(hits.size), share)
            self.expect(f"the share of {name} depends on the column", hits.sum(0), np.full(48, 4000), share)
            for word in range(5, 9):
                at_word = ids == word
                self.expect(
                    f"the share of {name} depends on the word", (hits & at_word).sum(), at_word.sum(), share
                )
        # 2. Neighbours in a row and in a column: both hidden; both changed to one word from one word.
        for one, two in NEIGHBOURS:
            both = hidden[one] & hidden[two]
            self.expect(
                "neighbours do not meet their fates independently", both.sum(), np.array(both.size), 0.8**2
            )
            alike = changed[one] & changed[two] & (ids[one] == ids[two])
            equal = alike & (masked[one] == masked[two])
            self.expect("neighbours do not get their words independently", equal.sum(), alike.sum(), 1 / 6)
        # 3. Every word but the original is the new one equally often.
        for word in range(5, 12):
            hits, trials = changed & (masked == word), changed & (ids != word)
            self.expect("random words are not uniform", hits.sum(), trials.sum(), 1 / 6)

    def check_words(self, vocab_size: int) -> None:
        """Random words are uniform over a vocabulary of the usual size, counted in at most 16 bins."""
        # 1. One original everywhere; number the other words from 0 on, and cut the numbers into bins.
        word = int(self.rng.integers(5, vocab_size))
        ids = np.full((200, 100), word)
        masked, _ = self.call(ids, vocab_size, selected=np.ones(ids.shape, dtype=bool))
        new = masked[(masked >= len(SPECIAL_TOKENS)) & (masked < vocab_size) & (masked != word)]
        others = vocab_size - len(SPECIAL_TOKENS) - 1
        bins = min(others, 16)
        bin_of_word = np.arange(others) * bins // others
        # 2. Compare the counts with the bins' sizes.
        counts = np.bincount(bin_of_word[new - len(SPECIAL_TOKENS) - (new > word)], minlength=bins)
        shares = np.bincount(bin_of_word) / others
        if bins > 1:
            self.expect("random words are not uniform", counts, np.full(bins, len(new)), shares)
