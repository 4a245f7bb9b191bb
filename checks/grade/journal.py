"""The journal: one line a graded submission, appended and synced before it counts as done.

The first line says what the batch was graded with; a batch goes on only with the same. A line that a crash tore
is cut off, a line whose checksum does not fit is an error.
"""

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import IO, Any

from checks.grade.record import Record, dumps, from_plain, to_plain


class Journal:
    """Open for appending, with the lock that keeps a second grader out."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file: IO[bytes] = path.open("a+b")
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # not inherited by forks
        except OSError:
            self._file.close()
            raise ValueError(f"{path}: another grader is at work on this batch") from None
        try:
            self.records = self._recover(header)
        except ValueError:
            self._file.close()
            raise

    def append(self, record: Record) -> None:
        """Write one record; it is on the disk when this returns."""
        self._write(to_plain(record))
        self.records[record.key] = record

    def close(self) -> None:
        """Give the lock back."""
        self._file.close()

    def _recover(self, header: dict[str, Any]) -> dict[str, Record]:
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):  # torn by a crash
            self._file.truncate(len(whole))
        lines = [_checked(self.path, number, line) for number, line in enumerate(whole.splitlines(), 1)]
        if not lines:
            self._write(header)
            return {}
        changed = [key for key in header if lines[0].get(key) != header[key]]
        if changed:
            raise ValueError(
                f"{self.path}: this batch was begun with another {', '.join(changed)}; grade into a new folder,"
                " or use `litebert regrade` after mending a check"
            )
        return {line["key"]: from_plain(line) for line in lines[1:]}

    def _write(self, data: dict[str, Any]) -> None:
        body = dumps(data).encode()
        self._file.write(_sum(body) + b" " + body + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def read_journal(path: Path) -> tuple[dict[str, Any], dict[str, Record]]:
    """Header and records of a finished or unfinished batch."""
    data = path.read_bytes()
    lines = [
        _checked(path, number, line)
        for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1)
    ]
    if not lines:
        raise ValueError(f"{path}: the journal is empty")
    return lines[0], {line["key"]: from_plain(line) for line in lines[1:]}


def _sum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _checked(path: Path, number: int, line: bytes) -> dict[str, Any]:
    checksum, _, body = line.partition(b" ")
    if checksum != _sum(body):
        raise ValueError(
            f"{path}, line {number}: its checksum does not fit; the journal was changed or damaged"
        )
    return dict(json.loads(body))
