"""Unpublished checks: an instructor's folder of `test_<lesson>.py`, written like the published ones."""

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from checks.curriculum import BY_NAME
from checks.judge.mark import Check, checks_of

PACKAGE = "litebert_hidden"
LEAST_A_LESSON = 2


def hidden_files(folder: Path | None) -> dict[str, Path]:
    """Lesson -> its file of unpublished checks.

    Raises:
        ValueError: there is none, or a file belongs to no lesson.
    """
    if folder is None:
        return {}
    found = {path.stem.removeprefix("test_"): path for path in sorted(folder.glob("test_*.py"))}
    strange = [path.name for lesson, path in found.items() if lesson not in BY_NAME]
    if strange or not found:
        raise ValueError(f"{folder}: got {', '.join(strange) or 'no file'}, expected test_<lesson>.py files")
    return found


def hidden_checks(folder: Path | None) -> dict[str, list[Check]]:
    """Lesson -> its unpublished checks."""
    return {lesson: checks_of(_load(lesson, path)) for lesson, path in hidden_files(folder).items()}


def hidden_digest(folder: Path | None) -> str:
    """Changes when a file of unpublished checks does."""
    parts = [f"{lesson} {path.read_text(encoding='utf-8')}" for lesson, path in hidden_files(folder).items()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _load(lesson: str, path: Path) -> ModuleType:
    name = f"{PACKAGE}.test_{lesson}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
