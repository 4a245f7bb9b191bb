"""Hypothesis profiles: few examples, no deadline; derandomised where `CI` is set, so that a run can be repeated."""

import hashlib
import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

from checks.judge.mark import Check

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


def load_seeded_profile() -> None:
    """Load the profile that `seed_check` needs: as a learner's, and without a memory of earlier failures."""
    settings.register_profile("litebert-seeded", LEARNER, database=None)
    settings.load_profile("litebert-seeded")
    draw_no_local_constants()


def draw_no_local_constants() -> None:
    """Draw nothing from the constants of modules that happen to be loaded: a seed decides alone."""
    no_constants = providers.Constants()
    providers._get_local_constants = lambda: no_constants


def seed_check(check: Check, seed: int) -> None:
    """Let Hypothesis start this check's examples from `seed` and the check's name."""
    if hasattr(check.function, "hypothesis"):
        own = hashlib.sha256(f"{seed} {check.lesson} {check.name}".encode()).digest()
        # without the decorator `hypothesis.seed`, which may be used once only
        vars(check.function)["_hypothesis_internal_use_seed"] = int.from_bytes(own[:8], "big")
