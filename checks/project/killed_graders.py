"""Graders that are killed at seeded moments: `python -m checks.project.killed_graders CLASS OUT SEED TIMES`.

Each grader is a fork of this process, which has loaded the checks and started the sandbox, so that a kill costs
little. All grade CLASS (made by `checks.grade.synthetic`) into OUT; the last one is left to finish.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from checks.cli.grade import grade
from checks.grade import isolation
from checks.grade.batch import Setting
from checks.grade.job import load_everything
from checks.grade.seeds import use_the_graders_profile

LONGEST_PAUSE, LONGEST_WAIT = 0.3, 240.0


def main(folder: Path, out: Path, seed: int, times: int) -> int:
    """Kill `times` graders, let one finish; its exit code."""
    use_the_graders_profile()
    setting = Setting(str(folder / "submissions"), str(folder / "course.toml"))
    lessons = setting.load_course().lessons
    load_everything(lessons)
    isolation.prepare(setting.level, lessons)
    rng = random.Random(seed)
    count = len({path.name.split("_")[1] for path in (folder / "submissions").iterdir()})
    for lines in sorted(rng.sample(range(1, count), times)):
        kill_at(started(setting, out), out / "work" / "journal.jsonl", lines, rng.uniform(0, LONGEST_PAUSE))
    _, status = os.waitpid(started(setting, out), 0)
    isolation.release(setting.level)
    return os.waitstatus_to_exitcode(status)


def started(setting: Setting, out: Path) -> int:
    """A grader with two jobs; its process."""
    child = os.fork()
    if child:
        return child
    code = 2
    try:
        code = grade(setting, out, 2)
    finally:
        os._exit(code)


def kill_at(grader: int, journal: Path, lines: int, pause: float) -> None:
    """Kill -9 a while after the journal has so many lines; RuntimeError where the grader ended before."""
    until = time.monotonic() + LONGEST_WAIT
    while not journal.exists() or journal.read_bytes().count(b"\n") < lines:
        if os.waitpid(grader, os.WNOHANG)[0] or time.monotonic() > until:
            raise RuntimeError(f"the grader did not come to {lines} lines")
        time.sleep(0.01)
    time.sleep(pause)
    os.kill(grader, signal.SIGKILL)
    if os.waitpid(grader, 0)[1] != signal.SIGKILL:
        raise RuntimeError("the grader had ended before it was killed")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
