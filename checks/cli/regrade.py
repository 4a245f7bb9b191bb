"""`litebert regrade`: the same batch again."""

import sys
from pathlib import Path

import click

from .grade import close_pool, fix_the_hash_seed, grade, open_pool


@click.command("regrade")
@click.argument("out", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--verify", "is_verify", is_flag=True, help="Change nothing; say what comes out differently.")
@click.option(
    "--only", multiple=True, metavar="KEY", help="With --verify: this submission only (repeatable)."
)
@click.option("--jobs", type=click.IntRange(1), help="Submissions side by side (default: one a core).")
@click.option("--dask", metavar="ADDRESS", help="Grade on the Dask cluster of this scheduler.")
def command(out: Path, is_verify: bool, only: tuple[str, ...], jobs: int | None, dask: str | None) -> None:
    """Grade the batch in OUT again, from what was taken in and with the same seeds.

    With --verify every record must come out the same. Without it, after a check was mended, the batch is graded
    anew; changes.csv lists whose points changed and by which checks. The old journal stays in OUT/work.
    """
    fix_the_hash_seed()
    from checks.grade.seeds import use_the_graders_profile

    use_the_graders_profile()
    from checks.grade.batch import Batch, load_setting
    from checks.grade.journal import read_journal
    from checks.grade.regrade import put_aside, verify, write_changes

    setting = load_setting(out)
    batch = Batch(out, setting)
    if is_verify:
        sys.exit(_verify(batch, verify, only, jobs, dask))
    before = read_journal(put_aside(batch))[1]
    code = grade(setting, out, jobs, dask, kept=True)
    rows = write_changes(batch, before, read_journal(batch.journal_path)[1])
    for key, lesson, old, new, checks in rows:
        click.echo(f"{key}: {lesson}: {old} -> {new}  {checks}")
    click.echo(f"{len({row[0] for row in rows})} submissions changed (changes.csv)")
    sys.exit(code)


def _verify(batch, verify, only, jobs, dask) -> int:  # type: ignore[no-untyped-def]
    from checks.grade.progress import Live

    pool = open_pool(batch, jobs, dask)
    try:
        with Live(len(only) or len(batch.kept())) as live:
            faults = verify(batch, pool, live.done, live.tick, only)
    finally:
        close_pool(batch, pool)
    for fault in faults:
        click.echo(fault)
    click.echo(f"{len(faults)} differences" if faults else "every record came out the same")
    return int(bool(faults))
