"""Several processes train what one would, and one that dies does not cost the run."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from checks.curriculum import ROOT
from checks.project import distributed_worker as worker
from lessons.given import engine
from solutions.capstone import PIECES


def torchrun(*arguments: str, processes: int = 2) -> subprocess.Popen:
    """Start a module of this project in several processes."""
    call = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*call, "-m", *arguments],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def output(process: subprocess.Popen) -> str:
    """All that it prints, when it has ended."""
    try:
        return process.communicate(timeout=120)[0]
    finally:
        process.kill()


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of two processes that trained together, stopped after step 6 and went on."""
    folder = tmp_path_factory.mktemp("together")
    process = torchrun("checks.project.distributed_worker", str(folder), "stop")
    said = output(process)
    assert process.returncode == 0, said
    return folder


def curves(folder: Path) -> tuple:
    """Steps, losses and held-out scores of a finished run."""
    run = engine.RunFolder(folder).load_run()
    assert run is not None
    return run.steps, np.array(run.history), np.array(run.evaluations)


@pytest.mark.parametrize("name", worker.NAMES)
def test_two_processes_lose_and_score_what_one_does_on_the_same_batches(
    two_processes: Path, tmp_path: Path, name: str
) -> None:
    """Two shards in two processes against two shards in one; tolerance: float32 sums in another order."""
    worker.train(name, tmp_path)
    (steps, losses, scores), (steps_1, losses_1, scores_1) = curves(two_processes / name), curves(tmp_path)
    assert steps == steps_1
    np.testing.assert_allclose(losses, losses_1, rtol=2e-5)
    np.testing.assert_allclose(scores, scores_1, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", worker.NAMES)
def test_an_interruption_of_both_processes_changes_no_number(two_processes: Path, name: str) -> None:
    """The dropout of each process goes on where it was: with and without a stop, the losses are equal."""
    assert np.array_equal(
        curves(two_processes / f"{name}-stopped")[1], curves(two_processes / f"{name}-whole")[1]
    )


@pytest.mark.parametrize("code", [0, 3])
def test_a_process_ends_with_its_code_and_all_its_words_and_past_threads_that_would_hold_it(
    code: int,
) -> None:
    """A thread that never ends and a farewell stand for torch's own, which meet Python's end by chance only."""
    program = (
        "import atexit, threading; from checks.cli import capstone_distributed as c;"
        "threading.Thread(target=threading.Event().wait).start(); atexit.register(print, 'farewell');"
        f"c.command.main = lambda **options: print('last words', end='') or {code}; c.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "last words", "")


def test_shards_cover_a_batch_and_each_process_draws_its_own_only() -> None:
    """The parts of two processes are those of one; one shard is the plain pool."""
    plan = replace(worker.PLAN, shards=2)
    dataset = worker.dataset("BERT")

    def parts(rank: int = 0, size: int = 1) -> list:
        pools = engine.Pools(dataset, PIECES.collate, plan, None, rank, size)
        return [[part.batch.input_ids.tolist() for part in step] for step in pools[0]]

    assert [[*a, *b] for a, b in zip(parts(0, 2), parts(1, 2), strict=True)] == parts()
    with pytest.raises(ValueError, match="shards: got 2, expected a multiple of the 3"):
        parts(0, 3)
    with pytest.raises(ValueError, match="divisor of batch_size"):
        replace(plan, shards=3)


def test_two_micro_batches_of_8_equal_one_of_16() -> None:
    """One update's gradients, weighted by labelled tokens: the halves have different numbers of them."""
    gradients = []
    for micro_batch in (None, 8):
        plan = replace(worker.PLAN, batch_size=16, micro_batch=micro_batch, max_norm=1e9)
        training = worker.training("BERT", plan)
        parts = training.pools[0][0]
        assert len(parts) == (2 if micro_batch else 1)
        assert len({part.labelled for part in parts}) == len(parts)
        training.update(parts)
        gradients.append({n: p.grad for n, p in training.model.named_parameters()})
    torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-4, atol=1e-6)


def test_a_killed_process_ends_the_run_with_a_clear_word_and_a_checkpoint_to_go_on_from(
    tmp_path: Path,
) -> None:
    """The command's own processes, under torchrun; one is killed once a checkpoint is there."""
    options = "--preset classic --batch-size 8 --max-len 32 --device cpu --subject solutions --out"
    call = ("checks.cli.capstone_distributed", *options.split(), str(tmp_path), "--steps", "3000")
    process = torchrun(*call)
    victim = wait_for(tmp_path / "bert" / "checkpoint.pt", process)
    os.kill(victim, signal.SIGKILL)
    said = output(process)
    assert process.returncode != 0
    assert "another process of this run ended" in said
    assert "the same command goes on from there" in said
    step = torch.load(tmp_path / "bert" / "checkpoint.pt", weights_only=True)["step"]
    assert step % 200 == 0
    again = torchrun(*call)
    lines = tmp_path / "bert" / "metrics.jsonl"
    wait_for(lines, again, lambda: last_step(lines) > step)
    again.send_signal(signal.SIGTERM)
    said = output(again)
    assert "BERT: stopped after step" in said, said


def last_step(path: Path) -> int:
    """The step of the last whole line of the metrics."""
    whole = [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return json.loads(whole[-1])["step"] if whole else 0


def wait_for(path: Path, process: subprocess.Popen, ready: object = None) -> int:
    """Wait until the file is there; the id of the last of torchrun's workers."""
    for _ in range(3000):
        if path.exists() and (ready is None or ready()):  # type: ignore[operator]
            break
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.1)
    else:
        raise AssertionError(f"{path.name} did not come within 5 minutes")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(children[-1])
