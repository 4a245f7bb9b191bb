"""A report as data, and as files: summary.md, its pictures and report.html."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from checks.experiments.charts import Chart
from checks.experiments.html import page
from checks.experiments.png import draw
from lessons.given.engine.run_folder import write_atomically


class Table(NamedTuple):
    """Rows of text under a heading row; `caption` says what it is of."""

    caption: str
    heading: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.heading, ["---"] * len(self.heading), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


class Section(NamedTuple):
    """A part of a report: paragraphs, then tables, then charts."""

    title: str
    text: list[str]
    tables: list[Table] = []  # noqa: RUF012  # never written to
    charts: list[Chart] = []  # noqa: RUF012


class Report(NamedTuple):
    """What an experiment found. `data` is the same in numbers, for results.json."""

    title: str
    lead: list[str]
    sections: list[Section]
    data: dict[str, Any] = {}  # noqa: RUF012

    def markdown(self, pictures: bool = True) -> str:
        """The report in Markdown, with links to its pictures."""
        parts = [f"# {self.title}", *self.lead]
        for section in self.sections:
            parts += [f"## {section.title}", *section.text]
            for table in section.tables:
                parts += [f"**{table.caption}**" if table.caption else "", table.markdown()]
            parts += [f"![{chart.title}]({chart.name}.png)" for chart in section.charts if pictures]
        return "\n\n".join(part for part in parts if part) + "\n"

    @property
    def charts(self) -> list[Chart]:
        """All charts in order."""
        return [chart for section in self.sections for chart in section.charts]


def write(report: Report, out: Path) -> None:
    """Write summary.md, a PNG a chart, results.json and report.html into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    for chart in report.charts:
        draw(chart, out / f"{chart.name}.png")
    write_text(out / "summary.md", report.markdown())
    write_text(out / "results.json", json.dumps(report.data, indent=1, default=str) + "\n")
    write_text(out / "report.html", page(report))


def write_text(path: Path, text: str) -> None:
    """Write the file in whole or not at all."""
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
