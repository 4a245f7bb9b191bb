"""`litebert update`: everything but a learner's code is replaced; whatever is overwritten is copied first."""

import json
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from checks.curriculum import LESSONS
from checks.stubs import backups
from checks.stubs.sync import stub_text
from checks.workbench.sources import git

NEVER = {".git", ".litebert", "runs", "site", "build", "dist", ".venv", "venv", ".hypothesis"}
CACHES = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store"}
MANIFEST = "release.json"


@dataclass
class Update:
    """What is to be done. Paths are relative to the project: `written` and `removed` files, `stubs` by lesson:
    "replaced" (an untouched stub), "kept" (somebody's work), and "changed" (kept, and the new stub differs)."""

    written: list[Path] = field(default_factory=list)
    removed: list[Path] = field(default_factory=list)
    stubs: dict[str, str] = field(default_factory=dict)
    backup: Path | None = None


def plan(new: Path, root: Path) -> Update:
    """Compare a release with the clone; nothing is written.

    Raises:
        ValueError: the clone has solutions and the release has none.
    """
    if (root / "solutions").is_dir() and not (new / "solutions").is_dir():
        raise ValueError("this clone has solutions/ and the release has none: expected one of the same kind")
    update = Update()
    lessons = {Path("lessons") / f"{lesson.module}.py": lesson.module for lesson in LESSONS}
    there = files_of(new)
    for path in there:
        if path in lessons:
            _plan_stub(update, lessons[path], new, root / path)
        elif not _same(new / path, root / path):
            update.written.append(path)
    order = [lesson.module for lesson in LESSONS]
    update.stubs = {module: update.stubs[module] for module in order if module in update.stubs}
    ours = set(managed(root))
    update.removed = sorted(
        path
        for path in ours - set(there)
        if (root / path).is_file() and path.parent != Path("lessons") and path.parts[0] not in NEVER
    )
    return update


def _plan_stub(update: Update, module: str, new: Path, mine: Path) -> None:
    wanted = new_stub(new, module)
    if not mine.is_file():
        update.stubs[module] = "replaced"
        return
    text = backups.read_text(mine)
    if text == wanted:
        return
    if backups.is_known(text) or text == _old_stub(module):
        update.stubs[module] = "replaced"
    else:
        update.stubs[module] = "kept" if wanted == _old_stub(module) else "changed"


def new_stub(new: Path, module: str) -> str:
    """The untouched stub of the release: the stored one, else the file in its lessons/."""
    stored = new / "checks" / "stubs" / "pristine" / f"{module}.py"
    return backups.read_text(stored if stored.is_file() else new / "lessons" / f"{module}.py")


def _old_stub(module: str) -> str:
    try:
        return stub_text(module)
    except FileNotFoundError:
        return ""


def files_of(folder: Path) -> list[Path]:
    """All files of a release, relative to it."""
    found = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        skipped = relative.parts[0] in NEVER or any(
            part in CACHES or part.endswith(".egg-info") for part in relative.parts
        )
        if not skipped and path.is_file() and not path.is_symlink():
            found.append(relative)
    return found


def managed(root: Path) -> list[Path]:
    """Files that came with the course: those that the last update listed, else those that git tracks."""
    try:
        listed = json.loads((backups.STATE / MANIFEST).read_text(encoding="utf-8"))
        return [Path(str(path)) for path in listed]
    except (OSError, ValueError, TypeError):
        pass
    try:
        return [Path(line) for line in git(["ls-files"], "no clone", root).splitlines()]
    except ValueError:
        return []


def carry_out(update: Update, new: Path, root: Path) -> None:
    """Copy what is overwritten or removed to a backup, then write. Each file changes in one step."""
    replaced = [
        Path("lessons") / f"{module}.py" for module, what in update.stubs.items() if what == "replaced"
    ]
    changing = [*update.written, *update.removed, *replaced]
    old = [path for path in changing if (root / path).is_file()]
    if old:
        now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S-%f")
        update.backup = backups.STATE / "backups" / f"{now}-update"
        for path in old:
            _copy(root / path, update.backup / path)
    for path in update.written:
        _copy(new / path, root / path)
    for path in replaced:
        text = new_stub(new, path.stem)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        backups.replace(root / path, text)
        backups.remember(text)
    for module, what in update.stubs.items():
        if what == "changed":
            target = backups.STATE / "new-stubs" / f"{module}.py"
            target.parent.mkdir(parents=True, exist_ok=True)
            backups.replace(target, new_stub(new, module))
    for path in update.removed:
        (root / path).unlink()
    backups.STATE.mkdir(parents=True, exist_ok=True)
    backups.replace(backups.STATE / MANIFEST, json.dumps([path.as_posix() for path in files_of(new)]))


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(target.name + ".new")
    shutil.copy2(source, temporary)
    temporary.replace(target)
