"""`litebert release`: what is handed out."""

import shutil
import sys
import tempfile
from pathlib import Path

import click

from checks.judge.counted import counted


@click.command("release")
@click.argument("out", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--without-solutions", is_flag=True, help="Leave solutions/ out, and prove that nothing gives them away."
)
@click.option(
    "--gradescope", type=click.Path(dir_okay=False, path_type=Path), help="Write Gradescope's autograder."
)
@click.option("--config", type=click.Path(exists=True, path_type=Path), help="A course.toml to put into it.")
def command(out: Path | None, without_solutions: bool, gradescope: Path | None, config: Path | None) -> None:
    """Write the learners' tree to OUT (a new folder with a git history of one commit).

    It holds stubs, checks and oracles, the site's sources and a GitHub Classroom workflow; never mutants, variants
    or the grader. With --without-solutions its site is built and a scan refuses the release where three statement
    lines in a row of a solution, mutant or variant stand anywhere in it or on a page of the site.
    """
    if out is None and gradescope is None:
        raise click.UsageError("expected OUT, --gradescope FILE or both")
    if gradescope:
        from checks.release.gradescope import write_autograder

        click.echo(f"{gradescope}: {counted(write_autograder(gradescope, config), 'file')}")
    if out:
        sys.exit(_tree(out, without_solutions))


def _tree(out: Path, without_solutions: bool) -> int:
    from checks.release.tree import commit, make_tree

    make_tree(out, with_solutions=not without_solutions)
    if without_solutions:
        places = _given_away(out)
        for place in places:
            click.echo(place)
        if places:
            shutil.rmtree(out)
            click.echo(f"{counted(len(places), 'place')} where an answer is given away; nothing was released")
            return 1
    commit(out)
    click.echo(f"released to {out}")
    return 0


def _given_away(out: Path) -> list[str]:
    from checks.release.scan import leaks
    from checks.release.site import build_site

    with tempfile.TemporaryDirectory(prefix="litebert-site-") as site:
        try:
            build_site(out.resolve(), Path(site))
        except RuntimeError as error:
            shutil.rmtree(out)
            raise click.ClickException(f"{error}\nnothing was released") from None
        found = [("", leak) for leak in leaks(out)] + [("site: ", leak) for leak in leaks(Path(site))]
    return [f"{where}{leak.path}:{leak.line} repeats {leak.source}: {leak.text}" for where, leak in found]
