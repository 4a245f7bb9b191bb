"""What the submissions of a synthetic class are made of: each lesson is right, a known mistake, a stub or missing."""

import random
from dataclasses import dataclass

from checks.gate.edits import SOLUTIONS, edited_source
from checks.mutants import mutants_of
from checks.stubs import stub_text
from checks.variants import variants_of

SEED = 1810
RIGHT, EMPTY = ("reference", "variant"), ("stub", "missing")


@dataclass(frozen=True)
class Choice:
    """Where a lesson of a submission comes from; `kind` is one of `RIGHT`, `EMPTY` or "mutant"."""

    lesson: str
    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.lesson}/{self.kind}/{self.name}"

    def text(self) -> str | None:
        """The module's source; None where it was not handed in."""
        match self.kind:
            case "missing":
                return None
            case "stub":
                return stub_text(self.lesson)
            case "reference":
                return (SOLUTIONS / f"{self.lesson}.py").read_text(encoding="utf-8")
        bank = mutants_of(self.lesson) if self.kind == "mutant" else variants_of(self.lesson)
        return edited_source(self.lesson, next(entry.edit for entry in bank if entry.id == self.name))


def choose(number: int, lessons: tuple[str, ...]) -> list[Choice]:
    """The lessons of submission `number`: a diligent learner has more right ones, and gets further."""
    rng = random.Random(SEED * 100_003 + number)
    names = random.Random(f"{SEED} names {number}")  # or else a longer bank would change the kinds too
    skill = rng.betavariate(4, 2)
    reach = max(1, round(len(lessons) * min(1.0, rng.betavariate(5, 1.2))))
    choices = []
    for place, lesson in enumerate(lessons):
        if place >= reach:
            choices.append(Choice(lesson, rng.choice(("stub", "stub", "missing"))))
        else:
            choices.append(_one(rng, names, lesson, right=rng.random() < skill))
    return choices


def _one(rng: random.Random, names: random.Random, lesson: str, right: bool) -> Choice:
    if not right:
        return Choice(lesson, "mutant", names.choice([m.id for m in mutants_of(lesson)]))
    if rng.random() < 0.6:
        return Choice(lesson, "variant", names.choice([v.id for v in variants_of(lesson)]))
    return Choice(lesson, "reference")
