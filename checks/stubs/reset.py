"""Start a lesson again, and take that back."""

import os
import shutil
from pathlib import Path

from .backups import NewBackup, backups_of, is_known, read_text
from .sync import Written, stub_text, write_stubs


def reset(module: str, folder: Path) -> Written:
    """Put the untouched stub back; work that was there is copied to a backup first."""
    return write_stubs(folder, [module])[0]


def undo(module: str, folder: Path) -> tuple[Path, Path | None]:
    """Put back the newest backup of a lesson that differs from what is there now.

    Work that is there now is copied to a backup itself, so an undo can be undone.

    Returns:
        The backup that was put back, and the copy of what was there (None where that was a stub
        or stands in a backup already).

    Raises:
        ValueError: there is no other text of this lesson in the backups.
    """
    path = folder / f"{module}.py"
    found = read_text(path) if path.exists() else None
    copies = backups_of(module)
    chosen = next((copy for copy in copies if read_text(copy) != found), None)
    if chosen is None:
        raise ValueError(f"nothing to undo: no backup of lesson {module} differs from {path}")
    is_kept = (
        found is None or found == stub_text(module) or is_known(found) or found in map(read_text, copies)
    )
    copy_of_current = None if is_kept else NewBackup().add(path)
    temporary = path.with_name(path.name + ".new")
    shutil.copyfile(chosen, temporary)
    os.replace(temporary, path)
    return chosen, copy_of_current
