"""Oracle of lesson 2: what the shares must be, computed from the rules alone, and rules that hold in every draw.

Nothing here draws a mask. A known mistake is an option of `mask_shares`, `position_shares` or `span_shares`: it
changes the expected shares. The draws that are compared with them are in `masking_draws`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from checks.judge import Mistake, Probe
from checks.judge.statistics import Share, binomial
from checks.oracles import masking_draws as draws
from checks.oracles.masking_mistakes import MISTAKES
from checks.subject import Subject

__all__ = ["MISTAKES", "PROBES", "STATISTICS", "Mistake"]

P = draws.PROBABILITY
W = draws.WORDS_IN_ALL
KEPT = 0.1 + 0.1 / W  # a random word is the original one time in W


def position_shares(
    case: Any,
    *,
    factor: float = 1.0,
    basis: str = "words",
    specials: bool = False,
    choice: str = "chance",
    inverted: bool = False,
) -> dict[str, float]:
    """What `draws.position_statistics` must be.

    Options (the known mistakes): `factor` times the probability; `basis` "all" (15 % of all tokens, put on the
    words); `specials` chosen too; `choice` "exact" (that many in each row) or "row" (whole rows); `inverted`.
    """
    rate = P * factor * (draws.COLUMNS / draws.WORDS_A_ROW if basis == "all" else 1)
    rate = 1 - rate if inverted else rate
    if choice == "exact":
        rate = round(P * draws.WORDS_A_ROW) / draws.WORDS_A_ROW
    return {
        "rate": rate,
        "rate of specials": rate if specials else 0.0,
        "spread": _spread(rate, choice),
        "columns": 0.0,
    }


def _spread(rate: float, choice: str) -> float:
    by_choice = {"exact": 0.0, "row": float(draws.WORDS_A_ROW)}
    return by_choice.get(choice, 1.0) * rate * (1 - rate) / (P * (1 - P))


def mask_shares(
    case: Any,
    *,
    hidden: float = 0.8,
    drawn: float = 0.1,
    lowest: int = 5,
    beyond: int = 0,
    others: bool = False,
    labels: str = "original",
    ignore: int = -100,
    specials: bool = False,
    selected: str = "obeyed",
    reuse: bool = False,
    **choice: Any,
) -> dict[str, float]:
    """What `draws.mask_statistics` must be.

    Options (the known mistakes): `hidden` and `drawn`, the shares of [MASK] and of random words; `lowest` random
    id, `beyond` the vocabulary; `others` (never the original); `labels` "masked", "changed", "hidden",
    "everywhere"; `ignore` 0 or -1; `specials` hidden where selected; `selected` "ignored", or "specials" obeyed at
    special ids too; `reuse` of the number that chose a place for its fate; and those of `position_shares`.
    """
    base = position_shares(case, specials=specials, **choice)
    fates, whole = draws.word_frequencies()
    hide, keep, special, outside = _fates(hidden, drawn, lowest, beyond, others, fates)
    hide_2, keep_2 = _fates(hidden, drawn, lowest, beyond, others, {5: 1.0}, 7)[:2]
    hide_c, keep_c = _fates(hidden, drawn, lowest, beyond, others, whole)[:2]
    hide_s = _fates(hidden, drawn, lowest, beyond, others, {7: 1.0})[0]
    hide_c, keep_c = (1.0, 0.0) if reuse else (hide_c, keep_c)
    part = {"changed": 1 - keep, "hidden": hide}.get(labels, 1.0)
    part_c = {"changed": 1 - keep_c, "hidden": hide_c}.get(labels, 1.0)
    rate = base["rate"] * part_c
    found = {
        "hidden": hide,
        "kept": keep,
        "special": special,
        "outside": outside,
        "labelled": part,
        "right": {"masked": keep}.get(labels, part),
        "elsewhere": draws.SELECTED_SPECIALS if specials else 0.0,
        "zeros": 0.0,
        "changed": draws.SELECTED_SPECIALS * (hidden * 0.8 + drawn) if specials else 0.0,
        "own rate": rate,
        "own rate of specials": base["rate of specials"] * part_c,
        "own spread": _spread(rate, choice.get("choice", "chance")),
        "own hidden": {"changed": hide_c / (1 - keep_c), "hidden": 1.0}.get(labels, hide_c),
        "own kept": {"changed": 0.0, "hidden": 0.0}.get(labels, keep_c),
        "two words, hidden": hide_2,
        "two words, kept": keep_2,
        "calls wholly hidden": hide_s**draws.SHORT,
    }
    if labels == "everywhere" or ignore != -100:
        zeros = {0: 1.0, -1: 0.0}.get(ignore, draws.PADS_ELSEWHERE)
        found |= {
            "elsewhere": 1.0,
            "zeros": zeros,
            "own rate": 1.0,
            "own rate of specials": 1.0,
            "own spread": 0.0,
        }
        found |= {"own hidden": P * hide_c, "own kept": 1 - P + P * keep_c}
    if selected == "specials":
        found |= {"elsewhere": draws.SELECTED_SPECIALS, "zeros": draws.SELECTED_PADS}
        found["changed"] = draws.SELECTED_SPECIALS * (hidden * 0.8 + drawn)
    if selected == "ignored":
        found |= {"hidden": P * hide, "kept": 1 - P + P * keep, "labelled": P, "right": P}
        found |= {"elsewhere": P * draws.WORDS_ELSEWHERE, "changed": P * draws.WORDS_ELSEWHERE * (1 - keep_c)}
        found |= {"two words, hidden": P * hide_2, "two words, kept": 1 - P + P * keep_2}
        found["calls wholly hidden"] = (P * hide_s) ** draws.SHORT
    return found


def _fates(
    hidden: float,
    drawn: float,
    lowest: int,
    beyond: int,
    others: bool,
    frequency: Mapping[int, float],
    vocab_size: int = draws.VOCAB_SIZE,
) -> tuple[float, float, float, float]:
    """Shares of [MASK], of the original, of special ids and of ids outside, when words occur so often."""
    ids = range(lowest, vocab_size + beyond)
    n = len(ids)
    masks, specials = sum(i == 4 for i in ids) / n, sum(i < 4 for i in ids) / n
    outside = sum(i >= vocab_size for i in ids) / n
    original = 0.0 if others else sum(share for word, share in frequency.items() if word in ids) / n
    kept = 1 - hidden - drawn + drawn * original
    return hidden + drawn * masks, kept, drawn * specials, drawn * outside


def span_chances(max_ngram: int, lengths: str) -> np.ndarray:
    """P(1), ..., P(max_ngram) in proportion to 1/n. `lengths` "uniform", "reversed", "longest"."""
    n = np.arange(1, max_ngram + 1)
    weights = {
        "harmonic": 1 / n,
        "uniform": 1.0 + 0 * n,
        "reversed": 1 / n[::-1],
        "longest": 1.0 * (n == n[-1]),
    }
    return weights[lengths] / weights[lengths].sum()


def span_shares(case: Any, *, lengths: str = "harmonic") -> dict[str, float]:
    """How often an island of k words is covered whole when the budget is k, for k = 2 and 3.

    The first span covers it with P(k). Shorter ones cover it together, now and then. `first`: how often the first
    island of two is touched. Option: `lengths`.
    """
    n = draws.ISLANDS
    p, q = span_chances(2, lengths), span_chances(3, lengths)
    two = p[1] + p[0] / (2 * n - 1)
    pair_then = q[1] / (3 * n - 2)
    single_then = q[0] * ((q[1] + q[2]) * 2 / 3 / (2 * n - 1) + q[0] * 2 / (3 * n - 1) / (3 * n - 2))
    first = p[1] / n + p[0] * (1 - (2 * n - 2) / (2 * n) * (2 * n - 3) / (2 * n - 1))
    return {"two": float(two), "three": float(q[2] + pair_then + single_then), "first": float(first)}


def budgets(
    case: Mapping[str, Any], *, rounding: str = "round", least: int = 1, basis: str = "words"
) -> list[int]:
    """Places to choose in each row. Options: `rounding` "down" or "up"; `least` 0; `basis` "all" tokens."""
    counts = []
    for row in np.atleast_2d(case["ids"]):
        words = sum(int(i) >= 5 for i in row)
        wanted = case["probability"] * (len(row) if basis == "all" else words)
        rounded = {"round": round(wanted), "down": int(wanted), "up": -int(-wanted // 1)}[rounding]
        counts.append(min(words, max(least, rounded)) if words and case["probability"] > 0 else 0)
    return counts


def _run_budgets(subject: Subject, case: Mapping[str, Any]) -> Any:
    got = subject.call("select_spans", case["ids"], draws.seed(subject, 8), case["probability"])
    if not isinstance(got, np.ndarray) or got.shape != case["ids"].shape:
        return got
    return [int(row.sum()) for row in np.atleast_2d(got)]


def _near(tolerances: Mapping[str, float]) -> Any:
    """Equal keys, each share within its tolerance: four standard deviations or more, see `draws`.

    Where whole rows share a draw there are fewer draws, and the tolerances grow with the spread.
    """

    def agree(got: Any, want: Any) -> bool:
        if type(got) is not dict or list(got) != list(want):
            return False
        wider = max(1.0, want.get("spread", 0.0), want.get("own spread", 0.0))
        return all(abs(got[key] - want[key]) <= wider * tolerances.get(key, 0.004) for key in want)

    return agree


def _run_untouched(subject: Subject, case: Mapping[str, Any]) -> list[bool]:
    ids, selected = case["ids"], case["selected"]
    arguments = (ids, draws.VOCAB_SIZE, draws.seed(subject, 9), P, selected)
    _, _, after = subject.twice("mask_tokens", *arguments)
    return [np.array_equal(was, now) for was, now in zip((ids, selected), after, strict=True)]


def _untouched(case: Any, *, in_place: str = "") -> list[bool]:
    return [in_place != "ids", in_place != "selected"]


UNTOUCHED_CASE = {
    "ids": np.array([[2, *range(5, 12), 3, *range(5, 12), 3, 0, 0]] * 4),
    "selected": np.array([[False] + [True] * 14 + [False] * 4] * 4),
}
BUDGET_CASE = {
    "ids": np.array([[2, *[7] * words, 3, *[0] * (20 - words)] for words in (20, 13, 11, 9, 7, 5, 2, 1, 0)]),
    "probability": 0.2,
}
TIES_CASE = {
    "ids": np.array([[2, *[7] * words, 3, *[0] * (13 - words)] for words in (1, 3, 5, 7, 9, 13)]),
    "probability": 0.5,
}
POSITIONS_PROBE = Probe(
    "select_positions",
    None,
    lambda subject, case: draws.position_statistics(subject),
    position_shares,
    _near({"spread": 0.1, "columns": 0.1}),
)
MASK_PROBE = Probe(
    "mask_tokens",
    None,
    lambda subject, case: draws.mask_statistics(subject),
    mask_shares,
    _near(
        {
            "two words, hidden": 0.009,
            "two words, kept": 0.009,
            "special": 0.002,
            "outside": 0.002,
            "changed": 0.02,
            "own spread": 0.1,
            "own hidden": 0.015,
            "own kept": 0.012,
            "calls wholly hidden": 0.15,
        }
    ),
)
UNTOUCHED_PROBE = Probe("mask_tokens", UNTOUCHED_CASE, _run_untouched, _untouched)
SPANS_PROBE = Probe(
    "select_spans",
    None,
    lambda subject, case: draws.span_statistics(subject),
    span_shares,
    _near({"two": 0.08, "three": 0.08, "first": 0.05}),
)
BUDGET_PROBE = Probe("select_spans", BUDGET_CASE, _run_budgets, budgets)
PROBES = (POSITIONS_PROBE, MASK_PROBE, UNTOUCHED_PROBE, BUDGET_PROBE, SPANS_PROBE)


def _selection(whose: str) -> Share:
    return Share(
        f"the share of words that {whose} chooses",
        P,
        224_000,
        {
            "10 % selected": 0.10,
            "14 % selected": 0.14,
            "16 % selected": 0.16,
            "15 % of all tokens, special ones included": P * draws.COLUMNS / draws.WORDS_A_ROW,
        },
    )


_ROW = binomial(draws.WORDS_A_ROW, P)
RATE = _selection("select_positions")
OWN_RATE = _selection("mask_tokens")
HALF = Share(
    "the share of words chosen at probability 0.5", 0.5, 4_000, {"the square": 0.25, "always 15 %": 0.15}
)
SELDOM = Share(
    "the share of words chosen at probability 0.004", 0.004, 40_000, {"a whole per cent": 0.01, "none": 0.0}
)
OWN_HALF = Share(
    "the share of words labelled at probability 0.5", 0.5, 4_000, {"the square": 0.25, "always 15 %": 0.15}
)
COLUMNS = Share(
    "the share of words chosen, by column", (P,) * 32, 6_500, {"never the last": (P,) * 31 + (0.0,)}
)
WORDS = Share(
    "the share of places chosen, by word", (P,) * W, 30_000, {"never id 5": (0.0,) + (P,) * (W - 1)}
)
ROW_COUNTS = Share(
    "the share of rows with k chosen words",
    _ROW,
    8_000,
    {
        "exactly four": tuple(float(k == 4) for k in range(29)),
        "at least one": (0.0, _ROW[0] + _ROW[1], *_ROW[2:]),
    },
)
NEIGHBOURS = Share(
    "the share of neighbours (in a row, in a column) that are both chosen",
    (P * P, P * P),
    85_000,
    {"all rows alike": (P * P, P), "pairs of columns alike": (P, P * P)},
)
FEW_COUNTS = Share(
    "the share of short sequences with k chosen words",
    binomial(20, P),
    400,
    {"exactly three": tuple(float(k == 3) for k in range(21))},
)
HIDDEN = Share(
    "the share of selected words that become [MASK]",
    0.8,
    200_000,
    {"72 % [MASK]": 0.72, "81 % [MASK]": 0.81, "90 % [MASK]": 0.9, "100 % [MASK]": 1.0},
)
UNCHANGED = Share(
    "the share of selected words that look unchanged (a random word is the original one time in seven)",
    KEPT,
    200_000,
    {
        "0 % kept": 0.2 / W,
        "2 % kept": 0.02 + 0.18 / W,
        "9 % kept": 0.09 + 0.11 / W,
        "the original excluded": 0.1,
    },
)
SPECIAL_WORDS = Share(
    "the share of special ids among random words", 0.0, 15_000, {"special ids drawn": 4 / 10}
)
NEW_WORDS = Share(
    "the share of a word among the new words that replace another",
    (1 / 6,) * W,
    9_000,
    {"the last never drawn": (1 / 5,) * 6 + (0.0,), "the first never drawn": (0.0,) + (1 / 5,) * 6},
)
OWN_HIDDEN = Share(
    "the share of [MASK] where mask_tokens chooses by itself", 0.8, 32_000, {"one draw for both": 1.0}
)
OWN_UNCHANGED = Share(
    "the share that looks unchanged where mask_tokens chooses", KEPT, 32_000, {"one draw for both": 0.0}
)
BOTH_HIDDEN = Share(
    "the share of neighbours (in a row, in a column) that both become [MASK]",
    (0.64, 0.64),
    80_000,
    {"one fate a row": (0.8, 0.64), "all rows alike": (0.64, 0.8)},
)
SAME_WORD = Share(
    "the share of neighbours (in a row, in a column) with the same original that get the same new word",
    (1 / 6, 1 / 6),
    100,
    {"one random word a call": (1.0, 1.0)},
)
FEW_FATES = Share(
    "the share of short sequences in which k of ten words become [MASK]",
    binomial(10, 0.8),
    400,
    {"exactly eight": tuple(float(k == 8) for k in range(11))},
)
FEW_UNCHANGED = Share(
    "the share of selected words that look unchanged in short sequences", KEPT, 4_000, {"0 % kept": 0.2 / W}
)
TWO_FATES = Share(
    "the share of calls with k of two words hidden",
    binomial(2, 0.8),
    200,
    {"few words are always hidden": (0.0, 0.0, 1.0)},
)
LARGE_WORDS = Share(
    "the share of random words in each seventh of a large vocabulary",
    (1 / 7,) * 7,
    3_500,
    {"small ids only": (1.0,) + (0.0,) * 6},
)
_SPANS = span_shares(None)
_UNIFORM, _REVERSED = span_shares(None, lengths="uniform"), span_shares(None, lengths="reversed")
SPANS_OF_TWO = Share(
    "the share of rows in which two neighbours are chosen (budget 2, max_ngram 2)",
    _SPANS["two"],
    1_200,
    {"uniform lengths": _UNIFORM["two"], "reversed lengths": _REVERSED["two"]},
)
SPANS_OF_THREE = Share(
    "the share of rows in which three neighbours are chosen (budget 3, max_ngram 3)",
    _SPANS["three"],
    1_200,
    {"uniform lengths": _UNIFORM["three"], "reversed lengths": _REVERSED["three"]},
)
LONG_SPANS_CUT = Share(
    "the share of rows in which a pair is chosen whole (budget 3, max_ngram 100, words stand in pairs)",
    draws.cut_share(longest=100),
    draws.LONG_CUT_ROWS,
    {"a shorter one drawn": draws.cut_share(0, longest=100)},
)
SPANS_CUT = Share(
    "the share of rows in which a pair is chosen whole (budget 3, max_ngram 3, words stand in pairs)",
    draws.cut_share(),
    draws.CUT_ROWS,
    {"cut by two": draws.cut_share(2)},
)
STARTS = Share(
    "the share of a place as a span's only one",
    (1 / 12,) * 12,
    1_200,
    {"never the last": (1 / 11,) * 11 + (0.0,)},
)
_ALONE, _SINGLES = 2 / 3, 2 / 3 * 1 / 45  # spans of one word, and both words of a pair one after the other
LONG_STARTS = Share(
    "the share of the first pair among the pairs that are chosen whole (two pairs, six single words, budget 2)",
    0.5,
    240,
    {
        "the first place that fits": (1 - _ALONE + _SINGLES) / (1 - _ALONE + 2 * _SINGLES),
        "the nearest place that fits": ((1 - _ALONE) * 0.2 + _SINGLES) / (1 - _ALONE + 2 * _SINGLES),
    },
)
TOUCHING = Share(
    "the share of each pair of places among five words (budget 2, max_ngram 1)",
    (1 / 10,) * 10,
    draws.FIVE_ROWS,
    {"spans never touch": (0.0, 1 / 6, 1 / 6, 1 / 6, 0.0, 1 / 6, 1 / 6, 0.0, 1 / 6, 0.0)},
)


def adjoining(first_chance: float) -> float:
    """The chance that two of five words adjoin, if the first span has one word with this chance."""
    return 1 - first_chance + first_chance * 4 / 10


def _harmonic(n: int) -> float:
    return sum(1 / k for k in range(1, n + 1))


LONGEST = Share(
    "the share of rows of five words whose two places adjoin (budget 2, max_ngram 1,000)",
    adjoining(1 / _harmonic(1_000)),
    draws.FIVE_ROWS,
    {
        "uniform lengths": adjoining(1 / 1_000),
        "at most 4": adjoining(1 / _harmonic(4)),
        "at most the row's 7 tokens": adjoining(1 / _harmonic(7)),
    },
)
STATISTICS = tuple(value for value in vars().values() if isinstance(value, Share))
