"""Oracle of lesson 10: the whole model from the oracles of its parts, and initial weights by their statistics."""

from typing import Any

import numpy as np

from checks.judge import Mistake, Probe
from checks.oracles import blocks, encoders, heads
from checks.oracles import weights as random_weights
from checks.oracles.blocks import Weights, part
from checks.subject import ModuleHandle, Subject, TorchSeed
from lessons.given.config import ModelConfig

Array = np.ndarray
Case = dict[str, Any]
MODELS = ("BERTModel", "ALBERTModel")
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


def draw_after(subject: Subject, seed: int, kind: str, config: ModelConfig) -> float:
    """torch's next global draw after a model was made under this global seed."""
    return subject.execute("draws_around", seed, kind, [config], {})["torch"]


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


def kinds_of(state: dict[str, Array]) -> dict[str, list[Array]]:
    """The state's tensors as matrices, biases and norm weights."""
    found: dict[str, list[Array]] = {"matrices": [], "biases": [], "norms": []}
    for name, x in state.items():
        found["matrices" if x.ndim > 1 else "biases" if name.endswith("bias") else "norms"].append(x)
    return found


def _constant(arrays: list[Array], right: float, wrong: float) -> float:
    """0 where all entries are `right`, 1 where all are `wrong`, 2 otherwise."""
    joined = np.concatenate([x.ravel() for x in arrays])
    return 0.0 if (joined == right).all() else 1.0 if (joined == wrong).all() else 2.0


def start_statistics(state: dict[str, Array], spreads: dict[str, str], std: float) -> dict[str, float]:
    """What can be told of a start: the spread of named matrices in units of `std`, and of biases and norms."""
    kinds = kinds_of(state)
    found = {label: float(state[name].std() / std) for label, name in spreads.items()}
    return found | {"biases": _constant(kinds["biases"], 0, 1), "norms": _constant(kinds["norms"], 1, 0)}


def agree_statistically(got: Any, want: Any) -> bool:
    """Flags are equal, spreads within 30 %: a standard deviation of 500 numbers is known to 3 %."""
    if not isinstance(got, dict) or list(got) != list(want):
        return False
    return all(
        got[key] == want[key] if key in ("biases", "norms") else abs(got[key] / want[key] - 1) < 0.3
        for key in want
    )


START_STD = 0.05
START_WIDTH = 24
_START_SPREADS = {"word": WORD, "pooler": "pooler.dense.weight", "mlm_head": "mlm_head.dense.weight"}


def start_config(kind: str) -> ModelConfig:
    """Wide enough for statistics, E = D, and a standard deviation that is not the default."""
    sharing = "none" if kind == "BERTModel" else "all"
    sizes = {"vocab_size": 97, "d_model": START_WIDTH, "d_ff": 31, "n_layers": 2}
    return random_weights.config(**sizes, sharing=sharing, init_std=START_STD)


def _run_start(kind: str) -> Any:
    def run(subject: Subject, config: ModelConfig) -> Any:
        state = subject.module(kind, config, seed=subject.seed).state()
        if not set(_START_SPREADS.values()) <= set(state):
            return {}
        return start_statistics(state, _START_SPREADS, START_STD)

    return run


def _start(config: ModelConfig, *, start: str = "right") -> dict[str, float]:
    """Option: `start` "torch's" (no init_weights), "heads torch's", "fixed" (0.02), "biases" or "norms" not set."""
    linear = 1 / (3 * START_WIDTH) ** 0.5 / START_STD
    spreads = {
        "torch's": (1 / START_STD, linear, linear),
        "heads torch's": (1.0, linear, linear),
        "fixed": (0.02 / START_STD,) * 3,
    }.get(start, (1.0, 1.0, 1.0))
    flags = {
        "torch's": (2.0, 0.0),
        "heads torch's": (2.0, 0.0),
        "biases": (2.0, 0.0),
        "norms zero": (0.0, 1.0),
    }
    flags["norms drawn"] = (0.0, 2.0)
    biases, norms = flags.get(start, (0.0, 0.0))
    return dict(zip(_START_SPREADS, spreads, strict=True)) | {"biases": biases, "norms": norms}


START_PROBES = {
    kind: Probe(kind, start_config(kind), _run_start(kind), _start, agree=agree_statistically)
    for kind in MODELS
}
INIT_PARTS: tuple[tuple[Any, ...], ...] = (
    ("Linear", 200, 150),
    ("LayerNorm", 7),
    ("Embedding", 97, 50),
    ("Conv1d", 16, 12, 5),
    ("MultiheadAttention", 24, 3),
    ("GroupNorm", 2, 4),
)
INIT_SPREADS = {
    "linear": "0.weight",
    "embedding": "2.weight",
    "conv": "3.weight",
    "bare": "4.in_proj_weight",
    "deep": "4.out_proj.weight",
}


def init_parts(subject: Subject) -> ModuleHandle:
    """Modules of many classes in a row: matrices of two and three axes, a matrix that no linear layer holds."""
    return subject.torchs_own("Sequential", *[subject.torchs_own(*entry) for entry in INIT_PARTS])


ODD_NAMES = {
    "bias_net.weight": 1.0,
    "norm.gain": 1.0,
    "cell.bias_ih": 1.0,
    "attention.in_proj_bias": 0.0,
}


def odd_parts(subject: Subject) -> ModuleHandle:
    """One-dimensional parameters under `ODD_NAMES`, and a frozen matrix under `frozen`."""
    entries: list[tuple[str, str, Any]] = [(name, "parameter", [5]) for name in ODD_NAMES]
    return subject.structure([*entries, ("frozen", "frozen", [40, 30])])


def _run_init(subject: Subject, std: float) -> Any:
    module = init_parts(subject)
    subject.call("init_weights", module, std=std, generator=TorchSeed(subject.seed))
    state = module.state()
    inside = float((np.abs(state["0.weight"]) < std).mean())
    return start_statistics(state, INIT_SPREADS, std) | {"inside": inside}


def _init(std: float, *, start: str = "right", shape: str = "normal") -> dict[str, float]:
    """Options: `start` "fixed" (0.02 whatever `std` is), "biases", "norms zero", "norms drawn", "by class" (only
    linear layers, embeddings and layer norms are known); `shape` "uniform"."""
    spreads = dict.fromkeys(INIT_SPREADS, 1.0)
    if start == "by class":
        spreads |= {"conv": 1 / (3 * 80) ** 0.5 / std, "bare": (2 / 96) ** 0.5 / std}
    if start == "fixed":
        spreads = dict.fromkeys(INIT_SPREADS, 0.02 / std)
    flags = {
        "biases": (2.0, 0.0),
        "norms zero": (0.0, 1.0),
        "norms drawn": (0.0, 2.0),
        "by class": (2.0, 0.0),
    }
    biases, norms = flags.get(start, (0.0, 0.0))
    inside = 0.987 if start == "fixed" else 0.577 if shape == "uniform" else 0.665
    return spreads | {"biases": biases, "norms": norms, "inside": inside}


def _agree_init(got: Any, want: Any) -> bool:
    """Of a normal 0.683 lie within one deviation, of a normal cut at two 0.651; 0.63 to 0.70 takes both."""
    if not isinstance(got, dict) or "inside" not in got:
        return False
    rest = ({k: v for k, v in d.items() if k != "inside"} for d in (got, want))
    return abs(got["inside"] - want["inside"]) < 0.035 and agree_statistically(*rest)


INIT_PROBE = Probe("init_weights", 0.05, _run_init, _init, agree=_agree_init)
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
_START = (
    (
        "init_fixed",
        "the standard deviation is 0.02 whatever is asked for",
        "Hand the number on.",
        {"start": "fixed"},
    ),
    ("init_biases", "biases are not set to 0", "What do the names of biases end with?", {"start": "biases"}),
    (
        "init_norms_zero",
        "norm weights become 0, so that every norm gives its bias only",
        "A norm starts as it would without weights.",
        {"start": "norms zero"},
    ),
    (
        "init_norms_drawn",
        "norm weights are drawn at random",
        "Two dimensions or more: drawn. And one?",
        {"start": "norms drawn"},
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
_INIT = (
    (
        "init_by_class",
        "only modules of known classes are started",
        "Go through named_parameters, and tell kinds apart by name and dimension.",
        {"start": "by class"},
    ),
    (
        "init_uniform",
        "the numbers are uniform",
        "N(0, std) is the normal distribution.",
        {"shape": "uniform"},
    ),
)
MISTAKES = tuple(
    Mistake(f"models.{name}", exercise, says, hint, options)
    for exercise, entries in (
        ("BERTModel", (*_BOTH, *_START)),
        ("ALBERTModel", (*_BOTH, *_ALBERT, *_START)),
        ("init_weights", (*_START, *_INIT)),
    )
    for name, says, hint, options in entries
)
