"""The loop next to the judged code: one request, one answer, in strict turns, over two pipes.

Nothing here decides anything. Whatever judged code does to this process, the host takes values from it or
gives it up.
"""

import os
import random
import signal
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from checks.sandbox import wire
from checks.subject.errors import Broken, Hang, Raised, ToDo
from checks.subject.inprocess import _os_exit_raises, time_limit
from checks.subject.runtime import Runtime

MINE, REFERENCE = "mine", "reference"
_exit = os._exit


def serve(request: int, reply: int, folder: Path) -> NoReturn:
    """Answer requests until the pipe closes. The first one brings the texts of the lessons."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    nonce, files, lesson, assembly = _next(request)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.tobytes())
    runtime = Runtime(folder / MINE, lesson, assembly, folder / REFERENCE)
    _write(reply, wire.encode([nonce, "ready", str(folder)]))
    while True:
        nonce, fresh, operation, arguments, what, seconds = _next(request)
        if fresh:
            runtime.forget()
            seed_global_generators()
        _write(reply, _answer(nonce, *_outcome(runtime, operation, arguments, what, seconds)))


def seed_global_generators() -> None:
    """Every check starts from the same global random state, so that equal submissions get equal results."""
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def _outcome(runtime: Runtime, operation: str, arguments: list, what: str, seconds: float) -> tuple[str, Any]:
    try:
        with warnings.catch_warnings(action="ignore"), _os_exit_raises(), time_limit(what, seconds):
            return "value", runtime.execute(operation, arguments)
    except ToDo as error:
        return "to do", [error.what, error.where]
    except Broken as error:
        return "broken", [error.message, error.where]
    except Hang as error:
        return "hang", [error.where]
    except Raised as error:
        return "raised", [error.kind, error.message, error.counts_as, error.where]
    except BaseException as error:  # such as KeyboardInterrupt, which judged code can raise too
        return "raised", [type(error).__name__, "", "", ""]


def _answer(nonce: int, kind: str, value: Any) -> bytes:
    try:
        return wire.encode([nonce, kind, value])
    except Exception as error:  # what came is too large, or its text is no text
        told = str(error) if isinstance(error, wire.BadFrame) else "a value that cannot be sent"
        return wire.encode([nonce, "raised", ["ValueError", f"returned {told}", "", ""]])


def _next(request: int) -> Any:
    head = _read(request, wire.HEAD.size)
    structure, arrays = wire.lengths(head)
    return wire.decode(_read(request, structure), _read(request, arrays))


def _read(descriptor: int, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = os.read(descriptor, size - len(parts))
        if not part:
            _exit(0)  # the host is done
        parts += part
    return bytes(parts)


def _write(descriptor: int, frame: bytes) -> None:
    view = memoryview(frame)
    while view:
        view = view[os.write(descriptor, view) :]
