"""Long work is safe: whatever ends a run, its last good checkpoint is whole and the message says what to do."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from checks.curriculum import ROOT
from checks.project import distributed_worker as toy
from lessons.given import engine
from lessons.given.engine import run_folder
from lessons.given.records import Run
from solutions.capstone import PIECES
from solutions.objective import pretraining_loss


def train(folder: Path, plan: engine.Plan = toy.PLAN, pieces: engine.Pieces = PIECES, **options: Any) -> Run:
    """A toy BERT."""
    return engine.train(
        toy.model("BERT"),
        toy.dataset("BERT"),
        engine.held_out_set(toy.documents(6, 1), plan.max_len, 0),
        plan,
        pieces,
        name="BERT",
        task="nsp",
        training_data="data",
        parameters={},
        folder=folder,
        **options,
    )


def from_step(step: int, act: Callable[[], Any]) -> engine.Pieces:
    """The lessons' functions; from the given step's loss on, `act` comes first."""
    calls = []

    def loss(model: torch.nn.Module, batch: Any) -> Any:
        if model.training:  # not when the engine tries what it may leave out
            calls.append(1)
        if len(calls) >= step:
            act()
        return pretraining_loss(model, batch)

    return PIECES._replace(pretraining_loss=loss)


def checkpoint_step(folder: Path) -> int:
    """The step of the checkpoint, which can be read."""
    return torch.load(folder / "checkpoint.pt", weights_only=True)["step"]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Within the block the system refuses to write a file any further than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_write_that_the_system_breaks_off_leaves_the_checkpoint_before_it(tmp_path: Path) -> None:
    """The real thing: torch's own writer runs into the limit in the middle of the file of step 8."""
    with pytest.raises(engine.Interrupted):
        train(tmp_path, should_stop=iter([False] * 4 + [True]).__next__)
    size = (tmp_path / "checkpoint.pt").stat().st_size
    with (
        largest_file(size // 2),
        pytest.raises(engine.EngineError, match=r"step 8 .*before it is kept.*space"),
    ):
        train(tmp_path)
    assert checkpoint_step(tmp_path) == 4
    assert not list(tmp_path.glob("*.part"))
    assert train(tmp_path).history == train(tmp_path / "whole").history


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize("name", ["metrics.jsonl", "checkpoint.pt.part", "run.json.part"])
def test_a_full_disk_is_told_whatever_file_meets_it(tmp_path: Path, name: str) -> None:
    """Each file of the run folder leads to the device that is always full."""

    def fill() -> None:
        if not (tmp_path / name).is_symlink():
            (tmp_path / name).unlink(missing_ok=True)
            (tmp_path / name).symlink_to("/dev/full")

    plan = replace(toy.PLAN, checkpoint_every=6)
    step = 12 if name == "run.json.part" else 7
    with pytest.raises(engine.EngineError, match=r"cannot write .*(No space left|kept)"):
        train(tmp_path, plan, from_step(step, fill))
    assert checkpoint_step(tmp_path) == (12 if name == "run.json.part" else 6)


@pytest.mark.parametrize(
    ("error", "place"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"), "loss"),
        (MemoryError(), "loss"),
        (None, "loss"),
        (None, "observe"),
    ],
)
def test_out_of_memory_is_told_with_a_way_out(tmp_path: Path, error: Exception | None, place: str) -> None:
    """On a GPU, in NumPy, in torch on a CPU (really asked for), in training and after it; step 4 is kept."""

    def fail() -> None:
        if error is not None:
            raise error
        torch.empty(10**15)

    plan = replace(toy.PLAN, evaluate_every=6)
    options: dict[str, Any] = {"pieces": from_step(6, fail)}
    if place == "observe":
        options = {"observe": lambda model, step: fail() if step == 6 else None}
    with pytest.raises(
        engine.EngineError, match=r"out of memory at step [67] with 8 seq.*--micro-batch.*kept"
    ):
        train(tmp_path, plan, **options)
    assert checkpoint_step(tmp_path) == 4
    assert train(tmp_path, plan).history == train(tmp_path / "whole", plan).history


def test_another_error_of_the_code_is_not_explained_away(tmp_path: Path) -> None:
    """A shape mistake in a learner's loss comes out as it is."""
    with pytest.raises(RuntimeError, match="size of tensor") as raised:
        train(tmp_path, pieces=from_step(3, lambda: torch.ones(2) + torch.ones(3)))
    assert not isinstance(raised.value, engine.EngineError)


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_an_unwritable_folder_is_found_before_the_first_step(tmp_path: Path) -> None:
    """The superuser may write anywhere, so there the folder is a file's child instead."""
    folder = tmp_path / "locked"
    if os.geteuid() == 0:
        folder.write_text("")
    else:
        folder.mkdir(mode=0o500)
    with pytest.raises(engine.EngineError, match="cannot write to the run folder"):
        train(folder / "run", pieces=from_step(1, lambda: pytest.fail("a step was taken")))


@pytest.mark.parametrize("name", ["checkpoint.pt", "run.json"])
def test_a_folder_of_a_newer_version_is_refused_and_left_as_it_is(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file carries the schema."""
    monkeypatch.setattr(run_folder, "SCHEMA", engine.SCHEMA + 1)
    train(tmp_path)
    monkeypatch.undo()
    if name == "run.json":  # the checkpoint alone is of this version
        state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
        torch.save({**state, "schema": engine.SCHEMA}, tmp_path / "checkpoint.pt")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(engine.EngineError, match=rf"{name}: got schema {engine.SCHEMA + 1}.*--fresh"):
        train(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_process_killed_at_any_moment_leaves_a_checkpoint_that_can_be_read(tmp_path: Path) -> None:
    """It saves after every step until it is killed without warning in the middle of a write."""
    code = (
        "import os, sys; from pathlib import Path; from dataclasses import replace; import torch\n"
        "from checks.project import test_engine_safety as safety\n"
        "from lessons.given.engine import run_folder\n"
        "real, writes = torch.save, []\n"
        "def save(state, path):\n"
        "    real(state, path); writes.append(path)\n"
        "    if len(writes) == 6:\n"
        "        os.truncate(path, 1000); os.kill(os.getpid(), 9)\n"
        "run_folder.torch.save = save\n"
        "safety.train(Path(sys.argv[1]), replace(safety.toy.PLAN, checkpoint_every=1))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    assert checkpoint_step(tmp_path) == 5
    assert train(tmp_path).history == train(tmp_path / "whole").history
