"""The training engine: what it computes, and that no accident costs more than the steps since a checkpoint."""

import errno
import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from lessons.given import engine
from lessons.given.config import ModelConfig
from lessons.given.engine import groups, run_folder
from lessons.given.engine.batches import prepare, rows_at_once
from lessons.given.engine.loss import loss_without_waiting
from lessons.given.records import IGNORE_INDEX, MASK_ID, Run
from solutions.capstone import PIECES
from solutions.counting import parameter_table
from solutions.datasets import ALBERTDataset, BERTDataset
from solutions.models import ALBERTModel, BERTModel
from solutions.objective import pretraining_loss

V = 40
PLAN = engine.Plan(
    steps=12, batch_size=4, lr=1e-3, max_len=24, pool=2, evaluate_every=5, log_every=3, checkpoint_every=4
)
BERT = ModelConfig(vocab_size=V, max_len=24, d_model=8, n_layers=2, n_heads=2, dropout=0.1)
ALBERT = replace(BERT, d_embedding=4, sharing="all")


class Broken(Exception):
    """Something that a test breaks on purpose."""


def documents(n: int, seed: int = 0) -> list[list[list[int]]]:
    """Random documents of two to five sentences of two to six words."""
    rng = np.random.default_rng(seed)
    return [
        [rng.integers(5, V, rng.integers(2, 7)).tolist() for _ in range(rng.integers(2, 6))] for _ in range(n)
    ]


class Setting(NamedTuple):
    """A model to train, and the same on every call."""

    model: torch.nn.Module
    dataset: Any
    held_out: engine.HeldOut


def setting(config: ModelConfig = BERT, seed: int = 0) -> Setting:
    """A fresh small model, its dataset and a held-out set."""
    albert = config.sharing == "all"
    dataset = (ALBERTDataset if albert else BERTDataset)(documents(20), V, PLAN.max_len, seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = (ALBERTModel if albert else BERTModel)(config)
    return Setting(model, dataset, engine.held_out_set(documents(6, 1), PLAN.max_len, 0))


def train(plan: engine.Plan = PLAN, config: ModelConfig = BERT, **options: Any) -> Run:
    """Train a fresh small model."""
    made = options.pop("setting", None) or setting(config)
    albert = config.sharing == "all"
    options.setdefault("pieces", PIECES)
    return engine.train(
        made.model,
        made.dataset,
        made.held_out,
        plan,
        options.pop("pieces"),
        name="ALBERT" if albert else "BERT",
        task="sop" if albert else "nsp",
        training_data="data",
        parameters=parameter_table(config, albert),
        **options,
    )


def figures(run: Run) -> tuple:
    """What must not depend on an interruption."""
    return run.steps, run.history, run.evaluations


class AfterSteps:
    """A wish to stop after so many steps: `should_stop` is asked once before each."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("config", [BERT, ALBERT], ids=["BERT", "ALBERT"])
@pytest.mark.parametrize("stop", [1, 4, 7])
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(
    tmp_path: Path, config: ModelConfig, stop: int
) -> None:
    """Weights, losses, scores and metrics agree, dropout included."""
    whole, parts = setting(config), setting(config)
    expected = train(config=config, setting=whole, folder=tmp_path / "whole")
    with pytest.raises(engine.Interrupted) as stopped:
        train(config=config, folder=tmp_path / "parts", should_stop=AfterSteps(stop))
    assert stopped.value.step == stop
    got = train(config=config, setting=parts, folder=tmp_path / "parts")
    assert figures(got) == figures(expected)
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, parts.model.state_dict()[name]), name
    assert metrics(tmp_path / "parts") == metrics(tmp_path / "whole")


def metrics(folder: Path) -> list[dict]:
    """The lines of a run's metrics without its times."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if "second" not in k} for line in lines]


def test_metrics_after_the_checkpoint_are_dropped_when_a_run_goes_on(tmp_path: Path) -> None:
    """A process that was killed leaves more metrics than its checkpoint knows."""
    with pytest.raises(engine.Interrupted):
        train(folder=tmp_path, should_stop=AfterSteps(4))
    with open(tmp_path / "metrics.jsonl", "a") as file:
        file.write('{"step": 9, "mlm_loss": 0.0}\n{"step": 10, "mlm_lo')
    train(folder=tmp_path)
    assert [line["step"] for line in metrics(tmp_path) if "held_out" in line] == [1, 5, 10, 12]


def test_ctrl_c_finishes_the_step_and_keeps_a_checkpoint(tmp_path: Path) -> None:
    """The signal comes in the middle of a step's loss."""
    calls = []

    def loss(model: torch.nn.Module, batch: Any) -> Any:
        if model.training:  # not when the engine tries what it may leave out
            calls.append(1)
        if len(calls) == 6:
            os.kill(os.getpid(), signal.SIGINT)
        return pretraining_loss(model, batch)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as stopped:
        train(folder=tmp_path, pieces=PIECES._replace(pretraining_loss=loss))
    assert isinstance(stopped.value, engine.Interrupted)
    assert (stopped.value.step, stopped.value.run.steps) == (6, [1, 5])
    assert signal.getsignal(signal.SIGINT) is before
    assert figures(train(folder=tmp_path)) == figures(train())


def test_a_finished_run_is_read_not_trained_again(tmp_path: Path) -> None:
    """The same call with the same folder gives the stored run."""

    def never(model: torch.nn.Module, batch: Any) -> Any:
        raise Broken("trained again")

    first = train(folder=tmp_path)
    again = train(folder=tmp_path, pieces=PIECES._replace(pretraining_loss=never))
    assert again == first


def test_a_loss_that_is_not_finite_ends_the_run_and_keeps_the_last_good_checkpoint(tmp_path: Path) -> None:
    """The message names the step and a way out; the checkpoint is the one of step 4."""
    calls = []

    def loss(model: torch.nn.Module, batch: Any) -> Any:
        if model.training:  # not when the engine tries what it may leave out
            calls.append(1)
        value = pretraining_loss(model, batch)
        return value._replace(mlm=value.mlm * float("nan")) if len(calls) == 6 else value

    with pytest.raises(engine.EngineError, match=r"step 6 the loss is nan.*--lr"):
        train(folder=tmp_path, pieces=PIECES._replace(pretraining_loss=loss))
    assert checkpoint_step(tmp_path) == 4
    assert figures(train(folder=tmp_path)) == figures(train())


def test_a_weight_that_is_not_finite_is_never_saved(tmp_path: Path) -> None:
    """A gradient can break the weights while the loss of that step is still fine."""

    def loss(model: torch.nn.Module, batch: Any) -> Any:
        value = pretraining_loss(model, batch)
        return value._replace(mlm=value.mlm + (value.mlm - value.mlm.detach()) * float("inf"))

    plan = replace(PLAN, checkpoint_every=1)
    with pytest.raises(engine.EngineError, match=r"no longer a finite|is nan"):
        train(plan, folder=tmp_path, pieces=PIECES._replace(pretraining_loss=loss))
    assert not (tmp_path / "checkpoint.pt").exists()


def test_a_full_disk_ends_the_run_and_keeps_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third write fails half way; nothing half written is left."""
    writes = []
    real = torch.save

    def save(state: Any, path: Path) -> None:
        writes.append(path)
        if len(writes) == 2:
            Path(path).write_bytes(b"half of it")
            raise OSError(errno.ENOSPC, "No space left on device")
        real(state, path)

    monkeypatch.setattr(run_folder.torch, "save", save)
    with pytest.raises(engine.EngineError, match=r"step 8 .*No space left.*before it is kept"):
        train(folder=tmp_path)
    assert checkpoint_step(tmp_path) == 4
    assert not list(tmp_path.glob("*.part"))
    assert figures(train(folder=tmp_path)) == figures(train())


def checkpoint_step(folder: Path) -> int:
    """The step of the checkpoint in a run folder."""
    return torch.load(folder / "checkpoint.pt", weights_only=True)["step"]


def test_a_folder_that_cannot_be_written_is_found_before_the_first_step(tmp_path: Path) -> None:
    """A file stands where the folder should be; this holds for the superuser too."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(engine.EngineError, match="cannot write to the run folder"):
        train(folder=tmp_path / "taken" / "run")


@pytest.mark.parametrize(
    ("change", "said"), [({"lr": 5e-4}, "lr: got 0.0005, the folder has 0.001"), ({"seed": 3}, "seed")]
)
def test_a_folder_of_another_recipe_is_refused_and_fresh_replaces_it(
    tmp_path: Path, change: dict, said: str
) -> None:
    """What differs is said; `resume=False` starts anew."""
    train(folder=tmp_path)
    with pytest.raises(engine.EngineError, match=said):
        train(replace(PLAN, **change), folder=tmp_path)
    assert figures(train(replace(PLAN, **change), folder=tmp_path, resume=False)) == figures(
        train(replace(PLAN, **change))
    )


def test_another_schema_is_refused(tmp_path: Path) -> None:
    """A folder of a later version is not misread."""
    train(folder=tmp_path)
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    torch.save({**state, "schema": engine.SCHEMA + 1}, tmp_path / "checkpoint.pt")
    with pytest.raises(engine.EngineError, match=f"expected {engine.SCHEMA}"):
        train(folder=tmp_path)


def test_an_error_in_a_dataset_reaches_the_caller(tmp_path: Path) -> None:
    """The batches are made in a thread; its errors are not lost there."""

    class Bad(BERTDataset):
        def __getitem__(self, index: int) -> Any:
            raise Broken("in the dataset")

    bad = setting()._replace(dataset=Bad(documents(20), V, PLAN.max_len, 0))
    with pytest.raises(Broken, match="in the dataset"):
        train(setting=bad)


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_depend_on_the_step_alone_and_hold_each_example_at_most_once(workers: int) -> None:
    """Starting at step 5 gives what a start at 0 gives from there on, over two epochs."""
    made = setting()
    plan = replace(PLAN, workers=workers, steps=2 * (len(made.dataset) // 4))
    whole = list(engine.stream(engine.Pools(setting().dataset, PIECES.collate, plan), 0))
    later = list(engine.stream(engine.Pools(setting().dataset, PIECES.collate, plan), 5))
    assert len(whole) == plan.steps
    assert len(later) == plan.steps - 5
    for ours, theirs in zip(whole[5:], later, strict=True):
        torch.testing.assert_close(tuple(ours[0].batch), tuple(theirs[0].batch), rtol=0, atol=0)


def test_sorting_by_length_leaves_little_padding() -> None:
    """Of 16 batches sorted together fewer places are padding than of batches at random."""
    dataset = BERTDataset(documents(200), V, 24, 0)
    plan = replace(PLAN, steps=48, batch_size=8)

    def share(pool: int) -> float:
        parts = [p for step in engine.stream(engine.Pools(dataset, PIECES.collate, replace(plan, pool=pool)), 0)
                 for p in step]  # fmt: skip
        return 1 - sum(p.tokens for p in parts) / sum(p.batch.input_ids.numel() for p in parts)

    assert share(16) < 0.05 < 0.15 < share(1)


def test_the_loss_that_does_not_wait_equals_the_lesson_s() -> None:
    """Values and gradients, with padding and without, with labels and without."""
    made = setting()
    made.model.eval()
    examples = [made.dataset[i] for i in range(6)]
    batches = [PIECES.collate(examples), PIECES.collate(examples[:1]), PIECES.collate(examples)._replace()]
    batches[2] = batches[2]._replace(mlm_labels=torch.full_like(batches[2].mlm_labels, IGNORE_INDEX))
    for batch in batches:
        results = []
        for loss in (
            pretraining_loss(made.model, batch),
            loss_without_waiting(made.model, prepare(batch)),
        ):
            made.model.zero_grad(set_to_none=False)
            loss.total.backward()
            results.append((loss, [p.grad.clone() for p in made.model.parameters() if p.grad is not None]))
        (ours, our_gradients), (theirs, their_gradients) = results
        torch.testing.assert_close(tuple(ours), tuple(theirs))
        torch.testing.assert_close(our_gradients, their_gradients)


def test_micro_batches_weighted_by_labels_train_like_one_batch() -> None:
    """Three parts of unequal numbers of labelled tokens give the same curve (no dropout)."""
    config = replace(BERT, dropout=0.0)
    plan = replace(PLAN, batch_size=7)
    whole = train(plan, config=config, setting=setting(config))
    parts = train(replace(plan, micro_batch=3), config=config, setting=setting(config))
    np.testing.assert_allclose(parts.history, whole.history, rtol=1e-5)


def test_a_batch_too_large_for_the_cache_is_cut_into_even_parts_on_a_cpu() -> None:
    """Not on a GPU, and not where the parts' size is given."""
    plan = replace(PLAN, device="cpu", micro_batch=None)
    assert [rows_at_once(plan, rows, 128) for rows in (1, 24, 25, 32, 512)] == [1, 8, 7, 8, 8]
    assert rows_at_once(replace(plan, device="cuda"), 512, 128) == 512
    assert rows_at_once(replace(plan, micro_batch=7), 512, 128) == 7


def test_global_random_state_is_left_alone() -> None:
    """Training seeds torch's generator for itself only."""
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train()
    assert torch.equal(torch.rand(3), expected)


def test_bf16_runs_on_a_cpu() -> None:
    """The GPU preset's precision, at toy size."""
    run = train(replace(PLAN, steps=2, precision="bf16"))
    assert np.isfinite(run.history.total_loss).all()


def test_history_is_the_mean_over_labelled_tokens_since_the_last_entry(tmp_path: Path) -> None:
    """The log's windows of 3 steps and the history's of 5 and 4 and 2 tell of the same losses."""
    run = train(replace(PLAN, log_every=1), folder=tmp_path)
    lines = [line for line in metrics(tmp_path) if "mlm_loss" in line]
    assert run.steps == [1, 5, 10, 12]
    assert lines[0]["mlm_loss"] == run.history.mlm_loss[0]
    window = [line["mlm_loss"] for line in lines[1:5]]
    assert min(window) < run.history.mlm_loss[1] < max(window)
    assert run.history.total_loss[1] == pytest.approx(run.history.mlm_loss[1] + run.history.sentence_loss[1])


def test_the_held_out_set_hides_the_same_places_for_every_task() -> None:
    """Only [MASK] at chosen places; a swapped pair is the same words; a random one keeps its first segment."""
    held_out = engine.held_out_set(documents(30), 24, 3, sentences=(1, 2))
    for true, swapped, random in zip(held_out.true, held_out.swapped, held_out.random, strict=True):
        for pair in (true, swapped, random):
            hidden = pair.labels != IGNORE_INDEX
            assert (pair.input_ids[hidden] == MASK_ID).all()
            assert (pair.labels[hidden] >= 5).all()
        assert sorted(true.input_ids) == sorted(swapped.input_ids)
        assert sorted(true.labels) == sorted(swapped.labels)
        first, kept = (pair.input_ids[pair.segment_ids == 0][1:-1] for pair in (true, random))
        assert (first[: len(kept)] == kept).all()
    again = engine.held_out_set(documents(30), 24, 3, sentences=(1, 2))
    other = engine.held_out_set(documents(30), 24, 4, sentences=(1, 2))
    assert again.digest == held_out.digest != other.digest


def test_evaluation_does_not_depend_on_grouping_and_restores_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pair at a time gives the same scores as many."""
    made = setting()
    encoder = made.model.get_submodule("encoder").eval()
    together = engine.evaluate(made.model, made.held_out, "nsp")
    monkeypatch.setitem(groups.TOKENS, "cpu", 1)
    np.testing.assert_allclose(engine.evaluate(made.model, made.held_out, "nsp"), together, rtol=1e-5)
    assert made.model.training
    assert not encoder.training


def test_complete_places_never_reach_a_document_s_end() -> None:
    """Five sentences hold two full pairs of up to two sentences a segment; a short document keeps all places."""
    long, short = [[5]] * 5, [[5]] * 3
    assert engine.complete_places([long, short, long], (1, 2)).tolist() == [0, 1, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"steps": 0}, "steps"),
        ({"lr": 0.0}, "lr"),
        ({"max_len": 4}, "max_len"),
        ({"precision": "fp8"}, "fp8"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(change: dict, said: str) -> None:
    """With what was got and what was expected."""
    with pytest.raises(ValueError, match=said):
        replace(PLAN, **change)
