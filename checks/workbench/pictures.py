"""What a picture is made of. Each block knows its content only; `terminal`, `page` and `plot` draw it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# What a token's colour says: RGB, and the mark that says it without colours.
TONES = {
    "plain": ((235, 235, 235), ""),
    "special": ((200, 200, 205), ""),
    "masked": ((255, 190, 120), ""),
    "random": ((240, 150, 160), "~"),
    "kept": ((255, 235, 130), "="),
    "first": ((170, 210, 255), ""),
    "second": ((190, 235, 180), "'"),
    "padding": ((245, 245, 245), ""),
    "right": ((170, 230, 170), "+"),
}


@dataclass
class Note:
    """A sentence."""

    text: str


@dataclass
class Tokens:
    """Words in a row, each with a tone of `TONES`."""

    label: str
    words: Sequence[tuple[str, str]]


@dataclass
class Heat:
    """A matrix; `rows` and `columns` are its labels. Values are shown between the smallest and the largest."""

    title: str
    values: Sequence[Sequence[float]]
    rows: Sequence[str]
    columns: Sequence[str]


@dataclass
class Bars:
    """Labelled amounts, none negative."""

    title: str
    amounts: Sequence[tuple[str, float]]


@dataclass
class Curves:
    """Series over one axis."""

    title: str
    x: Sequence[float]
    series: Mapping[str, Sequence[float]]


Block = Note | Tokens | Heat | Bars | Curves


@dataclass
class Picture:
    """Blocks under one title."""

    title: str
    blocks: list[Block] = field(default_factory=list)


def number(value: float) -> str:
    """A number for a reader."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def span(values: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The smallest and the largest of all values."""
    flat = [value for row in values for value in row]
    return (min(flat), max(flat)) if flat else (0.0, 1.0)


def share(value: float, low: float, high: float) -> float:
    """Where a value stands between two others: 0..1."""
    return (value - low) / (high - low) if high > low else 0.0
