"""Ctrl-C as a wish that is heard between two steps."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_requested(*others: int) -> Iterator[Callable[[], bool]]:
    """Within the block Ctrl-C only sets a flag, which the yielded function reads; a second one stops at once.

    So does each of the `others`, signals by number.
    Outside the main thread, where Python delivers no signals, the flag is never set.
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, *others)}
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
