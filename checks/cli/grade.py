"""`litebert grade`: a class, from what a learning platform exports to a gradebook."""

import os
import sys
from pathlib import Path
from typing import Any

import click

FILE = click.Path(exists=True, path_type=Path)


@click.command("grade")
@click.argument("submissions", type=FILE)
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Where results go."
)
@click.option("--jobs", type=click.IntRange(1), help="Submissions side by side (default: one a core).")
@click.option("--config", type=FILE, help="The instructor's course.toml.")
@click.option("--hidden", type=FILE, help="A folder of unpublished checks.")
@click.option("--sandbox", type=click.Choice(["bwrap", "uid"]), default="bwrap", show_default=True)
@click.option("--unsafe", is_flag=True, help="Run judged code without protection, in the grader's process.")
@click.option("--dask", metavar="ADDRESS", help="Grade on the Dask cluster of this scheduler.")
def command(
    submissions: Path,
    out: Path,
    jobs: int | None,
    config: Path | None,
    hidden: Path | None,
    sandbox: str,
    unsafe: bool,
    dask: str | None,
) -> None:
    """Grade SUBMISSIONS: a folder or zip file as Canvas, Moodle, Gradescope or GitHub Classroom export it.

    Results go to OUT: class.html, gradebook.csv, a page and a Gradescope file a learner. Killed anywhere, the
    same command goes on where it was. Exit code 1 where something could not be graded.
    """
    fix_the_hash_seed()
    from checks.grade.batch import Setting

    level = "unsafe" if unsafe else sandbox
    source, course, extra = (str(path.resolve()) if path else "" for path in (submissions, config, hidden))
    sys.exit(grade(Setting(source, course, extra, level), out, jobs, dask))


def grade(setting: Any, out: Path, jobs: int | None, dask: str | None = None, kept: bool = False) -> int:
    """Run a batch and write its reports; the exit code."""
    from checks.grade.seeds import use_the_graders_profile

    use_the_graders_profile()
    from checks.grade.batch import Batch, Canary
    from checks.grade.progress import Live
    from checks.grade.reports.write import write_reports
    from checks.grade.results import make_results

    batch = Batch(out, setting)
    found = batch.kept() if kept else batch.submissions()
    pool = open_pool(batch, jobs, dask)
    try:
        with Live(len(found)) as live:
            records = batch.run(found, pool, live.done, live.tick)
    except Canary as error:
        raise click.ClickException(str(error)) from None
    finally:
        close_pool(batch, pool)
    results = make_results(batch.course, found, records)
    write_reports(results, out)
    bad = [g for g in results.grades if g.state == "not graded"]
    for entry in bad:
        click.echo(f"not graded: {entry.assigned.student.id}: {'; '.join(entry.notes)}", err=True)
    for name in results.unknown:
        click.echo(f"not in the roster: {name}", err=True)
    click.echo(
        f"{len(results.graded)} graded, results in {out}: class.html, gradebook.csv, learners/, gradescope/"
    )
    return int(bool(bad or results.unknown))


def open_pool(batch: Any, jobs: int | None, dask: str | None) -> Any:
    """Forks of this process, with everything loaded before; or a cluster."""
    if dask:
        from checks.grade.cluster import DaskPool

        return DaskPool(dask)
    from checks.grade.pool import ForkPool

    batch.prepare()
    return ForkPool(jobs or os.cpu_count() or 1)


def close_pool(batch: Any, pool: Any) -> None:
    """End the sandbox or leave the cluster."""
    if hasattr(pool, "close"):
        pool.close()
    else:
        from checks.grade import isolation

        isolation.release(batch.setting.level)


def fix_the_hash_seed() -> None:
    """Start again with Python's hash seed fixed: the order of a set must not change a grade."""
    from checks.grade.seeds import HASH_SEED

    os.environ["OMP_NUM_THREADS"] = "1"  # tiny tensors: more threads only wait for each other
    called_as_command = Path(sys.argv[0]).stem in ("litebert", "main", "__main__")
    if os.environ.get("PYTHONHASHSEED") != HASH_SEED and called_as_command:
        os.environ["PYTHONHASHSEED"] = HASH_SEED
        os.execv(sys.executable, [sys.executable, "-m", "checks.cli.main", *sys.argv[1:]])
