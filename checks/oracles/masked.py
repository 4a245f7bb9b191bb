"""Masked forwards judged by values: real tokens are right, in float32 too, and whatever was called before."""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.judge import close, is_array, true
from checks.oracles.blocks import real
from checks.subject import ModuleHandle

Array = np.ndarray


def expect_real(got: Any, want: Array, mask: Array | None, because: str, atol: float) -> None:
    """Finite vectors everywhere, and the wanted ones at real tokens."""
    is_array(got, want.shape, "f", "one vector of size D for each token")
    true(bool(np.isfinite(got).all()), "one NaN spoils every gradient", expected="finite values", got=got)
    close(real(got, mask), real(want, mask), because, atol=atol, rtol=0)


def expect_each_mask(
    module: ModuleHandle, hidden: Array, outputs: Callable[[Array | None], Array], atol: float
) -> None:
    """Calls under two masks of one shape, under none, and under the first again give what `outputs` gives."""
    batch, tokens = hidden.shape[:2]
    cut = (np.arange(batch) % tokens)[:, None]
    long, short = np.arange(tokens) < tokens - cut, np.arange(tokens) <= cut
    again = "a mask serves the call that it comes with: the module keeps nothing of the calls before"
    first = "real tokens see real tokens only"
    for mask, because in ((long, first), (short, again), (None, again), (long, again)):
        expect_real(module(hidden, attention_mask=mask), outputs(mask), mask, because, atol)


def expect_single(module: ModuleHandle, hidden: Array, mask: Array, want: Array) -> ModuleHandle:
    """The module, from now on in float32, gives the float64 oracle's vectors: it trains in this precision."""
    because = "float32 is the precision of training: it costs digits, not the result"
    got = module.change("float")(hidden.astype(np.float32), mask)
    # A few dozen rounded operations, each good to 7 digits of values near 3.
    expect_real(got, want, mask, because, atol=1e-5)
    return module
