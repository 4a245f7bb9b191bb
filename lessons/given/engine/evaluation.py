"""Scores on the held-out set: the same pairs, the same hidden places, whatever the model was trained on."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from lessons.given.engine.groups import Group, groups
from lessons.given.engine.held_out import HeldOut, HeldOutPair, Task
from lessons.given.records import Evaluation


class Words(NamedTuple):
    """The loss of every hidden token, pair by pair in order, and whether the first choice is right."""

    losses: np.ndarray
    hits: np.ndarray


def evaluate(model: nn.Module, held_out: HeldOut, task: Task, precision: str = "fp32") -> Evaluation:
    """The masked-token loss on the pairs in true order, and the sentence task on these and their negatives.

    The mean of the masked-token loss is over hidden tokens, that of the sentence loss over pairs: as many in
    true order as not. Modes and random state are left as they were.
    """
    words, true = scores(model, held_out.true, precision)
    logits = np.concatenate([true, sentence_logits(model, held_out.negatives(task), precision)])
    labels = np.repeat([1, 0], len(true))
    margins = logits[np.arange(len(labels)), 1 - labels] - logits[np.arange(len(labels)), labels]
    mlm, sentence = float(words.losses.mean()), float(np.logaddexp(0, margins).mean())
    return Evaluation(mlm, sentence, mlm + sentence, float(words.hits.mean()), float((margins < 0).mean()))


def scores(model: nn.Module, pairs: list[HeldOutPair], precision: str = "fp32") -> tuple[Words, np.ndarray]:
    """What `token_losses` and `sentence_logits` give, in one pass."""
    words, sentences = _Words(len(pairs)), np.empty((len(pairs), 2))
    with scoring(model, precision):
        for group in groups(model, pairs):
            words.add(model, group)
            sentences[group.rows] = _sentences(model, group)
    return words.all(), sentences


def token_losses(model: nn.Module, pairs: list[HeldOutPair], precision: str = "fp32") -> Words:
    """The loss of every hidden token, pair by pair in order, and whether the first choice is right."""
    words = _Words(len(pairs))
    with scoring(model, precision):
        for group in groups(model, pairs):
            words.add(model, group)
    return words.all()


class _Words:
    """Collects the words' scores of groups, and puts them in the order of the pairs."""

    def __init__(self, pairs: int) -> None:
        self.per_pair: list[Any] = [None] * pairs

    def add(self, model: nn.Module, group: Group) -> None:
        """Score the hidden tokens of a group."""
        logits = model.mlm_logits(group.sequence_output, group.positions).float()  # type: ignore[operator]
        losses = cross_entropy(logits, group.wanted, reduction="none").cpu().numpy().astype(np.float64)
        hits = (logits.argmax(-1) == group.wanted).cpu().numpy()
        cuts = group.hidden.cumsum()[:-1]
        for row, *pair in zip(group.rows, np.split(losses, cuts), np.split(hits, cuts), strict=True):
            self.per_pair[row] = pair

    def all(self) -> Words:
        """All that was added."""
        return Words(*(np.concatenate(column) for column in zip(*self.per_pair, strict=True)))


def sentence_logits(model: nn.Module, pairs: list[HeldOutPair], precision: str = "fp32") -> np.ndarray:
    """The sentence head's two logits for every pair, `[pairs, 2]`, in order."""
    out = np.empty((len(pairs), 2))
    with scoring(model, precision):
        for group in groups(model, pairs, words=False):
            out[group.rows] = _sentences(model, group)
    return out


def _sentences(model: nn.Module, group: Group) -> np.ndarray:
    return model.sentence_logits(group.pooled).float().cpu().numpy()  # type: ignore[operator]


@contextmanager
def scoring(model: nn.Module, precision: str = "fp32") -> Iterator[None]:
    """Evaluation mode without gradients; every module's own mode is restored."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    device = next(model.parameters()).device
    try:
        with torch.no_grad(), autocast(device, precision):
            yield
    finally:
        for module, mode in modes:
            module.training = mode


def autocast(device: torch.device, precision: str) -> Any:
    """The context in which the model computes: plain, or bf16 autocast."""
    return torch.autocast(device.type, dtype=torch.bfloat16) if precision == "bf16" else nullcontext()
