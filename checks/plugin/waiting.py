"""In a copy without solutions a lesson runs on the learner's own earlier lessons, once their checks pass.

Until then its checks wait, and say for what. Loaded in a release for learners (`-p checks.plugin.waiting`); with
solutions at hand every lesson is checked among right ones and nothing needs to wait.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from checks.curriculum import BY_NAME, ROOT
from checks.judge.runner import lesson_checks, run_check
from checks.judge.verdict import Verdict
from checks.plugin import VERDICTS
from checks.subject.errors import Interruption
from checks.subject.locate import open_subject, subject_root

PASSING = pytest.StashKey[dict[str, bool]]()
ISOLATED = (
    "Waiting: it runs on your own earlier lessons once they are right. When it is graded, on right ones."
)


class Waits(Interruption):
    """A lesson that this one needs is not right yet."""


def blocking(config: pytest.Config, lesson: str) -> list[str]:
    """The earlier lessons that `lesson` builds on and whose checks do not pass yet, the first ones first."""
    needed = _all_needs(lesson)
    return [name for name in needed if not _passes(config, name)]


def _all_needs(lesson: str) -> list[str]:
    found: dict[str, None] = {}
    for name in BY_NAME[lesson].needs:
        found.update(dict.fromkeys([*_all_needs(name), name]))
    return sorted(found, key=lambda name: BY_NAME[name].number)


def _passes(config: pytest.Config, lesson: str) -> bool:
    known = config.stash.setdefault(PASSING, {})
    if lesson not in known:
        if not (ROOT / BY_NAME[lesson].checks).is_file():
            known[lesson] = True
        elif blocking(config, lesson):
            known[lesson] = False
        else:
            known[lesson] = _all_done(config, lesson)
    return known[lesson]


def _all_done(config: pytest.Config, lesson: str) -> bool:
    checks = [check for check in lesson_checks(lesson) if not check.bonus and not check.assembly]
    seen = {v.check.name: v.state for v in config.stash[VERDICTS] if v.check.lesson == lesson}
    if any(seen.get(check.name, "done") != "done" for check in checks):
        return False
    subject = open_subject(config.getoption("--subject"), lesson, seed=config.getoption("--seed"))
    try:
        return all(run_check(c, subject).state == "done" for c in checks if c.name not in seen)
    finally:
        subject.close()


def _lesson_of(item: pytest.Item) -> str | None:
    check = getattr(getattr(item, "function", None), "litebert_check", None)
    return check.lesson if check else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    lesson = _lesson_of(item)
    if lesson and _is_learners(item.config):
        waits_for = blocking(item.config, lesson)
        if waits_for:
            raise Waits(f"waiting for {', '.join(waits_for)}")
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, pytest.TestReport]:
    report: pytest.TestReport = yield
    error = call.excinfo.value if call.excinfo else None
    if call.when == "call" and isinstance(error, Waits):
        verdict: Verdict = item.config.stash[VERDICTS][-1]
        verdict.state, verdict.lines, verdict.where = "waiting", [str(error)], ""
        report.litebert_state = "waiting"  # type: ignore[attr-defined]
        report.longrepr = f"waiting: {verdict.check.claim}\n{error}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if any(verdict.state == "waiting" for verdict in config.stash[VERDICTS]):
        terminalreporter.write_line(ISOLATED)


def _is_learners(config: pytest.Config) -> bool:
    """Whether the lessons under check have no right ones beside them."""
    return not Path(ROOT / "solutions").exists() and subject_root(config.getoption("--subject")).is_dir()
