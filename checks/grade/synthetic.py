"""A synthetic class: submissions made from the reference, right variants, mutants and stubs, with known scores.

    python -m checks.grade.synthetic 200 OUT [--lessons vocab,masking] [--jobs 2]

writes OUT/submissions/ (as a Canvas export) and OUT/expected.json. What a mutant costs is found by judging that
lesson alone, in process, with a seed of its own; the grader must come to the same through its sandbox, with other
seeds and among other lessons. `python -m checks.grade.synthetic --compare OUT/expected.json GRADED` compares.
"""

import argparse
import json
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from checks.gate.edits import SOLUTIONS, edited_source
from checks.grade.seeds import use_the_graders_profile

SEED = 1810
KINDS = ("reference", "variant", "mutant", "stub", "missing")
GIVEN_NAMES = ("Ada", "Jörg", "Zoë", "Mei Lin", "O'Neill", "Łukasz", "Nguyễn", "Ana-María", "Sören", "Fátima")
FAMILY_NAMES = ("Müller", "Da Silva", "Åberg", "Kowalski", "Öztürk", "Smith", "Yildiz", "Okafor", "Tanaka")


@dataclass(frozen=True)
class Choice:
    """Where a lesson of a submission comes from."""

    lesson: str
    kind: str
    name: str = ""

    def text(self) -> str | None:
        """The module's source; None where it was not handed in."""
        from checks.mutants import mutants_of
        from checks.stubs import stub_text
        from checks.variants import variants_of

        if self.kind == "missing":
            return None
        if self.kind == "stub":
            return stub_text(self.lesson)
        if self.kind == "reference":
            return (SOLUTIONS / f"{self.lesson}.py").read_text(encoding="utf-8")
        bank = mutants_of(self.lesson) if self.kind == "mutant" else variants_of(self.lesson)
        return edited_source(self.lesson, next(entry.edit for entry in bank if entry.id == self.name))


def choose(number: int, lessons: tuple[str, ...]) -> list[Choice]:
    """The lessons of submission `number`: a diligent learner has more right ones, and gets further."""
    rng = random.Random(SEED * 100_003 + number)
    skill = rng.betavariate(4, 2)
    reach = max(1, round(len(lessons) * min(1.0, rng.betavariate(5, 1.2))))
    choices = []
    for place, lesson in enumerate(lessons):
        if place >= reach:
            choices.append(Choice(lesson, rng.choice(("stub", "stub", "missing"))))
        else:
            choices.append(_one(rng, lesson, right=rng.random() < skill))
    return choices


def _one(rng: random.Random, lesson: str, right: bool) -> Choice:
    from checks.mutants import mutants_of
    from checks.variants import variants_of

    if right:
        variants = [v.id for v in variants_of(lesson)]
        return (
            Choice(lesson, "variant", rng.choice(variants))
            if rng.random() < 0.6
            else Choice(lesson, "reference")
        )
    return Choice(lesson, "mutant", rng.choice([m.id for m in mutants_of(lesson)]))


def student(number: int) -> str:
    """A name with what names have: umlauts, blanks, apostrophes."""
    rng = random.Random(f"{SEED} name {number}")
    return f"{rng.choice(FAMILY_NAMES)}{rng.choice(GIVEN_NAMES)}".replace(" ", "").lower()


def write(number: int, choices: list[Choice], folder: Path) -> str:
    """One submission as Canvas exports it; its key."""
    folder.mkdir(parents=True, exist_ok=True)
    name, user = student(number), 1000 + number
    for choice in choices:
        text = choice.text()
        if text is not None:
            (folder / f"{name}_{user}_{5000 + number}_{choice.lesson}.py").write_text(text, encoding="utf-8")
    return f"{name} ({user})"


def expected(
    classroom: dict[str, list[Choice]], lessons: tuple[str, ...], jobs: int
) -> dict[str, dict[str, float]]:
    """Points of each lesson of each submission, from judging each combination once, alone and in process."""
    from checks.grade.job import Job, checks_for, load_everything
    from checks.grade.pool import ForkPool
    from checks.grade.version import all_needs

    load_everything(lessons)
    combinations: dict[str, Job] = {}
    wanted: dict[str, dict[str, str]] = {}
    for key, choices in classroom.items():
        by_lesson = {choice.lesson: choice for choice in choices}
        for lesson in lessons:
            used = {name for check, _ in checks_for(lesson) if check.assembly for name in check.uses}
            uses = {need for name in used for need in (name, *all_needs(name))}
            parts = [by_lesson[name] for name in lessons if name == lesson or name in uses]
            texts = {part.lesson: part.text() for part in parts}
            files = {name: text.encode() for name, text in texts.items() if text is not None}
            label = f"{lesson} of " + ", ".join(f"{p.lesson}/{p.kind}/{p.name}" for p in parts)
            combinations[label] = Job(label, "", files, (lesson,), SEED, "unsafe")
            wanted.setdefault(key, {})[lesson] = label
    points = {}
    for count, graded in enumerate(ForkPool(jobs).run(combinations.values()), 1):
        if graded.record.failure:
            raise RuntimeError(f"{graded.record.key}: {graded.record.failure}")
        only = graded.record.lessons[0]
        points[graded.record.key] = round(only.points + only.bonus, 6)
        print(f"\r{count} of {len(combinations)} combinations", end="", file=sys.stderr)
    print(file=sys.stderr)
    return {key: {lesson: points[label] for lesson, label in entry.items()} for key, entry in wanted.items()}


def make(count: int, out: Path, lessons: tuple[str, ...], jobs: int) -> None:
    """Write the class and what its scores must be."""
    classroom = {}
    for number in range(count):
        choices = choose(number, lessons)
        classroom[write(number, choices, out / "submissions")] = choices
    data = {
        "lessons": lessons,
        "choices": {
            key: [f"{c.lesson}/{c.kind}/{c.name}" for c in choices] for key, choices in classroom.items()
        },
        "points": expected(classroom, lessons, jobs),
    }
    (out / "expected.json").write_text(
        json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def compare(wanted: Path, graded: Path) -> list[str]:
    """Where a graded batch differs from what its mutants imply; empty where nowhere."""
    data = json.loads(wanted.read_text(encoding="utf-8"))
    records = json.loads((graded / "results.json").read_text(encoding="utf-8"))
    got = {
        entry["record"]["key"]: {
            part["lesson"]: round(part["points"] + part["bonus"], 6) for part in entry["record"]["lessons"]
        }
        for entry in records
    }
    faults = []
    for key, lessons in data["points"].items():
        for lesson, points in lessons.items():
            found = got.get(key, {}).get(lesson)
            if found != points:
                chosen = next(c for c in data["choices"][key] if c.startswith(f"{lesson}/"))
                faults.append(f"{key}: {chosen}: got {found}, expected {points}")
    return faults


def lessons_with_banks() -> tuple[str, ...]:
    """Lessons with checks, mutants and variants."""
    from checks.curriculum import ROOT
    from checks.grade.course import available_lessons

    banks = (ROOT / "checks" / "mutants", ROOT / "checks" / "variants")
    return tuple(
        name for name in available_lessons() if all((bank / f"{name}.py").is_file() for bank in banks)
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m checks.grade.synthetic")
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--lessons", type=lambda text: tuple(text.split(",")))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("EXPECTED", "GRADED"))
    asked = parser.parse_args()
    if asked.compare:
        faults = compare(*asked.compare)
        print("\n".join([*faults, f"{len(faults)} differences"]))
        sys.exit(bool(faults))
    if asked.out is None:
        parser.error("OUT is missing")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    use_the_graders_profile()
    make(asked.count, asked.out, asked.lessons or lessons_with_banks(), asked.jobs)


if __name__ == "__main__":
    main()
