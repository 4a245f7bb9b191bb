"""`litebert trace`: what it compares of random functions, and that a tick is never more than was compared."""

from pathlib import Path

import pytest

from checks.curriculum import BY_NAME
from checks.gate.edits import write_subject
from checks.judge.counted import counted
from checks.mutants import mutants_of
from checks.project.calling import run
from checks.stubs import backups
from checks.variants import variants_of
from checks.workbench.telling import lines
from checks.workbench.tracing import trace


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty memory."""
    monkeypatch.setattr(backups, "STATE", tmp_path / "state")


def mutated(folder: Path, lesson: str, name: str) -> str:
    mutant = next(mutant for mutant in mutants_of(lesson) if mutant.id == name)
    write_subject(folder, lesson, mutant.edit)
    return str(folder)


@pytest.mark.parametrize(
    ("lesson", "mutant", "exercise", "property_"),
    [
        ("masking", "positions_specials", "select_positions", "'rate of specials'"),
        ("masking", "mask_never_kept", "mask_tokens", "'kept'"),
        ("pairing", "nsp_overlaps", "nsp_pairs", "label 1: follows'"),
        ("datasets", "one_generator", "BERTDataset", "'equal in reverse'"),
    ],
)
def test_of_a_random_function_the_first_wrong_property_is_named(
    lesson: str, mutant: str, exercise: str, property_: str, tmp_path: Path
) -> None:
    found = {entry.exercise: entry for entry in trace(lesson, mutated(tmp_path, lesson, mutant))}
    head, expected, yours = lines(found[exercise])[:3]
    assert head.startswith(f"✗ {exercise}: random, so properties of many draws are compared")
    assert property_ in head
    assert expected.partition("expected")[2] != yours.partition("yours")[2]


def test_no_tick_where_the_cases_agree_and_a_check_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = mutated(tmp_path, "masking", "positions_global")
    code, out, _ = run(capsys, "trace", "masking", "--subject", folder)
    assert code == 1
    assert "✗ select_positions: nothing differs in the cases traced here, but" in out
    assert "litebert repro " in out
    assert "✓ select_positions" not in out


def test_an_exercise_without_a_case_gets_no_tick(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "trace", "masking", "--subject", "solutions")
    assert code == 0
    assert "· find_faults: not traced" in out
    assert "✓ find_faults" not in out


def test_every_exercise_has_its_line() -> None:
    assert [entry.exercise for entry in trace("pairing", "solutions")] == list(BY_NAME["pairing"].exercises)


@pytest.mark.parametrize("lesson", ["masking", "pairing"])
def test_right_code_with_draws_of_its_own_is_blamed_for_nothing(lesson: str, tmp_path: Path) -> None:
    for variant in variants_of(lesson)[:4]:
        write_subject(tmp_path, lesson, variant.edit)
        assert all(entry.agree for entry in trace(lesson, str(tmp_path)) if entry.probed), variant.id


def test_a_part_of_a_step_is_pointed_at_by_its_name(tmp_path: Path) -> None:
    found = {e.exercise: e for e in trace("pairing", mutated(tmp_path, "pairing", "pack_one_segment"))}
    head, _, reference, yours, _ = lines(found["pack_pair"])
    assert head.endswith("the first that differs is pack_pair, in its output [1]")
    assert "int64 [12]: 0, 0" in reference
    assert "int64 [12]: 0, 0" in yours


def test_one_is_counted_in_the_singular() -> None:
    assert counted(1, "step") == "1 step"
    told = "\n".join(
        line for name in ("vocab", "attention") for e in trace(name, "solutions") for line in lines(e)
    )
    assert "(1 step)" in told
    assert "1 steps" not in told.replace("11 steps", "")
