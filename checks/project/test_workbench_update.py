"""`litebert update`: new stubs and checks come in, a learner's code stays."""

import subprocess
from pathlib import Path

import pytest

from checks.curriculum import LESSONS
from checks.project.calling import run
from checks.stubs import backups, sync
from checks.workbench import sources
from checks.workbench.updating import carry_out, plan

OLD = 'def tokenize(text):\n    raise NotImplementedError("still to do")\n'
NEW = 'def tokenize(text, lower=True):\n    raise NotImplementedError("still to do")\n'
FIRST, SECOND, THIRD = (lesson.module for lesson in LESSONS[:3])


def release(folder: Path, stub: str, files: dict[str, str]) -> Path:
    """A small release: three stubs, and files by path."""
    lessons = {f"lessons/{name}.py": stub for name in (FIRST, SECOND, THIRD)}
    pristine = {f"checks/stubs/pristine/{name}.py": stub for name in (FIRST, SECOND, THIRD)}
    standing = {"checks/curriculum.py": "LESSONS = ()\n", "lessons/given/config.py": "a = 1\n"}
    for path, text in {**lessons, **pristine, **standing, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of the old release: lesson 1 untouched, lesson 2 worked on, lesson 3 gone."""
    root = release(tmp_path / "clone", OLD, {"checks/test_vocab.py": "old\n", "checks/gone.py": "old\n"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    (root / "lessons" / f"{SECOND}.py").write_text("mine = 1\n")
    (root / "lessons" / f"{THIRD}.py").unlink()
    (root / "checks" / "my_own.py").write_text("mine too\n")
    monkeypatch.setattr(backups, "STATE", root / ".litebert")
    monkeypatch.setattr(sync, "SOLUTIONS", root / "solutions")
    monkeypatch.setattr(sync, "PRISTINE", root / "checks" / "stubs" / "pristine")
    monkeypatch.setattr(sources, "ROOT", root)
    monkeypatch.setattr("checks.curriculum.ROOT", root)
    return root


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """The new release."""
    files = {"checks/test_vocab.py": "new\n", "docs/index.md": "new page\n", "pyproject.toml": "new\n"}
    return release(tmp_path / "new", NEW, files)


def git(folder: Path, *arguments: str) -> None:
    """Run git there."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def test_checks_and_untouched_stubs_are_replaced_and_work_is_kept(
    clone: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "update", str(new))
    assert code == 0
    assert (clone / "checks" / "test_vocab.py").read_text() == "new\n"
    assert (clone / "docs" / "index.md").read_text() == "new page\n"
    assert (clone / "lessons" / f"{FIRST}.py").read_text() == NEW
    assert (clone / "lessons" / f"{THIRD}.py").read_text() == NEW
    assert (clone / "lessons" / f"{SECOND}.py").read_text() == "mine = 1\n"
    assert (clone / ".litebert" / "new-stubs" / f"{SECOND}.py").read_text() == NEW
    assert (clone / "checks" / "my_own.py").read_text() == "mine too\n"
    assert not (clone / "checks" / "gone.py").exists()
    assert f"lessons/{SECOND}.py holds your work: left alone. Its stub has changed" in out
    assert f"untouched stubs replaced: {FIRST}, {THIRD}" in out
    assert "pip install -e ." in out


def test_what_was_overwritten_or_removed_is_in_a_backup(clone: Path, new: Path) -> None:
    update = plan(new, clone)
    carry_out(update, new, clone)
    assert update.backup is not None
    assert (update.backup / "checks" / "test_vocab.py").read_text() == "old\n"
    assert (update.backup / "checks" / "gone.py").read_text() == "old\n"
    assert (update.backup / "lessons" / f"{FIRST}.py").read_text() == OLD


def test_a_second_update_changes_nothing_and_a_dry_run_neither(
    clone: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in clone.rglob("*") if path.is_file()}
    assert "would be updated" in run(capsys, "update", str(new), "--dry-run")[1]
    assert {path: path.read_bytes() for path in clone.rglob("*") if path.is_file()} == before
    run(capsys, "update", str(new))
    out = run(capsys, "update", str(new))[1]
    assert out.startswith("0 files updated, 0 removed\n")
    assert "replaced" not in out


def test_work_on_a_stub_that_has_not_changed_is_left_alone_without_a_new_stub(
    clone: Path, tmp_path: Path
) -> None:
    same = release(tmp_path / "same", OLD, {})
    update = plan(same, clone)
    assert update.stubs == {SECOND: "kept", THIRD: "replaced"}


def test_a_file_that_the_release_drops_later_is_removed_and_own_files_stay(
    clone: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "update", str(new))
    (new / "docs" / "index.md").unlink()
    assert "1 removed" in run(capsys, "update", str(new))[1]
    assert not (clone / "docs" / "index.md").exists()
    assert (clone / "checks" / "my_own.py").exists()


@pytest.mark.parametrize("form", ["address", "tag", "remote", "remote and branch"])
def test_it_comes_from_git_too(
    form: str, clone: Path, new: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(new, "init", "-q", "-b", "main")
    git(new, "add", "-A")
    git(new, "commit", "-q", "-m", "new")
    git(new, "tag", "v2")
    git(clone, "remote", "add", "origin", new.as_uri())
    source = {
        "address": [new.as_uri()],
        "tag": [f"{new.as_uri()}@v2"],
        "remote": [],
        "remote and branch": ["origin/main"],
    }
    code, _, err = run(capsys, "update", *source[form])
    assert code == 0, err
    assert (clone / "checks" / "test_vocab.py").read_text() == "new\n"
    assert (clone / "lessons" / f"{SECOND}.py").read_text() == "mine = 1\n"


def test_a_wrong_source_is_one_line_and_changes_nothing(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, said in (
        ([str(tmp_path / "empty")], "got no release of this course"),
        ([str(clone)], "that is this clone itself"),
        ([], "this clone has no remote"),
        (["/no/such/folder"], "there is no such folder or remote"),
        (["file:///no/such/repository"], "cannot fetch"),
    ):
        code, out, err = run(capsys, "update", *arguments)
        assert (code, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1
    assert (clone / "checks" / "test_vocab.py").read_text() == "old\n"


def test_a_clone_with_solutions_takes_no_release_without(
    clone: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone / "solutions").mkdir()
    code, _, err = run(capsys, "update", str(new))
    assert code == 2
    assert "this clone has solutions/" in err
