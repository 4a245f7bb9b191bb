"""A pool of forks: one process a submission, forked from a parent that has everything loaded.

The parent has one thread and never runs judged code. A child sends its result over a pipe; one that dies without
a result is forked again once, then the submission is reported as not graded.
"""

import ctypes
import json
import os
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from checks.grade.job import Job, Times, run_job
from checks.grade.record import Record, dumps, from_plain, to_plain

TRIES = 2
SECONDS_A_LESSON = 600.0
PR_SET_PDEATHSIG = 1


@dataclass
class Graded:
    """A finished job: its record, its times, the CPU seconds of its process and of its workers."""

    record: Record
    times: Times
    cpu: float = 0.0


@dataclass
class _Child:
    job: Job
    pid: int
    pipe: int
    deadline: float
    tries: int
    data: bytearray = field(default_factory=bytearray)


class ForkPool:
    """Runs jobs in forked processes, at most `jobs` at a time."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.running: dict[int, _Child] = {}

    def run(
        self, todo: Iterable[Job], tick: Callable[[list[str]], Any] = lambda keys: None
    ) -> Iterator[Graded]:
        """Results as they come; `tick` is called often with the keys of what is being graded."""
        waiting = [(job, 1) for job in todo][::-1]
        with selectors.DefaultSelector() as selector:
            try:
                while waiting or self.running:
                    while waiting and len(self.running) < self.jobs:
                        child = _fork(*waiting.pop())
                        self.running[child.pipe] = child
                        selector.register(child.pipe, selectors.EVENT_READ)
                    for key, _ in selector.select(timeout=0.2):
                        child = self.running[key.fd]
                        part = os.read(child.pipe, 1 << 16)
                        child.data += part
                        if not part:
                            selector.unregister(child.pipe)
                            yield from self._ended(child, waiting)
                    self._stop_late_ones()
                    tick([child.job.key for child in self.running.values()])
            finally:
                self.stop()

    def stop(self) -> None:
        """Kill what is still running."""
        for child in self.running.values():
            os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)
            os.close(child.pipe)
        self.running.clear()

    def _ended(self, child: _Child, waiting: list[tuple[Job, int]]) -> Iterator[Graded]:
        del self.running[child.pipe]
        os.close(child.pipe)
        _, status, usage = os.wait4(child.pid, 0)
        try:
            answer = json.loads(child.data)
        except ValueError:
            answer = {"error": _how(status)}
        if "record" in answer:
            times = Times(answer["times"], answer["workers"])
            cpu = usage.ru_utime + usage.ru_stime + times.workers
            yield Graded(from_plain(answer["record"]), times, cpu)
        elif child.tries < TRIES:
            waiting.append((child.job, child.tries + 1))
        else:
            job = child.job
            failure = f"the process that graded it failed twice: {answer['error']}"
            yield Graded(Record(job.key, job.digest, job.seed, failure=failure), Times())

    def _stop_late_ones(self) -> None:
        for child in self.running.values():
            if time.monotonic() > child.deadline:
                os.kill(child.pid, signal.SIGKILL)


def _how(status: int) -> str:
    number = os.waitstatus_to_exitcode(status)
    return f"ended by {signal.Signals(-number).name}" if number < 0 else f"exit code {number}"


def _fork(job: Job, tries: int) -> _Child:
    read, write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _work(job, write)
    os.close(write)
    limit = time.monotonic() + SECONDS_A_LESSON * max(1, len(job.lessons))
    return _Child(job, pid, read, limit, tries)


def _work(job: Job, pipe: int) -> None:
    """In the child: grade, send, and leave without the parent's clean-up."""
    try:
        _die_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        try:
            record, times = run_job(job)
            answer = dumps({"record": to_plain(record), "times": times.lessons, "workers": times.workers})
        except BaseException as error:  # the grader's own fault: told to the instructor, never a zero
            answer = dumps({"error": "".join(traceback.format_exception_only(error))[:500]})
        data = memoryview(answer.encode())
        while data:
            data = data[os.write(pipe, data) :]
    finally:
        os._exit(0)


def _die_with_parent() -> None:
    """Where Linux offers it: a grader that is killed leaves nothing behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
