"""Gradients of a module without dropout: slopes of an oracle, in train mode and in eval mode."""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.judge import close
from checks.oracles.blocks import Weights
from checks.oracles.slopes import expect_gradients
from checks.subject import ModuleHandle

Array = np.ndarray


def expect_slopes(
    build: Callable[..., ModuleHandle],
    args: tuple[Any, ...],
    cotangent: Array,
    outputs: Callable[[Weights, Array], Array],
    weights: Weights,
    seed: int,
) -> None:
    """Gradients of `weights` and of the hidden states, `args[0]`, are slopes of `outputs(weights, hidden)`.

    `build(training=...)` makes the module. The tolerance is that of the differences.
    """

    def result(at: Weights) -> float:
        inner = {name: x for name, x in at.items() if name != "hidden"}
        return float((outputs(inner, at["hidden"]) * cotangent).sum())

    modes = [build(training=mode).backward(*args, cotangents=[cotangent], wrt=(0,)) for mode in (True, False)]
    trained, still = (got.by_name | {"hidden": got.by_input[0]} for got in modes)
    expect_gradients(still, result, weights | {"hidden": args[0]}, seed)
    for name in (*weights, "hidden"):
        because = f"without dropout the gradient of {name} in train mode is that of eval mode"
        close(trained.get(name), still[name], because, atol=1e-8, rtol=1e-7)
