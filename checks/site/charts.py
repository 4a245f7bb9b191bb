"""Charts that are drawn when the site is built, from recorded results, each with its numbers as a table."""

from html import escape
from typing import Any

from checks.experiments.statistics import estimate
from checks.site.results import look_up

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 300, 48, 12, 12, 40


def curves(data: dict[str, Any]) -> str:
    """Lines over steps.

    Keys: `results` (a file's name), `steps` (key of the x values), `series` (name: key), and if wanted `lines`
    (name: key of one number, drawn across: a floor), `x` and `y` (the axes' names).
    """
    name = data["results"]
    xs = [float(x) for x in look_up(name, data["steps"])]
    series = {label: [float(y) for y in look_up(name, key)] for label, key in data["series"].items()}
    for label, key in data.get("lines", {}).items():
        series[label] = [float(look_up(name, key))] * len(xs)
    wrong = [label for label, ys in series.items() if len(ys) != len(xs)]
    if wrong or len(series) > 4:
        raise ValueError(
            f"curves: expected at most four series of {len(xs)} values, got {len(series)}; check {wrong}"
        )
    picture = _svg(xs, series, str(data.get("x", "step")), str(data.get("y", "loss in nats")))
    return picture + _legend(list(series)) + _table(xs, series, str(data.get("x", "step")))


def _svg(xs: list[float], series: dict[str, list[float]], x_name: str, y_name: str) -> str:
    low, high = _range([y for ys in series.values() for y in ys])
    first, last = min(xs), max(xs)

    def place(x: float, y: float) -> str:
        across = LEFT + (x - first) / ((last - first) or 1) * (WIDTH - LEFT - RIGHT)
        return f"{across:.1f},{TOP + (high - y) / (high - low) * (HEIGHT - TOP - BOTTOM):.1f}"

    lines = "".join(
        f'<polyline class="lb-series-{number}" points="{" ".join(map(place, xs, ys))}"/>'
        for number, ys in enumerate(series.values())
    )
    base = HEIGHT - BOTTOM
    ticks = "".join(
        f'<text x="{LEFT - 6}" y="{float(place(first, y).split(",")[1]) + 4:.0f}" text-anchor="end">{y:g}</text>'
        for y in (low, round((low + high) / 2, 3), high)
    )
    return (
        f'<svg class="lb-chart-svg" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" focusable="false">'
        f'<path class="lb-axis" d="M{LEFT},{TOP}V{base}H{WIDTH - RIGHT}" fill="none"/>{ticks}'
        f'<text x="{LEFT}" y="{base + 16}">{first:g}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{base + 16}" text-anchor="end">{last:,g}</text>'
        f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_name)}</text>'
        f'<text x="{LEFT + 8}" y="{TOP + 12}">{escape(y_name)}</text>{lines}</svg>'
    )


def _range(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.5
    return round(low - margin, 2), round(high + margin, 2)


def _legend(names: list[str]) -> str:
    items = "".join(
        f'<span><svg viewBox="0 0 40 8" aria-hidden="true"><path class="lb-series-{number}" d="M0,4H40" '
        f'stroke-width="4"/></svg> {escape(name)}</span>'
        for number, name in enumerate(names)
    )
    return f'<p class="lb-legend">{items}</p>'


def _table(xs: list[float], series: dict[str, list[float]], x_name: str) -> str:
    wanted = sorted({round(at * (len(xs) - 1) / 9) for at in range(10)})
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in (x_name, *series))
    rows = "".join(
        f'<tr><th scope="row">{xs[at]:,g}</th>'
        + "".join(f"<td>{ys[at]:.3f}</td>" for ys in series.values())
        + "</tr>"
        for at in wanted
    )
    return (
        '<details><summary>The same as a table</summary><div class="lb-scroll">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def matrix(data: dict[str, Any]) -> str:
    """A table of results: what each model (row) scores on each task (column).

    Keys: `results`, `rows` (name: key prefix), `columns` (name: key), and if wanted `own` (row name: the column
    that it was trained for, which is set apart), `format` (Python's, ".1%" by default) and `chance` (a bar in
    each cell then shows how far it is from there to 1). A list is one value a seed: mean and 95 % interval.
    """
    form, own, chance = str(data.get("format", ".1%")), data.get("own", {}), data.get("chance")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in data["columns"])
    rows = []
    for row, prefix in data["rows"].items():
        cells = ""
        for column, key in data["columns"].items():
            mark = ' class="lb-cell--own"' if own.get(row) == column else ""
            cells += f"<td{mark}>{_cell(look_up(data['results'], f'{prefix}.{key}'), form, chance)}</td>"
        rows.append(f'<tr><th scope="row">{escape(row)}</th>{cells}</tr>')
    return (
        f'<div class="lb-scroll"><table><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(value: float | list[float], form: str, chance: float | None) -> str:
    """One figure with its interval and its bar."""
    found = estimate(value if isinstance(value, list) else [value])
    text = format(found.mean, form) + ("" if found.half is None else f" \u00b1 {format(found.half, form)}")
    if chance is None:
        return text
    width = max(0.0, min(1.0, (found.mean - chance) / (1 - chance)))
    return f'{text}<span class="lb-cell__bar" style="width:{width:.0%}" aria-hidden="true"></span>'
