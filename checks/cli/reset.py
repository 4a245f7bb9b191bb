"""`litebert reset`: a lesson from its start again."""

import os
from pathlib import Path

import click

from .common import LessonName


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


@click.command("reset")
@click.argument("lesson", type=LessonName())
@click.option("--undo", "is_undo", is_flag=True, help="Put the last backup of this lesson back.")
def command(lesson: str, is_undo: bool) -> None:
    """Put the untouched stub of LESSON back.

    What you wrote is copied to .litebert/backups/ first, and `--undo` brings it back.

    \b
    Examples:
      litebert reset attention
      litebert reset attention --undo
    """
    from checks.stubs import reset, sync, undo

    if is_undo:
        restored, copy = undo(lesson, sync.LESSONS_FOLDER)
        click.echo(f"{lesson}: brought back {shown(restored)}")
        if copy:
            click.echo(f"{lesson}: what was there is now in {shown(copy)}")
        return
    result = reset(lesson, sync.LESSONS_FOLDER)
    if result.backup:
        click.echo(f"{lesson}: your work is now in {shown(result.backup)}")
        click.echo(f"`litebert reset {lesson} --undo` brings it back")
    click.echo(
        f"{lesson}: " + ("is an untouched stub already" if result.state == "same" else "reset to its stub")
    )
