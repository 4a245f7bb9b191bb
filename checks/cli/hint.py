"""`litebert hint`: one step at a time."""

from typing import Any

import click

from .common import LessonName, closest, subject_option


class ExerciseName(click.ParamType):
    """An exercise (`split_heads`) or a lesson, by its name or number."""

    name = "exercise"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Lesson and exercise; the exercise is "" where a lesson is named."""
        if isinstance(value, tuple):
            return value
        from checks.workbench.hints import exercises

        lesson_of = {name.lower(): (lesson, name) for name, lesson in exercises().items()}
        wanted = value.strip().lower().rpartition(".")[2] if not value.endswith(".py") else value
        if wanted in lesson_of:
            return lesson_of[wanted]
        try:
            return LessonName().convert(value, param, ctx), ""
        except click.UsageError:
            if value.strip().isdecimal():
                raise
            from checks.curriculum import BY_NAME

            near = closest(value, [*exercises(), *BY_NAME])
            told = f" Did you mean {near!r}?" if near else f" There are\n{_all_names()}\n"
            raise click.UsageError(f"no exercise or lesson {value!r}.{told}", ctx) from None


def _all_names() -> str:
    from checks.curriculum import LESSONS

    return "\n".join(f"  {lesson.module}: {', '.join(lesson.exercises)}" for lesson in LESSONS)


@click.command("hint")
@click.argument("what", type=ExerciseName(), metavar="EXERCISE|LESSON")
@click.option("--step", type=click.IntRange(1, 3), help="This step instead of the next one.")
@subject_option
def command(what: tuple[str, str], step: int | None, subject: str) -> None:
    """Give the next of three hints for an EXERCISE, or for the one of a LESSON that needs it most.

    Where the last run named a mistake, the hints are about that mistake. The steps grow plainer; the same
    call gives the next one, and the third again.

    \b
    Examples:
      litebert hint split_heads
      litebert hint attention
      litebert hint mask_tokens --step 1
    """
    from checks.curriculum import BY_NAME
    from checks.workbench import memory
    from checks.workbench.hints import ladder, most_urgent, next_step

    lesson, exercise = what
    steps = ladder(lesson, exercise or most_urgent(lesson, subject), subject)
    chosen = next_step(steps, step)
    click.echo(click.style(f"{steps.exercise}, hint {chosen} of {len(steps.steps)}", bold=True))
    if steps.about and not memory.last(lesson, subject)[1]:
        click.echo("(about the mistake that the last run named; the file has changed since)")
    click.echo(steps.steps[chosen - 1])
    if chosen == len(steps.steps):
        click.echo(f"That was the last one. {BY_NAME[lesson].page} explains more.")
