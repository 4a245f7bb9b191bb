"""The texts that a worker gets: the submission's lesson and the reference of earlier ones, never a later one's.

The submission's files are read with distrust too: a link would read another file of the host into the worker,
a pipe would block the grader.
"""

import os
import stat
from pathlib import Path

from checks.curriculum import LESSONS
from checks.sandbox.worker import MINE
from checks.sandbox.worker import REFERENCE as REFERENCE_FOLDER
from checks.subject.errors import Broken
from checks.subject.world import REFERENCE, source_of


def texts(root: Path, lesson: str, assembly: bool, most: int) -> dict[str, bytes]:
    """Texts by their place in the worker's folder; `Broken` where a file is no ordinary one of at most `most` bytes."""
    found: dict[str, bytes] = {}
    for other in LESSONS:
        try:
            path = source_of(other.module, root, None if assembly else lesson)
        except ModuleNotFoundError:
            continue
        folder = REFERENCE_FOLDER if path.parent == REFERENCE and root != REFERENCE else MINE
        text = path.read_bytes() if folder == REFERENCE_FOLDER else _read(path, most)
        if text is not None:
            found[f"{folder}/{path.name}"] = text
    return found


def _read(path: Path, most: int) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        raise Broken(f"{path.name} is a link or cannot be opened: hand in an ordinary file") from None
    with open(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise Broken(f"{path.name} is no ordinary file")
        text = file.read(most + 1)
    if len(text) > most:
        raise Broken(f"{path.name} is larger than {most} bytes")
    return text
