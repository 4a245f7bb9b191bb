"""`litebert capstone` at toy size: what it writes, that it goes on, and what it says of a mistake."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checks.cli.capstone import capstone
from checks.cli.capstone_data import unigram_loss
from checks.cli.capstone_subject import still_to_do
from checks.curriculum import ROOT
from checks.stubs.sync import write_stubs
from lessons.given.engine.budgets import BUDGETS
from solutions.capstone import configurations

SMALL = (
    "--preset",
    "classic",
    "--steps",
    "6",
    "--batch-size",
    "4",
    "--max-len",
    "32",
    "--subject",
    "solutions",
)


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(capstone, list(arguments))


def start(*arguments: str, folder: Path) -> subprocess.Popen:
    """Start the command as a user does."""
    call = [sys.executable, "-W", "error::UserWarning", "-m", "checks.cli.main", "capstone", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        call, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def run(*arguments: str) -> tuple[int, str]:
    """Train in this process, without others: exit code and what was printed."""
    result = CliRunner().invoke(capstone, ["--at-once", "0", *arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.output


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A finished run folder and what was printed."""
    folder = tmp_path_factory.mktemp("capstone")
    code, out = run(*SMALL, "--out", str(folder / "run"))
    assert code == 0, out
    return folder / "run", out


def test_both_models_are_trained_and_told_of(finished: tuple[Path, str]) -> None:
    """The table, the counts at V=30,000, the held-out hash, metrics, pictures and checkpoints."""
    folder, out = finished
    for heading in ("| BERT |", "| ALBERT |", "V = 30,000", "tokens/s", "MLM acc", "unigram", "hash"):
        assert heading in out, heading
    summary = (folder / "summary.md").read_text()
    assert "| ALBERT |" in summary
    for picture in ("losses.png", "sentence_accuracy.png", "parameters.png"):
        assert f"({picture})" in summary
        assert (folder / picture).read_bytes().startswith(b"\x89PNG")
    plain = [json.loads((folder / name / "run.json").read_text()) for name in ("bert", "albert")]
    same = ("training_data", "held_out", "steps", "batch_size", "max_len", "masks", "rates_tried", "seed")
    assert all(plain[0]["settings"][key] == plain[1]["settings"][key] for key in same)
    assert [run["settings"]["task"] for run in plain] == ["nsp", "sop"]
    for name in ("bert", "albert"):
        lines = [json.loads(line) for line in (folder / name / "metrics.jsonl").read_text().splitlines()]
        assert lines[-1]["step"] == 6


def test_a_finished_folder_is_reported_again_without_training(finished: tuple[Path, str]) -> None:
    """The same command prints the same table."""
    folder, out = finished
    before = (folder / "bert" / "checkpoint.pt").stat().st_mtime_ns
    code, again = run(*SMALL, "--out", str(folder))
    assert code == 0, again
    assert (folder / "bert" / "checkpoint.pt").stat().st_mtime_ns == before
    row = next(line for line in out.splitlines() if line.startswith("| BERT |"))
    assert row in again


def test_another_recipe_in_the_folder_is_an_error_that_names_the_difference(
    finished: tuple[Path, str],
) -> None:
    """And what to do about it."""
    code, out = run(*SMALL, "--out", str(finished[0]), "--lr", "0.5")
    assert code == 1
    assert "lr: got 0.5" in out
    assert "--fresh" in out


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """Two training processes get the signal after their first step; the second call ends in one process."""
    arguments = ("--preset", "classic", "--steps", "120", "--batch-size", "4", "--max-len", "32", "--out", "run",
                 "--subject", "solutions")  # fmt: skip
    process = start(*arguments, folder=tmp_path)
    metrics = tmp_path / "run" / "albert" / "metrics.jsonl"
    patience = time.monotonic() + 120
    while not (metrics.exists() and '"step": 1,' in metrics.read_text()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < patience
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "the same command goes on from there" in err
    assert "| ALBERT |" in out
    assert "Traceback" not in err
    code, out = run(*arguments[:-4], "--out", str(tmp_path / "run"), "--subject", "solutions")
    assert code == 0, out
    steps = [json.loads(line)["step"] for line in metrics.read_text().splitlines()]
    assert steps == sorted(steps)
    assert steps[-1] == 120


def test_a_text_file_is_a_corpus(tmp_path: Path) -> None:
    """One sentence a line, a blank line between documents; a bounded vocabulary."""
    text = "\n\n".join("\n".join(f"Word{d} is number{i} here." for i in range(4)) for d in range(12))
    (tmp_path / "my.txt").write_text(text)
    code, out = run(
        *SMALL, "--corpus", str(tmp_path / "my.txt"), "--vocab-size", "20", "--out", str(tmp_path / "run")
    )
    assert code == 0, out
    assert "V = 20" in out
    assert "[UNK]" in out


def test_the_gpu_preset_runs_at_toy_size_on_a_cpu(tmp_path: Path) -> None:
    """All twelve layers in bf16, narrow ones: the subject's configurations are the reference's, made small."""
    subject = tmp_path / "subject"
    shutil.copytree(ROOT / "solutions", subject, ignore=shutil.ignore_patterns("__pycache__"))
    with open(subject / "capstone.py", "a") as file:
        file.write(NARROW)
    arguments = (
        "--preset",
        "gpu",
        "--corpus",
        "toy",
        "--steps",
        "2",
        "--batch-size",
        "4",
        "--micro-batch",
        "3",
    )
    where = ("--device", "cpu", "--max-len", "16", "--out", str(tmp_path / "run"), "--subject", str(subject))
    code, out = run(*arguments, *where)
    assert code == 0, out
    plain = json.loads((tmp_path / "run" / "albert" / "run.json").read_text())
    assert plain["settings"]["precision"] == "bf16"
    assert plain["config"]["n_layers"] == 12


NARROW = """

_wide = configurations


def configurations(preset, vocab_size):
    narrow = {"d_model": 16, "d_ff": 32}
    return {
        name: replace(config, **narrow, d_embedding=min(config.d_embedding, 16))
        for name, config in _wide(preset, vocab_size).items()
    }
"""


def test_stubs_still_to_do_are_named_before_anything_is_trained(tmp_path: Path) -> None:
    """A learner who starts too early is told what is missing; bonus parts are not asked for."""
    for path in (ROOT / "solutions").glob("*.py"):
        shutil.copy(path, tmp_path)
    assert still_to_do(tmp_path) == []
    source = (tmp_path / "masking.py").read_text()
    head, rest = source.split("def mask_tokens(", 1)
    broken = (
        'def mask_tokens():\n    raise NotImplementedError("lesson masking: mask_tokens is still to do")\n'
    )
    (tmp_path / "masking.py").write_text(head + broken + "def _old(" + rest)
    result = invoke("--subject", str(tmp_path))
    assert result.exit_code == 1
    assert "mask_tokens" in result.output
    assert "still to do" in result.output


def test_the_untouched_stubs_lack_every_lesson(tmp_path: Path) -> None:
    """All modules that the capstone runs appear in the list."""
    write_stubs(tmp_path, backup=False)
    lacking = {entry.split(":")[0].removesuffix(".py") for entry in still_to_do(tmp_path)}
    assert {"vocab", "masking", "attention", "models", "objective", "training", "capstone"} <= lacking


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--preset", "huge"), "quick"),
        (("--steps", "0"), "x>=1"),
        (("--device", "warp"), "expected one of auto, cpu"),
        (("--corpus", "stories", "--corpus", "toy"), "expected stories, toy, or files only"),
        (("--max-len", "4"), "x>=5"),
        (("--lr", "0"), "x>0"),
    ],
)
def test_a_bad_option_is_a_usage_error(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    """With what would have been right."""
    result = invoke("--subject", "solutions", "--out", str(tmp_path), *arguments)
    assert result.exit_code == 2
    assert said in result.output


def test_a_missing_file_and_a_batch_larger_than_the_corpus_are_errors(tmp_path: Path) -> None:
    """Both before a process is started."""
    for arguments in (
        ("--corpus", str(tmp_path / "none.txt")),
        ("--preset", "classic", "--batch-size", "100000"),
    ):
        result = invoke("--subject", "solutions", "--out", str(tmp_path / "run"), *arguments)
        assert result.exit_code not in (0, None)
        assert result.exception is not None


def test_an_unwritable_run_folder_is_found_before_the_work(tmp_path: Path) -> None:
    """A file stands in the way."""
    (tmp_path / "taken").write_text("")
    result = invoke("--subject", "solutions", "--out", str(tmp_path / "taken" / "run"))
    assert result.exit_code == 1
    assert "cannot write to the run folder" in result.output


def test_help_imports_no_torch() -> None:
    """`litebert capstone --help` is quick."""
    code = "import sys; from checks.cli.capstone import command; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


def test_every_preset_has_a_budget_and_configurations() -> None:
    """The two tables name the same presets."""
    for preset, budget in BUDGETS.items():
        configs = configurations(preset, 100)
        assert list(configs) == ["BERT", "ALBERT"]
        assert (budget.steps is None) != (budget.epochs is None)


def test_the_unigram_line_is_the_loss_of_the_training_frequencies() -> None:
    """Words 5 and 6 with counts 3 and 1 (and one added): 4/6 and 2/6."""
    from math import log

    train = [[[5, 5], [5, 6]]]
    assert unigram_loss(train, [5, 6], 7) == pytest.approx((log(6 / 4) + log(6 / 2)) / 2)
