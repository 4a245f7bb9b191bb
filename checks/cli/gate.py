"""`litebert gate`: prove the checks on every mutant, variant and do-nothing subject."""

import json
import sys
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
@click.option(
    "--outside",
    is_flag=True,
    help="Instead: programs of a mutation tool, and how mistakes are named in them.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Inputs drawn from this seed, as a learner or a grader may meet them (default: the fixed ones of CI).",
)
@click.option("--jobs", type=click.IntRange(1), help="Processes side by side (default: one a core).")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Also write the result to this JSON file; docs/results/gate.json goes into the README too.",
)
def command(
    lessons: tuple[str, ...],
    full: bool,
    outside: bool,
    seed: int | None,
    jobs: int | None,
    record: Path | None,
) -> None:
    """Prove the checks: mutants are killed, right variants pass, do-nothing code fails everything.

    For maintainers: it needs solutions/, checks/mutants and checks/variants. Exit code 1 on any fault.
    """
    from checks.gate.gate import missing
    from checks.gate.report import RECORD
    from checks.judge.counted import counted

    if outside and seed is not None:
        raise click.UsageError("--seed goes with the bank, not with --outside")
    if record and record.resolve() == RECORD and (lessons or full or outside or seed is not None):
        raise click.UsageError(
            f"{record} is the record of the plain gate: leave the lessons and other options out"
        )
    chosen = lessons or tuple(lesson.module for lesson in LESSONS)
    gaps = [gap for lesson in chosen for gap in missing(lesson)]
    whole = tuple(lesson for lesson in chosen if not missing(lesson))
    start = perf_counter()
    faults, count = _outside(whole, full, jobs, record) if outside else _bank(whole, full, seed, jobs, record)
    for fault in gaps + faults:
        click.echo(f"  {fault}")
    seconds = perf_counter() - start
    click.echo(f"{counted(len(gaps + faults), 'fault')}, {counted(count, 'subject')} in {seconds:.0f} s")
    sys.exit(bool(gaps + faults))


def _bank(
    lessons: tuple[str, ...], full: bool, seed: int | None, jobs: int | None, record: Path | None
) -> tuple[list[str], int]:
    from checks.gate import report
    from checks.gate.gate import run_tasks, tasks
    from checks.gate.tally import tally
    from checks.gate.vacuous import vacuous

    every = tasks(lessons)
    outcomes = list(report.progress(run_tasks(every, full, jobs, seed), len(every)))
    result = tally(outcomes, lessons)
    for lesson in lessons:
        result.faults.extend(vacuous(ROOT / "checks" / f"test_{lesson}.py"))
    click.echo(report.table_text(report.rows_of(result)))
    if record:
        report.write(record, {"rows": report.rows_of(result), "faults": result.faults})
        if record.resolve() == report.RECORD:
            report.write_readme(json.loads(record.read_text(encoding="utf-8")))
    return result.faults, len(every)


def _outside(
    lessons: tuple[str, ...], full: bool, jobs: int | None, record: Path | None
) -> tuple[list[str], int]:
    from checks.gate import naming, report

    results = []
    for result in naming.judge_all(lessons, 10_000 if full else naming.PER_LESSON, jobs):
        results.append(result)
        if sys.stderr.isatty():
            click.echo(f"\r{len(results)} programs", nl=False, err=True)
    review = naming.reviewed()
    figures = naming.figures(results, review)
    for name, value in figures.items():
        click.echo(f"{name:16} {value}")
    if record:
        report.write(record, figures)
    return naming.faults(results, review), len(results)
