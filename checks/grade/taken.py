"""What was taken in, kept below `work/`: a batch can be graded again when the export is long gone."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from checks.grade.files import write_atomically
from checks.grade.intake import Submission
from checks.grade.labels import Label


def keep(work: Path, submissions: list[Submission]) -> None:
    """Write modules by the digest of their submission, and `taken.json`."""
    for submission in submissions:
        folder = work / "taken" / submission.digest[:32]
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in submission.files.items():
            (folder / f"{name}.py").write_bytes(text)
    entries = [_to_plain(submission) for submission in submissions]
    write_atomically(work / "taken.json", json.dumps(entries, ensure_ascii=False, indent=1) + "\n")


def kept(work: Path) -> list[Submission]:
    """What `keep` wrote."""
    entries = json.loads((work / "taken.json").read_text(encoding="utf-8"))
    return [_from_plain(work / "taken", entry) for entry in entries]


def _to_plain(submission: Submission) -> dict[str, Any]:
    when = submission.submitted.isoformat() if submission.submitted else None
    return {
        "key": submission.key,
        "digest": submission.digest,
        "label": vars(submission.label) | {"ids": list(submission.label.ids)},
        "files": sorted(submission.files),
        "notes": list(submission.notes),
        "refused": submission.refused,
        "submitted": when,
    }


def _from_plain(folder: Path, entry: dict[str, Any]) -> Submission:
    files = {name: (folder / entry["digest"][:32] / f"{name}.py").read_bytes() for name in entry["files"]}
    label = Label(**{**entry["label"], "ids": tuple(entry["label"]["ids"])})
    when = datetime.fromisoformat(entry["submitted"]) if entry["submitted"] else None
    return Submission(entry["key"], label, files, tuple(entry["notes"]), entry["refused"], when)
