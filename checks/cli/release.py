"""`litebert release`: what is handed out."""

import shutil
import sys
from pathlib import Path

import click


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
    or the grader. With --without-solutions a scan refuses the release where three statement lines in a row of a
    solution, mutant or variant stand anywhere in it.
    """
    if out is None and gradescope is None:
        raise click.UsageError("expected OUT, --gradescope FILE or both")
    if gradescope:
        from checks.release.gradescope import write_autograder

        click.echo(f"{gradescope}: {write_autograder(gradescope, config)} files")
    if out:
        sys.exit(_tree(out, without_solutions))


def _tree(out: Path, without_solutions: bool) -> int:
    from checks.release.scan import leaks
    from checks.release.tree import commit, make_tree

    make_tree(out, with_solutions=not without_solutions)
    if without_solutions:
        found = leaks(out)
        for leak in found:
            click.echo(f"{leak.path}:{leak.line} repeats {leak.source}: {leak.text}")
        if found:
            shutil.rmtree(out)
            click.echo(f"{len(found)} places give an answer away; nothing was released")
            return 1
    commit(out)
    click.echo(f"released to {out}")
    return 0
