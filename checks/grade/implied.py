"""What the lessons of a synthetic submission are worth, known from what they are made of.

The reference and the variants have all points; stubs and missing files have none. A mutant is judged by itself, in
process, with the seed that its submission has; assembly checks are judged where a mutant is among the pieces. The
grader must come to the same through its sandbox and among other lessons.
"""

import sys
from collections.abc import Iterable

from checks.grade.choices import EMPTY, RIGHT, Choice
from checks.grade.isolation import UNSAFE
from checks.grade.job import Job, checks_for, load_everything
from checks.grade.pool import ForkPool
from checks.grade.record import CheckRecord
from checks.grade.version import all_needs
from checks.judge.mark import Check
from checks.judge.naming import Mistake
from checks.judge.scores import score
from checks.judge.verdict import Verdict

ALONE, TOGETHER = "alone", "together"


class Implied:
    """Asked for lessons first, for their points when all are judged."""

    def __init__(self, lessons: tuple[str, ...]) -> None:
        self.lessons = lessons
        self.jobs: dict[str, Job] = {}
        self.states: dict[str, dict[str, CheckRecord]] = {}
        load_everything(lessons)

    def ask(self, choices: Iterable[Choice], seed: int) -> None:
        """Note what has to be judged for one submission."""
        by_lesson = {choice.lesson: choice for choice in choices}
        for lesson in self.lessons:
            own = by_lesson[lesson]
            if own.kind == "mutant":
                self._note(ALONE, [own], seed)
            pieces = self._pieces(lesson, by_lesson)
            if pieces and _is_open(pieces, self._uses(lesson)):
                self._note(TOGETHER, pieces, seed)

    def judge(self, jobs: int) -> None:
        """Judge all of it, in forks of a process that has torch loaded."""
        import torch

        torch.set_num_threads(1)
        for count, graded in enumerate(ForkPool(jobs).run(self.jobs.values()), 1):
            if graded.record.failure:
                raise RuntimeError(f"{graded.record.key}: {graded.record.failure}")
            self.states[graded.record.key] = {c.name: c for c in graded.record.lessons[0].checks}
            print(f"\r{count} of {len(self.jobs)} wrong pieces judged", end="", file=sys.stderr)
        print(file=sys.stderr)

    def points(self, choices: Iterable[Choice], seed: int) -> dict[str, float]:
        """Points of each lesson, bonus points included."""
        by_lesson = {choice.lesson: choice for choice in choices}
        return {lesson: self._points(lesson, by_lesson, seed) for lesson in self.lessons}

    def _points(self, lesson: str, by_lesson: dict[str, Choice], seed: int) -> float:
        pieces = self._pieces(lesson, by_lesson)
        verdicts = []
        for check, _ in checks_for(lesson):
            kinds = {piece.kind for piece in pieces} if check.assembly else {by_lesson[lesson].kind}
            own = (ALONE, [by_lesson[lesson]])
            label = _label(*((TOGETHER, pieces) if check.assembly else own), seed)
            if label in self.states:
                verdicts.append(_verdict(check, self.states[label][check.name]))
            else:
                verdicts.append(Verdict(check, "done" if kinds <= set(RIGHT) else "to do"))
        total = score(verdicts)
        return round(total.points + total.bonus, 6)

    def _note(self, part: str, pieces: list[Choice], seed: int) -> None:
        label = _label(part, pieces, seed)
        texts = {piece.lesson: piece.text() for piece in pieces}
        files = {name: text.encode() for name, text in texts.items() if text is not None}
        self.jobs[label] = Job(label, "", files, (pieces[-1].lesson,), seed, UNSAFE, part=part)

    def _uses(self, lesson: str) -> set[str]:
        return {name for check, _ in checks_for(lesson) if check.assembly for name in check.uses}

    def _pieces(self, lesson: str, by_lesson: dict[str, Choice]) -> list[Choice]:
        """What the lesson's assembly checks put together, the lesson itself last; none without such a check."""
        uses = self._uses(lesson)
        needed = {need for name in uses for need in (name, *all_needs(name))}
        if not uses:
            return []
        return [by_lesson.get(name, Choice(name, "missing")) for name in (*sorted(needed), lesson)]


def _is_open(pieces: list[Choice], uses: set[str]) -> bool:
    """Whether an assembly check has to be judged: a mutant is among its pieces, and none of them is empty."""
    asked = [piece for piece in pieces if piece.lesson in uses] + pieces[-1:]
    return any(p.kind == "mutant" for p in pieces) and not any(p.kind in EMPTY for p in asked)


def _label(part: str, pieces: list[Choice], seed: int) -> str:
    return f"{part} {seed} " + ", ".join(map(str, pieces))


def _verdict(check: Check, found: CheckRecord) -> Verdict:
    mistake = Mistake(found.mistake, check.exercise, "", "", {}) if found.mistake else None
    return Verdict(check, found.state, mistake=mistake)
