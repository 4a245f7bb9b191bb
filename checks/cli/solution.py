"""`litebert solution`: the reference, to compare with."""

import sys

import click

from .common import LessonName, subject_option


@click.command("solution")
@click.argument("lesson", type=LessonName())
@click.option("--force", is_flag=True, help="Show it although the lesson does not pass yet.")
@subject_option
def command(lesson: str, force: bool, subject: str) -> None:
    """Show the reference of LESSON, once your own code passes its checks.

    A release for learners may come without solutions.

    \b
    Examples:
      litebert solution attention
      litebert solution attention --force | less
    """
    from checks.curriculum import ROOT

    path = ROOT / "solutions" / f"{lesson}.py"
    if not path.is_file():
        raise click.ClickException(f"this release has no solutions: {path.relative_to(ROOT)} is not there")
    if not force:
        from checks.workbench.judging import require_green

        require_green(lesson, subject, "the solution")
    text = path.read_text(encoding="utf-8")
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    console = Console()
    with console.pager(styles=True):
        console.print(Syntax(text, "python", line_numbers=True, background_color="default"))
