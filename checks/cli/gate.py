"""`litebert gate`: prove the checks on every mutant, variant and do-nothing subject."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from time import perf_counter

import click

from checks.curriculum import LESSONS, ROOT

from .common import LessonName


@click.command("gate")
@click.argument("lessons", nargs=-1, type=LessonName())
@click.option(
    "--full", is_flag=True, help="Every mutant against every check of its lesson, not its named check only."
)
@click.option("--jobs", type=click.IntRange(1), help="Processes side by side (default: one a core).")
@click.option("--record", type=click.Path(path_type=Path), help="Also write the table to this JSON file.")
def command(lessons: tuple[str, ...], full: bool, jobs: int | None, record: Path | None) -> None:
    """Prove the checks: mutants are killed, right variants pass, do-nothing code fails everything.

    For maintainers: it needs solutions/, checks/mutants and checks/variants. Exit code 1 on any fault.
    """
    from checks.gate.gate import run_tasks, tasks
    from checks.gate.report import progress, table_text
    from checks.gate.tally import tally
    from checks.gate.vacuous import vacuous

    chosen = lessons or tuple(lesson.module for lesson in LESSONS)
    start = perf_counter()
    every = tasks(chosen)
    outcomes = list(progress(run_tasks(every, full, jobs), len(every)))
    result = tally(outcomes, chosen)
    for lesson in chosen:
        result.faults.extend(vacuous(ROOT / "checks" / f"test_{lesson}.py"))
    click.echo(table_text(result))
    for fault in result.faults:
        click.echo(f"  {fault}")
    click.echo(f"{len(result.faults)} faults, {len(every)} subjects in {perf_counter() - start:.0f} s")
    if record:
        _write(record, result)
    sys.exit(bool(result.faults))


def _write(target: Path, result: object) -> None:
    from checks.gate.report import rows_of

    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    head = {
        "command": " ".join(["litebert", *sys.argv[1:]]),
        "date": date.today().isoformat(),
        "commit": commit.stdout.strip(),
    }
    target.write_text(json.dumps(head | {"rows": rows_of(result)}, indent=1) + "\n", encoding="utf-8")  # type: ignore[arg-type]
