"""The statistical checks: exact tails, false alarms at most one run in a million, power at least 0.999."""

import importlib
import importlib.util
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.curriculum import LESSONS
from checks.judge import Wrong
from checks.judge.statistics import (
    BUDGET,
    Share,
    binomial,
    limits,
    lower_tail,
    p_value,
    power,
    upper_tail,
)
from checks.oracles import pairing_draws as pairs
from solutions import pairing

ALL_OUTCOMES = (
    (pairs.TWINS, "nsp", pairs.TRIES),
    (pairs.ONLY_TWINS, "nsp", pairs.FEW_TRIES),
    (pairs.REPEATED, "sop", pairs.FEW_TRIES),
)
NAMES = [lesson.module for lesson in LESSONS if importlib.util.find_spec(f"checks.oracles.{lesson.module}")]


def statistics() -> list[tuple[str, Share]]:
    """Every share that a check of any lesson judges."""
    oracles = {name: importlib.import_module(f"checks.oracles.{name}") for name in NAMES}
    return [(name, share) for name, oracle in oracles.items() for share in getattr(oracle, "STATISTICS", ())]


def exact_upper_tail(k: int, n: int, p: Fraction) -> Fraction:
    return sum((math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(max(k, 0), n + 1)), Fraction(0))


@given(n=st.integers(1, 60), k=st.integers(-1, 61), numerator=st.integers(0, 20))
def test_tails_equal_exact_fractions(n: int, k: int, numerator: int) -> None:
    p = Fraction(numerator, 20)
    upper = exact_upper_tail(k, n, p)
    assert upper_tail(k, n, float(p)) == pytest.approx(float(upper), rel=1e-9, abs=1e-14)
    assert lower_tail(k - 1, n, float(p)) == pytest.approx(float(1 - upper), rel=1e-9, abs=1e-14)


def test_far_tails_of_many_trials_agree_with_chernoff() -> None:
    n, p = 800_000, 0.15
    for k in (121_500, 122_000, 124_000):
        q = k / n
        bound = -n * (q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p)))
        exact = math.log(upper_tail(k, n, p))
        assert bound - 6 < exact < bound


@given(n=st.integers(1, 40), numerator=st.integers(1, 19), alpha=st.sampled_from([0.3, 0.05, 1e-3]))
def test_a_test_rejects_at_most_alpha_of_right_draws(n: int, numerator: int, alpha: float) -> None:
    p = numerator / 20
    low, high = limits(n, p, alpha)
    rejected = [k for k in range(n + 1) if p_value(k, n, p) <= alpha]
    assert rejected == [k for k in range(n + 1) if not low <= k <= high]
    assert sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in rejected) <= alpha
    assert power(n, p, p, alpha) <= alpha * (1 + 1e-9)


def test_power_grows_with_distance_and_trials() -> None:
    assert power(10_000, 0.15, 0.16) < power(10_000, 0.15, 0.18) < power(20_000, 0.15, 0.18) <= 1


def test_a_share_is_accepted_at_its_chance_and_refused_far_from_it() -> None:
    share = Share("heads", 0.5, 1000)
    share.judge(500, 1000, "a coin is fair")
    with pytest.raises(Wrong, match=r"70 % .*700 of 1000"):
        share.judge(700, 1000, "a coin is fair")
    with pytest.raises(Wrong, match="no draws"):
        share.judge(0, 0, "a coin is fair")


def test_cells_are_judged_each_and_the_alpha_is_split() -> None:
    share = Share("heads of two coins", binomial(2, 0.5), 1000)
    assert share.alpha_each == share.alpha / 3
    share.judge([250, 500, 250], 1000, "coins do not know of each other")
    with pytest.raises(Wrong, match="number 1"):
        share.judge([150, 700, 150], 1000, "coins do not know of each other")


def test_the_run_has_a_false_alarm_at_most_once_in_a_million() -> None:
    gaps = [pairs.chance_of_a_gap(documents, task, tries) for documents, task, tries in ALL_OUTCOMES]
    assert sum(share.alpha for _, share in statistics()) + sum(gaps) <= BUDGET


@pytest.mark.parametrize(("documents", "task"), [case[:2] for case in ALL_OUTCOMES])
def test_a_pairs_outcomes_have_the_chances_that_the_reference_shows(documents: list, task: str) -> None:
    function, many = getattr(pairing, f"{task}_pairs"), 4_000
    rng = np.random.default_rng(0)
    drawn = [function(documents, rng) for _ in range(many)]
    for place, chances in enumerate(pairs.outcomes(documents, task)):
        seen = Counter(repr(tuple(result[place])) for result in drawn)
        assert {text: hits / many for text, hits in seen.items()} == pytest.approx(chances, abs=0.04)


def test_every_wrong_rate_is_seen_with_a_power_of_at_least_0_999() -> None:
    for lesson, share in statistics():
        for name, value in share.powers().items():
            assert value >= 0.999, f"{lesson}: {share.what} against {name}: power {value:.4f}"


def test_the_rates_that_must_be_told_apart_are_declared() -> None:
    """What the statistics of masking and pairing are asked to see, at the least."""
    declared = {(lesson, name) for lesson, share in statistics() for name in share.wrong}
    wanted = {
        "masking": (
            "72 % [MASK]",
            "81 % [MASK]",
            "90 % [MASK]",
            "100 % [MASK]",
            "0 % kept",
            "2 % kept",
            "9 % kept",
            "10 % selected",
            "14 % selected",
            "16 % selected",
            "15 % of all tokens, special ones included",
            "special ids drawn",
            "the original excluded",
            "uniform lengths",
            "reversed lengths",
        ),
        "pairing": ("45 % true order", "55 % true order"),
    }
    asked = {(lesson, name) for lesson, names in wanted.items() for name in names}
    assert asked <= declared, asked - declared
