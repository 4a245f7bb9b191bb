"""Are mistakes named rightly outside the bank? Programs of a mutation tool, and what a person found in them.

`checks/mutants/outside.json` holds the review: for each program that was given a name, whether it computes
what the name says; for each program that passes all checks, why it is right.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any

from checks.curriculum import ROOT
from checks.gate.outside import Program, programs
from checks.judge.profiles import load_profile
from checks.judge.runner import lesson_checks, run_check
from checks.subject import Subject
from checks.subject.inprocess import InProcess

REVIEW = ROOT / "checks" / "mutants" / "outside.json"
MOST_WRONG_NAMES = 0.02
PER_LESSON = 26


@dataclass(frozen=True)
class Result:
    """What became of a program: the checks that failed, the mistakes that they named, CPU seconds.

    `broken` are checks that ended with an exception of their own: a fault of the check, whatever the program does.
    """

    program: Program
    failed: tuple[str, ...]
    names: tuple[str, ...]
    seconds: float
    broken: tuple[str, ...] = ()


def judge(program: Program) -> Result:
    """Run the lesson's checks on one program, in this process."""
    start = process_time()
    with tempfile.TemporaryDirectory(prefix="litebert-gate-") as folder:
        (Path(folder) / f"{program.lesson}.py").write_text(program.source, encoding="utf-8")
        subject = Subject(InProcess(Path(folder), program.lesson), program.lesson)
        verdicts, broken = [], []
        for check in lesson_checks(program.lesson):
            if check.assembly:
                continue
            try:
                verdicts.append(run_check(check, subject))
            except Exception as error:
                broken.append(f"{check.name}: {type(error).__name__}: {error}")
        subject.close()
    failed = [verdict for verdict in verdicts if verdict.state != "done"]
    names = sorted({verdict.mistake.id for verdict in failed if verdict.mistake})
    seconds = process_time() - start
    return Result(program, tuple(v.check.name for v in failed), tuple(names), seconds, tuple(broken))


def judge_all(lessons: Iterable[str], count: int, jobs: int | None = None) -> Iterator[Result]:
    """Every program's result as it comes, from processes side by side."""
    os.environ["OMP_NUM_THREADS"] = "1"  # tiny tensors: more threads only wait for each other
    with ProcessPoolExecutor(jobs or os.cpu_count(), get_context("spawn"), initializer=_start) as pool:
        made = [pool.submit(programs, lesson, count) for lesson in lessons]
        judged = [pool.submit(judge, program) for future in made for program in future.result()]
        for future in as_completed(judged):
            yield future.result()


def _start() -> None:
    os.environ["CI"] = "1"
    load_profile()


def reviewed() -> dict[str, dict[str, Any]]:
    """The review, by program."""
    return json.loads(REVIEW.read_text(encoding="utf-8")) if REVIEW.exists() else {}


def faults(results: list[Result], review: dict[str, dict[str, Any]]) -> list[str]:
    """What is not reviewed yet or reviewed no longer rightly, what is a hole, and too many wrong names."""
    found = []
    for result in results:
        program, entry = result.program, review.get(result.program.id, {})
        found += [f"{program.id} breaks a check: {text}" for text in result.broken]
        if not result.failed and not entry.get("equivalent"):
            found.append(f"{program.id} passes all checks and is not reviewed: {program.change}")
        if result.failed and entry.get("equivalent"):
            found.append(f"{program.id} is reviewed as right and fails {', '.join(result.failed)}")
        if set(result.names) - set(entry.get("right", ())) - set(entry.get("wrong", ())):
            found.append(f"{program.id} is named {', '.join(result.names)}, not reviewed: {program.change}")
    wrong = len(wrongly_named(results, review))
    if wrong > MOST_WRONG_NAMES * max(1, len(results)):
        found.append(f"{wrong} of {len(results)} programs have a wrong name, at most 2 % may")
    return found


def wrongly_named(results: list[Result], review: dict[str, dict[str, Any]]) -> list[str]:
    """Programs of which a learner would be told a mistake that is not there."""
    return [
        r.program.id for r in results if set(r.names) & set(review.get(r.program.id, {}).get("wrong", ()))
    ]


def figures(results: list[Result], review: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The measure, as plain data."""
    killed = [result for result in results if result.failed]
    return {
        "programs": len(results),
        "wrong programs": len(killed),
        "right after all": len(results) - len(killed),
        "named": sum(bool(result.names) for result in results),
        "named wrongly": len(wrongly_named(results, review)),
        "which": wrongly_named(results, review),
        "cpu seconds": round(sum(result.seconds for result in results)),
    }
