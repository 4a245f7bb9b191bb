"""The course as a whole: points, pages, hints, banks; every lesson's parts fit together."""

import importlib
import re
import tomllib
from collections import Counter

import pytest

from checks.curriculum import LESSONS, ROOT, Lesson
from checks.judge.runner import lesson_checks
from checks.judge.scores import score
from checks.judge.verdict import Verdict
from checks.mutants import mutants_of
from checks.variants import variants_of

EVERY = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.module)


def test_the_lessons_carry_a_hundred_points_and_six_bonus() -> None:
    assert sum(lesson.points for lesson in LESSONS) == 100
    assert [lesson.number for lesson in LESSONS] == list(range(1, 16))


@EVERY
def test_a_lessons_checks_carry_its_points_and_its_bonus(lesson: Lesson) -> None:
    checks = lesson_checks(lesson.module)
    assert sum(c.points for c in checks if not c.bonus) == pytest.approx(lesson.points)
    assert sum(c.points for c in checks if c.bonus) == pytest.approx(lesson.bonus)


@EVERY
def test_every_check_judges_an_exercise_and_states_a_claim(lesson: Lesson) -> None:
    for check in lesson_checks(lesson.module):
        assert check.exercise in lesson.exercises, check.name
        assert check.claim.endswith("."), f"{check.name}: the claim is a sentence"
        assert check.points > 0
        assert not check.assembly or check.uses, f"{check.name}: an assembly check names the lessons it uses"
    assert {check.exercise for check in lesson_checks(lesson.module)} == set(lesson.exercises)


@EVERY
def test_every_exercise_has_three_hints(lesson: Lesson) -> None:
    hints = tomllib.loads((ROOT / "checks" / "hints" / f"{lesson.module}.toml").read_text(encoding="utf-8"))
    for exercise in lesson.exercises:
        steps = hints[exercise]["hints"]
        assert len(steps) == 3, exercise
        assert all(len(step) > 20 for step in steps), exercise


@EVERY
def test_every_exercise_has_four_mutants_and_two_variants(lesson: Lesson) -> None:
    mutants = Counter(mutant.exercise for mutant in mutants_of(lesson.module))
    variants = Counter(variant.exercise for variant in variants_of(lesson.module))
    for exercise in lesson.exercises:
        assert mutants[exercise] >= 4, f"{exercise}: {mutants[exercise]} mutants"
        assert variants[exercise] >= 2, f"{exercise}: {variants[exercise]} variants"


def test_the_banks_hold_240_mutants_and_110_variants_of_distinct_names() -> None:
    mutants = [(lesson.module, m.id) for lesson in LESSONS for m in mutants_of(lesson.module)]
    variants = [(lesson.module, v.id) for lesson in LESSONS for v in variants_of(lesson.module)]
    assert len(set(mutants)) == len(mutants) >= 240
    assert len(set(variants)) == len(variants) >= 110


@EVERY
def test_every_mistake_belongs_to_an_exercise_with_a_probe_and_ends_as_a_clause(lesson: Lesson) -> None:
    oracle = importlib.import_module(f"checks.oracles.{lesson.module}")
    probed = {probe.exercise for probe in oracle.PROBES}
    for mistake in oracle.MISTAKES:
        assert mistake.exercise in probed, mistake.id
        assert not mistake.says.split()[0].istitle(), mistake.id
        assert not mistake.says.endswith("."), mistake.id
        assert mistake.hint, mistake.id


@EVERY
def test_equal_mistakes_form_classes_of_at_most_three_per_exercise(lesson: Lesson) -> None:
    oracle = importlib.import_module(f"checks.oracles.{lesson.module}")
    counted = Counter((mistake.id, mistake.exercise) for mistake in oracle.MISTAKES)
    assert max(counted.values(), default=1) <= 3


@EVERY
def test_a_lessons_head_names_its_check_and_its_page(lesson: Lesson) -> None:
    source = (ROOT / "solutions" / f"{lesson.module}.py").read_text(encoding="utf-8")
    assert re.search(rf"^Minutes: {lesson.minutes}\. ", source, re.MULTILINE), lesson.minutes
    assert f"Check:   pytest checks/test_{lesson.module}.py" in source
    assert f"Page:    {lesson.page}" in source


@EVERY
def test_a_lesson_imports_only_what_it_needs(lesson: Lesson) -> None:
    source = (ROOT / "solutions" / f"{lesson.module}.py").read_text(encoding="utf-8")
    assert set(re.findall(r"^from \.(\w+) import", source, re.MULTILINE)) <= set(lesson.needs)
    assert not re.search(r"^(from|import) (checks|solutions)", source, re.MULTILINE)


def test_one_cause_is_charged_once() -> None:
    lesson = LESSONS[4]
    first, second, *_ = [c for c in lesson_checks(lesson.module) if not c.bonus]
    mistake = importlib.import_module("checks.oracles.attention").MISTAKES[0]
    both = [Verdict(first, "wrong", mistake=mistake), Verdict(second, "wrong", mistake=mistake)]
    assert score(both).points == min(first.points, second.points)
    unnamed = [Verdict(first, "wrong"), Verdict(second, "wrong", mistake=mistake)]
    assert score(unnamed).points == 0
