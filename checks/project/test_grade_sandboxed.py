"""Grading through the sandbox: hostile code costs its own checks only, scores are right, kills lose nothing."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checks.curriculum import ROOT
from checks.grade import synthetic
from checks.project.grading import contents, environment, litebert, write_course

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


@pytest.fixture(scope="module")
def synthetic_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty submissions of a text and a torch lesson, graded in one go into `graded`."""
    folder = tmp_path_factory.mktemp("synthetic")
    make = [
        sys.executable,
        "-m",
        "checks.grade.synthetic",
        "20",
        str(folder),
        "--lessons",
        "vocab,embeddings",
    ]
    subprocess.run(make, cwd=ROOT, env=environment(), check=True, capture_output=True)
    config = ("--config", folder / "course.toml")
    litebert("grade", folder / "submissions", "--out", folder / "graded", *config, "--jobs", 2)
    return folder


def test_every_score_is_what_the_mutants_in_it_imply(synthetic_class: Path) -> None:
    data = json.loads((synthetic_class / "expected.json").read_text(encoding="utf-8"))
    kinds = {choice.split("/")[1] for choices in data["choices"].values() for choice in choices}
    assert {"reference", "variant", "mutant", "stub"} <= kinds
    assert len(data["points"]) == 20
    assert synthetic.compare(synthetic_class / "expected.json", synthetic_class / "graded") == []
    key, points = next(iter(data["points"].items()))
    data["points"][key] = {lesson: value + 0.25 for lesson, value in points.items()}
    (synthetic_class / "other.json").write_text(json.dumps(data), encoding="utf-8")
    assert len(synthetic.compare(synthetic_class / "other.json", synthetic_class / "graded")) == 2


def test_killed_at_five_seeded_moments_a_batch_resumes_to_equal_bytes(
    synthetic_class: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "checks.project.killed_graders", str(synthetic_class), str(tmp_path)]
    done = subprocess.run([*command, "5", "5"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path) == contents(synthetic_class / "graded")
    names = {name.partition("/")[0] for name in contents(tmp_path)}
    assert {"gradebook.csv", "class.html", "results.json", "learners", "gradescope"} <= names
