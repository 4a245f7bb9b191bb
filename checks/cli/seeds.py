"""`litebert seeds`: the statistical checks on the reference, from many seeds."""

import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

import click


@click.command("seeds")
@click.option("--count", type=click.IntRange(1), default=1000, show_default=True, help="How many seeds.")
@click.option(
    "--share",
    type=click.FloatRange(0.01, 1),
    default=0.05,
    show_default=True,
    help="The part of its draws that a check makes for a seed; 1: as many as a learner's run.",
)
@click.option("--jobs", type=click.IntRange(1), help="Processes side by side (default: one a core).")
@click.option("--record", type=click.Path(path_type=Path), help="Also write the result to this JSON file.")
def command(count: int, share: float, jobs: int | None, record: Path | None) -> None:
    """Run the statistical checks on the reference from many seeds and count the false alarms.

    The counts of all seeds together are judged too: they show a share that is wrong by little. For
    maintainers: it needs solutions/. Exit code 1 on any alarm.
    """
    from rich.progress import Progress

    from checks.gate.report import write
    from checks.gate.seeds import AT_ONCE, SEEDED, biases, merged, run

    start = perf_counter()
    pieces = []
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("seeds", total=len(SEEDED) * -(-count // AT_ONCE))
        for piece in run(count, share, jobs):
            pieces.append(piece)
            progress.advance(bar)
    seconds = perf_counter() - start
    counts = merged(pieces)
    seeds: Counter[str] = Counter()
    for piece in pieces:
        seeds[piece.lesson] += piece.seeds
    alarms = [alarm for piece in pieces for alarm in piece.alarms] + biases(counts)
    for alarm in alarms:
        click.echo(f"  {alarm}")
    draws = sum(int(judged.trials.max()) for judged in counts.values())
    click.echo(
        f"{len(alarms)} false alarms of {len({judged.check for judged in counts.values()})} checks, "
        f"seeds by lesson {dict(seeds)}, {draws:,} draws judged, {seconds:.0f} s"
    )
    if record:
        figures = {
            "seeds": dict(seeds),
            "share of the draws": share,
            "draws": draws,
            "false alarms": len(alarms),
            "seconds": round(seconds),
        }
        write(record, figures)
    sys.exit(bool(alarms))
