"""The lines of the progress report, as plain text and as Markdown."""

from checks.curriculum import BY_NAME, LESSONS, Lesson
from checks.judge.counted import counted
from checks.judge.scores import Score, score
from checks.judge.verdict import Verdict

MARKS = {"done": "✓", "wrong": "✗", "to do": "·", "waiting": "…"}
MOST_LINES_A_LESSON = 15


def by_lesson(verdicts: list[Verdict]) -> dict[str, list[Verdict]]:
    """Verdicts of each lesson in the order of the course."""
    grouped = {lesson.module: [v for v in verdicts if v.check.lesson == lesson.module] for lesson in LESSONS}
    return {name: group for name, group in grouped.items() if group}


def header(lesson: Lesson, result: Score) -> str:
    """One line: number, title, state, points, checks; the bonus apart."""
    bonus = f" +{result.bonus:g}" if result.bonus else ""
    points = f"{result.points:g}{bonus}/{result.possible:g}"
    return (
        f"{MARKS[result.state]} {lesson.number:2} {lesson.title:<15} {result.state:<8} {points:>8} points"
        f"   {checks_done(result)}"
    )


def checks_done(result: Score) -> str:
    """How many checks pass: those that carry the lesson's points, then those of the bonus."""
    parts = [f"{result.done} of {counted(result.checks, 'check')}"] if result.checks else []
    if result.bonus_checks:
        of = "" if result.checks else f" {'check' if result.bonus_checks == 1 else 'checks'}"
        parts.append(f"{result.bonus_done} of {result.bonus_checks}{of} for the bonus")
    return ", ".join(parts)


def lesson_lines(verdicts: list[Verdict]) -> list[str]:
    """A lesson's block of at most `MOST_LINES_A_LESSON` lines: its header, then what is wrong, the first in full."""
    lesson = BY_NAME[verdicts[0].check.lesson]
    lines = [header(lesson, score(verdicts))]
    wrong = [v for v in verdicts if v.state == "wrong"]
    if wrong:
        lines += _in_full(wrong[0])
        for verdict in wrong[1:]:
            lines.append(f"    ✗ {verdict.check.exercise}: {verdict.check.claim}{_short_reason(verdict)}")
    waiting = [v for v in verdicts if v.state == "waiting"]
    if waiting and not wrong:
        lines += [f"    … {v.check.claim} waits: {v.lines[-1]}" for v in waiting[:3]]
    return _at_most(
        lines, MOST_LINES_A_LESSON, f"pytest --lesson {lesson.module} -k EXERCISE shows its first in full"
    )


def _in_full(verdict: Verdict) -> list[str]:
    check = verdict.check
    place = f"  {verdict.where}" if verdict.where else ""
    head = f"    ✗ {check.exercise}: {check.claim} ({counted(check.points, 'point')}){place}"
    was_called = any(line.startswith("called ") for line in verdict.lines)
    again = [f"again     litebert repro {check.name.removeprefix('test_')}"] if was_called else []
    return [head, *(f"      {line}" for line in [*verdict.lines, *again])]


def _short_reason(verdict: Verdict) -> str:
    return f" ({verdict.mistake.says})" if verdict.mistake else ""


def _at_most(lines: list[str], most: int, further: str) -> list[str]:
    if len(lines) <= most:
        return lines
    return [
        *lines[: most - 1],
        f"      and {len(lines) - most + 1} more: {further}",
    ]


def next_step(verdicts: list[Verdict], subject: str = "lessons") -> str | None:
    """The first thing to do next: what, where, and which page explains it."""
    for state in ("wrong", "to do", "waiting"):
        for verdict in verdicts:
            if verdict.state == state and not (state == "to do" and verdict.check.bonus):
                lesson = BY_NAME[verdict.check.lesson]
                name = verdict.check.exercise
                step = {
                    "wrong": f"mend {name}",
                    "to do": f"write {name}",
                    "waiting": f"write what {name} waits for",
                }
                place = verdict.where or f"{subject}/{lesson.module}.py"
                return f"{step[state]} in {place}; the page is {lesson.page}"
    return None


def totals(verdicts: list[Verdict]) -> tuple[float, float, float]:
    """Points earned, points possible, bonus earned."""
    scores = [score(group) for group in by_lesson(verdicts).values()]
    return sum(s.points for s in scores), sum(s.possible for s in scores), sum(s.bonus for s in scores)


def bar(part: float, whole: float, width: int = 30) -> str:
    """A bar of blocks."""
    filled = round(width * part / whole) if whole else 0
    return "█" * filled + "░" * (width - filled)


def markdown_table(verdicts: list[Verdict], subject: str = "lessons") -> str:
    """The progress as a Markdown table."""
    rows = ["| lesson | state | points | checks |", "|---|---|---|---|"]
    for name, group in by_lesson(verdicts).items():
        lesson, result = BY_NAME[name], score(group)
        bonus = f" + {result.bonus:g}" if result.bonus else ""
        rows.append(
            f"| {lesson.number} {lesson.title} | {MARKS[result.state]} {result.state} "
            f"| {result.points:g}{bonus} of {result.possible:g} | {checks_done(result)} |"
        )
    earned, possible, bonus_points = totals(verdicts)
    rows.append(f"| **all** | | **{earned:g} of {possible:g}** (bonus {bonus_points:g}) | |")
    step = next_step(verdicts, subject)
    return "\n".join(rows) + (f"\n\nNext: {step}\n" if step else "\n")
