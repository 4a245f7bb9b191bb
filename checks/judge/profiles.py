"""Hypothesis profiles: few examples, no deadline; derandomised where `CI` is set, so that a run can be repeated."""

import os

from hypothesis import HealthCheck, Phase, settings

LEARNER = settings(
    max_examples=20,
    deadline=None,
    derandomize=False,
    print_blob=True,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


def load_profile() -> None:
    """Register the course's profiles and load the one for this environment."""
    settings.register_profile("litebert", LEARNER)
    settings.register_profile("litebert-ci", LEARNER, derandomize=True, database=None)
    settings.load_profile("litebert-ci" if os.environ.get("CI") else "litebert")
