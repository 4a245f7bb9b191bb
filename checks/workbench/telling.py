"""The lines of `litebert trace`: what was compared, and what differs first."""

from typing import Any

import numpy as np

from checks.judge.counted import counted
from checks.judge.expect import show
from checks.workbench.entries import Entry
from checks.workbench.steps import Step
from checks.workbench.tracing import Trace, alike


def lines(found: Trace) -> list[str]:
    """What to tell of one trace. A tick stands only where something was compared and no check fails."""
    name = found.exercise
    if found.to_do:
        return [f"· {name}: still to do"]
    if not found.probed and not found.failing:
        return [f"· {name}: not traced, there is no case for it: its checks judge it alone"]
    if found.failing:
        return [f"✗ {name}: {_but(found)} {_named(found.failing)}"]
    if found.mine and found.right:
        return _difference(found, found.mine, found.right)
    agree = f"{counted(found.steps, 'step')} agree" + ("s" if found.steps == 1 else "")
    if found.ended:
        return [f"✗ {name}: {agree}, then {found.ended}"]
    if found.entry:
        return _wrong_entry(found, found.entry)
    if not found.agree:
        return [f"✗ {name}: {agree}, yet the result differs"]
    return [f"✓ {name}: {_right(found)}"]


def _right(found: Trace) -> str:
    steps = f" ({counted(found.steps, 'step')})" if found.steps else ""
    if not found.chance:
        return f"the result is right{steps}"
    if not found.exact:
        return "random, so properties of many draws are compared, not the draws: these are right"
    return f"the result is right{steps}, and of what is random the properties of many draws"


def _but(found: Trace) -> str:
    if not found.probed:
        return "not traced, there is no case for it;"
    return "nothing differs in the cases traced here, but"


def _named(failing: tuple[str, ...]) -> str:
    first = failing[0].removeprefix("test_")
    fails = "fails" if len(failing) == 1 else "fail"
    return f"{counted(len(failing), 'check')} {fails}: see `litebert repro {first}`"


def _difference(found: Trace, mine: Step, right: Step) -> list[str]:
    number = f", call {right.count}" if right.count > 1 else ""
    agree = f"{counted(found.steps, 'step')} agree" + ("s" if found.steps == 1 else "")
    head = f"✗ {found.exercise}: {agree}, the first that differs is {right.name}{number}"
    fed = (
        "are equal: look inside it"
        if alike(mine.inputs, right.inputs)
        else "differ already: look at what feeds it"
    )
    part, got, want = inside(mine.output, right.output)
    return [
        head + (f", in its output {part}" if part else ""),
        f"      its inputs {fed}",
        f"      reference  {describe(want)}",
        f"      yours      {describe(got)}",
        *[f"      error      {text}" for text in [distance(got, want)] if text],
    ]


def inside(mine: Any, right: Any, path: str = "") -> tuple[str, Any, Any]:
    """The first part that differs of two values that are made of parts, and where it stands."""
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(mine, dict) and isinstance(right, dict) and list(mine) == list(right):
        pairs = [(f".{key}" if path else str(key), mine[key], right[key]) for key in mine]
    elif isinstance(mine, list) and isinstance(right, list) and len(mine) == len(right):
        pairs = [(f"[{i}]", one, other) for i, (one, other) in enumerate(zip(mine, right, strict=True))]
    for name, one, other in pairs:
        if not alike(one, other):
            return inside(one, other, path + name)
    return path, mine, right


def _wrong_entry(found: Trace, wrong: Entry) -> list[str]:
    how = "random, so properties of many draws are compared; " if found.chance else ""
    if not found.chance:
        how = f"{counted(found.steps, 'step')} agree" + ("s, " if found.steps == 1 else ", ")
    of = (
        counted(found.entries, "property", "properties") if found.chance else f"{found.entries} of the result"
    )
    return [
        f"✗ {found.exercise}: {how}the first of {of} that differs is {wrong.name!r}",
        f"      expected   {describe(wrong.want)}",
        f"      yours      {describe(wrong.got)}",
        *[f"      error      {text}" for text in [distance(wrong.got, wrong.want)] if text],
    ]


def describe(value: Any) -> str:
    """Kind, shape and first values; [how often, of how many] as such."""
    if isinstance(value, np.ndarray):
        first = ", ".join(f"{entry:.4g}" for entry in value.reshape(-1)[:6])
        return f"{value.dtype} {list(value.shape)}: {first}{', ...' if value.size > 6 else ''}"
    if type(value) is float:
        return f"{value:.4g}"
    return " ".join(show(value, 110).split())


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
    return f"{off.max():.3g} at {index}; {wrong} of {counted(off.size, 'entry', 'entries')} differ"
