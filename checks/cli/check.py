"""`litebert check`: the checks of some lessons."""

import click

from .common import LessonName, run_pytest, subject_option


@click.command("check")
@click.argument("lessons", nargs=-1, type=LessonName())
@subject_option
@click.option("--pytest", "extra", multiple=True, metavar="OPTION", help="Hand an option on to pytest.")
@click.pass_context
def command(ctx: click.Context, lessons: tuple[str, ...], subject: str, extra: tuple[str, ...]) -> None:
    """Check LESSONS, given by name or number; without any, all of them.

    The exit code is 0 only if every selected check passed.

    \b
    Examples:
      litebert check attention
      litebert check 5 6
      litebert check masking --subject ../my-solution
      litebert check masking --pytest=--pdb
    """
    chosen = [f"--lesson={lesson}" for lesson in lessons]
    ctx.exit(run_pytest([f"--subject={subject}", *chosen, *extra]))
