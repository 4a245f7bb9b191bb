"""Dropout judged by values: what is dropped is 0, what is kept is divided by 1 - p, and the share dropped fits p."""

from typing import Any

import numpy as np

from checks.judge import close, true
from checks.judge.statistics import Share

Array = np.ndarray
RATE = 0.3


def share(what: str, trials: int) -> Share:
    """The share of `what` that dropout at `RATE` sets to 0; list it in the lesson's `STATISTICS`."""
    wrong = {
        "a tenth, fixed": 0.1,
        "a half, fixed": 0.5,
        "kept and dropped exchanged": 1 - RATE,
        "twice": 0.51,
    }
    return Share(f"share of {what} dropped", RATE, trials, wrong)


def expect_dropped_once(got: Any, whole: Array, drops: Share, because: str) -> None:
    """Each entry of `got` is 0 or the entry of `whole` divided by 1 - RATE, and the share of zeros fits.

    `got` comes from train mode at `RATE`; `whole`, what it is without dropout, has no entry near 0.
    """
    assert np.abs(whole).min() > 1e-6, "an entry that is 0 anyway cannot show that it was dropped"
    kept = np.ones(whole.shape, bool)
    if isinstance(got, np.ndarray) and got.shape == whole.shape:
        kept = np.abs(got) > 1e-9
    close(got, np.where(kept, whole / (1 - RATE), 0.0), because, atol=1e-8, rtol=1e-7)
    drops.judge(int((~kept).sum()), kept.size, because)
    for axis in range(kept.ndim):
        varies = kept.shape[axis] == 1 or bool((kept != kept.take([0], axis)).any())
        true(varies, because, expected="every entry draws for itself", got=f"the same along axis {axis}")
