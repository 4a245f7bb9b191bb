"""The gate's table, its record in a file and in the README, and the progress bar."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import Progress

from checks.curriculum import BY_NAME, ROOT
from checks.gate.gate import Outcome
from checks.gate.tally import Tally

STARTED = perf_counter()
HEADS = ("lesson", "exercises", "mutants", "killed", "mistake named", "variants", "accepted", "CPU seconds")
README = ROOT / "README.md"
RECORD = ROOT / "docs" / "results" / "gate.json"
BLOCK = re.compile(r"<!-- gate -->\n.*?<!-- end of gate -->", re.DOTALL)


def progress(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    """Pass outcomes on while a bar on standard error shows how far they are."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        job = bar.add_task("gate", total=total)
        for outcome in outcomes:
            bar.update(job, advance=1, description=f"{outcome.task.lesson} {outcome.task.kind}")
            yield outcome


def rows_of(result: Tally) -> list[dict[str, Any]]:
    """The rows as plain data, with which check killed how many."""
    return [
        asdict(row) | {"killers": dict(sorted(row.killers.items())), "seconds": round(row.seconds, 1)}
        for row in result.rows.values()
    ]


def table(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Cells of the table, a total last."""
    names = [f"{BY_NAME[row['lesson']].number} {row['lesson']}" for row in rows]
    keys = ("exercises", "mutants", "killed", "named", "with_mistake", "variants", "accepted", "seconds")
    sums = {key: sum(row[key] for row in rows) for key in keys}
    cells = [_cells(name, row) for name, row in zip(names, rows, strict=True)]
    return [list(HEADS), *cells, _cells("all", sums)]


def _cells(name: str, row: dict[str, Any]) -> list[str]:
    return [
        name,
        *map(str, (row["exercises"], row["mutants"], row["killed"])),
        f"{row['named']} of {row['with_mistake']}",
        *map(str, (row["variants"], row["accepted"])),
        f"{row['seconds']:.0f}",
    ]


def table_text(rows: list[dict[str, Any]]) -> str:
    """The table in aligned columns."""
    cells = table(rows)
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADS))]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def table_markdown(rows: list[dict[str, Any]]) -> str:
    """The table in Markdown."""
    head, *body = table(rows)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def head() -> dict[str, str]:
    """What was run, when, and at which commit: the first lines of every record."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    command = " ".join(["litebert", *sys.argv[1:]])
    return {"command": command, "date": date.today().isoformat(), "commit": commit.stdout.strip()}


def write(target: Path, content: dict[str, Any]) -> None:
    """A record: its head, then the content."""
    target.parent.mkdir(parents=True, exist_ok=True)
    seconds = round(perf_counter() - STARTED, 1)
    target.write_text(
        json.dumps(head() | {"seconds": seconds, "values": content}, indent=1) + "\n", encoding="utf-8"
    )


def block(record: dict[str, Any]) -> str:
    """The README's block, made from a record of the whole gate."""
    table = table_markdown(record["values"]["rows"])
    said = f"`{record['command']}` on {record['date']} at commit {record['commit']}."
    return f"<!-- gate -->\n{table}\n\n{said}\n<!-- end of gate -->"


def write_readme(record: dict[str, Any]) -> None:
    """Put the record's table between the README's marks."""
    text = README.read_text(encoding="utf-8")
    if len(BLOCK.findall(text)) != 1:
        raise ValueError("README.md: expected one block from <!-- gate --> to <!-- end of gate -->")
    README.write_text(BLOCK.sub(lambda _: block(record), text), encoding="utf-8")
