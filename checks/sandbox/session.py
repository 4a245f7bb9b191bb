"""One worker with its lessons loaded: questions by number, answers read with distrust."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from checks.sandbox import forms, wire
from checks.sandbox.channel import Channel, End, Late, Lost

# The worker's own watch interrupts judged code and says where it was; ours comes a little later.
GRACE = 0.5
SETUP_SECONDS = 30.0


class Session:
    """Asks one worker. `Lost` and `Late` come through as they are; after either the worker is of no more use."""

    def __init__(
        self, channel: Channel, files: Mapping[str, bytes], lesson: str, assembly: bool, call_wall: float
    ) -> None:
        self.channel = channel
        self.call_wall = call_wall
        texts = {name: np.frombuffer(text, np.uint8) for name, text in files.items()}
        kind, self.folder = self._exchange([texts, lesson, assembly], SETUP_SECONDS, SETUP_SECONDS)
        assert kind == "ready", kind

    def ask(
        self, operation: str, arguments: Sequence[Any], what: str, seconds: float, fresh: bool
    ) -> tuple[str, Any]:
        """The kind of answer and its value, checked to be what this operation can give."""
        request = [fresh, operation, list(arguments), what, seconds]
        kind, value = self._exchange(request, seconds + GRACE, seconds * self.call_wall + GRACE)
        if not forms.possible(operation, kind, value):
            raise Lost("it sent what the asked operation cannot give")
        return kind, value

    def end(self) -> End:
        """End the worker."""
        return self.channel.end()

    def _exchange(self, request: list, cpu: float, wall: float) -> tuple[str, Any]:
        nonce = secrets.randbits(63)
        answer = self.channel.exchange(wire.encode([nonce, *request]), cpu, wall)
        try:
            value = wire.decode(*answer)
        except wire.BadFrame as error:
            raise Lost(str(error)) from None
        if type(value) is not list or len(value) != 3 or type(value[1]) is not str:
            raise Lost("it sent no answer")
        if type(value[0]) is not int or value[0] != nonce:
            raise Lost("it answered another question")
        return value[1], value[2]


__all__ = ["Late", "Lost", "Session"]
