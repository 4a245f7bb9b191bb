"""A whole batch: scores, byte-equal output, a torn journal, regrading, canaries, a cluster."""

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checks.curriculum import ROOT
from checks.project.grading import command, contents, environment, litebert, write_class, write_course

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the grader forks")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """(class, course, output) of twenty submissions of lesson 1."""
    folder = tmp_path_factory.mktemp("graded")
    hand_ins, course = write_class(folder, 20), write_course(folder)
    litebert("grade", hand_ins, "--out", folder / "out", "--config", course, "--unsafe", "--jobs", 2)
    return hand_ins, course, folder / "out"


def _rows(out: Path) -> list[dict[str, str]]:
    with (out / "gradebook.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_right_code_gets_all_points_stubs_none_and_every_mutant_less(graded: tuple[Path, Path, Path]) -> None:
    points = [float(row["total"]) for row in _rows(graded[2])]
    assert points[:2] == [5.0, 0.0]
    assert all(0 < value < 5 for value in points[2:])


def test_one_process_gives_the_bytes_that_two_give(graded: tuple[Path, Path, Path], tmp_path: Path) -> None:
    hand_ins, course, out = graded
    litebert("grade", hand_ins, "--out", tmp_path, "--config", course, "--unsafe", "--jobs", 1)
    assert contents(tmp_path) == contents(out)


def _wait_for(path: Path, lines: int, process: subprocess.Popen) -> None:
    until = time.monotonic() + 120
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_torn_line_is_graded_again_and_a_changed_one_is_refused(
    graded: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    hand_ins, course, out = graded
    journal = tmp_path / "work" / "journal.jsonl"
    journal.parent.mkdir()
    whole = (out / "work" / "journal.jsonl").read_bytes()
    journal.write_bytes(whole[:-50])
    arguments = ("grade", hand_ins, "--out", tmp_path, "--config", course, "--unsafe")
    litebert(*arguments)
    assert contents(tmp_path) == contents(out)
    journal.write_bytes(whole.replace(b'"points":5.0', b'"points":6.0'))
    assert "checksum" in litebert(*arguments, code=2)


def test_another_secret_is_another_batch(graded: tuple[Path, Path, Path], tmp_path: Path) -> None:
    hand_ins, _, out = graded
    course = write_course(tmp_path)
    (tmp_path / "secret.txt").write_text("quite another secret\n")
    told = litebert("grade", hand_ins, "--out", out, "--config", course, "--unsafe", code=2)
    assert "secret" in told


def test_a_regrading_verifies_and_lists_what_a_mended_check_changes(
    graded: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    hand_ins, course, _ = graded
    few = tmp_path / "few"
    few.mkdir()
    for place in sorted(hand_ins.iterdir())[:3]:
        (few / place.name).symlink_to(place)  # refused: links are not followed
    (few / "right").mkdir()
    (few / "right" / "vocab.py").write_bytes((ROOT / "solutions" / "vocab.py").read_bytes())
    out = tmp_path / "out"
    litebert("grade", few, "--out", out, "--config", course, "--unsafe", code=1)
    assert "came out the same" in litebert("regrade", out, "--verify")
    journal = out / "work" / "journal.jsonl"
    _pretend_older_checks(journal)
    assert "another set of checks" in litebert("regrade", out, "--verify", code=2)
    assert "right: vocab: 4.5 -> 5" in litebert("regrade", out, code=1)
    assert "right,vocab,4.5,5" in (out / "changes.csv").read_text()


def _pretend_older_checks(journal: Path) -> None:
    from checks.grade.journal import Journal, read_journal
    from checks.grade.record import from_plain, to_plain

    header, records = read_journal(journal)
    journal.unlink()
    older = Journal(journal, {**header, "set of checks": "older"})
    for record in records.values():
        plain = json.loads(json.dumps(to_plain(record)))
        for lesson in plain["lessons"]:
            lesson["points"] -= 0.5
        older.append(from_plain(plain))
    older.close()


def test_hidden_checks_count_and_stay_unnamed(graded: tuple[Path, Path, Path], tmp_path: Path) -> None:
    course = write_course(tmp_path)
    litebert("hidden-template", tmp_path / "hidden")
    assert "0 faults" in litebert("hidden-gate", tmp_path / "hidden")
    few = tmp_path / "class"
    for name in ("hand-in 00 Müller", "hand-in 02 Müller"):
        (few / name).mkdir(parents=True)
        (few / name / "vocab.py").write_bytes((graded[0] / name / "lessons" / "vocab.py").read_bytes())
    out = tmp_path / "out"
    litebert("grade", few, "--out", out, "--config", course, "--unsafe", "--hidden", tmp_path / "hidden")
    records = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert [entry["record"]["lessons"][0]["possible"] for entry in records] == [6.0, 6.0]
    text = "".join(path.read_text(encoding="utf-8") for path in (out / "learners").iterdir())
    assert "Text without blanks is split" not in text


def test_a_grader_whose_canary_moves_grades_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from checks.grade import canaries;"
        "canaries.expected_points = lambda *a: (4.0, 0.0);"
        "from checks.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    hand_ins, course = write_class(tmp_path, 1), write_course(tmp_path)
    arguments = ["grade", hand_ins, "--out", tmp_path / "out", "--config", course, "--unsafe"]
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "a canary moved" in done.stderr
    assert not (tmp_path / "out" / "gradebook.csv").exists()


def test_a_cluster_gives_the_same_and_a_killed_worker_loses_nothing(
    graded: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
    hand_ins, course, out = graded
    scheduler, address = _scheduler(tmp_path)
    workers = [_worker(address) for _ in range(2)]
    try:
        arguments = command(
            "grade", hand_ins, "--out", tmp_path / "out", "--config", course, "--unsafe", "--dask", address
        )
        process = subprocess.Popen(arguments, cwd=ROOT, env=environment(), stderr=subprocess.PIPE, text=True)
        _wait_for(tmp_path / "out" / "work" / "journal.jsonl", 3, process)
        workers[0].kill()
        assert process.wait(240) == 0, process.communicate()[1]
        process.communicate()
        assert contents(tmp_path / "out") == contents(out)
    finally:
        for running in (*workers, scheduler):
            running.kill()
            running.wait()


def _scheduler(folder: Path) -> tuple[subprocess.Popen, str]:
    place = folder / "scheduler.json"
    scheduler = _distributed(
        "dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        str(place),
    )
    until = time.monotonic() + 60
    while not place.exists() or not place.read_text():
        assert time.monotonic() < until
        time.sleep(0.1)
    return scheduler, json.loads(place.read_text())["address"]


def _worker(address: str) -> subprocess.Popen:
    return _distributed(
        "dask_worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard"
    )


def _distributed(program: str, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
