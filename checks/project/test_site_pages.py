"""The pages' sources: every block is run or checked, lesson pages keep their form, results can be made again."""

import json
import math
import subprocess
from pathlib import Path

import pytest

from checks.curriculum import LESSONS, ROOT
from checks.site import results, snippets
from checks.site.commands import command_complaint
from checks.site.fences import find_fences
from checks.site.nav import DOCS, navigation
from checks.site.questions import read_quiz

PAGES = sorted(DOCS.rglob("*.md"))
LESSON_PAGES = [ROOT / lesson.page for lesson in LESSONS if (ROOT / lesson.page).exists()]
RESULTS = sorted((DOCS / "results").glob("*.json"))
KINDS = {"python run", "output", "quiz", "figure", "console", "text"}
TRAINS = "litebert capstone"  # leaves a folder, which record_run reads, and prints no values
FORM = [
    "Goal",
    "Before you start",
    "The idea",
    "Mathematics",
    "A worked example",
    "Your task",
    "Hints",
    "Common mistakes",
    "What the paper and the published code do",
    "Summary",
    "Quiz",
    "Sources",
]


def name_of(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


def headings(markdown: str) -> list[str]:
    return [line[3:].strip() for line in snippets.outside_fences(markdown) if line.startswith("## ")]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_run_or_checked(page: Path) -> None:
    kinds = [fence.info for fence in find_fences(page.read_text(encoding="utf-8"))]
    assert [kind for kind in kinds if kind not in KINDS and not snippets.RUN.fullmatch(kind)] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_shown_output_and_number_is_what_the_code_gives(page: Path) -> None:
    assert snippets.complaints(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_shown_command_exists(page: Path) -> None:
    blocks = [f.body for f in find_fences(page.read_text(encoding="utf-8")) if f.info == "console"]
    found = [command_complaint(line) for block in blocks for line in block.splitlines()]
    assert [text for text in found if text] == []


@pytest.mark.parametrize("page", LESSON_PAGES, ids=name_of)
def test_a_lesson_page_keeps_the_form(page: Path) -> None:
    assert headings(page.read_text(encoding="utf-8")) == FORM


@pytest.mark.parametrize("page", LESSON_PAGES, ids=name_of)
def test_a_lesson_page_has_three_hints_and_the_facts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [f'??? hint "Hint {number}:' in text for number in (1, 2, 3)] == [True, True, True]
    assert "{{ facts }}" in text
    assert "{{ mistakes }}" in text


@pytest.mark.parametrize("page", LESSON_PAGES, ids=name_of)
def test_a_lesson_page_asks_at_least_six_questions_of_several_types(page: Path) -> None:
    quizzes = [read_quiz(f.body) for f in find_fences(page.read_text(encoding="utf-8")) if f.info == "quiz"]
    questions = [question for quiz in quizzes for question in quiz.questions]
    assert len(questions) >= 6
    assert len({question.type for question in questions}) >= 3


def test_the_navigation_has_every_page_once() -> None:
    listed = [page for section in navigation() for pages in section.values() for page in pages]
    assert sorted(listed) == [name_of(page) for page in PAGES]


def test_cheap_results_are_what_their_commands_give_again() -> None:
    records = {path.stem: results.load(path.stem) for path in RESULTS}
    cheap = {
        name: record
        for name, record in records.items()
        if record["seconds"] < 5 and not record["command"].startswith(TRAINS)
    }
    assert {
        name for name, record in cheap.items() if not same(made_again(record["command"]), record["values"])
    } == set()


def made_again(command: str) -> object:
    """The values that a results file's command prints as JSON."""
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(got: object, want: object) -> bool:
    """Equal, floats to six digits."""
    if isinstance(got, dict) and isinstance(want, dict):
        return got.keys() == want.keys() and all(same(got[key], want[key]) for key in got)
    if isinstance(got, list) and isinstance(want, list):
        return len(got) == len(want) and all(same(a, b) for a, b in zip(got, want, strict=True))
    if isinstance(got, float) and isinstance(want, float):
        return math.isclose(got, want, rel_tol=1e-6)
    return got == want
