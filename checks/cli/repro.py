"""`litebert repro`: the smallest failing case as a script."""

import click

from .common import subject_option
from .reset import shown


@click.command("repro")
@click.argument("what", metavar="CHECK")
@subject_option
def command(what: str, subject: str) -> None:
    """Write the smallest case that fails CHECK to a script of its own, in .litebert/.

    CHECK is a check's name or a part of it; an exercise or a lesson stands for its first check that fails.
    The script builds the arguments, calls your function and prints what comes: step through it with a
    debugger, or change it. It needs no pytest.

    \b
    Examples:
      litebert repro attention
      litebert repro mask_tokens
      litebert repro large_scores_neither_overflow
    """
    from checks.stubs import backups
    from checks.workbench import profile  # noqa: F401  # before any check is imported
    from checks.workbench.memory import folder_of
    from checks.workbench.names import find_check
    from checks.workbench.requests import failure_of
    from checks.workbench.script import path_of, script_of

    check = find_check(what.removesuffix(".py"), subject)
    failure = failure_of(check, subject)
    state = failure.verdict.state
    if state == "to do":
        raise click.ClickException(f"{check.name}: {failure.verdict.lines[0]}; there is nothing to reproduce")
    if state == "done":
        raise click.ClickException(f"{check.name} passes: there is nothing to reproduce")
    if not failure.requests:
        raise click.ClickException(
            f"{check.name} failed before it called anything: {failure.verdict.lines[0]}"
        )
    path = path_of(check.name, backups.STATE)
    backups.STATE.mkdir(parents=True, exist_ok=True)
    path.write_text(script_of(failure, folder_of(subject)), encoding="utf-8")
    click.echo(f"{check.exercise}: {check.claim}")
    click.echo(f"python {shown(path)}")
