"""Oracle pieces that several lessons share: the layer and its parts in NumPy float64.

Weights are flat dictionaries with the interface's names; `part(w, "attention")` is what belongs to a submodule.
Random weights come from `checks.oracles.weights`, slopes from `slopes`, dropout by values from `dropout`.
Every known mistake is an option; the defaults are right.
"""

import math
from typing import Any

import numpy as np

from lessons.given.config import ModelConfig

Array = np.ndarray
Weights = dict[str, Array]


def part(w: Weights, name: str) -> Weights:
    """The weights of the submodule `name`, under its own names."""
    inside = {key.removeprefix(f"{name}."): array for key, array in w.items() if key.startswith(f"{name}.")}
    return type(w)(inside)


def real(result: Any, mask: Array | None) -> Any:
    """The result with zeros at padding: what comes out there is never compared."""
    if mask is None or not isinstance(result, np.ndarray) or result.shape[:2] != mask.shape:
        return result
    return np.where(mask[..., None], result, 0.0)


def linear(x: Array, w: Weights, name: str) -> Array:
    """x W^T + b."""
    return np.einsum("...i,oi->...o", x, w[f"{name}.weight"]) + w[f"{name}.bias"]


def softmax(scores: Array) -> Array:
    """Softmax of a vector; -inf gives 0, nothing but -inf gives zeros."""
    if not np.isfinite(scores).any():
        return np.zeros_like(scores)
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def layer_norm(
    x: Array, w: Weights, name: str, eps: float, *, unbiased: bool = False, eps_place: str = "variance"
) -> Array:
    """Over the last axis: (x - mean) / sqrt(variance + eps) * weight + bias.

    Options: `unbiased` divides the squares by D - 1; `eps_place` "outside" adds eps to the root. Also takes complex
    numbers, for slopes by a complex step.
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).sum(axis=-1, keepdims=True) / (x.shape[-1] - unbiased)
    deviation = np.sqrt(variance) + eps if eps_place == "outside" else np.sqrt(variance + eps)
    return centred / deviation * w[f"{name}.weight"] + w[f"{name}.bias"]


_erf = np.vectorize(math.erf, otypes=[float])


def gelu(x: Array, form: str = "none") -> Array:
    """Activations: "none" (exact GELU) and "tanh"; wrong ones: "sigmoid", "silu", "relu", "identity"."""
    normal_share = {
        "none": lambda: 0.5 + 0.5 * _erf(x / 2**0.5),
        "tanh": lambda: 0.5 + 0.5 * np.tanh((2 / math.pi) ** 0.5 * (x + 0.044715 * x**3)),
        "sigmoid": lambda: 1 / (1 + np.exp(-1.702 * x)),
        "silu": lambda: 1 / (1 + np.exp(-x)),
        "relu": lambda: (x > 0) * 1.0,
        "identity": lambda: np.ones_like(x),
    }
    return x * normal_share[form]()


def form_of(config: ModelConfig) -> str:
    """The GELU that a configuration asks for."""
    return "tanh" if config.activation == "gelu_tanh" else "none"


def split(x: Array, n_heads: int, *, how: str = "columns") -> Array:
    """Heads by copying columns. Options: `how` "view" (no transpose) or "strided" (head n has every N-th column)."""
    batch, tokens, width = x.shape
    size = width // n_heads
    if how == "view":
        return x.reshape(batch, n_heads, tokens, size)
    result = np.empty((batch, n_heads, tokens, size))
    for n in range(n_heads):
        columns = range(n, width, n_heads) if how == "strided" else range(n * size, (n + 1) * size)
        result[:, n] = x[:, :, list(columns)]
    return result


def merge(x: Array, *, how: str = "columns") -> Array:
    """Heads side by side again. Options: `how` "view" (no transpose) or "strided" (columns interleaved)."""
    batch, n_heads, tokens, size = x.shape
    if how == "view":
        return x.reshape(batch, tokens, n_heads * size)
    if how == "strided":
        return np.stack([x[:, n] for n in range(n_heads)], axis=-1).reshape(batch, tokens, -1)
    return np.concatenate([x[:, n] for n in range(n_heads)], axis=-1)


def multi_head(w: Weights, config: ModelConfig, hidden: Array, mask: Array | None = None) -> Array:
    """Self-attention, one head of one query at a time; what the mask hides is left out of the sums."""
    query, key, value = (split(linear(hidden, w, name), config.n_heads) for name in ("query", "key", "value"))
    context = np.zeros_like(query)
    for b, n, t in np.ndindex(*query.shape[:3]):
        seen = np.arange(hidden.shape[1]) if mask is None else np.flatnonzero(mask[b])
        scores = key[b, n, seen] @ query[b, n, t] / config.d_head**0.5
        context[b, n, t] = softmax(scores) @ value[b, n, seen] if len(seen) else 0.0
    return linear(merge(context), w, "output")


def feed_forward(w: Weights, config: ModelConfig, hidden: Array, *, form: str | None = None) -> Array:
    """Expand, activate, contract. Option: `form`, an activation other than the configuration's."""
    return linear(gelu(linear(hidden, w, "expand"), form or form_of(config)), w, "contract")


def layer(
    w: Weights,
    config: ModelConfig,
    hidden: Array,
    mask: Array | None = None,
    *,
    eps: float | None = None,
    **norm: Any,
) -> Array:
    """A post-LN encoder layer: attention and feed-forward, a residual sum and a norm after each.

    Options: `eps` other than the configuration's, and those of `layer_norm`.
    """
    eps = config.layer_norm_eps if eps is None else eps
    attended = multi_head(part(w, "attention"), config, hidden, mask)
    hidden = layer_norm(hidden + attended, w, "attention_norm", eps, **norm)
    widened = feed_forward(part(w, "feed_forward"), config, hidden)
    return layer_norm(hidden + widened, w, "feed_forward_norm", eps, **norm)


def embeddings(
    w: Weights, config: ModelConfig, ids: Array, segments: Array, *, eps: float | None = None, **norm: Any
) -> Array:
    """Word, position and segment rows added, normalised, and widened where there is a `projection`."""
    rows = (
        w["word.weight"][ids] + w["position.weight"][np.arange(ids.shape[1])] + w["segment.weight"][segments]
    )
    rows = layer_norm(rows, w, "norm", config.layer_norm_eps if eps is None else eps, **norm)
    return linear(rows, w, "projection") if "projection.weight" in w else rows
