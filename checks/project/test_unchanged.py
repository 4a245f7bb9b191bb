"""An input that is changed in place costs the same check, whether the judged process reports it or hides it."""

from pathlib import Path

import numpy as np
import pytest

from checks.gate.edits import edited_source
from checks.judge import Wrong, equal, expect_unchanged
from checks.judge.runner import lesson_checks, run_check
from checks.mutants import mutants_of
from checks.project.test_boundary import subject_with
from checks.subject import Subject
from checks.subject.inprocess import InProcess

# What a submission may do to the runtime that it runs in: kept things come back as they were handed over.
HIDES = """
import copy
import sys

functions = sys.modules["checks.subject.functions"]
put = functions.put
pristine = {}

def remembering(run, value):
    ref = put(run, value)
    pristine[ref.number] = copy.deepcopy(value)
    return ref

table = sys.modules["checks.subject.runtime"]._table
table["put"], table["get"] = remembering, lambda run, ref: pristine[ref.number]
"""
IN_PLACE = [
    ("attention", "weights_query_scaled_in_place"),
    ("attention", "weights_mask_turned_in_place"),
    ("transformer", "gelu_in_place"),
]


@pytest.fixture(autouse=True)
def own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of operations as it was, after a submission has changed it."""
    from checks.subject import runtime

    monkeypatch.setattr(runtime, "_table", dict(runtime._operations()))


@pytest.mark.parametrize("hides", ["", HIDES], ids=["reported", "hidden"])
@pytest.mark.parametrize(("lesson", "name"), IN_PLACE)
def test_a_change_in_place_fails_its_check_even_if_the_runtime_hides_it(
    lesson: str, name: str, hides: str, tmp_path: Path
) -> None:
    mutant = next(mutant for mutant in mutants_of(lesson) if mutant.id == name)
    (tmp_path / f"{lesson}.py").write_text(f"{edited_source(lesson, mutant.edit)}\n{hides}", encoding="utf-8")
    subject = Subject(InProcess(tmp_path, lesson), lesson)
    check = next(check for check in lesson_checks(lesson) if check.name == mutant.killed_by)
    subject.execute("imports", lesson)
    assert run_check(check, subject).state == "wrong"
    subject.close()


def test_a_second_call_with_another_argument_shows_what_was_lost(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, f"def pack(x, n):\n    del x[n:]\n    return list(x)\n{HIDES}")
    subject.execute("imports", "pack")
    with pytest.raises(Wrong, match="mine"):
        expect_unchanged(subject, "pack", [5, 6, 7], 1, judge=_first, because="mine", again={1: 3})


def test_what_no_call_shows_is_seen_in_the_arguments_themselves(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, "def pack(x, n):\n    x.sort()\n    return sorted(x)[:n]\n")
    with pytest.raises(Wrong, match="mine"):
        expect_unchanged(subject, "pack", [7, 6, 5], 2, judge=lambda got, case: None, because="mine")


def test_code_that_leaves_its_input_alone_passes_and_gives_its_result(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, "def pack(x, n):\n    return x[:n]\n")
    assert expect_unchanged(subject, "pack", [5, 6, 7], 1, judge=_first, because="mine", again={1: 3}) == [5]
    array = np.arange(3.0)
    got = expect_unchanged(subject, "pack", array, 2, judge=_first, because="mine")
    assert got.tolist() == [0.0, 1.0]


def _first(got: object, case: list) -> None:
    equal(got, case[0][: case[1]], "the first n")
