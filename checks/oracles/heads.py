"""Oracle of lesson 9: the three heads, spelled out in NumPy float64.

The decoder's scores are dot products with the rows of the word table, so a test may give the table and a stale
`decoder.weight` apart: where the head is tied, the table counts.
"""

from typing import Any

import numpy as np

from checks.judge import Mistake, Probe
from checks.oracles import weights as random_weights
from checks.oracles.blocks import Weights, form_of, gelu, layer_norm, linear, softmax
from checks.oracles.slopes import slope
from checks.subject import ModuleHandle, Subject
from lessons.given.config import ModelConfig

Array = np.ndarray
Case = dict[str, Any]


def pooler(
    w: Weights, x: Array, *, token: str = "first", activation: str = "tanh", dense: bool = True
) -> Array:
    """tanh(dense(first token)).

    Options: `token` "last", "mean", "max" or "first row" (of the batch); `activation` "identity", "relu" or "none"
    (the exact GELU); `dense` False.
    """
    vector = {
        "first": lambda: x[:, 0],
        "last": lambda: x[:, -1],
        "mean": lambda: x.mean(axis=1),
        "max": lambda: x.max(axis=1),
        "first row": lambda: x[0],
    }[token]()
    vector = linear(vector, w, "dense") if dense else vector
    return np.tanh(vector) if activation == "tanh" else gelu(vector, activation)


def mlm(
    w: Weights,
    table: Array,
    config: ModelConfig,
    hidden: Array,
    *,
    tie: bool = True,
    form: str | None = None,
    order: str = "activation first",
    eps: float | None = None,
    bias: bool = True,
    output: str = "logits",
    **norm: Any,
) -> Array:
    """Scores against every row of `table`.

    Options: `tie` False (the head's own `decoder.weight` counts); `form` of the activation ("none", "tanh",
    "relu", "identity") whatever the configuration says; `order` "norm first", "no norm" or "before dense"; `eps`
    fixed; `bias` False; `output` "softmax" or "log_softmax"; and those of `layer_norm`.
    """
    form = form or form_of(config)
    eps = config.layer_norm_eps if eps is None else eps
    x = linear(gelu(hidden, form), w, "dense") if order == "before dense" else linear(hidden, w, "dense")
    if order == "norm first":
        x = gelu(layer_norm(x, w, "norm", eps, **norm), form)
    else:
        x = x if order == "before dense" else gelu(x, form)
        x = x if order == "no norm" else layer_norm(x, w, "norm", eps, **norm)
    rows = table if tie else w["decoder.weight"]
    scores = np.stack([(x * row).sum(axis=-1) for row in rows], axis=-1) + (
        w["decoder.bias"] if bias else 0.0
    )
    return probabilities(scores, output)


def probabilities(scores: Array, output: str) -> Array:
    """`scores` as they are ("logits"), or their "softmax", "log_softmax" or "tanh"."""
    if output == "logits":
        return scores
    if output == "tanh":
        return np.tanh(scores)
    shares = np.array([softmax(row) for row in scores.reshape(-1, scores.shape[-1])]).reshape(scores.shape)
    return shares if output == "softmax" else np.log(shares)


def sentence(
    w: Weights, pooled: Array, *, output: str = "logits", flip: bool = False, squash: bool = False
) -> Array:
    """Two scores. Options: `output` as in `probabilities`; `flip` (logit 0 is true order); `squash` (tanh before)."""
    scores = linear(np.tanh(pooled) if squash else pooled, w, "classifier")
    return probabilities(scores[..., ::-1] if flip else scores, output)


def pooler_case(
    rng: np.random.Generator, rows: int = 3, tokens: int = 5, size: int = 8, **changes: Any
) -> Case:
    """A pooler and hidden states."""
    config = random_weights.config(d_model=size, **({"n_heads": 1} | changes))
    w = random_weights.prefixed("dense", random_weights.linear(rng, size, size))
    return {"config": config, "weights": w, "hidden": rng.normal(size=(rows, tokens, size))}


def mlm_case(rng: np.random.Generator, lead: tuple[int, ...] = (3, 5), **changes: Any) -> Case:
    """A masked-word head with a stale decoder matrix, a word table, and hidden states with `lead` axes in front."""
    config = random_weights.config(**({"d_embedding": 6, "vocab_size": 11} | changes))
    size = config.d_embedding
    w = random_weights.prefixed("dense", random_weights.linear(rng, config.d_model, size))
    w |= random_weights.prefixed("norm", random_weights.norm(rng, size))
    w |= random_weights.prefixed("decoder", random_weights.linear(rng, size, config.vocab_size))
    table = rng.normal(size=(config.vocab_size, size))
    return {
        "config": config,
        "weights": w,
        "table": table,
        "hidden": rng.normal(size=(*lead, config.d_model)),
    }


def sentence_case(rng: np.random.Generator, rows: int = 3, size: int = 8, **changes: Any) -> Case:
    """A sentence head and pooled vectors."""
    config = random_weights.config(d_model=size, **({"n_heads": 1} | changes))
    w = random_weights.prefixed("classifier", random_weights.linear(rng, size, 2))
    return {"config": config, "weights": w, "hidden": rng.uniform(-1, 1, size=(rows, size))}


def build_mlm(subject: Subject, c: Case, **how: Any) -> tuple[ModuleHandle, ModuleHandle]:
    """The head with the case's weights, and the word table, which is loaded last."""
    config = c["config"]
    word = subject.embedding(config.vocab_size, config.d_embedding)
    head = subject.module("MLMHead", config, word, weights=c["weights"], **how)
    return head, word.load({"weight": c["table"]})


def _run_pooler(subject: Subject, c: Case) -> Any:
    return subject.module("Pooler", c["config"], weights=c["weights"])(c["hidden"])


def _run_mlm(subject: Subject, cases: list[Case]) -> Any:
    heads = [build_mlm(subject, c)[0] for c in cases]  # all before the first runs: each has its own settings
    return [head(c["hidden"]) for head, c in zip(heads, cases, strict=True)]


def _mlm_oracle(cases: list[Case], **options: Any) -> list[Array]:
    return [mlm(c["weights"], c["table"], c["config"], c["hidden"], **options) for c in cases]


def _run_sentence(subject: Subject, c: Case) -> Any:
    return subject.module("SentenceHead", c["config"], weights=c["weights"])(c["hidden"])


_rng = np.random.default_rng(9)
POOLER_PROBE = Probe(
    "Pooler",
    pooler_case(_rng),
    _run_pooler,
    lambda c, **options: pooler(c["weights"], c["hidden"], **options),
)
MLM_PROBE = Probe(
    "MLMHead",
    [mlm_case(_rng, activation=a, layer_norm_eps=eps) for a in ("gelu", "gelu_tanh") for eps in (0.1, 1e-12)],
    _run_mlm,
    _mlm_oracle,
)
SENTENCE_PROBE = Probe(
    "SentenceHead",
    sentence_case(_rng),
    _run_sentence,
    lambda c, **options: sentence(c["weights"], c["hidden"], **options),
)


def tied_case(rng: np.random.Generator) -> Case:
    """E = D, so that the table's rows can go straight into the head: ids -> rows -> head."""
    c = mlm_case(rng, d_embedding=8)
    c["ids"] = rng.integers(0, c["config"].vocab_size, (2, 3))
    c["cotangent"] = rng.normal(size=(2, 3, c["config"].vocab_size))
    c["direction"] = rng.normal(size=c["table"].shape)
    return c


def tied_scores(w: Weights, looked_up: Array, scored: Array, c: Case) -> Array:
    """The head on rows of `looked_up`, scored against `scored`: one table in both places."""
    return mlm(w, scored, c["config"], looked_up[c["ids"]])


def tied_chain(subject: Subject, c: Case) -> ModuleHandle:
    """ids -> word table -> head, as one module: `0.weight` is the table."""
    head, word = build_mlm(subject, c)
    return subject.torchs_own("Sequential", word, head)


def _run_tied(subject: Subject, c: Case) -> Any:
    if not MLM_PROBE.agree(MLM_PROBE.run(subject, MLM_PROBE.case), MLM_PROBE.oracle(MLM_PROBE.case)):
        return None
    got = tied_chain(subject, c).backward(c["ids"], cotangents=[c["cotangent"]]).by_name["0.weight"]
    return None if got is None else float((got * c["direction"]).sum())


def _tied(c: Case, *, uses: str = "both") -> float:
    """The slope of the table. Option: `uses` "look-up" or "scores"."""
    parts = {"both": (True, True), "look-up": (True, False), "scores": (False, True)}[uses]

    def value(at: dict[str, Array]) -> float:
        one, two = (at["table"] if moves else c["table"] for moves in parts)
        return float((tied_scores(c["weights"], one, two, c) * c["cotangent"]).sum())

    return slope(value, {"table": c["table"]}, {"table": c["direction"]})


TIED_PROBE = Probe(
    "MLMHead",
    tied_case(np.random.default_rng(19)),
    _run_tied,
    _tied,
    # Central differences leave about 1e-9 of slopes near 10.
    agree=lambda got, want: type(got) is float and bool(np.isclose(got, want, rtol=1e-6, atol=1e-6)),
)
PROBES = (POOLER_PROBE, MLM_PROBE, TIED_PROBE, SENTENCE_PROBE)

_POOLER = (
    ("pooler_last", "the last token is pooled", "Which token stands for the whole input?", {"token": "last"}),
    (
        "pooler_mean",
        "the mean of the tokens is pooled",
        "BERT trains one token to speak for all.",
        {"token": "mean"},
    ),
    (
        "pooler_max",
        "the maximum over the tokens is pooled",
        "BERT trains one token to speak for all.",
        {"token": "max"},
    ),
    (
        "pooler_first_row",
        "the first row of the batch is taken instead of the first token of each row",
        "The axes are batch, tokens, size. Which one do you index?",
        {"token": "first row"},
    ),
    (
        "pooler_no_tanh",
        "tanh is left out",
        "What keeps the pooled vector in (-1, 1)?",
        {"activation": "identity"},
    ),
    (
        "pooler_relu",
        "a ReLU stands in the place of tanh",
        "Which function has values in (-1, 1)?",
        {"activation": "relu"},
    ),
    (
        "pooler_gelu",
        "a GELU stands in the place of tanh",
        "Which function has values in (-1, 1)?",
        {"activation": "none"},
    ),
    ("pooler_no_dense", "the dense map is left out", "The pooler has weights of its own.", {"dense": False}),
)
_MLM = (
    (
        "mlm_untied",
        "the decoder has a matrix of its own: values were copied, not the parameter",
        "Assign the parameter itself; no copy, no clone, no new nn.Parameter.",
        {"tie": False},
    ),
    ("mlm_relu", "the activation is a ReLU", "config.activation names a GELU.", {"form": "relu"}),
    (
        "mlm_no_activation",
        "there is no activation between dense and norm",
        "Three steps before the decoder.",
        {"form": "identity"},
    ),
    (
        "mlm_always_exact",
        "the exact GELU is used whatever the configuration says",
        "Read config.activation.",
        {"form": "none"},
    ),
    (
        "mlm_always_tanh",
        "the tanh GELU is used whatever the configuration says",
        "Read config.activation.",
        {"form": "tanh"},
    ),
    (
        "mlm_norm_first",
        "the norm stands before the activation",
        "dense, activation, norm, decoder.",
        {"order": "norm first"},
    ),
    ("mlm_no_norm", "the norm is left out", "Three steps before the decoder.", {"order": "no norm"}),
    (
        "mlm_before_dense",
        "the activation stands before dense",
        "dense, activation, norm, decoder.",
        {"order": "before dense"},
    ),
    (
        "mlm_eps",
        "the norm keeps torch's own epsilon of 1e-5",
        "The configuration has an epsilon.",
        {"eps": 1e-5},
    ),
    (
        "mlm_unbiased",
        "the norm divides by E - 1",
        "A layer norm's variance is the biased one.",
        {"unbiased": True},
    ),
    (
        "mlm_no_bias",
        "the decoder's bias is left out",
        "Some words are frequent whatever the sentence says.",
        {"bias": False},
    ),
    (
        "mlm_softmax",
        "a softmax is applied already",
        "The loss wants logits: it has its own softmax.",
        {"output": "softmax"},
    ),
    (
        "mlm_log_softmax",
        "a log-softmax is applied already",
        "Logits, please. Applied twice it changes nothing, so training hides it.",
        {"output": "log_softmax"},
    ),
    (
        "mlm_tie_cut",
        "the gradient of the decoder's use does not arrive at the word table",
        "One nn.Parameter in both places. Sharing memory, or detaching, is not enough.",
        {"uses": "look-up"},
    ),
    (
        "mlm_input_cut",
        "the head's input is cut from the graph, so that nothing before the head learns",
        "A head needs no detach: the encoder learns through it.",
        {"uses": "scores"},
    ),
)
_SENTENCE = (
    ("sentence_flipped", "the two logits are exchanged", "Logit 1 stands for true order.", {"flip": True}),
    ("sentence_softmax", "a softmax is applied already", "The loss wants logits.", {"output": "softmax"}),
    (
        "sentence_log_softmax",
        "a log-softmax is applied already",
        "The loss wants logits.",
        {"output": "log_softmax"},
    ),
    ("sentence_tanh", "tanh is applied to the logits", "Logits have no bounds.", {"output": "tanh"}),
    (
        "sentence_squashes",
        "tanh is applied to the pooled vector again",
        "The pooler has done that.",
        {"squash": True},
    ),
)
MISTAKES = tuple(
    Mistake(f"heads.{name}", exercise, says, hint, options)
    for exercise, entries in (("Pooler", _POOLER), ("MLMHead", _MLM), ("SentenceHead", _SENTENCE))
    for name, says, hint, options in entries
)
