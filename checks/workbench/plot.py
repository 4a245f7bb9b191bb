"""Pictures as PNG, drawn with matplotlib."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from checks.workbench.pictures import TONES, Bars, Block, Curves, Heat, Note, Picture, Tokens, number

HEIGHTS: dict[type[Block], float] = {Note: 0.5, Tokens: 0.45, Heat: 3.6, Bars: 2.4, Curves: 2.8}
MOST_IN_A_ROW = 100


def save(picture: Picture, path: Path) -> None:
    """Write the picture; every block gets its own axes, one below the other."""
    heights = [_height(block) for block in picture.blocks]
    figure = Figure(figsize=(10, sum(heights) + 0.6), layout="constrained")
    figure.suptitle(picture.title, fontweight="bold")
    axes = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for block, axis in zip(picture.blocks, axes, strict=True):
        DRAWN[type(block)](block, axis)
    figure.savefig(path, format="png", dpi=120)


def _height(block: Block) -> float:
    if isinstance(block, Note):
        return 0.25 + 0.2 * len(_wrapped(block.text))
    if isinstance(block, Bars):
        return 0.5 + 0.28 * len(block.amounts)
    if isinstance(block, Tokens):
        return HEIGHTS[Tokens] * (1 + sum(len(word) + 2 for word, _ in block.words) // MOST_IN_A_ROW)
    return HEIGHTS[type(block)]


def _wrapped(text: str) -> list[str]:
    return [part for line in text.splitlines() for part in textwrap.wrap(line, 120) or [""]]


def _note(block: Note, axis: Any) -> None:
    axis.axis("off")
    axis.text(
        0, 1, "\n".join(_wrapped(block.text)), va="top", fontsize=9, family="monospace", parse_math=False
    )


def _tokens(block: Tokens, axis: Any) -> None:
    axis.axis("off")
    axis.set(xlim=(0, MOST_IN_A_ROW + 14), ylim=(-1, 0.6))
    axis.text(0, 0, block.label, fontsize=9)
    rows = 1 + sum(len(word) + 2 for word, _ in block.words) // MOST_IN_A_ROW
    axis.set_ylim(-rows + 0.4, 0.6)
    at, row = 0, 0
    for word, tone in block.words:
        if at + len(word) > MOST_IN_A_ROW:
            at, row = 0, row + 1
        colour = tuple(part / 255 for part in TONES[tone][0])
        box = {"facecolor": colour, "edgecolor": "none", "boxstyle": "round,pad=0.2"}
        axis.text(14 + at, -row, word, fontsize=9, family="monospace", bbox=box, parse_math=False)
        at += len(word) + 2


def _heat(block: Heat, axis: Any) -> None:
    image = axis.imshow(block.values, cmap="Blues", aspect="auto")
    axis.set_title(block.title, fontsize=10)
    axis.set_xticks(range(len(block.columns)), block.columns, fontsize=7, rotation=90)
    axis.set_yticks(range(len(block.rows)), block.rows, fontsize=7)
    axis.figure.colorbar(image, ax=axis)


def _bars(block: Bars, axis: Any) -> None:
    labels = [label for label, _ in block.amounts]
    amounts = [amount for _, amount in block.amounts]
    places = range(len(labels))
    axis.barh(places, amounts, color="#3b6fb6")
    axis.set_yticks(places, labels, fontsize=8)
    axis.invert_yaxis()
    axis.set_title(block.title, fontsize=10)
    for place, amount in enumerate(amounts):
        axis.text(amount, place, f" {number(amount)}", va="center", fontsize=8)


def _curves(block: Curves, axis: Any) -> None:
    for name, values in block.series.items():
        axis.plot(block.x, values, label=name)
    axis.set_title(block.title, fontsize=10)
    axis.legend(frameon=False, fontsize=8)


DRAWN: dict[type[Block], Callable[..., None]] = {
    Note: _note,
    Tokens: _tokens,
    Heat: _heat,
    Bars: _bars,
    Curves: _curves,
}
