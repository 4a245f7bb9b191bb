"""`litebert seeds`: the statistical checks on the reference, from many seeds."""

import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

import click


@click.command("seeds")
@click.option("--count", type=click.IntRange(1), default=1000, show_default=True, help="How many seeds.")
@click.option("--jobs", type=click.IntRange(1), help="Processes side by side (default: one a core).")
@click.option("--record", type=click.Path(path_type=Path), help="Also write the result to this JSON file.")
def command(count: int, jobs: int | None, record: Path | None) -> None:
    """Run the statistical checks on the reference from many seeds and count the false alarms.

    For maintainers: it needs solutions/. Exit code 1 on any alarm.
    """
    from checks.gate.report import write
    from checks.gate.seeds import run

    start = perf_counter()
    seeds: Counter[str] = Counter()
    alarms: list[str] = []
    for lesson, done, found in run(count, jobs):
        seeds[lesson] += done
        alarms += found
    seconds = perf_counter() - start
    for alarm in alarms:
        click.echo(f"  {alarm}")
    click.echo(f"{len(alarms)} false alarms, seeds by lesson {dict(seeds)}, {seconds:.0f} s")
    if record:
        write(record, {"seeds": dict(seeds), "false alarms": len(alarms), "seconds": round(seconds)})
    sys.exit(bool(alarms))
