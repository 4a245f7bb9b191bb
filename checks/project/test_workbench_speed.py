"""Feedback stays fast when things are wrong, which is the common case. Measured in processor time: a busy machine
does not count."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from checks.curriculum import LESSONS, ROOT, Lesson
from checks.gate.lazy import write_lazy

# The capstone's checks train models; its own tests watch its time.
TIMED = [lesson for lesson in LESSONS if lesson.module != "capstone"]
EVERY = pytest.mark.parametrize("lesson", TIMED, ids=lambda lesson: lesson.module)
BONUS_TOO = 1.5  # for the lessons with a bonus, which the bars do not speak of

# A process of its own, as `litebert watch` has one: for each lesson the better of two runs.
MEASURE = """
import json, sys, time
from pathlib import Path
import checks.workbench.profile
from checks.stubs import backups
from checks.workbench.judging import judge

backups.STATE = Path(sys.argv[1])
seconds = {}
for lesson, subject in json.loads(sys.argv[2]).items():
    times = []
    for _ in range(2):
        start = time.process_time()
        judge(lesson, subject)
        times.append(time.process_time() - start)
    seconds[lesson] = min(times)
print(json.dumps(seconds))
"""


def measured(folder: Path, subjects: dict[str, str]) -> dict[str, float]:
    """Processor seconds of each lesson's verdicts."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(folder / "state"), json.dumps(subjects)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def all_wrong(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """With zeros of the right shape from every exercise."""
    folder = tmp_path_factory.mktemp("wrong")
    lazy = {x.module: str(write_lazy(folder / x.module, x.module, "zeros")) for x in TIMED}
    return measured(folder, lazy)


@pytest.fixture(scope="module")
def all_right(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """With the reference."""
    return measured(tmp_path_factory.mktemp("right"), {x.module: "solutions" for x in TIMED})


@EVERY
def test_a_lesson_with_every_check_failing_answers_in_4_or_8_seconds(
    lesson: Lesson, all_wrong: dict[str, float]
) -> None:
    assert all_wrong[lesson.module] < (8 if lesson.uses_torch else 4) * (BONUS_TOO if lesson.bonus else 1)


@EVERY
def test_a_green_lesson_answers_in_2_seconds(lesson: Lesson, all_right: dict[str, float]) -> None:
    assert all_right[lesson.module] < 2 * (BONUS_TOO if lesson.bonus else 1)
