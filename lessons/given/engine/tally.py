"""The running figures of a run: read from the device seldom, and part of every checkpoint."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from lessons.given.engine.batches import Part
from lessons.given.engine.errors import EngineError
from lessons.given.engine.ranks import Ranks
from lessons.given.records import Evaluation, History


class Tally:
    """Weighted sums of the losses since the last log line and since the last evaluation, and the curves.

    The losses of a step stay on the device until `read`, so that a step never waits for its own result.
    Of several processes each notes its own share, and all read the sums.
    """

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks
        self.steps: list[int] = []
        self.history = History([], [], [])
        self.evaluations: list[Evaluation] = []
        self.tokens = 0
        self.seconds = 0.0
        self.recent = [0.0] * 4  # mlm sum, labelled tokens, sentence sum, pairs
        self.window = [0.0] * 4
        self._waiting: list[tuple[Tensor, int, list[int]]] = []

    def add(self, step: int, losses: Tensor, parts: Sequence[Part]) -> None:
        """Note a step's `[2]` losses (mlm, sentence), still on the device."""
        counts = [
            sum(counted) for counted in zip(*((p.labelled, p.pairs, p.tokens) for p in parts), strict=True)
        ]
        self._waiting.append((losses, step, counts))

    def read(self) -> None:
        """Fetch the losses that wait.

        Raises:
            EngineError: one of them is not a finite number.
        """
        if not self._waiting:
            return
        values = torch.stack([losses for losses, *_ in self._waiting]).cpu().double()
        counts = torch.tensor([counts for *_, counts in self._waiting], dtype=torch.float64)
        rows = self.ranks.sum(torch.cat([values, counts], dim=1)).tolist()
        for (mlm, sentence, labelled, pairs, tokens), (_, step, _) in zip(rows, self._waiting, strict=True):
            if not (math.isfinite(mlm) and math.isfinite(sentence)):
                raise EngineError(not_finite(step, f"the loss is {mlm + sentence}"))
            self.tokens += int(tokens)
            for sums in (self.recent, self.window):
                sums[0] += mlm * labelled
                sums[1] += labelled
                sums[2] += sentence * pairs
                sums[3] += pairs
        self._waiting.clear()

    def log_line(self, step: int, lr: float) -> dict[str, Any]:
        """The means since the last line, as `metrics.jsonl` holds them; starts the next line."""
        mlm, sentence = means(self.recent)
        self.recent = [0.0] * 4
        return {
            "step": step,
            "mlm_loss": mlm,
            "sentence_loss": sentence,
            "total_loss": mlm + sentence,
            "lr": lr,
            "tokens": self.tokens,
            "seconds": round(self.seconds, 3),
            "tokens_per_second": round(self.tokens / max(self.seconds, 1e-9), 1),
        }

    def evaluated(self, step: int, evaluation: Evaluation) -> None:
        """Close the window: the means since the last evaluation are the history's next entry."""
        mlm, sentence = means(self.window)
        self.window = [0.0] * 4
        self.steps.append(step)
        for curve, value in zip(self.history, (mlm, sentence, mlm + sentence), strict=True):
            curve.append(value)
        self.evaluations.append(evaluation)

    def state(self) -> dict[str, Any]:
        """The tally as plain data."""
        assert not self._waiting, "read before saving"
        return {
            "steps": self.steps,
            "history": [list(curve) for curve in self.history],
            "evaluations": [list(evaluation) for evaluation in self.evaluations],
            "tokens": self.tokens,
            "seconds": self.seconds,
            "recent": self.recent,
            "window": self.window,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        self.steps = list(state["steps"])
        self.history = History(*(list(curve) for curve in state["history"]))
        self.evaluations = [Evaluation(*values) for values in state["evaluations"]]
        self.tokens, self.seconds = state["tokens"], state["seconds"]
        self.recent, self.window = list(state["recent"]), list(state["window"])


def means(sums: list[float]) -> tuple[float, float]:
    """The mean over labelled tokens and the mean over pairs."""
    return sums[0] / max(sums[1], 1), sums[2] / max(sums[3], 1)


def not_finite(step: int, what: str) -> str:
    """The sentence with which a broken run ends."""
    return (
        f"at step {step} {what}. The run stops; the last good checkpoint, if one was written, is kept. "
        "Usual causes: the learning rate is too high, or a softmax row without any visible key. "
        "Try a lower --lr with --fresh."
    )
