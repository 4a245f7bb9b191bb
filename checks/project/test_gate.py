"""The gate reports what is wrong with the checks, and its record is what the README shows."""

import importlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.cli import gate as cli
from checks.curriculum import LESSONS, ROOT
from checks.gate import gate, naming, report, tally
from checks.gate.edits import Edit, Mutant, Variant
from checks.gate.gate import Outcome, Task
from checks.judge.mark import Check
from checks.judge.profiles import LEARNER, seed_check
from checks.mutants import mutants_of
from checks.subject import Subject
from checks.variants import variants_of

NAMED = next(mutant for mutant in mutants_of("vocab") if mutant.mistake)
UNCHANGED = Edit(extra="NOTHING_CHANGED = True")
VACUOUS = "@check('encode', points=1)\ndef test_it(subject):\n    subject.call('encode')\n"


def in_this_process(every: list[Task], full: bool, jobs: int | None, seed: int | None) -> Iterator[Outcome]:
    return (gate.run_task(task, full, seed) for task in every if task.kind != "lazy")


def gate_of(
    monkeypatch: pytest.MonkeyPatch, mutants: tuple[Mutant, ...], variants: tuple[Variant, ...] = ()
) -> Result:
    """`litebert gate vocab` with this bank."""
    for module in (gate, tally):
        monkeypatch.setattr(module, "mutants_of", lambda lesson: mutants)
    monkeypatch.setattr(gate, "variants_of", lambda lesson: variants)
    monkeypatch.setattr(gate, "run_tasks", in_this_process)
    return CliRunner().invoke(cli.command, ["vocab"])


def test_a_surviving_mutant_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    result = gate_of(monkeypatch, (replace(NAMED, id="planted", edit=UNCHANGED, mistake=None),))
    assert f"vocab: mutant planted survives {NAMED.killed_by}" in result.output
    assert result.exit_code == 1


def test_a_wrong_name_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    result = gate_of(monkeypatch, (replace(NAMED, mistake="vocab.another"),))
    assert f"mutant {NAMED.id} is named {NAMED.mistake}, expected vocab.another" in result.output
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("times", "told"),
    [((9.0, 5.0), 5.0), ((9.0, 8.0, 5.0), 5.0), ((9.0, 8.0, 8.5), 8.0), ((5.0,), 5.0)],
)
def test_a_subject_over_its_time_is_judged_again_and_the_best_time_counts(
    monkeypatch: pytest.MonkeyPatch, times: tuple[float, ...], told: float
) -> None:
    """And only the time: what failed at first has failed."""
    task = Task("vocab", "variant", "planted")
    first, *others = times
    runs = iter(
        [
            Outcome(task, ("test_it",), (), {}, first),
            *(Outcome(task, (), ("test_it",), {}, t) for t in others),
        ]
    )
    monkeypatch.setattr(gate, "_run_once", lambda *_: next(runs))
    outcome = gate.run_task(task, full=False)
    assert (outcome.seconds, outcome.failed, list(runs)) == (told, ("test_it",), [])


@pytest.mark.parametrize("lesson", [lesson.module for lesson in LESSONS])
def test_every_known_mistake_is_that_of_a_mutant(lesson: str) -> None:
    """The gate proves of these mutants that they are named so; a mistake without one would be proven by nothing."""
    known = {mistake.id for mistake in importlib.import_module(f"checks.oracles.{lesson}").MISTAKES}
    assert sorted(known - {mutant.mistake for mutant in mutants_of(lesson)}) == []


def test_a_rejected_variant_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = Variant("planted", NAMED.exercise, NAMED.edit, "wrong, in truth")
    result = gate_of(monkeypatch, (NAMED,), (planted,))
    assert f"variant planted is rejected by {NAMED.killed_by}" in result.output
    assert result.exit_code == 1


def test_a_check_that_kills_nothing_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    result = gate_of(monkeypatch, (NAMED,))
    assert "kills no mutant" in result.output
    assert NAMED.id not in result.output
    assert result.exit_code == 1


def test_a_vacuous_check_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "test_vocab.py").write_text(VACUOUS)
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    result = gate_of(monkeypatch, (NAMED,))
    assert "test_vocab.py:2 test_it: it expects nothing" in result.output


def test_a_check_that_passes_on_code_that_does_nothing_is_a_fault() -> None:
    outcome = Outcome(Task("vocab", "lazy", "zeros"), (), ("test_it",), {}, 0.1)
    faults = tally.tally([outcome], ("vocab",)).faults
    assert "vocab: test_it passes on code that returns zeros of the right shape" in faults


@pytest.mark.parametrize("kind", ["none", "zeros", "input", "line"])
def test_no_check_of_the_bonus_functions_passes_on_code_that_does_nothing(kind: str) -> None:
    assert gate.run_task(Task("masking", "lazy", kind), full=False).passed == ()


def test_a_variant_also_meets_the_checks_that_put_it_together_with_other_lessons() -> None:
    outcome = gate.run_task(Task("objective", "variant", "pretraining_loss_constant_zeros"), full=False)
    assert outcome.failed == ()
    assert "test_training_on_your_own_objective_ends_where_it_should" in outcome.passed


def test_a_lesson_without_a_bank_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PARTS", ("mutants/no_{}.py",))
    result = CliRunner().invoke(cli.command, ["vocab"])
    assert "vocab: there is no checks/mutants/no_vocab.py" in result.output
    assert result.exit_code == 1


def test_a_seed_decides_what_a_check_draws() -> None:
    def drawn(seed: int) -> list[int]:
        found: list[int] = []

        @settings(LEARNER, database=None)
        @given(x=st.integers())
        def function(x: int) -> None:
            found.append(x)

        seed_check(Check("test_it", "vocab", "encode", 1, False, False, (), "It holds.", "", function), seed)
        function()
        return found

    assert drawn(1) == drawn(1) != drawn(2)


def test_statistical_draws_start_from_the_seed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def noted(*arguments: Any) -> Subject:
        subject = Subject(*arguments)
        started.append(subject.seed)
        return subject

    monkeypatch.setattr(gate, "Subject", noted)
    for seed in (None, 7):
        gate.run_task(Task("vocab", "mutant", NAMED.id), full=False, seed=seed)
    assert started == [0, 7]


def test_the_gate_hands_its_seed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def noted(every: list[Task], full: bool, jobs: int | None, seed: int | None) -> Iterator[Outcome]:
        asked.append(seed)
        return iter(())

    monkeypatch.setattr(gate, "run_tasks", noted)
    CliRunner().invoke(cli.command, ["vocab", "--seed", "7"])
    assert asked == [7]
    assert "--seed goes with the bank" in CliRunner().invoke(cli.command, ["--outside", "--seed", "7"]).output


def test_an_unreviewed_name_and_an_unreviewed_survivor_are_faults() -> None:
    program = naming.Program("vocab.encode.0", "vocab", "encode", "a  ->  b", "")
    named = naming.Result(program, ("test_it",), ("vocab.rising",), 0.1)
    survivor = naming.Result(program, (), (), 0.1)
    assert "not reviewed" in naming.faults([named], {})[0]
    assert "passes all checks" in naming.faults([survivor], {})[0]
    assert naming.faults([named], {program.id: {"right": ["vocab.rising"]}}) == []
    assert naming.faults([survivor], {program.id: {"equivalent": "why"}}) == []
    nameless = naming.Result(program, ("test_it",), (), 0.1)
    assert naming.faults([nameless], {}) == []
    assert (
        "reviewed as right and fails test_it"
        in naming.faults([nameless], {program.id: {"equivalent": "why"}})[0]
    )
    wrong = naming.faults([named], {program.id: {"wrong": ["vocab.rising"]}})
    assert wrong == ["1 of 1 programs have a wrong name, at most 2 % may"]


NAMING = ROOT / "docs" / "results" / "naming.json"


def test_a_mistake_outside_the_bank_is_named_wrongly_in_at_most_2_per_cent() -> None:
    """Of the recorded run, whose figures the README gives."""
    record = json.loads(NAMING.read_text(encoding="utf-8"))["values"]
    wrong, named, misnamed = (record[key] for key in ("wrong programs", "named", "named wrongly"))
    assert wrong >= 300
    assert misnamed <= 0.02 * wrong
    said = " ".join(report.README.read_text(encoding="utf-8").split())
    assert (
        f"of {record['programs']} outside the bank {wrong} fail, and {record['right after all']} pass" in said
    )
    assert f"Of those that fail {named} look like a known mistake, and {misnamed} are told" in said


def recorded() -> dict:
    return json.loads(report.RECORD.read_text(encoding="utf-8"))


def test_the_readme_shows_the_recorded_gate() -> None:
    assert report.block(recorded()) in report.README.read_text(encoding="utf-8")


def test_the_record_is_of_the_banks_as_they_are_and_without_a_fault() -> None:
    rows = {row["lesson"]: row for row in recorded()["values"]["rows"]}
    assert recorded()["values"]["faults"] == []
    assert list(rows) == [lesson.module for lesson in LESSONS]
    for name, row in rows.items():
        assert row["mutants"] == row["killed"] == len(mutants_of(name))
        assert row["variants"] == row["accepted"] == len(variants_of(name))
        assert row["misnamed"] == 0
