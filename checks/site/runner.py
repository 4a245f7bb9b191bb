"""Runs programs of the site in a process of their own and remembers what they printed."""

import atexit
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from functools import cache
from typing import NamedTuple

from checks.curriculum import ROOT

SECONDS = 240.0  # a guard against code that never ends, also on a busy machine


class Outcome(NamedTuple):
    """What one block did: what it printed and, if it raised, the traceback's last lines."""

    printed: str
    error: str


class Worker:
    """One child process; programs sent to it share nothing but the imports."""

    def __init__(self) -> None:
        environment = {**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "checks.site.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):  # closed while it waited
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put("")

    def run(self, blocks: tuple[str, ...], seconds: float) -> tuple[Outcome, ...]:
        """Runs the blocks in order in one fresh namespace."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(blocks) + "\n")
        self.process.stdin.flush()
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            line = ""
        if not line:
            self.close()
            stopped = Outcome("", f"the code ended its process or ran for more than {seconds:.0f} s")
            return (stopped,) * len(blocks)
        return tuple(Outcome(*pair) for pair in json.loads(line))

    def close(self) -> None:
        """Ends the process and waits for it."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


_workers: list[Worker] = []


@cache
def run_program(blocks: tuple[str, ...], seconds: float = SECONDS) -> tuple[Outcome, ...]:
    """The outcomes of `blocks`, run in order in one namespace; equal programs run once.

    `lessons.attention` and the other lessons are the reference there, so that a page's code works
    before its reader has written a line.
    """
    if not blocks:
        return ()
    if not _workers or _workers[0].process.poll() is not None:
        _workers[:] = [Worker()]
        atexit.register(_workers[0].close)
    return _workers[0].run(blocks, seconds)


def reference_is_here() -> bool:
    """Whether this copy has the reference; a learner's release does not, and then no code is run."""
    return (ROOT / "solutions" / "attention.py").exists()
