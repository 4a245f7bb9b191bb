"""What a sandboxed submission costs beside a plain run: `python -m checks.sandbox.measure [LESSON...]`.

Interleaved, in CPU seconds. Plain is a fresh `pytest --subject FOLDER`. Sandboxed is what a grader does: a fork
of a warm host judges, workers are forks of zygotes; every process that takes part is counted. What a batch pays
once (the host's imports, the zygotes) is told apart. Prints JSON, for `python -m checks.site.record safety "..."`.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from checks.curriculum import LESSONS, ROOT
from checks.judge.profiles import load_profile
from checks.judge.runner import lesson_checks, run_check
from checks.sandbox.processes import cpu_seconds, descendants
from checks.sandbox.sandbox import Sandbox
from checks.sandbox.transport import SandboxTransport
from checks.subject import Subject


def main() -> None:
    """Measure in rounds."""
    parser = argparse.ArgumentParser(prog="python -m checks.sandbox.measure")
    parser.add_argument("lessons", nargs="*", default=[lesson.module for lesson in LESSONS])
    parser.add_argument("--subject", type=Path, default=ROOT / "solutions")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    load_profile()
    for lesson in options.lessons:
        lesson_checks(lesson)
    sandbox = Sandbox()
    for kind in ("text", "torch"):
        sandbox.prove(kind)
    once = sum(map(cpu_seconds, descendants(os.getpid()))) + time.process_time()
    columns: dict[str, list[float]] = {"plain": [], "sandboxed": []}
    for number in range(1, options.rounds + 1):
        columns["plain"].append(plain(options.lessons, options.subject))
        columns["sandboxed"].append(in_fork(sandbox, options.lessons, options.subject))
        print(number, *(f"{name} {column[-1]:.2f}" for name, column in columns.items()), file=sys.stderr)
    sandbox.close()
    ratios = [safe / bare for bare, safe in zip(columns["plain"], columns["sandboxed"], strict=True)]
    found = {name: spread(column) for name, column in {**columns, "ratio": ratios}.items()}
    checks = sum(len(lesson_checks(lesson)) for lesson in options.lessons)
    sizes = {"lessons": len(options.lessons), "checks": checks, "rounds": options.rounds}
    print(json.dumps({**sizes, **found, "once_a_batch": once}))


def spread(column: list[float]) -> dict[str, float]:
    """Median and range."""
    return {"median": statistics.median(column), "least": min(column), "most": max(column)}


def plain(lessons: list[str], folder: Path) -> float:
    """CPU seconds of a fresh pytest run."""
    chosen = [f"--lesson={lesson}" for lesson in lessons]
    before = _children()
    command = [sys.executable, "-m", "pytest", "-q", f"--subject={folder}/.", *chosen]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return _children() - before


def in_fork(sandbox: Sandbox, lessons: list[str], folder: Path) -> float:
    """CPU seconds of one submission in a batch: this process's fork, its workers, and the zygotes' part."""
    running = descendants(os.getpid())
    before, zygotes = _children(), sum(map(cpu_seconds, running))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, str(sandboxed(sandbox, lessons, folder)).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        workers = float(pipe.read())
    return _children() - before + workers + sum(map(cpu_seconds, running)) - zygotes


def sandboxed(sandbox: Sandbox, lessons: list[str], folder: Path) -> float:
    """Judge in the sandbox; CPU seconds of the workers and their keepers."""
    used = 0.0
    for lesson in lessons:
        for assembly in (False, True):
            transport = SandboxTransport(sandbox, folder, lesson, assembly)
            subject = Subject(transport, lesson)
            for check in lesson_checks(lesson):
                if check.assembly == assembly:
                    run_check(check, subject)
            subject.close()
            used += transport.cpu
    return used


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
