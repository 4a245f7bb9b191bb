"""Means over seeds with their intervals, and when a difference counts."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

Verdict = Literal["yes", "no", "open"]

# The 97.5 % point of Student's t for 1, 2, ... degrees of freedom. Source: any table of the t distribution.
T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip

# With one seed a difference counts beyond these. Finished runs of one recipe scatter by less than 0.005 nats
# from seed to seed; an accuracy on n pairs has a deviation of up to 1 / (2 sqrt(n)), and three of those count.
NATS = 0.02


def accuracy_margin(pairs: int) -> float:
    """The difference of two accuracies on these many pairs, each scored in true order and as a negative."""
    return 3 * 0.5 / math.sqrt(pairs)


class Estimate(NamedTuple):
    """A mean over n seeds; `half` is half of its 95 % t interval, None for one seed."""

    mean: float
    half: float | None
    n: int

    def text(self, digits: int = 3) -> str:
        """`1.187`, or `1.187 ± 0.004` with seeds."""
        if self.half is None:
            return f"{self.mean:.{digits}f}"
        return f"{self.mean:.{digits}f} ± {self.half:.{digits}f}"


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of one value a seed, and its interval.

    Example:
        >>> estimate([1.0, 1.2, 1.1]).text(2)
        '1.10 ± 0.25'
    """
    n = len(values)
    if n == 0:
        raise ValueError("values: got none, expected one a seed")
    mean = sum(values) / n
    if n == 1:
        return Estimate(mean, None, 1)
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    quantile = T_975[n - 2] if n - 2 < len(T_975) else 1.96
    return Estimate(mean, quantile * math.sqrt(variance / n), n)


def difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """a - b, seed by seed: equal seeds saw equal data."""
    return estimate([x - y for x, y in zip(a, b, strict=True)])


def larger(a: Sequence[float], b: Sequence[float], margin: float) -> Verdict:
    """Whether a is larger than b: "no" if it is smaller, "open" if the difference does not count.

    With seeds it counts where the interval of the paired differences leaves out 0, with one seed beyond `margin`.
    """
    found = difference(a, b)
    limit = margin if found.half is None else found.half
    if abs(found.mean) <= limit:
        return "open"
    return "yes" if found.mean > 0 else "no"


def alike(a: Sequence[float], b: Sequence[float], margin: float) -> Verdict:
    """Whether a and b differ by less than `margin`; "open" where the interval holds both answers."""
    found = difference(a, b)
    half = found.half or 0.0
    if abs(found.mean) + half <= margin:
        return "yes"
    return "no" if abs(found.mean) - half > margin else "open"


def at_chance(accuracies: Sequence[float], pairs: int) -> Verdict:
    """Whether a sentence task is at 50 %, within three deviations of that many pairs or the seeds' interval."""
    found = estimate(accuracies)
    noise = accuracy_margin(pairs) / math.sqrt(found.n)
    return "yes" if abs(found.mean - 0.5) <= max(noise, found.half or 0.0) else "no"
