"""`litebert doctor`: what is there, what is missing, what to do."""

import click

MARKS = {"ok": ("ok", "green"), "optional": ("--", "yellow"), "missing": ("!!", "red")}


@click.command("doctor")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Look at Python, the packages, the device, the files and the optional programs.

    Lines marked !! stand in your way and say what to do; lines marked -- are optional. The exit code is
    1 if anything stands in your way.
    """
    from .machine import findings

    count = 0
    for finding in findings():
        mark, colour = MARKS[finding.state]
        click.echo(f"{click.style(mark, fg=colour)} {finding.name:<22} {finding.what}")
        if finding.cure:
            click.echo(f"   {'':<22} -> {finding.cure}")
        count += finding.state == "missing"
    click.echo(f"{count} to mend" if count else "everything a learner needs is there")
    ctx.exit(1 if count else 0)
