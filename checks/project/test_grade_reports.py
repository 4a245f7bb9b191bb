"""Reports: nothing of judged code but what is meant to, everything escaped, one file without network."""

import csv
import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checks.curriculum import ROOT
from checks.grade.course import Course
from checks.grade.fingerprints import fingerprints
from checks.grade.intake import Submission
from checks.grade.labels import Label
from checks.grade.people import Assigned, Student
from checks.grade.record import CheckRecord, LessonRecord, Record, dumps, from_plain, to_plain
from checks.grade.reports.classroom import class_page
from checks.grade.reports.insight import correlation, insight
from checks.grade.reports.learner import learner_page
from checks.grade.reports.tables import gradebook, gradescope
from checks.grade.results import Results, grade_of
from checks.grade.similarity import LEAST_SHARE, honest_shares, similar_pairs
from checks.grade.told import MOST_JUDGED_TEXT, Teller, place, tidy
from checks.judge.runner import lesson_checks
from checks.judge.verdict import Verdict

EVIL = "<script>alert(1)</script>"


def _check(name: str, state: str, **more: object) -> CheckRecord:
    earned = 1.0 if state == "done" else 0.0
    return CheckRecord(name, "tokenize", f"Claim {EVIL}", 1.0, earned, state, **more)  # type: ignore[arg-type]


def _results(count: int = 6) -> Results:
    course, grades = Course("A & B", ("vocab",)), []
    for number in range(count):
        wrong = _check(
            "b", "wrong", lines=(f"got       {EVIL}",), mistake="vocab.x", says=EVIL, hint="h", end="crash"
        )
        checks = (
            _check("a", "done"),
            wrong if number % 2 else _check("b", "done"),
            _check("c", "to do", hidden=True),
        )
        points = sum(check.earned for check in checks)
        lesson = LessonRecord("vocab", "wrong", points, 3.0, 0.0, "docs/lessons/01-vocab.md", checks)
        record = Record(f"k{number}", "d" * 64, 7, (lesson,))
        submission = Submission(record.key, Label(record.key, (record.key,)), {"vocab": b""}, (EVIL,))
        assigned = Assigned(Student(f"=id{number}", f"{EVIL}{number}"), submission, submission.notes)
        grades.append(grade_of(course, assigned, {record.key: record}))
    return Results(course, tuple(grades), (EVIL,))


def test_nothing_in_a_page_is_markup_that_came_from_a_submission() -> None:
    results = _results()
    for text in (class_page(results), *(learner_page(results, grade) for grade in results.grades)):
        assert "<script" not in text
        assert "&lt;script&gt;" in text


def test_pages_are_one_file_each_without_network_and_follow_the_readers_colours() -> None:
    results = _results()
    for text in (class_page(results), learner_page(results, results.grades[0])):
        assert not re.search(r"(?:src|href)=\"(?!learners/)", text)
        assert "url(" not in text
        assert "@import" not in text
        assert "default-src 'none'" in text.replace("&#x27;", "'")
        assert "prefers-color-scheme:dark" in text
        assert "<svg" in text


def test_the_class_page_counts_mistakes_crashes_and_checks_that_tell_nobody_apart() -> None:
    found = insight(_results())
    assert found.mistakes["vocab"][("vocab.x", EVIL)] == 3
    by_name = {figures.check.name: figures for figures in found.checks}
    assert (by_name["b"].crashes, by_name["b"].tried, by_name["b"].passed) == (3, 6, 3)
    assert [(figures.check.name, why) for figures, why in found.flat()] == [("a", "everybody passes")]


def test_correlation_is_that_of_passing_with_the_rest() -> None:
    assert correlation([(True, 2.0), (False, 1.0), (True, 2.0), (False, 1.0)]) == 1.0
    assert correlation([(True, 1.0), (True, 2.0)]) is None


def test_a_spreadsheet_takes_no_name_for_a_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(gradebook(_results()))))
    assert rows[0]["student"] == "'=id0"
    assert [row["total"] for row in rows[:2]] == ["3.3333", "1.6667"]


def test_gradescopes_tests_add_up_to_the_score() -> None:
    for grade in _results().grades:
        answer = gradescope(grade, show_hidden=False)
        assert answer["score"] == pytest.approx(sum(test["score"] for test in answer["tests"]), abs=1e-3)
        assert "unpublished" in answer["tests"][2]["name"]
        json.dumps(answer)


def test_a_record_survives_the_journal() -> None:
    record = _results().grades[1].record
    assert record is not None
    assert from_plain(json.loads(dumps(to_plain(record)))) == record


def test_lines_are_printable_and_tell_neither_folders_nor_addresses() -> None:
    line = tidy("got  \x1b[31m <Thing at 0x7f3a00dd> in /home/secret/place/vocab.py\u202e\n")
    assert line == "got   [31m <Thing at 0x...> in vocab.py  "
    assert place("/tmp/x/vocab.py:12") == "vocab.py:12"
    assert place("/etc/passwd:1") == ""


def test_judged_code_cannot_carry_a_text_out_through_its_messages() -> None:
    teller, check = Teller(), lesson_checks("vocab")[0]
    told = 0
    for number in range(50):
        verdict = Verdict(check, "wrong", [f"got       ValueError: {number} {'secret ' * 40}", "because   x"])
        told += teller.lines(verdict)[0].count("secret")
    assert told <= MOST_JUDGED_TEXT / len("secret")
    assert teller.lines(Verdict(check, "to do", ["def secret(): ..."])) == [
        f"{check.exercise} is still to do"
    ]


def test_copies_are_found_whatever_their_names_and_honest_solutions_are_not() -> None:
    source = (ROOT / "solutions" / "vocab.py").read_text(encoding="utf-8")
    body = "\n".join(
        f"def helper{n}(a, b):\n    total = a * {n}\n    for i in range(b):\n        total += i ** {n} - a\n"
        f"        if total > {n}7:\n            total -= b // {n + 1}\n    return [total, a, b]\n"
        for n in range(1, 6)
    )
    renamed = re.sub(r"\btotal\b", "summe", body.replace("helper", "hilfe"))
    pairs = similar_pairs(
        {
            "a": {"vocab": (source + body).encode()},
            "b": {"vocab": (source + "\n\n# other\n" + renamed).encode()},
            "c": {"vocab": source.encode()},
        },
        ("vocab",),
    )
    assert [(pair.one, pair.other, pair.suspicious) for pair in pairs] == [("a", "b", True)]
    assert max(honest_shares("vocab")) < LEAST_SHARE
    assert fingerprints("not ( python") == {}


def test_grading_imports_no_torch_on_the_trusted_side() -> None:
    code = (
        "import sys; from checks.grade.seeds import use_the_graders_profile; use_the_graders_profile();"
        "from checks.grade.batch import Batch; from checks.grade.job import load_everything;"
        "from checks.grade.course import available_lessons; load_everything(available_lessons());"
        "import checks.grade.reports.write; print('torch' in sys.modules)"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False", time.perf_counter() - start


def test_file_names_are_plain_and_apart(tmp_path: Path) -> None:
    from checks.grade.reports.names import file_name

    names = {file_name(name) for name in ("Jörg Müller", "Jorg Muller", "../../etc", "名前", "")}
    assert len(names) == 5
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", name) for name in names)
