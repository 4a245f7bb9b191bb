"""What each subcommand does: running pytest, stubs, reset, doctor."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checks.cli import common, machine, status
from checks.curriculum import LESSONS, ROOT
from checks.project.calling import run
from checks.stubs import backups, sync


@pytest.fixture
def one_lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of one lesson; the stub's path."""
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "vocab.py").write_text("def tokenize(text):\n    # 1. Split.\n    return []\n")
    monkeypatch.setattr(sync, "SOLUTIONS", tmp_path / "solutions")
    monkeypatch.setattr(sync, "LESSONS", LESSONS[:1])
    monkeypatch.setattr(backups, "STATE", tmp_path / ".litebert")
    monkeypatch.setattr(sync, "LESSONS_FOLDER", tmp_path / "lessons")
    return tmp_path / "lessons" / "vocab.py"


@pytest.mark.parametrize(
    ("failures", "is_wrong"),
    [
        (["to do: it splits heads", "waiting: the parts fit together"], False),
        (["to do: it splits heads", "wrong: weights sum to 1"], True),
        (["fixture 'subject' not found"], True),
        ([], False),
    ],
)
def test_only_what_is_written_can_be_wrong(failures: list[str], is_wrong: bool, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    cases = "".join(f'<testcase><failure message="{text}"/></testcase>' for text in failures)
    report.write_text(f"<testsuites><testsuite><testcase/>{cases}</testsuite></testsuites>")
    assert status.any_wrong(report) is is_wrong


def test_a_report_without_any_check_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text("<testsuites><testsuite/></testsuites>")
    assert status.any_wrong(tmp_path / "report.xml")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a group")
def test_an_interrupted_check_leaves_no_pytest_behind(tmp_path: Path) -> None:
    code = (
        "import sys; from checks.cli import common, main; from pathlib import Path;"
        f"common.ROOT = Path({str(tmp_path)!r}); main.main(['check'])"
    )
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--subject')\n"
    )
    (tmp_path / "test_slow.py").write_text(
        "import os, pathlib, time\n\n\ndef test_slow():\n"
        "    pathlib.Path('pid').write_text(str(os.getpid()))\n    time.sleep(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "PYTEST_ADDOPTS": ""}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    for _ in range(200):
        time.sleep(0.05)
        if (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text():
            break
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "stopped by Ctrl-C" in err
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_exit_code_is_that_of_the_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "test_one.py").write_text("def test_one():\n    assert False\n")
    monkeypatch.setattr(common, "ROOT", tmp_path)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    assert common.run_pytest(["-q"]) == 1
    assert common.run_pytest(["-q", "--no-such-option"]) == 2
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")
    assert common.run_pytest(["-q"]) == 0


def test_an_installed_copy_says_that_a_clone_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "ROOT", tmp_path)
    code, _, err = run(capsys, "check")
    assert code == 2
    assert "expected a clone" in err


def test_stubs_are_written_and_compared(one_lesson: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "stubs", "--check")[0] == 1
    assert "1 stubs in" in run(capsys, "stubs")[1]
    assert run(capsys, "stubs", "--check")[:2] == (0, "stubs agree\n")
    one_lesson.write_text("mine = 1\n")
    code, out, _ = run(capsys, "stubs", "--check")
    assert code == 1
    assert "-mine = 1" in out
    assert "had been changed: the old text is in" in run(capsys, "stubs")[1]


def test_reset_says_where_the_work_went_and_undo_brings_it_back(
    one_lesson: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "stubs")
    assert run(capsys, "reset", "vocab")[1] == "vocab: is an untouched stub already\n"
    one_lesson.write_text("mine = 1\n")
    _, out, _ = run(capsys, "reset", "1")
    assert "vocab: your work is now in" in out
    assert "`litebert reset vocab --undo` brings it back" in out
    assert "still to do" in one_lesson.read_text()
    assert "vocab: brought back" in run(capsys, "reset", "vocab", "--undo")[1]
    assert one_lesson.read_text() == "mine = 1\n"
    assert "nothing to undo" in run(capsys, "reset", "vocab", "--undo")[2]


def test_doctor_says_what_stands_in_the_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "device", lambda: machine.Finding("device", "ok", "CPU"))
    (tmp_path / "lessons").mkdir()
    for lesson in LESSONS[1:]:
        (tmp_path / "lessons" / f"{lesson.module}.py").write_text("x = 1\n")
    (tmp_path / "lessons" / "attention.py").write_text("def broken(:\n")
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    assert "lessons/vocab.py is not there" in out
    assert "litebert reset vocab" in out
    assert "lessons/attention.py:1: invalid syntax" in out
    assert "is no clone" in out


def test_doctor_survives_a_torch_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text(
        "raise ImportError('libtorch_cpu.so: cannot open shared object file')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    finding = machine.device()
    assert finding.state == "missing"
    assert "libtorch_cpu.so" in finding.what
