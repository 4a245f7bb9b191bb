"""`litebert hidden-template`: unpublished checks to start from."""

from pathlib import Path

import click


@click.command("hidden-template")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Write a template of unpublished checks to FOLDER.

    It holds a README and two checks of lesson 1 to replace. A file that is there is never overwritten.

    \b
    Example:
      litebert hidden-template ../hidden
      litebert grade submissions --out graded --hidden ../hidden
    """
    from checks.grade.hidden_template import write_template

    for path in write_template(folder):
        click.echo(path)
    click.echo(f"prove them with `litebert hidden-gate {folder}`")
