"""What the gate's outcomes mean: survivors, rejected variants, checks that kill nothing, names that are wrong."""

from collections import Counter
from dataclasses import dataclass, field

from checks.curriculum import BY_NAME
from checks.gate.gate import Outcome, most_seconds
from checks.judge.runner import lesson_checks
from checks.mutants import mutants_of

SAID = {
    "none": "None",
    "zeros": "zeros of the right shape",
    "input": "the own input",
    "line": "the same line each time",
}


@dataclass
class Row:
    """One lesson's line of the table."""

    lesson: str
    exercises: int
    mutants: int = 0
    killed: int = 0
    variants: int = 0
    accepted: int = 0
    with_mistake: int = 0
    named: int = 0
    misnamed: int = 0
    seconds: float = 0.0
    killers: Counter[str] = field(default_factory=Counter)


@dataclass
class Tally:
    """The whole gate: a row a lesson, and every fault in words."""

    rows: dict[str, Row]
    faults: list[str]


def tally(outcomes: list[Outcome], lessons: tuple[str, ...]) -> Tally:
    """Add up."""
    rows = {lesson: Row(lesson, len(BY_NAME[lesson].exercises)) for lesson in lessons}
    faults: list[str] = []
    for outcome in outcomes:
        row = rows[outcome.task.lesson]
        row.seconds += outcome.seconds
        {"mutant": _mutant, "variant": _variant, "lazy": _lazy}[outcome.task.kind](outcome, row, faults)
    for lesson in lessons:
        idle = {check.name for check in lesson_checks(lesson)} - set(rows[lesson].killers)
        faults += [f"{lesson}: the check {name} kills no mutant" for name in sorted(idle)]
    return Tally(rows, faults)


def _mutant(outcome: Outcome, row: Row, faults: list[str]) -> None:
    mutant = next(m for m in mutants_of(row.lesson) if m.id == outcome.task.name)
    row.mutants += 1
    row.killers.update(outcome.failed)
    if mutant.killed_by in outcome.failed:
        row.killed += 1
    else:
        faults.append(f"{row.lesson}: mutant {mutant.id} survives {mutant.killed_by}")
    name = outcome.named.get(mutant.killed_by)
    if mutant.mistake:
        row.with_mistake += 1
        row.named += name == mutant.mistake
    row.misnamed += name is not None and name != mutant.mistake
    if name != mutant.mistake:
        faults.append(f"{row.lesson}: mutant {mutant.id} is named {name}, expected {mutant.mistake}")


def _variant(outcome: Outcome, row: Row, faults: list[str]) -> None:
    row.variants += 1
    row.accepted += not outcome.failed
    faults += [
        f"{row.lesson}: variant {outcome.task.name} is rejected by {text}" for text in outcome.messages
    ]
    _note_slow(outcome, faults)


def _lazy(outcome: Outcome, row: Row, faults: list[str]) -> None:
    said = SAID[outcome.task.name]
    faults += [f"{row.lesson}: {name} passes on code that returns {said}" for name in outcome.passed]
    _note_slow(outcome, faults)


def _note_slow(outcome: Outcome, faults: list[str]) -> None:
    """All checks of a lesson answer fast, whatever they find."""
    task, most = outcome.task, most_seconds(outcome.task)
    if outcome.seconds > most:
        faults.append(
            f"{task.lesson}: {task.kind} {task.name} takes {outcome.seconds:.1f} s, at most {most:g} s"
        )
