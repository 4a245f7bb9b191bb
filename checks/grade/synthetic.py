"""A synthetic class: submissions made from the reference, right variants, mutants and stubs, with known scores.

    python -m checks.grade.synthetic 200 OUT [--lessons vocab,masking] [--jobs 2]

writes OUT/submissions/ (as a Canvas export), OUT/course.toml with its secret, and OUT/expected.json (see `implied`).
`python -m checks.grade.synthetic --compare OUT/expected.json GRADED` compares.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checks.grade.choices import SEED, Choice, choose
from checks.grade.intake import digest_of
from checks.grade.record import LessonRecord, from_plain
from checks.grade.seeds import start_with_the_graders_hash_seed, submission_seed, use_the_graders_profile
from checks.mutants import mutants_of

SECRET = "a synthetic class's secret\n"
GIVEN_NAMES = ("Ada", "Jörg", "Zoë", "Mei Lin", "O'Neill", "Łukasz", "Nguyễn", "Ana-María", "Sören", "Fátima")
FAMILY_NAMES = ("Müller", "Da Silva", "Åberg", "Kowalski", "Öztürk", "Smith", "Yildiz", "Okafor", "Tanaka")


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


def write_course(out: Path, lessons: tuple[str, ...]) -> Path:
    """The settings to grade it with; the secret is no secret."""
    (out / "secret.txt").write_text(SECRET, encoding="utf-8")
    listed = ", ".join(f'"{lesson}"' for lesson in lessons)
    text = f'[course]\nname = "A synthetic class"\nlessons = [{listed}]\nsecret = "secret.txt"\n'
    (out / "course.toml").write_text(text, encoding="utf-8")
    return out / "course.toml"


def expected(
    classroom: dict[str, list[Choice]], lessons: tuple[str, ...], jobs: int
) -> dict[str, dict[str, float]]:
    """Points of each lesson of each submission."""
    from checks.grade.implied import Implied

    implied = Implied(lessons)
    seeds = {key: seed_of(choices) for key, choices in classroom.items()}
    for key, choices in classroom.items():
        implied.ask(choices, seeds[key])
    implied.judge(jobs)
    return {key: implied.points(choices, seeds[key]) for key, choices in classroom.items()}


def seed_of(choices: list[Choice]) -> int:
    """The seed that the grader will give these texts."""
    texts = {choice.lesson: choice.text() for choice in choices}
    digest = digest_of({lesson: text.encode() for lesson, text in texts.items() if text is not None})
    return submission_seed(SECRET.strip().encode(), digest)


def make(count: int, out: Path, lessons: tuple[str, ...], jobs: int) -> None:
    """Write the class and what its scores must be."""
    classroom = {}
    for number in range(count):
        choices = choose(number, lessons)
        classroom[write(number, choices, out / "submissions")] = choices
    write_course(out, lessons)
    data = {
        "lessons": lessons,
        "choices": {key: [str(choice) for choice in choices] for key, choices in classroom.items()},
        "points": expected(classroom, lessons, jobs),
    }
    (out / "expected.json").write_text(
        json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def compare(wanted: Path, graded: Path) -> list[str]:
    """Where a graded batch's points differ from what its mutants imply; empty where nowhere."""
    data = json.loads(wanted.read_text(encoding="utf-8"))
    faults = []
    for key, choice, found in _pairs(data, graded):
        points, got = data["points"][key][choice.partition("/")[0]], found.points + found.bonus
        if round(got, 6) != points:
            faults.append(f"{key}: {choice}: got {got:g} points, expected {points:g}")
    return faults


def missed(wanted: Path, graded: Path) -> list[str]:
    """Mutants whose killer, the check that the gate proves to fail, passed with the inputs that were drawn here."""
    found = []
    for key, choice, record in _pairs(json.loads(wanted.read_text(encoding="utf-8")), graded):
        lesson, kind, name = choice.split("/")
        if kind == "mutant":
            killer = next(mutant.killed_by for mutant in mutants_of(lesson) if mutant.id == name)
            if any(check.name == killer and check.state == "done" for check in record.checks):
                found.append(f"{key}: {choice}: {killer} passed")
    return found


def _pairs(data: dict[str, Any], graded: Path) -> Iterator[tuple[str, str, LessonRecord]]:
    """Every lesson of every submission: key, choice, and how it was graded (ValueError where it was not)."""
    results = json.loads((graded / "results.json").read_text(encoding="utf-8"))
    records = {entry["record"]["key"]: from_plain(entry["record"]) for entry in results}
    for key, choices in data["choices"].items():
        for choice in choices:
            found = records[key].lesson(choice.partition("/")[0]) if key in records else None
            if found is None:
                raise ValueError(f"{graded}: got no grade of {choice} by {key}")
            yield key, choice, found


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
    start_with_the_graders_hash_seed("checks.grade.synthetic")
    use_the_graders_profile()
    make(asked.count, asked.out, asked.lessons or lessons_with_banks(), asked.jobs)


if __name__ == "__main__":
    main()
