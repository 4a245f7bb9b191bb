"""Whether what a function gives shares memory with what it got: overwrite the one and look at the other."""

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from checks.subject.values import Ref, Seed, TorchSeed

if TYPE_CHECKING:
    from checks.subject.runtime import Runtime


def spoiled(run: "Runtime", function: str, args: list, kwargs: dict) -> list:
    """The result; then, with every list and array in it overwritten, the arguments and the result once more.

    Each part is filled with a number of its own (-1, -2, ...), so parts that share memory come back equal. The
    arguments that are handles or generators give None.
    """
    taken = [run.take(value) for value in args]
    result = run.attribute(function)(*taken, **{key: run.take(value) for key, value in kwargs.items()})
    given = run.give(result)
    for number, part in zip(count(-1, -1), _parts(result), strict=False):
        _fill(part, number)
    opaque = (Ref, Seed, TorchSeed)
    after = [
        None if isinstance(value, opaque) else run.give(now) for value, now in zip(args, taken, strict=True)
    ]
    return [given, after, run.give(result)]


def items_written_over(run: "Runtime", ref: Ref, indices: list) -> list:
    """`dataset[i]` for each i, after the arrays that it gave before were overwritten where they can be."""
    dataset = run.objects[ref.number]
    for part in _parts([dataset[index] for index in indices]):
        if not isinstance(part, np.ndarray) or part.flags.writeable:
            _fill(part, 0)
    return [run.give(dataset[index], "numpy") for index in indices]


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        if isinstance(value, list) and value and all(map(_is_scalar, value)):
            yield value
        for entry in value:
            yield from _parts(entry)
    elif isinstance(value, np.ndarray) or hasattr(value, "fill_"):
        yield value


def _is_scalar(value: Any) -> bool:
    return type(value) in (int, float, str) or isinstance(value, np.number)


def _fill(part: Any, number: int) -> None:
    if isinstance(part, list):
        part[:] = [number] * len(part)
    elif isinstance(part, np.ndarray):
        part[...] = number
    else:
        part.detach().fill_(number)


OPERATIONS = {"spoiled": spoiled, "items_written_over": items_written_over}
