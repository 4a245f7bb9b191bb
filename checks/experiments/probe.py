"""What an encoder knows of the two sentence tasks: by its own head, and by a fresh probe on its pooled output."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from torch import nn

from lessons.given.engine import HeldOut, HeldOutPair, sentence_logits
from lessons.given.engine.evaluation import scoring
from lessons.given.engine.groups import groups

RIDGE = 1e-2  # on standardised features; keeps the fit from growing without end where classes are separable
NEWTON_STEPS = 20


class Reading(NamedTuple):
    """Accuracies on held-out pairs, half of them in true order: the model's own head, and the fresh probe."""

    head: float
    probe: float


def read_tasks(
    model: nn.Module, held_out: HeldOut, probe: HeldOut, precision: str = "fp32"
) -> dict[str, Reading]:
    """Both sentence tasks, asked of one model. `probe` has the pairs that the probe is fitted on."""
    sides = ("true", "swapped", "random")
    fitted = {side: pooled_outputs(model, getattr(probe, side), precision) for side in sides}
    asked = {side: pooled_outputs(model, getattr(held_out, side), precision) for side in sides}
    own = {side: _says_true(sentence_logits(model, getattr(held_out, side), precision)) for side in sides}
    found = {}
    for task, side in (("nsp", "random"), ("sop", "swapped")):
        head = (own["true"].mean() + 1 - own[side].mean()) / 2
        features = np.concatenate([fitted["true"], fitted[side]])
        labels = np.repeat([1, 0], [len(fitted["true"]), len(fitted[side])])
        test = np.concatenate([asked["true"], asked[side]])
        wanted = np.repeat([1, 0], [len(asked["true"]), len(asked[side])])
        found[task] = Reading(float(head), logistic_accuracy(features, labels, test, wanted))
    return found


def pooled_outputs(
    model: nn.Module, pairs: list[HeldOutPair], precision: str = "fp32"
) -> Float[np.ndarray, "R D"]:
    """The pooled output of every pair, in order."""
    rows: list[np.ndarray | None] = [None] * len(pairs)
    with scoring(model, precision):
        for group in groups(model, pairs, words=False):
            for place, vector in zip(group.rows, group.pooled.double().cpu().numpy(), strict=True):
                rows[place] = vector
    return np.stack([row for row in rows if row is not None])


def logistic_accuracy(
    features: Float[np.ndarray, "R D"],
    labels: Int[np.ndarray, "R"],
    test: Float[np.ndarray, "S D"],
    wanted: Int[np.ndarray, "S"],
) -> float:
    """The accuracy on `test` of a logistic regression fitted on `features`: Newton's method, with a ridge.

    Source: Bishop 2006, section 4.3.3.
    """
    mean, spread = features.mean(axis=0), features.std(axis=0)
    spread = np.where(spread > 1e-6, spread, 1.0)  # a feature that does not vary tells nothing

    def prepared(x: np.ndarray) -> np.ndarray:
        return np.concatenate([(x - mean) / spread, np.ones((len(x), 1))], axis=1)

    x, weights = prepared(features), np.zeros(features.shape[1] + 1)
    ridge = RIDGE * len(x) * np.append(np.ones(features.shape[1]), 1e-6)
    for _ in range(NEWTON_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (p - labels) + ridge * weights
        curvature = (x * (p * (1 - p) + 1e-9)[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-6:
            break
    return float(((prepared(test) @ weights > 0) == (wanted == 1)).mean())


def _says_true(logits: Float[np.ndarray, "R 2"]) -> np.ndarray:
    return logits[:, 1] > logits[:, 0]
