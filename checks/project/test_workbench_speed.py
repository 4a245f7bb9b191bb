"""Feedback stays fast when things are wrong, which is the common case. Measured in processor time: a busy machine
does not count."""

import time
from pathlib import Path

import pytest

from checks.curriculum import LESSONS, Lesson
from checks.gate.lazy import write_lazy
from checks.stubs import backups
from checks.workbench.judging import judge

# The capstone's checks train models; its own tests watch its time.
TIMED = [lesson for lesson in LESSONS if lesson.module != "capstone"]
EVERY = pytest.mark.parametrize("lesson", TIMED, ids=lambda lesson: lesson.module)
BONUS_TOO = 1.5  # for the lessons with a bonus, which the bars do not speak of


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty memory."""
    monkeypatch.setattr(backups, "STATE", tmp_path / "state")


def taken(lesson: Lesson, subject: str) -> float:
    """Processor seconds of a lesson's verdicts, the better of two runs."""
    times = []
    for _ in range(2):
        start = time.process_time()
        judge(lesson.module, subject)
        times.append(time.process_time() - start)
    return min(times)


@EVERY
def test_a_lesson_with_every_check_failing_answers_in_4_or_8_seconds(lesson: Lesson, tmp_path: Path) -> None:
    most = (8 if lesson.uses_torch else 4) * (BONUS_TOO if lesson.bonus else 1)
    assert taken(lesson, str(write_lazy(tmp_path / "zeros", lesson.module, "zeros"))) < most


@EVERY
def test_a_green_lesson_answers_in_2_seconds(lesson: Lesson) -> None:
    assert taken(lesson, "solutions") < 2 * (BONUS_TOO if lesson.bonus else 1)
