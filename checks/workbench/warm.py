"""A child process for each verdict, forked from a parent in which everything slow is imported already.

The parent is multiprocessing's fork server: it runs one thread and no judged code, so a crash, an endless loop
or `os._exit` in a lesson ends a child and nothing else. Where a system cannot fork, each verdict gets a new
Python, which costs the imports every time.
"""

import contextlib
import io
import multiprocessing
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from checks.curriculum import BY_NAME, ROOT

FORKS = "forkserver" in multiprocessing.get_all_start_methods()
LONGEST = 120.0
MOST_PRINTED = 5
ALWAYS = (
    "checks.workbench.profile",
    "checks.workbench.judging",
    "checks.plugin.table",
    "hypothesis.strategies",
    "hypothesis.extra.numpy",
)
# torch's optimisers import torch._dynamo when the first one is made: a second that no verdict should pay.
FOR_TORCH = ("torch", "torch.utils.data", "torch._dynamo", "checks.subject.scripted_models")


@dataclass
class Result:
    """What became of a verdict: the report's lines, what the lesson printed, the seconds since the start."""

    lesson: str
    lines: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    green: bool = False
    more_follows: bool = False
    seconds: float = 0.0


def warm_up(lessons: Collection[str]) -> Any:
    """The multiprocessing context whose children judge these lessons; the parent starts to import."""
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    if not FORKS:
        return multiprocessing.get_context("spawn")
    from checks.subject.runtime import OPERATION_MODULES

    context = multiprocessing.get_context("forkserver")
    wanted = [*ALWAYS, *OPERATION_MODULES]
    if any(BY_NAME[lesson].uses_torch for lesson in lessons):
        wanted += FOR_TORCH
    wanted += [f"checks.test_{lesson}" for lesson in lessons]
    context.set_forkserver_preload(wanted)
    from multiprocessing import forkserver

    forkserver.ensure_running()
    return context


class Job:
    """One verdict on its way."""

    def __init__(self, context: Any, lesson: str, subject: str) -> None:
        self.lesson = lesson
        self.cancelled = False
        self.started = time.monotonic()
        self._answers, gives = context.Pipe(duplex=False)
        self._process = context.Process(target=judge_and_tell, args=(lesson, subject, gives), daemon=True)
        self._process.start()
        gives.close()

    def cancel(self) -> None:
        """End it: a newer save is being judged."""
        self.cancelled = True
        self._process.kill()

    def results(self) -> Iterator[Result]:
        """What comes: a verdict, or one on the core and then one with the bonus; a crash is a result too."""
        answer: Result | None = None
        with contextlib.suppress(EOFError, OSError):
            while answer is None or answer.more_follows:
                if not self._answers.poll(LONGEST):
                    break
                answer = self._answers.recv()
                answer.seconds = time.monotonic() - self.started
                yield answer
        if answer is None or answer.more_follows:
            self._process.join(1)
            yield Result(self.lesson, [_how_it_ended(self.lesson, self._process.exitcode)])
        self._process.kill()
        self._process.join()


def _how_it_ended(lesson: str, code: int | None) -> str:
    if code is None:
        return f"✗ {lesson}: no verdict within {LONGEST:g} s, and no way to interrupt it: an endless loop?"
    how = f"was ended by signal {-code}" if code < 0 else f"ended itself with code {code}"
    return f"✗ {lesson}: the process {how} before the verdict"


def judge_and_tell(lesson: str, subject: str, gives: Connection) -> None:
    """In the child: judge with one thread and send the result."""
    import gc
    import signal
    import sys

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    gc.freeze()
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            _judge_in_parts(lesson, subject, said, gives)
        except Exception as error:
            gives.send(Result(lesson, [f"✗ {lesson}: no verdict: {type(error).__name__}: {error}"]))


def _judge_in_parts(lesson: str, subject: str, said: io.StringIO, gives: Connection) -> None:
    """The core first: the bonus of a lesson may take longer than all the rest, and counts for less."""
    from checks.judge.runner import lesson_checks
    from checks.judge.scores import score
    from checks.plugin.table import lesson_lines
    from checks.workbench.judging import judge

    verdicts = judge(lesson, subject, bonus=False)
    green = score(verdicts).state == "done"
    has_bonus = green and any(check.bonus for check in lesson_checks(lesson))
    gives.send(Result(lesson, lesson_lines(verdicts), _first_lines(said), green, more_follows=has_bonus))
    if has_bonus:
        verdicts += judge(lesson, subject, bonus=True)
        gives.send(Result(lesson, lesson_lines(verdicts), _first_lines(said), green))


def _first_lines(said: io.StringIO) -> list[str]:
    return list(dict.fromkeys(said.getvalue().splitlines()))[:MOST_PRINTED]
