"""The maintainer's guide: its steps make a lesson that is checked, proven and graded, in a copy of the project."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checks.curriculum import ROOT

TOY = ROOT / "checks" / "project" / "toy_lesson"
PLACES = {
    "solution.txt": "solutions/padding.py",
    "oracle.txt": "checks/oracles/padding.py",
    "check.txt": "checks/test_padding.py",
    "hints.txt": "checks/hints/padding.toml",
    "mutants.txt": "checks/mutants/padding.py",
    "variants.txt": "checks/variants/padding.py",
}
GUIDE = ROOT / "docs" / "maintainer" / "lesson.md"
needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="the gate is for Linux and macOS")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the guide's lesson in it."""
    root = tmp_path_factory.mktemp("project")
    left_out = shutil.ignore_patterns("__pycache__", "project", "fixtures", ".hypothesis")
    for part in ("checks", "lessons", "solutions"):
        shutil.copytree(ROOT / part, root / part, ignore=left_out)
    shutil.copy(ROOT / "pyproject.toml", root)
    for name, place in PLACES.items():
        shutil.copy(TOY / name, root / place)
    curriculum = root / "checks" / "curriculum.py"
    text = curriculum.read_text(encoding="utf-8")
    start = text.index("LESSONS = (")
    end = text.index("\n)\n", start)
    entry = (TOY / "curriculum.txt").read_text(encoding="utf-8").rstrip("\n")
    curriculum.write_text(f"{text[:end]}\n{entry}{text[end:]}", encoding="utf-8")
    return root


def run(root: Path, *arguments: str, code: int = 0) -> str:
    """A module of the copy; what it said."""
    inside = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=root,
        env=inside,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_guide_shows_every_file_of_the_lesson_and_its_place() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    for name, place in {**PLACES, "curriculum.txt": "checks/curriculum.py"}.items():
        assert f'--8<-- "checks/project/toy_lesson/{name}"' in guide
        assert f"`{place}`" in guide


def test_the_stub_is_made_and_is_to_do(copy: Path) -> None:
    run(copy, "checks.cli.main", "stubs", "--out", "stubs")
    stub = (copy / "stubs" / "padding.py").read_text(encoding="utf-8")
    assert 'NotImplementedError("lesson padding: padding_share is still to do")' in stub
    assert ".mean()" not in stub
    assert "to do" in run(copy, "checks.cli.main", "check", "padding", "--subject", "stubs", code=1)


def test_the_reference_passes_and_a_mistake_is_named(copy: Path) -> None:
    run(copy, "pytest", "-q", "--subject", "solutions", "--lesson", "padding", "-p", "no:cacheprovider")
    (copy / "wrong").mkdir()
    wrong = (copy / "solutions" / "padding.py").read_text(encoding="utf-8").replace("== PAD_ID", "< 5")
    (copy / "wrong" / "padding.py").write_text(wrong, encoding="utf-8")
    told = run(copy, "checks.cli.main", "check", "padding", "--subject", "wrong", code=1)
    assert "every special token counts as padding" in " ".join(told.split())


@needs_fork
def test_the_gate_proves_the_lesson(copy: Path) -> None:
    assert "0 faults" in run(copy, "checks.cli.main", "gate", "padding", "--full", "--jobs", "1")
