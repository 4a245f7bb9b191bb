"""HTML in which nothing can be forgotten: every text is escaped unless it was made here."""

from html import escape
from typing import Any

VOID = {"rect", "line", "circle", "path", "meta", "br", "polyline"}


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def el(tag: str, *children: Any, **attributes: Any) -> Html:
    """An element. Children that are not `Html` are escaped, lists are joined, None is left out.

    `class_` is class, other underscores become hyphens.

    >>> el("p", "a < b", class_="x")
    '<p class="x">a &lt; b</p>'
    """
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    inside = "".join(map(_child, children))
    if tag in VOID and not inside:
        return Html(f"<{tag}{told}/>")
    return Html(f"<{tag}{told}>{inside}</{tag}>")


def _child(child: Any) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, list | tuple):
        return "".join(map(_child, child))
    return escape(str(child), quote=False)


def prose(text: str) -> list[Html | str]:
    """Text whose stretches between backticks are code."""
    return [el("code", part) if number % 2 else part for number, part in enumerate(text.split("`"))]


def table(heads: list[Any], rows: list[list[Any]], caption: str = "") -> Html:
    """A table that scrolls on narrow screens; the first cell of a row heads it."""
    head = el("tr", [el("th", cell, scope="col") for cell in heads])
    body = [el("tr", el("th", row[0], scope="row"), [el("td", cell) for cell in row[1:]]) for row in rows]
    told = el("caption", caption) if caption else None
    return el("div", el("table", told, el("thead", head), el("tbody", body)), class_="wide", tabindex="0")


def page(title: str, *body: Any) -> Html:
    """A whole page: one file, no network, light or dark as the reader's system is."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("style", Html(STYLE)),
    )
    return Html("<!doctype html>\n" + el("html", head, el("body", el("main", *body)), lang="en") + "\n")


STYLE = """
:root{--page:#fbfcfd;--card:#fff;--ink:#17212b;--soft:#566471;--line:#d5dde4;--bar:#e6ecf1;--link:#175a8e;
--good:#1d7a3f;--bad:#b42318;--wait:#9a6700;--open:#8795a1;--accent:#24618f;--code:#f2f5f7}
@media(prefers-color-scheme:dark){:root{--page:#10171e;--card:#18222c;--ink:#e8eef3;--soft:#a4b2be;--line:#31404d;
--bar:#263441;--link:#93c7f2;--good:#57c27d;--bad:#ff8a7a;--wait:#e0b04a;--open:#748493;--accent:#6db1e4;--code:#131c25}}
*{box-sizing:border-box}
body{margin:0;overflow-wrap:anywhere;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:68rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:.2rem 0}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem}h3{font-size:1rem;margin:0}
p{margin:.4rem 0}a{color:var(--link)}.soft{color:var(--soft)}.small{font-size:.85rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.8rem;margin:1rem 0}
.card,section.lesson{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem}
.card b{display:block;font-size:1.5rem;line-height:1.3}
section.lesson{margin:.8rem 0}section.lesson>header{display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap}
section.lesson>header .points{margin-left:auto;font-variant-numeric:tabular-nums}
.state{font-size:.8rem;font-weight:600;border:1px solid currentColor;border-radius:1rem;padding:0 .55rem}
.done{color:var(--good)}.wrong{color:var(--bad)}.waiting{color:var(--wait)}.todo{color:var(--soft)}
.check{border-top:1px solid var(--line);margin-top:.7rem;padding-top:.6rem}
.mistake{border-left:4px solid var(--bad);padding:.1rem 0 .1rem .8rem;margin:.5rem 0}
pre{background:var(--code);border:1px solid var(--line);border-radius:.4rem;padding:.6rem .8rem;margin:.5rem 0;
font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);padding:.2rem 0}
th,td{text-align:left;font-weight:normal;padding:.3rem .7rem .3rem 0;vertical-align:top;
border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-size:.8rem}td{font-variant-numeric:tabular-nums}
svg{display:block;width:100%;height:auto}svg text{fill:var(--ink);font:12px system-ui,sans-serif}
svg text.soft{fill:var(--soft)}.f-bar{fill:var(--bar)}.f-good{fill:var(--good)}.f-bad{fill:var(--bad)}
.f-wait{fill:var(--wait)}.f-open{fill:var(--open)}.f-accent{fill:var(--accent)}.s-line{stroke:var(--line)}
.s-ink{stroke:var(--ink);stroke-dasharray:4 3}
summary{cursor:pointer}details{margin:.5rem 0}
ul{padding-left:1.2rem}
@media print{body{background:#fff}.card,section.lesson{break-inside:avoid}}
"""
