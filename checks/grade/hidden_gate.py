"""The gate of unpublished checks: right code passes, code that does nothing fails, known mistakes are caught."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from checks.gate.edits import SOLUTIONS, write_subject
from checks.gate.lazy import KINDS, write_lazy
from checks.gate.vacuous import vacuous
from checks.grade.hidden import LEAST_A_LESSON, hidden_checks, hidden_files
from checks.judge.mark import Check
from checks.judge.runner import lesson_checks, run_check
from checks.mutants import mutants_of
from checks.subject import Subject
from checks.subject.inprocess import InProcess
from checks.variants import variants_of


def hidden_faults(folder: Path) -> list[str]:
    """What is wrong with a folder of unpublished checks, in words; empty where nothing is."""
    os.environ["OMP_NUM_THREADS"] = "1"
    faults = [fault for path in hidden_files(folder).values() for fault in vacuous(path)]
    for lesson, checks in hidden_checks(folder).items():
        faults += _of_lesson(lesson, checks)
    return faults


def _of_lesson(lesson: str, checks: list[Check]) -> Iterator[str]:
    if len(checks) < LEAST_A_LESSON:
        yield f"{lesson}: {len(checks)} checks, expected at least {LEAST_A_LESSON}"
    published = {check.name for check in lesson_checks(lesson)}
    yield from (
        f"{lesson}: {check.name} is the name of a published check"
        for check in checks
        if check.name in published
    )
    caught: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="litebert-hidden-") as scratch:
        root = Path(scratch)
        yield from (f"{lesson}: the reference fails {name}" for name in _failed(SOLUTIONS, lesson, checks))
        for variant in variants_of(lesson):
            place = write_subject(root / f"v-{variant.id}", lesson, variant.edit)
            for name in _failed(place, lesson, checks):
                yield f"{lesson}: the right variant {variant.id} fails {name}"
        for kind in KINDS:
            failed = _failed(write_lazy(root / f"l-{kind}", lesson, kind), lesson, checks)
            yield from (
                f"{lesson}: {c.name} passes on code that does nothing" for c in checks if c.name not in failed
            )
        for mutant in mutants_of(lesson):
            open_ones = [
                check for check in checks if check.name not in caught and check.exercise == mutant.exercise
            ]
            caught |= _failed(write_subject(root / f"m-{mutant.id}", lesson, mutant.edit), lesson, open_ones)
    yield from (
        f"{lesson}: {c.name} catches no known mistake of {c.exercise}" for c in checks if c.name not in caught
    )


def _failed(root: Path, lesson: str, checks: list[Check]) -> set[str]:
    if not checks:
        return set()
    subject = Subject(InProcess(root, lesson), lesson)
    try:
        return {check.name for check in checks if run_check(check, subject).state != "done"}
    finally:
        subject.close()
