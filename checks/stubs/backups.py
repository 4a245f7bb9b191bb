"""Copies of a learner's work, made before anything is written over it."""

import hashlib
import json
import os
import shutil
from datetime import datetime
from pathlib import Path

from checks.curriculum import ROOT

STATE = ROOT / ".litebert"
"""What the command line keeps between runs; ignored by git."""


class NewBackup:
    """The backup folder of one command. It is made, and named by the time, when the first file comes."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def add(self, path: Path) -> Path:
        """Copy `path` into the folder; the copy's path."""
        if self._folder is None:
            self._folder = _make_folder()
        return Path(shutil.copy2(path, self._folder / path.name))


def backups_of(module: str) -> list[Path]:
    """The copies of one lesson, the newest first."""
    return sorted((STATE / "backups").glob(f"*/{module}.py"), reverse=True)


def is_known(text: str) -> bool:
    """Whether `text` is a stub that was written here before, so that nothing is lost with it."""
    return _digest(text) in _known_digests()


def remember(text: str) -> None:
    """Note that `text` is a stub, not work."""
    digests = _known_digests()
    if _digest(text) not in digests:
        STATE.mkdir(parents=True, exist_ok=True)
        replace(STATE / "stubs.json", json.dumps([*digests, _digest(text)], indent=0) + "\n")


def read_text(path: Path) -> str:
    """A file's text with plain line ends, whatever bytes are in it."""
    return path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")


def replace(path: Path, text: str) -> None:
    """Write a file in one step: an interruption leaves the old text or the new one, nothing between."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    os.replace(temporary, path)


def _make_folder() -> Path:
    now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S-%f")
    folder = STATE / "backups" / now
    folder.mkdir(parents=True)
    return folder


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _known_digests() -> list[str]:
    try:
        digests = json.loads((STATE / "stubs.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return digests if isinstance(digests, list) else []
