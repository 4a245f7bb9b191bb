"""report.html: one file without network, for a light and a dark screen, with tables and live pictures."""

import html
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checks.experiments.report import Report, Section, Table

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
script-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<header><h1>{title}</h1><button id="theme" type="button">Light or dark</button></header>
<main>
{body}
</main>
<script type="application/json" id="charts">{charts}</script>
<script>
{script}
</script>
</body>
</html>
"""


def page(report: "Report") -> str:
    """The whole page."""
    body = [f"<p>{prose(text)}</p>" for text in report.lead]
    number = 0
    for section in report.sections:
        body.append(_section(section, number))
        number += len(section.charts)
    return PAGE.format(
        title=html.escape(report.title),
        style=_asset("report.css"),
        script=_asset("report.js"),
        body="\n".join(body),
        charts=for_script([chart.plain() for chart in report.charts]),
    )


def prose(text: str) -> str:
    """A paragraph's text, escaped, with `code` and **bold**."""
    escaped = html.escape(text, quote=False)
    escaped = re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", escaped)


def for_script(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _section(section: "Section", first_chart: int) -> str:
    parts = [f"<section><h2>{html.escape(section.title)}</h2>"]
    parts += [f"<pre>{html.escape(t[4:])}</pre>" if t.startswith("    ") else f"<p>{prose(t)}</p>"
              for t in section.text]  # fmt: skip
    parts += [_table(table) for table in section.tables]
    for k, chart in enumerate(section.charts):
        parts.append(
            f'<figure data-chart="{first_chart + k}"><figcaption>{html.escape(chart.title)}</figcaption></figure>'
        )
    return "\n".join([*parts, "</section>"])


def _table(table: "Table") -> str:
    head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in table.heading)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    inside = f"{caption}<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody>"
    return f'<div class="scroll" tabindex="0"><table>{inside}</table></div>'


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8").strip()
