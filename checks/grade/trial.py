"""A whole synthetic class, graded in the sandbox and compared with what its mutants imply.

    python -m checks.grade.trial 200 [--jobs 2] [--lessons vocab,masking] [--folder DIR]

prints the figures as JSON, for `python -m checks.site.record class "..."`; exit code 1 where a score is wrong. With
`--folder` a class that is there is taken, and a batch that was begun there goes on.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from checks.curriculum import ROOT
from checks.grade.batch import load_setting
from checks.grade.record import Record, from_plain
from checks.grade.seeds import start_with_the_graders_hash_seed, use_the_graders_profile
from checks.grade.synthetic import compare, lessons_with_banks, make, missed

PARTS = 10


def graded(folder: Path, jobs: int) -> float:
    """Grade it with the command, at its default level; minutes on the clock."""
    command = [sys.executable, "-m", "checks.cli.main", "grade", str(folder / "submissions")]
    options = ["--out", str(folder / "graded"), "--config", str(folder / "course.toml"), "--jobs", str(jobs)]
    started = time.monotonic()
    subprocess.run([*command, *options], cwd=ROOT, check=True, stdout=sys.stderr)
    return (time.monotonic() - started) / 60


def figures(folder: Path) -> dict[str, Any]:
    """What came out, from the files of a graded class."""
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    entries = json.loads((folder / "graded" / "results.json").read_text(encoding="utf-8"))
    records = [from_plain(entry["record"]) for entry in entries]
    kinds = Counter(choice.split("/")[1] for choices in wanted["choices"].values() for choice in choices)
    mutants = {c for choices in wanted["choices"].values() for c in choices if "/mutant/" in c}
    with (folder / "graded" / "work" / "times.csv").open(encoding="utf-8") as file:
        seconds = [float(row[1]) for row in csv.reader(file)]
    checks = [check for record in records for lesson in record.lessons for check in lesson.checks]
    wrong = [check for check in checks if check.state == "wrong"]
    return {
        "submissions": len(records),
        "lessons": len(wanted["lessons"]),
        "level": load_setting(folder / "graded").level,
        "cpu_minutes": sum(seconds) / 60,
        "cpu_seconds_a_submission": {"median": statistics.median(seconds), "most": max(seconds)},
        "modules": dict(sorted(kinds.items())),
        "different_mutants": len(mutants),
        "checks": len(checks),
        "checks_failed": len(wrong),
        "checks_failed_with_a_named_mistake": sum(bool(check.mistake) for check in wrong),
        "crashed": sum(check.end == "crash" for check in checks),
        "timed_out": sum(check.end == "time-out" for check in checks),
        "not_graded": sum(bool(record.failure) for record in records),
        "wrong_scores": len(compare(folder / "expected.json", folder / "graded")),
        "mutants_missed_by_their_own_check": len(missed(folder / "expected.json", folder / "graded")),
        "percent": spread(records),
    }


def spread(records: list[Record]) -> dict[str, Any]:
    """How the points are spread: quartiles, and submissions in tenths of all points."""
    possible = max(sum(lesson.possible for lesson in record.lessons) for record in records)
    percents = [100 * record.points / possible for record in records]
    tenths = Counter(min(int(percent / PARTS), PARTS - 1) for percent in percents)
    low, middle, high = statistics.quantiles(percents, n=4)
    return {
        "least": min(percents),
        "quartiles": [low, middle, high],
        "most": max(percents),
        "tenths": [tenths[part] for part in range(PARTS)],
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m checks.grade.trial")
    parser.add_argument("count", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--lessons", type=lambda text: tuple(text.split(",")))
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    start_with_the_graders_hash_seed("checks.grade.trial")
    use_the_graders_profile()
    with tempfile.TemporaryDirectory(prefix="litebert-class-") as scratch:
        folder = (asked.folder or Path(scratch)).resolve()
        if not (folder / "expected.json").exists():
            make(asked.count, folder, asked.lessons or lessons_with_banks(), asked.jobs)
        minutes = graded(folder, asked.jobs)
        found = {"jobs": asked.jobs, "minutes": minutes, **figures(folder)}
        faults = compare(folder / "expected.json", folder / "graded")
        told = missed(folder / "expected.json", folder / "graded")
    print("\n".join([*faults, *told]), file=sys.stderr)
    print(json.dumps(found))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
