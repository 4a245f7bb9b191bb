"""`litebert benchmark`: the engine's training steps against Hugging Face's, by the clock."""

import json
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from checks.curriculum import ROOT

if TYPE_CHECKING:
    from checks.subject.world import World

CASES = ("M", "S", "abstracts", "mask", "base", "toy")


@click.command("benchmark")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.Choice(CASES),
    help="What to measure; several may be given. Default: M on a CPU, base (BERT-base, T = 128) on a GPU.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    type=click.Choice(("BERT", "ALBERT")),
    default=("BERT", "ALBERT"),
    show_default=True,
)
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True, help="The median counts.")
@click.option("--precision", type=click.Choice(("fp32", "bf16")), help="Default: fp32 on a CPU, else bf16.")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda, cuda:1.")
@click.option("--batch-size", type=click.IntRange(1), help="Sequences a batch. Default: the size's.")
@click.option("--compile/--no-compile", default=None, help="The engine's torch.compile. Default: on a GPU.")
@click.option(
    "--corpus", multiple=True, metavar="FILE", help="For abstracts: text, one sentence a line, say."
)
@click.option("--subject", metavar="[solutions|lessons|PATH]", help="Whose model; beside the reference.")
@click.option(
    "--record", type=click.Path(path_type=Path), metavar="FILE", help="Add the figures to this JSON file."
)
def command(**options: Any) -> None:
    """Time training steps against Hugging Face's BertForPreTraining and AlbertForPreTraining.

    Same configuration, weights and batches; their faster attention; losses and gradients are compared first.
    On a CPU: one thread and process CPU time. Ratios above 1: the engine is faster.

    \b
    Examples:
      litebert benchmark --size M --size S
      litebert benchmark --size abstracts --corpus abstracts.txt
      litebert benchmark --device cuda              (BERT-base size in bf16 on a GPU, a few minutes)
    """
    started = time.perf_counter()
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise click.ClickException("needs transformers: pip install 'litebert[huggingface]'") from error
    transformers.logging.set_verbosity_error()
    values = measure(options)
    if options["record"]:
        add_record(options["record"], call_of(options), time.perf_counter() - started, values)


def call_of(options: dict[str, Any]) -> str:
    """The command that measures the same again; files by their names."""
    words = ["litebert", "benchmark"]
    named = {"size": "sizes", "model": "models", "batch-size": "batch_size"}
    for option in ("size", "model", "rounds", "precision", "device", "batch-size", "corpus", "subject"):
        value = options[named.get(option, option)]
        values = value if isinstance(value, tuple) else (value,)
        words += [word for one in values if one is not None for word in (f"--{option}", Path(str(one)).name)]
    return shlex.join(words)


def measure(options: dict[str, Any]) -> dict[str, Any]:
    """Every case in turn; each is printed when it is done."""
    import torch

    from checks.cli.capstone import pick_device

    device = pick_device(options["device"])
    cuda = device.startswith("cuda")
    precision = options["precision"] or ("bf16" if cuda else "fp32")
    compiled = cuda if options["compile"] is None else options["compile"]
    with fast_arithmetic(1 if device == "cpu" else torch.get_num_threads()):
        return _measured(options, device, precision, compiled)


@contextmanager
def fast_arithmetic(threads: int) -> Iterator[None]:
    """One setting for both sides; it is global in the process, so what was there comes back."""
    import torch

    saved = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_num_threads(saved[0])
        torch.set_flush_denormal(False)
        torch.set_float32_matmul_precision(saved[1])


def _measured(options: dict[str, Any], device: str, precision: str, compiled: bool) -> dict[str, Any]:
    import torch

    from checks.benchmark.masking import compare_masking
    from checks.benchmark.sides import Way

    cuda = device.startswith("cuda")
    worlds = chosen_worlds(options["subject"])
    values: dict[str, Any] = {"machine": machine(device)}
    click.echo(f"{values['machine']['name']}, torch {torch.__version__}, {precision}; ratio = theirs / ours")
    for case in options["sizes"] or ("base" if cuda else "M",):
        if case == "mask":
            values[case] = {name: compare_masking(world, options["rounds"]) for name, world in worlds.items()}
            click.echo("\n".join(mask_lines(values[case])))
            continue
        for model in options["models"]:
            key = f"{case}_{precision}_{model.lower()}"
            way = Way(device, precision, compiled)
            values[key] = training_case(case, model, worlds, way, options)
            click.echo("\n".join(training_lines(case, model, way, values[key])))
    return values


def training_case(
    case: str, model: str, worlds: dict[str, "World"], way: Any, options: dict
) -> dict[str, Any]:
    """One model's steps of one case."""
    from checks.benchmark.sizes import SIZES, as_the_engine_cuts, full_batch
    from checks.benchmark.training import Work, compare, pairs_of
    from lessons.given import corpora

    size = SIZES["M" if case == "abstracts" else case]
    size = size._replace(batch_size=options["batch_size"] or size.batch_size)
    if case == "abstracts":
        if not options["corpus"]:
            raise click.UsageError("--size abstracts needs --corpus FILE, a text of several documents")
        documents = list(corpora.read(*options["corpus"], require_pairs=True))
        world = next(iter(worlds.values()))
        config, work = pairs_of(world, documents, size, model, batches=8, device=way.device)
    else:
        parts = [full_batch(size, seed) for seed in range(1 if case in ("M", "toy") else 3)]
        config = size.config(model)
        work = Work([as_the_engine_cuts(part, config, way.device) for part in parts], parts)
    return compare(worlds, config, size.batch_size, work, way, options["rounds"])


def chosen_worlds(subject: str | None) -> dict[str, "World"]:
    """The reference, and the subject beside it; alone where it is one and the same."""
    from checks.cli.capstone import complain_of_stubs, subject_root
    from checks.subject.world import World

    roots = {}
    if (ROOT / "solutions" / "models.py").exists():
        roots["reference"] = ROOT / "solutions"
    asked = subject_root(subject)
    if asked not in roots.values():
        complain_of_stubs(asked)
        roots[asked.name] = asked
    return {name: World(root, None) for name, root in roots.items()}


def training_lines(case: str, model: str, way: Any, values: dict[str, Any]) -> list[str]:
    """What the screen shows of a case."""
    from checks.benchmark.sizes import ABSTRACTS, PEAK, SIZES

    theirs, peak = values["hugging_face"], values["peak"]
    goal = ABSTRACTS if case == "abstracts" else getattr(SIZES[case], way.precision).get(model)
    share_goal = {("M", "fp32"): PEAK["cpu"], ("base", "bf16"): PEAK["cuda"]}.get((case, way.precision))
    lines = [
        f"{case} {model} {way.precision}: theirs {theirs['seconds_a_step']:.4f} s a step "
        f"({theirs['attention']} attention); peak {peak['flops'] / 1e9:,.0f} GFLOP/s (square {peak['square']})"
    ]
    for name, one in values.items():
        if name in ("hugging_face", "peak"):
            continue
        lines.append(
            f"  {name:<10} {one['ratio']:.2f}x{wanted(goal)}  {one['share']:.2f} of the peak, "
            f"{one['share_of_whole']:.2f} with the last layer counted whole{wanted(share_goal)}  "
            f"{one['seconds_a_step']:.4f} s a step, {one['tokens_a_second']:,.0f} tokens/s; before: loss differs "
            f"by {one['loss_difference']:.0e}, gradients by {one['gradient_difference']:.0e}"
        )
    return lines


def mask_lines(values: dict[str, Any]) -> list[str]:
    """What the screen shows of the masking."""
    from checks.benchmark.sizes import MASKING

    return ["mask_tokens on 32 x 128 against the usual collator:"] + [
        f"  {name:<10} {one['ratio']:.0f}x{wanted(MASKING)}, {one['ratio_to_cheapest_form']:.0f}x its cheapest "
        f"form (bare arrays to arrays); {one['tokens_a_second'] / 1e6:,.0f} M tokens/s"
        for name, one in values.items()
    ]


def wanted(goal: float | None) -> str:
    """The goal behind a figure."""
    return f" (goal {goal:g})" if goal is not None else ""


def machine(device: str) -> dict[str, str]:
    """Where the figures were taken."""
    import platform

    import torch
    import transformers

    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else "CPU, one thread"
    isa = torch.backends.cpu.get_cpu_capability()
    return {
        "name": name if device.startswith("cuda") else f"{name}, {platform.machine()}, {isa}",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def add_record(path: Path, call: str, seconds: float, values: dict[str, Any]) -> None:
    """Write the file as pages read it; cases measured before and not now are kept."""
    import datetime
    import subprocess

    old: dict[str, Any] = {"command": "", "values": {}, "seconds": 0}
    if path.exists():
        old = json.loads(path.read_text(encoding="utf-8"))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    entry = {
        "command": f"{old['command']}; {call}".removeprefix("; "),
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "seconds": round(old["seconds"] + seconds, 1),
        "values": {**old["values"], **values},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
    click.echo(f"written to {path}")
