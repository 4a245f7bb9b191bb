"""Reads back what `checks.experiments.report.write` wrote into a folder: texts, tables and charts, as plain data.

    {"title": ..., "lead": [texts], "sections": [{"title", "text", "tables", "charts"}]}

Texts and tables come from summary.md, the charts' numbers from report.html, rounded to four digits.
"""

import json
import re
from pathlib import Path
from typing import Any

CHARTS = re.compile(r'<script type="application/json" id="charts">(.*?)</script>', re.DOTALL)
PICTURE = re.compile(r"!\[.*\]\((?P<name>[\w-]+)\.png\)")
CAPTION = re.compile(r"\*\*(?P<caption>.+)\*\*")
DIGITS = 4


def read_report(folder: Path) -> dict[str, Any]:
    """The report of an experiment; ValueError when the folder holds none."""
    for name in ("summary.md", "report.html"):
        if not (folder / name).exists():
            raise ValueError(f"{folder.name}: got a folder without {name}, expected a finished report")
    charts = read_charts(folder)
    head, *parts = re.split(r"^## ", (folder / "summary.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    title, *lead = blocks(head)
    return {
        "title": title.removeprefix("# "),
        "lead": lead,
        "sections": [section(part, charts) for part in parts],
    }


def read_charts(folder: Path) -> dict[str, dict[str, Any]]:
    """The charts of a folder's report.html by name."""
    found = CHARTS.search((folder / "report.html").read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{folder.name}: report.html holds no charts")
    return {chart["name"]: rounded(chart) for chart in json.loads(found[1])}


def section(markdown: str, charts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One section: paragraphs, then tables with their captions, then pictures."""
    title, *parts = blocks(markdown)
    made: dict[str, Any] = {"title": title, "text": [], "tables": [], "charts": []}
    caption = ""
    for part in parts:
        if part.startswith("| "):
            made["tables"].append({"caption": caption, **table(part)})
            caption = ""
        elif found := PICTURE.fullmatch(part):
            made["charts"].append(charts[found["name"]])
        elif found := CAPTION.fullmatch(part):
            caption = found["caption"]
        else:
            made["text"].append(part)
    return made


def blocks(markdown: str) -> list[str]:
    """The parts between empty lines; the first is a heading."""
    return [part.strip("\n") for part in re.split(r"\n\n+", markdown) if part.strip()]


def table(markdown: str) -> dict[str, Any]:
    """A Markdown table as a heading and rows."""
    heading, _, *rows = (line[2:-2].split(" | ") for line in markdown.splitlines())
    return {"heading": heading, "rows": rows}


def rounded(value: Any) -> Any:
    """The same with every float at four digits."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value
