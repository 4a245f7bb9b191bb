"""What any module owes its user: its own weights, no seed, new draws, and arguments left alone."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from checks.judge import close, equal, true
from checks.subject import ModuleHandle, Subject

Array = np.ndarray
Weights = dict[str, Array]


def expect_own_weights(
    module: ModuleHandle,
    args: tuple[Any, ...],
    outputs: Callable[[Weights], Array],
    weights: Weights,
    atol: float,
) -> None:
    """A deep copy computes with weights of its own, and the module with those that were loaded last.

    `outputs(weights)` is what the module gives with `weights`, which it has now.
    """
    other = {name: x[::-1] * 0.8 for name, x in weights.items()}
    twin = module.clone("deepcopy").load(other)
    because = "a deep copy has its own weights: nothing in it refers to the module that it was made from"
    close(module(*args), outputs(weights), because, atol=atol, rtol=1e-7)
    close(twin(*args), outputs(other), because, atol=atol, rtol=1e-7)
    because = "each call computes with the weights of now, not with some that an earlier call has kept"
    close(module.load(other)(*args), outputs(other), because, atol=atol, rtol=1e-7)


def expect_unseeded(subject: Subject, kind: str, *args: Any) -> None:
    """Building the module sets no seed: what is drawn after it depends on the global seed before it."""
    draws = [subject.execute("draws_around", seed, kind, list(args), {})["torch"] for seed in (5, 6)]
    because = f"making a {kind} sets no seed: torch's global generator belongs to everybody"
    true(draws[0] != draws[1], because, expected="another draw after another seed", got=draws)


def expect_drawn_anew(module: ModuleHandle, args: tuple[Any, ...], dropped: Array) -> None:
    """A second call in train mode drops other entries than the first, which gave `dropped`."""
    because = "each call draws anew what is dropped: nothing is kept from call to call, and no seed is set"
    differ = not np.array_equal(module(*args), dropped)
    true(differ, because, expected="other entries dropped", got="the same entries as in the call before")


def expect_arguments_kept(
    module: ModuleHandle,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Array],
    because: str,
    method: str | None = None,
) -> Any:
    """What `module(*args, **kwargs)` gives; the arrays in `kwargs` stay as they were."""
    kept = {name: module.subject.put(array) for name, array in kwargs.items()}
    got = module(*args, method=method, **kept)
    for name, ref in kept.items():
        equal(module.subject.get(ref), kwargs[name], because)
    return got
