"""The command line: quick, helpful, and never a traceback for a user's mistake."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from checks.cli import common, machine, main, status
from checks.curriculum import LESSONS, ROOT
from checks.stubs import backups, sync

PRESENT = [name for name in main.COMMANDS if (ROOT / "checks" / "cli" / f"{name}.py").is_file()]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a call in this process."""
    try:
        code = main.run(list(arguments))
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def pytest_calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments of each call of pytest, which is not run."""
    calls: list[list[str]] = []

    def note(arguments: list[str]) -> int:
        calls.append(arguments)
        return 0

    for name in ("checks.cli.check", "checks.cli.status"):
        monkeypatch.setattr(f"{name}.run_pytest", note)
    return calls


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


def test_help_takes_less_than_a_third_of_a_second_and_loads_nothing_slow() -> None:
    code = (
        "import sys, time; from checks.cli.main import run; run(['--help']);"
        "assert not {'torch', 'numpy', 'pytest', 'matplotlib', 'rich'} & set(sys.modules);"
        "print(time.process_time(), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in main.COMMANDS)
    assert (
        float(done.stderr) < 0.3
    )  # processor time, Python's own start included: a busy machine does not matter


@pytest.mark.parametrize("name", PRESENT)
def test_every_command_explains_itself_without_torch(name: str) -> None:
    call = f"from checks.cli.main import run; run([{name!r}, '--help'])"
    code = f"import sys; {call}; sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"Usage: litebert {name}" in done.stdout
    assert len(done.stdout.splitlines()) > 6


def test_every_command_that_is_listed_exists() -> None:
    assert list(main.COMMANDS) == PRESENT


def test_without_arguments_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys)
    assert code == 0
    assert "Commands:" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chekc"], "no command 'chekc'. Did you mean 'check'?"),
        (["check", "atention"], "no lesson 'atention'. Did you mean 'attention'?"),
        (["check", "zzz"], "no lesson 'zzz'. There are: vocab, masking,"),
        (["check", "16"], "no lesson 16: they are numbered 1 to 15."),
        (["check", "0"], "no lesson 0"),
        (["reset", "vocabulary"], "Did you mean 'vocab'?"),
        (["reset"], "Missing argument 'LESSON'"),
        (["check", "--sbject", "x"], "No such option '--sbject'"),
        (["check", "--subject", "/no/such/folder"], "subject: got '/no/such/folder', expected lessons"),
        (["stubs", "--out", str(ROOT / "solutions")], "expected another folder"),
        (["stubs", "--out", str(ROOT / "pyproject.toml")], "is a file"),
    ],
)
def test_a_mistake_in_the_call_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("lr: got -1, expected a number above 0"), "lr: got -1, expected a number above 0"),
        (
            FileNotFoundError(2, "No such file or directory", "corpus.txt"),
            "corpus.txt: no such file or directory",
        ),
        (
            ModuleNotFoundError("No module named 'tokenizers'", name="tokenizers"),
            "'tokenizers' is not installed",
        ),
        (NotImplementedError("lesson masking: mask_tokens is still to do"), "mask_tokens is still to do"),
    ],
)
def test_an_expected_error_of_a_command_is_one_line(
    error: Exception, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace_doctor(monkeypatch, error)
    code, _, err = run(capsys, "doctor")
    assert code == 2
    assert said in err
    assert err.count("\n") == 1
    monkeypatch.setenv("LITEBERT_TRACEBACK", "1")
    with pytest.raises(type(error)):
        main.run(["doctor"])


def test_ctrl_c_is_a_message_and_exit_code_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace_doctor(monkeypatch, KeyboardInterrupt())
    code, _, err = run(capsys, "doctor")
    assert code == 130
    assert "stopped by Ctrl-C" in err


def _replace_doctor(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    @click.command("doctor")
    def command() -> None:
        raise error

    monkeypatch.setattr("checks.cli.doctor.command", command)


@pytest.mark.parametrize(
    "given", ["attention", "5", "05", "Attention", "lessons/attention.py", "test_attention.py"]
)
def test_a_lesson_is_known_by_its_name_its_number_and_its_files(
    given: str, pytest_calls: list[list[str]]
) -> None:
    assert main.run(["check", given]) == 0
    assert pytest_calls == [["--subject=lessons", "--lesson=attention"]]


def test_check_hands_lessons_subject_and_options_to_pytest(
    tmp_path: Path, pytest_calls: list[list[str]]
) -> None:
    main.run(["check", "vocab", "2", "--subject", str(tmp_path), "--pytest=--pdb", "--pytest", "-x"])
    main.run(["check", "--subject", "solutions"])
    main.run(["status"])
    assert pytest_calls == [
        [f"--subject={tmp_path}", "--lesson=vocab", "--lesson=masking", "--pdb", "-x"],
        ["--subject=solutions"],
        ["-q", "--subject=lessons"],
    ]


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
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
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
