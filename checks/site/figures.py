"""The `figure` fence: a place for one of the site's interactive figures, with its text alternative.

    ```figure
    kind: masking
    title: Masking, played
    text: What the figure shows, in words; it stays in the page without scripts.
    ```

A kind with a script fills its frame in the browser, and every other key becomes a data attribute that the
script reads. A kind of checks/site/charts.py is drawn when the site is built, from recorded results, and `depth`
of checks/site/depth.py from the oracle's numbers.
"""

import json
from html import escape
from typing import Any

import yaml
from pymdownx.superfences import SuperFencesException

from checks.site import charts, depth, plots
from checks.site.quiz_html import to_html
from checks.site.results import load

SCRIPTED = ("masking", "calculator", "attention")
DRAWN = {
    "curves": charts.curves,
    "matrix": charts.matrix,
    "depth": depth.depth,
    "chart": plots.recorded,
}
KINDS = (*SCRIPTED, *DRAWN)


def fence(source: str, language: str, css_class: str, options: object, md: object, **_: object) -> str:
    """SuperFences' formatter: the figure's frame, and what is drawn at build."""
    data = yaml.safe_load(source)
    if isinstance(data, dict) and data.get("kind") == "chart":
        data = _told(data)
    if not isinstance(data, dict) or data.get("kind") not in KINDS or not {"title", "text"} <= set(data):
        raise SuperFencesException(f"figure: expected title, text and a kind among {', '.join(KINDS)}")
    name = str(data.get("id", data["kind"]))
    attributes, stage = f'data-kind="{data["kind"]}"', ""
    if data["kind"] in DRAWN:
        try:
            stage = DRAWN[data["kind"]](data)
        except (KeyError, ValueError) as error:
            raise SuperFencesException(f"figure {name}: {error}") from error
    else:
        if "results" in data:
            stage = _given(data["results"])
        rest = {key: value for key, value in data.items() if key not in ("id", "kind", "title", "text")}
        attributes += "".join(f' data-{key}="{escape(str(value))}"' for key, value in rest.items())
    return (
        f'<figure class="lb-figure" id="figure-{name}" aria-labelledby="figure-{name}-title" {attributes}>\n'
        f'<figcaption><strong id="figure-{name}-title">{escape(data["title"])}</strong>\n'
        f'<div class="lb-figure__text">{to_html(str(data["text"]))}</div></figcaption>\n'
        f'<div class="lb-figure__stage">{stage}</div>\n</figure>'
    )


def _given(results: str) -> str:
    """A results file's values for the figure's script."""
    try:
        values = load(results)["values"]
    except ValueError as error:
        raise SuperFencesException(f"figure: {error}") from error
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


def _told(data: dict[str, Any]) -> dict[str, Any]:
    """A recorded chart brings its own title and text alternative."""
    try:
        return {**plots.words(data), **data}
    except (KeyError, ValueError) as error:
        raise SuperFencesException(f"figure: {error}") from error
