"""The instructor's guide: its example is what the grader gives, its settings load, its pages stay out of releases."""

import csv
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from checks.curriculum import LESSONS, ROOT
from checks.grade.course import TABLES, load_course
from checks.project.grading import litebert
from checks.release.tree import _chosen
from checks.site.fences import find_fences

GUIDE = ROOT / "docs" / "instructor"
PAGES = sorted(GUIDE.glob("*.md"))
SECRET = "the secret of the example\n"
needs_bubblewrap = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)


def texts(page: str) -> list[str]:
    """The page's blocks of plain text."""
    return [f.body for f in find_fences((GUIDE / page).read_text(encoding="utf-8")) if f.info == "text"]


def block(page: str, start: str) -> str:
    """The block that starts so."""
    return next(text for text in texts(page) if text.startswith(start))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_course_toml_of_the_guide_loads(page: Path, tmp_path: Path) -> None:
    for text in texts(page.name):
        if "[course]" in text:
            (tmp_path / "course.toml").write_text(text, encoding="utf-8")
            load_course(tmp_path / "course.toml")


@pytest.mark.parametrize(("weeks", "count"), [("twelve", 15), ("six", 12)])
def test_a_plan_gives_every_lesson_of_it_one_deadline(weeks: str, count: int, tmp_path: Path) -> None:
    text = next(text for text in texts("settings.md") if f"{weeks} weeks" in text)
    (tmp_path / "course.toml").write_text(text, encoding="utf-8")
    course = load_course(tmp_path / "course.toml")
    assert sorted(lesson for d in course.deadlines for lesson in d.lessons) == sorted(course.lessons)
    assert len(course.lessons) == count


def test_the_twelve_weeks_name_every_lesson_once_and_in_order() -> None:
    page = (GUIDE / "settings.md").read_text(encoding="utf-8")
    table = page[: page.index("## Six weeks")]
    rows = [row.split("|")[2] for row in table.splitlines() if re.match(r"\| \d", row)]
    assert len(rows) == 12
    assert [int(number) for row in rows for number in re.findall(r"\d+", row)] == [x.number for x in LESSONS]


def test_the_reference_of_course_toml_lists_every_key_and_no_other() -> None:
    page = (GUIDE / "settings.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE))
    keys = {f"{table}.{key}" for table, keys in TABLES.items() for key in keys}
    assert listed == keys | {"weights.LESSON", "deadline.lessons", "deadline.due"}


@needs_bubblewrap
def test_the_example_is_what_the_grader_gives(tmp_path: Path) -> None:
    right = (ROOT / "solutions" / "vocab.py").read_text(encoding="utf-8")
    wrong = right.replace("vocab.ids.get(token, UNK_ID)", "vocab.ids.get(token, 0)")
    assert wrong != right
    stub = (ROOT / "lessons" / "vocab.py").read_text(encoding="utf-8")
    for path, text in {"ada": right, "bo/lessons": wrong, "cy": stub}.items():
        (tmp_path / "hand-ins" / path).mkdir(parents=True)
        (tmp_path / "hand-ins" / path / "vocab.py").write_text(text, encoding="utf-8")
    for name, text in {
        "course.toml": block("index.md", "[course]"),
        "roster.csv": block("index.md", "student,name,login"),
        "secret.txt": SECRET,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    out = tmp_path / "graded"
    said = litebert("grade", tmp_path / "hand-ins", "--out", out, "--config", tmp_path / "course.toml")
    assert block("index.md", "3 graded").strip().replace("in graded", f"in {out}") in said
    rows = list(csv.reader((out / "gradebook.csv").read_text(encoding="utf-8").splitlines()))
    assert [",".join(row[:9]) for row in rows] == block("index.md", "student,name,email").strip().splitlines()
    bo = json.loads(next((out / "gradescope").glob("bo-*.json")).read_text(encoding="utf-8"))
    told = next(test["output"] for test in bo["tests"] if test["status"] == "failed").splitlines()
    shown = block("index.md", "encode: ").splitlines()[1:]
    assert [line.strip() for line in shown if line.strip() not in told] == []


def test_a_release_leaves_the_pages_of_instructors_and_maintainers_out() -> None:
    chosen = {path.relative_to(ROOT).as_posix() for path in _chosen()}
    assert "docs/practice.md" in chosen
    assert not [name for name in chosen if name.startswith(("docs/instructor", "docs/maintainer"))]
    linked = [
        page.name
        for page in ROOT.glob("docs/**/*.md")
        if page.parent.name not in ("instructor", "maintainer")
        and re.search(r"\]\([^)]*(instructor|maintainer)/", page.read_text(encoding="utf-8"))
    ]
    assert linked == [], "in a release these links lead nowhere"
