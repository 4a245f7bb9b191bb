"""What a class's records tell its teacher: success by check, mistakes by lesson, checks that tell nobody apart."""

from collections import Counter
from dataclasses import dataclass, field

from checks.grade.record import CheckRecord, Record
from checks.grade.results import Results

FEWEST_FOR_A_JUDGEMENT = 5
LEAST_CORRELATION = 0.1


@dataclass
class CheckFigures:
    """How the class did on one check. `correlation` is with the points of everything else (None: no spread)."""

    lesson: str
    check: CheckRecord
    tried: int = 0
    passed: int = 0
    crashes: int = 0
    time_outs: int = 0
    correlation: float | None = None

    @property
    def share(self) -> float:
        """Passed among those who tried."""
        return self.passed / self.tried if self.tried else 0.0


@dataclass
class Insight:
    """All figures of the class page."""

    checks: list[CheckFigures]
    mistakes: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)

    def flat(self) -> list[tuple[CheckFigures, str]]:
        """Checks that do not tell learners apart, with the reason."""
        found = []
        for figures in self.checks:
            if figures.tried < FEWEST_FOR_A_JUDGEMENT:
                continue
            if figures.passed in (0, figures.tried):
                found.append((figures, "everybody passes" if figures.passed else "nobody passes"))
            elif figures.correlation is not None and figures.correlation < LEAST_CORRELATION:
                found.append(
                    (figures, f"passing it goes with the other points at r = {figures.correlation:.2f}")
                )
        return found


def insight(results: Results) -> Insight:
    """Add up. A check that is still to do was not tried."""
    records = [grade.record for grade in results.graded if grade.record]
    figures: dict[tuple[str, str], CheckFigures] = {}
    trials: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    found = Insight([])
    for record in records:
        for lesson in record.lessons:
            seen = set()
            for check in lesson.checks:
                key = (lesson.lesson, check.name)
                entry = figures.setdefault(key, CheckFigures(lesson.lesson, check))
                if check.mistake:
                    seen.add((check.mistake, check.says))
                if check.state in ("to do", "waiting"):
                    continue
                _count(entry, check)
                trials.setdefault(key, []).append((check.state == "done", record.points - check.earned))
            found.mistakes.setdefault(lesson.lesson, Counter()).update(seen)
    for key, entry in figures.items():
        entry.correlation = correlation(trials.get(key, []))
    found.checks = list(figures.values())
    return found


def _count(entry: CheckFigures, check: CheckRecord) -> None:
    entry.tried += 1
    entry.passed += check.state == "done"
    entry.crashes += check.end == "crash"
    entry.time_outs += check.end == "time-out"


def correlation(trials: list[tuple[bool, float]]) -> float | None:
    """Point-biserial: between passing and the other points; None where one of them does not vary."""
    n = len(trials)
    if n < 2:
        return None
    mean_pass, mean_rest = sum(p for p, _ in trials) / n, sum(r for _, r in trials) / n
    across = sum((p - mean_pass) * (r - mean_rest) for p, r in trials)
    spread = sum((p - mean_pass) ** 2 for p, _ in trials) * sum((r - mean_rest) ** 2 for _, r in trials)
    return round(across / spread**0.5, 4) if spread > 1e-12 else None


def troubled(record: Record) -> bool:
    """Whether any check of it crashed or timed out."""
    return any(check.end for lesson in record.lessons for check in lesson.checks)
