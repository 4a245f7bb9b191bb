"""Oracle of lesson 11: names changed one by one, the sentence classes exchanged, the tied copies written twice."""

from typing import Any

import numpy as np

from checks.fixtures.checkpoint import SIZES, Recorded, recorded
from checks.judge import Probe
from checks.oracles.checkpoint_mistakes import MISTAKES
from checks.subject import Subject
from lessons.given.config import ModelConfig
from lessons.given.names import tensor_names

__all__ = ["MISTAKES", "PROBES", "ours", "theirs"]

State = dict[str, np.ndarray]
NAMES = tuple(SIZES)
WORD, DECODER = "embeddings.word.weight", "mlm_head.decoder.weight"


def table(family: str, config: ModelConfig) -> dict[str, str]:
    """Their name -> our name."""
    if family == "bert":
        return tensor_names("bert", config.n_layers)
    return tensor_names("albert", config.n_groups)


def prefix(family: str) -> str:
    """What their MLM head's names begin with."""
    return "cls.predictions" if family == "bert" else "predictions"


def copies(family: str) -> dict[str, str]:
    """Their tied copies, and what each copies."""
    head = prefix(family)
    return {
        f"{head}.decoder.weight": f"{family}.embeddings.word_embeddings.weight",
        f"{head}.decoder.bias": f"{head}.bias",
    }


def _exchanged(name: str, array: np.ndarray, classes: str) -> np.ndarray:
    parts = {"swapped": ("weight", "bias"), "kept": (), "weight": ("weight",), "bias": ("bias",)}[classes]
    if "classifier" in name and name.rpartition(".")[2] in parts:
        return array[::-1].copy()
    if "classifier" in name and classes == "columns" and array.ndim == 2:
        return array[:, ::-1].copy()
    return array.copy()


def ours(
    state: State,
    family: str,
    config: ModelConfig,
    *,
    classes: str = "swapped",
    roles: str = "",
    bias: str = "theirs",
    transposed: bool = False,
    norms: str = "",
) -> State:
    """Our model's state for their checkpoint.

    Options: `classes` "kept", or only "weight" or "bias" exchanged; `roles` "key query" exchanges two projections;
    `bias` "zero" (the decoder's bias is lost); `transposed` (square matrices); `norms` "exchanged" (a layer's two).
    """
    found: State = {}
    for theirs_name, name in table(family, config).items():
        if theirs_name in copies(family):
            continue
        found[name] = _exchanged(name, state[theirs_name], classes)
        if name == "mlm_head.decoder.bias" and bias == "zero":
            found[name] = np.zeros_like(found[name])
        square = found[name].ndim == 2 and found[name].shape[0] == found[name].shape[1]
        if transposed and square:
            found[name] = found[name].T.copy()
    pairs = [tuple(f".{role}." for role in roles.split())] if roles else []
    pairs += [(".attention_norm.", ".feed_forward_norm.")] if norms == "exchanged" else []
    for one, other in pairs:
        swapped = {n.replace(one, other): a for n, a in found.items() if one in n}
        swapped |= {n.replace(other, one): a for n, a in found.items() if other in n}
        found |= swapped
    return found | {DECODER: found[WORD].copy()}


def theirs(
    state: State, family: str, config: ModelConfig, *, copied: str = "both", ids: bool = False, **options: Any
) -> State:
    """Their checkpoint for our state.

    Options: `copied` "none", "weight" or "bias" (which tied copies are written); `ids` (position ids are written);
    and those of `ours` that undo themselves.
    """
    named = dict(table(family, config))
    full = ours({t: state[o] for t, o in named.items()}, family, config, **options)
    found = {t: full[o].copy() for t, o in named.items()}
    for copy in copies(family):
        if copied not in ("both", copy.rpartition(".")[2]):
            del found[copy]
    if ids:
        found[f"{family}.embeddings.position_ids"] = np.arange(config.max_len)[None]
    return found


def made(family: str, config: ModelConfig, rng: np.random.Generator) -> State:
    """A checkpoint of random values for any configuration, in their names and float32, tied as it should be."""
    c, D, E = config, config.d_model, config.d_embedding
    sizes = {
        "word": (c.vocab_size, E),
        "position": (c.max_len, E),
        "segment": (c.n_segments, E),
        "projection": (D, E),
    }
    sizes |= {
        "expand": (c.d_ff, D),
        "contract": (D, c.d_ff),
        "classifier": (2, D),
        "decoder": (c.vocab_size, E),
    }
    found: State = {}
    for name, our in table(family, config).items():
        *_, owner, part, kind = ("", *our.split("."))
        shape: tuple[int, ...] = (E, D) if our.startswith("mlm_head.dense") else sizes.get(part, (D, D))
        if "norm" in part:
            shape = (E if owner in ("embeddings", "mlm_head") else D,)
        found[name] = rng.normal(size=shape if kind == "weight" else shape[:1]).astype(np.float32)
    for copy, original in copies(family).items():
        found[copy] = found[original].copy()
    return found


def config_of(family: str, **changes: Any) -> ModelConfig:
    """A small configuration of the family."""
    sizes: dict[str, Any] = {
        "vocab_size": 11,
        "max_len": 6,
        "d_model": 6,
        "n_heads": 2,
        "n_layers": 4,
        "d_ff": 7,
    }
    albert = {"sharing": "all", "n_groups": 2, "d_embedding": 5} if family == "albert" else {}
    return ModelConfig(**(sizes | albert | changes))


def without_copies(state: State, family: str) -> State:
    """Their checkpoint without its tied copies."""
    return {name: array for name, array in state.items() if name not in copies(family)}


def no_copies(array: np.ndarray) -> list[tuple[np.ndarray, str]]:
    """What is no copy of `array`, and why."""
    nudged, exchanged = array.copy(), array.copy()
    nudged.flat[1] = np.nextafter(array.flat[1], np.float32(np.inf))
    exchanged[:2] = array[1::-1]
    return [
        (array + 1, "is another tensor than what it should copy"),
        (nudged, "differs from its original in the last bit of one number"),
        (exchanged, "has two rows of its original exchanged"),
        (array[:-1].copy(), "is a row shorter than its original"),
        (array[None].copy(), "has an axis more than its original"),
    ]


def other_names(state: State, family: str) -> list[tuple[State, str]]:
    """The state under names that other programs use."""
    norm = f"{family}.embeddings.LayerNorm.weight"
    gamma = {key.replace(norm, norm.replace("weight", "gamma")): array for key, array in state.items()}
    return [
        (gamma, "the oldest checkpoints call a norm's weight gamma: a name that is not in the table"),
        (
            {f"module.{key}": array for key, array in state.items()},
            "a prefix before all names: neither family",
        ),
    ]


def other_shapes(state: State, family: str, config: ModelConfig) -> list[tuple[State, str]]:
    """Entries whose shapes are not those of `config`, and what is wrong about each."""
    named = {name: theirs_name for theirs_name, name in table(family, config).items()}
    position, classifier = named["embeddings.position.weight"], named["sentence_head.classifier.weight"]
    bias, expand = named["pooler.dense.bias"], named["encoder.layers.0.feed_forward.expand.weight"]
    segment, norm = named["embeddings.segment.weight"], named["mlm_head.norm.bias"]
    three, longer, more = (np.vstack([state[n], state[n][:1]]) for n in (classifier, position, segment))
    return [
        ({position: state[position][:-1].copy()}, "the position table is a row too short"),
        ({position: longer}, "the position table is a row too long"),
        ({segment: more}, "the segment table has a row too many"),
        ({segment: state[segment][:1].copy()}, "one row is not a segment table of equal rows"),
        ({norm: state[norm][:-1].copy()}, "the head's norm has a bias that is one number short"),
        ({classifier: three}, "the sentence classifier has a row for each of two classes, not three"),
        ({bias: state[bias][:1].copy()}, "one number is not a bias of D equal numbers"),
        ({expand: state[expand].T.copy()}, "[D, F] is not [F, D], although it holds as many numbers"),
    ]


def doubled(state: State, nudge: float = 1e-12) -> State:
    """A state in float64; with `nudge`, of numbers that float32 does not have."""
    return {name: array.astype(np.float64) + nudge for name, array in state.items()}


def halved(state: State) -> State:
    """A state in float16, as many published checkpoints are."""
    return {name: array.astype(np.float16) for name, array in state.items()}


def word_table_doubled(state: State, family: str) -> State:
    """The word table and its copy in float64, all else as it was, and the word table not first."""
    copy, original = next(iter(copies(family).items()))
    both = {name: state[name].astype(np.float64) for name in (copy, original)}
    return dict(reversed((state | both).items()))


def _run_from(subject: Subject, case: Recorded) -> State:
    model = subject.keep_module("from_huggingface", case.state, case.config)
    return dict(sorted(model.state().items()))


def _run_to(subject: Subject, case: Recorded) -> Any:
    got = subject.call("to_huggingface", ours_model(subject, case.family, case.config, case.state))
    return dict(sorted(got.items())) if isinstance(got, dict) else got


def ours_model(subject: Subject, family: str, config: ModelConfig, state: State) -> Any:
    """A model of the lesson before, in float32, that holds their checkpoint."""
    kind = "models.BERTModel" if family == "bert" else "models.ALBERTModel"
    weights = ours(state, family, config)
    del weights[DECODER]
    return subject.module(kind, config, weights=weights, double=False)


FROM_PROBE = Probe(
    "from_huggingface",
    recorded("bert"),
    _run_from,
    lambda c, **options: dict(sorted(ours(c.state, c.family, c.config, **options).items())),
)
TO_PROBE = Probe(
    "to_huggingface",
    recorded("albert"),
    _run_to,
    lambda c, **options: dict(
        sorted(theirs(ours(c.state, c.family, c.config), c.family, c.config, **options).items())
    ),
)
PROBES = (FROM_PROBE, TO_PROBE)
