"""Oracle of lesson 5: attention by index loops over one query at a time, in float64."""

from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles import weights as make
from checks.oracles.attention_dropout import DROPOUT_PROBE, STATISTICS
from checks.oracles.attention_mistakes import MISTAKES
from checks.oracles.blocks import Weights, linear, merge, real, softmax, split
from checks.subject import Subject
from lessons.given.config import ModelConfig

__all__ = ["MISTAKES", "PROBES", "STATISTICS", "attention", "merge", "multi_head", "real", "split", "weights"]

Array = np.ndarray
HIDDEN = -1e300
FILLS = {"before": HIDDEN, "unguarded": HIDDEN, "zero": 0.0, "weak": -10.0}


def weights(
    query: Array,
    key: Array,
    mask: Array | None = None,
    *,
    scale: str = "sqrt_k",
    d_model: int = 1,
    axis: str = "keys",
    when: str = "before",
    polarity: bool = True,
) -> Array:
    """Attention weights, one query at a time.

    Options (the known mistakes): `scale` "none", "k", "sqrt_d_model", "sqrt_s", "times"; `axis` "queries";
    `when` "after" the softmax, "never", "added" (True adds 1), "zero" (a score of 0), "weak" (a score of -10),
    "unguarded" (-inf, so that a query that sees no key gets NaN: not for a case without one); `polarity` False
    (True hides).
    """
    *batch, n_queries, size = query.shape
    n_keys = key.shape[-2]
    full = (*batch, n_queries, n_keys)
    allowed = np.broadcast_to(True if mask is None else mask == polarity, full)
    if when == "unguarded" and allowed.any(axis=-1).all():
        raise ValueError("every query sees a key here: nothing tells this mistake from a right program")
    divisors = {
        "none": 1.0,
        "k": size,
        "sqrt_d_model": d_model**0.5,
        "sqrt_s": n_keys**0.5,
        "times": size**-0.5,
    }
    divisor = divisors.get(scale, size**0.5)
    result = np.empty(full)
    for place in np.ndindex(*batch):
        scores = np.array([[np.dot(q, k) / divisor for k in key[place]] for q in query[place]])
        result[place] = _rows(scores, allowed[place], axis, when if mask is not None else "never")
    return result


def _rows(scores: Array, allowed: Array, axis: str, when: str) -> Array:
    if when == "added":
        scores = scores + allowed
    elif when in FILLS:
        scores = np.where(allowed, scores, FILLS[when])
    if axis == "queries":
        return np.stack([softmax(column) for column in scores.T]).T
    rows = np.stack([softmax(row) for row in scores])
    if when == "unguarded":
        rows[~allowed.any(axis=-1)] = np.nan
    return rows * allowed if when == "after" else rows


def attention(query: Array, key: Array, value: Array, mask: Array | None = None, **options: Any) -> Array:
    """The weighted mean of the values, summed key by key."""
    share = weights(query, key, mask, **options)
    result = np.zeros((*query.shape[:-1], value.shape[-1]))
    for s in range(key.shape[-2]):
        result += share[..., s, None] * value[..., None, s, :]
    return result


def multi_head(
    w: Weights,
    n_heads: int,
    hidden: Array,
    mask: Array | None = None,
    *,
    heads: str = "columns",
    merged: str = "columns",
    hides: str = "keys",
    roles: str = "query key value",
    output: bool = True,
    causal: bool = False,
    **options: Any,
) -> Array:
    """All heads of all sequences.

    Options: `heads`/`merged` as in `split`/`merge`; `hides` "queries"; `roles`, the projections that serve as
    query, key and value; `output` False (no output projection); `causal`; and those of `weights`.
    """
    query, key, value = (split(linear(hidden, w, name), n_heads, how=heads) for name in roles.split())
    batch, tokens, width = hidden.shape
    allowed = np.ones((batch, 1, tokens, tokens), bool)
    if mask is not None:
        allowed = allowed & (mask[:, None, None, :] if hides == "keys" else mask[:, None, :, None])
    if causal:
        allowed = allowed & np.tril(np.ones((tokens, tokens), bool))
    context = merge(attention(query, key, value, allowed, d_model=width, **options), how=merged)
    return linear(context, w, "output") if output else context


def config(case: dict[str, Any], **changes: Any) -> ModelConfig:
    """The configuration of a module's case."""
    return make.config(d_model=case["hidden"].shape[-1], n_heads=case["n_heads"], **changes)


def _function_case() -> dict[str, Array]:
    rng = np.random.default_rng(5)
    return {
        "query": rng.normal(size=(3, 2, 7, 4)),
        "key": rng.normal(size=(3, 2, 5, 4)),
        "value": rng.normal(size=(3, 2, 5, 6)),
        "mask": np.array([True, False, True, True, True]),
    }


def _module_case() -> dict[str, Any]:
    rng = np.random.default_rng(6)
    mask = np.ones((3, 7), bool)
    mask[0, 6:] = mask[1, 5:] = mask[2, 3:] = False
    return {
        "weights": make.attention(rng, make.config()),
        "n_heads": 2,
        "hidden": rng.normal(size=(3, 7, 8)),
        "mask": mask,
    }


def _width(case: dict[str, Array]) -> int:
    return int(np.prod(case["query"].shape[-3:-2], dtype=int)) * case["query"].shape[-1]


def _given(mask: Array | None) -> dict[str, Any]:
    """The mask as an argument; without one it is left out."""
    return {} if mask is None else {"mask": mask}


def _run_module(subject: Subject, case: dict[str, Any], compared: bool = True) -> Any:
    module = subject.module("MultiHeadAttention", config(case), weights=case["weights"])
    result = module(case["hidden"], case["mask"])
    return real(result, case["mask"]) if compared else result


def _blind_case(case: dict[str, Any]) -> dict[str, Any]:
    """The case with queries that see no key: one of the function's, a whole sequence of the module's."""
    if "hidden" in case:
        return case | {"mask": case["mask"] & (np.arange(3) < 2)[:, None], "blind": np.arange(3) == 2}
    mask = np.broadcast_to(case["mask"], (7, 5)) & (np.arange(7) != 4)[:, None]
    return case | {"mask": mask, "blind": np.s_[..., np.arange(7) == 4, :]}


def finite_only(result: Any, blind: Any) -> Any:
    """`result` with 0 for what a query that sees no key gets, whatever finite values these are; NaN stays."""
    if not isinstance(result, np.ndarray) or result.ndim < 2:
        return result
    result = result.copy()
    result[blind] = np.where(np.isfinite(result[blind]), 0.0, np.nan)
    return result


def _blind(probe: Probe) -> Probe:
    """A probe on its own case with blind queries, told apart by whether they get finite values."""
    return Probe(
        probe.exercise,
        _blind_case(probe.case),
        lambda subject, c: finite_only(probe.run(subject, c), c["blind"]),
        lambda c, **options: finite_only(probe.oracle(c, **options), c["blind"]),
    )


WEIGHTS_PROBE = Probe(
    "attention_weights",
    _function_case(),
    lambda subject, c: subject.call("attention_weights", c["query"], c["key"], **_given(c["mask"])),
    lambda c, **options: weights(c["query"], c["key"], c["mask"], d_model=_width(c), **options),
)
ATTENTION_PROBE = Probe(
    "scaled_dot_product_attention",
    _function_case(),
    lambda subject, c: subject.call(
        "scaled_dot_product_attention", c["query"], c["key"], c["value"], **_given(c["mask"])
    ),
    lambda c, **options: attention(c["query"], c["key"], c["value"], c["mask"], d_model=_width(c), **options),
)
SPLIT_PROBE = Probe(
    "split_heads",
    {"x": np.arange(3.0 * 7 * 12).reshape(3, 7, 12), "n_heads": 3},
    lambda subject, c: subject.call("split_heads", c["x"], c["n_heads"]),
    lambda c, **options: split(c["x"], c["n_heads"], **options),
)
MERGE_PROBE = Probe(
    "merge_heads",
    np.arange(3.0 * 3 * 7 * 4).reshape(3, 3, 7, 4),
    lambda subject, x: subject.call("merge_heads", x),
    merge,
)
MODULE_PROBE = Probe(
    "MultiHeadAttention",
    _module_case(),
    _run_module,
    lambda c, **options: real(
        multi_head(c["weights"], c["n_heads"], c["hidden"], c["mask"], **options), c["mask"]
    ),
)
# Padding's own outputs are not judged, but they tell a mask on the queries from no mask at all.
PADDING_PROBE = Probe(
    "MultiHeadAttention",
    _module_case(),
    lambda subject, c: _run_module(subject, c, compared=False),
    lambda c, **options: multi_head(c["weights"], c["n_heads"], c["hidden"], c["mask"], **options),
)
PROBES = (
    WEIGHTS_PROBE,
    ATTENTION_PROBE,
    SPLIT_PROBE,
    MERGE_PROBE,
    PADDING_PROBE,
    MODULE_PROBE,
    *(_blind(probe) for probe in (WEIGHTS_PROBE, ATTENTION_PROBE, PADDING_PROBE)),
    DROPOUT_PROBE,
)
