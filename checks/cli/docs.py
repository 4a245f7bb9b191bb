"""`litebert docs`: build the site, and serve it."""

import importlib.util
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
        target = build(folder or ROOT / "site")
        click.echo(f"Built: {target / 'index.html'}")
        return
    serve(port, open_browser)


docs = command


def build(folder: Path) -> Path:
    """Builds the site strictly into `folder` and returns it."""
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder.resolve()), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build_site(config)
    except Abort as error:
        raise click.ClickException(f"the site was not built: {error}") from None
    finally:
        config.plugins.on_shutdown()
    return folder.resolve()


def serve(port: int, open_browser: bool) -> None:
    """Serves until Ctrl-C."""
    from mkdocs.commands.serve import serve as serve_site

    click.echo(f"Serving http://127.0.0.1:{port}/ (Ctrl-C ends it)")
    serve_site(
        config_file=str(ROOT / "mkdocs.yml"),
        dev_addr=f"127.0.0.1:{port}",
        livereload=True,
        watch_theme=False,
        open_in_browser=open_browser,
        strict=False,
    )
