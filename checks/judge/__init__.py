"""How a check judges: the `check` mark, expectations with messages that teach, and naming the mistake."""

from checks.judge.expect import Wrong, close, equal, is_array, rejects, true
from checks.judge.mark import Check, check, checks_of
from checks.judge.naming import Mistake, Probe, named_mistake
from checks.judge.unchanged import expect_unchanged

__all__ = [
    "Check",
    "Mistake",
    "Probe",
    "Wrong",
    "check",
    "checks_of",
    "close",
    "equal",
    "expect_unchanged",
    "is_array",
    "named_mistake",
    "rejects",
    "true",
]
