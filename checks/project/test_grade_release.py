"""Releases: the learners' tree works without solutions and gives nothing away; Gradescope's zip runs."""

import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from checks.curriculum import LESSONS, ROOT
from checks.project.grading import environment, litebert, write_course
from checks.release.classroom import classroom_workflow
from checks.release.scan import leaks

# `--subject sandbox:...` is not for learners; it is imported when it is asked for.
ALLOWED_BEHIND = "checks/subject/locate.py: checks.sandbox."

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it calls git and forks")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release without solutions."""
    out = tmp_path_factory.mktemp("release") / "course"
    litebert("release", out, "--without-solutions")
    return out


def _pytest(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    inside = {**environment(), "PYTHONPATH": str(tree)}
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=tree, env=inside, capture_output=True, text=True, timeout=300)


def test_a_release_holds_no_answers_and_one_commit(released: Path) -> None:
    there = {str(path.relative_to(released)) for path in released.rglob("*") if ".git" not in path.parts}
    parts = (
        "solutions",
        "checks/mutants",
        "checks/variants",
        "checks/grade",
        "checks/gate",
        "checks/sandbox",
    )
    assert not [name for name in there if name.startswith((*parts, "checks/project", "checks/release"))]
    assert {f"lessons/{lesson.module}.py" for lesson in LESSONS} <= there
    log = subprocess.run(
        ["git", "log", "--format=%s"], cwd=released, capture_output=True, text=True, check=True
    )
    assert log.stdout.splitlines() == ["The course"]


def test_the_scan_finds_three_lines_of_an_answer_in_any_file(released: Path, tmp_path: Path) -> None:
    assert leaks(released) == []
    source = (ROOT / "solutions" / "attention.py").read_text(encoding="utf-8").split("\n")
    start = next(number for number, line in enumerate(source) if "scores_TS =" in line)
    run = [line.strip() for line in source[start : start + 9]]
    (tmp_path / "page.md").write_text("```python\n" + "\n\n".join(run) + "  # so\n```\n")
    cell = {"cells": [{"cell_type": "code", "source": [f"{line}\n" for line in run]}]}
    (tmp_path / "book.ipynb").write_text(json.dumps(cell))
    assert {str(leak.path) for leak in leaks(tmp_path)} == {"page.md", "book.ipynb"}


def test_pytest_in_a_release_says_what_is_to_do_and_what_waits(released: Path) -> None:
    done = _pytest(released, "-q", "--lesson=attention", "--lesson=transformer")
    assert done.returncode == 1
    assert "5 Attention       to do" in done.stdout, done.stdout + done.stderr
    assert "6 Encoder layer   waiting" in done.stdout
    assert "When it is graded, on right ones" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_lesson_runs_on_the_learners_own_earlier_one_once_that_is_right(
    released: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(released, tree)
    for name in ("attention", "transformer"):
        shutil.copy(ROOT / "solutions" / f"{name}.py", tree / "lessons")
    done = _pytest(tree, "-q", "--lesson=transformer")
    assert done.returncode == 0, done.stdout
    mended = (
        (tree / "lessons" / "attention.py")
        .read_text()
        .replace("math.sqrt(query.shape[-1])", "query.shape[-1]")
    )
    (tree / "lessons" / "attention.py").write_text(mended)
    done = _pytest(tree, "-q", "--lesson=transformer")
    assert "waiting for attention" in _pytest(tree, "--lesson=transformer").stdout
    assert done.returncode == 1


def test_the_command_in_a_release_offers_what_is_there(released: Path) -> None:
    inside = {**os.environ, "PYTHONPATH": str(released)}
    for arguments, code in ((["--help"], 0), (["reset", "vocab"], 0), (["grade", "x"], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "checks.cli.main", *arguments],
            cwd=released,
            env=inside,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stderr
        assert "instructors" not in done.stdout
    assert "solutions" not in subprocess.run(["ls", released], capture_output=True, text=True).stdout


def test_the_classroom_workflow_gives_every_lesson_its_points() -> None:
    steps = yaml.safe_load(classroom_workflow())["jobs"]["autograding"]["steps"]
    points = {step["id"]: step["with"]["max-score"] for step in steps if "id" in step}
    assert points == {lesson.module: lesson.points for lesson in LESSONS}
    assert len(steps[-1]["env"]) == len(LESSONS)


def test_gradescopes_zip_grades_a_submission_as_the_container_would(tmp_path: Path) -> None:
    course = write_course(tmp_path)
    course.write_text('[course]\nlessons = ["vocab"]\n')
    litebert("release", "--gradescope", tmp_path / "autograder.zip", "--config", course)
    source = tmp_path / "source"
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        archive.extractall(source)
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    assert modes["run_autograder"] == modes["setup.sh"] == 0o755
    for script in ("run_autograder", "setup.sh"):
        subprocess.run(["bash", "-n", source / script], check=True)
    (tmp_path / "submission").mkdir()
    shutil.copy(ROOT / "solutions" / "vocab.py", tmp_path / "submission")
    arguments = (tmp_path / "submission", tmp_path / "results.json", "--secret", "secret.txt", "--unsafe")
    inside = {**environment(), "PYTHONPATH": str(source)}
    config = ("--config", "course.toml")
    command = [sys.executable, "-m", "checks.grade.gradescope", *map(str, arguments), *config]
    subprocess.run(command, cwd=source, env=inside, check=True, capture_output=True, timeout=200)
    answer = json.loads((tmp_path / "results.json").read_text())
    assert answer["score"] == 5.0
    assert {test["status"] for test in answer["tests"]} == {"passed"}


def test_a_release_imports_nothing_that_stays_behind(released: Path) -> None:
    missing = []
    for path in released.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                place = released / name.replace(".", "/")
                own = name.partition(".")[0] in ("checks", "lessons", "solutions")
                if own and not place.is_dir() and not place.with_suffix(".py").is_file():
                    missing.append(f"{path.relative_to(released)}: {name}")
    assert [entry for entry in missing if not entry.startswith(ALLOWED_BEHIND)] == []
