"""`litebert capstone --experiment NAME`: one of the experiments, or what of it is still missing."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from checks.cli.capstone import (
    command_line,
    complain_of_stubs,
    how_it_ended,
    pick_device,
    processes,
    subject_root,
)

# A form fixes what is compared; only its length may be changed, for a first look.
NOT_HERE = ("corpus", "batch_size", "micro_batch", "lr", "max_len", "vocab_size")


def run(options: dict[str, Any]) -> int:
    """The work; the exit code."""
    given = [name for name in NOT_HERE if options[name]] + ["tokenizer"] * (options["tokenizer"] != "word")
    if given:
        flags = ", ".join("--" + name.replace("_", "-") for name in given)
        raise click.UsageError(f"{flags}: not with --experiment, whose form fixes it")
    root = subject_root(options["subject"])
    complain_of_stubs(root)
    from checks.experiments.form import FORMS
    from checks.experiments.lab import Lab, run_experiment
    from lessons.given.engine import EngineError, RunFolder

    name, preset = options["experiment"], options["preset"]
    if preset not in FORMS:
        raise click.UsageError(f"--preset: got {preset!r} with --experiment, expected quick or gpu")
    form = FORMS[preset]
    if options["steps"]:
        form = replace(form, steps=options["steps"], control_steps=min(options["steps"], form.control_steps))
    device = pick_device(options["device"])
    at_once = processes(options["at_once"], device)
    out = (options["out"] or Path("runs") / "experiments").resolve()
    try:
        RunFolder(out)
        lab = Lab(
            form=form,
            root=root,
            out=out,
            device=device,
            seeds=range(options["seed"], options["seed"] + options["seeds"]),
            at_once=at_once,
            threads=max(1, (os.cpu_count() or 1) // max(at_once, 1)),
            say=click.echo,
            command=command_line(),
            fresh=not options["resume"],
        )
        report, outcome = run_experiment(name, lab)
    except EngineError as error:
        raise click.ClickException(str(error)) from error
    if report is None:
        click.echo("The report is written when all runs are there; those that are done are kept.", err=True)
        return how_it_ended(outcome)
    click.echo(f"\n{report.markdown(pictures=False)}")
    click.echo(f"Written to {out / f'{name}-{form.name}'}: report.html, summary.md, results.json, pictures")
    sys.stdout.flush()
    return 0
