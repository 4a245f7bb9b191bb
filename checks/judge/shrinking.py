"""A bound on Hypothesis' shrinking: feedback in seconds matters more than the smallest case of all."""

import functools
import time
from collections.abc import Callable
from typing import Any

SECONDS_AFTER_THE_FIRST_FAILURE = 0.4
CALLS_AFTER_THE_FIRST_FAILURE = 150


class SmallestSoFar(BaseException):
    """Carries the failure of the smallest case found within the bound past Hypothesis."""

    def __init__(self, failure: Exception, last_call: Any, last_case: Any) -> None:
        super().__init__(failure)
        self.failure = failure
        self.last_call = last_call
        self.last_case = last_case


def bound_shrinking(function: Callable[..., Any]) -> None:
    """Stop a `@given` test's search soon after its first failure, with the last case that failed.

    Hypothesis keeps a smaller case whenever it fails too, so the last failing call is the smallest so far.
    """
    given = getattr(function, "hypothesis", None)
    if given is None:
        return
    inner = given.inner_test
    state: dict[str, Any] = {}

    @functools.wraps(inner)
    def bounded(*args: Any, **kwargs: Any) -> None:
        subject: Any = kwargs.get("subject") or kwargs.get("assembly")
        if state.get("run") != (id(subject), subject.runs):
            state.clear()
            state["run"] = (id(subject), subject.runs)
        if "last" in state and _spent(state):
            raise state["last"]
        state["calls"] = state.get("calls", 0) + 1
        try:
            inner(*args, **kwargs)
        except Exception as failure:
            if type(failure).__module__.startswith("hypothesis"):
                raise
            if "last" not in state:
                state.update(first=time.perf_counter(), calls=0)
            state["last"] = SmallestSoFar(failure, subject.last_call, subject.last_case)
            raise

    given.inner_test = bounded


def _spent(state: dict[str, Any]) -> bool:
    late = time.perf_counter() - state["first"] > SECONDS_AFTER_THE_FIRST_FAILURE
    return late or state["calls"] > CALLS_AFTER_THE_FIRST_FAILURE
