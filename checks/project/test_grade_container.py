"""Gradescope's autograder in a stand-in for its container: root, no namespaces. The level uid holds there."""

import json
from typing import Any

import pytest

from checks.curriculum import ROOT
from checks.project.container import Container, needs_root_and_bubblewrap
from checks.project.grading import litebert, write_course
from checks.sandbox.limits import Limits

pytestmark = needs_root_and_bubblewrap
REFERENCE = (ROOT / "solutions" / "vocab.py").read_text(encoding="utf-8")
SPOILT = "\n\ndef encode(tokens, vocab):\n    return [0] * len(tokens)\n"
FORGED = """

import glob, json, os, signal

def attempt(act):
    try:
        return act()
    except Exception:
        return None

PLACES = ["/autograder/source/secret.txt", "/autograder/source/solutions/vocab.py", "/opt/litebert-grader/packaging"]
STOLEN = [place for place in PLACES if attempt(lambda: os.listdir(place) if "ing" in place else open(place).read())]
for place in ("/autograder/results/results.json", "/autograder/results", "/autograder/source/checks/judge/scores.py"):
    attempt(lambda: open(place, "w").write(json.dumps({"score": 99})))
for number in [name for name in os.listdir("/proc") if name.isdigit() and name != str(os.getpid())]:
    attempt(lambda: os.kill(int(number), signal.SIGKILL))

def decode(ids, vocab):
    raise ValueError("STOLEN " + repr(STOLEN))
"""
FACTS = """

import os, resource

def tokenize(text):
    status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
    readable = [place for place in text.split() if os.access(place, os.R_OK) or os.access(place, os.X_OK)]
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)
    limits = [resource.getrlimit(kind)[1] for kind in kinds]
    return [os.getuid(), os.geteuid(), len(os.getgroups()), int(status["NoNewPrivs"]), int(status["Seccomp"]),
            int(status["CapPrm"], 16), limits, readable]
"""
ASKED = """
import json, sys
from pathlib import Path
from checks.sandbox.sandbox import Sandbox
from checks.sandbox.transport import SandboxTransport
from checks.subject import Subject

sandbox, answers = Sandbox("uid"), []
for _ in range(2):
    subject = Subject(SandboxTransport(sandbox, Path("/autograder/submission"), "vocab"), "vocab")
    for _ in range(2):
        answers.append(subject.call("tokenize", "/autograder/source /autograder/results /opt/litebert-grader"))
        subject.forget()
    subject.close()
sandbox.close()
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Container:
    folder = tmp_path_factory.mktemp("gradescope")
    course = write_course(folder)
    litebert("release", "--gradescope", folder / "autograder.zip", "--config", course)
    return Container(folder / "container", folder / "autograder.zip")


def graded(container: Container, text: str, level: str = "uid") -> dict[str, Any]:
    """results.json of one hand-in, made by the autograder's own script at the level that it must choose."""
    results = container.autograder / "results" / "results.json"
    results.unlink(missing_ok=True)
    container.hand_in(text)
    done = container.run("bash", "/autograder/run_autograder", privileged=level == "bwrap")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"level of isolation: {level}" in done.stdout, done.stderr
    answer: dict[str, Any] = json.loads(results.read_text(encoding="utf-8"))
    return answer


def asked(container: Container) -> str:
    """What the handed-in module says of its surroundings, twice in each of two workers."""
    path = "PYTHONPATH=/autograder/source:/opt/litebert-grader"
    done = container.run("env", "-C", "/autograder/source", path, "/opt/litebert/bin/python", "-c", ASKED)
    return done.stdout + done.stderr


@pytest.mark.parametrize("level", ["uid", "bwrap"])
def test_the_autograder_takes_the_strongest_level_and_gives_right_code_all_points(
    level: str, container: Container
) -> None:
    answer = graded(container, REFERENCE, level)
    assert answer["score"] == 5.0
    assert {test["status"] for test in answer["tests"]} == {"passed"}


def test_a_forger_gets_what_its_honest_part_earns(container: Container) -> None:
    honest = graded(container, f"{REFERENCE}{SPOILT}\n\ndef decode(ids, vocab):\n    raise ValueError\n")
    forged = graded(container, f"{REFERENCE}{SPOILT}{FORGED}")
    assert 0 < forged["score"] == honest["score"] < 5
    assert "STOLEN []" in json.dumps(forged)
    source = container.autograder / "source"
    assert "99" not in (source / "checks" / "judge" / "scores.py").read_text(encoding="utf-8")


def test_a_worker_is_a_user_without_rights_that_can_read_nothing_of_the_grader(container: Container) -> None:
    for name in ("source", "results"):
        (container.autograder / name).chmod(0o700)
    container.hand_in(REFERENCE + FACTS)
    answers = json.loads(asked(container))
    limits = Limits()
    for user, effective, groups, no_new_privileges, seccomp, capabilities, bounds, readable in answers:
        assert user == effective >= 50_000
        assert (groups, no_new_privileges, seccomp, capabilities) == (0, 1, 2, 0)
        assert bounds == [limits.memory, limits.file_size, limits.threads]
        assert readable == []
    assert len({answer[0] for answer in answers}) == 2, "two workers are two users"


def test_a_container_in_which_the_solutions_can_be_read_is_refused(container: Container) -> None:
    (container.autograder / "source").chmod(0o755)
    container.hand_in(REFERENCE + FACTS)
    told = asked(container)
    assert "reach the checks" in told
    assert "Refused" in told
