"""From a folder to the course's model: what published files do differently is evened out, then `from_huggingface`."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from checks.huggingface.configs import Spec
from checks.huggingface.folder import Warn, read_weights
from lessons.given.config import ModelConfig
from lessons.given.names import Family

FromHuggingFace = Callable[[dict[str, Tensor], ModelConfig], Any]
HEAD: dict[Family, str] = {"bert": "cls.predictions", "albert": "predictions"}
MASKED_WORD: dict[Family, str] = {
    "bert": "cls.predictions.transform.dense.weight",
    "albert": "predictions.dense.weight",
}
POOLER: dict[Family, str] = {"bert": "bert.pooler.dense", "albert": "albert.pooler"}
SENTENCE: dict[Family, str] = {"bert": "cls.seq_relationship", "albert": "sop_classifier.classifier"}
OLD_NAMES = {".LayerNorm.gamma": ".LayerNorm.weight", ".LayerNorm.beta": ".LayerNorm.bias"}


def load_model(folder: Path, spec: Spec, from_huggingface: FromHuggingFace, warn: Warn) -> Any:
    """The checkpoint in the course's model, in float32 and eval mode.

    Raises:
        ValueError: files that cannot be read, another architecture, tensors that do not fit `config.json`.
    """
    state = complete(read_weights(folder, warn), spec, warn)
    try:
        return from_huggingface(state, spec.config).float().eval()
    except ValueError as error:
        raise ValueError(f"{folder}: {textwrap.shorten(str(error), 400, placeholder=' ...')}") from error


def complete(state: dict[str, Tensor], spec: Spec, warn: Warn) -> dict[str, Tensor]:
    """The state as `BertForPreTraining` or `AlbertForPreTraining` has it.

    Old files call a norm's weight gamma and its bias beta. The masked-word head's bias may be there under
    its second name only. Files without pooler or sentence head, as `...ForMaskedLM` saves them, get zeros
    there: masked words do not go through either.

    Raises:
        ValueError: no masked-word head, or another family than `config.json` says.
    """
    family = spec.family
    state = {_today(name): tensor for name, tensor in state.items()}
    other: Family = "albert" if family == "bert" else "bert"
    if any(name.startswith(f"{other}.") for name in state):
        raise ValueError(f"{spec.name}: got the weights of {other}, expected {family} as in config.json")
    if MASKED_WORD[family] not in state:
        name = {"bert": "Bert", "albert": "Albert"}[family]
        raise ValueError(
            f"{spec.name}: got {spec.architecture or 'weights'} without a masked-word head, "
            f"expected {name}ForPreTraining or {name}ForMaskedLM"
        )
    head = HEAD[family]
    if f"{head}.decoder.bias" in state:
        state.setdefault(f"{head}.bias", state[f"{head}.decoder.bias"])
    D = spec.config.d_model
    for part, name, rows in (("pooler", POOLER[family], D), ("sentence head", SENTENCE[family], 2)):
        if f"{name}.weight" not in state and f"{name}.bias" not in state:
            like = state[MASKED_WORD[family]]
            state |= {f"{name}.weight": like.new_zeros(rows, D), f"{name}.bias": like.new_zeros(rows)}
            warn(f"the checkpoint has no {part}: zeros stand there. Masked words do not need it")
    return state


def _today(name: str) -> str:
    for old, new in OLD_NAMES.items():
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name


def seeded(build: Callable[[], Any], seed: int = 0) -> Any:
    """`build()` under torch's global seed, which is put back afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()
