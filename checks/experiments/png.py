"""Charts drawn by matplotlib."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from checks.experiments.charts import Chart, Series, extent


def draw(chart: Chart, path: Path) -> None:
    """Write the chart to `path` as a PNG; an older file is replaced."""
    figure = Figure(figsize=(8, 4.4), layout="constrained")
    axes: Any = figure.subplots()
    of_bars = [one for one in chart.series if one.mark == "bar"]
    width = 0.8 / max(len(of_bars), 1)
    for k, one in enumerate(chart.series):
        colour = f"C{k}"
        if one.mark == "bar":
            shift = (of_bars.index(one) - (len(of_bars) - 1) / 2) * width
            axes.bar([x + shift for x in one.x], one.y, width, color=colour, label=one.name)
            _interval(axes, one, shift, "0.2")
        elif one.mark == "tick":
            axes.hlines(one.y, [x - 0.45 for x in one.x], [x + 0.45 for x in one.x], "0.1", label=one.name)
        else:
            style = "--" if one.mark == "dashed" else "-"
            axes.plot(
                one.x, one.y, style, marker="." if len(one.x) < 40 else None, color=colour, label=one.name
            )
            _interval(axes, one, 0.0, colour)
    for name, value in chart.rules.items():
        axes.axhline(value, color="0.6", linewidth=0.8)
        place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom", "fontsize": 8}
        axes.annotate(f"{name} {value:.3g}", (0.995, value), color="0.35", **place)
    if chart.categories is not None:
        axes.set_xticks(
            range(len(chart.categories)), [name.replace(", ", ",\n") for name in chart.categories], fontsize=8
        )
    axes.set(title=chart.title, xlabel=chart.xlabel, ylabel=chart.ylabel, ylim=extent(chart))
    axes.spines[["top", "right"]].set_visible(False)
    if len(chart.series) > 1:
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, format="png", dpi=110)


def _interval(axes: Any, one: Series, shift: float, colour: str) -> None:
    if one.low is None or one.high is None:
        return
    below = [y - low for y, low in zip(one.y, one.low, strict=True)]
    above = [high - y for y, high in zip(one.y, one.high, strict=True)]
    axes.errorbar([x + shift for x in one.x], one.y, [below, above], fmt="none", ecolor=colour, capsize=3)
