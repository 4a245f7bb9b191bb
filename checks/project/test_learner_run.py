"""What a learner sees of `pytest`, run as a learner runs it."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import click
import pytest

from checks.cli.status import any_wrong
from checks.curriculum import LESSONS, ROOT
from checks.gate.edits import SOLUTIONS
from checks.judge.runner import lesson_checks
from checks.stubs.generate import generate
from checks.workbench.judging import require_green

MOST_LINES_A_LESSON = 15


def run_pytest(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own, as a learner starts it."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, timeout=300)


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of untouched stubs."""
    folder = tmp_path_factory.mktemp("stubs")
    for lesson in LESSONS:
        source = (SOLUTIONS / f"{lesson.module}.py").read_text(encoding="utf-8")
        (folder / f"{lesson.module}.py").write_text(generate(source, lesson.module), encoding="utf-8")
    return folder


def blocks(output: str) -> dict[int, list[str]]:
    """The lines of each lesson's block by its number."""
    found: dict[int, list[str]] = {}
    for line in output.splitlines():
        head = re.match(r"[✓✗·…] +(\d+) ", line)
        if head:
            current = found.setdefault(int(head[1]), [])
        elif not found or not line.startswith("    "):
            continue
        current.append(line)
    return found


def test_untouched_stubs_are_to_do_lesson_by_lesson_and_nothing_passes(stubs: Path) -> None:
    result = run_pytest("--subject", str(stubs))
    seen = blocks(result.stdout)
    assert result.returncode == 1
    assert list(seen) == [lesson.number for lesson in LESSONS]
    assert all("to do" in lines[0] for lines in seen.values()), result.stdout
    assert " passed" not in result.stdout
    assert " failed" not in result.stdout
    assert re.search(r"\d+ to do(, \d+ waiting)? in ", result.stdout.splitlines()[-1])
    assert "0 of 100 points" in result.stdout
    assert re.search(
        r"next: write tokenize in .*vocab\.py:\d+; the page is docs/lessons/01-vocab\.md", result.stdout
    )


def test_a_lesson_takes_at_most_fifteen_lines_and_shows_no_source_of_the_project(tmp_path: Path) -> None:
    for lesson in LESSONS:
        functions = "\n".join(f"def {name}(*args, **kwargs): return 3" for name in lesson.exercises)
        (tmp_path / f"{lesson.module}.py").write_text(functions, encoding="utf-8")
    result = run_pytest("--subject", str(tmp_path))
    seen = blocks(result.stdout)
    assert len(seen) == len(LESSONS), result.stdout
    assert max(len(lines) for lines in seen.values()) <= MOST_LINES_A_LESSON
    assert "Traceback" not in result.stdout
    assert "the check itself failed" not in result.stdout
    assert "def test_" not in result.stdout


def test_a_result_of_another_shape_than_the_probes_expect_is_wrong_like_any_other(tmp_path: Path) -> None:
    source = (SOLUTIONS / "attention.py").read_text(encoding="utf-8")
    turned = source.replace("return scores_TS.softmax(dim=-1)", "return scores_TS.softmax(dim=-1).mT")
    assert turned != source
    (tmp_path / "attention.py").write_text(turned, encoding="utf-8")
    result = run_pytest("--subject", str(tmp_path), "--lesson", "attention", "-k", "softmax")
    assert "wrong" in blocks(result.stdout)[5][0], result.stdout
    assert "expected" in result.stdout


def test_a_broken_lesson_is_told_and_the_others_still_run(tmp_path: Path, stubs: Path) -> None:
    for lesson in ("vocab", "masking", "pairing"):
        (tmp_path / f"{lesson}.py").write_text(
            (SOLUTIONS / f"{lesson}.py").read_text(encoding="utf-8"), encoding="utf-8"
        )
    (tmp_path / "masking.py").write_text("def select_positions(:\n", encoding="utf-8")
    chosen = [part for name in ("vocab", "masking", "pairing") for part in ("--lesson", name)]
    result = run_pytest("--subject", str(tmp_path), *chosen)
    seen = blocks(result.stdout)
    assert "done" in seen[1][0]
    assert "done" in seen[3][0]
    assert "wrong" in seen[2][0]
    assert "masking.py cannot be read" in result.stdout
    assert f"{tmp_path}/masking.py:1" in result.stdout


def test_a_broken_file_is_named_where_another_lesson_needs_it(tmp_path: Path) -> None:
    for name in ("attention", "transformer"):
        source = (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    for broken, told in (
        ("def f(:\n", "cannot be read"),
        ("1 / 0\n", "cannot be imported: ZeroDivisionError"),
    ):
        (tmp_path / "attention.py").write_text(broken, encoding="utf-8")
        result = run_pytest("--subject", str(tmp_path), "--lesson", "transformer", "-k", "own")
        assert f"attention.py {told}" in result.stdout
        assert "transformer.py needs it" in result.stdout
        assert "transformer.py cannot" not in result.stdout
        assert "1 waiting in" in result.stdout


def test_a_report_for_machines_counts_what_is_to_do_as_not_passed(tmp_path: Path, stubs: Path) -> None:
    report = tmp_path / "report.xml"
    run_pytest("--subject", str(stubs), "--lesson", "vocab", f"--junitxml={report}")
    suite = ET.parse(report).getroot()[0]
    assert int(suite.get("tests", 0)) == int(suite.get("failures", 0)) > 0
    assert not any_wrong(report)


def test_a_lesson_has_one_number_of_checks_and_the_bonus_is_counted_apart(stubs: Path) -> None:
    result = run_pytest("--subject", str(stubs), "--lesson", "masking")
    core = sum(not check.bonus for check in lesson_checks("masking"))
    bonus = len(lesson_checks("masking")) - core
    assert f"0 of {core} checks, 0 of {bonus} for the bonus" in blocks(result.stdout)[2][0]
    assert f"{core + bonus} checks, {bonus} of them for a bonus" in result.stdout
    with pytest.raises(click.ClickException, match=f"0 of {core} checks do"):
        require_green("masking", str(stubs), "the picture")


@pytest.mark.parametrize("body", ["import os; os._exit(0)", "import sys; sys.exit(0)", "return None"])
def test_judged_code_cannot_end_the_run_with_success(tmp_path: Path, body: str) -> None:
    (tmp_path / "vocab.py").write_text(f"def tokenize(text):\n    {body}\n", encoding="utf-8")
    result = run_pytest("--subject", str(tmp_path), "--lesson", "vocab")
    assert result.returncode == 1
    assert "wrong" in result.stdout


def test_one_lesson_is_chosen_by_its_file_or_its_name(stubs: Path) -> None:
    by_file = run_pytest("checks/test_vocab.py", f"--subject={stubs}")
    by_name = run_pytest("--lesson", "vocab", "--subject", str(stubs))
    assert list(blocks(by_file.stdout)) == list(blocks(by_name.stdout)) == [1]


def test_an_unknown_lesson_and_an_unknown_subject_are_told() -> None:
    result = run_pytest("--lesson", "atention")
    assert result.returncode == 4
    assert "did you mean attention?" in result.stderr
    result = run_pytest("--subject", "/no/such/folder")
    assert result.returncode == 4
    assert "there is no folder" in result.stderr


def test_the_summary_file_holds_the_table(tmp_path: Path, stubs: Path) -> None:
    target = tmp_path / "summary.md"
    run_pytest("--lesson", "vocab", "--subject", str(stubs), "--summary", str(target))
    assert "| 1 Vocabulary | · to do | 0 of 5 |" in target.read_text(encoding="utf-8")


def test_a_text_lesson_does_not_import_torch(stubs: Path) -> None:
    code = (
        "import sys, pytest; "
        f"pytest.main(['--lesson', 'vocab', '--lesson', 'masking', '--lesson', 'pairing', '--subject={SOLUTIONS}']); "
        "print('torch' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert result.stdout.strip().splitlines()[-1] == "False", result.stdout


def test_a_torch_that_cannot_be_loaded_is_named_by_the_lesson_that_needs_it(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('libtorch: cannot open shared object file')", "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--lesson", "attention"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert "libtorch: cannot open shared object file" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
