"""From records to grades: weights, lateness, students. What every report is made from."""

from dataclasses import dataclass, field

from checks.curriculum import BY_NAME
from checks.grade.course import Course
from checks.grade.intake import Submission
from checks.grade.late import percent_off
from checks.grade.people import Assigned, assign
from checks.grade.record import LessonRecord, Record


@dataclass(frozen=True)
class LessonGrade:
    """A lesson in a student's grade: `points` of `weight` after lateness."""

    lesson: str
    points: float
    weight: float
    off: float
    record: LessonRecord | None

    @property
    def title(self) -> str:
        """The lesson's title."""
        return BY_NAME[self.lesson].title


@dataclass(frozen=True)
class Grade:
    """A student's grade. `state` is "graded", "no submission" or "not graded"."""

    assigned: Assigned
    record: Record | None
    lessons: tuple[LessonGrade, ...]
    state: str

    @property
    def total(self) -> float:
        """Points after weights and lateness."""
        return round(sum(lesson.points for lesson in self.lessons), 4)

    @property
    def possible(self) -> float:
        """The most there could be, bonus apart."""
        return round(sum(lesson.weight for lesson in self.lessons), 4)

    @property
    def percent(self) -> float:
        """The total in percent."""
        return round(100 * self.total / self.possible, 2) if self.possible else 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        failure = (self.record.failure,) if self.record and self.record.failure else ()
        return (*self.assigned.notes, *failure)


@dataclass(frozen=True)
class Results:
    """A graded class."""

    course: Course
    grades: tuple[Grade, ...]
    unknown: tuple[str, ...] = field(default=())

    @property
    def graded(self) -> list[Grade]:
        """Grades that come from a graded submission."""
        return [grade for grade in self.grades if grade.state == "graded"]


def make_results(course: Course, submissions: list[Submission], records: dict[str, Record]) -> Results:
    """Grades of all students, in order."""
    assigned, unknown = assign(submissions, course)
    grades = [grade_of(course, entry, records) for entry in assigned]
    return Results(course, tuple(grades), tuple(submission.key for submission in unknown))


def grade_of(course: Course, entry: Assigned, records: dict[str, Record]) -> Grade:
    """The grade of one student, from the record of the submission that counts."""
    if entry.submission is None:
        lessons = tuple(LessonGrade(name, 0.0, course.weight(name), 0.0, None) for name in course.lessons)
        return Grade(entry, None, lessons, "no submission")
    record = records[entry.submission.key]
    lessons = tuple(_lesson(course, name, entry.submission, record) for name in course.lessons)
    return Grade(entry, record, lessons, "not graded" if record.failure else "graded")


def _lesson(course: Course, name: str, submission: Submission, record: Record) -> LessonGrade:
    graded, weight = record.lesson(name), course.weight(name)
    off = percent_off(course, name, submission.submitted)
    if graded is None:
        return LessonGrade(name, 0.0, weight, off, None)
    share = (graded.points + graded.bonus) / graded.possible if graded.possible else 0.0
    return LessonGrade(name, round(share * weight * (1 - off / 100), 4), weight, off, graded)
