"""Hints, what is remembered, and the solution that waits for one's own."""

from pathlib import Path

import pytest

from checks.cli import solution
from checks.curriculum import LESSONS, ROOT, Lesson
from checks.gate.edits import SOLUTIONS
from checks.project.calling import run
from checks.project.test_learner_run import run_pytest
from checks.stubs import backups
from checks.stubs.generate import generate
from checks.workbench import hints, memory
from checks.workbench.judging import judge


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty memory."""
    monkeypatch.setattr(backups, "STATE", tmp_path / "state")
    return tmp_path / "state"


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    """A folder whose attention divides by the head size, and which has an untouched masking."""
    folder = tmp_path / "mine"
    folder.mkdir()
    source = (SOLUTIONS / "attention.py").read_text(encoding="utf-8")
    mistaken = source.replace("query / math.sqrt(query.shape[-1])", "query / query.shape[-1]")
    assert mistaken != source
    (folder / "attention.py").write_text(mistaken, encoding="utf-8")
    stub = generate((SOLUTIONS / "masking.py").read_text(encoding="utf-8"), "masking")
    (folder / "masking.py").write_text(stub, encoding="utf-8")
    (folder / "vocab.py").write_text((SOLUTIONS / "vocab.py").read_text(encoding="utf-8"), encoding="utf-8")
    return str(folder)


def test_the_same_call_gives_the_next_hint_and_the_last_one_again(capsys: pytest.CaptureFixture[str]) -> None:
    given = [run(capsys, "hint", "split_heads")[1] for _ in range(4)]
    assert [text.splitlines()[0] for text in given] == [f"split_heads, hint {n} of 3" for n in (1, 2, 3, 3)]
    assert len(set(given)) == 3
    assert "docs/lessons/05-attention.md" in given[-1]
    assert "hint 1 of 3" in run(capsys, "hint", "split_heads", "--step", "1")[1]
    assert "hint 3 of 3" in run(capsys, "hint", "Split_Heads")[1]


def test_a_lesson_stands_for_its_exercise_that_needs_a_hint(
    wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    judge("attention", wrong)
    judge("masking", wrong)
    assert hints.most_urgent("attention", wrong) == "attention_weights"
    assert hints.most_urgent("masking", wrong) == "select_positions"
    assert "select_positions, hint 1" in run(capsys, "hint", "2", "--subject", wrong)[1]


def test_a_named_mistake_chooses_the_hints(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    judge("attention", wrong)
    first, second, third = (run(capsys, "hint", "attention", "--subject", wrong)[1] for _ in range(3))
    assert "scores are divided by the head size instead of its square root" in first
    assert "standard deviation" in second
    assert "Divide by the root of the last axis' size" in third
    path = Path(wrong) / "attention.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# a change\n", encoding="utf-8")
    assert "the file has changed since" in run(capsys, "hint", "attention", "--subject", wrong)[1]
    path.write_text((SOLUTIONS / "attention.py").read_text(encoding="utf-8"), encoding="utf-8")
    judge("attention", wrong)
    assert "Three steps: a score" in run(capsys, "hint", "attention_weights", "--subject", wrong)[1]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.module)
def test_every_exercise_gives_a_hint(lesson: Lesson, capsys: pytest.CaptureFixture[str]) -> None:
    for exercise in lesson.exercises:
        code, out, _ = run(capsys, "hint", exercise)
        assert (code, out.splitlines()[0]) == (0, f"{exercise}, hint 1 of 3")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hint"], "Missing argument"),
        (["hint", "spilt_heads"], "Did you mean 'split_heads'?"),
        (["hint", "masks"], "Did you mean 'masking'?"),
        (["hint", "nothing"], "  counting: count_parameters, parameter_table"),
        (["hint", "99"], "numbered 1 to 15"),
        (["hint", "xyzzy"], "no exercise or lesson 'xyzzy'"),
        (["hint", "gelu", "--step", "4"], "1<=x<=3"),
    ],
)
def test_a_mistake_in_the_call_is_told(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_a_broken_memory_counts_as_empty(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state.mkdir()
    (state / "hints.json").write_text("[1, 2")
    (state / "verdicts.json").write_text("[]")
    assert run(capsys, "hint", "gelu")[0] == 0
    assert run(capsys, "hint", "attention")[0] == 0


def test_verdicts_are_kept_for_the_text_that_was_judged_and_for_few_folders(
    wrong: str, tmp_path: Path
) -> None:
    judge("vocab", wrong)
    known, fresh = memory.last("vocab", wrong)
    assert fresh
    assert {entry["state"] for entry in known.values()} == {"done"}
    (Path(wrong) / "vocab.py").write_text("x = 1\n")
    assert memory.last("vocab", wrong)[1] is False
    for number in range(6):
        folder = tmp_path / f"other{number}"
        folder.mkdir()
        (folder / "vocab.py").write_text(f"x = {number}\n")
        judge("vocab", str(folder))
    judge("vocab", "solutions")
    assert len(memory.read("verdicts.json")) == memory.MOST_FOLDERS


def test_pytest_remembers_its_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vocab.py").write_text((SOLUTIONS / "vocab.py").read_text(encoding="utf-8"), encoding="utf-8")
    run_pytest("--lesson", "vocab", f"--subject={tmp_path}")
    monkeypatch.setattr(backups, "STATE", ROOT / ".litebert")  # where that process wrote
    known, fresh = memory.last("vocab", str(tmp_path))
    assert fresh
    assert {entry["state"] for entry in known.values()} == {"done"}


def test_the_solution_waits_until_the_lesson_passes(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "solution", "attention", "--subject", wrong)
    assert (code, out) == (2, "")
    assert "once it passes" in err
    assert "litebert hint attention" in err
    source = (SOLUTIONS / "attention.py").read_text(encoding="utf-8")
    assert run(capsys, "solution", "attention", "--subject", wrong, "--force")[1] == source
    vocab = (SOLUTIONS / "vocab.py").read_text(encoding="utf-8")
    assert run(capsys, "solution", "vocab", "--subject", wrong)[:2] == (0, vocab)


def test_a_release_without_solutions_says_so(
    wrong: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("checks.curriculum.ROOT", tmp_path)
    assert solution
    for command in ("solution", "trace"):
        code, _, err = run(capsys, command, "attention", "--subject", wrong)
        assert code == 2
        assert "this release has no solutions" in err
