"""Submissions whose score is known beforehand, graded with every batch: when one moves, no grade can be trusted."""

from checks.curriculum import LESSONS, ROOT
from checks.grade.intake import digest_of
from checks.grade.job import Job, checks_for
from checks.grade.record import Record
from checks.stubs import stub_text

KINDS = ("reference", "stubs", "half")
PREFIX = "canary "
SOLUTIONS = ROOT / "solutions"


def canary_jobs(lessons: tuple[str, ...], seed: int, level: str, hidden: str) -> list[Job]:
    """The reference, the stubs, and every second lesson of each."""
    jobs = []
    every = [lesson.module for lesson in LESSONS if (SOLUTIONS / f"{lesson.module}.py").is_file()]
    for kind in KINDS:
        files = {lesson: _text(kind, lesson, lessons) for lesson in every}
        jobs.append(Job(PREFIX + kind, digest_of(files), files, lessons, seed, level, hidden))
    return jobs


def moved(record: Record, lessons: tuple[str, ...], hidden: str) -> list[str]:
    """How a canary's record differs from what it must be, in words."""
    kind = record.key.removeprefix(PREFIX)
    if record.failure:
        return [f"{record.key}: {record.failure}"]
    faults = []
    for graded in record.lessons:
        wanted = expected_points(kind, graded.lesson, lessons, hidden)
        if (graded.points, graded.bonus) != wanted:
            failed = [
                f"{check.name}: {' | '.join(check.lines)}"
                for check in graded.checks
                if (check.state == "done") is not _is_right(kind, graded.lesson, lessons)
            ]
            faults.append(
                f"{record.key}, {graded.lesson}: got {graded.points:g} and {graded.bonus:g} bonus points,"
                f" expected {wanted[0]:g} and {wanted[1]:g}; {'; '.join(failed[:3])}"
            )
    return faults


def expected_points(kind: str, lesson: str, lessons: tuple[str, ...], hidden: str) -> tuple[float, float]:
    """Points and bonus points. An assembly check needs every lesson that it uses."""
    sums = {False: 0.0, True: 0.0}
    for check, _ in checks_for(lesson, hidden):
        needed = (lesson, *check.uses) if check.assembly else (lesson,)
        if all(_is_right(kind, name, lessons) for name in needed):
            sums[check.bonus] += check.points
    return round(sums[False], 6), round(sums[True], 6)


def _is_right(kind: str, lesson: str, lessons: tuple[str, ...]) -> bool:
    if kind == "half":
        return lesson not in lessons or lessons.index(lesson) % 2 == 0
    return kind == "reference"


def _text(kind: str, lesson: str, lessons: tuple[str, ...]) -> bytes:
    if _is_right(kind, lesson, lessons):
        return (SOLUTIONS / f"{lesson}.py").read_bytes()
    return stub_text(lesson).encode()
