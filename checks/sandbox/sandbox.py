"""The sandbox: zygotes by kind, started when first needed, tested by attacks before they are trusted."""

import atexit
import contextlib
import copy
import json
import os
import select
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from checks.curriculum import BY_NAME, ROOT
from checks.sandbox import canaries, launch
from checks.sandbox.channel import Channel, Late, Lost
from checks.sandbox.launch import Refused
from checks.sandbox.limits import Limits
from checks.sandbox.session import Session
from checks.sandbox.worker import MINE

START_SECONDS, FORK_SECONDS = 60.0, 20.0
LEVELS = ("bwrap", "uid")


class _Zygote(NamedTuple):
    process: subprocess.Popen[bytes]
    control: socket.socket
    owner: int


class Sandbox:
    """Gives workers. `level` is "bwrap" (namespaces) or "uid" (another user: for containers).

    Zygotes are shared by the processes that a host forks; every worker talks to its own host over its own pipes.
    `accepted` names canaries (see `canaries`) whose success does not lead to a refusal: a known gap, said aloud.
    """

    def __init__(
        self, level: str = "bwrap", limits: Limits | None = None, accepted: frozenset[str] = frozenset()
    ) -> None:
        if level not in LEVELS:
            raise ValueError(f"level: got {level!r}, expected one of {', '.join(LEVELS)}")
        self.level = level
        self.limits = limits or Limits()
        self.accepted = accepted | canaries.KNOWN_GAPS[level]
        self._zygotes: dict[tuple[str, int], _Zygote] = {}
        atexit.register(self.close)

    def session(
        self, files: Mapping[str, bytes], lesson: str, assembly: bool = False, hash_seed: int = 0
    ) -> Session:
        """A fresh worker with these texts; `Refused` when there is none to be had safely."""
        kind = "torch" if BY_NAME[lesson].uses_torch else "text"
        self.prove(kind, hash_seed)
        try:
            return self._session(self._zygotes[kind, hash_seed], files, lesson, assembly)
        except ConnectionError:  # the zygote is gone, for want of memory perhaps
            self._end(self._zygotes.pop((kind, hash_seed)))
            self.prove(kind, hash_seed)
            return self._session(self._zygotes[kind, hash_seed], files, lesson, assembly)

    def prove(self, kind: str, hash_seed: int = 0) -> None:
        """Start the zygote of a kind ("text", "torch") if need be, and attack it; `Refused` if it does not hold."""
        if (kind, hash_seed) not in self._zygotes:
            self._zygotes[kind, hash_seed] = self._started(kind, hash_seed)
            self._attack(kind, hash_seed)

    def limited(self, limits: Limits) -> "Sandbox":
        """The same zygotes under other limits."""
        other = copy.copy(self)
        other.limits = limits
        return other

    def close(self) -> None:
        """End the zygotes, and with them every worker."""
        atexit.unregister(self.close)
        while self._zygotes:
            self._end(self._zygotes.popitem()[1])

    def _end(self, zygote: _Zygote) -> None:
        zygote.control.close()
        if zygote.owner != os.getpid():
            return  # it serves the process that started it
        with contextlib.suppress(subprocess.TimeoutExpired):
            zygote.process.wait(10)
        zygote.process.kill()
        zygote.process.wait()
        assert zygote.process.stderr
        zygote.process.stderr.close()

    def _started(self, kind: str, hash_seed: int) -> _Zygote:
        process, control = launch.start(self.level, kind, hash_seed)
        control.settimeout(START_SECONDS)
        try:
            ready = control.recv(16) == b"ready"
        except OSError:
            ready = False
        if ready:
            control.settimeout(None)
            return _Zygote(process, control, os.getpid())
        control.close()
        process.kill()
        told = process.communicate()[1].decode("utf-8", "replace").strip()
        raise Refused(
            f"the sandbox ({self.level}) cannot be started: {told[-500:] or 'no answer'}{_advice(told)}"
        )

    def _session(self, zygote: _Zygote, files: Mapping[str, bytes], lesson: str, assembly: bool) -> Session:
        channel = self._forked(zygote.control)
        try:
            return Session(channel, files, lesson, assembly, self.limits.call_wall)
        except (Lost, Late) as error:
            told = channel.talk.recv(600) if channel.talk.fileno() >= 0 and _readable(channel.talk) else b""
            channel.end()
            raise Refused(f"a worker could not be made: {told.decode('utf-8', 'replace') or error}") from None

    def _forked(self, control: socket.socket) -> Channel:
        request, to_worker = os.pipe()
        from_worker, reply = os.pipe()
        talk, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with contextlib.ExitStack() as stack:
            stack.callback(theirs.close)
            for descriptor in (request, reply):
                stack.callback(os.close, descriptor)
            job = json.dumps(self.limits.plain()).encode()
            socket.send_fds(control, [job], [request, reply, theirs.fileno()])
        talk.settimeout(FORK_SECONDS)
        try:
            message, descriptors, _, _ = socket.recv_fds(talk, 600, 1)
        except OSError:
            message, descriptors = b"", []
        if message != b"worker" or len(descriptors) != 1:
            for descriptor in (to_worker, from_worker):
                os.close(descriptor)
            talk.close()
            told = message.decode("utf-8", "replace").removeprefix("refused ")
            raise Refused(f"the sandbox gives no worker: {told or 'no answer'}")
        return Channel(to_worker, from_worker, talk, descriptors[0])

    def _attack(self, kind: str, hash_seed: int) -> None:
        """Attack it; `Refused` names what succeeded."""
        with tempfile.NamedTemporaryFile("w", prefix="litebert-secret-") as file:
            file.write("secret")
            file.flush()
            source = {f"{MINE}/vocab.py": canaries.SOURCE.encode()}
            session = self._session(self._zygotes[kind, hash_seed], source, "vocab", False)
            try:
                arguments = ["attempts", [file.name, [str(ROOT)]], {}]
                kind_of_answer, value = session.ask("call", arguments, "attempts", 20.0, False)
            except (Lost, Late) as error:
                raise Refused(f"the self-test of the sandbox did not end: {error}") from None
            finally:
                session.end()
        succeeded = ["run the self-test"] if kind_of_answer != "value" else value
        bad = [name for name in succeeded if name not in self.accepted]
        if bad:
            self.close()
            told = "; ".join(f"{name} ({canaries.MEANING.get(name, value)})" for name in bad)
            raise Refused(f"this sandbox ({self.level}) does not hold on this machine. Succeeded: {told}")


def _readable(talk: socket.socket) -> bool:
    return bool(select.select([talk], [], [], 0.5)[0])


def _advice(told: str) -> str:
    if "uid map" in told or "ermission" in told or "namespace" in told or "not permitted" in told:
        return (
            "\nUser namespaces are closed here, as in Docker containers and on Ubuntu 24.04. On your own machine: "
            "an AppArmor profile with `userns` for bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0. "
            "In a container that you trust to be one: the level uid."
        )
    return ""


_shared: dict[str, Sandbox] = {}


def shared(level: str) -> Sandbox:
    """This process's sandbox of a level."""
    if level not in _shared:
        _shared[level] = Sandbox(level)
    return _shared[level]
