"""The sandboxed transport: what `Subject` sees of a worker. Deaths are remembered until the next check."""

import builtins
import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from checks.curriculum import BY_NAME
from checks.sandbox.channel import End, Late, Lost
from checks.sandbox.echo import repeats
from checks.sandbox.sandbox import Sandbox
from checks.sandbox.session import Session
from checks.sandbox.texts import texts
from checks.sandbox.worker import MINE, REFERENCE
from checks.subject import values
from checks.subject.errors import Broken, Hang, Interruption, Raised, ToDo, Unreachable
from checks.subject.inprocess import AFTER_A_HANG, _what

MOST_MESSAGE, MOST_KIND = 200, 60
PLACE = re.compile(r"/(mine|reference)/([a-z]+)\.py:(\d{1,6})\Z")


class SandboxTransport:
    """Executes requests against `root`'s lesson in a worker; a fresh one after any death."""

    def __init__(
        self, sandbox: Sandbox, root: Path, lesson: str, assembly: bool = False, hash_seed: int = 0
    ) -> None:
        self.sandbox = sandbox
        self.root = root
        self.lesson = lesson
        self.assembly = assembly
        self.hash_seed = hash_seed
        self.cpu = 0.0
        self.wall = 0.0
        self.deaths: list[str] = []
        self._session: Session | None = None
        self._folder = ""
        self._references: list[str] = []
        self._fresh = False
        self._dead: Interruption | None = None
        self._hung: set[str] = set()

    def execute(self, operation: str, arguments: Sequence[Any], seconds: float | None = None) -> Any:
        """The answer in normal form; `Unreachable` or `Hang` when there is none."""
        if self._dead is not None:
            raise self._dead
        plain = [values.normalise(argument) for argument in arguments]
        what = _what(operation, plain)
        limit = seconds or self.sandbox.limits.call_cpu
        if what in self._hung:
            limit = min(limit, AFTER_A_HANG)
        session = self._alive()
        begin = time.monotonic()
        try:
            kind, value = session.ask(operation, plain, what, limit, self._fresh)
        except Late:
            self._hung.add(what)
            self._lose(Hang(what, limit))
        except Lost as lost:
            self._lose(None, str(lost))
        finally:
            self.wall += time.monotonic() - begin
        self._fresh = False
        if kind == "value":
            return value
        self._raise(kind, value, what, limit)

    def forget(self) -> None:
        """Between checks: what is kept is dropped with the next request, a death is forgotten."""
        self._fresh = True
        self._dead = None

    def close(self) -> None:
        """End the worker."""
        if self._session:
            self._ended()

    def _alive(self) -> Session:
        limits = self.sandbox.limits
        if self.cpu > limits.lesson_cpu or self.wall > limits.lesson_wall:
            raise Unreachable(
                f"lesson {self.lesson} has used up its time: {self.wall:.0f} s for all its checks"
            )
        if self._session is None:
            files = texts(self.root, self.lesson, self.assembly, limits.source)
            self._references = [
                text.decode("utf-8", "replace") for name, text in files.items() if name.startswith(REFERENCE)
            ]
            self._session = self.sandbox.session(files, self.lesson, self.assembly, self.hash_seed)
            self._folder = self._session.folder
            self._fresh = False
        return self._session

    def _lose(self, hang: Hang | None, why: str = "") -> NoReturn:
        end = self._ended()
        self._dead = hang or Unreachable(f"your code cannot be reached any more: {_cause(end, why)}")
        self.deaths.append(str(self._dead))
        raise self._dead from None

    def _ended(self) -> End:
        assert self._session
        end = self._session.end()
        self._session = None
        self.cpu += end.cpu
        return end

    def _raise(self, kind: str, value: list[str], what: str, limit: float) -> NoReturn:
        *told, place = value
        where = _where(place)
        match kind:
            case "to do":
                raise ToDo(self._clean(told[0]), where)
            case "broken":
                raise Broken(self._clean(told[0]), where)
            case "hang":
                self._hung.add(what)
                raise Hang(what, limit, where)
        name = told[0] if told[0].isidentifier() else "Exception"
        counts_as = told[2] if told[2] in vars(builtins) else ""
        raise Raised(name[:MOST_KIND], self._clean(told[1]), where, counts_as)

    def _clean(self, message: str) -> str:
        """200 printable characters, without the worker's folder names and without the reference's text."""
        if repeats(message[: 2 * MOST_MESSAGE], self._references):
            return "(withheld: the message repeats code of an earlier lesson's reference)"
        short = message[: 2 * MOST_MESSAGE].replace(f"{self._folder}/{MINE}/", "")
        return "".join(c if c.isprintable() else " " for c in short)[:MOST_MESSAGE]


def _where(place: str) -> str:
    """file:line of a lesson, or nothing: the worker's word is not repeated otherwise."""
    found = PLACE.search(place[-60:])
    if not found or found[2] not in BY_NAME:
        return ""
    folder = "" if found[1] == MINE else "reference/"
    return f"{folder}{found[2]}.py:{found[3]}"


def _cause(end: End, why: str) -> str:
    if why and not why.startswith("it ended"):
        return why
    if end.status & 0x7F:
        number = signal.Signals(end.status & 0x7F)
        return f"its process was ended by {number.name}"
    return f"it ended its process (exit code {end.status >> 8})"
