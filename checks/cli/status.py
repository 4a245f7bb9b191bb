"""`litebert status`: all lessons at a glance."""

import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import click

from .common import run_pytest, subject_option

UNFINISHED = ("to do", "waiting")


@click.command("status")
@subject_option
@click.option(
    "--summary",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the table to this file, in Markdown.",
)
@click.option(
    "--only-wrong", is_flag=True, help="Exit code 1 only if something is wrong; what is to do is fine."
)
@click.pass_context
def command(ctx: click.Context, subject: str, summary: Path | None, only_wrong: bool) -> None:
    """Show every lesson with its state and points, and what to do next.

    It runs the checks of all lessons and leaves out what each failure has to say: `litebert check LESSON`
    says it.
    """
    arguments = ["-q", f"--subject={subject}"]
    if summary:
        arguments += [f"--summary={summary.resolve()}"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code = run_pytest([*arguments, f"--junitxml={report}"] if only_wrong else arguments)
        if code == 1 and only_wrong and report.is_file():
            code = int(any_wrong(report))
    ctx.exit(code)


def any_wrong(report: Path) -> bool:
    """Whether a JUnit report has a failure that is more than a part still to do, or no check at all."""
    cases = list(ET.parse(report).iter("testcase"))
    failures = [mark for case in cases for mark in case if mark.tag in ("failure", "error")]
    return not cases or any(not mark.get("message", "").startswith(UNFINISHED) for mark in failures)
