"""The plain record of a graded submission: what the journal keeps and every report is made from."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class CheckRecord:
    """How one check ended. `hidden` ones are not published; `end` is "crash" or "time-out" where it was one."""

    name: str
    exercise: str
    claim: str
    points: float
    earned: float
    state: str
    bonus: bool = False
    hidden: bool = False
    lines: tuple[str, ...] = ()
    where: str = ""
    mistake: str = ""
    says: str = ""
    hint: str = ""
    end: str = ""


@dataclass(frozen=True)
class LessonRecord:
    """A lesson's sum, before weights and lateness."""

    lesson: str
    state: str
    points: float
    possible: float
    bonus: float
    page: str
    checks: tuple[CheckRecord, ...]


@dataclass(frozen=True)
class Record:
    """A graded submission. `failure` says why there is no grade, if so."""

    key: str
    digest: str
    seed: int
    lessons: tuple[LessonRecord, ...] = ()
    failure: str = ""
    notes: tuple[str, ...] = field(default=())

    def lesson(self, name: str) -> LessonRecord | None:
        """The lesson's record."""
        return next((lesson for lesson in self.lessons if lesson.lesson == name), None)

    @property
    def points(self) -> float:
        """All points, bonus apart."""
        return round(sum(lesson.points for lesson in self.lessons), 6)


def to_plain(record: Record) -> dict[str, Any]:
    """As JSON has it."""
    return asdict(record)


def from_plain(data: dict[str, Any]) -> Record:
    """The record from what `to_plain` gave."""
    lessons = tuple(
        LessonRecord(
            **{
                **lesson,
                "checks": tuple(CheckRecord(**{**c, "lines": tuple(c["lines"])}) for c in lesson["checks"]),
            }
        )
        for lesson in data["lessons"]
    )
    return Record(**{**data, "lessons": lessons, "notes": tuple(data["notes"])})


def dumps(data: Any) -> str:
    """One canonical line of JSON: equal data, equal bytes."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
