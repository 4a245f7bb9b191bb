"""`litebert trace`: where your run and the reference's part."""

import click

from .common import LessonName, subject_option

COLOURS = {"✓": "green", "✗": "red", "·": "bright_black"}


@click.command("trace")
@click.argument("lesson", type=LessonName())
@subject_option
@click.pass_context
def command(ctx: click.Context, lesson: str, subject: str) -> None:
    """Run LESSON and its reference side by side and name the first intermediate that differs.

    Intermediates are the outputs of submodules, by name, and of calls between functions; both runs have the
    same inputs and the same weights. Draws of a random function may differ by right: of such a function the
    properties of many draws are compared, and the first wrong one is named. A tick needs the exercise's checks
    to pass as well. It needs solutions/, which a release may come without. The exit code is 1 where anything
    differs.

    \b
    Examples:
      litebert trace attention
      litebert trace encoders
    """
    from checks.curriculum import ROOT

    if not (ROOT / "solutions" / f"{lesson}.py").is_file():
        raise click.ClickException(
            f"this release has no solutions, so there is nothing to compare with: `litebert repro {lesson}` "
            "writes the smallest failing case instead"
        )
    from checks.workbench.judging import states
    from checks.workbench.telling import lines
    from checks.workbench.tracing import doubt, trace

    found = trace(lesson, subject)
    doubt(found, states(lesson, subject))
    for entry in found:
        for line in lines(entry):
            click.echo(click.style(line, fg=COLOURS.get(line[:1])))
    fine = (entry.agree or entry.to_do or not (entry.probed or entry.failing) for entry in found)
    ctx.exit(0 if all(fine) else 1)
