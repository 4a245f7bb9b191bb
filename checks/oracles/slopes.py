"""Gradients without autograd: slopes of an oracle along random directions."""

from collections.abc import Callable, Mapping

import numpy as np

from checks.judge import close, true

Array = np.ndarray
STEP = 1e-5


def slope(
    function: Callable[[dict[str, Array]], float], at: Mapping[str, Array], direction: Mapping[str, Array]
) -> float:
    """The derivative of `function` at the named arrays along `direction`, by central differences.

    Steps of 1e-5 leave an error of about 1e-10 of the third derivative and 1e-11 of rounding for values near 1.
    """
    ahead, behind = (
        {k: x + s * STEP * direction[k] if k in direction else x for k, x in at.items()} for s in (1, -1)
    )
    return (function(ahead) - function(behind)) / (2 * STEP)


def expect_gradients(
    got: Mapping[str, Array | None],
    function: Callable[[dict[str, Array]], float],
    at: Mapping[str, Array],
    seed: int,
    names: list[str] | None = None,
    tolerance: float = 1e-6,
) -> None:
    """Every gradient in `got` is the slope of the oracle's `function` along a random direction of that array.

    `function` maps the named arrays to sum(result * cotangent). The tolerance is that of the differences.
    """
    rng = np.random.default_rng(seed)
    for name in names or list(at):
        gradient = got.get(name)
        because = f"{name} takes part in the result, so training must reach it"
        true(isinstance(gradient, np.ndarray), because, expected=f"a gradient of {name}", got="none")
        assert gradient is not None
        true(
            gradient.shape == at[name].shape,
            because,
            expected=f"shape {at[name].shape}",
            got=f"shape {gradient.shape}",
        )
        direction = rng.normal(size=at[name].shape)
        want = slope(function, at, {name: direction})
        because = f"the gradient of {name} along a random direction is the slope of the result"
        close(float((gradient * direction).sum()), want, because, atol=tolerance, rtol=tolerance)
