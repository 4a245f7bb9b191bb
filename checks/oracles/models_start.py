"""How a model of lesson 10 starts: initial weights by their statistics, told apart by name and dimension."""

from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles import weights as random_weights
from checks.subject import ModuleHandle, Subject, TorchSeed, props
from lessons.given.config import ModelConfig

Array = np.ndarray
MODELS = ("BERTModel", "ALBERTModel")


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


def draw_after(subject: Subject, seed: int, kind: str, config: ModelConfig) -> float:
    """torch's next global draw after a model was made under this global seed."""
    return subject.execute("draws_around", seed, kind, [config], {})["torch"]


START_STD = 0.05
START_WIDTH = 24
_START_SPREADS = {
    "word": f"{props.WORD}.weight",
    "pooler": "pooler.dense.weight",
    "mlm_head": "mlm_head.dense.weight",
}


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
    """One-dimensional parameters under `ODD_NAMES`, a frozen matrix, and one whose name ends in bias."""
    entries: list[tuple[str, str, Any]] = [(name, "parameter", [5]) for name in ODD_NAMES]
    matrices = [("frozen", "frozen", [40, 30]), ("relative.bias", "parameter", [40, 30])]
    return subject.structure([*entries, *matrices])


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
START_MISTAKES = (
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
INIT_MISTAKES = (
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
