"""What several subcommands share: lesson names, subjects, and running pytest."""

import difflib
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from checks.curriculum import BY_NAME, LESSONS, ROOT

LEVELS = ("sandbox:", "uid:")  # as in checks.subject.locate, which is too dear to import for --help


CLOSE = 0.7  # at 0.66 "nothing" would be taken for "counting"
BEGINNING = 4


def closest(name: str, choices: Iterable[str]) -> str:
    """The choice that was probably meant: a slip of the pen away, or begun alike; "" where there is none."""
    wanted = name.lower()
    by_lower = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(wanted, by_lower, n=1, cutoff=CLOSE)
    begun = [c for c in by_lower if c[:BEGINNING] == wanted[:BEGINNING] and len(wanted) >= BEGINNING]
    return by_lower[(near or sorted(begun, key=len))[0]] if near or begun else ""


def nearest(name: str, choices: list[str]) -> str:
    """A hint to append to an error: ' Did you mean ...?', or the choices where nothing is near."""
    close = closest(name, choices)
    return f" Did you mean {close!r}?" if close else f" There are: {', '.join(choices)}."


class LessonName(click.ParamType):
    """A lesson by its name (`attention`) or its number (`5`)."""

    name = "lesson"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The lesson's name; a usage error names the nearest one."""
        wanted = value.strip().lower()
        if wanted in BY_NAME:
            return wanted
        by_number = {str(lesson.number): lesson.module for lesson in LESSONS}
        if wanted.isdecimal():
            if wanted.lstrip("0") in by_number:
                return by_number[wanted.lstrip("0")]
            raise click.UsageError(f"no lesson {value}: they are numbered 1 to {len(LESSONS)}.", ctx)
        stem = Path(wanted).stem.removeprefix("test_")  # lessons/attention.py, checks/test_attention.py
        if stem in BY_NAME:
            return stem
        raise click.UsageError(f"no lesson {value!r}.{nearest(stem, list(BY_NAME))}", ctx)


class Subject(click.ParamType):
    """The code to judge: `lessons`, `solutions` or a folder of modules."""

    name = "subject"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The subject; a folder as an absolute path, since pytest runs in the project's root."""
        prefix = next((prefix for prefix in LEVELS if value.startswith(prefix)), "")
        place = value.removeprefix(prefix)
        if place in ("lessons", "solutions"):
            return value
        folder = Path(place).expanduser()
        if not folder.is_dir():
            raise click.UsageError(
                f"subject: got {value!r}, expected lessons, solutions or a folder of modules.", ctx
            )
        return f"{prefix}{folder.resolve()}"


subject_option = click.option(
    "--subject",
    type=Subject(),
    default="lessons",
    show_default=True,
    help="The code to judge: lessons, solutions or a folder of modules; sandbox: before it confines it.",
)


def run_pytest(arguments: list[str]) -> int:
    """Run pytest on this project; 0 all passed, 1 not all, 2 a mistake in the call, 130 interrupted.

    Write an option and its value as one argument: a path on its own would move pytest's root.
    Ctrl-C reaches pytest as well: it closes the run by itself, and a second one ends it at once.
    """
    if not (ROOT / "pyproject.toml").is_file():
        raise ValueError(
            f"got an installed copy in {ROOT}, expected a clone (install it with `pip install -e .`)"
        )
    process = subprocess.Popen([sys.executable, "-m", "pytest", *arguments], cwd=ROOT)
    interrupted = False
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            if interrupted:
                process.kill()
            interrupted = True
    if interrupted:
        raise KeyboardInterrupt
    return {2: 130, 4: 2, 5: 1}.get(code, code)
