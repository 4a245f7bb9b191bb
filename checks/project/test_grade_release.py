"""Releases: the learners' tree works without solutions and gives nothing away; Gradescope's zip runs."""

import ast
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from html import escape
from pathlib import Path

import pytest
import yaml
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

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


def _an_answer() -> list[str]:
    """Some lines of a reference, as they could be shown somewhere."""
    source = (ROOT / "solutions" / "attention.py").read_text(encoding="utf-8").split("\n")
    start = next(number for number, line in enumerate(source) if "scores_TS =" in line)
    return [line.strip() for line in source[start : start + 9]]


def test_the_scan_finds_three_lines_of_an_answer_in_any_file(released: Path, tmp_path: Path) -> None:
    assert leaks(released) == []
    run = _an_answer()
    text = "\n".join(run)
    (tmp_path / "page.md").write_text("```python\n" + "\n\n".join(run) + "  # so\n```\n")
    cell = {"cells": [{"cell_type": "code", "source": [f"{line}\n" for line in run]}]}
    (tmp_path / "book.ipynb").write_text(json.dumps(cell))
    shown = {"cells": [{"source": [], "outputs": [{"text": [f"{line}\n" for line in run]}]}]}
    (tmp_path / "output.ipynb").write_text(json.dumps(shown))
    (tmp_path / "index.json").write_text(
        json.dumps({"docs": [{"text": f"<p>So</p><code>{escape(text)}</code>"}]})
    )
    (tmp_path / "code.js").write_text(f"const answer = {json.dumps(text)};")
    found = {str(leak.path) for leak in leaks(tmp_path)}
    assert found == {"page.md", "book.ipynb", "output.ipynb", "index.json", "code.js"}


def test_the_scan_sees_through_the_colours_of_a_built_page(tmp_path: Path) -> None:
    code = highlight("\n".join(_an_answer()), PythonLexer(), HtmlFormatter(linenos="inline"))
    (tmp_path / "page.html").write_text(f"<html><body><h1>A page</h1>{code}</body></html>")
    assert "scores_TS =" not in code
    assert leaks(tmp_path)
    (tmp_path / "page.html").write_text(highlight("a = 1\nb = 2\nc = 3\n", PythonLexer(), HtmlFormatter()))
    assert leaks(tmp_path) == []


def test_a_release_whose_site_gives_an_answer_away_is_none(tmp_path: Path) -> None:
    """The sources are clean; the page that the hook adds is not."""
    out, answer = tmp_path / "course", json.dumps("\n".join(_an_answer()))
    code = (
        "import sys; from checks.release import site, tree\n"
        "def build(tree, target):\n"
        "    from html import escape\n"
        f"    (target / 'x.html').write_text('<pre>' + escape({answer}) + '</pre>')\n"
        "site.build_site = build\n"
        "from checks.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "release", str(out), "--without-solutions"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "site: x.html:" in done.stdout
    assert "nothing was released" in done.stdout
    assert not out.exists()


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


def _litebert(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "checks.cli.main", *arguments]
    inside = {**environment(), "PYTHONPATH": str(tree)}
    return subprocess.run(command, cwd=tree, env=inside, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--help"], 0, "capstone"),
        (["reset", "vocab"], 0, "vocab"),
        (["hint", "attention"], 0, "hint 1 of"),
        (["grade", "x"], 2, "no command 'grade'"),
        (["solution", "vocab"], 2, "this release has no solutions"),
        (["trace", "attention"], 2, "this release has no solutions"),
        (["capstone", "--subject", "lessons"], 2, "still to do in lessons/"),
    ],
)
def test_the_command_in_a_release_offers_what_is_there(
    arguments: list[str], code: int, told: str, released: Path
) -> None:
    done = _litebert(released, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert told in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "instructors" not in done.stdout


def test_the_classroom_workflow_gives_every_lesson_its_points() -> None:
    steps = yaml.safe_load(classroom_workflow())["jobs"]["autograding"]["steps"]
    points = {step["id"]: step["with"]["max-score"] for step in steps if "id" in step}
    assert points == {lesson.module: lesson.points for lesson in LESSONS}
    assert len(steps[-1]["env"]) == len(LESSONS)
    assert steps[-1]["with"]["runners"].split(",") == [lesson.module for lesson in LESSONS]
    ids = {f"{lesson.module.upper()}_RESULTS": lesson.module for lesson in LESSONS}
    assert steps[-1]["env"] == {name: f"${{{{ steps.{step}.outputs.result }}}}" for name, step in ids.items()}


def test_the_commands_of_the_classroom_workflow_pass_right_code_only(released: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(released, tree)
    workflow = yaml.safe_load((tree / ".github" / "workflows" / "classroom.yml").read_text(encoding="utf-8"))
    steps = {step["id"]: step["with"] for step in workflow["jobs"]["autograding"]["steps"] if "id" in step}
    program, *arguments = shlex.split(steps["vocab"]["command"])
    scripts = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts[program] == "checks.cli.main:main"
    assert _litebert(tree, *arguments).returncode == 1
    shutil.copy(ROOT / "solutions" / "vocab.py", tree / "lessons")
    done = _litebert(tree, *arguments)
    assert done.returncode == 0, done.stdout


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
