"""The command line: quick, helpful, and never a traceback for a user's mistake."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from checks.cli import main
from checks.curriculum import ROOT
from checks.project.calling import run

FILES = {name: ROOT / "checks" / "cli" / f"{name.replace('-', '_')}.py" for name in main.COMMANDS}
PRESENT = [name for name, file in FILES.items() if file.is_file()]


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
