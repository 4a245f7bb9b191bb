"""Oracle of lesson 5: attention by index loops over one query at a time, in float64."""

from typing import Any

import numpy as np

from checks.judge import Mistake, Probe
from checks.subject import Subject
from lessons.given.config import ModelConfig

Array = np.ndarray
Weights = dict[str, Array]


def softmax(scores: Array) -> Array:
    """Softmax of a vector."""
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def weights(
    query: Array,
    key: Array,
    mask: Array | None = None,
    *,
    scale: str = "sqrt_k",
    d_model: int | None = None,
    axis: str = "keys",
    when: str = "before",
    fill: float = -np.inf,
    polarity: bool = True,
) -> Array:
    """Attention weights, one query at a time.

    Options (the known mistakes): `scale` "none", "k", "sqrt_d_model", "sqrt_s"; `axis` "queries"; `when`
    "after" the softmax; `fill` -10.0; `polarity` False (True hides).
    """
    *batch, n_queries, size = query.shape
    n_keys = key.shape[-2]
    allowed = np.ones((*batch, n_queries, n_keys), bool) if mask is None else _spread(mask, (*batch, n_queries, n_keys))
    allowed = allowed if polarity else ~allowed
    roots = {"sqrt_k": size**0.5, "none": 1.0, "k": size, "sqrt_d_model": (d_model or 1) ** 0.5, "sqrt_s": n_keys**0.5}
    result = np.empty((*batch, n_queries, n_keys))
    for place in np.ndindex(*batch):
        scores = np.array([[np.dot(q, k) / roots[scale] for k in key[place]] for q in query[place]])
        result[place] = _rows(scores, allowed[place], axis, when, fill)
    return result


def _rows(scores: Array, allowed: Array, axis: str, when: str, fill: float) -> Array:
    if when == "after":
        return np.stack([softmax(row) for row in scores]) * allowed
    finite = np.where(allowed.any(axis=-1, keepdims=True), np.where(allowed, scores, scores + fill), scores)
    if fill > -1e6:
        finite = np.where(allowed, scores, fill)
    if axis == "queries":
        return np.stack([softmax(column) for column in finite.T]).T
    return np.stack([softmax(row) for row in finite])


def _spread(mask: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(mask, shape)


def attention(query: Array, key: Array, value: Array, mask: Array | None = None, **options: Any) -> Array:
    """The weighted mean of the values, summed key by key."""
    share = weights(query, key, mask, **options)
    result = np.zeros((*query.shape[:-1], value.shape[-1]))
    for s in range(key.shape[-2]):
        result += share[..., s, None] * value[..., None, s, :]
    return result


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
    """Heads side by side again. Option: `how` "view" (no transpose)."""
    batch, n_heads, tokens, size = x.shape
    if how == "view":
        return x.reshape(batch, tokens, n_heads * size)
    return np.concatenate([x[:, n] for n in range(n_heads)], axis=-1)


def linear(x: Array, weights_of: Weights, name: str) -> Array:
    """x W^T + b."""
    return np.einsum("...i,oi->...o", x, weights_of[f"{name}.weight"]) + weights_of[f"{name}.bias"]


def multi_head(
    w: Weights,
    n_heads: int,
    hidden: Array,
    mask: Array | None = None,
    *,
    heads: str = "columns",
    merged: str = "columns",
    hides: str = "keys",
    swap: str = "",
    output: bool = True,
    causal: bool = False,
    **options: Any,
) -> Array:
    """One head of one sequence at a time.

    Options: `heads`/`merged` as in `split`/`merge`; `hides` "queries"; `swap` "value=key" or "query=key";
    `output` False (no output projection); `causal`; and those of `weights`.
    """
    names = {"query": "query", "key": "key", "value": "value"}
    if swap:
        target, source = swap.split("=")
        names[target] = source
    q, k, v = (split(linear(hidden, w, names[name]), n_heads, how=heads) for name in ("query", "key", "value"))
    batch, tokens, width = hidden.shape
    allowed = np.ones((batch, 1, tokens, tokens), bool)
    if mask is not None:
        allowed = allowed & (mask[:, None, None, :] if hides == "keys" else mask[:, None, :, None])
    if causal:
        allowed = allowed & np.tril(np.ones((tokens, tokens), bool))
    context = merge(attention(q, k, v, np.broadcast_to(allowed, (batch, n_heads, tokens, tokens)), d_model=width, **options), how=merged)
    return linear(context, w, "output") if output else context


def random_weights(rng: np.random.Generator, d_model: int) -> Weights:
    """Weights of a `MultiHeadAttention`, large enough that heads differ."""
    names = ("query", "key", "value", "output")
    matrices = {f"{name}.weight": rng.normal(0, 0.7, (d_model, d_model)) for name in names}
    return matrices | {f"{name}.bias": rng.normal(0, 0.3, d_model) for name in names}


def _function_case() -> dict[str, Array]:
    rng = np.random.default_rng(5)
    mask = np.array([True, False, True, True, True])
    return {
        "query": rng.normal(size=(3, 2, 7, 4)),
        "key": rng.normal(size=(3, 2, 5, 4)),
        "value": rng.normal(size=(3, 2, 5, 6)),
        "mask": mask,
    }


def _module_case() -> dict[str, Any]:
    rng = np.random.default_rng(6)
    mask = np.ones((3, 7), bool)
    mask[1, 5:] = mask[2, 3:] = False
    return {"weights": random_weights(rng, 8), "n_heads": 2, "hidden": rng.normal(size=(3, 7, 8)), "mask": mask}


def attention_config(d_model: int, n_heads: int, **more: Any) -> ModelConfig:
    """A configuration with the sizes attention reads."""
    return ModelConfig(vocab_size=29, d_model=d_model, n_heads=n_heads, **({"dropout": 0.0} | more))


def _run_multi_head(subject: Subject, case: dict[str, Any]) -> Array:
    config = attention_config(case["hidden"].shape[-1], case["n_heads"])
    module = subject.module("MultiHeadAttention", config, weights=case["weights"])
    result = module(case["hidden"], case["mask"])
    return _real(result, case)


def _real(result: Any, case: dict[str, Any]) -> Any:
    """Zero at padding: what comes out there is never compared."""
    if not isinstance(result, np.ndarray) or result.shape != case["hidden"].shape:
        return result
    return result * case["mask"][..., None] if case["mask"] is not None else result


WEIGHTS_PROBE = Probe(
    "attention_weights",
    _function_case(),
    lambda subject, c: subject.call("attention_weights", c["query"], c["key"], mask=c["mask"]),
    lambda c, **options: weights(c["query"], c["key"], c["mask"], d_model=8, **options),
)
ATTENTION_PROBE = Probe(
    "scaled_dot_product_attention",
    _function_case(),
    lambda subject, c: subject.call("scaled_dot_product_attention", c["query"], c["key"], c["value"], mask=c["mask"]),
    lambda c, **options: attention(c["query"], c["key"], c["value"], c["mask"], d_model=8, **options),
)
SPLIT_PROBE = Probe(
    "split_heads",
    np.arange(3.0 * 7 * 8).reshape(3, 7, 8),
    lambda subject, x: subject.call("split_heads", x, 2),
    lambda x, **options: split(x, 2, **options),
)
MERGE_PROBE = Probe(
    "merge_heads",
    np.arange(3.0 * 2 * 7 * 4).reshape(3, 2, 7, 4),
    lambda subject, x: subject.call("merge_heads", x),
    merge,
)
MODULE_PROBE = Probe(
    "MultiHeadAttention",
    _module_case(),
    _run_multi_head,
    lambda c, **options: _real(multi_head(c["weights"], c["n_heads"], c["hidden"], c["mask"], **options), c),
)
PROBES = (WEIGHTS_PROBE, ATTENTION_PROBE, SPLIT_PROBE, MERGE_PROBE, MODULE_PROBE)

_SCALES = {
    "none": ("scores are not divided at all", "Scores of size K grow with the head size. Which root brings them back?"),
    "k": ("scores are divided by the head size instead of its square root", "The scores' standard deviation grows like a root."),
    "sqrt_d_model": (
        "scores are divided by the square root of d_model instead of the head size",
        "The dot product runs over one head's columns. How many are these?",
    ),
    "sqrt_s": (
        "scores are divided by the square root of the number of keys",
        "The scale belongs to the length of the vectors, not to how many there are.",
    ),
}
_LAWS = {
    "axis": ({"axis": "queries"}, "the softmax runs over the queries instead of the keys", "Each query's row must sum to 1."),
    "when": (
        {"when": "after"},
        "the mask is applied after the softmax, so that rows no longer sum to 1",
        "Hide a key before the weights are normalised.",
    ),
    "fill": (
        {"fill": -10.0},
        "the fill value for hidden keys is too weak, so that a little of them leaks through",
        "How small is exp of your fill value, beside the other terms?",
    ),
    "polarity": (
        {"polarity": False},
        "the mask is read upside down: True hides instead of showing",
        "In this course True means: may look.",
    ),
}


def _function_mistakes() -> list[Mistake]:
    found = []
    for exercise in ("attention_weights", "scaled_dot_product_attention", "MultiHeadAttention"):
        for scale, (says, hint) in _SCALES.items():
            found.append(Mistake(f"attention.scale_{scale}", exercise, says, hint, {"scale": scale}))
        for name, (options, says, hint) in _LAWS.items():
            found.append(Mistake(f"attention.{name}", exercise, says, hint, options))
    return found


MISTAKES = (
    *_function_mistakes(),
    Mistake(
        "attention.split_view",
        "split_heads",
        "the array is viewed as heads without moving an axis, so that a head mixes tokens",
        "First cut the last axis, then swap two axes.",
        {"how": "view"},
    ),
    Mistake(
        "attention.split_strided",
        "split_heads",
        "head n gets every N-th column instead of K neighbouring ones",
        "Which of the two new axes comes first when the last axis is cut?",
        {"how": "strided"},
    ),
    Mistake(
        "attention.merge_view",
        "merge_heads",
        "heads are joined without moving the token axis back",
        "Undo the steps of split_heads in the opposite order.",
        {"how": "view"},
    ),
    Mistake(
        "attention.hides_queries",
        "MultiHeadAttention",
        "the mask hides queries instead of keys: padding does not ask, yet everybody reads it",
        "Which axis of the scores does the mask belong to?",
        {"hides": "queries"},
    ),
    Mistake(
        "attention.value_is_key",
        "MultiHeadAttention",
        "the keys are used as values",
        "Three projections, three roles.",
        {"swap": "value=key"},
    ),
    Mistake(
        "attention.no_output",
        "MultiHeadAttention",
        "the output projection is left out",
        "After the heads are merged one linear map is still to come.",
        {"output": False},
    ),
    Mistake(
        "attention.causal",
        "MultiHeadAttention",
        "a causal mask is left in: tokens see only what stands before them",
        "An encoder looks both ways.",
        {"causal": True},
    ),
    Mistake(
        "attention.heads_view",
        "MultiHeadAttention",
        "heads are made by a view without moving an axis",
        "Check split_heads on a small array.",
        {"heads": "view", "merged": "view"},
    ),
)
