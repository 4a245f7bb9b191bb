"""Live progress on standard error, without a thread: a fork of a process with threads may hang."""

import sys
import time
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from checks.grade.canaries import PREFIX
from checks.grade.pool import Graded


class Live:
    """A bar, and who is being graded now."""

    def __init__(self, total: int, quiet: bool = False) -> None:
        console = Console(file=sys.stderr)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        times = (TimeElapsedColumn(), TimeRemainingColumn())
        shown = console.is_terminal and not quiet
        self.bar = Progress(*columns, *times, console=console, auto_refresh=False, disable=not shown)
        self.task = self.bar.add_task("grading", total=total)
        self._last = 0.0

    def __enter__(self) -> "Live":
        self.bar.start()
        return self

    def __exit__(self, *details: Any) -> None:
        self.bar.stop()

    def done(self, graded: Graded) -> None:
        """One more."""
        if not graded.record.key.startswith(PREFIX):
            self.bar.advance(self.task)
        self.tick([])

    def tick(self, keys: list[str]) -> None:
        """Draw again, a few times a second at most."""
        now = time.monotonic()
        if now - self._last > 0.2:
            self._last = now
            if keys:
                self.bar.update(self.task, description=", ".join(key[:24] for key in keys[:3]))
            self.bar.refresh()
