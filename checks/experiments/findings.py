"""What an experiment says in words, computed from its numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from checks.experiments.statistics import Verdict


class Claim(NamedTuple):
    """A claim of the paper (or of the course), whether it held here, and the numbers that say so."""

    text: str
    verdict: Verdict
    numbers: str


OPENINGS: dict[Verdict, str] = {
    "yes": "Reproduced here",
    "no": "Not reproduced here",
    "open": "Undecided (the difference is within the noise)",
}


def paragraph(claims: Sequence[Claim]) -> str:
    """One paragraph: what was reproduced, what was not, and what these runs cannot tell."""
    parts = []
    for verdict, opening in OPENINGS.items():
        held = [f"{claim.text} ({claim.numbers})" for claim in claims if claim.verdict == verdict]
        if held:
            parts.append(f"{opening}: {'; '.join(held)}.")
    return " ".join(parts)
