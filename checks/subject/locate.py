"""What `--subject` may name, and how it is opened."""

from pathlib import Path

from checks.curriculum import LESSONS, ROOT
from checks.subject.inprocess import InProcess
from checks.subject.subject import Subject

# Prefixes that put judged code into a process of its own, and the level of `checks.sandbox`.
LEVELS = {"sandbox:": "bwrap", "uid:": "uid"}


class NoSubject(ValueError):
    """`--subject` names nothing that can be judged."""


def subject_root(name: str) -> Path:
    """The folder that holds the lesson modules of subject `name`: lessons, solutions or a path, prefixed or not."""
    _, place = _split(name)
    root = ROOT / place if place in ("lessons", "solutions") else Path(place).expanduser().resolve()
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
    """The subject of one lesson: in process, or in a sandbox with `sandbox:` or `uid:` before the name."""
    level, _ = _split(name)
    root = subject_root(name)
    if not level:
        return Subject(InProcess(root, lesson, assembly), lesson, seed)
    from checks.sandbox.sandbox import shared
    from checks.sandbox.transport import SandboxTransport

    return Subject(SandboxTransport(shared(level), root, lesson, assembly), lesson, seed)


def require_place(name: str) -> None:
    """NoSubject where judged code cannot be confined as the prefix of `name` asks; says why."""
    level, _ = _split(name)
    if level:
        from checks.sandbox.launch import Refused
        from checks.sandbox.sandbox import shared

        try:
            shared(level).prove("text")
        except Refused as error:
            raise NoSubject(f"--subject {name}: {error}") from None


def _split(name: str) -> tuple[str, str]:
    """The level of a prefix ("" without one) and the rest."""
    for prefix, level in LEVELS.items():
        if name.startswith(prefix):
            return level, name.removeprefix(prefix)
    return "", name
