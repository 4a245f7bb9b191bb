"""How a run ends when it cannot go on: always with a sentence, never with a lost checkpoint."""

import torch
from torch import distributed

from lessons.given.engine.plan import Plan
from lessons.given.records import Run

NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")  # what torch says on a CPU
NO_PEER = ("gloo", "NCCL", "Connection", "peer")


class EngineError(RuntimeError):
    """A run cannot start or go on. The message says why, what is kept, and what to do."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after the step in hand was finished and a checkpoint written; `run` holds what is done."""

    def __init__(self, run: Run, step: int) -> None:
        super().__init__(f"{run.name}: stopped after step {step}")
        self.run = run
        self.step = step


def out_of_memory(step: int, plan: Plan) -> str:
    """The sentence with which a run ends that does not fit."""
    return (
        f"out of memory at step {step} with {plan.batch_size} sequences of up to {plan.max_len} tokens; "
        "give a smaller --batch-size or --micro-batch. The last checkpoint, if one was written, is kept."
    )


def lost_a_process(step: int, error: BaseException) -> str:
    """The sentence with which the other processes of a run end when one has died."""
    return (
        f"another process of this run ended or cannot be reached, at step {step}. "
        "The last checkpoint, if one was written, is kept; the same command goes on from there. "
        f"(Told by torch.distributed: {str(error).splitlines()[0][:160]})"
    )


def in_plain_words(error: BaseException, step: int, plan: Plan, several: bool) -> str | None:
    """What an error means for the run, where it is one of the machine and not of the code; else None."""
    text = str(error)
    if isinstance(error, torch.OutOfMemoryError | MemoryError) or any(said in text for said in NO_MEMORY):
        return out_of_memory(step, plan)
    if several and distributed.is_available():
        lost = isinstance(error, distributed.DistBackendError | distributed.DistNetworkError)
        if lost or any(said in text for said in NO_PEER):
            return lost_a_process(step, error)
    return None
