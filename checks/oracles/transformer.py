"""Oracle of lesson 6: GELU by `math.erf`, the feed-forward block and the layer part by part, in float64."""

from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles import weights as make
from checks.oracles.blocks import (
    Weights,
    feed_forward,
    form_of,
    gelu,
    layer_norm,
    linear,
    multi_head,
    part,
    real,
)
from checks.oracles.dropout import RATE, share
from checks.oracles.transformer_mistakes import MISTAKES
from checks.subject import Subject
from lessons.given.config import ModelConfig

__all__ = ["MISTAKES", "PROBES", "STATISTICS", "block", "feed_forward", "gelu", "layer", "real"]

Array = np.ndarray
DROPS = share("outputs of the feed-forward block", 20 * 50 * 8)
STATISTICS = (DROPS,)
WRONG_GELU = {
    "no_root": lambda x: x / 2 * (1 + gelu_share(x * 2**0.5)),
    "no_half": lambda x: x * (1 + gelu_share(x)),
    "no_x": lambda x: (1 + gelu_share(x)) / 2,
    "tanh_square": lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**2))),
    "tanh_no_root": lambda x: x / 2 * (1 + np.tanh(2 / np.pi * (x + 0.044715 * x**3))),
    "tanh_digits": lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.44715 * x**3))),
}


def gelu_share(x: Array) -> Array:
    """erf(x / sqrt 2)."""
    return np.divide(gelu(x) * 2, x, out=np.ones_like(x), where=x != 0) - 1


def activation(x: Array, form: str, *, none: str = "none", tanh: str = "tanh") -> Array:
    """`gelu(x, form)`. Options: the form or the name in `WRONG_GELU` that is computed for "none" and for "tanh"."""
    chosen = none if form == "none" else tanh
    return WRONG_GELU[chosen](x) if chosen in WRONG_GELU else gelu(x, chosen)


def block(
    w: Weights,
    config: ModelConfig,
    hidden: Array,
    *,
    residual: bool = False,
    again: bool = False,
    **forms: str,
) -> Array:
    """The feed-forward block. Options: `residual` added; activated `again` at the end; those of `activation`."""
    form = form_of(config)
    result = linear(activation(linear(hidden, w, "expand"), form, **forms), w, "contract")
    if again:
        result = activation(result, form)
    return hidden + result if residual else result


def layer(
    w: Weights,
    config: ModelConfig,
    x: Array,
    mask: Array | None = None,
    *,
    order: str = "post",
    eps: float | None = None,
    norms: str = "attention_norm feed_forward_norm",
    masked: bool = True,
    **norm: Any,
) -> Array:
    """The encoder layer. Options: `order`, see `_ordered`; `eps` other than the configuration's; `norms`, which
    serves first and second; `masked` False (the mask is not passed on); and those of `blocks.layer_norm`.
    """
    first, second = norms.split()
    epsilon = config.layer_norm_eps if eps is None else eps

    def normed(z: Array, name: str) -> Array:
        return layer_norm(z, w, name, epsilon, **norm)

    def attended(z: Array) -> Array:
        return multi_head(part(w, "attention"), config, z, mask if masked else None)

    def widened(z: Array) -> Array:
        return feed_forward(part(w, "feed_forward"), config, z)

    return _ordered(order, x, attended, widened, lambda z: normed(z, first), lambda z: normed(z, second))


def _ordered(order: str, x: Array, attended: Any, widened: Any, first: Any, second: Any) -> Array:
    """The parts in the right order ("post") or in another."""
    if order == "pre":
        h = x + attended(first(x))
        return h + widened(second(h))
    if order == "norm_of_part":
        h = x + first(attended(x))
        return h + second(widened(h))
    if order == "parallel":
        return second(first(x + attended(x)) + widened(x))
    if order == "swapped":
        h = second(x + widened(x))
        return first(h + attended(h))
    h = {
        "no_first_residual": lambda: first(attended(x)),
        "no_residuals": lambda: first(attended(x)),
        "no_first_norm": lambda: x + attended(x),
    }.get(order, lambda: first(x + attended(x)))()
    return {
        "no_second_residual": lambda: second(widened(h)),
        "no_residuals": lambda: second(widened(h)),
        "residual_of_input": lambda: second(x + widened(h)),
        "no_second_norm": lambda: h + widened(h),
        "no_feed_forward": lambda: second(h),
    }.get(order, lambda: second(h + widened(h)))()


def _layer_case(seed: int, **changes: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    config = make.config(layer_norm_eps=0.3, **changes)
    mask = np.ones((3, 7), bool)
    mask[0, 6:] = mask[1, 5:] = mask[2, 3:] = False
    return {
        "config": config,
        "weights": make.layer(rng, config),
        "hidden": rng.normal(size=(3, 7, 8)),
        "mask": mask,
    }


def _block_case() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    config = make.config()
    return {"config": config, "weights": make.feed_forward(rng, config), "hidden": rng.normal(size=(3, 7, 8))}


def _with(config: ModelConfig, activation: str) -> ModelConfig:
    sizes = {"d_model": config.d_model, "n_heads": config.n_heads, "d_ff": config.d_ff}
    return make.config(activation=activation, **sizes)


def _run_block(subject: Subject, case: dict[str, Any]) -> list[Any]:
    """Both activations."""
    configs = [_with(case["config"], name) for name in ("gelu", "gelu_tanh")]
    blocks = [subject.module("FeedForward", c, weights=case["weights"]) for c in configs]
    return [block(case["hidden"]) for block in blocks]  # both made before one runs: each has its own settings


def blocks_of(case: dict[str, Any], **options: Any) -> list[Array]:
    """The block under both activations."""
    configs = [_with(case["config"], name) for name in ("gelu", "gelu_tanh")]
    return [block(case["weights"], c, case["hidden"], **options) for c in configs]


def _run_layer(subject: Subject, case: dict[str, Any]) -> Any:
    module = subject.module("TransformerLayer", case["config"], weights=case["weights"])
    return real(module(case["hidden"], case["mask"]), case["mask"])


def _run_dropout(subject: Subject, case: dict[str, Any]) -> Any:
    """The statistics, where eval mode is right: else it is not dropout that is at fault."""
    config = make.config(d_ff=8, dropout=RATE)
    module = subject.module("FeedForward", config, weights=case["weights"])
    still, whole = module(case["hidden"]), block(case["weights"], config, case["hidden"])
    right = isinstance(still, np.ndarray) and still.shape == whole.shape and np.allclose(still, whole)
    return _zeros(module.change("train")(case["hidden"])) if right else None


def _zeros(result: Any) -> Any:
    """Share of zeros, and the standard deviation of the rest: entries are even unless the middle is dropped."""
    if not isinstance(result, np.ndarray) or result.dtype.kind != "f":
        return result
    shown = result[np.abs(result) > 1e-9]
    return [float((np.abs(result) <= 1e-9).mean()), float(shown.std()) if shown.size else 0.0]


def _dropped(case: dict[str, Any], *, places: str = "output") -> list[float]:
    """Option: dropout at `places` "middle" (after the activation), "output", both or none."""
    rng = np.random.default_rng(3)
    middle = gelu(linear(case["hidden"], case["weights"], "expand"))
    if "middle" in places:
        middle = middle * (rng.random(middle.shape) >= RATE) / (1 - RATE)
    result = linear(middle, case["weights"], "contract")
    if "output" in places:
        result = result * (rng.random(result.shape) >= RATE) / (1 - RATE)
    return _zeros(result)


def even_weights() -> Weights:
    """Every entry in the middle is gelu(1), every output their mean."""
    zero, mean = np.zeros((8, 8)), np.full((8, 8), 1 / 8)
    return {
        "expand.weight": zero,
        "expand.bias": np.ones(8),
        "contract.weight": mean,
        "contract.bias": np.zeros(8),
    }


def _near(got: Any, want: Any) -> bool:
    return (
        isinstance(got, list) and isinstance(want, list) and bool(np.allclose(got, want, rtol=0, atol=0.05))
    )


GELU_PROBE = Probe(
    "gelu",
    np.linspace(-4, 4, 41),
    lambda subject, x: [subject.call("gelu", x), subject.call("gelu", x, "tanh")],
    lambda x, **options: [activation(x, form, **options) for form in ("none", "tanh")],
)
BLOCK_PROBE = Probe("FeedForward", _block_case(), _run_block, blocks_of)
EVEN = {"weights": even_weights(), "hidden": np.ones((20, 50, 8))}
DROPOUT_PROBE = Probe("FeedForward", EVEN, _run_dropout, _dropped, _near)
LAYER_PROBE = Probe(
    "TransformerLayer",
    _layer_case(8),
    _run_layer,
    lambda c, **options: real(layer(c["weights"], c["config"], c["hidden"], c["mask"], **options), c["mask"]),
)
PROBES = (GELU_PROBE, BLOCK_PROBE, DROPOUT_PROBE, LAYER_PROBE)
