"""The learners' tree: copied by a list of what belongs in it, never by a list of what does not."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from checks.curriculum import LESSONS, ROOT
from checks.release.classroom import classroom_workflow
from checks.release.readme import learners_readme
from checks.stubs import stub_text

FILES = ("LICENSE", "CHANGELOG.md", "mkdocs.yml", ".gitignore", ".github/workflows/my-progress.yml")
FOLDERS = ("docs", "lessons/given")
CHECKS = ("__init__.py", "curriculum.py", "early.py")
CHECKS_FOLDERS = (
    *("judge", "oracles", "plugin", "subject", "hints", "stubs", "site", "fixtures", "cli"),
    *("workbench", "huggingface", "experiments", "benchmark"),
)
# What stays with instructors and maintainers, by the folder it lies in.
APART = {
    "cli": (
        "grade",
        "regrade",
        "hidden_template",
        "hidden_gate",
        "similarity",
        "release",
        "gate",
        "seeds",
        "stubs",
        "record_runs",
    ),
    "site": ("screenshots",),
}
SKIPPED = ("__pycache__", ".hypothesis", "pristine")
PAGES_APART = (ROOT / "docs" / "instructor", ROOT / "docs" / "maintainer")


def make_tree(out: Path, with_solutions: bool) -> None:
    """Write the tree to a new or empty folder.

    Raises:
        ValueError: the folder holds something.
    """
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out}: got a folder with files in it, expected a new or empty one")
    out.mkdir(parents=True, exist_ok=True)
    for path in _chosen():
        target = out / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    _stubs(out)
    if with_solutions:
        shutil.copytree(ROOT / "solutions", out / "solutions", ignore=shutil.ignore_patterns(*SKIPPED))
    _adapt(out, with_solutions)
    (out / "README.md").write_text(learners_readme(with_solutions), encoding="utf-8")
    workflow = out / ".github" / "workflows" / "classroom.yml"
    workflow.write_text(classroom_workflow(), encoding="utf-8")


def commit(out: Path) -> None:
    """A history of one commit."""
    who = ("-c", "user.name=Litebert", "-c", "user.email=litebert@localhost", "-c", "commit.gpgsign=false")
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        (*who, "commit", "-q", "-m", "The course"),
    ):
        subprocess.run(["git", *arguments], cwd=out, check=True, capture_output=True)


def _chosen() -> Iterator[Path]:
    yield from (ROOT / name for name in FILES if (ROOT / name).is_file())
    yield from (ROOT / "checks" / name for name in CHECKS)
    yield from sorted((ROOT / "checks").glob("test_*.py"))
    folders = [ROOT / name for name in FOLDERS] + [ROOT / "checks" / name for name in CHECKS_FOLDERS]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            is_instructors = path.stem in APART.get(folder.name, ())
            if (
                path.is_file()
                and not path.is_symlink()
                and not set(path.parts) & set(SKIPPED)
                and not is_instructors
                and path.parent not in PAGES_APART
            ):
                yield path


def _stubs(out: Path) -> None:
    """Fresh stubs to fill, and untouched ones for `litebert reset`."""
    pristine = out / "checks" / "stubs" / "pristine"
    pristine.mkdir(parents=True)
    shutil.copyfile(ROOT / "lessons" / "__init__.py", out / "lessons" / "__init__.py")
    for lesson in LESSONS:
        for folder in (out / "lessons", pristine):
            (folder / f"{lesson.module}.py").write_text(stub_text(lesson.module), encoding="utf-8")


def _adapt(out: Path, with_solutions: bool) -> None:
    """Settings and commands that name what is not handed out."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if not with_solutions:
        project = project.replace('"-p checks.plugin ', '"-p checks.plugin -p checks.plugin.waiting ')
        project = project.replace('packages = ["lessons", "solutions", "checks"]', 'packages = ["lessons"]')
    (out / "pyproject.toml").write_text(project, encoding="utf-8")
    main = out / "checks" / "cli" / "main.py"
    text = main.read_text(encoding="utf-8")
    for name in APART["cli"]:
        text = re.sub(rf'^    "{name.replace("_", "-")}": ".*",\n', "", text, flags=re.MULTILINE)
    main.write_text(text, encoding="utf-8")
