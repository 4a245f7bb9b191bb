"""Where judged code runs: in the sandbox, or (`--unsafe`) in the process that judges it."""

import sys
from pathlib import Path

from checks.curriculum import BY_NAME
from checks.subject import Subject
from checks.subject.inprocess import InProcess

UNSAFE = "unsafe"
CONFINED = ("bwrap", "uid")  # the stronger one first
LEVELS = (*CONFINED, UNSAFE)


def prepare(level: str, lessons: tuple[str, ...]) -> None:
    """Start and test what every forked process will share; raises where this level is not to be had here."""
    if level == UNSAFE:
        return
    from checks.sandbox.sandbox import shared

    for uses_torch in (False, True):
        lesson = next((name for name in lessons if BY_NAME[name].uses_torch is uses_torch), None)
        if lesson:
            shared(level).session({}, lesson).end()


def strongest(lessons: tuple[str, ...]) -> str:
    """Start the strongest level that holds here; `Refused` where none does. Reasons go to standard error."""
    from checks.sandbox.launch import Refused

    reasons = []
    for level in CONFINED:
        try:
            prepare(level, lessons)
            return level
        except Refused as error:
            release(level)
            reasons.append(f"{level}: {error}")
            print(f"not {reasons[-1]}", file=sys.stderr)
    raise Refused("\n".join(reasons))


def release(level: str) -> None:
    """End what `prepare` started."""
    if level != UNSAFE:
        from checks.sandbox.sandbox import shared

        shared(level).close()


def open_isolated(level: str, root: Path, lesson: str, assembly: bool, seed: int) -> Subject:
    """The subject of one lesson at this level."""
    if level == UNSAFE:
        return Subject(InProcess(root, lesson, assembly), lesson, seed)
    from checks.sandbox.sandbox import shared
    from checks.sandbox.transport import SandboxTransport

    return Subject(SandboxTransport(shared(level), root, lesson, assembly), lesson, seed)
