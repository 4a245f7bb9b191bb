"""`litebert compare`: parameters, bytes, FLOPs and time of models side by side."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from checks.cli.common import nearest
from checks.cli.fill_mask import subject_choice, world_of

if TYPE_CHECKING:
    from checks.huggingface.configs import Spec


@click.command("compare")
@click.argument("models", nargs=-1, metavar="MODEL...")
@click.option("--hub", multiple=True, metavar="NAME", help="One more model: its config.json from the hub.")
@click.option("--tokens", type=click.IntRange(1), default=128, show_default=True, help="Sequence length.")
@click.option(
    "--masked", type=click.IntRange(0), default=20, show_default=True, help="Tokens predicted a sequence."
)
@click.option("--measure", is_flag=True, help="Also time a forward pass (seconds to minutes).")
@click.option("--batch-size", type=click.IntRange(1), default=8, show_default=True, help="For throughput.")
@click.option(
    "--rounds", type=click.IntRange(1), default=3, show_default=True, help="Measurements; the median counts."
)
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, cuda:1, mps.")
@click.option("--precision", type=click.Choice(("fp32", "bf16")), default="fp32", show_default=True)
@subject_choice
def command(
    models: tuple[str, ...],
    hub: tuple[str, ...],
    tokens: int,
    masked: int,
    measure: bool,
    batch_size: int,
    rounds: int,
    device: str,
    precision: str,
    subject: str | None,
) -> None:
    """Set models side by side: parameters by component, bytes, FLOPs, and time with --measure.

    MODEL is a published configuration that is built in, or a folder with a config.json. Built in:
    bert-base-uncased, bert-base-cased, bert-large-uncased, albert-base-v2, albert-large-v2, albert-xlarge-v2,
    albert-xxlarge-v2. No weights are needed, and no network without --hub. Everything is counted as the
    pre-training model with both heads, a tied or shared tensor once.

    \b
    Examples:
      litebert compare bert-base-uncased albert-base-v2
      litebert compare bert-base-uncased albert-base-v2 --measure
      litebert compare ./my-checkpoint albert-base-v2 --tokens 512
    """
    if not models and not hub:
        raise click.UsageError("give one model or more, such as bert-base-uncased albert-base-v2")
    specs = specs_of(models, hub)
    world = world_of(subject)
    import torch

    from checks.cli.capstone import pick_device
    from checks.huggingface.compare import Load, count, relations, rows
    from checks.huggingface.compare import measure as measured

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    load = Load(tokens, masked, batch_size, rounds, pick_device(device) if measure else "cpu", dtype)
    numbers = [count(spec, world.load("counting"), load) for spec in specs]
    if measure:
        timings = measured(specs, world.load("models"), load)
        numbers = [each._replace(timing=timing) for each, timing in zip(numbers, timings, strict=True)]
    for line in layout(rows(numbers, load)):
        click.echo(line)
    click.echo(
        f"\nA sequence: {tokens} tokens, {masked} of them predicted; matrix products of one forward pass."
    )
    if measure:
        threads = f", {torch.get_num_threads()} threads" if load.device == "cpu" else ""
        click.echo(
            f"Timed on {load.device}{threads}, {precision}, random weights, median of {rounds} rounds in turn."
        )
    for line in relations(numbers):
        click.echo(line)


def specs_of(models: Sequence[str], hub: Sequence[str]) -> list["Spec"]:
    """Each model's configuration, under a name that no other has."""
    from checks.huggingface.configs import BUILT_IN, Spec, read_spec

    typed = [*models, *hub]
    specs = []
    for name in models:
        if name in BUILT_IN:
            specs.append(Spec(name, *BUILT_IN[name]))
        elif Path(name).expanduser().is_dir():
            specs.append(read_spec(Path(name).expanduser()))
        else:
            raise click.UsageError(
                f"no folder and no built-in model {name!r}.{nearest(name, list(BUILT_IN))}"
            )
    if hub:
        from checks.huggingface.folder import CONFIG_FILES, fetch

        specs += [read_spec(fetch(name, CONFIG_FILES))._replace(name=name) for name in hub]
    names = [spec.name for spec in specs]
    return [
        spec if names.count(spec.name) == 1 else spec._replace(name=full)
        for spec, full in zip(specs, typed, strict=True)
    ]


def layout(table: list[list[str]], width: int | None = None) -> list[str]:
    """The table as lines, in blocks of as many models as fit side by side."""
    width = width or shutil.get_terminal_size((100, 24)).columns
    first = max(len(row[0]) for row in table)
    columns = [max(len(row[i]) for row in table) for i in range(1, len(table[0]))]
    lines: list[str] = []
    start = 0
    while start < len(columns):
        end = start + 1
        while end < len(columns) and first + sum(2 + size for size in columns[start : end + 1]) <= width:
            end += 1
        lines += [""] if lines else []
        for row in table:
            cells = (f"  {row[i + 1]:>{columns[i]}}" for i in range(start, end))
            lines.append(f"{row[0]:<{first}}" + "".join(cells))
        start = end
    return lines
