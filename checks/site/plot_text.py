"""What stands around a drawn chart: its text alternative, its legend, and its numbers as a table."""

import math
from html import escape
from typing import Any

Chart = dict[str, Any]


def describe(chart: Chart) -> str:
    """The text alternative: what is drawn, where each series ends or which values it has, and the lines."""
    if chart["categories"] is None:
        ends = [f"{one['name']} ends at {shown(one['y'][-1])}" for one in chart["series"]]
        text = f"{chart['ylabel']} by {chart['xlabel']}: {'; '.join(ends)}."
    elif len(chart["series"]) == 1:
        pairs = zip(chart["categories"], chart["series"][0]["y"], strict=True)
        text = f"{chart['ylabel']}: {'; '.join(f'{name} {shown(y)}' for name, y in pairs)}."
    else:
        names = ", ".join(one["name"] for one in chart["series"])
        text = f"{chart['ylabel']} by {chart['xlabel']}, for {names}."
    rules = ", ".join(f"{name} {shown(y)}" for name, y in chart["rules"].items())
    return text[0].upper() + text[1:] + (f" Lines across: {rules}." if rules else "")


def shown(value: float) -> str:
    """A number to three decimals, large ones without.

    Example:
        >>> shown(1.18943), shown(1400.0), shown(0.5), shown(0.0002)
        ('1.189', '1,400', '0.5', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{round(value, 3):g}"


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round values between two numbers, about `count` of them."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 10) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def legend(chart: Chart) -> str:
    """Each series with its mark; nothing for a single one."""
    if len(chart["series"]) < 2:
        return ""
    items = []
    for number, one in enumerate(chart["series"]):
        kind = "lb-tick" if one["mark"] == "tick" else f"lb-c{number % 8}"
        shape = '<rect width="26" height="8"/>' if one["mark"] == "bar" else '<polyline points="0,4 26,4"/>'
        shape = '<path d="M13,0V8"/>' if one["mark"] == "tick" else shape
        items.append(
            f'<span><svg class="lb-plot {kind}" viewBox="0 0 26 8" aria-hidden="true">{shape}</svg> '
            f"{escape(one['name'])}</span>"
        )
    return f'<p class="lb-legend">{"".join(items)}</p>'


def table(chart: Chart) -> str:
    """All numbers, folded; a row a place of the x axis, or a row a value where the series have different places."""
    first = chart["series"][0]["x"]
    if chart["categories"] is None and any(one["x"] != first for one in chart["series"]):
        head = ["", chart["xlabel"], chart["ylabel"]]
        rows = [
            [one["name"], shown(x), shown(y)]
            for one in chart["series"]
            for x, y in zip(one["x"], one["y"], strict=True)
        ]
    else:
        head = [chart["xlabel"], *(one["name"] for one in chart["series"])]
        names = chart["categories"] or [shown(x) for x in first]
        rows = [[name, *(_cell(one, at) for one in chart["series"])] for at, name in enumerate(names)]
    corner = f'<th scope="col">{escape(head[0])}</th>' if head[0] else "<td></td>"
    heading = corner + "".join(f'<th scope="col">{escape(name)}</th>' for name in head[1:])
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{cell}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        '<details><summary>The same as a table</summary><div class="lb-scroll"><table><thead><tr>'
        f"{heading}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def _cell(one: dict[str, Any], at: int) -> str:
    if at >= len(one["y"]):
        return ""
    if one["low"] is None:
        return shown(one["y"][at])
    return f"{shown(one['y'][at])} ({shown(one['low'][at])} to {shown(one['high'][at])})"
