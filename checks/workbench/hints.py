"""Hints in three steps: those written for each exercise, or steps made of the named mistake where there is one."""

import re
import tomllib
from typing import NamedTuple

from checks.curriculum import BY_NAME, LESSONS, ROOT
from checks.workbench import memory

FOLDER = ROOT / "checks" / "hints"
URGENCY = ("wrong", "to do", "waiting", "done")
TOO_COMMON = 4


class Ladder(NamedTuple):
    """The steps for one exercise; `about` is the named mistake's id, "" for the general ones."""

    lesson: str
    exercise: str
    about: str
    steps: list[str]


def exercises() -> dict[str, str]:
    """Every exercise and its lesson."""
    return {exercise: lesson.module for lesson in LESSONS for exercise in lesson.exercises}


def written(lesson: str, exercise: str) -> list[str]:
    """The three general hints of an exercise.

    Raises:
        ValueError: there are none.
    """
    path = FOLDER / f"{lesson}.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if exercise not in table:
        raise ValueError(f"there is no hint for {exercise} of lesson {lesson} in {path.relative_to(ROOT)}")
    return [str(step) for step in table[exercise]["hints"]]


def most_urgent(lesson: str, subject: str) -> str:
    """The exercise of a lesson that went wrong in the last run, or the first that is not done."""
    known, _ = memory.last(lesson, subject)
    state = dict.fromkeys(BY_NAME[lesson].exercises, "done" if known else "to do")
    for entry in known.values():
        state[entry["exercise"]] = min(state[entry["exercise"]], entry["state"], key=URGENCY.index)
    return min(state, key=lambda exercise: URGENCY.index(state[exercise]))


def ladder(lesson: str, exercise: str, subject: str) -> Ladder:
    """The steps to give: about the mistake that the last run named, if it named one, else the general ones."""
    general = written(lesson, exercise)
    for entry in memory.last(lesson, subject)[0].values():
        mistake = entry["mistake"]
        if entry["exercise"] == exercise and entry["state"] == "wrong" and mistake:
            named = f"Your results are what one gets when {mistake['says']}."
            return Ladder(
                lesson, exercise, mistake["id"], [named, mistake["hint"], nearest_step(mistake, general)]
            )
    return Ladder(lesson, exercise, "", general)


def nearest_step(mistake: dict[str, str], general: list[str]) -> str:
    """The general hint that shares most words with what is said of a mistake; the plainest where none does."""
    said = _words(f"{mistake['says']} {mistake['hint']}")
    return max(reversed(general), key=lambda step: len(said & _words(step)))


def _words(text: str) -> set[str]:
    """Word stems, so that "keys" meets "key"; short words say nothing."""
    return {word.rstrip("s") for word in re.findall(r"\w+", text.lower()) if len(word) >= TOO_COMMON}


def next_step(steps: Ladder, step: int | None = None) -> int:
    """Which step (from 1) comes: the asked one, or the one after the last given; it is remembered."""
    given = memory.read("hints.json")
    key = f"{steps.exercise} {steps.about}".strip()
    last = given.get(key, 0)
    last = last if type(last) is int else 0
    chosen = step or min(last + 1, len(steps.steps))
    memory.write("hints.json", {**given, key: max(chosen, last)})
    return chosen
