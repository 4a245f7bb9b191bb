"""Oracle of lesson 3: truncation in closed form, packing place by place, and what is judged of many pairs."""

from typing import Any

import numpy as np

from checks.judge import Probe
from checks.judge.statistics import Share
from checks.oracles.pairing_draws import CALLS, DUE, Simulated, agree, run_probe
from checks.oracles.pairing_mistakes import MISTAKES

__all__ = ["MISTAKES", "PROBES", "STATISTICS", "pack", "truncate"]

CLS, SEP = 2, 3
Pair = list[list[int]]


def truncate(
    first: list[int],
    second: list[int],
    max_tokens: int,
    *,
    tie: str = "second",
    end: str = "tail",
    by: str = "longer",
    over: int = 0,
) -> Pair:
    """What is left: the shorter segment keeps all it can, up to half.

    Options: `tie` "first" loses on a tie; `end` "head" drops from the front; `by` "second" or "first" (only that one is
    cut while it can be), "halves" (each to half, whatever the other needs), "shorter"; `over` more than allowed.
    """
    m, n = len(first), len(second)
    limit = max_tokens + over
    if m + n > limit:
        small = limit // 2
        if by == "halves":
            m, n = min(m, limit - small), min(n, small)
        elif by == "second":
            n = max(1, limit - m)
            m = min(m, limit - n)
        elif by == "first":
            m = max(1, limit - n)
            n = min(n, limit - m)
        elif by == "shorter":
            cut = m + n - limit
            m, n = (m - min(cut, m - 1), n) if m < n else (m, n - min(cut, n - 1))
            m, n = (min(m, limit - n), n) if m > n else (m, min(n, limit - m))
        elif tie == "first":
            m = min(m, max(small, limit - n))
            n = limit - m
        else:
            n = min(n, max(small, limit - m))
            m = limit - n
    if end == "head":
        return [first[len(first) - m :], second[len(second) - n :]]
    return [first[:m], second[:n]]


def pack(
    first: list[int],
    second: list[int],
    max_len: int,
    *,
    places: int = 3,
    zeros: int = 2,
    cut: str = "pair",
    closed: bool = True,
    middle: bool = True,
    start: int = CLS,
    pad: bool = False,
    base: int = 0,
    untouched: str = "",
    **options: Any,
) -> list[np.ndarray]:
    """Ids and segment numbers, token by token.

    Options: `places` kept for special tokens; `zeros`, how many special tokens belong to segment 0 (1: the first [SEP]
    does not; -1: every token is in segment 0); `cut` "joined" (the tail of the whole) or "never"; `closed` False (no
    last [SEP]); `middle` False; `start`, the first id; `pad` to max_len; `base` 1 numbers segments from 1; `untouched`
    "segments" (numbered before truncation); and those of `truncate`.
    """
    full = first
    if cut == "pair":
        first, second = truncate(first, second, max_len - places, **options)
    head = [start, *first, *([SEP] if middle else [])]
    tail = [*second, *([SEP] if closed else [])]
    rows = [(word, 0) for word in head] + [(word, 1) for word in tail]
    if zeros == 1:
        rows[len(head) - 1] = (rows[len(head) - 1][0], 1)
    ids = [word for word, _ in rows]
    segments = [0 if zeros < 0 else number + base for _, number in rows]
    if untouched == "segments":
        segments = ([0] * (len(full) + 2) + [1] * len(ids))[: len(ids)]
    if cut == "joined":
        ids, segments = ids[:max_len], segments[:max_len]
    filler = [0] * (max_len - len(ids) if pad else 0)
    return [np.array(ids + filler), np.array(segments + filler)]


def _law(task: str) -> tuple[Share, ...]:
    pairs = len(DUE) * CALLS
    coin = Share(
        f"{task}: true order, and the label of the pair before",
        (0.5, 0.5),
        pairs - CALLS,
        {
            "45 % true order": (0.45, 0.505),
            "55 % true order": (0.55, 0.505),
            "labels in turn": (0.5, 0.0),
            "no negatives": (1.0, 1.0),
        },
    )
    # Both lengths under both labels, where nothing is clipped: that is so for more than a quarter of all pairs.
    lengths = Share(
        f"{task}: 2, 3 or 4 sentences in the first and the second, label 0, then label 1; equally many",
        (1 / 3,) * 13,
        pairs // 4,
        {
            "never the most": ((0.5, 0.5, 0.0) * 4 + (0.5,)),
            "always the most": ((0.0, 0.0, 1.0) * 4 + (1.0,)),
            "one draw for both": (1 / 3,) * 12 + (1.0,),
        },
    )
    return coin, lengths


NSP_COIN, NSP_LENGTHS = _law("NSP")
SOP_COIN, SOP_LENGTHS = _law("SOP")
OTHERS = Share(
    "NSP: the negative's document among the four others",
    (0.25,) * 4,
    len(DUE) * CALLS // 3,
    {"in proportion to length": (0.1, 0.02, 0.4, 0.48), "always the next": (0.0, 0.0, 0.0, 1.0)},
)
STARTS = Share(
    "NSP: the start of a negative in a document of five sentences",
    (0.2,) * 5,
    len(DUE) * CALLS // 20,
    {"always the first": (1.0, 0, 0, 0, 0), "only where all of it fits": (0.4, 0.3, 0.2, 0.1, 0.0)},
)
STATISTICS = (NSP_COIN, NSP_LENGTHS, SOP_COIN, SOP_LENGTHS, OTHERS, STARTS)

_LONG = [[10, 11, 12, 13, 14, 15, 16], [20, 21, 22, 23, 24]]
_CASES: list[Any] = [
    [*_LONG, 9],
    [*_LONG, 12],
    [[10, 11], _LONG[0], 5],
    [_LONG[0], [20, 21], 6],
    [_LONG[1], _LONG[1][::-1], 7],
    [[9], [8], 11],
]


def _truncate_all(case: list, **options: Any) -> list:
    return [truncate(*arguments, **options) for arguments in case]


def _pack_all(case: list, **options: Any) -> list:
    return [pack(*arguments, **options) for arguments in case]


TRUNCATE_PROBE = Probe(
    "truncate_pair",
    _CASES,
    lambda subject, case: subject.call_each("truncate_pair", case),
    _truncate_all,
)
PACK_PROBE = Probe(
    "pack_pair",
    [[first, second, limit + 3] for first, second, limit in _CASES],
    lambda subject, case: subject.call_each("pack_pair", case),
    _pack_all,
)
NSP_PROBE = Probe("nsp_pairs", "nsp_pairs", run_probe, Simulated, agree)
SOP_PROBE = Probe("sop_pairs", "sop_pairs", run_probe, Simulated, agree)
PROBES = (TRUNCATE_PROBE, PACK_PROBE, NSP_PROBE, SOP_PROBE)
