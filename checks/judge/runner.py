"""Running checks without pytest: for the gates, the grader and the command line."""

import importlib
import time

from checks.judge.mark import Check, checks_of
from checks.judge.verdict import Verdict, verdict_of
from checks.subject import Subject


def lesson_checks(lesson: str) -> list[Check]:
    """The checks of a lesson in the order they are written."""
    return checks_of(importlib.import_module(f"checks.test_{lesson}"))


def run_check(check: Check, subject: Subject) -> Verdict:
    """Run one check on a subject (for an assembly check: one whose lessons are all the submission's)."""
    subject.forget()
    start = time.perf_counter()
    error: BaseException | None = None
    try:
        check.function(**{"assembly" if check.assembly else "subject": subject})
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as raised:
        error = raised
    verdict = verdict_of(check, subject, error)
    if verdict is None:
        assert error is not None
        raise error
    verdict.seconds = time.perf_counter() - start
    return verdict
