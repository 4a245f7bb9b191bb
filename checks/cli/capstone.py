"""`litebert capstone`: train BERT and ALBERT side by side and compare them."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from checks.curriculum import ROOT
from checks.experiments import EXPERIMENTS

if TYPE_CHECKING:
    from checks.cli.capstone_data import Data
    from checks.cli.capstone_run import Job, Outcome

PRESETS = ("quick", "classic", "cpu", "gpu")
TOKENIZERS = ("word", "wordpiece")
POOL_OF_TEXT = 64  # batches sorted by length together: real sentences vary more than those of stories


@click.command(name="capstone")
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    default="quick",
    show_default=True,
    help="Sizes and budget: quick (minutes on 2 cores), classic (the small notebook setting, toy corpus), "
    "cpu (longer, learns more), gpu (one large GPU).",
)
@click.option(
    "--subject",
    default=None,
    metavar="[solutions|lessons|PATH]",
    help="Whose code is trained. Default: solutions where they are, else lessons.",
)
@click.option(
    "--corpus",
    multiple=True,
    metavar="[stories|toy|FILE]",
    help="What is read; give FILE several times for several files. Default: the preset's.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The run folder. Default: one under runs/.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, cuda:1, mps.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of data, start and order."
)
@click.option("--steps", type=click.IntRange(1), help="Updates of each model. Default: the preset's.")
@click.option("--batch-size", type=click.IntRange(1), help="Sequences in an update. Default: the preset's.")
@click.option("--micro-batch", type=click.IntRange(1), help="Sequences at once, where memory is short.")
@click.option("--lr", type=click.FloatRange(0, min_open=True), help="Peak learning rate of both models.")
@click.option("--max-len", type=click.IntRange(5), help="Longest sequence. Default: the preset's.")
@click.option(
    "--tokenizer",
    type=click.Choice(TOKENIZERS),
    default="word",
    show_default=True,
    help="Lesson 1's words, or a WordPiece vocabulary trained on the training documents (needs tokenizers).",
)
@click.option("--vocab-size", type=click.IntRange(6), help="Largest vocabulary. Default: 8,000 or less.")
@click.option(
    "--resume/--fresh",
    default=True,
    show_default=True,
    help="Go on from what the run folder holds, or replace it.",
)
@click.option(
    "--at-once",
    type=click.IntRange(0, 2),
    help="Models trained at the same time, each in a process; 0: one after the other in this one. "
    "Default: 2 on a CPU with 2 cores or more, else 1.",
)
@click.option(
    "--experiment",
    type=click.Choice(tuple(EXPERIMENTS)),
    help="One of the experiments instead of one comparison; presets quick (15 minutes on 2 cores) and gpu.",
)
@click.option("--seeds", type=click.IntRange(1), default=1, help="An experiment's seeds, from --seed on.")
def capstone(**options: Any) -> int:
    """Train BERT (masked tokens and NSP) and ALBERT (masked tokens and SOP) on equal terms and compare them.

    Ctrl-C keeps what is done, and the same command goes on from there. The run folder holds metrics as JSON
    lines, checkpoints, summary.md, pictures and report.html. Experiments keep each run under a hash of its
    configuration, so runs are shared between experiments of one --out.
    """
    if options["experiment"]:
        from checks.cli.capstone_experiment import run

        return run(options)
    if options["seeds"] != 1:
        raise click.UsageError(
            "--seeds: belongs to --experiment; give --seed N for another single comparison"
        )
    return run_capstone(options)


command = capstone


def run_capstone(options: dict[str, Any]) -> int:
    """The command's work; its exit code."""
    root = subject_root(options["subject"])
    complain_of_stubs(root)
    say = click.echo
    from checks.cli.capstone_report import write_report
    from checks.cli.capstone_run import run_jobs
    from checks.cli.capstone_window import Window
    from checks.subject.world import World
    from lessons.given.engine import EngineError

    world = World(root, None)
    try:
        data, jobs = plan_jobs(options, root, world)
    except EngineError as error:
        raise click.ClickException(str(error)) from error
    out = jobs[0].folder.parent
    device = jobs[0].plan.device
    plan = jobs[0].plan
    say(f"Corpus: {data.name}, {len(data.train):,} training documents, V = {data.vocab_size:,}.")
    say(f"Each model: {plan.steps:,} steps of {plan.batch_size} sequences on {device}. Run folder: {out}")
    say(f"Held-out set: {len(data.held_out.true):,} pairs, hash {data.held_out.digest}.")
    at_once = processes(options["at_once"], device)
    with Window({job.name: job.plan.steps for job in jobs}) as window:
        outcome = run_jobs(jobs, at_once, window.show)
    runs = {job.name: outcome.runs[job.name] for job in jobs if job.name in outcome.runs}
    if runs:
        text = write_report(out, runs, data, world, command_line())
        say(f"\n{text}\n\nWritten to {out}: summary.md, its pictures, and report.html")
    return how_it_ended(outcome)


def command_line() -> str:
    """The command as it was typed."""
    return shlex.join(["litebert", "capstone", *sys.argv[2:]])


def processes(asked: int | None, device: str) -> int:
    """How many models are trained at the same time."""
    if asked is not None:
        return asked
    return 2 if device == "cpu" and (os.cpu_count() or 1) > 1 else 1


def how_it_ended(outcome: "Outcome") -> int:
    """Say what is not done; 0, 1 when a model failed, 130 after Ctrl-C."""
    for name, step in outcome.stopped.items():
        click.echo(f"{name}: stopped after step {step:,}; the same command goes on from there.", err=True)
    for name, why in outcome.failed.items():
        click.echo(click.style("error: ", fg="red") + f"{name}: {why}", err=True)
    if outcome.failed:
        return 1
    return 130 if outcome.stopped else 0


def subject_root(subject: str | None) -> Path:
    """The folder of lesson modules; without a subject the solutions, or the lessons where there are none."""
    from checks.subject.locate import subject_root as located

    if subject is None:
        subject = "solutions" if (ROOT / "solutions" / "capstone.py").exists() else "lessons"
    return located(subject)


def complain_of_stubs(root: Path) -> None:
    """Refuse to start while a function that is needed is still a stub, and say which."""
    from checks.cli.capstone_subject import still_to_do

    try:
        missing = still_to_do(root)
    except SyntaxError as error:
        raise click.ClickException(f"{error.filename}:{error.lineno}: {error.msg}") from error
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise click.ClickException(
            f"the capstone needs functions that are still to do in {root.name}/: "
            f"{', '.join(missing[:5])}{more}. `litebert status` shows what comes next; "
            "`--subject solutions` trains the reference where it is at hand."
        )


def plan_jobs(options: dict[str, Any], root: Path, world: Any) -> tuple["Data", list["Job"]]:
    """The data, and a job for each model."""
    from dataclasses import replace

    from checks.cli.capstone_data import prepare
    from checks.cli.capstone_run import Job
    from lessons.given.engine import EngineError, Plan, RunFolder
    from lessons.given.engine.budgets import BUDGETS

    preset, seed = options["preset"], options["seed"]
    budget = BUDGETS[preset]
    corpus = options["corpus"] or (budget.corpus,)
    if any(name in ("stories", "toy") for name in corpus) and len(corpus) > 1:
        raise click.UsageError(f"--corpus: got {', '.join(corpus)}, expected stories, toy, or files only")
    if corpus[0] != "stories":
        budget = replace(budget, sentences=(1, 1))
    configs = world.load("capstone").configurations(preset, 5)
    max_len = options["max_len"] or configs["BERT"].max_len
    device = pick_device(options["device"])
    out = (
        options["out"] or Path("runs") / f"{preset}-{'-'.join(Path(c).stem for c in corpus)}-s{seed}"
    ).resolve()
    RunFolder(out)  # an unwritable folder is found before the work
    data = prepare(
        corpus,
        budget,
        tokenizer_of(options["tokenizer"], world, out),
        max_vocab=options["vocab_size"] or budget.max_vocab,
        max_len=max_len,
        seed=seed,
    )
    pairs = sum(len(document) - 1 for document in data.train)
    batch_size = options["batch_size"] or budget.batch_size
    if pairs < batch_size:
        raise EngineError(
            f"{data.name}: got {pairs} training pairs, expected at least a batch of {batch_size}"
        )
    steps = options["steps"] or budget.steps_for(pairs, batch_size)
    fields = budget.plan_fields()
    if corpus[0] not in ("stories", "toy"):
        fields["pool"] = POOL_OF_TEXT
    if not device.startswith("cuda"):
        fields |= {"compile": False, "workers": 0, "precision": "fp32" if preset != "gpu" else "bf16"}
    plan = Plan(
        steps=steps,
        batch_size=batch_size,
        micro_batch=options["micro_batch"],
        lr=options["lr"] or budget.lr,
        max_len=max_len,
        seed=seed,
        device=device,
        evaluate_every=max(steps // budget.evaluations, min(steps, 25)),
        checkpoint_every=max(1, min(200, steps // 5)),
        **fields,
    )
    threads = max(
        1, (os.cpu_count() or 1) // (2 if device == "cpu" and options["at_once"] in (None, 2) else 1)
    )
    notes = {"preset": preset, "corpus": data.name, "lines": data.lines, "bayes": data.bayes}
    return data, [
        Job(
            name=name,
            root=root,
            config=replace(config, vocab_size=data.vocab_size, max_len=max_len),
            train=data.train,
            training_data=data.fingerprint,
            held_out=data.held_out,
            plan=plan,
            notes=notes,
            folder=out / name.lower(),
            resume=options["resume"],
            threads=threads,
        )
        for name, config in configs.items()
    ]


def tokenizer_of(name: str, world: Any, out: Path) -> Any:
    """Lesson 1 of the subject, or its stand-in that trains a WordPiece vocabulary and keeps it in `out`."""
    if name == "word":
        return world.load("vocab")
    from checks.cli.capstone_wordpiece import WordPiece

    return WordPiece(out / "wordpiece.json")


def pick_device(name: str) -> str:
    """The device to train on; a usage error names what is there."""
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        here = ["cpu"] + [f"cuda:{i}" for i in range(torch.cuda.device_count())]
        raise click.UsageError(f"--device: got {name!r}, expected one of auto, {', '.join(here)}") from error
    return name
