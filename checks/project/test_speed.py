"""Feedback is fast when things are right, and when everything is wrong. In CPU seconds, which load does not move."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from checks.curriculum import BY_NAME, ROOT
from checks.gate.lazy import write_lazy

BARE = "import torch, pytest, hypothesis"
BARE_TEXT = "import numpy, pytest, hypothesis"


def cpu_seconds(*command: str) -> float:
    """CPU seconds of a Python process, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, "OMP_NUM_THREADS": "1", "CI": "1"}
    subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def lesson_run(lesson: str, subject: str) -> float:
    return cpu_seconds(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", BY_NAME[lesson].checks, f"--subject={subject}"
    )


@pytest.mark.parametrize(("lesson", "most"), [("pairing", 4.0), ("attention", 8.0)])
def test_a_lesson_with_every_check_failing_answers_within_seconds(
    lesson: str, most: float, tmp_path: Path
) -> None:
    start = cpu_seconds("-c", BARE if BY_NAME[lesson].uses_torch else BARE_TEXT)
    assert lesson_run(lesson, str(write_lazy(tmp_path, lesson, "zeros"))) < start + most


@pytest.mark.parametrize("lesson", ["vocab", "attention"])
def test_a_green_lesson_takes_at_most_twice_the_imports(lesson: str) -> None:
    bare = cpu_seconds("-c", BARE)
    assert lesson_run(lesson, "solutions") < 2 * bare


def test_a_text_lesson_answers_within_1_5_seconds_beyond_the_start_of_python_and_pytest() -> None:
    assert lesson_run("vocab", "solutions") < cpu_seconds("-c", BARE_TEXT) + 1.5


def test_the_checks_of_a_text_lesson_do_not_import_torch() -> None:
    code = (
        "import sys, pytest; pytest.main(['-q', 'checks/test_vocab.py', '--subject=solutions']);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0
