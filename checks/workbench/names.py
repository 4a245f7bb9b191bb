"""Which check is meant: by its name, a part of it, an exercise or a lesson."""

import re

from checks.cli.common import closest
from checks.curriculum import BY_NAME, LESSONS, ROOT
from checks.judge.mark import Check
from checks.judge.runner import lesson_checks
from checks.workbench import memory
from checks.workbench.judging import judge


def names_by_lesson() -> dict[str, list[str]]:
    """The names of all checks, read from the test modules without importing them."""
    found = {}
    for lesson in LESSONS:
        path = ROOT / lesson.checks
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        found[lesson.module] = re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)
    return found


def find_check(wanted: str, subject: str) -> Check:
    """The check that is meant; of several, the first that fails.

    Raises:
        ValueError: nothing or too much fits, or what fits passes.
    """
    lesson_of = {name: lesson for lesson, names in names_by_lesson().items() for name in names}
    if wanted in BY_NAME:
        return first_failing(wanted, subject)
    for lesson in LESSONS:
        if wanted in lesson.exercises:
            return first_failing(lesson.module, subject, wanted)
    stem = wanted.rpartition("::")[2].partition("[")[0]
    exact = [name for name in (stem, f"test_{stem}") if name in lesson_of]
    fitting = exact[:1] or [name for name in lesson_of if stem in name]
    if not fitting:
        near = closest(stem, [*lesson_of, *BY_NAME])
        raise ValueError(
            f"no check {wanted!r}." + (f" Did you mean {near!r}?" if near else " Give a lesson's name.")
        )
    if len(fitting) > 1:
        shown = ", ".join(fitting[:4]) + (f" and {len(fitting) - 4} more" if len(fitting) > 4 else "")
        raise ValueError(f"{wanted!r} fits {len(fitting)} checks: {shown}")
    return _check(lesson_of[fitting[0]], fitting[0])


def first_failing(lesson: str, subject: str, exercise: str | None = None) -> Check:
    """The first check of a lesson (or of an exercise in it) that went wrong in the last run, or goes wrong now."""
    known, fresh = memory.last(lesson, subject)
    if not fresh or not any(entry["state"] == "wrong" for entry in known.values()):
        judge(lesson, subject)
        known, _ = memory.last(lesson, subject)
    for name, entry in known.items():
        if entry["state"] == "wrong" and exercise in (None, entry["exercise"]):
            return _check(lesson, name)
    raise ValueError(f"nothing of {exercise or lesson} is wrong: there is nothing to reproduce")


def _check(lesson: str, name: str) -> Check:
    return next(check for check in lesson_checks(lesson) if check.name == name)
