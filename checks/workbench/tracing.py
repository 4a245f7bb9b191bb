"""`litebert trace`: the first step at which the learner's run and the reference's part.

Each exercise's probes are run on both. Steps are compared by value where nothing random came before them or where
their inputs are equal; of a random function the properties of many draws are compared, not the draws.
"""

import random
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from checks.curriculum import BY_NAME, ROOT
from checks.judge.naming import Probe, agree
from checks.subject.errors import Interruption, Raised, ToDo
from checks.subject.inprocess import InProcess
from checks.subject.subject import Subject
from checks.workbench.entries import Entry, wrong_entries
from checks.workbench.memory import folder_of
from checks.workbench.steps import Step, recorded


@dataclass
class Trace:
    """What a probe showed: the first step or entry that differs, or that all agree, or how the learner's run ended.

    `steps` agree with the reference's, or were made where the result is right. `chance`: random draws took part,
    and `exact`: in some case none did.
    `probed` is False where the exercise has no probe; `failing` names its checks that fail although nothing differs.
    """

    exercise: str
    steps: int
    agree: bool = True
    chance: bool = False
    exact: bool = False
    mine: Step | None = None
    right: Step | None = None
    entry: Entry | None = None
    entries: int = 0
    ended: str = ""
    to_do: bool = False
    probed: bool = True
    failing: tuple[str, ...] = ()


@dataclass
class Run:
    """A probe on one subject: its steps, what ended it early, its value, and whether anything was drawn."""

    steps: list[Step]
    ended: BaseException | None
    value: Any
    chance: bool


def trace(lesson: str, subject: str) -> list[Trace]:
    """One trace for each exercise of the lesson, in the order of the lesson."""
    found: dict[str, Trace] = {}
    for probe in import_module(f"checks.oracles.{lesson}").PROBES:
        earlier = found.get(probe.exercise)
        if earlier is None or earlier.agree:
            new = trace_probe(lesson, subject, probe)
            found[probe.exercise] = both(earlier, new) if earlier and new.agree else new
    unprobed = (Trace(name, 0, agree=False, probed=False) for name in BY_NAME[lesson].exercises)
    return [found.get(empty.exercise, empty) for empty in unprobed]


def both(one: Trace, other: Trace) -> Trace:
    """Two probes of an exercise that agree, as one trace."""
    steps = max(one.steps, other.steps)
    return Trace(one.exercise, steps, chance=one.chance or other.chance, exact=one.exact or other.exact)


def doubt(found: list[Trace], verdicts: dict[str, dict[str, Any]]) -> None:
    """A probe is a few cases: where checks of the exercise fail, agreement on them is no proof."""
    for entry in found:
        if entry.agree or not entry.probed:
            wrong = {n: v for n, v in verdicts.items() if v["exercise"] == entry.exercise}
            entry.failing = tuple(name for name, verdict in wrong.items() if verdict["state"] == "wrong")
            entry.agree = entry.agree and not entry.failing
            entry.to_do = any(verdict["state"] == "to do" for verdict in wrong.values())


def trace_probe(lesson: str, subject: str, probe: Probe) -> Trace:
    """Run one probe on both and compare. Where the probe itself is content, other steps are no fault."""
    mine = run(lesson, folder_of(subject), probe)
    if isinstance(mine.ended, ToDo):
        return Trace(probe.exercise, 0, agree=False, ended=str(mine.ended), to_do=True)
    wanted = probe.oracle(probe.case)
    if mine.ended is None and probe.agree(mine.value, wanted):
        steps = 0 if mine.chance else len(mine.steps)
        return Trace(probe.exercise, steps, chance=mine.chance, exact=not mine.chance)
    common, pair = first_difference(mine.steps, run(lesson, ROOT / "solutions", probe).steps)
    found = Trace(probe.exercise, common, agree=False, chance=mine.chance)
    if pair:
        found.mine, found.right = pair
    elif mine.ended is not None:
        found.ended = str(mine.ended).replace(f"{ROOT}/", "")
    else:
        wrong, found.entries = wrong_entries(probe, mine.value, wanted)
        found.entry = wrong[0] if wrong else None
    return found


def first_difference(mine: list[Step], right: list[Step]) -> tuple[int, tuple[Step, Step] | None]:
    """How many steps agree before the first that differs, and that one on both sides.

    What draws differs by right, and so does what is fed by it: after the first draw only steps with equal inputs count.
    """
    by_name = {(step.name, step.count): step for step in mine}
    common, drawn = 0, False
    for step in right:
        other = by_name.get((step.name, step.count))
        if step.draws or (other and other.draws):
            drawn = True
        elif other and not alike(other.output, step.output):
            if not drawn or alike(other.inputs, step.inputs):
                return common, (other, step)
        elif other:
            common += 1
    return common, None


def run(lesson: str, root: Any, probe: Probe) -> Run:
    """A probe on one subject."""
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
            return Run(recorder.steps, ended, value, recorder.drew)
    except Interruption as error:  # the module itself cannot be loaded
        return Run([], error, None, False)
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
