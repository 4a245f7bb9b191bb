"""`litebert notebook`: the notebook for Kaggle and Colab."""

from pathlib import Path

import click

from .reset import shown


@click.command("notebook")
@click.option("--check", "is_check", is_flag=True, help="Write nothing; exit code 1 where the file differs.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Another file.")
@click.pass_context
def command(ctx: click.Context, is_check: bool, out: Path | None) -> None:
    """Make docs/notebook/capstone.ipynb, or compare it with its source.

    The notebook runs the capstone's experiments on a free GPU of Kaggle or Colab in under half an hour. It is made
    from checks/experiments/notebook.py and holds no outputs.
    """
    from checks.experiments.notebook import PATH, difference, notebook_text

    path = out or PATH
    if is_check:
        problem = difference(path)
        click.echo(f"{problem} (`litebert notebook` writes it anew)" if problem else "the notebook agrees")
        ctx.exit(1 if problem else 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(notebook_text(), encoding="utf-8")
    click.echo(f"written: {shown(path)}")


notebook = command
