"""Recorded numbers: `docs/results/NAME.json` holds what a command measured, pages quote it by key.

A results file has `command`, `date`, `commit`, `seconds` and `values` (nested objects of numbers, texts
or lists). In a page, `{{ result quick albert.sop_accuracy .3f }}` becomes the number; the format is
Python's and may be left out.
"""

import html
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from checks.curriculum import ROOT
from checks.site.snippets import outside_fences

RESULTS = ROOT / "docs" / "results"
REQUIRED = ("command", "date", "commit", "seconds", "values")
RESULT_ROLE = re.compile(
    r"\{\{ result (?P<name>[\w-]+) (?P<key>[\w.\- ]+?)(?: (?P<format>[.,]?[.\d,]*[dfeg%]))? \}\}"
)


@cache
def load(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """The results file `NAME.json`; ValueError when it is missing or lacks a field."""
    path = folder / f"{name}.json"
    if not path.exists():
        raise ValueError(
            f"results: got {name!r}, expected one of {sorted(p.stem for p in folder.glob('*.json'))}"
        )
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    missing = [field for field in REQUIRED if field not in record]
    if missing:
        raise ValueError(f"{path.name}: got no {', '.join(missing)}, expected {', '.join(REQUIRED)}")
    return record


def look_up(name: str, key: str, folder: Path = RESULTS) -> Any:
    """One value of a results file by its dotted key ("albert.losses.0")."""
    value = load(name, folder)["values"]
    for part in key.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise ValueError(f"{name}.json: no value {key!r} (stopped at {part!r})") from None
    return value


def render(markdown: str, folder: Path = RESULTS) -> str:
    """The page with every `{{ result ... }}` outside code replaced by its number."""

    def number_html(role: re.Match[str]) -> str:
        value, record = look_up(role["name"], role["key"], folder), load(role["name"], folder)
        origin = f"{record['command']} ({record['date']}, commit {str(record['commit'])[:9]})"
        return f'<span class="lb-number" title="{html.escape(origin)}">{format(value, role["format"] or "")}</span>'

    lines = markdown.split("\n")
    for number, line in enumerate(outside_fences(markdown)):
        if "{{ result " in line:
            lines[number] = RESULT_ROLE.sub(number_html, line)
    return "\n".join(lines)
