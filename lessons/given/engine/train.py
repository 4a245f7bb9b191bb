"""The engine's one entry: train any model with the course's interface."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from lessons.given.engine.errors import EngineError, in_plain_words
from lessons.given.engine.held_out import HeldOut, Task
from lessons.given.engine.plan import Plan
from lessons.given.engine.stopping import stop_requested
from lessons.given.engine.training import Pieces, Report, Training
from lessons.given.records import Run


def train(
    model: nn.Module,
    dataset: Any,
    held_out: HeldOut,
    plan: Plan,
    pieces: Pieces,
    *,
    name: str,
    task: Task,
    training_data: str,
    parameters: dict[str, int],
    indices: np.ndarray | None = None,
    notes: dict[str, Any] | None = None,
    folder: Path | None = None,
    resume: bool = True,
    report: Report | None = None,
    observe: Callable[[nn.Module, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Run:
    """Train the model for `plan.steps` updates and score it on the held-out set along the way.

    Args:
        model: a BERTModel or an ALBERTModel, built; it is moved to `plan.device` and changed in place.
        dataset: a BERTDataset or an ALBERTDataset of the training documents.
        held_out: what `held_out_set` gave; one for all models of a comparison.
        plan, pieces: the recipe, and the functions that carry it out.
        name: of the run, as tables show it.
        task: the model's sentence task, "nsp" or "sop".
        training_data: `fingerprint(documents)`, for the record.
        parameters: the parameter table, for the record.
        indices: the dataset's examples that are used; None means all (see `complete_places`).
        notes: further entries of `Run.settings`, plain data.
        folder: where metrics and checkpoints go; None writes nothing.
        resume: go on from the folder's checkpoint; False starts anew.
        report: called with every line of the metrics.
        observe: called as `observe(model, step)` after every evaluation.
        should_stop: asked before every step, as Ctrl-C is.

    Where torch.distributed is initialised, all its processes call this alike and train the one model
    together: each takes its shards of every batch (`plan.shards`), the first keeps the folder.

    Returns:
        The run. Its history and evaluations have an entry after step 1, after every `evaluate_every` steps
        and after the last; a history entry is the mean of the training losses since the entry before.

    Raises:
        EngineError: the loss is not finite, memory or disk is full, the folder belongs to another recipe,
            another process of the run has died.
        Interrupted: after Ctrl-C or `should_stop`; a checkpoint is written first.
    """
    training = None
    try:
        training = Training(
            model, dataset, held_out, plan, pieces, name, task, training_data, parameters, indices
        )
        training.report, training.observe = report, observe
        training.settings.update(task=task, **(notes or {}))
        if folder is not None and (finished := training.restore(folder, resume)) is not None:
            return finished
        devices = [training.device] if training.device.type == "cuda" else []
        others = [signal.SIGTERM] if training.ranks.size > 1 else []  # how torchrun ends the rest
        with torch.random.fork_rng(devices), stop_requested(*others) as interrupted:
            training.start()
            return training.run(lambda: interrupted() or (should_stop is not None and should_stop()))
    except (RuntimeError, MemoryError) as error:
        step, several = (training.step + 1, training.ranks.size > 1) if training else (0, False)
        said = None if isinstance(error, EngineError) else in_plain_words(error, step, plan, several)
        if said is None:
            raise
        raise EngineError(said) from error
