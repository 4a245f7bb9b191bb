"""False alarms, counted: the statistical checks on the reference, from many seeds.

A thousand seeds make a part of each check's draws only: the tests are exact for any number. What one seed can
not show, a share that is wrong by little, shows in the counts of all seeds together, which are judged too.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from hypothesis import settings

from checks.curriculum import LESSONS
from checks.gate.edits import SOLUTIONS
from checks.judge.expect import Wrong
from checks.judge.mark import Check
from checks.judge.profiles import load_profile
from checks.judge.runner import lesson_checks, run_check
from checks.judge.statistics import Share
from checks.subject import Subject
from checks.subject.inprocess import InProcess

AT_ONCE = 10
# The other lessons' draws (dropout) come from torch, from a seed of their own that is always the same.
SEEDED = ("masking", "pairing", "datasets")


class Judged(NamedTuple):
    """What a check handed to a share's test: the counts, and of how many draws each."""

    check: str
    share: Share
    hits: np.ndarray
    trials: np.ndarray


Counts = dict[tuple[str, str, int], Judged]


class Piece(NamedTuple):
    """Some seeds of a lesson: the false alarms, and the counts of all of them together by check and share."""

    lesson: str
    seeds: int
    alarms: list[str]
    counts: Counts


@contextmanager
def watched() -> Iterator[list[tuple[Share, Any, Any]]]:
    """Everything that is judged as a share meanwhile."""
    seen: list[tuple[Share, Any, Any]] = []
    judge = Share.judge

    def noted(share: Share, hits: Any, trials: Any, because: str) -> None:
        seen.append((share, hits, trials))
        judge(share, hits, trials, because)

    Share.judge = noted  # type: ignore[method-assign, assignment]
    try:
        yield seen
    finally:
        Share.judge = judge  # type: ignore[method-assign]


def statistical_checks(lesson: str) -> list[Check]:
    """The checks of a lesson that judge a share, found by running each once."""
    subject = Subject(InProcess(SOLUTIONS, lesson), lesson)
    found = []
    for check in lesson_checks(lesson):
        if not check.assembly and check.exercise != "find_faults":
            with watched() as seen:
                run_check(check, subject)
            found += [check] * bool(seen)
    subject.close()
    return found


def lessons_with_shares() -> list[str]:
    """The lessons that draw at random, by their oracles' `STATISTICS`."""
    from importlib import import_module

    names = [lesson.module for lesson in LESSONS]
    return [name for name in names if getattr(import_module(f"checks.oracles.{name}"), "STATISTICS", ())]


def alarms(lesson: str, names: list[str], seeds: range, share: float = 1.0) -> Piece:
    """What fails on the reference for these seeds, a line each, and the counts of all."""
    checks = [check for check in lesson_checks(lesson) if check.name in names]
    found: list[str] = []
    counts: Counts = {}
    code = InProcess(SOLUTIONS, lesson)  # loaded once: what a check keeps is the subject's own
    for seed in seeds:
        subject = Subject(code, lesson, seed, share)
        for check in checks:
            with watched() as seen:
                verdict = run_check(check, subject)
            if verdict.state != "done":
                found.append(f"{lesson} seed {seed} {check.name}: {' | '.join(verdict.lines)}")
            for number, one in enumerate(seen):
                add(counts, check.name, number, *one)
    code.close()
    return Piece(lesson, len(seeds), found, counts)


def add(counts: Counts, check: str, number: int, share: Share, hits: Any, trials: Any) -> None:
    """Add what a check judged to the sums; `number` tells a check's shares apart."""
    size = (len(share.chances),)
    key = (check, share.what, number)
    before = counts.get(key, Judged(check, share, np.zeros(size, int), np.zeros(size, int)))
    counts[key] = before._replace(
        hits=before.hits + np.broadcast_to(np.asarray(hits), size),
        trials=before.trials + np.broadcast_to(np.asarray(trials), size),
    )


def merged(pieces: list[Piece]) -> Counts:
    """The counts of all pieces together."""
    counts: Counts = {}
    for piece in pieces:
        for (check, _, number), judged in piece.counts.items():
            add(counts, check, number, judged.share, judged.hits, judged.trials)
    return counts


def biases(counts: Counts) -> list[str]:
    """The shares that all draws together refute: the expected share is wrong, or draws are not independent."""
    found = []
    for judged in counts.values():
        try:
            judged.share.judge(judged.hits, judged.trials, "all seeds together")
        except Wrong as wrong:
            found.append(f"{judged.check}, all seeds together: expected {wrong.expected}, got {wrong.got}")
    return found


def run(count: int, share: float = 1.0, jobs: int | None = None) -> Iterator[Piece]:
    """Every lesson's seeds, a piece at a time, as they come."""
    os.environ["OMP_NUM_THREADS"] = "1"  # tiny tensors: more threads only wait for each other
    with ProcessPoolExecutor(jobs or os.cpu_count(), get_context("spawn"), initializer=_start) as pool:
        found = {name: pool.submit(_names, name) for name in lessons_with_shares()}
        pieces = [
            pool.submit(alarms, lesson, names.result(), seeds, share)
            for lesson, names in found.items()
            for seeds in _pieces(count if lesson in SEEDED else 1)
        ]
        for piece in as_completed(pieces):
            yield piece.result()


def _pieces(count: int) -> list[range]:
    return [range(first, min(first + AT_ONCE, count)) for first in range(0, count, AT_ONCE)]


def _names(lesson: str) -> list[str]:
    return [check.name for check in statistical_checks(lesson)]


def _start() -> None:
    """One example is enough: chance is judged on a draw that all examples share."""
    os.environ["CI"] = "1"
    load_profile()
    settings.register_profile("litebert-seeds", settings.default, max_examples=1)
    settings.load_profile("litebert-seeds")
