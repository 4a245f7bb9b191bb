"""Training the two models in processes of their own, with one window onto both."""

import multiprocessing
import os
import queue
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Protocol

import torch

from checks.subject.world import World
from lessons.given import engine
from lessons.given.config import ModelConfig
from lessons.given.records import Run


@dataclass(frozen=True)
class Job:
    """One model to train: all that its process must know."""

    name: str
    root: Path
    config: ModelConfig
    train: list
    training_data: str
    held_out: engine.HeldOut
    plan: engine.Plan
    notes: dict[str, Any]
    folder: Path
    resume: bool
    threads: int

    @property
    def is_albert(self) -> bool:
        """Whether the job trains an ALBERT with SOP, or a BERT with NSP."""
        return self.name.startswith("ALBERT")

    def run(self, report: Callable[[dict], None], should_stop: Callable[[], bool]) -> Run:
        """Train the job in this process."""
        return train_here(self, report, should_stop)


class AnyJob(Protocol):
    """What a training process can be given; it travels there by pickle."""

    @property
    def name(self) -> str: ...

    @property
    def root(self) -> Path: ...

    @property
    def threads(self) -> int: ...

    def run(self, report: Callable[[dict], None], should_stop: Callable[[], bool]) -> Run: ...


class Message(NamedTuple):
    """What a training process tells: `kind` is metrics, done, stopped or failed."""

    name: str
    kind: str
    content: Any


class Outcome(NamedTuple):
    """How the jobs ended: finished or partial runs, where a stopped one stands, what went wrong."""

    runs: dict[str, Run]
    stopped: dict[str, int]
    failed: dict[str, str]


def train_here(job: Job, report: Callable[[dict], None], should_stop: Callable[[], bool]) -> Run:
    """Build the job's model from the subject's lessons and train it in this process."""
    world = World(job.root, None)
    datasets, models = world.load("datasets"), world.load("models")
    objective, training = world.load("objective"), world.load("training")
    pieces = engine.Pieces(
        datasets.collate,
        objective.pretraining_loss,
        training.parameter_groups,
        training.learning_rate,
    )
    plan = job.plan
    kind = "ALBERT" if job.is_albert else "BERT"
    dataset = getattr(datasets, f"{kind}Dataset")(
        job.train,
        job.config.vocab_size,
        plan.max_len,
        plan.seed,
        sentences=plan.sentences,
        probability=plan.probability,
        same_place=plan.same_place,
    )
    torch.manual_seed(plan.seed)
    model = getattr(models, f"{kind}Model")(job.config)
    return engine.train(
        model,
        dataset,
        job.held_out,
        plan,
        pieces,
        name=job.name,
        task="sop" if job.is_albert else "nsp",
        training_data=job.training_data,
        parameters=world.load("counting").parameter_table(job.config, job.is_albert),
        indices=engine.complete_places(job.train, plan.sentences),
        notes=job.notes,
        folder=job.folder,
        resume=job.resume,
        report=report,
        should_stop=should_stop,
    )


def work(job: AnyJob, messages: Any, stop: Any) -> None:
    """A training process: messages out, a wish to stop in. It also stops when its parent is gone."""
    torch.set_num_threads(job.threads)
    torch.set_flush_denormal(True)
    torch.set_float32_matmul_precision("high")
    parent = os.getppid()
    attempt(job, messages.put, lambda: stop.is_set() or os.getppid() != parent)


def attempt(job: AnyJob, put: Callable[[Message], Any], should_stop: Callable[[], bool]) -> None:
    """Train the job and put messages; the last one says how it ended, whatever happened."""

    def tell(kind: str, content: Any) -> None:
        put(Message(job.name, kind, content))

    try:
        tell("done", job.run(lambda entry: tell("metrics", entry), should_stop))
    except engine.Interrupted as stopped:
        tell("stopped", (stopped.run, stopped.step))
    except (engine.EngineError, NotImplementedError, ValueError) as error:
        tell("failed", str(error))
    except Exception as error:
        tell("failed", f"{type(error).__name__}: {error}{_place(error, job.root)}")


def _place(error: Exception, root: Path) -> str:
    """Where in the subject's code the error came from, if it did."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent == root]
    return f" ({Path(own[-1].filename).name}:{own[-1].lineno}, in {own[-1].name})" if own else ""


def run_jobs(
    jobs: Sequence[AnyJob], at_once: int, show: Callable[[Message], None], keep_going: bool = False
) -> Outcome:
    """Train the jobs, `at_once` at a time, each in a process. Ctrl-C asks all to save and stop.

    With `at_once` 0 they are trained in this process, one after the other. A job that fails stops the others,
    unless they `keep_going`.
    """
    if at_once == 0:
        return _run_here(jobs, show, keep_going)
    context = multiprocessing.get_context("spawn")
    messages, stop = context.Queue(), context.Event()
    outcome = Outcome({}, {}, {})
    waiting = list(jobs)
    running: dict[str, Any] = {}
    with _deferred_interrupt(stop.set):
        while waiting or running:
            while waiting and len(running) < at_once and not stop.is_set():
                job = waiting.pop(0)
                running[job.name] = _start(context.Process(target=work, args=(job, messages, stop)))
            if stop.is_set():
                waiting.clear()
            message = _next(messages, running)
            if message is None:
                continue
            show(message)
            if message.kind != "metrics":
                running.pop(message.name).join()
                _note(message, outcome)
                if message.kind == "failed" and not keep_going:
                    stop.set()
    return outcome


def _run_here(jobs: Sequence[AnyJob], show: Callable[[Message], None], keep_going: bool) -> Outcome:
    outcome = Outcome({}, {}, {})

    def take(message: Message) -> None:
        show(message)
        if message.kind != "metrics":
            _note(message, outcome)

    for job in jobs:
        attempt(job, take, lambda: False)
        if job.name in outcome.stopped or (job.name in outcome.failed and not keep_going):
            break
    return outcome


def _start(process: Any) -> Any:
    """Start a process that Ctrl-C does not reach while it loads."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.start()
    finally:
        signal.signal(signal.SIGINT, before)
    return process


def _next(messages: Any, running: dict[str, Any]) -> Message | None:
    """The next message; a process that died without a word gives a message that says so."""
    try:
        return messages.get(timeout=0.3)
    except queue.Empty:
        pass
    for name, process in running.items():
        if process.is_alive():
            continue
        try:  # its last words may have been on their way
            return messages.get(timeout=0.5)
        except queue.Empty:
            code = process.exitcode
            why = f"was ended by signal {-code}" if code and code < 0 else f"ended with code {code}"
            return Message(
                name,
                "failed",
                f"the training process {why}; the same command goes on from its last checkpoint",
            )
    return None


def _note(message: Message, outcome: Outcome) -> None:
    if message.kind == "done":
        outcome.runs[message.name] = message.content
    elif message.kind == "stopped":
        run, outcome.stopped[message.name] = message.content
        if run.evaluations:
            outcome.runs[message.name] = run
    else:
        outcome.failed[message.name] = message.content


@contextmanager
def _deferred_interrupt(ask: Callable[[], None]) -> Iterator[None]:
    """Within the block Ctrl-C calls `ask`; a second one is as usual. At the end no child is left."""
    asked = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        ask()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        ask()
        signal.signal(signal.SIGINT, before)
        for child in multiprocessing.active_children():
            child.join(timeout=20)
            if child.is_alive():
                child.terminate()
