"""Grading through the sandbox: what judged code does costs its own check only, and reaches no file."""

import csv
import json
import shutil
import sys
from pathlib import Path

import pytest

from checks.curriculum import ROOT
from checks.project.grading import contents, litebert, write_course

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)
REFERENCE = (ROOT / "solutions" / "vocab.py").read_text(encoding="utf-8")
HOSTILE = {
    "dies": "\n\ndef encode(tokens, vocab):\n    import ctypes\n    ctypes.string_at(0)\n",
    "echoes": "\n\ndef encode(tokens, vocab):\n    raise ValueError('<b>SECRET</b> ' * 500)\n",
    "exits": "\nimport os\nos._exit(0)\n",
    "right": "\n",
}


def test_hostile_submissions_lose_their_own_points_and_results_are_equal_bytes(tmp_path: Path) -> None:
    for name, text in HOSTILE.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "vocab.py").write_text(REFERENCE + text, encoding="utf-8")
    course = write_course(tmp_path)
    for number in (1, 2):
        out = tmp_path / f"out{number}"
        litebert("grade", tmp_path / "class", "--out", out, "--config", course, "--jobs", number)
    assert contents(tmp_path / "out1") == contents(tmp_path / "out2")
    with (tmp_path / "out1" / "gradebook.csv").open(newline="", encoding="utf-8") as file:
        points = {row["student"]: float(row["total"]) for row in csv.DictReader(file)}
    assert points["right"] == 5.0
    assert points["exits"] == 0.0
    assert 3.0 < points["dies"] < 5.0
    assert points["dies"] == points["echoes"]
    records = json.loads((tmp_path / "out1" / "results.json").read_text(encoding="utf-8"))
    ends = {
        entry["student"]: {c["end"] for c in entry["record"]["lessons"][0]["checks"]} for entry in records
    }
    assert "crash" in ends["dies"]
    for path in (tmp_path / "out1").glob("*/*.html"):
        assert path.read_text(encoding="utf-8").count("SECRET") < 60
        assert "<b>SECRET" not in path.read_text(encoding="utf-8")
