"""Oracle of lesson 10: the whole model from the oracles of its parts. How it starts is in `models_start`."""

from typing import Any

import numpy as np

from checks.judge import Mistake, Probe
from checks.oracles import blocks, encoders, heads
from checks.oracles import weights as random_weights
from checks.oracles.blocks import Weights, part
from checks.oracles.models_start import INIT_MISTAKES, INIT_PROBE, MODELS, START_MISTAKES, START_PROBES
from checks.subject import ModuleHandle, Subject
from lessons.given.config import ModelConfig

Array = np.ndarray
Case = dict[str, Any]
WORD, DECODER = "embeddings.word.weight", "mlm_head.decoder.weight"


def forward(
    w: Weights,
    config: ModelConfig,
    ids: Array,
    segments: Array | None,
    mask: Array | None,
    *,
    encoder: str = "by sharing",
    segment: str = "given",
    unmasked: str = "all visible",
    masked: str = "every",
    pooled: str = "output",
) -> list[Array]:
    """(sequence_output, pooled_output), with 0 at padding in the former.

    Options: `encoder` "none" or "all" whatever `sharing` says; `segment` "ignored" (all 0), "from 1" (a missing one
    is 1), "exchanged"; `unmasked` "where ids" (without a mask, id 0 is hidden); `masked` "none" (the mask is
    dropped); `pooled` "embeddings" (what goes into the encoder is pooled).
    """
    filled = np.full_like(ids, 1 if segment == "from 1" else 0) if segments is None else segments
    filled = {"ignored": np.zeros_like(ids), "exchanged": 1 - filled}.get(segment, filled)
    hidden = blocks.embeddings(part(w, "embeddings"), config, ids, filled)
    seen = ids != 0 if mask is None and unmasked == "where ids" else mask
    sharing = config.sharing if encoder == "by sharing" else encoder
    kind = {"none": "BERTEncoder", "all": "ALBERTEncoder"}.get(sharing, "PartlySharedEncoder")
    out = encoders.encode_all(kind, part(w, "encoder"), config, hidden, seen, masked=masked)
    vector = heads.pooler(part(w, "pooler"), hidden if pooled == "embeddings" else out)
    return [encoders.at_real_tokens(out, mask), vector]


def mlm_logits(
    w: Weights,
    config: ModelConfig,
    sequence: Array,
    positions: Array | None,
    *,
    gather: str = "rows",
    tie: bool = True,
) -> Array:
    """Scores everywhere, or at flattened positions b * T + t, one position at a time.

    Options: `gather` "no offset" (always row 0) or "tokens first" (t * B + b); `tie` False.
    """
    n_rows, n_tokens, _ = sequence.shape
    if positions is not None:
        places = {
            "rows": [divmod(int(p), n_tokens) for p in positions],
            "no offset": [(0, int(p) % n_tokens) for p in positions],
            "tokens first": [(int(p) % n_rows, int(p) // n_rows) for p in positions],
        }[gather]
        sequence = np.array([sequence[place] for place in places]).reshape(-1, sequence.shape[-1])
    return heads.mlm(part(w, "mlm_head"), w[WORD], config, sequence, tie=tie)


def model_weights(rng: np.random.Generator, kind: str, c: ModelConfig) -> Weights:
    """All named weights; the decoder's own matrix is stale and stands before the word table that replaces it."""
    size = c.d_embedding
    head = random_weights.prefixed("decoder", random_weights.linear(rng, size, c.vocab_size))
    head |= random_weights.prefixed("dense", random_weights.linear(rng, c.d_model, size))
    head |= random_weights.prefixed("norm", random_weights.norm(rng, size))
    prefixed = random_weights.prefixed
    return (
        prefixed("mlm_head", head)
        | prefixed("embeddings", random_weights.embeddings(rng, c, kind == "ALBERTModel"))
        | prefixed("encoder", random_weights.layers(rng, c, c.n_layers))
        | prefixed("pooler.dense", random_weights.linear(rng, c.d_model, c.d_model))
        | prefixed("sentence_head.classifier", random_weights.linear(rng, c.d_model, 2))
    )


def case(kind: str, seed: int, rows: int = 3, tokens: int = 5, **changes: Any) -> Case:
    """A model's weights and a padded batch; `hidden`, `pooled` and `positions` for the heads."""
    rng = np.random.default_rng(seed)
    sizes = {"n_layers": 2, "d_ff": 7} | ({"d_embedding": 6} if kind == "ALBERTModel" else {})
    c = random_weights.config(**(sizes | changes))
    mask = random_weights.padding(rng, rows, tokens)
    mask[min(1, rows - 1) :, -1] = False
    ids = rng.integers(0, c.vocab_size, (rows, tokens))
    ids[rng.random(ids.shape) < 0.2] = 0
    ids[:, 0] = 2
    return {
        "config": c,
        "weights": model_weights(rng, kind, c),
        "ids": ids,
        "segments": rng.integers(0, 2, (rows, tokens)),
        "mask": mask,
        "hidden": rng.normal(size=(rows, tokens, c.d_model)),
        "pooled": rng.uniform(-1, 1, (rows, c.d_model)),
        "positions": np.append(rng.permutation(rows * tokens)[:6], [rows * tokens - 1, 0, 0]),
    }


def build(subject: Subject, kind: str, c: Case, **how: Any) -> ModuleHandle:
    """The model with the case's weights; encoder layers that it lacks, or has too many of, show by values."""
    model = subject.module(kind, c["config"], **how)
    there = {_layer(name) for name in model.parameters()}
    every = {_layer(name) for name in c["weights"]}
    partly = c["config"].sharing in ("attention", "ffn") and len(there & every) > 2
    wanted = every if partly else there | {"", "encoder.layers.0"}
    return model.load({name: x for name, x in c["weights"].items() if _layer(name) in wanted})


def _layer(name: str) -> str:
    return ".".join(name.split(".")[:3]) if name.startswith("encoder.layers.") else ""


def names_in_state(c: Case) -> list[str]:
    """The names in the state of a model that shares nothing, or everything in one group."""
    shared = c["config"].sharing == "all"
    return sorted(name for name in c["weights"] if not shared or _layer(name) in ("", "encoder.layers.0"))


def spoil_the_others(c: Case) -> Array:
    """`hidden` with huge numbers in the rows that `positions` leaves out.

    They overflow inside the head; times 0 they are 0, so that a product with one-hot rows may pick the others.
    """
    chosen = np.isin(np.arange(c["mask"].size), c["positions"]).reshape(c["mask"].shape)
    assert not chosen.all()
    return np.where(chosen[..., None], c["hidden"], 1.7e308)


def sequence_at_real_tokens(result: Any, mask: Array | None) -> Any:
    """The pair with 0 at padding."""
    if isinstance(result, list) and len(result) == 2:
        return [encoders.at_real_tokens(result[0], mask), result[1]]
    return result


def _run_forward(kind: str) -> Any:
    def run(subject: Subject, cases: list[Case]) -> Any:
        results = []
        for c in cases:
            got = build(subject, kind, c)(c["ids"], c["segments"], c["mask"])
            results.append(sequence_at_real_tokens(got, c["mask"]))
        return results

    return run


def _forward_oracle(cases: list[Case], **options: Any) -> list[list[Array]]:
    return [forward(c["weights"], c["config"], c["ids"], c["segments"], c["mask"], **options) for c in cases]


def _run_mlm(kind: str) -> Any:
    def run(subject: Subject, c: Case) -> Any:
        model = build(subject, kind, c)
        everywhere = model(c["hidden"], method="mlm_logits")
        return [everywhere, model(c["hidden"], c["positions"], method="mlm_logits")]

    return run


def _mlm_oracle(c: Case, **options: Any) -> list[Array]:
    places = (None, c["positions"])
    return [mlm_logits(c["weights"], c["config"], c["hidden"], positions, **options) for positions in places]


def _run_sentence(kind: str) -> Any:
    return lambda subject, c: build(subject, kind, c)(c["pooled"], method="sentence_logits")


def _sentence_oracle(c: Case, **options: Any) -> Array:
    return heads.sentence(part(c["weights"], "sentence_head"), c["pooled"], **options)


def _probe_cases(kind: str) -> list[Case]:
    sharings = ("none",) if kind == "BERTModel" else ("all", "none", "attention", "ffn")
    cases = [case(kind, 10 + i, sharing=sharing, n_layers=3) for i, sharing in enumerate(sharings)]
    return [*cases, cases[0] | {"segments": None, "mask": None}]


FORWARD_PROBES = {
    kind: Probe(kind, _probe_cases(kind), _run_forward(kind), _forward_oracle) for kind in MODELS
}
MLM_PROBES = {
    kind: Probe(
        kind, case(kind, 20, sharing="none" if kind == "BERTModel" else "all"), _run_mlm(kind), _mlm_oracle
    )
    for kind in MODELS
}
SENTENCE_PROBES = {
    kind: Probe(kind, MLM_PROBES[kind].case, _run_sentence(kind), _sentence_oracle) for kind in MODELS
}


PROBES = (
    *FORWARD_PROBES.values(),
    *MLM_PROBES.values(),
    *SENTENCE_PROBES.values(),
    *START_PROBES.values(),
    INIT_PROBE,
)

_BOTH = (
    (
        "mask_dropped",
        "the encoder does not get the attention mask",
        "Which argument hides padding?",
        {"masked": "none"},
    ),
    (
        "mask_from_ids",
        "without a mask, tokens of id 0 are hidden",
        "No mask means that every token is real.",
        {"unmasked": "where ids"},
    ),
    (
        "segments_ignored",
        "segment_ids are not used: all tokens get segment 0",
        "Follow segment_ids.",
        {"segment": "ignored"},
    ),
    (
        "segments_from_1",
        "missing segment_ids become 1",
        "The first segment has number 0.",
        {"segment": "from 1"},
    ),
    (
        "segments_exchanged",
        "segments 0 and 1 are exchanged",
        "Hand segment_ids on as they are.",
        {"segment": "exchanged"},
    ),
    (
        "pooled_too_early",
        "the pooler works on the embeddings, which have not read the sentence",
        "What has the first token learned of the others there?",
        {"pooled": "embeddings"},
    ),
    (
        "no_offset",
        "positions are read within row 0, without the row's offset b * T",
        "In a flattened B x T, where does row 1 start?",
        {"gather": "no offset"},
    ),
    (
        "tokens_first",
        "positions are read as t * B + b",
        "Flatten the batch axis first: neighbours in memory are neighbours in a row.",
        {"gather": "tokens first"},
    ),
    (
        "untied",
        "the masked-word head has a table of its own",
        "Which table does MLMHead want?",
        {"tie": False},
    ),
    (
        "sentence_flipped",
        "the two sentence logits are exchanged",
        "Logit 1 stands for true order.",
        {"flip": True},
    ),
    (
        "sentence_softmax",
        "a softmax is applied to the sentence logits",
        "The loss wants logits.",
        {"output": "softmax"},
    ),
    (
        "sentence_squashes",
        "tanh is applied to the pooled vector again",
        "The pooler has done that.",
        {"squash": True},
    ),
    (
        "torchs_start",
        "the weights are left as torch starts them: the first loss is far above ln V",
        "Is init_weights called last, and does it reach every part?",
        {"start": "torch's"},
    ),
    (
        "heads_torchs_start",
        "the heads are left as torch starts them",
        "Start the weights after everything has been made.",
        {"start": "heads torch's"},
    ),
)
_ALBERT = (
    (
        "always_shared",
        "the encoder shares all layers whatever `config.sharing` says",
        "Three encoders, four words.",
        {"encoder": "all"},
    ),
    (
        "never_shared",
        "the encoder shares nothing whatever `config.sharing` says",
        "Three encoders, four words.",
        {"encoder": "none"},
    ),
)
MISTAKES = tuple(
    Mistake(f"models.{name}", exercise, says, hint, options)
    for exercise, entries in (
        ("BERTModel", (*_BOTH, *START_MISTAKES)),
        ("ALBERTModel", (*_BOTH, *_ALBERT, *START_MISTAKES)),
        ("init_weights", (*START_MISTAKES, *INIT_MISTAKES)),
    )
    for name, says, hint, options in entries
)
