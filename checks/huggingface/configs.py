"""What a model is: Hugging Face's `config.json` as the course's configuration, and seven published ones built in.

The course's model is one BERT and one ALBERT. What a `config.json` asks for beyond these is refused by name: a
model that is nearly right gives numbers that are quietly wrong.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from lessons.given.config import Activation, ModelConfig
from lessons.given.names import Family


class Spec(NamedTuple):
    """A model without its weights. `architecture` is what `config.json` calls it, for messages only."""

    name: str
    family: Family
    config: ModelConfig
    architecture: str = ""

    @property
    def factorized(self) -> bool:
        """Whether the embeddings are ALBERT's."""
        return self.family == "albert"


def _bert(vocab_size: int, n_layers: int, d_model: int, n_heads: int) -> tuple[Family, ModelConfig]:
    return "bert", ModelConfig(
        vocab_size=vocab_size, max_len=512, d_model=d_model, n_layers=n_layers, n_heads=n_heads
    )


def _albert(n_layers: int, d_model: int, n_heads: int) -> tuple[Family, ModelConfig]:
    return "albert", ModelConfig(
        vocab_size=30_000,
        max_len=512,
        d_model=d_model,
        d_embedding=128,
        n_layers=n_layers,
        n_heads=n_heads,
        dropout=0.0,
        sharing="all",
        activation="gelu_tanh",
    )


BUILT_IN: dict[str, tuple[Family, ModelConfig]] = {
    "bert-base-uncased": _bert(30_522, 12, 768, 12),
    "bert-base-cased": _bert(28_996, 12, 768, 12),
    "bert-large-uncased": _bert(30_522, 24, 1024, 16),
    "albert-base-v2": _albert(12, 768, 12),
    "albert-large-v2": _albert(24, 1024, 16),
    "albert-xlarge-v2": _albert(24, 2048, 16),
    "albert-xxlarge-v2": _albert(12, 4096, 64),
}

# Their name for each of ours. A size has to be there; the rest has the default of their own classes.
SIZES = {
    "vocab_size": "vocab_size",
    "max_len": "max_position_embeddings",
    "d_model": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "d_ff": "intermediate_size",
}
REST: dict[str, tuple[str, Any]] = {
    "n_segments": ("type_vocab_size", 2),
    "layer_norm_eps": ("layer_norm_eps", 1e-12),
    "init_std": ("initializer_range", 0.02),
}
ALBERT_ONLY = {"d_embedding": "embedding_size", "n_groups": "num_hidden_groups"}
ACTIVATIONS: dict[str, Activation] = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}
# What the course's model cannot be: key -> (the value that it stands for, why).
FIXED: dict[str, tuple[Any, str]] = {
    "position_embedding_type": ("absolute", "positions are a table, not relative"),
    "is_decoder": (False, "every token sees every token"),
    "add_cross_attention": (False, "there is no second input"),
    "tie_word_embeddings": (True, "the decoder's matrix is the word table"),
    "inner_group_num": (1, "a group is one layer"),
    "pruned_heads": ({}, "all layers have all heads"),
    "quantization_config": (None, "weights are floating-point numbers"),
}


def read_spec(folder: Path) -> Spec:
    """The model that `folder/config.json` describes.

    Raises:
        ValueError: no such file, not JSON, another kind of model, or one that the course's model cannot be.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"{path} is missing: expected a folder as `save_pretrained` writes it")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if not isinstance(raw, dict):
        raise ValueError(f"{path}: got {type(raw).__name__}, expected a JSON object")
    try:
        return spec_from(raw, folder.resolve().name)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def spec_from(raw: dict[str, Any], name: str) -> Spec:
    """The model that the content of a `config.json` describes; ValueError as `read_spec`."""
    architectures = raw.get("architectures")
    architecture = str(architectures[0]) if isinstance(architectures, list) and architectures else ""
    family = _family(raw.get("model_type"), architecture)
    for key, (only, why) in FIXED.items():
        if raw.get(key) not in (None, only):
            raise ValueError(f"{key}: got {raw[key]!r}, expected {only!r} (in the course's model {why})")
    theirs = SIZES | (ALBERT_ONLY if family == "albert" else {})
    missing = [key for key in theirs.values() if key not in raw and key != "num_hidden_groups"]
    if missing:
        raise ValueError(f"missing {', '.join(missing)}")
    fields = {ours: raw.get(key, 1) for ours, key in theirs.items()}
    fields |= {ours: raw.get(key, default) for ours, (key, default) in REST.items()}
    fields |= {"activation": _activation(raw, family), "dropout": _dropout(raw, family)}
    fields |= {"sharing": "all" if family == "albert" else "none"}
    try:
        return Spec(name, family, ModelConfig(**fields), architecture)
    except ValueError as error:
        raise ValueError(_in_their_names(str(error))) from error


def _family(model_type: Any, architecture: str) -> Family:
    if model_type is None:  # older files have the architecture only
        model_type = re.match("[A-Z][a-z]*|", architecture)[0].lower()  # type: ignore[index]
    if model_type not in ("bert", "albert"):
        what = f"{model_type!r}" if model_type else "none"
        raise ValueError(f"model_type: got {what}, expected 'bert' or 'albert'")
    return model_type


def _activation(raw: dict[str, Any], family: Family) -> Activation:
    act = raw.get("hidden_act", "gelu" if family == "bert" else "gelu_new")
    if not isinstance(act, str) or act not in ACTIVATIONS:
        raise ValueError(f"hidden_act: got {act!r}, expected one of {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[act]


def _dropout(raw: dict[str, Any], family: Family) -> Any:
    hidden, attention = (
        raw.get(key, 0.1 if family == "bert" else 0.0)
        for key in ("hidden_dropout_prob", "attention_probs_dropout_prob")
    )
    if hidden != attention:
        raise ValueError(
            f"attention_probs_dropout_prob: got {attention!r} with hidden_dropout_prob={hidden!r}, expected "
            "the same twice (the course's model has one dropout; it does not act outside training)"
        )
    return hidden


def _in_their_names(message: str) -> str:
    """A message of `ModelConfig`, with the keys that stand in the file."""
    names = SIZES | ALBERT_ONLY | {ours: key for ours, (key, _) in REST.items()}
    names["dropout"] = "hidden_dropout_prob"
    return re.sub(r"[a-z_]+", lambda match: names.get(match[0], match[0]), message)
