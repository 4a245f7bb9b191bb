"""Oracle of lesson 8: an encoder is a list of steps, and each step has its own dictionary of weights.

Sharing is nothing but the same dictionary in several places of the list. Weights have the interface's names;
`layers.k` may hold more layers than an encoder should have: a copy that ought not to exist shows by them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles import blocks
from checks.oracles import weights as random_weights
from checks.oracles.blocks import Weights, part
from checks.oracles.encoders_mistakes import MISTAKES
from checks.oracles.slopes import slope
from checks.subject import Subject
from lessons.given.config import ModelConfig

__all__ = ["MISTAKES", "PROBES", "case", "encode", "run_steps"]

Array = np.ndarray
ATTENTION = ("attention.", "attention_norm.")
FEED_FORWARD = ("feed_forward.", "feed_forward_norm.")


def run_steps(
    steps: Sequence[Weights],
    config: ModelConfig,
    hidden: Array,
    mask: Array | None,
    *,
    masked: str = "every",
    chain: bool = True,
    residual: bool = False,
    final_norm: bool = False,
) -> Array:
    """Layer after layer.

    Options: `masked` "none", "first" or "last" (which steps get the mask); `chain` False (each layer gets the
    encoder's input); `residual` (a sum around each layer); `final_norm` (a norm with weight 1 and bias 0 at the end).
    """
    start = out = hidden
    for i, w in enumerate(steps):
        seen = {"every": True, "none": False, "first": i == 0, "last": i == len(steps) - 1}[masked]
        x = out if chain else start
        out = blocks.layer(w, config, x, mask if seen else None) + (x if residual else 0.0)
    if final_norm:
        centred = out - out.mean(-1, keepdims=True)
        out = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return out


def bert_steps(
    w: Weights, config: ModelConfig, *, own: str = "each", order: str = "forward"
) -> list[Weights]:
    """BERT: step i is layer i.

    Options: `own` "last" (one layer under every name: what was loaded last counts); `order` "reversed",
    "skips first", "skips last", "first only".
    """
    n = config.n_layers
    steps = [part(w, f"layers.{i if own == 'each' else n - 1}") for i in range(n)]
    cuts = {"forward": steps, "reversed": steps[::-1], "skips first": steps[1:], "skips last": steps[:-1]}
    return (cuts | {"first only": steps[:1]})[order]


def albert_steps(
    w: Weights, config: ModelConfig, *, groups: str = "blocks", sharing: str = "one", times: str = "n_layers"
) -> list[Weights]:
    """ALBERT: step i is group i * n_groups // n_layers.

    Options: `groups` "cyclic" (i % n_groups), "first" (always group 0), "by_n_groups" (i // n_groups), "reversed",
    "n_layers_each"; `sharing` "copies" (a layer a step); `times` "once a group", "one short", "one more".
    """
    n, g = config.n_layers, config.n_groups
    picks = {
        "blocks": [i * g // n for i in range(n)],
        "cyclic": [i % g for i in range(n)],
        "first": [0] * n,
        "by_n_groups": [i // g for i in range(n)],
        "reversed": [(n - 1 - i) * g // n for i in range(n)],
        "n_layers_each": [k for k in range(g) for _ in range(n)],
    }[groups]
    picks = {"one": picks, "copies": list(range(n))}[sharing]
    picks = {
        "n_layers": picks,
        "once a group": list(range(g)),
        "one short": picks[:-1],
        "one more": [*picks, picks[-1]],
    }[times]
    return [part(w, f"layers.{k}") for k in picks]


def partly_steps(
    w: Weights, config: ModelConfig, *, shares: str = "as asked", norm: str = "with", source: str = "last"
) -> list[Weights]:
    """Partly shared: the shared part comes from the layer that was loaded last, since all names are one tensor.

    Options: `shares` "the other part", "everything", "nothing"; `norm` "own" (the shared part's norm is not
    shared), "both" (both norms are), "other" (the other part's norm is shared in its place).
    """
    asked = {"attention": "attention", "ffn": "feed_forward"}[config.sharing]
    if shares == "the other part":
        asked = {"attention": "feed_forward", "feed_forward": "attention"}[asked]
    other = {"attention": "feed_forward", "feed_forward": "attention"}[asked]
    shared: tuple[str, ...] = (f"{asked}.",)
    shared += (f"{asked}_norm.",) if norm in ("with", "both") else ()
    shared += (f"{other}_norm.",) if norm in ("both", "other") else ()
    shared = {"everything": ("",), "nothing": ()}.get(shares, shared)
    last = config.n_layers - 1
    return [
        {k: w[f"layers.{last}.{k}"] if k.startswith(shared) else x for k, x in part(w, f"layers.{i}").items()}
        for i in range(config.n_layers)
    ]


_STEPS: dict[str, Callable[..., list[Weights]]] = {
    "BERTEncoder": bert_steps,
    "ALBERTEncoder": albert_steps,
    "PartlySharedEncoder": partly_steps,
}
_HOW = ("masked", "chain", "residual", "final_norm")


def encode(
    kind: str, w: Weights, config: ModelConfig, hidden: Array, mask: Array | None, **options: Any
) -> Array:
    """The output of encoder `kind`, 0 at padding (what stands there is never compared)."""
    return at_real_tokens(encode_all(kind, w, config, hidden, mask, **options), mask)


def encode_all(
    kind: str, w: Weights, config: ModelConfig, hidden: Array, mask: Array | None, **options: Any
) -> Array:
    """The output of encoder `kind`, padding included."""
    how = {key: value for key, value in options.items() if key in _HOW}
    steps = _STEPS[kind](w, config, **{key: value for key, value in options.items() if key not in _HOW})
    return run_steps(steps, config, hidden, mask, **how)


def at_real_tokens(result: Any, mask: Array | None) -> Any:
    """Zero at padding."""
    if mask is None or not isinstance(result, np.ndarray) or result.shape[:-1] != mask.shape:
        return result
    return np.where(mask[..., None], result, 0.0)


def case(
    rng: np.random.Generator, rows: int = 3, tokens: int = 5, masked: bool = True, **changes: Any
) -> dict[str, Any]:
    """A configuration, weights for n_layers different layers, hidden states and a mask."""
    config = random_weights.config(**changes)
    return {
        "config": config,
        "weights": random_weights.layers(rng, config, config.n_layers),
        "hidden": rng.normal(size=(rows, tokens, config.d_model)),
        "mask": random_weights.padding(rng, rows, tokens) if masked else None,
    }


def build(subject: Subject, kind: str, c: dict[str, Any], **how: Any) -> Any:
    """The encoder with the case's weights under every name it has: the expected ones, and then any others."""
    module = subject.module(kind, c["config"], **how)
    expected = c["config"].n_groups if kind == "ALBERTEncoder" else c["config"].n_layers
    found = {name.split(".")[1] for name in module.parameters() if name.startswith("layers.")}
    wanted = {str(k) for k in range(expected)} | found
    return module.load({name: x for name, x in c["weights"].items() if name.split(".")[1] in wanted})


def _run(kind: str) -> Any:
    def run(subject: Subject, c: dict[str, Any]) -> Any:
        return at_real_tokens(build(subject, kind, c)(c["hidden"], c["mask"]), c["mask"])

    return run


def _oracle(kind: str) -> Any:
    def oracle(c: dict[str, Any], **options: Any) -> Array:
        return encode(kind, c["weights"], c["config"], c["hidden"], c["mask"], **options)

    return oracle


def padded_case(**changes: Any) -> dict[str, Any]:
    """Three rows of five tokens: none, two and three of them padding."""
    found = case(np.random.default_rng(8), **changes)
    found["mask"] = np.array(
        [[True] * 5, [True, True, True, False, False], [True, True, False, False, False]]
    )
    return found


BERT_PROBE = Probe("BERTEncoder", padded_case(n_layers=3), _run("BERTEncoder"), _oracle("BERTEncoder"))
ALBERT_PROBE = Probe(
    "ALBERTEncoder",
    padded_case(n_layers=3, sharing="all"),
    _run("ALBERTEncoder"),
    _oracle("ALBERTEncoder"),
)
GROUPS_PROBE = Probe(
    "ALBERTEncoder",
    padded_case(n_layers=6, n_groups=3, sharing="all"),
    _run("ALBERTEncoder"),
    _oracle("ALBERTEncoder"),
)
PARTLY_PROBE = Probe(
    "PartlySharedEncoder",
    [padded_case(n_layers=3, sharing=sharing) for sharing in ("attention", "ffn")],
    lambda subject, cases: [_run("PartlySharedEncoder")(subject, c) for c in cases],
    lambda cases, **options: [_oracle("PartlySharedEncoder")(c, **options) for c in cases],
)


def _is_right(subject: Subject, kind: str) -> bool:
    """Whether the outputs are right: only then can a probe of gradients or names tell what is wrong."""
    probe = {"BERTEncoder": BERT_PROBE, "ALBERTEncoder": ALBERT_PROBE}[kind]
    return probe.agree(probe.run(subject, probe.case), probe.oracle(probe.case))


def _slope_case(**changes: Any) -> dict[str, Any]:
    rng = np.random.default_rng(9)
    c = case(rng, rows=2, tokens=3, masked=False, n_layers=3, **changes)
    c["cotangent"] = rng.normal(size=c["hidden"].shape)
    ends = ("attention.query.weight", "feed_forward.contract.bias", "feed_forward_norm.weight")
    layers = range(3) if c["config"].sharing == "none" else range(1)
    names = [f"layers.{i}.{end}" for i in layers for end in ends]
    c["directions"] = {name: rng.normal(size=c["weights"][name].shape) for name in names}
    return c


def _run_slopes(kind: str) -> Any:
    def run(subject: Subject, c: dict[str, Any]) -> Any:
        if not _is_right(subject, kind):
            return {}
        got = build(subject, kind, c).backward(c["hidden"], cotangents=[c["cotangent"]]).by_name
        along: dict[str, Any] = {}
        for name, direction in c["directions"].items():
            gradient = got.get(name)
            along[name] = 0.0 if gradient is None else float((gradient * direction).sum())
        return along

    return run


def _slopes(kind: str) -> Any:
    def oracle(c: dict[str, Any], *, uses: str = "all") -> dict[str, float]:
        """Slopes of the named tensors. Option: `uses` "first" or "last" (only that step's use counts)."""
        steps = _STEPS[kind](c["weights"], c["config"])
        moving = {"all": range(len(steps)), "first": [0], "last": [len(steps) - 1]}[uses]
        return {
            name: _slope_of(c, steps, moving, name, direction, kind)
            for name, direction in c["directions"].items()
        }

    return oracle


def _slope_of(
    c: dict[str, Any], steps: list[Weights], moving: Any, name: str, direction: Array, kind: str
) -> float:
    layer, _, end = name.removeprefix("layers.").partition(".")
    uses = [i for i in moving if kind == "ALBERTEncoder" or i == int(layer)]

    def value(at: dict[str, Array]) -> float:
        changed = [step | {end: at[end]} if i in uses else step for i, step in enumerate(steps)]
        return float((run_steps(changed, c["config"], c["hidden"], None) * c["cotangent"]).sum())

    return slope(value, {end: c["weights"][name]}, {end: direction})


def _close_slopes(got: Any, want: Any) -> bool:
    # Central differences leave about 1e-9 of slopes near 1 to 10.
    return list(got) == list(want) and np.allclose(
        list(got.values()), list(want.values()), rtol=1e-6, atol=1e-7
    )


BERT_SLOPES = Probe(
    "BERTEncoder", _slope_case(), _run_slopes("BERTEncoder"), _slopes("BERTEncoder"), agree=_close_slopes
)
ALBERT_SLOPES = Probe(
    "ALBERTEncoder",
    _slope_case(sharing="all"),
    _run_slopes("ALBERTEncoder"),
    _slopes("ALBERTEncoder"),
    agree=_close_slopes,
)


def _run_names(kind: str) -> Any:
    def run(subject: Subject, config: ModelConfig) -> dict[str, int]:
        if not _is_right(subject, kind):
            return {}
        module = subject.module(kind, config)
        return {"state": _layers_in(module.state()), "parameters": _layers_in(module.parameters())}

    return run


def _layers_in(names: Any) -> int:
    return len({name.split(".")[1] for name in names if name.startswith("layers.")})


def _names_of(kind: str) -> Any:
    def oracle(config: ModelConfig, *, entries: str = "right") -> dict[str, int]:
        """How many `layers.k` the state and the parameters name. Option: `entries` "repeated" or "spare"."""
        n = config.n_layers if kind == "BERTEncoder" else config.n_groups
        state = n if entries == "right" else config.n_layers
        return {"state": state, "parameters": n if entries != "spare" else config.n_layers}

    return oracle


ALBERT_NAMES = Probe(
    "ALBERTEncoder",
    random_weights.config(n_layers=4, sharing="all"),
    _run_names("ALBERTEncoder"),
    _names_of("ALBERTEncoder"),
)


def _run_start(subject: Subject, config: ModelConfig) -> dict[str, float]:
    state = subject.module("BERTEncoder", config).state()
    names = [f"layers.{i}.attention.query.weight" for i in range(config.n_layers)]
    if not _is_right(subject, "BERTEncoder") or not set(names) <= set(state):
        return {}
    matrices = [state[name] for name in names]
    return {"apart": float(all(not np.array_equal(matrices[0], other) for other in matrices[1:]))}


def _start(config: ModelConfig, *, start: str = "own") -> dict[str, float]:
    """Whether layers start apart. Option: `start` "equal"."""
    return {"apart": float(start == "own")}


START_PROBE = Probe("BERTEncoder", random_weights.config(n_layers=3), _run_start, _start)
PROBES = (
    BERT_PROBE,
    BERT_SLOPES,
    START_PROBE,
    ALBERT_PROBE,
    ALBERT_SLOPES,
    ALBERT_NAMES,
    GROUPS_PROBE,
    PARTLY_PROBE,
)
