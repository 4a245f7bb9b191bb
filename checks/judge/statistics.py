"""Exact tests of shares: binomial tails without approximation, and a budget for false alarms.

A statistical check declares each share that it judges as a `Share` in its oracle's `STATISTICS`. A project
test adds up the chances of a false alarm over all lessons, and computes the power against each named wrong
rate.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from checks.judge.expect import Wrong

ALPHA = 1e-8
BUDGET = 1e-6


def log_probability(k: int, n: int, p: float) -> float:
    """log P(X = k) for X binomial with n trials of chance p, 0 < p < 1."""
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return ways + k * math.log(p) + (n - k) * math.log1p(-p)


def upper_tail(k: int, n: int, p: float) -> float:
    """P(X >= k).

    >>> round(upper_tail(2, 3, 0.5), 12)
    0.5
    """
    if k <= 0 or p >= 1:
        return float(k <= n)
    if k > n or p <= 0:
        return 0.0
    if k <= n * p:
        return 1.0 - lower_tail(k - 1, n, p)
    # Beyond the mean each term is smaller than the one before; after ten standard deviations nothing is left.
    terms = min(n - k, int(10 * math.sqrt(n * p * (1 - p))) + 100)
    j = np.arange(k, k + terms)
    series = 1.0 + float(np.cumprod((n - j) / (j + 1) * (p / (1 - p))).sum())
    return min(1.0, math.exp(log_probability(k, n, p)) * series)


def lower_tail(k: int, n: int, p: float) -> float:
    """P(X <= k)."""
    return upper_tail(n - k, n, 1 - p)


def p_value(k: int, n: int, p: float) -> float:
    """Twice the smaller tail: at most `alpha` in at most that share of all draws, for every alpha."""
    return min(1.0, 2 * min(lower_tail(k, n, p), upper_tail(k, n, p)))


def limits(n: int, p: float, alpha: float = ALPHA) -> tuple[int, int]:
    """The least and the largest count whose p-value is above `alpha`."""
    mean = min(n, max(0, round(n * p)))
    low, below = mean, -1
    while low - below > 1:
        middle = (low + below) // 2
        low, below = (middle, below) if 2 * lower_tail(middle, n, p) > alpha else (low, middle)
    high, above = mean, n + 1
    while above - high > 1:
        middle = (high + above) // 2
        high, above = (middle, above) if 2 * upper_tail(middle, n, p) > alpha else (high, middle)
    return low, high


def power(n: int, p: float, actual: float, alpha: float = ALPHA) -> float:
    """The chance that n draws of chance `actual` are told from chance p."""
    low, high = limits(n, p, alpha)
    return lower_tail(low - 1, n, actual) + upper_tail(high + 1, n, actual)


@dataclass(frozen=True)
class Share:
    """Shares that a check judges together, with a false-alarm chance of at most `alpha` in all.

    `expected` is one chance, or several: the cells of a multinomial, or one chance for each group of draws.
    Each count is judged by its own exact binomial test at `alpha` over their number, which holds whatever
    their dependence. `trials` is the fewest draws behind a count in a run; `wrong` names the rates, in the
    form of `expected`, that these draws must tell from it.
    """

    what: str
    expected: float | tuple[float, ...]
    trials: int
    wrong: Mapping[str, float | tuple[float, ...]] = field(default_factory=dict)
    alpha: float = ALPHA

    @property
    def chances(self) -> tuple[float, ...]:
        """`expected` as a tuple."""
        return self.expected if isinstance(self.expected, tuple) else (self.expected,)

    @property
    def alpha_each(self) -> float:
        """The false-alarm chance of one count."""
        return self.alpha / len(self.chances)

    def judge(self, hits: Any, trials: Any, because: str) -> None:
        """`hits` of `trials` are what chance gives; `trials` is a number, or one for each count."""
        chances = self.chances
        counts = np.broadcast_to(np.asarray(hits), (len(chances),))
        draws = np.broadcast_to(np.asarray(trials), (len(chances),))
        if not draws.any():
            raise Wrong(f"{self.what}: {_percent(chances[0])}", "no draws at all", because)
        values = [p_value(int(k), int(n), p) for k, n, p in zip(counts, draws, chances, strict=True)]
        worst = int(np.argmin(values))
        if values[worst] < self.alpha_each:
            self._complain(worst, int(counts[worst]), int(draws[worst]), because)

    def _complain(self, index: int, hits: int, trials: int, because: str) -> None:
        low, high = limits(trials, self.chances[index], self.alpha_each)
        place = f" (number {index}, from 0)" if len(self.chances) > 1 else ""
        span = f"{_percent(low / trials)} to {_percent(high / trials)} by chance"
        raise Wrong(
            f"{self.what}{place}: {_percent(self.chances[index])} ({span})",
            f"{_percent(hits / trials)} ({hits} of {trials})",
            because,
        )

    def powers(self) -> dict[str, float]:
        """A lower bound of the power against each wrong rate: that of the count that shows it best."""
        return {
            name: max(
                power(self.trials, p, q, self.alpha_each)
                for p, q in zip(self.chances, rate if isinstance(rate, tuple) else (rate,), strict=True)
            )
            for name, rate in self.wrong.items()
        }


def binomial(n: int, p: float) -> tuple[float, ...]:
    """P(X = 0), ..., P(X = n): the chances of every count out of few trials.

    >>> binomial(2, 0.5)
    (0.25, 0.5, 0.25)
    """
    return tuple(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
