"""`litebert watch`: quick, and nothing that a lesson does ends it."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.curriculum import LESSONS, ROOT
from checks.gate.edits import SOLUTIONS
from checks.workbench.saves import stamps

IMPORTS = [sys.executable, "-c", "import torch, pytest, hypothesis"]
PATIENCE = 180.0


class Watch:
    """A running `litebert watch` on a folder of right solutions, and its lines as they come."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.folder = folder
        for lesson in LESSONS:
            source = (SOLUTIONS / f"{lesson.module}.py").read_text(encoding="utf-8")
            (folder / f"{lesson.module}.py").write_text(source, encoding="utf-8")
        command = [sys.executable, "-m", "checks.cli.main", "watch", "--subject", str(folder), *options]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        )  # fmt: skip
        self.lines: queue.Queue[tuple[float, str]] = queue.Queue()
        self.seen: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.rstrip()))

    def until(self, part: str) -> float:
        """When a line with `part` in it came."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                at, line = self.lines.get(timeout=1)
            except queue.Empty:
                continue
            self.seen.append(line)
            if part in line:
                return at
        raise AssertionError(f"no line with {part!r} within {PATIENCE} s: {self.seen}")

    def save(self, lesson: str, source: str | None = None) -> tuple[float, float]:
        """Save a lesson (as it is, or as `source`): seconds to the start of its checks and to the verdict."""
        path = self.folder / f"{lesson}.py"
        text = path.read_text(encoding="utf-8") if source is None else source
        start = time.monotonic()
        path.write_text(text, encoding="utf-8")
        began = self.until(f"{lesson}.py: checking") - start
        return began, self.until(" s") - start

    def interrupt(self) -> int:
        """Ctrl-C; the exit code. What was left to say is in `seen`."""
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(30)
        time.sleep(0.2)
        while not self.lines.empty():
            self.seen.append(self.lines.get()[1])
        return code

    def end(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self._reader.join()
        self.process.communicate()


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    """A warm watch over all lessons."""
    running = Watch(tmp_path_factory.mktemp("watched"))
    running.until("watching")
    running.save("vocab")
    yield running
    running.end()


def importing() -> float:
    """Seconds to import torch, pytest and hypothesis, now: what the machine is worth at this moment."""
    start = time.perf_counter()
    subprocess.run(IMPORTS, check=True)
    return time.perf_counter() - start


def test_a_save_starts_the_checks_within_0_3_seconds(watch: Watch) -> None:
    assert min(watch.save("vocab")[0] for _ in range(3)) < 0.3


# 1 s for a text lesson and 2 s for a torch lesson on a machine that imports in 2 s, and as much again for luck.
@pytest.mark.parametrize(
    ("lesson", "most"), [("vocab", 1.0), ("masking", 1.0), ("attention", 2.0), ("training", 2.0)]
)
def test_a_verdict_comes_faster_than_the_imports_it_saves(watch: Watch, lesson: str, most: float) -> None:
    before = importing()
    taken = min(watch.save(lesson)[1] for _ in range(3))
    assert taken < most * max(before, importing())


@pytest.mark.parametrize(
    ("first_line", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9"),
        ("import ctypes; ctypes.string_at(0)", "was ended by signal 11"),
        ("import os; os._exit(0)", "cannot be imported"),
        ("import sys; sys.exit(0)", "cannot be imported"),
        ("def tokenize(:", "cannot be read"),
    ],
)
def test_nothing_that_a_lesson_does_ends_the_watch(watch: Watch, first_line: str, said: str) -> None:
    right = (SOLUTIONS / "vocab.py").read_text(encoding="utf-8")
    watch.seen.clear()
    watch.save("vocab", f"{first_line}\n{right}")
    assert any(said in line for line in watch.seen), watch.seen
    watch.seen.clear()
    watch.save("vocab", right)
    assert any("Vocabulary" in line and "done" in line for line in watch.seen), watch.seen


def test_what_a_lesson_prints_is_shown_in_few_lines(watch: Watch) -> None:
    right = (SOLUTIONS / "vocab.py").read_text(encoding="utf-8")
    watch.seen.clear()
    watch.save("vocab", right.replace("    # 1.", '    print("hello from here")\n    # 1.', 1))
    watch.save("vocab", right)
    assert 1 <= sum("hello from here" in line for line in watch.seen) <= 5


def test_ctrl_c_ends_it_without_a_traceback_and_leaves_nothing(tmp_path: Path) -> None:
    running = Watch(tmp_path, "vocab", "--poll")
    try:
        running.until("looking every")
        running.until(" s")
        assert running.interrupt() == 130
        assert "stopped by Ctrl-C" in running.seen
        assert not any("Traceback" in line for line in running.seen)
        assert group_ends(running.process.pid)
    finally:
        running.end()


def group_ends(group: int) -> bool:
    """Whether no process of the group is left after five seconds."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_without_watchfiles_it_looks_again_and_again_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "watchfiles.py").write_text("raise ImportError('not here')\n")
    (tmp_path / "code").mkdir()
    running = Watch(tmp_path / "code", "vocab", PYTHONPATH=str(tmp_path / "hidden"))
    try:
        running.until("looking every 0.2 s (the package watchfiles")
        running.until(" s")
        assert running.save("vocab")[0] < 2
    finally:
        running.end()


def test_a_stamp_tells_a_changed_file_from_an_unchanged_one(tmp_path: Path) -> None:
    (tmp_path / "vocab.py").write_text("a = 1\n")
    before = stamps(tmp_path, ["vocab", "masking"])
    assert list(before) == ["vocab"]
    assert stamps(tmp_path, ["vocab"]) == before
    (tmp_path / "vocab.py").write_text("a = 10\n")
    assert stamps(tmp_path, ["vocab"]) != before
