"""The gate's table and progress bar."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.progress import Progress

from checks.curriculum import BY_NAME
from checks.gate.gate import Outcome
from checks.gate.tally import Tally

HEADS = ("lesson", "exercises", "mutants", "killed", "mistake named", "variants", "accepted", "seconds")


def progress(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    """Pass outcomes on while a bar on standard error shows how far they are."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        job = bar.add_task("gate", total=total)
        for outcome in outcomes:
            bar.update(job, advance=1, description=f"{outcome.task.lesson} {outcome.task.kind}")
            yield outcome


def rows_of(result: Tally) -> list[dict[str, Any]]:
    """The rows as plain data, with which check killed how many."""
    return [asdict(row) | {"killers": dict(sorted(row.killers.items()))} for row in result.rows.values()]


def table(result: Tally) -> list[list[str]]:
    """Cells of the table, a total last."""
    cells = [
        [
            f"{BY_NAME[row.lesson].number} {row.lesson}",
            *map(str, (row.exercises, row.mutants, row.killed)),
            f"{row.named} of {row.with_mistake}",
            *map(str, (row.variants, row.accepted)),
            f"{row.seconds:.1f}",
        ]
        for row in result.rows.values()
    ]
    rows = list(result.rows.values())
    sums = [
        sum(getattr(row, key) for row in rows)
        for key in ("exercises", "mutants", "killed", "variants", "accepted")
    ]
    named = f"{sum(row.named for row in rows)} of {sum(row.with_mistake for row in rows)}"
    total = [
        "all",
        *map(str, sums[:3]),
        named,
        *map(str, sums[3:]),
        f"{sum(row.seconds for row in rows):.1f}",
    ]
    return [list(HEADS), *cells, total]


def table_text(result: Tally) -> str:
    """The table in aligned columns."""
    cells = table(result)
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADS))]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def table_markdown(result: Tally) -> str:
    """The table in Markdown."""
    head, *body = table(result)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])
