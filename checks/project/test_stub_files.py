"""Writing stubs never costs anybody's work."""

from pathlib import Path

import pytest

from checks.curriculum import LESSONS
from checks.stubs import backups, check, reset, stub_text, sync, undo, write_stubs


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project with one solution, whose backups go to a folder of its own."""
    solutions = tmp_path / "solutions"
    solutions.mkdir()
    (solutions / "vocab.py").write_text("def tokenize(text):\n    # 1. Split.\n    return text.split()\n")
    monkeypatch.setattr(sync, "SOLUTIONS", solutions)
    monkeypatch.setattr(sync, "PRISTINE", tmp_path / "pristine")
    monkeypatch.setattr(backups, "STATE", tmp_path / ".litebert")
    return tmp_path


def test_a_changed_stub_is_backed_up_before_it_is_overwritten(project: Path) -> None:
    stub = project / "lessons" / "vocab.py"
    assert [written.state for written in write_stubs(stub.parent)] == ["new"]
    stub.write_text("my = 'work'\n")
    (written,) = write_stubs(stub.parent)
    assert written.state == "updated"
    assert written.backup is not None
    assert written.backup.read_text() == "my = 'work'\n"
    assert stub.read_text() == stub_text("vocab")


def test_an_untouched_stub_of_an_older_solution_is_replaced_without_a_backup(project: Path) -> None:
    write_stubs(project / "lessons")
    (project / "solutions" / "vocab.py").write_text(
        "def tokenize(text, more):\n    # 1. Split.\n    return []\n"
    )
    (written,) = write_stubs(project / "lessons")
    assert (written.state, written.backup) == ("updated", None)


def test_a_file_that_is_not_utf8_is_backed_up_byte_for_byte(project: Path) -> None:
    stub = project / "lessons" / "vocab.py"
    write_stubs(stub.parent)
    stub.write_bytes(b"name = '\xff\xfe'\r\n")
    (written,) = write_stubs(stub.parent)
    assert written.backup is not None
    assert written.backup.read_bytes() == b"name = '\xff\xfe'\r\n"


def test_stubs_are_never_written_over_solutions(project: Path) -> None:
    with pytest.raises(ValueError, match="holds the solutions"):
        write_stubs(project / "solutions")
    assert "text.split" in (project / "solutions" / "vocab.py").read_text()


def test_check_names_each_difference(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "LESSONS", LESSONS[:1])
    folder = project / "lessons"
    assert check(folder) == [f"{folder / 'vocab.py'} is missing"]
    write_stubs(folder)
    assert check(folder) == []
    (folder / "vocab.py").write_text(stub_text("vocab").replace("text", "words"))
    (folder / "extra.py").write_text("")
    changed, extra = check(folder)
    assert "-def tokenize(words):" in changed
    assert extra == f"{folder / 'extra.py'} belongs to no lesson"


def test_reset_and_undo_bring_work_back_and_lose_nothing(project: Path) -> None:
    stub = project / "lessons" / "vocab.py"
    write_stubs(stub.parent)
    stub.write_text("first = 1\n")
    assert reset("vocab", stub.parent).backup is not None
    assert stub.read_text() == stub_text("vocab")
    undo("vocab", stub.parent)
    assert stub.read_text() == "first = 1\n"
    stub.write_text("second = 2\n")
    _, copy = undo("vocab", stub.parent)
    assert stub.read_text() == "first = 1\n"
    assert copy is not None
    assert copy.read_text() == "second = 2\n"
    undo("vocab", stub.parent)
    assert stub.read_text() == "second = 2\n"


def test_undo_without_a_backup_says_so(project: Path) -> None:
    write_stubs(project / "lessons")
    with pytest.raises(ValueError, match="nothing to undo"):
        undo("vocab", project / "lessons")


def test_without_solutions_the_stored_stubs_serve(project: Path) -> None:
    write_stubs(project / "pristine")
    (project / "solutions" / "vocab.py").unlink()
    (written,) = write_stubs(project / "lessons")
    assert "still to do" in written.path.read_text()


def test_a_lesson_without_any_stub_is_an_error_that_names_it(project: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no stub for lesson masking"):
        stub_text("masking")
