"""What a process of `test_distributed` does: train toy models together with the others."""

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from torch import distributed, nn

from checks.cli.capstone_distributed import leave
from lessons.given import engine
from lessons.given.config import ModelConfig
from lessons.given.engine.training import Training
from lessons.given.records import Run
from solutions.capstone import PIECES
from solutions.counting import parameter_table
from solutions.datasets import ALBERTDataset, BERTDataset
from solutions.models import ALBERTModel, BERTModel

V = 40
NAMES = ("BERT", "ALBERT")
PLAN = engine.Plan(
    steps=12, batch_size=8, lr=1e-3, max_len=24, pool=2, evaluate_every=5, log_every=3, checkpoint_every=4
)
BERT = ModelConfig(vocab_size=V, max_len=24, d_model=8, n_layers=2, n_heads=2, dropout=0.0)


def documents(n: int, seed: int = 0) -> list[list[list[int]]]:
    """Random documents of two to five sentences of two to six words."""
    rng = np.random.default_rng(seed)
    return [
        [rng.integers(5, V, rng.integers(2, 7)).tolist() for _ in range(rng.integers(2, 6))] for _ in range(n)
    ]


def dataset(name: str) -> Any:
    """The training pairs."""
    return (ALBERTDataset if name == "ALBERT" else BERTDataset)(documents(24), V, PLAN.max_len, 0)


def model(name: str, dropout: float = 0.0) -> nn.Module:
    """The same weights in every process."""
    config = replace(BERT, dropout=dropout)
    torch.manual_seed(0)
    if name == "ALBERT":
        return ALBERTModel(replace(config, d_embedding=4, sharing="all"))
    return BERTModel(config)


def training(name: str, plan: engine.Plan) -> Training:
    """A run that a test drives by hand."""
    held_out = engine.held_out_set(documents(6, 1), PLAN.max_len, 0)
    return Training(model(name), dataset(name), held_out, plan, PIECES, name, "sop", "data", {})


def train(name: str, folder: Path, dropout: float = 0.0, stop: int | None = None) -> Run:
    """Two shards a batch, in micro-batches, in however many processes there are."""
    made: Any = model(name, dropout)
    asked = iter(range(10**6))
    return engine.train(
        made,
        dataset(name),
        engine.held_out_set(documents(6, 1), PLAN.max_len, 0),
        replace(PLAN, shards=2, micro_batch=3),
        PIECES,
        name=name,
        task="sop",
        training_data="data",
        parameters=parameter_table(made.config, name == "ALBERT"),
        folder=folder,
        should_stop=lambda: stop is not None and next(asked) >= stop,
    )


def main(folder: Path) -> NoReturn:
    """For each model: a run without dropout, and two with it, one of them interrupted."""
    distributed.init_process_group("gloo")
    for name in NAMES:
        train(name, folder / name)
        train(name, folder / f"{name}-whole", dropout=0.1)
        with suppress(engine.Interrupted):
            train(name, folder / f"{name}-stopped", dropout=0.1, stop=2)
        assert not (folder / f"{name}-stopped" / "run.json").exists(), "it did not stop"
        train(name, folder / f"{name}-stopped", dropout=0.1)
    distributed.destroy_process_group()
    leave(0)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
