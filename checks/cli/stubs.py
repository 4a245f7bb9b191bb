"""`litebert stubs`: lessons/ from solutions/."""

from pathlib import Path

import click

from .reset import shown


@click.command("stubs")
@click.option("--check", "is_check", is_flag=True, help="Write nothing; say what differs.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Another folder than lessons/.")
@click.pass_context
def command(ctx: click.Context, is_check: bool, out: Path | None) -> None:
    """Make the stubs in lessons/ from the solutions.

    A file that is not an untouched stub is copied to .litebert/backups/ before it is overwritten. With
    --check the exit code is 1 where anything differs.
    """
    from checks.stubs import check, sync, write_stubs

    folder = out or sync.LESSONS_FOLDER
    if is_check:
        problems = check(folder)
        for problem in problems:
            click.echo(problem)
        click.echo(
            f"{len(problems)} differences (`litebert stubs` writes them anew)" if problems else "stubs agree"
        )
        ctx.exit(1 if problems else 0)
    results = write_stubs(folder)
    for result in results:
        if result.backup:
            click.echo(f"{shown(result.path)} had been changed: the old text is in {shown(result.backup)}")
    counts = {state: sum(result.state == state for result in results) for state in ("new", "updated", "same")}
    said = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    click.echo(
        f"{len(results)} stubs in {shown(folder)}: {said}" if results else "there are no solutions yet"
    )
