"""Vacuous checks are found, and sound ones left alone."""

from pathlib import Path

import pytest

from checks.curriculum import LESSONS, ROOT
from checks.gate.vacuous import vacuous

HEAD = "@check('f', points=1)\ndef test_it(subject):\n"
VACUOUS = {
    "it never reaches the subject": "    equal(1, 2, 'why')\n",
    "it expects nothing": "    subject.call('f')\n",
    "a comparison without effect": "    equal(subject.call('f'), 1, 'why')\n    subject.seed == 2\n",
    "a thing is compared with itself": "    got = subject.call('f')\n    equal(got, got, 'why')\n",
    "an expectation inside a call that should raise": (
        "    rejects(lambda: equal(subject.call('f'), 1, 'why'), 'ValueError', 'why')\n"
    ),
    "the gradient of a constant": (
        "    got = subject.gradients('f', 1, wrt=(0,), cotangent=np.zeros(3))\n    equal(got, 1, 'why')\n"
    ),
}
SOUND = {
    "an expectation": HEAD + "    equal(subject.call('f'), 1, 'why')\n",
    "a share": HEAD + "    oracle.RATE.judge(subject.call('f'), 1, 'why')\n",
    "a helper of another module": HEAD + "    pairs.expect_pairs(subject.call('f'))\n",
    "helpers of its own": (
        "def inner(got):\n    close(got, 1, 'why')\ndef outer(got):\n    inner(got)\n"
        + HEAD
        + "    outer(subject.call('f'))\n"
    ),
    "raising itself": HEAD + "    if subject.call('f'):\n        raise Wrong('1', '2', 'why')\n",
}


@pytest.mark.parametrize("reason", VACUOUS)
def test_a_vacuous_check_is_reported_with_the_reason(reason: str, tmp_path: Path) -> None:
    path = tmp_path / "test_planted.py"
    path.write_text(HEAD + VACUOUS[reason])
    assert vacuous(path) == [f"test_planted.py:2 test_it: {reason}"]


@pytest.mark.parametrize("kind", SOUND)
def test_a_sound_check_is_left_alone(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "test_planted.py"
    path.write_text(SOUND[kind])
    assert vacuous(path) == []


def test_a_helper_that_expects_nothing_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "test_planted.py"
    path.write_text("def helper(got):\n    return got\n" + HEAD + "    helper(subject.call('f'))\n")
    assert vacuous(path) == ["test_planted.py:4 test_it: it expects nothing"]


def test_a_helper_is_searched_too(tmp_path: Path) -> None:
    path = tmp_path / "test_planted.py"
    path.write_text(
        "def helper(got):\n    equal(got, got, 'why')\n" + HEAD + "    helper(subject.call('f'))\n"
    )
    assert vacuous(path) == ["test_planted.py:1 helper: a thing is compared with itself"]


def test_no_check_of_the_course_is_vacuous() -> None:
    paths = [path for lesson in LESSONS if (path := ROOT / lesson.checks).exists()]
    assert [line for path in paths for line in vacuous(path)] == []
