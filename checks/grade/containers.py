"""Folders and zip files seen alike, with distrust: paths with their bytes, read only when asked for.

A link is never followed. An archive whose entries point out of it, are links, or are more or larger than any
honest hand-in is refused as a whole, with the reason.
"""

import io
import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MOST_ENTRIES = 20_000
MOST_ARCHIVE = 64 * 1024 * 1024
MOST_DEPTH = 12
SKIPPED = {"__MACOSX", "__pycache__", ".git", ".venv", "venv", "node_modules", "site-packages", ".litebert"}


class Refused(ValueError):
    """A submission that is not opened; the message is the reason, for the learner and the instructor."""


@dataclass(frozen=True)
class Entry:
    """One file: its path from the container's root, its time if known, and how to read at most n bytes."""

    path: PurePosixPath
    modified: tuple[int, ...] | None
    read: Callable[[int], bytes]


def folder_entries(folder: Path) -> list[Entry]:
    """Ordinary files below a folder, in order of their paths; links and special files are left out."""
    found: list[Entry] = []
    for where, folders, files in os.walk(folder, followlinks=False):
        inside = Path(where).relative_to(folder)
        if len(inside.parts) >= MOST_DEPTH:
            folders.clear()
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not Path(where, f).is_symlink())
        for name in files:
            path = Path(where, name)
            if stat.S_ISREG(path.lstat().st_mode):
                found.append(Entry(_clean(PurePosixPath(inside, name)), None, _file_reader(path)))
        if len(found) > MOST_ENTRIES:
            raise Refused(f"more than {MOST_ENTRIES} files")
    return sorted(found, key=lambda entry: str(entry.path))


def zip_entries(data: bytes | Path) -> list[Entry]:
    """Files of an archive, in order of their paths; `Refused` where it is none or an unsafe one."""
    try:
        source = io.BytesIO(data) if isinstance(data, bytes) else io.BytesIO(_file_reader(data)(MOST_ARCHIVE))
        archive = zipfile.ZipFile(source)
        infos = archive.infolist()
    except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Refused(f"not a readable zip file ({type(error).__name__})") from None
    if len(infos) > MOST_ENTRIES:
        raise Refused(f"a zip file of more than {MOST_ENTRIES} entries")
    entries = [_zip_entry(archive, info) for info in infos if not info.is_dir() and not _skipped(info)]
    return sorted(entries, key=lambda entry: str(entry.path))


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Entry:
    path = PurePosixPath(_zip_name(info).replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in (path.parts or ("",))[0] or "\0" in str(path):
        raise Refused("a zip file with a path that leads out of it")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise Refused("a zip file with a link or a special file in it")

    def read(most: int) -> bytes:
        if info.flag_bits & 1:
            raise Refused("an encrypted zip file")
        try:
            with archive.open(info) as file:
                data = file.read(most + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            OSError,
        ) as error:
            raise Refused(f"a damaged zip file ({type(error).__name__})") from None
        return _bounded(data, most, path.name)

    return Entry(_clean(path), tuple(info.date_time), read)


def _skipped(info: zipfile.ZipInfo) -> bool:
    parts = info.filename.replace("\\", "/").split("/")
    return ".." not in parts and any(part in SKIPPED for part in parts[:-1])


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name; a UTF-8 one whose flag was forgotten (Windows, some servers) is mended."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return info.filename


def _clean(path: PurePosixPath) -> PurePosixPath:
    """Composed letters: macOS writes an umlaut as two characters."""
    return PurePosixPath(unicodedata.normalize("NFC", str(path)))


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            return _bounded(file.read(most + 1), most, path.name)

    return read


def _bounded(data: bytes, most: int, name: str) -> bytes:
    if len(data) > most:
        raise Refused(f"{name} is larger than {most // 1024} KiB")
    return data
