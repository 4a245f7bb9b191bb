"""Writing a file in one step."""

import os
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """The old text or the new one, nothing between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    os.replace(temporary, path)
