"""The gradebook as CSV, and Gradescope's results format."""

import csv
import io
from typing import Any

from checks.grade.record import CheckRecord
from checks.grade.results import Grade, LessonGrade, Results

SHEET_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def gradebook(results: Results) -> str:
    """One row a student; a name that a spreadsheet would take for a formula gets an apostrophe before it."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    lessons = [f"{name} [{results.course.weight(name):g}]" for name in results.course.lessons]
    heads = ["student", "name", "email", "section", *lessons, "total", "possible", "percent", "state"]
    writer.writerow([*heads, "submission", "submitted", "seed", "notes"])
    for grade in results.grades:
        writer.writerow([_cell(cell) for cell in _row(grade)])
    return target.getvalue()


def _row(grade: Grade) -> list[Any]:
    student, submission, record = grade.assigned.student, grade.assigned.submission, grade.record
    when = submission.submitted.isoformat() if submission and submission.submitted else ""
    return [
        *(student.id, student.name, student.email, student.section),
        *(f"{lesson.points:g}" for lesson in grade.lessons),
        *(f"{grade.total:g}", f"{grade.possible:g}", f"{grade.percent:g}", grade.state),
        *(record.digest[:16] if record else "", when, record.seed if record else "", "; ".join(grade.notes)),
    ]


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(SHEET_FORMULA) else value


def gradescope(grade: Grade, show_hidden: bool) -> dict[str, Any]:
    """A `results.json`: a test a check, after weights and lateness."""
    tests = [
        _test(check, lesson, show_hidden)
        for lesson in grade.lessons
        if lesson.record
        for check in lesson.record.checks
    ]
    notes = [*grade.notes]
    notes += [f"{lesson.title}: {lesson.off:g} % off, late" for lesson in grade.lessons if lesson.off]
    if grade.record and grade.record.seed:
        notes.append(f"submission {grade.record.digest}, seed {grade.record.seed}")
    return {
        "score": grade.total,
        "output": "\n".join(notes),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"possible": grade.possible, "state": grade.state},
    }


def _test(check: CheckRecord, lesson: LessonGrade, show_hidden: bool) -> dict[str, Any]:
    assert lesson.record is not None
    share = lesson.weight / lesson.record.possible if lesson.record.possible else 0.0
    share *= 1 - lesson.off / 100
    secret = check.hidden and not show_hidden
    return {
        "number": f"{lesson.lesson}",
        "name": f"{check.exercise}: {'an unpublished check' if secret else check.claim}",
        "score": round(check.earned * share, 4),
        "max_score": 0.0 if check.bonus else round(check.points * share, 4),
        "status": "passed" if check.state == "done" else "failed",
        "output": check.state if secret else "\n".join([check.state, *check.lines]),
        "output_format": "text",
        "visibility": "visible",
    }
