"""`course.toml`: what an instructor decides. Every key is optional; an unknown one is an error.

[course]
name = "NLP, autumn"
lessons = ["vocab", "masking"]        # default: all that have checks
which = "latest"                      # of several submissions: "latest" or "first"
roster = "roster.csv"                 # paths are relative to this file
times = "times.csv"                   # columns submission, submitted (ISO 8601)
secret = "secret.txt"

[weights]                             # points of a lesson in the gradebook; default: the lesson's own
vocab = 10

[late]
grace_minutes = 15
percent_per_day = 10                  # a day begun counts
at_most_percent = 50
zero_after_days = 14

[hidden]
show = false                          # name the unpublished checks in the learners' reports

[[deadline]]
lessons = ["vocab"]                   # default: all
due = 2026-10-12T23:59:00+02:00
"""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from checks.curriculum import BY_NAME, LESSONS, ROOT

TABLES: dict[str, dict[str, type | tuple[type, ...]]] = {
    "course": {"name": str, "lessons": list, "which": str, "roster": str, "times": str, "secret": str},
    "late": {
        "grace_minutes": (int, float),
        "percent_per_day": (int, float),
        "at_most_percent": (int, float),
        "zero_after_days": (int, float),
    },
    "hidden": {"show": bool},
}


@dataclass(frozen=True)
class Deadline:
    """When the named lessons are due; `due` has a time zone."""

    lessons: tuple[str, ...]
    due: datetime


@dataclass(frozen=True)
class LateRule:
    """What lateness costs, in percent of the points of a lesson."""

    grace_minutes: float = 0.0
    percent_per_day: float = 0.0
    at_most_percent: float = 100.0
    zero_after_days: float | None = None


@dataclass(frozen=True)
class Course:
    """The instructor's decisions, checked. Paths are absolute."""

    name: str
    lessons: tuple[str, ...]
    weights: Mapping[str, float] = field(default_factory=dict)
    deadlines: tuple[Deadline, ...] = ()
    late: LateRule = LateRule()
    which: str = "latest"
    roster: Path | None = None
    times: Path | None = None
    secret: Path | None = None
    show_hidden: bool = False

    def weight(self, lesson: str) -> float:
        """What the lesson counts in the gradebook."""
        return float(self.weights.get(lesson, BY_NAME[lesson].points))


def available_lessons() -> tuple[str, ...]:
    """Lessons that have checks, in order."""
    return tuple(lesson.module for lesson in LESSONS if (ROOT / lesson.checks).is_file())


def load_course(path: Path | None) -> Course:
    """Read a `course.toml`; without one, everything is as by default.

    Raises:
        ValueError: the file is not TOML, or a key or value is not what is expected; the message says which.
    """
    if path is None:
        return Course("Litebert", available_lessons())
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not TOML: {error}") from None
    try:
        return _course(data, path.resolve().parent)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _course(data: dict[str, Any], folder: Path) -> Course:
    _known("a table", data, (*TABLES, "weights", "deadline"))
    for table, keys in TABLES.items():
        section = _typed(table, data.get(table, {}), dict)
        _known(f"a key of [{table}]", section, keys)
        for key, value in section.items():
            _typed(f"{table}.{key}", value, keys[key])
    course, weights = data.get("course", {}), _typed("weights", data.get("weights", {}), dict)
    for lesson, weight in weights.items():
        _lesson("weights", lesson)
        _number(f"weights.{lesson}", weight)
    lessons = _lessons("course.lessons", course["lessons"]) if "lessons" in course else available_lessons()
    if not lessons:
        raise ValueError("course.lessons: got none, expected at least one lesson")
    if course.get("which", "latest") not in ("latest", "first"):
        raise ValueError(f"course.which: got {course['which']!r}, expected 'latest' or 'first'")
    for key, value in data.get("late", {}).items():
        _number(f"late.{key}", value)
    entries = _typed("deadline", data.get("deadline", []), list)
    return Course(
        name=course.get("name", "Litebert"),
        lessons=lessons,
        weights=weights,
        deadlines=tuple(_deadline(entry, lessons) for entry in entries),
        late=LateRule(**data.get("late", {})),
        which=course.get("which", "latest"),
        show_hidden=data.get("hidden", {}).get("show", False),
        **{key: folder / course[key] for key in ("roster", "times", "secret") if key in course},
    )


def _deadline(entry: Any, lessons: tuple[str, ...]) -> Deadline:
    _typed("deadline", entry, dict)
    _known("a key of [[deadline]]", entry, ("lessons", "due"))
    due = entry.get("due")
    if not isinstance(due, datetime) or due.tzinfo is None:
        raise ValueError(f"deadline.due: got {due!r}, expected a time with zone: 2026-10-12T23:59:00+02:00")
    return Deadline(_lessons("deadline.lessons", entry["lessons"]) if "lessons" in entry else lessons, due)


def _lessons(where: str, value: Any) -> tuple[str, ...]:
    names = [_lesson(where, name) for name in _typed(where, value, list)]
    missing = [name for name in names if name not in available_lessons()]
    if missing:
        raise ValueError(f"{where}: there are no checks for {', '.join(missing)}")
    return tuple(lesson.module for lesson in LESSONS if lesson.module in names)


def _lesson(where: str, name: Any) -> str:
    if name not in BY_NAME:
        near = difflib.get_close_matches(str(name), BY_NAME, 1)
        told = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(BY_NAME)}"
        raise ValueError(f"{where}: there is no lesson {name!r}; {told}")
    return str(name)


def _known(what: str, found: Mapping[str, Any], allowed: Any) -> None:
    for key in found:
        if key not in allowed:
            raise ValueError(f"{key!r} is not {what}; expected {', '.join(allowed)}")


def _typed(where: str, value: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        wanted = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
        raise ValueError(f"{where}: got {value!r}, expected {wanted}")
    return value


def _number(where: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ValueError(f"{where}: got {value!r}, expected a number from 0")
