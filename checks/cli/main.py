"""The `litebert` command: its subcommands, and what becomes of an error."""

import contextlib
import os
import signal
import sys
from importlib import import_module

import click

from .common import nearest

COMMANDS = {
    "status": "How far you are: every lesson, its points, and what comes next.",
    "check": "Check one lesson, several, or all.",
    "watch": "Check a lesson after each save, within a second or two.",
    "hint": "The next hint for an exercise, in three steps.",
    "show": "A picture of what your own code does, once a lesson passes.",
    "repro": "A small script of the smallest case that fails.",
    "trace": "The first intermediate that differs from the reference.",
    "solution": "The reference of a lesson, once it passes.",
    "reset": "Start a lesson again (with undo).",
    "update": "Bring new stubs and checks in, and leave your code alone.",
    "capstone": "Train BERT and ALBERT side by side and compare them.",
    "fill-mask": "Ask a published checkpoint, in the course's own model, for a missing word.",
    "compare": "Published models side by side: parameters, bytes, FLOPs, time.",
    "benchmark": "Training speed of the engine against Hugging Face's, by the clock.",
    "doctor": "Look at this machine: what is there, what is missing, what to do.",
    "docs": "Build the site and serve it on this machine.",
    "grade": "For instructors: grade a class, sandboxed.",
    "regrade": "For instructors: grade a batch again, to verify it or after a check was mended.",
    "hidden-template": "For instructors: write a folder of unpublished checks to start from.",
    "hidden-gate": "For instructors: prove unpublished checks.",
    "similarity": "For instructors: which submissions are suspiciously alike.",
    "release": "For instructors: what learners get, Gradescope's autograder, GitHub Classroom's workflow.",
    "gate": "For maintainers: prove the checks on every mutant and every right variant.",
    "seeds": "For maintainers: count the statistical checks' false alarms over many seeds.",
    "notebook": "For maintainers: make the notebook for Kaggle and Colab, or compare it.",
    "stubs": "For maintainers: make the stubs from the solutions, or compare them.",
}
EXPECTED = (ValueError, OSError, ModuleNotFoundError, NotImplementedError)
OWN_PACKAGES = ("checks", "lessons", "solutions")
INTERRUPTED = 128 + signal.SIGINT


class LazyGroup(click.Group):
    """Loads a subcommand's file when it is called. `--help` loads none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The subcommands in the order a learner meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand `checks.cli.<name>.command`, or None."""
        if cmd_name not in COMMANDS:
            return None
        return import_module(f"checks.cli.{cmd_name.replace('-', '_')}").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, but an unknown name is answered with the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}.{nearest(args[0], list(COMMANDS))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="LITEBERT_TRACEBACK=1 shows where an error comes from.",
)
@click.version_option(package_name="litebert", prog_name="litebert")
@click.pass_context
def litebert(ctx: click.Context) -> None:
    """Litebert: A Lite BERT from scratch, one tested piece at a time.

    Fill the functions in lessons/, check them, and end by training BERT and ALBERT side by side.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end the process.

    Exit codes: 0 done, 1 not all right, 2 a mistake in the call, 130 interrupted.
    """
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command; its exit code. An expected error is one line on stderr, not a traceback."""
    try:
        code = litebert.main(arguments, prog_name="litebert", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "litebert"
        say_error(f"{error.format_message()} (see `{where} --help`)")
    except click.ClickException as error:
        say_error(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        say_error("stopped by Ctrl-C", label="")
        return INTERRUPTED
    except BrokenPipeError:  # `litebert status | head`
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        expected = isinstance(error, EXPECTED) or getattr(error, "for_the_user", False)
        if not expected or os.environ.get("LITEBERT_TRACEBACK"):
            raise
        say_error(in_one_line(error))
    return 2


def in_one_line(error: BaseException) -> str:
    """What happened and, where it is known, what to do."""
    if isinstance(error, NotImplementedError):
        return f"{error or 'a function is still to do'} (`litebert status` shows what comes next)"
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in OWN_PACKAGES:
        return f"the package {error.name!r} is not installed (`litebert doctor` says what to do)"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}"
    return str(error) or type(error).__name__


def say_error(message: str, label: str = "error: ") -> None:
    """One message on stderr, the label in red where the terminal has colours."""
    click.echo((click.style(label, fg="red") if label else "") + message, err=True)


if __name__ == "__main__":
    main()
