"""Recorded training runs, most of them broken: what `diagnose` of lesson 15 is tried on.

Each file is named after the run's fault and seed. They were made by training the reference with the fault built
in; `python -m checks.cli.record_runs` makes them anew.
"""

import json
from pathlib import Path

from lessons.given.records import Recording

FOLDER = Path(__file__).parent


def load_recordings(folder: Path = FOLDER) -> dict[str, list[Recording]]:
    """The recordings in a folder: what is right to say of them -> the runs, one a seed."""
    found: dict[str, list[Recording]] = {}
    for path in sorted(folder.glob("*.json")):
        plain = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(plain.pop("fault"), []).append(Recording(**plain))
    return found
