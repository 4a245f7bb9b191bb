"""The seed of a submission, and a run of checks that depends on it and on nothing else.

Hypothesis as a learner uses it looks at the clock, at a database of earlier failures and at the constants in
whatever modules happen to be loaded. A grade may depend on none of these.
"""

import hmac
import math
import os
import secrets
import sys
from pathlib import Path

from hypothesis import settings

from checks.judge import shrinking
from checks.judge.profiles import LEARNER, draw_no_local_constants

SHRINKING_CALLS = 60
HASH_SEED = "0"


def submission_seed(secret: bytes, digest: str) -> int:
    """32 bits that only who has the secret can foresee; printed in every report, for appeals."""
    return int.from_bytes(hmac.digest(secret, digest.encode(), "sha256")[:4], "big")


def load_secret(path: Path) -> bytes:
    """The instructor's secret; a new one is written where there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(16) + "\n")
    secret = path.read_bytes().strip()
    if len(secret) < 8:
        raise ValueError(f"{path}: got a secret of {len(secret)} characters, expected at least 8")
    return secret


def start_with_the_graders_hash_seed(module: str) -> None:
    """Call in `python -m MODULE`: start it again with the hash seed that grades are made with, and one thread."""
    os.environ["OMP_NUM_THREADS"] = "1"
    if os.environ.get("PYTHONHASHSEED") != HASH_SEED:
        os.environ["PYTHONHASHSEED"] = HASH_SEED
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])


def use_the_graders_profile() -> None:
    """Call before the checks are imported: settings are taken when a check is defined."""
    settings.register_profile("litebert-grader", LEARNER, database=None, print_blob=False)
    settings.load_profile("litebert-grader")
    shrinking.SECONDS_AFTER_THE_FIRST_FAILURE = math.inf
    shrinking.CALLS_AFTER_THE_FIRST_FAILURE = SHRINKING_CALLS
    draw_no_local_constants()


def seed_globals(seed: int) -> None:
    """For judged code that draws from global generators in this process (`--unsafe`)."""
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


__all__ = [
    "load_secret",
    "seed_globals",
    "start_with_the_graders_hash_seed",
    "submission_seed",
    "use_the_graders_profile",
]
