"""Naming the mistake: the known mistakes are options of the oracle.

When a check fails, the learner's results for a fixed probe (chosen to separate the known mistakes) and for
the failing case itself are compared with what the oracle gives under each option. Where both agree on one,
that is the mistake, and the message leads with it.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from checks.judge.expect import same
from checks.subject.subject import Subject


def agree(got: Any, want: Any) -> bool:
    """Equal values; floating arrays and numbers within 1e-7, and NaN is NaN."""
    if (
        isinstance(got, np.ndarray)
        and isinstance(want, np.ndarray)
        and got.dtype.kind == want.dtype.kind == "f"
    ):
        return got.shape == want.shape and np.allclose(got, want, rtol=1e-7, atol=1e-7, equal_nan=True)
    if type(got) is float and type(want) is float:
        return bool(np.isclose(got, want, rtol=1e-7, atol=1e-7, equal_nan=True))
    if isinstance(got, list) and isinstance(want, list):
        return len(got) == len(want) and all(agree(a, b) for a, b in zip(got, want, strict=True))
    if isinstance(got, tuple) and isinstance(want, tuple):
        return type(got) is type(want) and all(agree(a, b) for a, b in zip(got, want, strict=True))
    if isinstance(got, dict) and isinstance(want, dict):
        return list(got) == list(want) and all(agree(got[key], want[key]) for key in got)
    return same(got, want)


@dataclass(frozen=True)
class Mistake:
    """A known mistake of one exercise: what the oracle's `options` compute.

    `says` completes "this is what you get when ..."; `hint` is a step towards the cure, not the line itself.
    """

    id: str
    exercise: str
    says: str
    hint: str
    options: dict[str, Any]
    page: str = "common-mistakes"


@dataclass(frozen=True)
class Probe:
    """How an exercise is run on a case, and what the oracle says of the case.

    `run(subject, case)` reaches the judged code, `oracle(case, **options)` does not; both give a value in normal
    form (statistics of many draws for a random function). A check that calls `probe(subject, case)` lets its own
    failing case take part in naming.
    """

    exercise: str
    case: Any
    run: Callable[[Subject, Any], Any]
    oracle: Callable[..., Any]
    agree: Callable[[Any, Any], bool] = field(default=agree)

    def __call__(self, subject: Subject, case: Any) -> Any:
        """Run, and remember the case."""
        subject.last_case = (self, case, None)
        got = self.run(subject, case)
        subject.last_case = (self, case, got)
        return got


def named_mistake(
    subject: Subject,
    exercise: str,
    probes: Iterable[Probe],
    mistakes: Iterable[Mistake],
    last_case: Any = None,
) -> Mistake | None:
    """The one known mistake that gives this subject's results, or None."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        return _named(subject, exercise, probes, mistakes, last_case)


def _named(
    subject: Subject, exercise: str, probes: Iterable[Probe], mistakes: Iterable[Mistake], last_case: Any
) -> Mistake | None:
    key = f"naming {exercise}"
    if key not in subject.cache:  # one answer for all the checks of an exercise
        subject.cache[key] = []
        subject.cache[key] = _fitting_each(subject, exercise, probes, mistakes)
    for fitting in subject.cache[key]:
        if last_case is not None and last_case[0].exercise == exercise and last_case[2] is not None:
            asked, case, seen = last_case
            fitting = [m for m in fitting if _fits(asked, case, seen, m)]
        if fitting:
            return fitting[0]
    return None


def _fitting_each(
    subject: Subject, exercise: str, probes: Iterable[Probe], mistakes: Iterable[Mistake]
) -> list[list[Mistake]]:
    """For each probe of the exercise that shows a mistake, the mistakes that it may be: no probe speaks against."""
    asked = [probe for probe in probes if probe.exercise == exercise]
    results = [(probe, got) for probe in asked if (got := _outcome(probe, subject)) is not _NOTHING]
    wrong = [i for i, (probe, got) in enumerate(results) if not _agrees(probe, probe.case, got, {})]
    if not wrong:
        return []
    candidates = [mistake for mistake in mistakes if mistake.exercise == exercise]
    said = [[_agrees(probe, probe.case, got, m.options) for probe, got in results] for m in candidates]
    return [
        [m for m, says in zip(candidates, said, strict=True) if says[i] and False not in says] for i in wrong
    ]


_NOTHING = object()


def _outcome(probe: Probe, subject: Subject) -> Any:
    """What the judged code gives for the probe's case; nothing where it raises, or gives what `run` cannot read."""
    try:
        return probe.run(subject, probe.case)
    except Exception:
        return _NOTHING


def _fits(probe: Probe, case: Any, got: Any, mistake: Mistake) -> bool:
    return _agrees(probe, case, got, mistake.options) is True


def _agrees(probe: Probe, case: Any, got: Any, options: dict[str, Any]) -> bool | None:
    """Whether this is what the options give; None where they are not the probe's, or make no sense."""
    try:
        return bool(probe.agree(got, probe.oracle(case, **options)))
    except Exception:
        return None
