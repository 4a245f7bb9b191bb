"""How long a training step takes, model against model: interleaved, on equal batches."""

import hashlib
import json
import statistics
import time
from typing import Any

import torch

from checks.experiments.job import build
from checks.experiments.lab import Lab
from checks.experiments.report import write_text
from checks.experiments.spec import RunSpec
from lessons.given import engine
from lessons.given.engine.training import Training

ROUNDS = 7


def step_seconds(lab: Lab, models: dict[str, RunSpec]) -> dict[str, float]:
    """Median seconds of a step of each model. Measured once for an `out` folder, so that its runs stay the same."""
    text = json.dumps({name: lab.key(run) for name, run in models.items()} | {"device": lab.device})
    path = lab.out / "runs" / f"speed-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    lab.say("Measuring the time of a step of each model ...")
    found = measure(lab, models)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(found, indent=1) + "\n")
    return found


def measure(lab: Lab, models: dict[str, RunSpec], rounds: int = ROUNDS) -> dict[str, float]:
    """Medians of interleaved rounds: processor time of one thread on a CPU, time after a wait on a GPU."""
    threads = torch.get_num_threads()
    gpu = not lab.device.startswith("cpu")
    trainings = {name: _training(lab, run) for name, run in models.items()}
    taken: dict[str, list[float]] = {name: [] for name in models}
    clock = time.perf_counter if gpu else time.process_time
    if not gpu:
        torch.set_num_threads(1)
    try:
        for k in range(rounds + 1):
            for name, (training, batches) in trainings.items():
                parts = batches[k % len(batches)]
                _wait(gpu)
                start = clock()
                training.update(parts)
                _wait(gpu)
                if k:  # the first warms up
                    taken[name].append(clock() - start)
    finally:
        torch.set_num_threads(threads)
    return {name: statistics.median(values) for name, values in taken.items()}


def _wait(gpu: bool) -> None:
    if gpu:
        torch.cuda.synchronize()


def _training(lab: Lab, run: RunSpec) -> tuple[Training, list[Any]]:
    read = lab.material(run)
    world = lab.subject
    datasets, objective, training = (world.load(m) for m in ("datasets", "objective", "training"))
    pieces = engine.Pieces(
        datasets.collate, objective.pretraining_loss, training.parameter_groups, training.learning_rate
    )
    dataset = datasets.ALBERTDataset(
        read.data.train[: 64 * run.batch_size], read.data.vocab_size, run.config.max_len, run.seed,
        sentences=run.sentences,
    )  # fmt: skip
    plan = run.plan(lab.device)
    model = build(world, run, read.data.vocab_size)
    model.train()
    made = Training(model, dataset, read.data.held_out, plan, pieces, run.title, "sop", "", {})
    return made, made.pools[0]
