"""What a learner sees: lessons in order with their state, a progress bar, points, and the next step."""

from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from checks.judge.counted import counted
from checks.judge.verdict import Verdict
from checks.plugin.table import bar, by_lesson, lesson_lines, next_step, totals

COLOURS = {"✓": {"green": True}, "✗": {"red": True}, "·": {"light": True}, "…": {"yellow": True}}


def unfinished(report: pytest.TestReport) -> str:
    """ "to do" or "waiting" where a check could not judge anything yet, else ""."""
    state = getattr(report, "litebert_state", "")
    return state if state in ("to do", "waiting") else ""


class ProgressReporter(TerminalReporter):  # type: ignore[misc]  # as pytest plugins do
    """Replaces pytest's report in a learner's run; pytest's closing line stays."""

    def __init__(self, config: pytest.Config, verdicts: list[Verdict]) -> None:
        super().__init__(config)
        self.verdicts = verdicts
        self.total = 0
        self.finished = 0
        self.shown: set[str] = set()
        self.others: list[pytest.TestReport] = []
        self.live = bool(self._tw.hasmarkup)

    @property
    def showheader(self) -> bool:
        return False

    def pytest_collection(self) -> None:
        pass

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.total = len(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.total = len(session.items)
        checks = [getattr(getattr(item, "function", None), "litebert_check", None) for item in session.items]
        bonus = sum(check is not None and check.bonus for check in checks)
        apart = f", {bonus} of them for a bonus" if bonus else ""
        self.write_line(
            f"subject: {self.config.getoption('--subject')}, {counted(self.total, 'check')}{apart}"
        )

    def report_collect(self, final: bool = False) -> None:
        pass

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        if self.live:
            name = nodeid.partition("::")[0].rpartition("test_")[2].removesuffix(".py")
            self._tw.write(f"\r{bar(self.finished, self.total)} {self.finished}/{self.total} {name:<14}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        category = unfinished(report) or {"passed": "passed", "skipped": "skipped"}.get(
            report.outcome, "failed"
        )
        if report.when == "call" or category != "passed":
            self._add_stats(category, [report])
        if report.when == "teardown":
            self.finished += 1
        elif category == "failed" and not self._is_verdict(report):
            self.others.append(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        groups = by_lesson(self.verdicts)
        for name in list(groups)[:-1] if self.finished < self.total else list(groups):
            if name not in self.shown:
                self.shown.add(name)
                self._show(groups[name])

    def _is_verdict(self, report: pytest.TestReport) -> bool:
        return report.when == "call" and isinstance(report.longrepr, str)

    def _show(self, verdicts: list[Verdict]) -> None:
        if self.live:
            self._tw.write("\r" + " " * 60 + "\r")
        lines = lesson_lines(verdicts)
        for line in lines[:1] if self.config.option.verbose < 0 else lines:
            self._tw.line(line, **COLOURS.get(line.lstrip()[:1], {}))

    def summary_stats(self) -> None:
        if self.live:
            self._tw.write("\r" + " " * 60 + "\r")
        for report in self.others:
            self.write_line(f"{report.nodeid}: the check itself failed; please report this")
            self.write_line(report.longreprtext)
        if self.verdicts:
            earned, possible, bonus = totals(self.verdicts)
            extra = f" and {bonus:g} bonus" if bonus else ""
            self.write_line("")
            self.write_line(f"{bar(earned, possible)} {earned:g} of {possible:g} points{extra}")
            step = next_step(self.verdicts, self.config.getoption("--subject"))
            self.write_line(f"next: {step}" if step else "everything that was checked is right")
        super().summary_stats()

    def summary_failures(self) -> None:
        pass

    def summary_errors(self) -> None:
        pass

    def short_test_summary(self) -> None:
        pass

    def summary_warnings(self) -> None:
        pass
