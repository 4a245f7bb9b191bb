"""`litebert watch`: a verdict after each save."""

from typing import Any

import click

from .common import LessonName, subject_option


@click.command("watch")
@click.argument("lessons", nargs=-1, type=LessonName())
@subject_option
@click.option("--poll", is_flag=True, help="Look at the files again and again, as network drives need it.")
def command(lessons: tuple[str, ...], subject: str, poll: bool) -> None:
    """Check LESSONS (without any, whichever you save) after each save, until Ctrl-C.

    Each verdict runs in a process of its own, so that nothing that a lesson does ends the watch. A save while
    a verdict is on its way starts it again.

    \b
    Examples:
      litebert watch
      litebert watch attention
      litebert watch 5 6 --poll
    """
    from checks.workbench.watching import watch

    watch(lessons, subject, poll, _say)


def _say(line: str, **style: Any) -> None:
    click.echo(click.style(line, **style))
