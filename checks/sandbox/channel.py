"""The host's end of one worker: its two pipes, its pidfd, and what its keeper tells.

Everything that comes out of the pipe is hostile. Turns are strict: nothing may be readable before a request
is written, nothing may come before it is written whole, nothing may follow an answer.
"""

import contextlib
import errno
import fcntl
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import NamedTuple

from checks.sandbox import wire
from checks.sandbox.processes import cpu_seconds

TICK = 0.1
PIPE_SIZE = 1024 * 1024


class Lost(Exception):
    """The worker died or broke the protocol."""


class Late(Exception):
    """The answer did not come in time."""


class End(NamedTuple):
    """How a worker ended: its wait status, CPU seconds (the keeper's included) and most memory in kB."""

    status: int
    cpu: float
    memory: int


class Channel:
    """One worker, from its birth to its end."""

    def __init__(self, to_worker: int, from_worker: int, talk: socket.socket, pidfd: int) -> None:
        self.to_worker = to_worker
        self.from_worker = from_worker
        self.talk = talk
        self.pidfd = pidfd
        self.pid = _pid_of(pidfd)
        for descriptor in (to_worker, from_worker):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError):  # a user may have too many large pipes already
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)

    def exchange(self, frame: bytes, cpu: float, wall: float) -> tuple[bytes, bytes]:
        """Send a request; the two parts of the answer. Raises `Lost` or `Late`."""
        deadline = _Deadline(self.cpu, cpu, wall)
        if self._readable():
            raise Lost("it answered before it was asked")
        self._send(frame, deadline)
        answer = self._receive(bytearray(), wire.HEAD.size, deadline)
        try:
            structure, arrays = wire.lengths(bytes(answer[: wire.HEAD.size]))
        except wire.BadFrame as error:
            raise Lost(str(error)) from None
        size = wire.HEAD.size + structure + arrays
        if len(self._receive(answer, size, deadline)) > size or self._readable():
            raise Lost("it answered more than once")
        body = bytes(answer[wire.HEAD.size :])
        return body[:structure], body[structure:]

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        return cpu_seconds(self.pid)

    def end(self) -> End:
        """Kill the worker, and wait until nothing of it is left."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        self.talk.settimeout(30.0)
        try:
            told = json.loads(self.talk.recv(4096) or b"[0, 0, 0]")
        except (OSError, ValueError):
            told = [0, 0.0, 0]
        for descriptor in (self.to_worker, self.from_worker, self.pidfd):
            os.close(descriptor)
        self.talk.close()
        return End(*told)

    def _readable(self) -> bool:
        events = select.poll()
        events.register(self.from_worker, select.POLLIN)
        return any(flags & select.POLLIN for _, flags in events.poll(0))

    def _send(self, frame: bytes, deadline: "_Deadline") -> None:
        view = memoryview(frame)
        events = select.poll()
        events.register(self.to_worker, select.POLLOUT)
        events.register(self.from_worker, select.POLLIN)
        while view:
            ready = dict(events.poll(deadline.next_wait()))
            if ready.get(self.from_worker, 0):
                raise Lost("it answered before it had heard the question, or closed its end")
            if ready.get(self.to_worker, 0):
                try:
                    view = view[os.write(self.to_worker, view) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Lost(f"it closed its end ({errno.errorcode[error.errno or 0]})") from None

    def _receive(self, parts: bytearray, size: int, deadline: "_Deadline") -> bytearray:
        """Read on until `size` bytes are there; there may be more."""
        events = select.poll()
        events.register(self.from_worker, select.POLLIN)
        while len(parts) < size:
            if not events.poll(deadline.next_wait()):
                continue
            try:
                part = os.read(self.from_worker, PIPE_SIZE)
            except BlockingIOError:
                continue
            if not part:
                raise Lost("it ended")
            parts += part
        return parts


class _Deadline:
    """Two clocks: the wall's, and the worker's processor time, which is looked at only once a call takes long."""

    def __init__(self, used: Callable[[], float], cpu: float, wall: float) -> None:
        self.used = used
        self.cpu = cpu
        self.begin = time.monotonic()
        self.wall = wall
        self.at_first: float | None = None

    def next_wait(self) -> float:
        """Milliseconds to wait; raises `Late` when there is no time left."""
        gone = time.monotonic() - self.begin
        if gone > TICK:
            now = self.used()
            self.at_first = now if self.at_first is None else self.at_first
            if now - self.at_first > self.cpu:
                raise Late
        if gone > self.wall:
            raise Late
        return 1000 * min(self.wall - gone, TICK) + 1


def _pid_of(pidfd: int) -> int:
    with open(f"/proc/self/fdinfo/{pidfd}", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pid:"))
