"""What `--subject` may name, and how it is opened."""

from pathlib import Path

from checks.curriculum import LESSONS, ROOT
from checks.subject.inprocess import InProcess
from checks.subject.subject import Subject


class NoSubject(ValueError):
    """`--subject` names nothing that can be judged."""


def subject_root(name: str) -> Path:
    """The folder that holds the lesson modules of subject `name`: lessons, solutions or a path."""
    root = ROOT / name if name in ("lessons", "solutions") else Path(name).expanduser().resolve()
    if not root.is_dir():
        raise NoSubject(
            f"--subject {name}: there is no folder {root}; expected lessons, solutions or a folder"
        )
    if not any((root / f"{lesson.module}.py").exists() for lesson in LESSONS):
        raise NoSubject(
            f"--subject {name}: {root} holds none of the lesson modules (vocab.py, masking.py, ...)"
        )
    return root


def open_subject(name: str, lesson: str, *, assembly: bool = False, seed: int = 0) -> Subject:
    """The subject of one lesson, in process."""
    return Subject(InProcess(subject_root(name), lesson, assembly), lesson, seed)
