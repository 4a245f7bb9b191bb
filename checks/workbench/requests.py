"""The requests that a check makes of the judged code, written down, and those that its failing call needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from checks.judge.mark import Check
from checks.judge.runner import run_check
from checks.judge.verdict import Verdict
from checks.subject import Ref, Subject, values
from checks.subject.locate import open_subject
from checks.subject.subject import Call, Transport

CHANGES = frozenset({"load", "change", "change_part", "set_epoch", "step", "leave_gradients", "call"})


@dataclass
class Request:
    """One request in normal form, the call it served, and what came."""

    operation: str
    arguments: list[Any]
    call: Call | None
    result: Any = None


class Recorder:
    """A transport that writes down what passes through it."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.requests: list[Request] = []
        self.subject: Subject | None = None

    def execute(self, operation: str, arguments: Sequence[Any], *seconds: float) -> Any:
        """Hand on, and remember."""
        assert self.subject is not None
        plain = [values.normalise(argument) for argument in arguments]
        request = Request(operation, plain, self.subject.last_call)
        self.requests.append(request)
        request.result = self.inner.execute(operation, plain, *seconds)
        return request.result

    def forget(self) -> None:
        """Another check begins."""
        self.requests.clear()
        self.inner.forget()

    def close(self) -> None:
        """Done."""
        self.inner.close()


@dataclass
class Failure:
    """A failing check's verdict and the requests of its smallest case; the last one is what failed."""

    verdict: Verdict
    requests: list[Request]


def failure_of(check: Check, subject: str) -> Failure:
    """Run a check; its requests are empty where it passes, is still to do, or failed before any call."""
    under_check = open_subject(subject, check.lesson, assembly=check.assembly)
    recorder = Recorder(under_check.transport)
    recorder.subject, under_check.transport = under_check, recorder
    failing: list[Call] = []

    def noted(**arguments: Any) -> None:
        try:
            check.function(**arguments)
        except BaseException as error:
            call = getattr(error, "last_call", under_check.last_call)
            failing.extend([call] if call else [])
            raise

    try:
        verdict = run_check(_with(check, noted), under_check)
        wanted = needed(recorder.requests, failing[0]) if failing and verdict.state != "to do" else []
    finally:
        under_check.close()
    return Failure(verdict, wanted)


def _with(check: Check, function: Any) -> Check:
    from dataclasses import replace

    return replace(check, function=function)


def needed(requests: list[Request], failing: Call) -> list[Request]:
    """The last request of the failing call, and before it those that made or changed what it works on."""
    last = _last_of(requests, failing)
    if last is None:
        return []
    chosen = [requests[last]]
    refs = references(chosen[0].arguments)
    for request in reversed(requests[:last]):
        made = references(request.result)
        on = references(request.arguments)
        if made & refs or (request.operation in CHANGES and on & refs):
            chosen.insert(0, request)
            refs |= on
    return chosen


def _last_of(requests: list[Request], failing: Call) -> int | None:
    """Where the call's last request stands: those that follow the first and work on the same things belong to it."""
    # A call is told by its dictionary of arguments, which `Subject.record` makes anew for each.
    of_call = [i for i, r in enumerate(requests) if r.call is not None and r.call.kwargs is failing.kwargs]
    if not of_call:  # recorded after the fact: the call before is meant
        return len(requests) - 1 if requests else None
    last = of_call[0]
    refs = references(requests[last].arguments) | references(requests[last].result)
    for index in of_call[1:]:
        is_second_draw = requests[index].operation == requests[last].operation == "draws_around"
        if index != last + 1 or not (references(requests[index].arguments) & refs or is_second_draw):
            break
        last = index
        refs |= references(requests[index].result)
    return last


def references(value: Any) -> set[int]:
    """The numbers of the kept things that a value mentions."""
    if isinstance(value, Ref):
        return {value.number}
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return {number for entry in value for number in references(entry)}
    return set()
