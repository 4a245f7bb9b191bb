"""Intake: from what a learning platform exports to submissions. Only lesson modules are taken."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from checks.curriculum import BY_NAME
from checks.grade.containers import Entry, Refused, folder_entries, zip_entries
from checks.grade.labels import Label, read_label, without_copy_number

MOST_SOURCE = 512 * 1024
MOST_INNER_ARCHIVE = 16 * 1024 * 1024
# Where the lessons of a project lie; a module found elsewhere counts only if there is none here.
FAVOURED, UNLIKELY = "lessons", {"solutions", "backups", "checks", "old", "variants", "mutants"}


@dataclass(frozen=True)
class Submission:
    """One hand-in. `files` maps a lesson to its bytes; `refused` is why nothing was taken, if so."""

    key: str
    label: Label
    files: dict[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    refused: str = ""
    submitted: datetime | None = None

    @property
    def digest(self) -> str:
        """SHA-256 over the names and texts of the modules: what its seed and its result depend on."""
        return digest_of(self.files)


def digest_of(files: dict[str, bytes]) -> str:
    """The digest of a set of modules."""
    lines = [f"{name} {hashlib.sha256(text).hexdigest()}\n" for name, text in sorted(files.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def take_in(source: Path, lessons: Iterable[str]) -> list[Submission]:
    """All submissions of an export (a folder, or a zip file of it), in the order of their keys.

    Raises:
        ValueError: `source` is neither, or holds nothing that could be a submission.
    """
    if not source.exists():
        raise ValueError(f"{source}: no such file or folder")
    groups: dict[str, list[tuple[Label, list[Entry] | str]]] = {}
    for name, is_folder, entries in _top_level(source):
        label = read_label(name, is_folder)
        groups.setdefault(_key(label, is_folder), []).append((label, entries))
    wanted = tuple(lessons)
    found = [_submission(key, parts, wanted) for key, parts in sorted(groups.items())]
    found = [submission for submission in found if submission.files or submission.refused or submission.notes]
    if not found:
        raise ValueError(
            f"{source}: got nothing that holds a lesson module, expected folders, zips or .py files"
        )
    return found


def _top_level(source: Path) -> Iterable[tuple[str, bool, list[Entry] | str]]:
    if source.is_file():
        try:
            entries = zip_entries(source)
        except Refused as error:
            raise ValueError(f"{source}: {error}") from None
        if any(len(entry.path.parts) == 1 and entry.path.stem in BY_NAME for entry in entries):
            yield source.stem, True, entries  # one learner's zip, not a class's
            return
        names = sorted({entry.path.parts[0] for entry in entries})
        for name in names:
            inside = [e for e in entries if e.path.parts[0] == name]
            yield _opened(name, inside)
        return
    if any((source / f"{lesson}.py").is_file() for lesson in BY_NAME):
        yield source.name, True, folder_entries(source)  # one learner's folder
        return
    for path in sorted(source.iterdir()):
        name = unicodedata.normalize("NFC", path.name)
        if name.startswith(".") or name in ("__MACOSX", "submission_metadata.yml"):
            continue
        if path.is_symlink():
            yield name, path.is_dir(), "it is a link, which is not followed"
        elif path.is_dir():
            try:
                yield name, True, folder_entries(path)
            except Refused as error:
                yield name, True, str(error)
        elif path.suffix.lower() == ".zip" or path.suffix == ".py":
            entry = Entry(PurePosixPath(name), None, lambda most, path=path: _plain(path, most))  # type: ignore[misc]
            yield _opened(name, [entry])


def _plain(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise Refused(f"{path.name} is larger than {most // 1024} KiB")
    return data


def _opened(name: str, entries: list[Entry]) -> tuple[str, bool, list[Entry] | str]:
    """One top-level entry of a class: a folder's files without its name, or what a zip file holds."""
    if len(entries) == 1 and len(entries[0].path.parts) == 1:
        if name.lower().endswith(".zip"):
            try:
                return name, False, zip_entries(entries[0].read(MOST_INNER_ARCHIVE))
            except Refused as error:
                return name, False, str(error)
        return name, False, entries
    return name, True, [Entry(PurePosixPath(*e.path.parts[1:]), e.modified, e.read) for e in entries]


def _key(label: Label, is_folder: bool) -> str:
    """Files that stand alone belong together by their owner; a folder or zip is a hand-in of its own."""
    alone = not is_folder and label.file.endswith(".py")
    number = f" {label.attempt}" if label.attempt and not alone else ""
    return f"{label.who}{number}" if label.ids[0] == label.who else f"{label.who} ({label.ids[0]}){number}"


def one_submission(key: str, entries: list[Entry] | str, lessons: tuple[str, ...]) -> Submission:
    """A folder's files as one submission, whatever its name (text instead of files: why it is refused)."""
    return _submission(key, [(Label(key, (key,)), entries)], lessons)


def _submission(
    key: str, parts: list[tuple[Label, list[Entry] | str]], lessons: tuple[str, ...]
) -> Submission:
    label, notes = parts[0][0], []
    candidates: list[tuple[tuple, str, Entry]] = []
    try:
        for part, entries in parts:
            if isinstance(entries, str):
                raise Refused(entries)
            for entry in _with_inner_archives(entries):
                own = (
                    PurePosixPath(part.file)
                    if len(entries) == 1 and part.file.endswith(".py")
                    else entry.path
                )
                stem, copy = without_copy_number(own.stem)
                if own.suffix == ".py" and stem in BY_NAME:
                    candidates.append((_preference(own, copy), stem, entry))
                elif note := _near_miss(own, stem):
                    notes.append(note)
        files = {}
        for lesson in lessons:
            fitting = sorted((c for c in candidates if c[1] == lesson), key=lambda c: c[0])
            if len(fitting) > 1:
                notes.append(f"{lesson}: {len(fitting)} files of that name, taken: {fitting[0][2].path}")
            if fitting:
                files[lesson] = fitting[0][2].read(MOST_SOURCE)
    except Refused as error:
        return Submission(key, label, {}, tuple(notes), str(error))
    if not files:
        notes.append("no lesson module in it")
    if any(part.late for part, _ in parts):
        notes.append("marked LATE by Canvas")
    return Submission(key, label, files, tuple(dict.fromkeys(notes)))


def _with_inner_archives(entries: list[Entry]) -> Iterable[Entry]:
    """The entries; a zip file among them (a learner's upload) is opened, one level deep."""
    for entry in entries:
        if entry.path.suffix.lower() == ".zip":
            for inner in zip_entries(entry.read(MOST_INNER_ARCHIVE)):
                yield Entry(entry.path.parent / entry.path.stem / inner.path, inner.modified, inner.read)
        else:
            yield entry


def _preference(path: PurePosixPath, copy: int) -> tuple:
    folders = path.parts[:-1]
    unlikely = any(folder.lower() in UNLIKELY for folder in folders)
    return unlikely, FAVOURED not in folders[-1:], len(folders), -copy, str(path)


def _near_miss(path: PurePosixPath, stem: str) -> str:
    """A note on a file that its author may have meant as a lesson module."""
    looks = unicodedata.normalize("NFKC", stem).lower().strip()
    looks = re.sub(r"[^a-z]", "", looks)
    if path.suffix.lower() == ".py" and looks in BY_NAME and stem != looks:
        return f"not taken: {path.name!r} is not {looks}.py"
    return ""
