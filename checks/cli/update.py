"""`litebert update`: a new release into a clone with work in it."""

from pathlib import Path

import click

from .reset import shown


@click.command("update")
@click.argument("source", required=False)
@click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
def command(source: str | None, dry_run: bool) -> None:
    """Bring new checks, pages and stubs from SOURCE in, and leave your code alone.

    SOURCE is the folder of a release, a git address (also ADDRESS@TAG), or REMOTE/BRANCH of this clone; left
    out, the branch that origin shows. Untouched stubs are replaced. A lesson that you have worked on stays as
    it is; where its stub has changed, the new one is put beside it. What is overwritten is copied first.

    \b
    Examples:
      litebert update
      litebert update ../litebert-0.2 --dry-run
      litebert update https://example.org/litebert.git@v0.2
    """
    from checks.curriculum import ROOT
    from checks.judge.counted import counted
    from checks.workbench.sources import opened
    from checks.workbench.updating import carry_out, plan

    with opened(source) as new:
        update = plan(new, ROOT)
        needs_install = Path("pyproject.toml") in update.written
        if not dry_run:
            carry_out(update, new, ROOT)
    would = "would be " if dry_run else ""
    replaced = [module for module, what in update.stubs.items() if what == "replaced"]
    click.echo(f"{counted(len(update.written), 'file')} {would}updated, {len(update.removed)} {would}removed")
    if replaced:
        click.echo(f"untouched stubs {would}replaced: {', '.join(replaced)}")
    for module, what in update.stubs.items():
        if what == "kept":
            click.echo(f"lessons/{module}.py holds your work: left alone")
        elif what == "changed":
            beside = "" if dry_run else f"; the new one is .litebert/new-stubs/{module}.py"
            click.echo(f"lessons/{module}.py holds your work: left alone. Its stub has changed{beside}")
    if update.backup:
        click.echo(f"what was there before is in {shown(update.backup)}")
    if needs_install and not dry_run:
        click.echo("pyproject.toml has changed: run `pip install -e .` again")
