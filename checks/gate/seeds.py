"""False alarms, counted: the statistical checks on the reference, from many seeds."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from hypothesis import settings

from checks.curriculum import LESSONS
from checks.gate.edits import SOLUTIONS
from checks.judge.mark import Check
from checks.judge.profiles import load_profile
from checks.judge.runner import lesson_checks, run_check
from checks.judge.statistics import Share
from checks.subject import Subject
from checks.subject.inprocess import InProcess

AT_ONCE = 10
# The other lessons' draws (dropout) come from torch, from a seed of their own that is always the same.
SEEDED = ("masking", "pairing", "datasets")


def statistical_checks(lesson: str) -> list[Check]:
    """The checks of a lesson that judge a share, found by running each once."""
    judged: set[str] = set()
    subject = _subject(lesson, 0)
    judge = Share.judge
    for check in lesson_checks(lesson):

        def noted(share: Share, *args: Any, name: str = check.name) -> None:
            judged.add(name)
            judge(share, *args)

        if not check.assembly and check.exercise != "find_faults":
            Share.judge = noted  # type: ignore[method-assign, assignment]
            try:
                run_check(check, subject)
            finally:
                Share.judge = judge  # type: ignore[method-assign]
    subject.close()
    return [check for check in lesson_checks(lesson) if check.name in judged]


def lessons_with_shares() -> list[str]:
    """The lessons that draw at random, by their oracles' `STATISTICS`."""
    from importlib import import_module

    names = [lesson.module for lesson in LESSONS]
    return [name for name in names if getattr(import_module(f"checks.oracles.{name}"), "STATISTICS", ())]


def alarms(lesson: str, names: list[str], first: int, last: int) -> list[str]:
    """What fails on the reference for seeds first..last-1, one line each."""
    checks = [check for check in lesson_checks(lesson) if check.name in names]
    found = []
    for seed in range(first, last):
        subject = _subject(lesson, seed)
        for check in checks:
            verdict = run_check(check, subject)
            if verdict.state != "done":
                found.append(f"{lesson} seed {seed} {check.name}: {' | '.join(verdict.lines)}")
        subject.close()
    return found


def run(count: int, jobs: int | None = None) -> Iterator[tuple[str, int, list[str]]]:
    """(lesson, number of seeds, false alarms), as they come."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with ProcessPoolExecutor(jobs or os.cpu_count(), get_context("spawn"), initializer=_start) as pool:
        found = {name: pool.submit(_names, name) for name in lessons_with_shares()}
        pieces = {
            pool.submit(alarms, lesson, names.result(), first, _end(lesson, first, count)): (lesson, first)
            for lesson, names in found.items()
            for first in range(0, count if lesson in SEEDED else 1, AT_ONCE)
        }
        for piece in as_completed(pieces):
            lesson, first = pieces[piece]
            yield lesson, _end(lesson, first, count) - first, piece.result()


def _end(lesson: str, first: int, count: int) -> int:
    return min(first + AT_ONCE, count if lesson in SEEDED else 1)


def _names(lesson: str) -> list[str]:
    return [check.name for check in statistical_checks(lesson)]


def _subject(lesson: str, seed: int) -> Subject:
    return Subject(InProcess(SOLUTIONS, lesson), lesson, seed)


def _start() -> None:
    """One example is enough: chance is judged on a draw that all examples share."""
    os.environ["CI"] = "1"
    load_profile()
    settings.register_profile("litebert-seeds", settings.default, max_examples=1)
    settings.load_profile("litebert-seeds")
