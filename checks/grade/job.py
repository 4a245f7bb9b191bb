"""Grading one submission: from the texts of its modules to a plain record. Equal texts give an equal record."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from checks.curriculum import BY_NAME
from checks.grade.hidden import hidden_checks
from checks.grade.isolation import UNSAFE, open_isolated
from checks.grade.record import CheckRecord, LessonRecord, Record
from checks.grade.seeds import seed_globals
from checks.grade.told import Teller, place
from checks.judge.mark import Check
from checks.judge.profiles import seed_check
from checks.judge.runner import lesson_checks, run_check
from checks.judge.scores import score, spared_checks
from checks.judge.verdict import Verdict

TIME_OUT, CRASH = "did not return within", "cannot be reached any more"


@dataclass(frozen=True)
class Job:
    """What one grading needs; plain data, so that it can go to another machine.

    `part` is "" for all checks, "alone" for those of a lesson by itself, "together" for the assembly checks.
    """

    key: str
    digest: str
    files: Mapping[str, bytes]
    lessons: tuple[str, ...]
    seed: int
    level: str
    hidden: str = ""
    part: str = ""


@dataclass
class Times:
    """Seconds a lesson took, and processor seconds of all workers: never part of a record."""

    lessons: dict[str, float] = field(default_factory=dict)
    workers: float = 0.0

    @property
    def total(self) -> float:
        """All of them."""
        return sum(self.lessons.values())


@cache
def checks_for(lesson: str, hidden: str = "") -> tuple[tuple[Check, bool], ...]:
    """The lesson's checks in order, each with whether it is unpublished."""
    published = tuple((check, False) for check in lesson_checks(lesson))
    extra = hidden_checks(Path(hidden)).get(lesson, []) if hidden else []
    return published + tuple((check, True) for check in extra)


def load_everything(lessons: tuple[str, ...], hidden: str = "") -> None:
    """Import all checks and oracles now, so that every fork has them."""
    for lesson in lessons:
        checks_for(lesson, hidden)


def run_job(job: Job, tell: Callable[[str], Any] = lambda lesson: None) -> tuple[Record, Times]:
    """Judge every chosen lesson; `tell` hears of each lesson that is done."""
    times, lessons = Times(), []
    with tempfile.TemporaryDirectory(prefix="litebert-grade-") as folder:
        for name, text in job.files.items():
            (Path(folder) / f"{name}.py").write_bytes(text)
        for lesson in job.lessons:
            start = perf_counter()
            lessons.append(_graded(job, lesson, Path(folder), times))
            times.lessons[lesson] = perf_counter() - start
            tell(lesson)
    return Record(job.key, job.digest, job.seed, tuple(lessons)), times


def _graded(job: Job, lesson: str, root: Path, times: Times) -> LessonRecord:
    checks = checks_for(lesson, job.hidden)
    if job.part:
        checks = tuple(entry for entry in checks if entry[0].assembly == (job.part == "together"))
    if lesson in job.files:
        verdicts = _judged(job, lesson, root, [check for check, _ in checks], times)
    else:
        lines = [f"{lesson}.py was not handed in"]
        verdicts = [Verdict(check, "to do", lines) for check, _ in checks]
    total, spared, teller = score(verdicts), spared_checks(verdicts), Teller()
    records = [
        _check_record(verdict, hidden, verdict.check.name in spared, teller, lesson in job.files)
        for verdict, (_, hidden) in zip(verdicts, checks, strict=True)
    ]
    page = BY_NAME[lesson].page
    return LessonRecord(lesson, total.state, total.points, total.possible, total.bonus, page, tuple(records))


def _judged(job: Job, lesson: str, root: Path, checks: list[Check], times: Times) -> list[Verdict]:
    verdicts = []
    if job.level == UNSAFE:
        _prepare_this_process(job.seed, BY_NAME[lesson].uses_torch)
    subjects = {}
    try:
        for check in checks:
            if check.assembly not in subjects:
                subjects[check.assembly] = open_isolated(job.level, root, lesson, check.assembly, job.seed)
            seed_check(check, job.seed)
            verdicts.append(run_check(check, subjects[check.assembly]))
    finally:
        for subject in subjects.values():
            subject.close()
            times.workers += getattr(subject.transport, "cpu", 0.0)
    return verdicts


def _prepare_this_process(seed: int, uses_torch: bool) -> None:
    if uses_torch:
        import torch

        torch.set_num_threads(1)
    seed_globals(seed)


def _check_record(verdict: Verdict, hidden: bool, spared: bool, teller: Teller, present: bool) -> CheckRecord:
    check, mistake = verdict.check, verdict.mistake
    text = " ".join(verdict.lines)
    end = "time-out" if TIME_OUT in text else "crash" if CRASH in text else ""
    return CheckRecord(
        name=check.name,
        exercise=check.exercise,
        claim=check.claim,
        points=check.points,
        earned=check.points if spared or verdict.state == "done" else 0.0,
        state=verdict.state,
        bonus=check.bonus,
        hidden=hidden,
        lines=tuple(teller.lines(verdict) if present else verdict.lines),
        where=place(verdict.where),
        mistake=mistake.id if mistake else "",
        says=mistake.says if mistake else "",
        hint=mistake.hint if mistake else "",
        end=end if verdict.state in ("wrong", "waiting") else "",
    )
