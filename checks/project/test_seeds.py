"""`litebert seeds`: false alarms over many seeds, and what all their draws say together."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import settings

from checks.curriculum import ROOT
from checks.gate import seeds
from checks.judge.statistics import Share

FAIR = Share("a coin", 0.5, 1_000)
RECORD = ROOT / "docs" / "results" / "seeds.json"


@contextmanager
def one_example() -> Iterator[None]:
    name, ci = settings.get_current_profile_name(), os.environ.get("CI")
    seeds._start()
    try:
        yield
    finally:
        settings.load_profile(name)
        os.environ.pop("CI") if ci is None else os.environ.update(CI=ci)


@pytest.fixture(scope="module")
def piece() -> seeds.Piece:
    with one_example():
        names = [check.name for check in seeds.statistical_checks("datasets")]
        return seeds.alarms("datasets", names, range(5, 8), share=0.1)


def test_the_reference_raises_no_alarm(piece: seeds.Piece) -> None:
    assert (piece.lesson, piece.seeds, piece.alarms) == ("datasets", 3, [])


def test_the_counts_of_all_seeds_are_added_up(piece: seeds.Piece) -> None:
    (judged,) = piece.counts.values()
    assert judged.trials.tolist() == [3 * 40] * len(judged.share.chances)
    twice = seeds.merged([piece, piece])
    assert next(iter(twice.values())).trials.tolist() == [240] * len(judged.share.chances)


def test_each_seed_draws_anew() -> None:
    with one_example():
        found = [seeds.alarms("datasets", names_of("datasets"), range(k, k + 1), 0.1) for k in range(3)]
    counts = {tuple(next(iter(one.counts.values())).hits.tolist()) for one in found}
    assert len(counts) == 3


def names_of(lesson: str) -> list[str]:
    return [check.name for check in seeds.statistical_checks(lesson)]


def test_a_small_bias_shows_in_all_seeds_together_and_in_none_alone() -> None:
    counts: seeds.Counts = {}
    for _ in range(100):
        FAIR.judge(520, 1_000, "no alarm in one seed")
        seeds.add(counts, "test_a_coin", 0, FAIR, 520, 1_000)
    assert ["test_a_coin" in text for text in seeds.biases(counts)] == [True]


def test_fair_counts_are_no_bias() -> None:
    draws = np.random.default_rng(0).binomial(1_000, 0.5, 100)
    counts: seeds.Counts = {}
    for hits in draws:
        seeds.add(counts, "test_a_coin", 0, FAIR, hits, 1_000)
    assert seeds.biases(counts) == []


def test_the_record_is_of_a_thousand_seeds_without_an_alarm_in_two_minutes() -> None:
    values = json.loads(RECORD.read_text(encoding="utf-8"))["values"]
    assert values["false alarms"] == 0
    assert all(values["seeds"][lesson] >= 1_000 for lesson in seeds.SEEDED)
    assert values["seconds"] < 120
