"""`litebert show`: a picture of what the learner's own code does."""

from pathlib import Path

import click

from .common import LessonName, subject_option
from .reset import shown

KINDS = (".png", ".html")


@click.command("show")
@click.argument("lesson", type=LessonName())
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the picture to this file, FILE.png or FILE.html, instead of the terminal.",
)
@subject_option
def command(lesson: str, out: Path | None, subject: str) -> None:
    """Draw what your own code of LESSON does, once it passes its checks.

    A masked sentence, a packed pair, an attention map, parameters as bars, a filled blank, and so on.

    \b
    Examples:
      litebert show masking
      litebert show attention --out attention.png
    """
    if out is not None and out.suffix.lower() not in KINDS:
        raise click.UsageError(f"--out: got {out}, expected a name that ends in .png or .html")
    from checks.workbench.judging import require_green

    require_green(lesson, subject, "the picture")
    from checks.workbench.gallery import picture_of
    from checks.workbench.memory import folder_of

    picture = picture_of(lesson, folder_of(subject))
    if out is None:
        from checks.workbench.terminal import lines

        for line in lines(picture):
            click.echo(line)
        return
    if out.suffix.lower() == ".png":
        from checks.workbench.plot import save

        save(picture, out)
    else:
        from checks.workbench.page import text

        out.write_text(text(picture), encoding="utf-8")
    click.echo(f"{lesson}: {shown(out)}")
