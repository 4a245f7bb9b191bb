"""The sandboxed subject: same verdicts as in process, limits that hold, refusals that explain."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from checks.curriculum import BY_NAME, LESSONS, ROOT
from checks.gate.edits import edited_source
from checks.judge.runner import lesson_checks, run_check
from checks.mutants import mutants_of
from checks.project.test_zoo import needs_bubblewrap
from checks.project.zoo import left_behind
from checks.sandbox import calls, canaries, launch, seccomp
from checks.sandbox.echo import repeats
from checks.sandbox.launch import Refused
from checks.sandbox.limits import Limits
from checks.sandbox.processes import descendants
from checks.sandbox.sandbox import Sandbox
from checks.sandbox.texts import texts
from checks.sandbox.transport import SandboxTransport
from checks.site import results
from checks.subject import Broken, Hang, Raised, Subject, ToDo
from checks.subject.errors import Unreachable
from checks.subject.inprocess import InProcess
from checks.subject.locate import NoSubject, require_place
from checks.subject.subject import Transport

SOLUTIONS = ROOT / "solutions"
pytestmark = needs_bubblewrap


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


def handed_in(folder: Path, source: str, sandbox: Sandbox, lesson: str = "vocab") -> Subject:
    (folder / f"{lesson}.py").write_text(source, encoding="utf-8")
    return Subject(SandboxTransport(sandbox, folder, lesson), lesson)


def verdicts(transport: Transport, lesson: str) -> dict[str, tuple[str, str | None]]:
    """State and named mistake of every check."""
    subject = Subject(transport, lesson)
    checks = [check for check in lesson_checks(lesson) if not check.assembly]
    found = {check.name: run_check(check, subject) for check in checks}
    subject.close()
    return {name: (v.state, v.mistake.id if v.mistake else None) for name, v in found.items()}


def test_half_precision_works_where_the_processor_cannot_be_looked_at(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    source = "import torch\ndef f():\n    return (torch.ones(3).half() @ torch.ones(3).half()).item()\n"
    subject = handed_in(tmp_path, source, sandbox, "checkpoint")
    assert subject.call("f") == 3.0
    subject.close()


@pytest.mark.parametrize("lesson", ["vocab", "attention"])
def test_verdicts_are_the_same_in_process_and_in_the_sandbox(
    lesson: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    right = verdicts(SandboxTransport(sandbox, SOLUTIONS, lesson), lesson)
    assert right == verdicts(InProcess(SOLUTIONS, lesson), lesson)
    assert {state for state, _ in right.values()} == {"done"}
    every = mutants_of(lesson)
    for mutant in every[:: len(every) // 2]:
        (tmp_path / f"{lesson}.py").write_text(edited_source(lesson, mutant.edit), encoding="utf-8")
        wrong = verdicts(SandboxTransport(sandbox, tmp_path, lesson), lesson)
        assert wrong == verdicts(InProcess(tmp_path, lesson), lesson), mutant.id
        assert wrong[mutant.killed_by][0] == "wrong"


def test_stubs_errors_and_loops_are_told_with_their_line(sandbox: Sandbox, tmp_path: Path) -> None:
    source = (
        "def tokenize(text):\n    raise NotImplementedError('lesson vocab: tokenize is still to do')\n"
        "def encode(tokens, vocab):\n    return tokens[99]\n"
        "def decode(ids, vocab):\n    while True:\n        pass\n"
    )
    patient = sandbox.limited(Limits(call_wall=100.0))  # on a busy machine too, the worker stops itself first
    subject = handed_in(tmp_path, source, patient)
    with pytest.raises(ToDo) as to_do:
        subject.call("tokenize", "a")
    assert (to_do.value.what, to_do.value.where) == ("lesson vocab: tokenize is still to do", "vocab.py:2")
    with pytest.raises(Raised) as raised:
        subject.call("encode", [], None)
    assert str(raised.value) == "IndexError: list index out of range (vocab.py:4)"
    with pytest.raises(Hang) as hang:
        subject.call("decode", [], None, seconds=0.2)
    assert hang.value.where.startswith("vocab.py:")
    with pytest.raises(Broken, match="has no 'build_vocab'"):
        subject.call("build_vocab", [])
    subject.close()


def test_a_death_ends_its_check_and_the_next_check_has_a_fresh_worker(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    crash = "import ctypes\ndef decode(ids, vocab):\n    ctypes.string_at(0)\ndef tokenize(text):\n    return [text]\n"
    subject = handed_in(tmp_path, crash, sandbox)
    with pytest.raises(Unreachable, match="SIGSEGV"):
        subject.call("decode", [], None)
    with pytest.raises(Unreachable, match="SIGSEGV"):
        subject.call("tokenize", "a")
    subject.forget()
    assert subject.call("tokenize", "a") == ["a"]
    subject.close()


def test_what_is_kept_in_the_worker_is_dropped_between_checks(sandbox: Sandbox) -> None:
    subject = Subject(SandboxTransport(sandbox, SOLUTIONS, "attention"), "attention")
    kept = subject.put(np.ones(3))
    assert subject.get(kept).tolist() == [1, 1, 1]
    subject.forget()
    with pytest.raises(Raised, match="KeyError"):
        subject.get(kept)
    subject.close()


def test_all_calls_of_a_lesson_together_have_a_limit(sandbox: Sandbox, tmp_path: Path) -> None:
    limits = Limits(call_cpu=0.2, call_wall=1.5, lesson_wall=0.5)
    sleepy = "import time\ndef tokenize(text):\n    time.sleep(100)\n"
    subject = handed_in(tmp_path, sleepy, sandbox.limited(limits))
    for expected in (Hang, Unreachable):
        with pytest.raises(expected):
            subject.call("tokenize", "a")
        subject.forget()
    subject.close()


def test_a_worker_gets_its_lesson_and_earlier_references_only(tmp_path: Path) -> None:
    for name in ("transformer", "attention", "models"):
        (tmp_path / f"{name}.py").write_text("MINE = 1\n", encoding="utf-8")
    sent = texts(tmp_path, "transformer", False, 1000)
    earlier = {lesson.module for lesson in LESSONS if lesson.number < BY_NAME["transformer"].number}
    assert set(sent) == {"mine/transformer.py", *(f"reference/{name}.py" for name in earlier)}
    own = texts(tmp_path, "transformer", True, 1000)
    assert set(own) == {f"mine/{name}.py" for name in ("transformer", "attention", "models")}


def test_links_pipes_and_huge_files_are_not_read(sandbox: Sandbox, tmp_path: Path) -> None:
    lesson = tmp_path / "vocab.py"
    lesson.symlink_to(SOLUTIONS / "vocab.py")
    with pytest.raises(Broken, match="ordinary file"):
        SandboxTransport(sandbox, tmp_path, "vocab").execute("imports", ["x"])
    lesson.unlink()
    os.mkfifo(lesson)
    with pytest.raises(Broken, match="ordinary file"):
        SandboxTransport(sandbox, tmp_path, "vocab").execute("imports", ["x"])
    lesson.unlink()
    lesson.write_bytes(b"#" * 600_000)
    with pytest.raises(Broken, match="larger than"):
        SandboxTransport(sandbox, tmp_path, "vocab").execute("imports", ["x"])


def test_a_message_that_repeats_a_reference_is_withheld(sandbox: Sandbox, tmp_path: Path) -> None:
    source = (
        "from pathlib import Path\n"
        "def gelu(x):\n"
        "    folder = Path(__file__).parent.parent / 'reference'\n"
        "    raise ValueError(sorted(folder.iterdir())[0].read_text()[100:280])\n"
    )
    subject = handed_in(tmp_path, source, sandbox, "transformer")
    with pytest.raises(Raised, match="withheld"):
        subject.call("gelu", np.zeros(2))
    subject.close()
    reference = (SOLUTIONS / "attention.py").read_text(encoding="utf-8")
    assert repeats("x" + reference[300:400].replace("\n", "  "), [reference])
    assert not repeats("mat1 and mat2 shapes cannot be multiplied (54x2 and 6x6)", [reference])


def test_only_lessons_that_use_torch_have_it_loaded(sandbox: Sandbox, tmp_path: Path) -> None:
    source = "import sys\ndef {}(x):\n    return sorted({{'numpy', 'torch', 'pytest'}} & set(sys.modules))\n"
    text = handed_in(tmp_path, source.format("tokenize"), sandbox)
    assert text.call("tokenize", "a") == ["numpy"]
    torch = handed_in(tmp_path, source.format("gelu"), sandbox, "transformer")
    assert torch.call("gelu", 1.0) == ["numpy", "torch"]
    text.close()
    torch.close()


def test_with_another_hash_seed_strings_hash_differently(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "vocab.py").write_text("def tokenize(text):\n    return hash(text)\n", encoding="utf-8")
    hashes = set()
    for seed in (0, 0, 1):
        subject = Subject(SandboxTransport(sandbox, tmp_path, "vocab", hash_seed=seed), "vocab")
        hashes.add(subject.call("tokenize", "tea"))
        subject.close()
    assert len(hashes) == 2


def test_every_canary_is_alive_outside_the_sandbox(tmp_path: Path) -> None:
    """In process, as root or not, most attacks succeed: the self-test does not pass because it does nothing.

    In a process of their own: one of them moves its process into a new namespace.
    """
    (tmp_path / "vocab.py").write_text(canaries.SOURCE, encoding="utf-8")
    secret = tmp_path / "secret"
    secret.write_text("secret", encoding="utf-8")
    code = (
        "import json; from checks.subject.locate import open_subject\n"
        f"found = open_subject({str(tmp_path)!r}, 'vocab').call('attempts', {str(secret)!r}, [{str(ROOT)!r}])\n"
        "print(json.dumps(found))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    found = set(json.loads(done.stdout))
    assert found <= set(canaries.MEANING)
    expected = {"read a secret file", "reach the checks", "import an answer key", "write outside /tmp"}
    expected |= {"open a socket", "start a process", "run a program", "take anonymous files"}
    assert expected <= found


def test_a_sandbox_in_which_an_attack_succeeds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "SHOWN", (*launch.SHOWN, "solutions"))
    with pytest.raises(Refused, match=r"reach the checks \(solutions"):
        SandboxTransport(Sandbox(), SOLUTIONS, "vocab").execute("imports", ["x"])


def test_without_bubblewrap_or_root_the_refusal_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="apt-get install bubblewrap"):
        SandboxTransport(Sandbox(), SOLUTIONS, "vocab").execute("imports", ["x"])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(NoSubject, match="needs root"):
        require_place("uid:solutions")
    with pytest.raises(Refused, match="needs root"):
        SandboxTransport(Sandbox("uid"), SOLUTIONS, "vocab").execute("imports", ["x"])


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_the_level_uid_serves_and_refuses_what_this_machine_leaves_open(tmp_path: Path) -> None:
    gaps = {"reach the checks", "import an answer key", "miss a module"}
    sandbox = Sandbox("uid", accepted=frozenset(gaps))
    source = "import os\ndef tokenize(text):\n    return [os.getuid(), os.getgroups(), os.access('/root', os.R_OK)]\n"
    for _ in range(2):
        subject = handed_in(tmp_path, source, sandbox)
        user, groups, reads = subject.call("tokenize", "a")
        subject.close()
        assert user >= 50_000
        assert groups == []
        assert not reads
    sandbox.close()


def test_when_the_host_is_killed_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "vocab.py").write_text("while True:\n    pass\n", encoding="utf-8")
    code = (
        "import sys; from checks.subject.locate import open_subject\n"
        f"open_subject('sandbox:{tmp_path}', 'vocab').call('tokenize', 'a')\n"
    )
    before = descendants(os.getpid())
    host = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    end = time.monotonic() + 30
    while len(below := descendants(host.pid)) < 5 and time.monotonic() < end:
        time.sleep(0.05)
    assert len(below) >= 5
    host.send_signal(signal.SIGKILL)
    host.wait()
    end = time.monotonic() + 5
    while any(Path(f"/proc/{number}").exists() for number in below) and time.monotonic() < end:
        time.sleep(0.02)
    assert not [number for number in below if Path(f"/proc/{number}").exists()]
    assert not left_behind(before)


def test_a_sandbox_outlives_the_thread_that_started_it() -> None:
    sandbox = Sandbox()
    subject = Subject(SandboxTransport(sandbox, SOLUTIONS, "vocab"), "vocab")
    thread = threading.Thread(target=subject.call, args=("tokenize", "a"))
    thread.start()
    thread.join()
    assert subject.call("tokenize", "a b") == ["a", "b"]
    subject.close()
    sandbox.close()


def test_a_forked_host_has_workers_of_its_own(sandbox: Sandbox) -> None:
    parent = Subject(SandboxTransport(sandbox, SOLUTIONS, "vocab"), "vocab")
    assert parent.call("tokenize", "a") == ["a"]
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            subject = Subject(SandboxTransport(sandbox, SOLUTIONS, "vocab"), "vocab")
            right = all(subject.call("tokenize", f"w{i}") == [f"w{i}"] for i in range(50))
            os._exit(0 if right else 1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert parent.call("tokenize", "b") == ["b"]
    parent.close()


def test_a_zygote_that_was_lost_is_started_again() -> None:
    sandbox = Sandbox()
    for _ in range(2):
        subject = Subject(SandboxTransport(sandbox, SOLUTIONS, "vocab"), "vocab")
        assert subject.call("tokenize", "a b") == ["a", "b"]
        subject.close()
        for zygote in sandbox._zygotes.values():
            zygote.process.kill()
            zygote.process.wait()
    sandbox.close()


def test_the_recorded_cost_of_the_sandbox_is_no_more_than_a_plain_run() -> None:
    measured = results.load("safety")["values"]
    assert measured["lessons"] == len(LESSONS)
    assert measured["ratio"]["most"] <= 1


@pytest.mark.parametrize("machine", sorted(calls.MACHINES))
def test_the_filter_is_small_and_knows_no_number_twice(machine: str) -> None:
    numbers = [*calls.denied(machine).values(), *calls.OTHERS[machine].values()]
    assert len(set(numbers)) == len(numbers)
    assert len(seccomp.program(machine)) < 2000
    with pytest.raises(seccomp.UnknownMachine):
        seccomp.program("vax")


def test_zygotes_are_told_nothing_of_the_hosts_environment() -> None:
    command, environment = launch._plain("text", 3, 0) if os.geteuid() == 0 else ([], launch.ENVIRONMENT)
    assert not {"PATH", "USER", "PYTEST_CURRENT_TEST"} & set(environment)
    assert all("secret" not in part for part in command)
