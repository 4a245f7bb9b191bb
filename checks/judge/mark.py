"""The mark of a check: which exercise it judges, for how many points, and what it claims."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from checks.judge.shrinking import bound_shrinking

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Check:
    """What the plugin knows of a check; `claim` is the first line of its docstring, `why` the rest.

    `assembly` checks run the learner's own pieces together; they carry their points only if every lesson in
    `uses` is right.
    """

    name: str
    lesson: str
    exercise: str
    points: float
    bonus: bool
    assembly: bool
    uses: tuple[str, ...]
    claim: str
    why: str
    function: Callable[..., Any]


def check(
    exercise: str, *, points: float, bonus: bool = False, assembly: bool = False, uses: tuple[str, ...] = ()
) -> Callable[[Function], Function]:
    """Mark a test function of `checks/test_<lesson>.py` as a check of `exercise`, worth `points`.

    Put it above `@given`. The docstring's first line is the claim that a learner reads, as a full sentence; the
    rest says why it matters. The function takes `subject` (an assembly check: `assembly`, a `Subject` whose
    lessons are all the learner's).
    """

    def mark(function: Function) -> Function:
        bound_shrinking(function)
        claim, _, why = (inspect.getdoc(function) or "").partition("\n")
        assert claim, f"{function.__name__} has no docstring: a check states its claim"
        lesson = function.__module__.rpartition(".")[2].removeprefix("test_")
        function.litebert_check = Check(  # type: ignore[attr-defined]
            function.__name__, lesson, exercise, points, bonus, assembly, uses, claim, why.strip(), function
        )
        return function

    return mark


def checks_of(module: ModuleType) -> list[Check]:
    """The checks of a test module, in the order they are written."""
    return [thing.litebert_check for thing in vars(module).values() if hasattr(thing, "litebert_check")]
