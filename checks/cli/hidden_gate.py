"""`litebert hidden-gate`: prove unpublished checks."""

import sys
from pathlib import Path

import click


@click.command("hidden-gate")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Prove the unpublished checks in FOLDER on reference, variants, mutants and do-nothing code.

    Exit code 1 on any fault.
    """
    from checks.grade.hidden_gate import hidden_faults
    from checks.judge.counted import counted
    from checks.judge.profiles import load_profile

    load_profile()
    faults = hidden_faults(folder)
    for fault in faults:
        click.echo(fault)
    click.echo(counted(len(faults), "fault"))
    sys.exit(bool(faults))
