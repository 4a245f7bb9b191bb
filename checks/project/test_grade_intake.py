"""Intake: what learning platforms export is taken in, what is unsafe is refused, whose it is and when it came."""

import io
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from checks.curriculum import LESSONS
from checks.grade.course import load_course
from checks.grade.intake import Submission, take_in
from checks.grade.late import percent_off
from checks.grade.people import assign, dated, load_times

EVERY = tuple(lesson.module for lesson in LESSONS)


def _zipped(entries: dict[str, bytes], target: Path | None = None, link: str = "") -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o120777 if name == link else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, text)
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.getvalue())
    return data.getvalue()


def _write(path: Path, text: str = "x = 1\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _only(folder: Path) -> Submission:
    (submission,) = take_in(folder, EVERY)
    return submission


def test_canvas_files_of_one_learner_are_one_submission_and_the_latest_copy_counts(tmp_path: Path) -> None:
    _write(tmp_path / "müllerjörg_1042_77311_vocab.py", "old")
    _write(tmp_path / "müllerjörg_LATE_1042_77312_vocab-2.py", "new")
    _write(tmp_path / "müllerjörg_1042_77313_attention (1).py", "a")
    found = _only(tmp_path)
    assert found.files == {"vocab": b"new", "attention": b"a"}
    assert found.key == "müllerjörg (1042)"
    assert "marked LATE by Canvas" in found.notes


def test_moodle_folders_gradescope_and_classroom_repositories_are_understood(tmp_path: Path) -> None:
    _write(tmp_path / "Jörg Müller_4711_assignsubmission_file_" / "my work" / "lessons" / "vocab.py", "m")
    _zipped({"deep/er/vocab.py": b"g"}, tmp_path / "submission_99" / "upload.zip")
    _write(tmp_path / "nlp-week-1-octocat" / "lessons" / "vocab.py", "h")
    _write(tmp_path / "nlp-week-1-octocat" / "solutions" / "vocab.py", "not this")
    _write(tmp_path / "nlp-week-1-octocat" / "checks" / "test_vocab.py", "nor this")
    found = {submission.label.who: submission.files for submission in take_in(tmp_path, EVERY)}
    assert found == {
        "Jörg Müller": {"vocab": b"m"},
        "submission_99": {"vocab": b"g"},
        "nlp-week-1-octocat": {"vocab": b"h"},
    }


def test_a_zip_of_the_whole_class_is_like_its_folder(tmp_path: Path) -> None:
    entries = {
        "Zoë_1_assignsubmission_file_/vocab.py": b"z",
        "ab_2_3_work.zip": _zipped({"lessons/vocab.py": b"inner"}),
    }
    _zipped(entries, tmp_path / "class.zip")
    assert [s.files for s in take_in(tmp_path / "class.zip", EVERY)] == [{"vocab": b"z"}, {"vocab": b"inner"}]


def test_one_learners_folder_is_one_submission(tmp_path: Path) -> None:
    _write(tmp_path / "lessons" / "vocab.py")
    _write(tmp_path / "lessons" / "attention.py")
    assert sorted(_only(tmp_path / "lessons").files) == ["attention", "vocab"]


@pytest.mark.parametrize(
    ("entries", "link", "why"),
    [
        ({"../../vocab.py": b"x"}, "", "leads out"),
        ({"/etc/vocab.py": b"x"}, "", "leads out"),
        ({"C:\\vocab.py": b"x"}, "", "leads out"),
        ({"vocab.py": b"/etc/passwd"}, "vocab.py", "link"),
        ({"vocab.py": b"\0" * (600 * 1024)}, "", "larger than"),
        ({f"{n}.txt": b"" for n in range(20_001)}, "", "more than"),
        ({"inner.zip": b"PK no zip"}, "", "not a readable zip"),
    ],
)
def test_unsafe_archives_are_refused_with_a_reason(
    entries: dict[str, bytes], link: str, why: str, tmp_path: Path
) -> None:
    _zipped(entries, tmp_path / "class" / "eve.zip", link)
    found = _only(tmp_path / "class")
    assert not found.files
    assert why in found.refused


def test_links_are_never_followed(tmp_path: Path) -> None:
    _write(tmp_path / "secret" / "vocab.py", "secret")
    place = tmp_path / "class" / "eve"
    place.mkdir(parents=True)
    (place / "vocab.py").symlink_to(tmp_path / "secret" / "vocab.py")
    (place / "lessons").symlink_to(tmp_path / "secret")
    _write(place / "attention.py")
    assert list(_only(tmp_path / "class").files) == ["attention"]


def test_names_that_only_look_like_a_lesson_are_not_taken_and_are_told(tmp_path: Path) -> None:
    _write(tmp_path / "class" / "a" / "Vocab.py")
    _write(tmp_path / "class" / "a" / "v\u200bocab.py")
    _write(tmp_path / "class" / "a" / "attention.py")
    found = _only(tmp_path / "class")
    assert list(found.files) == ["attention"]
    assert len([note for note in found.notes if "not taken" in note]) == 2


def test_equal_texts_have_equal_digests_whatever_their_folder(tmp_path: Path) -> None:
    _write(tmp_path / "a" / "vocab.py", "same")
    _write(tmp_path / "b" / "deep" / "lessons" / "vocab.py", "same")
    one, other = take_in(tmp_path, EVERY)
    assert one.digest == other.digest


def test_a_roster_names_students_and_the_latest_of_several_counts(tmp_path: Path) -> None:
    for number in (1, 2):
        _write(tmp_path / "class" / f"submission_{number}" / "vocab.py", str(number))
    _write(tmp_path / "class" / "week-1-octocat" / "vocab.py", "o")
    _write(tmp_path / "class" / "stranger" / "vocab.py", "s")
    _write(
        tmp_path / "roster.csv",
        "student,name,first,second\ns1,Ada,submission_1,submission_2\ns2,Bo,octocat,\ns3,Cy,,\n",
    )
    _write(
        tmp_path / "times.csv",
        "submission,submitted\nsubmission_1,2026-10-02T10:00:00+00:00\nsubmission_2,2026-10-01T10:00:00+00:00\n",
    )
    _write(tmp_path / "course.toml", '[course]\nroster = "roster.csv"\ntimes = "times.csv"\n')
    course = load_course(tmp_path / "course.toml")
    found = dated(take_in(tmp_path / "class", EVERY), load_times(course.times, tmp_path / "class"))
    assigned, unknown = assign(found, course)
    taken = {a.student.id: a.submission.files["vocab"] if a.submission else None for a in assigned}
    assert taken == {"s1": b"1", "s2": b"o", "s3": None}
    assert [submission.key for submission in unknown] == ["stranger"]


def test_gradescopes_metadata_gives_the_times(tmp_path: Path) -> None:
    _write(tmp_path / "submission_7" / "vocab.py")
    _write(
        tmp_path / "submission_metadata.yml",
        "---\nsubmission_7:\n  :submitters:\n  - :name: Ada\n  :created_at: 2026-10-03 08:15:00.000000000 Z\n",
    )
    (found,) = dated(take_in(tmp_path, EVERY), load_times(None, tmp_path))
    assert found.submitted == datetime.fromisoformat("2026-10-03T08:15:00+00:00")


@pytest.mark.parametrize(
    ("hours", "off"),
    [(-1, 0.0), (0.2, 0.0), (1, 10.0), (24, 10.0), (30, 20.0), (24 * 6, 50.0), (24 * 15, 100.0)],
)
def test_a_day_begun_costs_a_day_up_to_a_limit(hours: float, off: float, tmp_path: Path) -> None:
    _write(
        tmp_path / "course.toml",
        "[late]\ngrace_minutes = 15\npercent_per_day = 10\nat_most_percent = 50\nzero_after_days = 14\n"
        '[[deadline]]\nlessons = ["vocab"]\ndue = 2026-10-12T23:59:00+02:00\n',
    )
    course = load_course(tmp_path / "course.toml")
    due = course.deadlines[0].due
    submitted = datetime.fromtimestamp(due.timestamp() + 3600 * hours, due.tzinfo)
    assert percent_off(course, "vocab", submitted) == off
    assert percent_off(course, "attention", submitted) == 0.0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[course]\nlesson = []\n", "'lesson' is not a key of [course]"),
        ('[course]\nlessons = ["atention"]\n', "did you mean 'attention'"),
        ("[weights]\nvocab = -1\n", "weights.vocab: got -1"),
        ("[late]\npercent_per_day = true\n", "late.percent_per_day: got True"),
        ("[[deadline]]\ndue = 2026-10-12T23:59:00\n", "expected a time with zone"),
        ("[course\n", "not TOML"),
        ('[course]\nwhich = "best"\n', "expected 'latest' or 'first'"),
    ],
)
def test_a_mistake_in_the_settings_is_told_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    _write(tmp_path / "course.toml", text)
    with pytest.raises(ValueError, match=r"course\.toml") as error:
        load_course(tmp_path / "course.toml")
    assert told in str(error.value)
