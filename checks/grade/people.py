"""Who handed in what, and when: the roster, the times, and which of several submissions counts."""

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from checks.grade.course import Course
from checks.grade.intake import Submission

NAME_COLUMNS = ("student", "name", "email", "section")


@dataclass(frozen=True)
class Student:
    """A row of the roster (or, without one, the owner that an export names)."""

    id: str
    name: str
    email: str = ""
    section: str = ""
    known_as: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Assigned:
    """A student with the submission that counts (None: nothing came) and what to know about it."""

    student: Student
    submission: Submission | None
    notes: tuple[str, ...] = field(default=())


def load_roster(path: Path) -> list[Student]:
    """Students from a CSV file with a column `student`; every other column may name a submission."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    if not rows or "student" not in rows[0]:
        raise ValueError(
            f"{path}: got columns {', '.join(rows[0]) if rows else 'none'}, expected one named student"
        )
    students = []
    for row in rows:
        plain = {key: (value or "").strip() for key, value in row.items() if key}
        known = frozenset(_plain(value) for key, value in plain.items() if value and key != "section")
        fields = {key: plain.get(key, "") for key in ("name", "email", "section")}
        students.append(Student(plain["student"], **fields, known_as=known))
    doubled = {s.id for s in students if sum(other.id == s.id for other in students) > 1}
    if doubled:
        raise ValueError(f"{path}: got {', '.join(sorted(doubled))} twice, expected each student once")
    return students


def load_times(path: Path | None, source: Path) -> dict[str, datetime]:
    """Submission -> when it came in, from `times.csv` and from Gradescope's metadata where it is there."""
    times = _gradescope_times(source / "submission_metadata.yml") if source.is_dir() else {}
    if path is None:
        return times
    with path.open(newline="", encoding="utf-8-sig") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                when = datetime.fromisoformat(row["submitted"].strip())
                times[_plain(row["submission"])] = when if when.tzinfo else when.astimezone()
            except (KeyError, ValueError, AttributeError):
                raise ValueError(
                    f"{path}, line {number}: got {row!r}, expected columns submission and submitted (ISO 8601)"
                ) from None
    return times


def _gradescope_times(path: Path) -> dict[str, datetime]:
    """`submission_123:` followed by `:created_at: 2026-10-01 10:00:00.000000000 Z`; nothing else is read."""
    if not path.is_file():
        return {}
    times, current = {}, ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if found := re.match(r"(submission_\d+):", line):
            current = found[1]
        elif current and (found := re.match(r"\s+:created_at: ([\d-]+) ([\d:]+)(?:\.\d+)? Z", line)):
            times[_plain(current)] = datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00")
    return times


def dated(submissions: Iterable[Submission], times: Mapping[str, datetime]) -> list[Submission]:
    """The submissions, each with its time where that is known."""
    return [replace(submission, submitted=_time_of(submission, times)) for submission in submissions]


def assign(submissions: list[Submission], course: Course) -> tuple[list[Assigned], list[Submission]]:
    """Each student with the submission that counts, in order, and the submissions that the roster does not know."""
    if course.roster is None:
        students = {s.key: _owner(s) for s in submissions}
        by_student: dict[str, list[Submission]] = {}
        for submission in submissions:
            by_student.setdefault(students[submission.key].id, []).append(submission)
        owners = {student.id: student for student in students.values()}
        return [_counting(owners[i], group, course) for i, group in sorted(by_student.items())], []
    roster = load_roster(course.roster)
    groups: dict[str, list[Submission]] = {student.id: [] for student in roster}
    unknown = []
    for submission in submissions:
        owner = _find(submission, roster)
        groups[owner.id].append(submission) if owner else unknown.append(submission)
    return [_counting(student, groups[student.id], course) for student in roster], unknown


def _owner(submission: Submission) -> Student:
    """Without a roster a learner is who the export names; several hand-ins of one owner are attempts."""
    label = submission.label
    owner = label.who if label.ids[0] in (label.who, label.file) else f"{label.who} ({label.ids[0]})"
    return Student(owner if label.attempt else submission.key, label.who)


def _find(submission: Submission, roster: list[Student]) -> Student | None:
    names = {_plain(name) for name in (*submission.label.ids, submission.label.who, submission.key)}
    exact = [student for student in roster if names & student.known_as]
    if len(exact) == 1:
        return exact[0]
    # GitHub Classroom: assignment-login
    ending = [s for s in roster if any(name.endswith(f"-{known}") for name in names for known in s.known_as)]
    return ending[0] if not exact and len(ending) == 1 else None


def _counting(student: Student, group: list[Submission], course: Course) -> Assigned:
    if not group:
        return Assigned(student, None, ("nothing was handed in",))
    ordered = sorted(group, key=_order)
    chosen = ordered[-1 if course.which == "latest" else 0]
    notes = list(chosen.notes)
    if len(group) > 1:
        told = ", ".join(s.key for s in ordered if s is not chosen)
        notes.append(f"{len(group)} submissions, the {course.which} counts; the others: {told}")
        if any(s.submitted is None for s in group):
            notes.append("not every submission has a known time: attempts are in the order of their names")
    return Assigned(student, chosen, tuple(notes))


def _order(submission: Submission) -> tuple:
    when = submission.submitted.timestamp() if submission.submitted else 0.0
    return when, submission.label.attempt, submission.key


def _time_of(submission: Submission, times: Mapping[str, datetime]) -> datetime | None:
    for name in (submission.key, *submission.label.ids, submission.label.who):
        if _plain(name) in times:
            return times[_plain(name)]
    return None


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()
