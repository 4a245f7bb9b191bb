"""The pytest plugin of the course: `--subject`, lessons in order, verdicts with messages, a progress report.

Loaded by `-p checks.plugin` in pyproject.toml.
"""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from checks.cli.common import closest
from checks.curriculum import BY_NAME, LESSONS
from checks.judge.profiles import load_profile
from checks.judge.verdict import Verdict, verdict_of
from checks.plugin.collect import Collection
from checks.plugin.report import ProgressReporter, unfinished
from checks.subject import Subject
from checks.subject.locate import NoSubject, open_subject, require_place, subject_root

VERDICTS = pytest.StashKey[list[Verdict]]()
HYPOTHESIS_EXAMPLES = "_hypothesis_failing_examples"  # under which its plugin keeps what it makes patches of


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("litebert")
    group.addoption(
        "--subject",
        default="lessons",
        metavar="WHAT",
        help="what is judged: lessons (default), solutions or a folder",
    )
    group.addoption(
        "--lesson", action="append", default=[], metavar="NAME", help="only this lesson (repeatable)"
    )
    group.addoption(
        "--seed", type=int, default=0, help="where the statistical checks start their draws (default 0)"
    )
    group.addoption("--summary", metavar="FILE", help="also write the table of points to FILE, in Markdown")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"  # tiny tensors: more threads only wait for each other
    load_profile()
    config.stash[VERDICTS] = []
    _require_known_lessons(config.getoption("--lesson"))
    try:
        subject_root(config.getoption("--subject"))
        require_place(config.getoption("--subject"))
    except NoSubject as error:
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(Collection(config), "litebert-collection")
    _report_progress(config)


def _report_progress(config: pytest.Config) -> None:
    """Learners see progress by lesson; the maintainer's run keeps pytest's own report."""
    standard = config.pluginmanager.getplugin("terminalreporter")
    if standard is None or config.getoption("--subject") == "solutions" or config.option.collectonly:
        return
    config.pluginmanager.unregister(standard)
    config.pluginmanager.register(ProgressReporter(config, config.stash[VERDICTS]), "terminalreporter")


def _require_known_lessons(names: list[str]) -> None:
    for name in names:
        if name not in BY_NAME:
            near = closest(name, BY_NAME)
            hint = f"did you mean {near}?" if near else f"expected one of {', '.join(BY_NAME)}"
            raise pytest.UsageError(f"--lesson {name}: there is no such lesson; {hint}")


def _lesson_of(request: pytest.FixtureRequest) -> str:
    return Path(request.path).stem.removeprefix("test_")


def _opened(request: pytest.FixtureRequest, assembly: bool) -> Iterator[Subject]:
    config = request.config
    subject = open_subject(
        config.getoption("--subject"), _lesson_of(request), assembly=assembly, seed=config.getoption("--seed")
    )
    yield subject
    subject.close()


@pytest.fixture(scope="module")
def subject(request: pytest.FixtureRequest) -> Iterator[Subject]:
    """The lesson's code under check, among lessons that are known to be right."""
    yield from _opened(request, assembly=False)


@pytest.fixture(scope="module")
def assembly(request: pytest.FixtureRequest) -> Iterator[Subject]:
    """The lesson's code among the submission's own other lessons."""
    yield from _opened(request, assembly=True)


def _subject_of(item: pytest.Item) -> Subject | None:
    funcargs: dict[str, Any] = getattr(item, "funcargs", {})
    return funcargs.get("assembly") or funcargs.get("subject")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    under_check = _subject_of(item)
    if under_check is None:
        return (yield)
    under_check.forget()
    # Hypothesis asks for the text of a failure, stack and all.
    item.repr_failure = lambda excinfo, style=None: str(excinfo.value)  # type: ignore[method-assign]
    try:
        return (yield)
    finally:
        del item.repr_failure


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    verdict = _verdict(item, call)
    if verdict is None:
        return (yield)
    item.config.stash[VERDICTS].append(verdict)
    _say(item, "\n".join([f"{verdict.state}: {verdict.check.claim}", *verdict.lines]))
    report = yield
    report.litebert_state = verdict.state  # type: ignore[attr-defined]
    if verdict.state != "done":
        report.outcome = "failed"
    return report


def _verdict(item: pytest.Item, call: pytest.CallInfo[None]) -> Verdict | None:
    check = getattr(getattr(item, "function", None), "litebert_check", None)
    under_check = _subject_of(item)
    if check is None or under_check is None or call.when != "call":
        return None
    verdict = verdict_of(check, under_check, call.excinfo.value if call.excinfo else None)
    if verdict:
        verdict.seconds = call.duration
    return verdict


def _say(item: pytest.Item, text: str) -> None:
    """Let a failure say `text`: to show its stack, and to patch the check with its example, takes most of the time."""
    item.repr_failure = lambda excinfo, style=None: text  # type: ignore[method-assign]
    vars(item).pop(HYPOTHESIS_EXAMPLES, None)


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
    """What is not written yet is counted by itself, and not as a failure; the run's exit code stays 1."""
    state = unfinished(report) if isinstance(report, pytest.TestReport) else ""
    return (state, state[:1], state.upper()) if state else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    from checks.workbench.memory import remember

    verdicts = session.config.stash[VERDICTS]
    remember(verdicts, session.config.getoption("--subject"))
    target = session.config.getoption("--summary")
    if target:
        from checks.plugin.table import markdown_table

        text = markdown_table(session.config.stash[VERDICTS], session.config.getoption("--subject"))
        Path(target).write_text(text, encoding="utf-8")


__all__ = ["LESSONS", "VERDICTS"]
