"""Operations on functions: call, keep the result, gradients, resident arguments, global randomness."""

import importlib
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from checks.subject.runtime import global_draws
from checks.subject.values import Ref

if TYPE_CHECKING:
    from checks.subject.runtime import Runtime


def call(run: "Runtime", function: str, args: list, kwargs: dict) -> Any:
    """The result of a call."""
    taken = {key: run.take(value) for key, value in kwargs.items()}
    return run.give(run.attribute(function)(*[run.take(value) for value in args], **taken))


def call_without(run: "Runtime", forbidden: list, function: str, args: list, kwargs: dict) -> Any:
    """The result of a call during which each dotted name in `forbidden` (module.attribute) raises."""
    with ExitStack() as stack:
        for dotted in forbidden:
            module, _, name = dotted.rpartition(".")
            stack.enter_context(patch.object(importlib.import_module(module), name, _refusal(name)))
        return call(run, function, args, kwargs)


def call_in(run: "Runtime", dtype: str, function: str, args: list, kwargs: dict) -> Any:
    """The result of a call whose floating-point arrays arrive as torch's `dtype`, such as "bfloat16"."""
    torch = importlib.import_module("torch")
    taken = [run.take(value) for value in args]
    cast = [v.to(getattr(torch, dtype)) if torch.is_tensor(v) and v.is_floating_point() else v for v in taken]
    return run.give(run.attribute(function)(*cast, **{key: run.take(value) for key, value in kwargs.items()}))


def call_streamed(run: "Runtime", function: str, entries: list, args: list, kwargs: dict) -> Any:
    """The result of a call whose first argument is a generator of `entries`: it can be gone through once."""
    taken = {key: run.take(value) for key, value in kwargs.items()}
    stream = (run.take(entry) for entry in entries)
    return run.give(run.attribute(function)(stream, *[run.take(value) for value in args], **taken))


def call_transposed(run: "Runtime", function: str, args: list, kwargs: dict) -> Any:
    """The result of a call whose arrays lie in memory column by column, as the transpose of an array does."""
    taken = [run.take(value) for value in args]
    turned = [np.asfortranarray(value) if isinstance(value, np.ndarray) else value for value in taken]
    return run.give(
        run.attribute(function)(*turned, **{key: run.take(value) for key, value in kwargs.items()})
    )


def call_each(run: "Runtime", function: str, calls: list, kwargs: dict) -> list:
    """The results of many small calls, one for each list of positional arguments."""
    target = run.attribute(function)
    taken = {key: run.take(value) for key, value in kwargs.items()}
    return [run.give(target(*[run.take(value) for value in args], **taken)) for args in calls]


def _refusal(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise PermissionError(f"{name} does the exercise for you: the lesson's text does not allow it here")

    return refuse


def keep(run: "Runtime", function: str, args: list, kwargs: dict) -> Ref:
    """Call, and keep what comes (a model, a dataset) next to the judged code."""
    taken_kwargs = {key: run.take(value) for key, value in kwargs.items()}
    return run.keep(run.attribute(function)(*[run.take(value) for value in args], **taken_kwargs))


def gradients(
    run: "Runtime", function: str, args: list, kwargs: dict, wrt: list, cotangent: np.ndarray
) -> list:
    """The result and the gradients of sum(result * cotangent) by the positional arguments in `wrt`."""
    taken = [run.take(value) for value in args]
    for index in wrt:
        taken[index].requires_grad_(True)
    result = run.attribute(function)(*taken, **{key: run.take(value) for key, value in kwargs.items()})
    (result * run.take(cotangent)).sum().backward()
    return [run.give(result.detach()), [_gradient(run, taken[index]) for index in wrt]]


def put(run: "Runtime", value: Any) -> Ref:
    """Keep a value next to the judged code, to be used in several calls."""
    return run.keep(run.take(value))


def get(run: "Runtime", ref: Ref) -> Any:
    """A kept value as it is now."""
    return run.give(run.objects[ref.number])


def drop(run: "Runtime", numbers: list) -> None:
    """Forget kept things."""
    for number in numbers:
        run.objects.pop(number, None)


def draws_around(run: "Runtime", seed: int, function: str | None, args: list, kwargs: dict) -> dict:
    """One draw of each global generator after a call under the global seed `seed` (None: no call)."""
    taken = [run.take(value) for value in args]
    taken_kwargs = {key: run.take(value) for key, value in kwargs.items()}
    target = run.attribute(function) if function else None
    return global_draws(seed, lambda: target(*taken, **taken_kwargs) if target else None)


def call_under(run: "Runtime", seed: int, function: str, args: list, kwargs: dict) -> Any:
    """The result of a call under the global seed `seed`; the global generators are left as they were."""
    results: list[Any] = []
    taken = [run.take(value) for value in args]
    taken_kwargs = {key: run.take(value) for key, value in kwargs.items()}
    target = run.attribute(function)
    global_draws(seed, lambda: results.append(target(*taken, **taken_kwargs)))
    return run.give(results[0])


def imports(run: "Runtime", module: str) -> bool:
    """Import the lesson, and whether a module of that name is loaded then."""
    run.load(run.lesson)
    return module in sys.modules


def _gradient(run: "Runtime", tensor: Any) -> Any:
    return None if tensor.grad is None else run.give(tensor.grad)


OPERATIONS = {
    "call": call,
    "call_without": call_without,
    "call_streamed": call_streamed,
    "call_transposed": call_transposed,
    "call_each": call_each,
    "call_in": call_in,
    "keep": keep,
    "gradients": gradients,
    "put": put,
    "get": get,
    "drop": drop,
    "draws_around": draws_around,
    "call_under": call_under,
    "imports": imports,
}
