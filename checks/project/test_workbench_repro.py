"""Small scripts of failing cases, and traces: tried on the bank's mutants of every lesson."""

import contextlib
import io
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from checks.curriculum import BY_NAME, LESSONS, ROOT
from checks.gate.edits import SOLUTIONS, Mutant, write_subject
from checks.judge.runner import lesson_checks
from checks.mutants import mutants_of
from checks.project.calling import run
from checks.project.test_learner_run import run_pytest
from checks.stubs import backups
from checks.subject.inprocess import InProcess
from checks.workbench import names
from checks.workbench.requests import failure_of
from checks.workbench.script import script_of
from checks.workbench.telling import lines
from checks.workbench.tracing import trace

MOST = 3


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty memory."""
    monkeypatch.setattr(backups, "STATE", tmp_path / "state")


def spread(lesson: str) -> list[Mutant]:
    """A few mutants from all over a lesson's bank."""
    bank = mutants_of(lesson)
    return list(bank[:: max(1, len(bank) // MOST)][:MOST])


# The capstone's mutants train models for seconds each.
NAMES = [lesson.module for lesson in LESSONS if lesson.module != "capstone"]
BANK = [pytest.param(name, mutant, id=mutant.id) for name in NAMES for mutant in spread(name)]


@pytest.mark.parametrize(("lesson", "mutant"), BANK)
def test_the_script_of_a_failing_case_runs_by_itself(lesson: str, mutant: Mutant, tmp_path: Path) -> None:
    write_subject(tmp_path, lesson, mutant.edit)
    check = next(check for check in lesson_checks(lesson) if check.name == mutant.killed_by)
    failure = failure_of(check, str(tmp_path))
    assert failure.verdict.state == "wrong"
    assert failure.requests
    path = tmp_path / "repro.py"
    path.write_text(script_of(failure, tmp_path), encoding="utf-8")
    said = io.StringIO()
    if any(line.startswith("got       ") and "Error" in line for line in failure.verdict.lines):
        return  # a script that raises what the judged code raised
    with contextlib.redirect_stdout(said):
        runpy.run_path(str(path))
    assert said.getvalue().startswith("got ")


def test_a_script_runs_without_pytest_and_shows_what_the_check_saw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (SOLUTIONS / "vocab.py").read_text(encoding="utf-8")
    (tmp_path / "vocab.py").write_text(source.replace(".lower()", ""), encoding="utf-8")
    code, out, _ = run(capsys, "repro", "vocab", "--subject", str(tmp_path))
    assert code == 0
    path = Path(out.splitlines()[-1].removeprefix("python "))
    assert path.parent == backups.STATE
    program = f"import runpy, sys; runpy.run_path({str(path)!r}); print({{'pytest', 'hypothesis'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "set()", done.stderr
    shown = next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("got "))
    assert done.stdout.splitlines()[0].split() == shown.split()


def test_names_of_checks_are_found_by_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(names.names_by_lesson()) == list(BY_NAME)
    assert names.find_check("large_scores_neither", "solutions").lesson == "attention"
    for wanted, said in (
        ("test_no_such_thing_at_all", "no check 'test_no_such_thing_at_all'"),
        ("attention", "nothing of attention is wrong"),
        ("the", "fits"),
    ):
        code, _, err = run(capsys, "repro", wanted, "--subject", "solutions")
        assert code == 2
        assert said in err
    code, _, err = run(capsys, "repro", "large_scores_neither", "--subject", "solutions")
    assert code == 2
    assert "passes: there is nothing to reproduce" in err


@pytest.mark.parametrize(("lesson", "mutant"), BANK)
def test_a_trace_of_a_mutant_raises_nothing_and_is_right_about_the_rest(
    lesson: str, mutant: Mutant, tmp_path: Path
) -> None:
    write_subject(tmp_path, lesson, mutant.edit)
    found = trace(lesson, str(tmp_path))
    assert all(lines(entry) for entry in found)
    assert {entry.exercise for entry in found} <= set(BY_NAME[lesson].exercises)


def test_the_first_submodule_that_differs_is_named_with_shapes_and_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (SOLUTIONS / "transformer.py").read_text(encoding="utf-8")
    summed = "hidden + self.attention(hidden, attention_mask)"
    wrong = source.replace(summed, summed.removeprefix("hidden + "))
    assert wrong != source
    (tmp_path / "transformer.py").write_text(wrong, encoding="utf-8")
    code, out, _ = run(capsys, "trace", "6", "--subject", str(tmp_path))
    assert code == 1
    assert "✓ gelu" in out
    assert "the first that differs is TransformerLayer.attention_norm" in out
    assert "its inputs differ already" in out
    assert "float64 [3, 7, 8]" in out
    assert "entries differ" in out


def test_a_function_called_inside_another_is_named(tmp_path: Path) -> None:
    source = (SOLUTIONS / "attention.py").read_text(encoding="utf-8")
    (tmp_path / "attention.py").write_text(
        source.replace("scores_TS.softmax(dim=-1)", "scores_TS.softmax(dim=-2)")
    )
    by_exercise = {entry.exercise: entry for entry in trace("attention", str(tmp_path))}
    step = by_exercise["MultiHeadAttention"].right
    assert step is not None
    assert step.name == "attention_weights"
    assert by_exercise["split_heads"].agree


@pytest.mark.parametrize("lesson", NAMES)
def test_the_reference_agrees_with_itself_step_by_step(lesson: str) -> None:
    assert all(entry.agree for entry in trace(lesson, "solutions") if entry.probed)


def test_stubs_are_to_do_and_a_broken_file_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stubs = ROOT / "lessons" / "attention.py"
    (tmp_path / "attention.py").write_text(stubs.read_text(encoding="utf-8"), encoding="utf-8")
    code, out, _ = run(capsys, "trace", "attention", "--subject", str(tmp_path))
    assert code == 0
    assert out.count("still to do") == 5
    (tmp_path / "attention.py").write_text("def split_heads(:\n", encoding="utf-8")
    code, out, _ = run(capsys, "trace", "attention", "--subject", str(tmp_path))
    assert code == 1
    assert "cannot be read" in out


def test_a_hang_is_interrupted_with_line_call_and_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InProcess.execute, "__defaults__", (1.0,))
    (tmp_path / "vocab.py").write_text(
        "def tokenize(text):\n    while True:\n        pass\n", encoding="utf-8"
    )
    check = names.find_check("runs_of_letters", "solutions")
    verdict = failure_of(check, str(tmp_path)).verdict
    assert verdict.state == "wrong"
    assert verdict.where in (f"{tmp_path}/vocab.py:2", f"{tmp_path}/vocab.py:3")
    assert "tokenize did not return within 1 s" in verdict.lines[0]
    assert verdict.lines[1].startswith("called    tokenize(")
    assert verdict.lines[2] == f"check     {check.name}"


def test_code_that_catches_every_interruption_ends_the_run_with_a_word(tmp_path: Path) -> None:
    catching = "def tokenize(text):\n    try:\n        while True:\n            pass\n"
    catching += "    except BaseException:\n        return tokenize(text)\n"
    (tmp_path / "vocab.py").write_text(catching, encoding="utf-8")
    result = run_pytest(f"--subject={tmp_path}", "--lesson=vocab", "-k", "runs_of_letters")
    assert result.returncode == 1
    assert "in the check test_runs_of_letters" in result.stderr
    assert "vocab.py:" in result.stderr
