"""A lesson judged here and now, and whether it passes."""

import warnings
from contextlib import ExitStack
from typing import Any

import click

from checks.curriculum import BY_NAME
from checks.judge.counted import counted
from checks.judge.profiles import load_profile
from checks.judge.runner import lesson_checks, run_check
from checks.judge.scores import score
from checks.judge.verdict import Verdict
from checks.subject.locate import open_subject
from checks.workbench import memory


def judge(lesson: str, subject: str = "lessons", bonus: bool | None = None) -> list[Verdict]:
    """The verdicts on a lesson's checks in the order they are written; they are remembered.

    `bonus` False leaves the bonus out, True everything else.
    """
    load_profile()
    checks = [check for check in lesson_checks(lesson) if bonus in (None, check.bonus)]
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        opened = {}
        for assembly in (False, True):
            opened[assembly] = open_subject(subject, lesson, assembly=assembly)
            stack.callback(opened[assembly].close)
        verdicts = [run_check(check, opened[check.assembly]) for check in checks]
    memory.remember(verdicts, subject)
    return verdicts


def states(lesson: str, subject: str = "lessons") -> dict[str, dict[str, Any]]:
    """What is remembered of each check by name; judged now where the file has changed or something was not run."""
    load_profile()  # before the checks are imported
    known, fresh = memory.last(lesson, subject)
    if fresh and all(check.name in known for check in lesson_checks(lesson)):
        return known
    return {verdict.check.name: memory.entry(verdict) for verdict in judge(lesson, subject)}


def passes(lesson: str, subject: str = "lessons") -> bool:
    """Whether every check of the lesson that is no bonus passes: from memory where the file is unchanged."""
    load_profile()  # before the checks are imported
    wanted = [check.name for check in lesson_checks(lesson) if not check.bonus]
    known, fresh = memory.last(lesson, subject)
    if fresh and all(name in known for name in wanted):
        return all(known[name]["state"] == "done" for name in wanted)
    return score(judge(lesson, subject)).state == "done"


def require_green(lesson: str, subject: str, what: str) -> None:
    """Refuse, as a message and exit code 1, while the lesson does not pass."""
    if passes(lesson, subject):
        return
    known, _ = memory.last(lesson, subject)
    core = [entry["state"] for entry in known.values() if not entry["bonus"]]
    if subject == "solutions" or not core:
        raise click.ClickException(f"{what} of lesson {lesson} comes once it passes")
    done = core.count("done")
    raise click.ClickException(
        f"{what} of lesson {lesson} comes once it passes: {done} of {counted(len(core), 'check')} "
        f"{'does' if done == 1 else 'do'}. "
        f"`litebert check {lesson}` says what is missing, `litebert hint {lesson}` helps. "
        f"The page is {BY_NAME[lesson].page}"
    )
