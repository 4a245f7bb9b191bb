"""`litebert trace`: the first step at which the learner's run and the reference's part."""

import random
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from checks.curriculum import BY_NAME, ROOT
from checks.judge.expect import show
from checks.judge.naming import Probe, agree
from checks.subject.errors import Interruption, Raised, ToDo
from checks.subject.inprocess import InProcess
from checks.subject.subject import Subject
from checks.workbench.memory import folder_of
from checks.workbench.steps import Step, recorded


@dataclass
class Trace:
    """What a probe showed: the first step that differs, or the steps that agree, or how the learner's run ended."""

    exercise: str
    steps: int
    agree: bool = True
    mine: Step | None = None
    right: Step | None = None
    ended: str = ""
    to_do: bool = False


def trace(lesson: str, subject: str) -> list[Trace]:
    """One trace for each exercise of the lesson, in the order of its probes."""
    found: dict[str, Trace] = {}
    for probe in import_module(f"checks.oracles.{lesson}").PROBES:
        earlier = found.get(probe.exercise)
        if earlier is None or earlier.agree:
            new = trace_probe(lesson, subject, probe)
            if earlier is None or not new.agree or new.steps > earlier.steps:
                found[probe.exercise] = new
    return list(found.values())


def trace_probe(lesson: str, subject: str, probe: Probe) -> Trace:
    """Run one probe on both and compare. Where the probe itself is content, other steps are no fault."""
    mine, ended, value = run(lesson, folder_of(subject), probe)
    if isinstance(ended, ToDo):
        return Trace(probe.exercise, 0, agree=False, ended=str(ended), to_do=True)
    if ended is None and probe.agree(value, probe.oracle(probe.case)):
        return Trace(probe.exercise, len(mine))
    right = run(lesson, ROOT / "solutions", probe)[0]
    by_name = {(step.name, step.count): step for step in mine}
    common = 0
    for step in right:
        other = by_name.get((step.name, step.count))
        if other is None:
            continue
        if not alike(other.output, step.output):
            return Trace(probe.exercise, common, agree=False, mine=other, right=step)
        common += 1
    text = "" if ended is None else str(ended).replace(f"{ROOT}/", "")
    return Trace(probe.exercise, common, agree=False, ended=text)


def run(lesson: str, root: Any, probe: Probe) -> tuple[list[Step], BaseException | None, Any]:
    """The steps of a probe on one subject, what ended it early, and its value."""
    transport = InProcess(root, lesson)
    same_randomness(BY_NAME[lesson].uses_torch)
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            with recorded(transport) as recorder:
                value, ended = None, None
                try:
                    value = probe.run(Subject(transport, lesson), probe.case)
                except (Raised, Interruption) as error:
                    ended = error
            return recorder.steps, ended, value
    except Interruption as error:  # the module itself cannot be loaded
        return [], error, None
    finally:
        transport.close()


def same_randomness(with_torch: bool) -> None:
    """Both runs start from equal global generators, so that dropout and initial weights are comparable."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  # judged code may use it, if wrongly
    if with_torch:
        import torch

        torch.manual_seed(0)


def alike(mine: Any, right: Any) -> bool:
    """Equal up to rounding; bool, integer and floating arrays are different kinds."""
    if isinstance(mine, np.ndarray) and isinstance(right, np.ndarray) and mine.dtype.kind == "f":
        same_shape = mine.shape == right.shape and right.dtype.kind == "f"
        return same_shape and bool(np.allclose(mine, right, rtol=1e-5, atol=1e-6, equal_nan=True))
    if isinstance(mine, list) and isinstance(right, list):
        return len(mine) == len(right) and all(map(alike, mine, right))
    if isinstance(mine, dict) and isinstance(right, dict):
        return list(mine) == list(right) and all(alike(mine[key], right[key]) for key in mine)
    return agree(mine, right)


def lines(found: Trace) -> list[str]:
    """What to tell of one trace."""
    if found.to_do:
        return [f"· {found.exercise}: still to do"]
    if found.mine and found.right:
        return _difference(found, found.mine, found.right)
    if found.ended:
        return [f"✗ {found.exercise}: {found.steps} steps agree, then {found.ended}"]
    if not found.agree:
        return [f"✗ {found.exercise}: all {found.steps} common steps agree, yet the result differs"]
    return [f"✓ {found.exercise}: {found.steps} steps, and the result is right"]


def _difference(found: Trace, mine: Step, right: Step) -> list[str]:
    number = f", call {right.count}" if right.count > 1 else ""
    head = f"✗ {found.exercise}: {found.steps} steps agree, the first that differs is {right.name}{number}"
    fed = (
        "are equal: look inside it"
        if alike(mine.inputs, right.inputs)
        else "differ already: look at what feeds it"
    )
    return [
        head,
        f"      its inputs {fed}",
        f"      reference  {describe(right.output)}",
        f"      yours      {describe(mine.output)}",
        *[f"      error      {text}" for text in [distance(mine.output, right.output)] if text],
    ]


def describe(value: Any) -> str:
    """Kind, shape and first values."""
    if isinstance(value, np.ndarray):
        first = ", ".join(f"{entry:.4g}" for entry in value.reshape(-1)[:6])
        return f"{value.dtype} {list(value.shape)}: {first}{', ...' if value.size > 6 else ''}"
    return show(value, 110)


def distance(mine: Any, right: Any) -> str:
    """The largest difference of two arrays of one shape, and where; or that the shapes differ."""
    if not (isinstance(mine, np.ndarray) and isinstance(right, np.ndarray)):
        return ""
    if mine.shape != right.shape:
        return f"shape {list(mine.shape)} where {list(right.shape)} is expected"
    if not mine.size:
        return f"{mine.dtype} where {right.dtype} is expected"
    off = np.abs(mine.astype(float) - right.astype(float))
    off = np.where(np.isnan(off), np.inf, off)
    index = [int(i) for i in np.unravel_index(int(off.argmax()), off.shape)]
    wrong = int((~np.isclose(mine, right, rtol=1e-5, atol=1e-6, equal_nan=True)).sum())
    return f"{off.max():.3g} at {index}; {wrong} of {off.size} entries differ"
