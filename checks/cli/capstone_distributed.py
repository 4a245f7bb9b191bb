"""The capstone on several GPUs or machines, started by torchrun.

torchrun --nproc-per-node 8 -m checks.cli.capstone_distributed --preset gpu --batch-size 4096

Every process trains on its shards of each batch and DistributedDataParallel averages the gradients. The first
process keeps the run folder. A process that dies ends the run; the same command goes on from the last
checkpoint, on as many processes as divide --shards. `torchrun --max-restarts 3` does so by itself.
"""

import os
import shlex
import sys
from dataclasses import replace
from typing import Any, NoReturn

import click

from checks.cli.capstone import (
    capstone,
    complain_of_stubs,
    how_it_ended,
    pick_device,
    plan_jobs,
    subject_root,
)

NOT_HERE = ("at_once", "experiment", "seeds")


def run(shards: int | None, **options: Any) -> int:
    """Train BERT and ALBERT, each on all processes that torchrun started; options as `litebert capstone`.

    --batch-size counts the sequences of all processes together.
    """
    import torch
    from torch import distributed

    if "LOCAL_RANK" not in os.environ:
        raise click.UsageError("start it with torchrun: torchrun --nproc-per-node 2 -m " + __spec__.name)
    local, here = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    device = pick_device(options["device"])
    if device.startswith("cuda"):
        device = f"cuda:{local}"
        torch.cuda.set_device(device)
        distributed.init_process_group("nccl", device_id=torch.device(device))
    else:
        distributed.init_process_group("gloo")
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // here))
    torch.set_flush_denormal(True)
    torch.set_float32_matmul_precision("high")
    options |= {"device": device, "at_once": 0, "experiment": None, "seeds": 1}
    code = train(options, shards or distributed.get_world_size(), first=distributed.get_rank() == 0)
    if code == 0:
        distributed.destroy_process_group()
    return code


def train(options: dict[str, Any], shards: int, first: bool) -> int:
    """Both models in turn; the first process tells of them and writes the report."""
    from checks.cli.capstone_report import write_report
    from checks.cli.capstone_run import run_jobs
    from checks.subject.world import World
    from lessons.given.engine import EngineError

    root = subject_root(options["subject"])
    complain_of_stubs(root)
    world = World(root, None)
    try:
        data, jobs = plan_jobs(options, root, world)
        jobs = [replace(job, plan=replace(job.plan, shards=shards)) for job in jobs]
    except (EngineError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    plan, out = jobs[0].plan, jobs[0].folder.parent
    if first:
        processes = os.environ["WORLD_SIZE"]
        click.echo(
            f"{data.name}: {plan.steps:,} steps of {plan.batch_size} sequences on {processes} processes."
        )
    outcome = run_jobs(jobs, 0, tell if first else lambda message: None)
    if first and outcome.runs:
        call = ["torchrun", "--nproc-per-node", os.environ["LOCAL_WORLD_SIZE"], "-m", __spec__.name]
        click.echo(write_report(out, outcome.runs, data, world, shlex.join([*call, *sys.argv[1:]])))
    return how_it_ended(outcome)


def tell(message: Any) -> None:
    """One line an evaluation."""
    if message.kind == "metrics" and "held_out" in message.content:
        scores = message.content["held_out"]
        click.echo(
            f"{message.name} step {message.content['step']}: held-out MLM {scores['mlm_loss']:.3f}, "
            f"sentence {scores['sentence_accuracy']:.3f}"
        )


command = click.Command(
    "capstone_distributed",
    params=[
        *(param for param in capstone.params if param.name not in NOT_HERE),
        click.Option(
            ["--shards"],
            type=click.IntRange(1),
            help="Shares of every batch; a multiple of the processes. Default: one a process.",
        ),
    ],
    callback=run,
    help=run.__doc__,
)


def main() -> NoReturn:
    """Run the command and end the process with its code."""
    try:
        code = command.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    leave(code)


def leave(code: int) -> NoReturn:
    """End the process without Python's own farewell: threads of a connection that is broken may hang in it, and those
    of one that is not may ask for the interpreter when it is gone, which aborts the process and so the whole run."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
