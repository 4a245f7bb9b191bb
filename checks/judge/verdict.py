"""From what a check raised to a verdict: a state and a message that teaches.

States: `done`, `wrong`, `to do` (a stub), `waiting` (an assembly check whose other lessons are not right yet).
"""

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checks.curriculum import BY_NAME, ROOT
from checks.judge.expect import Wrong, show
from checks.judge.mark import Check
from checks.judge.naming import Mistake, named_mistake
from checks.judge.shrinking import SmallestSoFar
from checks.subject import Broken, Hang, Raised, Subject, ToDo
from checks.subject.errors import Interruption
from checks.subject.subject import Call


@dataclass
class Verdict:
    """How one check ended. `lines` is the message, `where` the learner's file:line if one is known."""

    check: Check
    state: str
    lines: list[str] = field(default_factory=list)
    where: str = ""
    mistake: Mistake | None = None
    seconds: float = 0.0

    @property
    def points(self) -> float:
        """Points earned."""
        return self.check.points if self.state == "done" else 0.0


def verdict_of(check: Check, subject: Subject, error: BaseException | None) -> Verdict | None:
    """The verdict on a check that ended with `error`; None when the check itself is at fault."""
    last_call, last_case = subject.last_call, subject.last_case
    if isinstance(error, SmallestSoFar):
        last_call, last_case, error = error.last_call, error.last_case, error.failure
    match error:
        case None:
            return Verdict(check, "done")
        case ToDo():
            return _to_do(check, error)
        case Broken() | Hang():
            lines = [str(error).replace(f"{ROOT}/", "")]
            if isinstance(error, Hang):
                lines += [f"called    {_call_text(last_call)}"] if last_call else []
                lines.append(f"check     {check.name}")
            return _blamed(check, Verdict(check, "wrong", lines, relative(error.where)))
        case Wrong() | Raised():
            return _blamed(check, _wrong(check, subject, error, last_call, last_case))
        case Interruption():
            return _blamed(check, Verdict(check, "wrong", [str(error)]))
    return None


def _to_do(check: Check, error: ToDo) -> Verdict:
    where = relative(error.where)
    other = Path(where.partition(":")[0]).stem
    state = "waiting" if check.assembly and other != check.lesson else "to do"
    return Verdict(check, state, [str(error)], where)


def _blamed(check: Check, verdict: Verdict) -> Verdict:
    """An assembly check's fault lies in one of the lessons it puts together: it waits for them."""
    if check.assembly:
        verdict.state = "waiting"
        verdict.lines.insert(0, f"put together from your own {', '.join((*check.uses, check.lesson))}")
    return verdict


def _wrong(check: Check, subject: Subject, error: Wrong | Raised, call: Call | None, case: Any) -> Verdict:
    mistake = None if check.assembly else _name(check, subject, case)
    lines = []
    if mistake:
        lines += [f"likely    this is what you get when {mistake.says}", f"hint      {mistake.hint}"]
    if call:
        lines.append(f"called    {_call_text(call)}")
    if isinstance(error, Wrong):
        got = error.got.replace(f"{ROOT}/", "")
        lines += [f"expected  {error.expected}", f"got       {got}", f"because   {error.because}"]
        where = ""
    else:
        lines += ["expected  a result", f"got       {str(error).replace(str(ROOT) + '/', '')}"]
        where = relative(error.where)
    anchor = f"#{mistake.page}" if mistake else ""
    lines.append(f"read      {BY_NAME[check.lesson].page}{anchor}")
    return Verdict(check, "wrong", lines, where, mistake)


def _name(check: Check, subject: Subject, case: Any) -> Mistake | None:
    oracle = importlib.import_module(f"checks.oracles.{check.lesson}")
    try:
        return named_mistake(subject, check.exercise, oracle.PROBES, oracle.MISTAKES, case)
    except Interruption:
        return None


def _call_text(call: Call) -> str:
    parts = [show(argument, 100) for argument in call.args]
    parts += [f"{name}={show(value, 60)}" for name, value in call.kwargs.items()]
    name, _, rest = call.function.partition("(...)")
    return f"{name}({', '.join(parts)}){rest}"


def relative(where: str) -> str:
    """file:line from the project's root, where it lies there."""
    return where.removeprefix(f"{ROOT}/")
