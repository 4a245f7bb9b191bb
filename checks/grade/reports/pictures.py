"""Pictures as inline SVG, each with a text that says the same."""

from collections.abc import Sequence

from checks.grade.reports.html import Html, el

WIDTH = 720  # of every drawing, in its own units


def rows_of_bars(rows: Sequence[tuple[str, float, str, str]], label: str) -> Html:
    """A bar a row: name, share from 0 to 1, text at its end, class of its colour."""
    step, left, right = 24, 200, 96
    room = WIDTH - left - right
    parts = []
    for number, (name, share, text, colour) in enumerate(rows):
        y = number * step
        length = room * min(1.0, max(0.0, share))
        parts += [
            el("text", _short(name, 30), x=left - 8, y=y + 16, text_anchor="end"),
            el("rect", x=left, y=y + 5, width=room, height=14, rx=3, class_="f-bar"),
            el("rect", x=left, y=y + 5, width=f"{length:.1f}", height=14, rx=3, class_=colour),
            el("text", text, x=WIDTH - right + 8, y=y + 16),
        ]
    return _svg(label, step * len(rows), parts)


def histogram(values: Sequence[float], label: str, bins: int = 20) -> Html:
    """Values from 0 to 100 in equal bins, the median as a dashed line."""
    height, base, left = 200, 172, 24
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, max(0, int(value / 100 * bins)))] += 1
    most, step = max([*counts, 1]), (WIDTH - 2 * left) / bins
    parts = [el("line", x1=left, x2=WIDTH - left, y1=base, y2=base, class_="s-line")]
    for number, count in enumerate(counts):
        size = (base - 22) * count / most
        x, y = left + number * step, base - size
        told = el("title", f"{number * 100 // bins} to {(number + 1) * 100 // bins} %: {count}")
        size_text = {"width": f"{step - 3:.1f}", "height": f"{size:.1f}"}
        parts.append(el("rect", told, x=f"{x + 1.5:.1f}", y=f"{y:.1f}", rx=2, class_="f-accent", **size_text))
        if count:
            middle = f"{x + step / 2:.1f}"
            parts.append(el("text", count, x=middle, y=f"{y - 5:.1f}", text_anchor="middle", class_="soft"))
    for percent in (0, 25, 50, 75, 100):
        x = left + percent / 100 * step * bins
        parts.append(
            el("text", f"{percent} %", x=f"{x:.1f}", y=base + 20, text_anchor="middle", class_="soft")
        )
    if values:
        ordered = sorted(values)
        median = (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2
        at = f"{left + median / 100 * step * bins:.1f}"
        parts.append(
            el("line", el("title", f"median {median:.1f} %"), x1=at, x2=at, y1=8, y2=base, class_="s-ink")
        )
    return _svg(label, height, parts)


def grid(rows: Sequence[tuple[str, Sequence[float | None]]], columns: Sequence[str], label: str) -> Html:
    """A cell for each row and column, the fuller the more (None: nothing there)."""
    left, top, step = 150, 78, 20
    width = (WIDTH - left) / max(1, len(columns))
    parts = []
    for number, name in enumerate(columns):
        x = left + (number + 0.5) * width
        turned = f"rotate(-45 {x:.1f} {top - 6})"
        parts.append(el("text", _short(name, 14), x=f"{x:.1f}", y=top - 6, transform=turned))
    for row, (name, shares) in enumerate(rows):
        y = top + row * step
        parts.append(el("text", _short(name, 22), x=left - 8, y=y + 14, text_anchor="end"))
        for column, share in enumerate(shares):
            x = left + column * width
            told = el(
                "title", f"{name}, {columns[column]}: {'-' if share is None else f'{100 * share:.0f} %'}"
            )
            place = {"x": f"{x + 1:.1f}", "y": y + 1, "height": step - 2, "rx": 2}
            parts.append(el("rect", told, width=f"{width - 2:.1f}", class_="f-bar", **place))
            if share:
                parts.append(
                    el(
                        "rect",
                        told,
                        width=f"{(width - 2) * min(1.0, share):.1f}",
                        class_=colour(share),
                        **place,
                    )
                )
    return _svg(label, top + step * len(rows) + 4, parts)


def colour(share: float) -> str:
    """Right, partly right, wrong."""
    return (
        "f-good" if share >= 0.999 else "f-accent" if share >= 0.5 else "f-wait" if share > 0.15 else "f-bad"
    )


def _svg(label: str, height: int, parts: list[Html]) -> Html:
    box = f"0 0 {WIDTH} {max(height, 1)}"
    return el("svg", el("title", label), parts, viewBox=box, role="img", aria_label=label)


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
