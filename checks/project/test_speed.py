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
BARE_TEXT = "import numpy, pytest; from hypothesis import given, strategies"


@pytest.fixture(scope="module")
def bytecode(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("bytecode"))


def cpu_seconds(bytecode: str, *command: str) -> float:
    """CPU seconds of a Python process, its start included: the better of two, the first of which compiles."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "CI": "1", "PYTHONPYCACHEPREFIX": bytecode}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    times = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def lesson_run(bytecode: str, lesson: str, subject: str) -> float:
    return cpu_seconds(
        bytecode,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        BY_NAME[lesson].checks,
        f"--subject={subject}",
    )


@pytest.mark.parametrize(("lesson", "most"), [("pairing", 4.0), ("attention", 8.0)])
def test_a_lesson_with_every_check_failing_answers_within_seconds(
    bytecode: str, lesson: str, most: float, tmp_path: Path
) -> None:
    start = cpu_seconds(bytecode, "-c", BARE if BY_NAME[lesson].uses_torch else BARE_TEXT)
    assert lesson_run(bytecode, lesson, str(write_lazy(tmp_path, lesson, "zeros"))) < start + most


@pytest.mark.parametrize("lesson", ["vocab", "attention"])
def test_a_green_lesson_takes_at_most_twice_the_imports(bytecode: str, lesson: str) -> None:
    bare = cpu_seconds(bytecode, "-c", BARE)
    assert lesson_run(bytecode, lesson, "solutions") < 2 * bare


def test_a_text_lesson_answers_within_1_5_seconds_beyond_the_start_of_python_and_pytest(
    bytecode: str,
) -> None:
    assert lesson_run(bytecode, "vocab", "solutions") < cpu_seconds(bytecode, "-c", BARE_TEXT) + 1.5


def test_the_checks_of_a_text_lesson_do_not_import_torch() -> None:
    code = (
        "import sys, pytest; pytest.main(['-q', 'checks/test_vocab.py', '--subject=solutions']);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0
