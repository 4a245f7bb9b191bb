"""Where attention drops, seen in values: an experiment in which every weight is 1/S.

Even tokens hold 1 and odd ones 9, eight of each: k kept even and m kept odd tokens sum to k + 9 m, and the sum
tells k and m.
"""

from typing import Any, NamedTuple

import numpy as np

from checks.judge import Probe
from checks.oracles import weights as make
from checks.oracles.dropout import RATE, share
from checks.subject import Subject

Array = np.ndarray
BATCH, TOKENS, HEADS, SIZE = 64, 16, 2, 4
WIDTH = HEADS * SIZE
OUTPUTS = share("outputs", BATCH * TOKENS * WIDTH)
# A head is seen when at least one of its four outputs is kept: 2031 of 2048 on average; 1900 to be safe.
WEIGHTS = share("attention weights", 1900 * TOKENS)
HELD = np.tile([1.0, 9.0], TOKENS // 2)
MEAN = HELD.mean()
BIAS = 3.0
OWN = np.tile(np.eye(SIZE), (BATCH, 1, HEADS))
STATISTICS = (OUTPUTS, WEIGHTS)


def uniform_weights() -> dict[str, Array]:
    """Queries and keys 0, so that every weight is 1/S; values and output the identity."""
    zero, one = np.zeros((WIDTH, WIDTH)), np.eye(WIDTH)
    matrices = {"query": zero, "key": zero, "value": one, "output": one}
    weights = {f"{name}.weight": matrix for name, matrix in matrices.items()}
    return weights | {f"{name}.bias": np.zeros(WIDTH) for name in matrices}


def forward(subject: Subject, training: bool = True) -> Any:
    """A forward of the experiment. Without dropout every output is the mean of what the tokens hold."""
    config = make.config(d_model=WIDTH, n_heads=HEADS, dropout=RATE)
    module = subject.module("MultiHeadAttention", config, weights=uniform_weights(), training=training)
    return module(np.broadcast_to(HELD[:, None], (BATCH, TOKENS, WIDTH)))


def own_looks(subject: Subject) -> tuple[Any, Any, Any]:
    """Two train forwards of one module in which each token looks at itself only, at any dropout of the weights.

    The third is the gradient of the second's sum by the bias of `output`.

    Token t holds 1 in column t of each head. Scores are 800 at its own place and 0 elsewhere: a change of queries or
    keys before the scores lets it look elsewhere. The map `output` adds BIAS, which tells what is dropped before it.
    """
    config = make.config(d_model=WIDTH, n_heads=HEADS, dropout=RATE)
    sharp = {f"{name}.weight": 40 * np.eye(WIDTH) for name in ("query", "key")}
    weights = uniform_weights() | sharp | {"output.bias": np.full(WIDTH, BIAS)}
    module = subject.module("MultiHeadAttention", config, weights=weights, training=True)
    one, again = module(OWN), module.backward(OWN, cotangents=[np.ones(OWN.shape)])
    return one, again.outputs[0], again.by_name.get("output.bias")


def nearest(outputs: Array) -> Array:
    """What each output of such a forward may be that is nearest: 0, BIAS alone, or BIAS and what the token holds."""
    bias = np.full(OWN.shape, BIAS / (1 - RATE))
    whole = bias + OWN / (1 - RATE) ** 2
    kept = np.where(np.abs(outputs - bias) < np.abs(outputs - whole), bias, whole)
    return np.where(np.abs(outputs) > 1e-9, kept, 0.0)


class Seen(NamedTuple):
    """What a train forward shows. `sums` are k + 9 m of each head, NaN where all its outputs are dropped."""

    zeros: int
    sums: Array
    uneven: int

    def kept(self) -> Array:
        """How many of the S weights of each head were kept."""
        return self.sums.round() % 9 + self.sums.round() // 9


def look(outputs: Array) -> Seen:
    """Outputs are (k + 9 m) / S / (1-p)^2, the same in the columns of a head, or dropped."""
    heads = outputs.reshape(BATCH, TOKENS, HEADS, SIZE)
    shown = np.abs(heads) > 1e-9
    largest = np.where(shown, heads, -np.inf).max(axis=-1)
    least = np.where(shown, heads, np.inf).min(axis=-1)
    seen = shown.any(axis=-1)
    sums = np.where(seen, largest, np.nan) * TOKENS * (1 - RATE) ** 2
    return Seen(int((~shown).sum()), sums, int((np.where(seen, largest - least, 0.0) > 1e-9).sum()))


def simulated(case: None, *, places: str = "weights output", rate: float = RATE) -> list[float]:
    """Statistics of the experiment when dropout acts at `places`: "weights", "output", "value", "context"."""
    rng = np.random.default_rng(12)

    def drop(x: Array, place: str) -> Array:
        for _ in range(places.split().count(place)):
            x = x * (rng.random(x.shape) >= rate) / (1 - rate)
        return x

    value = drop(np.broadcast_to(HELD[:, None], (BATCH, HEADS, TOKENS, SIZE)), "value")
    share_of_each = drop(np.full((BATCH, HEADS, TOKENS, TOKENS), 1 / TOKENS), "weights")
    context = drop(share_of_each @ value, "context").transpose(0, 2, 1, 3).reshape(BATCH, TOKENS, WIDTH)
    return _statistics(drop(context, "output"))


def _statistics(outputs: Any) -> Any:
    if not isinstance(outputs, np.ndarray) or outputs.shape != (BATCH, TOKENS, WIDTH):
        return outputs
    shown = outputs[np.abs(outputs) > 1e-9] / MEAN
    seen = look(outputs)
    uneven = seen.uneven / (BATCH * TOKENS * HEADS)
    spread = (float(shown.mean()), float(shown.std())) if shown.size else (0.0, 0.0)
    return [seen.zeros / outputs.size, uneven, *spread]


def _near(got: Any, want: Any) -> bool:
    """Statistics within 0.06: several standard errors of each, and less than what tells the options apart."""
    lists = isinstance(got, list) and isinstance(want, list)
    return lists and bool(np.allclose(got, want, rtol=0, atol=0.06))


def _run(subject: Subject, case: None) -> Any:
    """The statistics, where eval mode gives the mean: else it is not dropout that is at fault."""
    still = forward(subject, training=False)
    right = (
        isinstance(still, np.ndarray) and still.shape == (BATCH, TOKENS, WIDTH) and np.allclose(still, MEAN)
    )
    return _statistics(forward(subject)) if right else None


DROPOUT_PROBE = Probe("MultiHeadAttention", None, _run, simulated, _near)
