"""Points of a lesson from the verdicts on its checks. One cause is charged once."""

from collections.abc import Sequence
from dataclasses import dataclass

from checks.judge.verdict import Verdict

ORDER = ("wrong", "to do", "waiting", "done")


@dataclass(frozen=True)
class Score:
    """A lesson's sum: `points` of `possible`, `done` of `checks`, the bonus apart in both; and its state."""

    state: str
    points: float
    possible: float
    bonus: float
    done: int
    checks: int
    bonus_done: int
    bonus_checks: int


def score(verdicts: Sequence[Verdict]) -> Score:
    """Add up. Checks that failed with the same named mistake are charged once, at the dearest."""
    spared = spared_checks(verdicts)
    earned = {True: 0.0, False: 0.0}
    for verdict in verdicts:
        earned[verdict.check.bonus] += (
            verdict.check.points if verdict.check.name in spared else verdict.points
        )
    core = [verdict for verdict in verdicts if not verdict.check.bonus] or verdicts
    state = min((v.state for v in core), key=ORDER.index, default="done")
    return Score(
        state,
        round(earned[False], 6),
        round(sum(v.check.points for v in verdicts if not v.check.bonus), 6),
        round(earned[True], 6),
        *_counts([v for v in verdicts if not v.check.bonus]),
        *_counts([v for v in verdicts if v.check.bonus]),
    )


def _counts(verdicts: Sequence[Verdict]) -> tuple[int, int]:
    return sum(verdict.state == "done" for verdict in verdicts), len(verdicts)


def spared_checks(verdicts: Sequence[Verdict]) -> set[str]:
    """Names of failed checks whose named mistake another check of the lesson already pays for."""
    spared: set[str] = set()
    by_mistake: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.mistake:
            by_mistake.setdefault(verdict.mistake.id, []).append(verdict)
    for group in by_mistake.values():
        dearest = max(group, key=lambda v: v.check.points)
        spared |= {v.check.name for v in group if v is not dearest}
    return spared
