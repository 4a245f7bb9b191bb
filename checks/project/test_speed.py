"""Feedback is fast when things are right, and when everything is wrong. In CPU seconds, which load does not move."""

import os
import resource
import statistics
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
    """CPU seconds of a Python process, its start included."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "CI": "1", "PYTHONPYCACHEPREFIX": bytecode}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(bytecode: str, *commands: tuple[str, ...]) -> list[tuple[float, ...]]:
    """CPU seconds of the commands, one after the other in each of three rounds: a slow minute slows them all. The
    round before, in which Python compiles, does not count."""
    return [tuple(cpu_seconds(bytecode, *command) for command in commands) for _ in range(4)][1:]


def lesson_run(lesson: str, subject: str) -> tuple[str, ...]:
    checks = BY_NAME[lesson].checks
    return ("-m", "pytest", "-q", "-p", "no:cacheprovider", checks, f"--subject={subject}")


@pytest.mark.parametrize(("lesson", "most"), [("pairing", 4.0), ("attention", 8.0)])
def test_a_lesson_with_every_check_failing_answers_within_seconds(
    bytecode: str, lesson: str, most: float, tmp_path: Path
) -> None:
    start = ("-c", BARE if BY_NAME[lesson].uses_torch else BARE_TEXT)
    rounds = in_turn(bytecode, start, lesson_run(lesson, str(write_lazy(tmp_path, lesson, "zeros"))))
    assert statistics.median(taken - imports for imports, taken in rounds) < most


@pytest.mark.parametrize("lesson", ["vocab", "attention"])
def test_a_green_lesson_takes_at_most_twice_the_imports(bytecode: str, lesson: str) -> None:
    rounds = in_turn(bytecode, ("-c", BARE), lesson_run(lesson, "solutions"))
    assert statistics.median(taken / imports for imports, taken in rounds) < 2


def test_a_text_lesson_answers_within_1_5_seconds_beyond_the_start_of_python_and_pytest(
    bytecode: str,
) -> None:
    rounds = in_turn(bytecode, ("-c", BARE_TEXT), lesson_run("vocab", "solutions"))
    assert statistics.median(taken - imports for imports, taken in rounds) < 1.5


@pytest.mark.parametrize("collects", [True, False])
def test_torch_is_loaded_out_of_the_collectors_sight_and_the_collector_is_as_before(collects: bool) -> None:
    code = (
        f"import gc, sys; {'' if collects else 'gc.disable();'} from checks.subject.inprocess import load_torch;"
        "seen = len(gc.get_objects()); runs = sum(s['collections'] for s in gc.get_stats()); load_torch();"
        "print('torch' in sys.modules, gc.isenabled(), gc.get_freeze_count() > seen, len(gc.get_objects()) < seen,"
        "sum(s['collections'] for s in gc.get_stats()) == runs)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", str(collects), "True", "True", "True"]


def test_the_checks_of_a_text_lesson_do_not_import_torch() -> None:
    code = (
        "import sys, pytest; pytest.main(['-q', 'checks/test_vocab.py', '--subject=solutions']);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


def test_a_failed_check_makes_neither_a_stack_to_show_nor_a_patch_of_itself(tmp_path: Path) -> None:
    """Both are of no use to a learner, and took half of the time of a lesson in which all is wrong."""
    code = (
        "import sys, pytest; from _pytest._code.code import ExceptionInfo; made = [];"
        "ExceptionInfo.getrepr = lambda *a, **k: made.append(a);"
        f"pytest.main(['-q', 'checks/test_pairing.py', '--subject={write_lazy(tmp_path, 'pairing', 'zeros')}']);"
        "sys.exit('libcst' in sys.modules or len(made))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" in done.stdout
