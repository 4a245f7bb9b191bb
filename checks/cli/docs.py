"""`litebert docs`: build the site, and serve it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import click

from checks.curriculum import ROOT

NEEDED = ("mkdocs", "material", "mkdocstrings")


@click.command("docs")
@click.option("--build", "only_build", is_flag=True, help="Build into site/ and stop; warnings are errors.")
@click.option(
    "--to", "folder", type=click.Path(file_okay=False, path_type=Path), help="Build into this folder."
)
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Serve on this port."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the site in a browser.")
def command(only_build: bool, folder: Path | None, port: int, open_browser: bool) -> None:
    """Build the course's site and serve it on this machine; it reloads when a page changes.

    A built site also works from its files: open site/index.html. With --build the code and the numbers of
    every page are run and compared, and a broken link or a wrong number is an error.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"the site needs {', '.join(missing)}: run `pip install -e .` in the project"
        )
    if only_build or folder is not None:
        target = (folder or ROOT / "site").resolve()
        run_mkdocs("build", "--strict", "--site-dir", str(target))
        click.echo(f"Built: {target / 'index.html'}")
        return
    options = ["--dev-addr", f"127.0.0.1:{port}", "--livereload", "--no-strict", *["--open"] * open_browser]
    click.echo(f"The site will be at http://127.0.0.1:{port}/ (Ctrl-C ends it)")
    run_mkdocs("serve", *options)


docs = command


def run_mkdocs(*arguments: str) -> None:
    """Runs MkDocs in the project's folder; a failure is a ClickException, its reasons are shown above it."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run([sys.executable, "-m", "mkdocs", *arguments], cwd=ROOT, env=environment)
    if done.returncode:
        raise click.ClickException(f"mkdocs {arguments[0]} failed with exit code {done.returncode}")
