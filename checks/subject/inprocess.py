"""The in-process transport: requests run here and now, under a watch that interrupts endless loops.

Used by learners: fast, with the learner's own lines in every message. It is no protection: a grader uses the
sandboxed transport.
"""

import gc
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from checks.curriculum import BY_NAME
from checks.subject import values
from checks.subject.errors import Hang
from checks.subject.runtime import Runtime, _is_learners

CPU_SECONDS = 10.0
AFTER_A_HANG = 1.0
WALL_FACTOR = 6.0
MOST_INTERRUPTIONS = 3
_end_process = os._exit  # kept: it is replaced while judged code runs
# pytest captures file descriptor 2 once its plugins are loaded; the last word must reach the terminal.
_STDERR = os.dup(2) if "_pytest" in sys.modules else 2


class InProcess:
    """Executes requests against `root`'s lesson in this process."""

    def __init__(self, root: Path, lesson: str, assembly: bool = False) -> None:
        if BY_NAME[lesson].uses_torch:
            load_torch()
        self.runtime = Runtime(root, lesson, assembly)
        self._hung: set[str] = set()

    def execute(self, operation: str, arguments: Sequence[Any], seconds: float = CPU_SECONDS) -> Any:
        """The answer in normal form; `Hang` when it does not come within `seconds` of CPU time."""
        plain = [values.normalise(argument) for argument in arguments]
        what = _what(operation, plain)
        limit = AFTER_A_HANG if what in self._hung else seconds
        try:
            with warnings.catch_warnings(action="ignore"), _os_exit_raises(), time_limit(what, limit):
                return self.runtime.execute(operation, plain)
        except Hang:
            self._hung.add(what)
            raise

    def forget(self) -> None:
        """Drop everything that is kept next to the judged code."""
        self.runtime.forget()

    def close(self) -> None:
        """Forget the world."""
        self.forget()
        self.runtime.world.close()


def load_torch() -> None:
    """Import torch out of the garbage collector's sight: looking through its many objects, again and again up to the
    end of the process, takes a third of a lesson's feedback time. A torch that is broken shows in the lesson."""
    if "torch" in sys.modules:
        return
    collects = gc.isenabled()
    gc.disable()
    try:
        with suppress(Exception):
            importlib.import_module("torch")
        gc.freeze()
    finally:
        if collects:
            gc.enable()


def _what(operation: str, arguments: list[Any]) -> str:
    named = [argument for argument in arguments[:2] if isinstance(argument, str)]
    return named[0] if named else operation


@contextmanager
def time_limit(what: str, seconds: float) -> Iterator[None]:
    """Raise `Hang` in this thread after `seconds` of CPU time, or `WALL_FACTOR` times that on the clock.

    Without POSIX timers (Windows), or outside the main thread, there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    interruptions = 0

    def stop(signum: int, frame: FrameType | None) -> None:
        nonlocal interruptions
        interruptions += 1
        if interruptions > MOST_INTERRUPTIONS:
            _give_up(Hang(what, seconds, _innermost(frame)))
        raise Hang(what, seconds, _innermost(frame))

    saved = [signal.signal(number, stop) for number in (signal.SIGVTALRM, signal.SIGALRM)]
    # Repeated, in case the judged code swallows the first one.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    signal.setitimer(signal.ITIMER_REAL, seconds * WALL_FACTOR, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGVTALRM, signal.SIGALRM), saved, strict=True):
            signal.signal(number, handler)


def _give_up(hang: Hang) -> None:
    """Judged code that catches every interruption can only be ended with its process; say where it was."""
    check = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("::")[2].partition(" ")[0]
    during = f", in the check {check}" if check else ""
    text = f"\n{hang}{during}. It catches every interruption (a bare except?), so the run ends here.\n"
    with suppress(OSError):
        os.write(_STDERR, text.encode())
    _end_process(1)


def _innermost(frame: FrameType | None) -> str:
    while frame is not None:
        if _is_learners(frame.f_code.co_filename):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


@contextmanager
def _os_exit_raises() -> Iterator[None]:
    """`os._exit` in judged code must not end the run with its own exit code."""

    def refuse(code: int = 0) -> None:
        raise SystemExit(f"os._exit({code})")

    saved, os._exit = os._exit, refuse  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = saved
