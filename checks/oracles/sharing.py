"""Sharing and tying judged by values.

A tensor that serves in several places has one gradient, the sum over its uses, and an optimiser moves it once.
Copies, and several parameters over one storage, give the same outputs at first and fail one of these.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.judge import close
from checks.oracles.slopes import expect_gradients
from checks.subject import ModuleHandle

Array = np.ndarray
Weights = dict[str, Array]
RATE = 0.1
DECAY = 0.5


def after_step(at: Weights, gradients: dict[str, Array | None]) -> Weights:
    """The weights after one step of SGD at `RATE` with weight decay `DECAY`, each moved once."""
    moved = {}
    for name, x in at.items():
        gradient = gradients.get(name)
        moved[name] = x if gradient is None else x - RATE * (gradient + DECAY * x)
    return moved


def expect_moves_as_one(
    module: ModuleHandle,
    args: tuple[Any, ...],
    outputs: Callable[[Weights], Array],
    at: Weights,
    names: list[str],
    because: str,
    seed: int,
) -> Weights:
    """Gradients of `names` are the total slopes, and one step later the module gives what the oracle gives.

    `outputs` maps the weights to the module's (only, or first) output, with every use reading the same name.
    Plain SGD would not tell several parameters over one storage from one; with weight decay they shrink several
    times. Returns the weights after the step.
    """
    cotangent = np.random.default_rng(seed).normal(size=outputs(at).shape)
    spare: list[Array | None] = [cotangent]
    before = module(*args)
    if isinstance(before, list):
        spare += [None] * (len(before) - 1)
    close(_first(before), outputs(at), "before the step it gives what its weights say", atol=1e-8, rtol=1e-7)
    got = module.backward(*args, cotangents=spare)
    expect_gradients(got.by_name, lambda w: float((outputs(w) * cotangent).sum()), at, seed, names)
    module.step(*args, optimizer={"kind": "plain SGD", "lr": RATE, "weight_decay": DECAY}, cotangents=spare)
    moved = after_step(at, got.by_name)
    # A step of 0.1 keeps values near 1; float64 with a few dozen operations on both sides.
    close(_first(module(*args)), outputs(moved), because, atol=1e-7, rtol=1e-7)
    return moved


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, list) and result else result
