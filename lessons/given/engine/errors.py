"""How a run ends when it cannot go on: always with a sentence, never with a lost checkpoint."""

from lessons.given.records import Run


class EngineError(RuntimeError):
    """A run cannot start or go on. The message says why, what is kept, and what to do."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after the step in hand was finished and a checkpoint written; `run` holds what is done."""

    def __init__(self, run: Run, step: int) -> None:
        super().__init__(f"{run.name}: stopped after step {step}")
        self.run = run
        self.step = step
