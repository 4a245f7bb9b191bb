"""Draws a recorded chart when the site is built: an SVG picture, a legend and all numbers as a table.

A chart has the form of `checks.experiments.charts.Chart`. Lines run over steps; bars lie, one row a category, so
that long names fit a narrow screen. Every mark tells its number when a pointer rests on it.
"""

from collections.abc import Callable
from html import escape
from typing import Any

from checks.site.plot_text import Chart, describe, legend, shown, table, ticks
from checks.site.results import look_up

WIDTH, LEFT, RIGHT, TOP, BOTTOM, HEIGHT = 380, 46, 10, 14, 40, 270
BAR, GAP, NAME = 13, 14, 17  # of lying bars: a bar, between two categories, a category's name


def recorded(data: dict[str, Any]) -> str:
    """The `chart` figure. Keys: `results` (a file's name) and `chart` (the name of one of its charts)."""
    return plot(find(data))


def words(data: dict[str, Any]) -> dict[str, str]:
    """The title and the text alternative of a recorded chart."""
    chart = find(data)
    return {"title": chart["title"], "text": describe(chart)}


def find(data: dict[str, Any]) -> Chart:
    """The chart of a results file; ValueError when it has no such chart."""
    found = {
        chart["name"]: chart
        for part in look_up(data["results"], "report.sections")
        for chart in part["charts"]
    }
    if data["chart"] not in found:
        raise ValueError(f"chart: got {data['chart']!r}, expected one of {', '.join(found)}")
    return found[data["chart"]]


def plot(chart: Chart) -> str:
    """The picture, its legend and its table."""
    lying = chart["categories"] is not None
    return (_bars(chart) if lying else _lines(chart)) + legend(chart) + table(chart)


def _extent(chart: Chart) -> tuple[float, float]:
    values = list(chart["rules"].values())
    for one in chart["series"]:
        values += [*one["y"], *(one["low"] or ()), *(one["high"] or ())]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.5
    return (0.0 if chart["from_zero"] or 0 <= low < room else low - room), high + room


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (value - low) / ((high - low) or 1) * (end - start)


def _svg(height: float, inside: list[str]) -> str:
    return (
        f'<svg class="lb-chart-svg lb-plot" viewBox="0 0 {WIDTH} {height:.0f}" aria-hidden="true" '
        f'focusable="false">{"".join(inside)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<text{mark} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _lines(chart: Chart) -> str:
    xs = [x for one in chart["series"] for x in one["x"]]
    (low, high), base = _extent(chart), HEIGHT - BOTTOM
    across = _scale(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    down = _scale(low, high, base, TOP)
    inside = [f'<path class="lb-axis" d="M{LEFT},{TOP}V{base}H{WIDTH - RIGHT}" fill="none"/>']
    inside += [_text(LEFT - 5, down(y) + 4, f"{y:g}", "end") for y in ticks(low, high)]
    inside += [_text(across(x), base + 16, f"{x:,g}", "middle") for x in ticks(min(xs), max(xs), 4)]
    inside += [_text((LEFT + WIDTH) / 2, HEIGHT - 6, chart["xlabel"], "middle")]
    inside += [_rule(chart, name, y, down) for name, y in chart["rules"].items()]
    for number, one in enumerate(chart["series"]):
        inside.append(_curve(chart, one, number, across, down))
    return _svg(HEIGHT, inside)


def _rule(chart: Chart, name: str, y: float, down: Callable[[float], float]) -> str:
    """A line across with its name at the right end; at the left, below it, where the next line above is near."""
    near = any(0 < down(y) - down(other) < NAME for other in chart["rules"].values())
    x, anchor, away = (LEFT + 4, "start", 13) if near else (WIDTH - RIGHT, "end", -3)
    line = f'<path class="lb-rule" d="M{LEFT},{down(y):.1f}H{WIDTH - RIGHT}"/>'
    return line + _text(x, down(y) + away, f"{name} {shown(y)}", anchor, "lb-rule-name")


def _curve(
    chart: Chart,
    one: dict[str, Any],
    number: int,
    across: Callable[[float], float],
    down: Callable[[float], float],
) -> str:
    """A line with a dot a value, and a band or whiskers where there are bounds."""
    points = [(across(x), down(y)) for x, y in zip(one["x"], one["y"], strict=True)]
    parts = []
    if one["low"]:
        upper = [f"{across(x):.1f},{down(y):.1f}" for x, y in zip(one["x"], one["high"], strict=True)]
        lower = [f"{across(x):.1f},{down(y):.1f}" for x, y in zip(one["x"], one["low"], strict=True)]
        parts.append(f'<polygon class="lb-band" points="{" ".join([*upper, *reversed(lower)])}"/>')
    dots = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f'<polyline points="{dots}"/>')
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"><title>{escape(one["name"])}, '
        f"{escape(chart['xlabel'])} {shown(at)}: {shown(value)}</title></circle>"
        for (x, y), at, value in zip(points, one["x"], one["y"], strict=True)
    ]
    return f'<g class="lb-c{number % 8}">{"".join(parts)}</g>'


def _bars(chart: Chart) -> str:
    low, high = _extent(chart)
    across = _scale(low, high, 4, WIDTH - 48)
    solid = [one for one in chart["series"] if one["mark"] == "bar"]
    row = NAME + BAR * len(solid) + GAP
    top = 8 + 15 * len(chart["rules"])
    height = top + row * len(chart["categories"])
    inside = []
    for k, (name, value) in enumerate(chart["rules"].items()):
        inside.append(f'<path class="lb-rule" d="M{across(value):.1f},{15 * k + 16}V{height}"/>')
        anchor = "end" if value > (low + high) / 2 else "start"
        inside.append(_text(across(value), 15 * k + 12, f"{name} {shown(value)}", anchor, "lb-rule-name"))
    for at, category in enumerate(chart["categories"]):
        y = top + row * at
        inside.append(_text(4, y + 12, category))
        for k, one in enumerate(solid):
            number = chart["series"].index(one)
            inside.append(_bar(one, at, category, number, y + NAME + BAR * k, across))
        bottom = y + NAME + BAR * len(solid)
        inside += [
            f'<path class="lb-tick" d="M{across(one["y"][at]):.1f},{y + NAME - 2}V{bottom + 2}"/>'
            for one in chart["series"]
            if one["mark"] == "tick" and at < len(one["y"])
        ]
    return _svg(height, inside)


def _bar(
    one: dict[str, Any], at: int, category: str, number: int, y: float, across: Callable[[float], float]
) -> str:
    """One lying bar with its number behind it, and its interval where it is known."""
    value = one["y"][at]
    left, right = max(across(0.0), 4.0), across(value)
    start, width = min(left, right), abs(right - left)
    title = f"<title>{escape(one['name'])}, {escape(category)}: {shown(value)}</title>"
    parts = [f'<rect x="{start:.1f}" y="{y + 1:.1f}" width="{width:.1f}" height="{BAR - 2}">{title}</rect>']
    end = right
    if one["low"]:
        end = max(right, across(one["high"][at]))
        parts.append(
            f'<path class="lb-whisker" d="M{across(one["low"][at]):.1f},{y + BAR / 2:.1f}H{end:.1f}"/>'
        )
    parts.append(_text(end + 4, y + BAR - 2, f"{value:.2f}"))
    return f'<g class="lb-c{number % 8}">{"".join(parts)}</g>'
