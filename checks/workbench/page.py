"""Pictures as one HTML file that needs nothing else."""

from collections.abc import Callable
from html import escape

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

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222 }
.word { padding: .1rem .35rem; margin: .1rem; border-radius: .3rem; display: inline-block }
table { border-collapse: collapse; font-size: .75rem } td { width: 1.4rem; height: 1.4rem }
th { font-weight: normal; padding: 0 .3rem } .bar { background: #3b6fb6; height: .9rem; display: inline-block }
dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem .8rem } dd { margin: 0 } svg { max-width: 100% }
"""
COLOURS = ("#3b6fb6", "#c4572e", "#3f8f4f", "#7a4fa3", "#8a6d1f", "#555555")


def text(picture: Picture) -> str:
    """The page."""
    body = "\n".join(DRAWN[type(block)](block) for block in picture.blocks)
    title = escape(picture.title)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n<h1>{title}</h1>\n{body}\n</html>\n"
    )


def _note(block: Note) -> str:
    return f"<p style='white-space: pre-wrap'>{escape(block.text)}</p>"


def _tokens(block: Tokens) -> str:
    words = "".join(
        f'<span class="word" title="{tone}" style="background: rgb{TONES[tone][0]}">{escape(word)}</span>'
        for word, tone in block.words
    )
    return f"<p>{escape(block.label)}: {words}</p>"


def _heat(block: Heat) -> str:
    low, high = span(block.values)
    head = "".join(f"<th>{escape(column)}</th>" for column in block.columns)
    rows = []
    for label, row in zip(block.rows, block.values, strict=True):
        cells = "".join(
            f'<td title="{value:.4g}" style="background: rgba(59, 111, 182, {share(value, low, high):.3f})"></td>'
            for value in row
        )
        rows.append(f"<tr><th>{escape(label)}</th>{cells}</tr>")
    return f"<h2>{escape(block.title)}</h2>\n<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def _bars(block: Bars) -> str:
    most = max((amount for _, amount in block.amounts), default=0) or 1
    items = "".join(
        f'<dt>{escape(label)}</dt><dd><span class="bar" style="width: {75 * amount / most:.2f}%"></span> '
        f"{number(amount)}</dd>"
        for label, amount in block.amounts
    )
    return f"<h2>{escape(block.title)}</h2>\n<dl>{items}</dl>"


def _curves(block: Curves) -> str:
    low, high = span(list(block.series.values()))
    first, last = min(block.x), max(block.x)
    paths, names = [], []
    for k, (name, values) in enumerate(block.series.items()):
        colour = COLOURS[k % len(COLOURS)]
        points = " ".join(
            f"{10 + 580 * share(x, first, last):.1f},{190 - 170 * share(y, low, high):.1f}"
            for x, y in zip(block.x, values, strict=True)
        )
        paths.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>')
        names.append(f'<span style="color: {colour}">{escape(name)}</span>')
    caption = f"{', '.join(names)}; from {number(low)} to {number(high)}"
    return (
        f'<h2>{escape(block.title)}</h2>\n<svg viewBox="0 0 600 200" role="img" aria-label="{escape(block.title)}">'
        f"{''.join(paths)}</svg>\n<p>{caption}</p>"
    )


DRAWN: dict[type[Block], Callable[..., str]] = {
    Note: _note,
    Tokens: _tokens,
    Heat: _heat,
    Bars: _bars,
    Curves: _curves,
}
