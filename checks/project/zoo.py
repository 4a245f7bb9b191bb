"""Running one attack: its submission, its score beside the honest one's, and what it left behind."""

import os
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from checks.curriculum import ROOT
from checks.gate.edits import Edit, edited_source
from checks.judge.runner import lesson_checks, run_check
from checks.project.attacks import Attack
from checks.sandbox.limits import Limits
from checks.sandbox.processes import descendants
from checks.sandbox.sandbox import Sandbox
from checks.sandbox.transport import SandboxTransport
from checks.subject import Subject
from checks.subject.inprocess import InProcess

# Short, so that a hang costs seconds: what is shown is that the limit holds.
LIMITS = Limits(call_cpu=0.3, call_wall=2.0, lesson_cpu=3.0, lesson_wall=3.0)
LONGEST = 20.0
SPOILT = {"vocab": "decode", "attention": "merge_heads"}
JUDGED = {"vocab": ("decode", "encode"), "attention": ("merge_heads", "split_heads", "MultiHeadAttention")}
KERNEL_FILES = ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory")


class Outcome(NamedTuple):
    """What an attack came to."""

    points: float
    seconds: float
    messages: str


@cache
def spoilt_source(lesson: str) -> str:
    """The reference with one wrong function."""
    wrong = {
        "vocab": 'def decode(ids, vocab):\n    return ["[UNK]"] * len(ids)\n',
        "attention": "def merge_heads(x):\n    return x.flatten(2)\n",
    }
    return edited_source(lesson, Edit(functions={SPOILT[lesson]: wrong[lesson]}))


@cache
def honest_points(lesson: str, root: Path) -> float:
    """What the spoilt lesson earns without an attack, judged in process."""
    (root / f"{lesson}.py").write_text(spoilt_source(lesson), encoding="utf-8")
    return _judged(Subject(InProcess(root, lesson), lesson)).points


def attacked(attack: Attack, sandbox: Sandbox, folder: Path, secret: Path) -> Outcome:
    """Hand the attack in and judge it."""
    source = "" if attack.whole else spoilt_source(attack.lesson)
    added = attack.source.replace("HOST_FILE", str(secret)).replace("HOST_ROOT", str(ROOT))
    for name, text in {**attack.files, f"{attack.lesson}.py": f"{source}\n{added}"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return judged_in(sandbox, folder, attack.lesson)


def judged_in(sandbox: Sandbox, folder: Path, lesson: str) -> Outcome:
    """A submission's outcome in a sandbox."""
    return _judged(Subject(SandboxTransport(sandbox, folder, lesson), lesson))


def _judged(subject: Subject) -> Outcome:
    start = time.monotonic()
    checks = [check for check in lesson_checks(subject.lesson) if check.exercise in JUDGED[subject.lesson]]
    verdicts = [run_check(check, subject) for check in checks if not check.assembly]
    subject.close()
    messages = "\n".join(line for verdict in verdicts for line in [*verdict.lines, verdict.where])
    return Outcome(sum(v.points for v in verdicts), time.monotonic() - start, messages)


def left_behind(before: frozenset[int], seconds: float = 3.0) -> frozenset[int]:
    """Descendants of this process that were not there before, once they have had time to go."""
    end = time.monotonic() + seconds
    while True:
        more = descendants(os.getpid()) - before
        if not more or time.monotonic() > end:
            return more
        time.sleep(0.02)


def kernel_state() -> list[str]:
    """What no submission may change."""
    return [Path(name).read_text(encoding="ascii") for name in KERNEL_FILES]
