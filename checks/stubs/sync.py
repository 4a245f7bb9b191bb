"""Stub files: written without losing work, and compared with what they should be."""

import difflib
from pathlib import Path
from typing import Literal, NamedTuple

from checks.curriculum import LESSONS, ROOT

from .backups import NewBackup, is_known, read_text, remember, replace
from .generate import generate

SOLUTIONS = ROOT / "solutions"
PRISTINE = ROOT / "checks" / "stubs" / "pristine"
"""A release for learners has no solutions; its stubs lie here (`litebert stubs --out` writes them)."""

LESSONS_FOLDER = ROOT / "lessons"


class Written(NamedTuple):
    """What became of one stub; `backup` is where earlier work was copied to, if there was any."""

    module: str
    path: Path
    state: Literal["new", "same", "updated"]
    backup: Path | None


def stub_text(module: str) -> str:
    """The untouched stub of a lesson.

    Raises:
        FileNotFoundError: there is neither a solution to make it from nor a stored copy.
    """
    solution = SOLUTIONS / f"{module}.py"
    if solution.is_file():
        return generate(solution.read_text(encoding="utf-8"), module)
    stored = PRISTINE / f"{module}.py"
    if stored.is_file():
        return stored.read_text(encoding="utf-8")
    raise FileNotFoundError(f"no stub for lesson {module}: neither {solution} nor {stored} exists")


def has_stub(module: str) -> bool:
    """Whether `stub_text` can give this lesson's stub."""
    return any((folder / f"{module}.py").is_file() for folder in (SOLUTIONS, PRISTINE))


def available() -> list[str]:
    """The lessons that have a stub, in order."""
    return [lesson.module for lesson in LESSONS if has_stub(lesson.module)]


def write_stubs(target: Path, modules: list[str] | None = None, backup: bool = True) -> list[Written]:
    """Write the stubs (of all lessons, or of `modules`) into `target`.

    A file whose text is not a stub that this command made is somebody's work: it is copied to
    `.litebert/backups/<time>/` first.

    Args:
        target: the folder; made where missing.
        modules: lessons to write; left out, all.
        backup: False overwrites changed files without a copy (for temporary folders).

    Raises:
        ValueError: `target` is the folder of the solutions.
    """
    if target.resolve() == SOLUTIONS.resolve():
        raise ValueError(
            f"got {target}, expected another folder: it holds the solutions that stubs are made from"
        )
    target.mkdir(parents=True, exist_ok=True)
    kept = NewBackup() if backup else None
    return [_write(module, target / f"{module}.py", kept) for module in modules or available()]


def check(folder: Path) -> list[str]:
    """How the stubs in `folder` differ from the generated ones; empty where they agree."""
    problems = []
    for module in available():
        path, wanted = folder / f"{module}.py", stub_text(module)
        if not path.is_file():
            problems.append(f"{_short(path)} is missing")
        elif (found := read_text(path)) != wanted:
            problems.append(f"{_short(path)} differs from its solution:\n{_difference(found, wanted)}")
    known = {lesson.module for lesson in LESSONS} | {"__init__"}
    problems += [
        f"{_short(path)} belongs to no lesson"
        for path in sorted(folder.glob("*.py"))
        if path.stem not in known
    ]
    missing = [lesson.module for lesson in LESSONS if not has_stub(lesson.module)]
    return problems + [f"{_short(SOLUTIONS / f'{module}.py')} is missing" for module in missing]


def _write(module: str, path: Path, kept: NewBackup | None) -> Written:
    wanted = stub_text(module)
    state: Literal["new", "updated"] = "new"
    copy = None
    if path.exists():
        found = read_text(path)
        if found == wanted:
            return Written(module, path, "same", None)
        state = "updated"
        if kept is not None and not is_known(found):
            copy = kept.add(path)
    replace(path, wanted)
    remember(wanted)
    return Written(module, path, state, copy)


def _difference(found: str, wanted: str, at_most: int = 12) -> str:
    lines = list(
        difflib.unified_diff(found.splitlines(), wanted.splitlines(), "there", "wanted", n=1, lineterm="")
    )
    more = [f"... and {len(lines) - at_most} more lines"] if len(lines) > at_most else []
    return "\n".join("    " + line for line in lines[:at_most] + more)


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
