"""Pictures in a terminal. Every mark is readable without colours too."""

from collections.abc import Callable, Iterator

import click

from checks.workbench.pictures import (
    TONES,
    Bars,
    Block,
    Curves,
    Heat,
    Note,
    Picture,
    Tokens,
    number,
    share,
    span,
)

SHADES = " ░▒▓█"
STEPS = "▁▂▃▄▅▆▇█"
WIDTH = 46


def lines(picture: Picture) -> Iterator[str]:
    """The picture's lines, with colours (`click.echo` leaves them out where there are none)."""
    yield click.style(picture.title, bold=True)
    for block in picture.blocks:
        yield ""
        yield from DRAWN[type(block)](block)


def _note(block: Note) -> Iterator[str]:
    yield block.text


def _tokens(block: Tokens) -> Iterator[str]:
    words = " ".join(
        click.style(f"{word}{TONES[tone][1]}", fg="black", bg=TONES[tone][0]) for word, tone in block.words
    )
    yield f"{block.label:<12} {words}"


def _heat(block: Heat) -> Iterator[str]:
    low, high = span(block.values)
    yield f"{block.title} ({SHADES[0]!r} is {number(low)}, {SHADES[-1]!r} is {number(high)})"
    width = max(map(len, block.rows), default=0)
    yield " " * (width + 1) + "".join(f"{column[:2]:<2}" for column in block.columns)
    for label, row in zip(block.rows, block.values, strict=True):
        cells = []
        for value in row:
            part = share(value, low, high)
            shade = SHADES[min(round(part * (len(SHADES) - 1)), len(SHADES) - 1)]
            cells.append(click.style(shade * 2, fg=(90 + int(110 * part), 90, 220 - int(130 * part))))
        yield f"{label:>{width}} {''.join(cells)}"


def _bars(block: Bars) -> Iterator[str]:
    yield block.title
    most = max((amount for _, amount in block.amounts), default=0)
    width = max((len(label) for label, _ in block.amounts), default=0)
    for label, amount in block.amounts:
        length = round(WIDTH * amount / most) if most else 0
        yield f"  {label:<{width}} {click.style('█' * length, fg='blue')} {number(amount)}"


def _curves(block: Curves) -> Iterator[str]:
    low, high = span(list(block.series.values()))
    yield f"{block.title} (from {number(low)} to {number(high)})"
    width = max(map(len, block.series), default=0)
    for name, values in block.series.items():
        shown = (
            [values[i * len(values) // WIDTH] for i in range(WIDTH)] if len(values) > WIDTH else list(values)
        )
        marks = "".join(STEPS[round(share(value, low, high) * (len(STEPS) - 1))] for value in shown)
        yield f"  {name:<{width}} {click.style(marks, fg='green')} {number(values[0])} → {number(values[-1])}"


DRAWN: dict[type[Block], Callable[..., Iterator[str]]] = {
    Note: _note,
    Tokens: _tokens,
    Heat: _heat,
    Bars: _bars,
    Curves: _curves,
}
