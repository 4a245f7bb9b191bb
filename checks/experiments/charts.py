"""Charts as data: one record is drawn as a PNG and as an interactive picture of the report."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple


class Series(NamedTuple):
    """One curve, or one row of marks. `low` and `high` bound each value, where it has an interval."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    mark: Literal["line", "dashed", "bar", "tick"] = "line"
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


class Chart(NamedTuple):
    """A picture. `name` is its file; `categories` name the places 0, 1, ... of the x axis.

    `rules` are named horizontal lines: what the values must be read against.
    """

    name: str
    title: str
    xlabel: str
    ylabel: str
    series: list[Series]
    rules: dict[str, float] = {}  # noqa: RUF012  # never written to
    categories: list[str] | None = None
    from_zero: bool = False

    def plain(self) -> dict[str, Any]:
        """The chart as JSON can hold it."""
        series = [
            {key: [float(v) for v in value] if key in NUMBERS and value is not None else value
             for key, value in one._asdict().items()}
            for one in self.series
        ]  # fmt: skip
        return {**self._asdict(), "series": series}


NUMBERS = ("x", "y", "low", "high")


def bars(name: str, values: Sequence[float], halves: Sequence[float | None] | None = None) -> Series:
    """A bar at each category, with its interval where it is known."""
    low = high = None
    if halves is not None and any(half is not None for half in halves):
        low = [value - (half or 0.0) for value, half in zip(values, halves, strict=True)]
        high = [value + (half or 0.0) for value, half in zip(values, halves, strict=True)]
    return Series(name, list(range(len(values))), list(values), "bar", low, high)


def ticks(name: str, values: Sequence[float]) -> Series:
    """A short line across each category: a floor, or the paper's figure."""
    return Series(name, list(range(len(values))), list(values), "tick")


def extent(chart: Chart) -> tuple[float, float]:
    """The range of the y axis: all values, intervals and rules, with some room."""
    values = list(chart.rules.values())
    for one in chart.series:
        values += [*one.y, *(one.low or ()), *(one.high or ())]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.5
    return (0.0 if chart.from_zero or 0 <= low < room else low - room), high + room
