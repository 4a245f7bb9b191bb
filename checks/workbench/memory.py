"""What is remembered between commands, in `.litebert/`: the last verdicts on a learner's code, and the hints given.

Nothing here is needed: a file that is missing, broken or not writable counts as empty.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checks.curriculum import ROOT
from checks.stubs import backups

if TYPE_CHECKING:
    from checks.judge.verdict import Verdict

MOST_FOLDERS = 4


def read(name: str) -> dict[str, Any]:
    """A remembered table; empty where there is none."""
    try:
        found = json.loads((backups.STATE / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write(name: str, table: dict[str, Any]) -> None:
    """Remember a table, in one step."""
    temporary = backups.STATE / f"{name}.{os.getpid()}"
    with contextlib.suppress(OSError):
        backups.STATE.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(temporary, backups.STATE / name)


def folder_of(subject: str) -> Path:
    """The folder of a subject without a prefix."""
    return ROOT / subject if subject in ("lessons", "solutions") else Path(subject).expanduser().resolve()


def digest(lesson: str, subject: str) -> str:
    """Tells one text of a lesson's file from another; "" where there is no file."""
    try:
        return hashlib.sha256((folder_of(subject) / f"{lesson}.py").read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def remember(verdicts: "Sequence[Verdict]", subject: str) -> None:
    """Keep the verdicts of one run. Checks of the same text that did not run now keep what they had."""
    prefixed = subject.startswith(("sandbox:", "uid:"))
    if prefixed or not verdicts or folder_of(subject) == ROOT / "solutions":
        return
    table = read("verdicts.json")
    mine = table.pop(str(folder_of(subject)), {})
    for lesson in dict.fromkeys(verdict.check.lesson for verdict in verdicts):
        text = digest(lesson, subject)
        known = mine.get(lesson, {})
        checks = known.get("checks", {}) if known.get("digest") == text else {}
        checks.update({v.check.name: entry(v) for v in verdicts if v.check.lesson == lesson})
        mine[lesson] = {"digest": text, "checks": checks}
    older = [name for name in table if name != str(ROOT / "lessons")]
    for name in older[: max(0, len(older) - MOST_FOLDERS + 1)]:
        del table[name]
    write("verdicts.json", {**table, str(folder_of(subject)): mine})


def entry(verdict: "Verdict") -> dict[str, Any]:
    """What is kept of a verdict."""
    mistake = verdict.mistake
    return {
        "exercise": verdict.check.exercise,
        "bonus": verdict.check.bonus,
        "state": verdict.state,
        "where": verdict.where,
        "mistake": mistake and {"id": mistake.id, "says": mistake.says, "hint": mistake.hint},
    }


def last(lesson: str, subject: str) -> tuple[dict[str, dict[str, Any]], bool]:
    """The last verdicts on a lesson's checks by name, and whether its file is still the one they judged."""
    known = read("verdicts.json").get(str(folder_of(subject)), {}).get(lesson, {})
    return known.get("checks", {}), known.get("digest") == digest(lesson, subject)
