"""What a verdict depends on, as one digest: checks, reference and versions. A batch goes on only with the same."""

import hashlib
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from checks.curriculum import BY_NAME, ROOT
from checks.judge.runner import lesson_checks

JUDGING = ("checks/judge", "checks/subject", "checks/grade/told.py", "checks/curriculum.py")
JUDGING_MODULES = ("checks.oracles.", "checks.test_", "lessons.given")
JUDGING_PACKAGES = ("torch", "numpy", "hypothesis")


def checks_digest(lessons: tuple[str, ...]) -> str:
    """Changes when anything changes that a verdict on these lessons depends on: checks, reference, versions."""
    for lesson in lessons:
        lesson_checks(lesson)
    needed = {name for lesson in lessons for name in (lesson, *all_needs(lesson))}
    paths = {path for part in JUDGING for path in _files(ROOT / part)}
    paths |= {ROOT / "solutions" / f"{name}.py" for name in needed}
    loaded = [module.__file__ for name, module in sys.modules.items() if name.startswith(JUDGING_MODULES)]
    paths |= {Path(file) for file in loaded if file}
    sums = [
        f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in sorted(paths)
    ]
    sums += [f"{name} {_version(name)}" for name in JUDGING_PACKAGES] + [python_version()]
    return hashlib.sha256("\n".join(sums).encode()).hexdigest()[:16]


def all_needs(lesson: str) -> set[str]:
    """The earlier lessons that a lesson builds on, and what these build on."""
    return {name for need in BY_NAME[lesson].needs for name in (need, *all_needs(need))}


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
