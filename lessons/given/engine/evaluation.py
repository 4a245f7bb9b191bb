"""Scores on the held-out set: the same pairs, the same hidden places, whatever the model was trained on."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lessons.given.engine.held_out import HeldOut, HeldOutPair, Task
from lessons.given.records import IGNORE_INDEX, PAD_ID, Evaluation

ROWS = 64  # pairs scored at once


def evaluate(model: nn.Module, held_out: HeldOut, task: Task, precision: str = "fp32") -> Evaluation:
    """The masked-token loss on the pairs in true order, and the sentence task on these and their negatives.

    The mean of the masked-token loss is over hidden tokens, that of the sentence loss over pairs: as many in
    true order as not. Modes and random state are left as they were.
    """
    losses, hits = token_losses(model, held_out.true, precision)
    logits = np.concatenate(
        [sentence_logits(model, pairs, precision) for pairs in (held_out.true, held_out.negatives(task))]
    )
    labels = np.repeat([1, 0], len(held_out.true))
    margins = logits[np.arange(len(labels)), 1 - labels] - logits[np.arange(len(labels)), labels]
    mlm, sentence = float(losses.mean()), float(np.logaddexp(0, margins).mean())
    return Evaluation(mlm, sentence, mlm + sentence, float(hits.mean()), float((margins < 0).mean()))


def token_losses(
    model: nn.Module, pairs: list[HeldOutPair], precision: str = "fp32"
) -> tuple[np.ndarray, np.ndarray]:
    """The loss of every hidden token, pair by pair in order, and whether the first choice is right."""
    per_pair: list[Any] = [None] * len(pairs)
    with scoring(model, precision):
        for rows, sequence_output, _, labels in _forward(model, pairs):
            positions = (labels.flatten() != IGNORE_INDEX).nonzero().flatten()
            wanted = labels.flatten()[positions]
            logits = model.mlm_logits(sequence_output, positions).float()  # type: ignore[operator]
            values = cross_entropy(logits, wanted, reduction="none").cpu().numpy().astype(np.float64)
            right = (logits.argmax(-1) == wanted).cpu().numpy()
            cuts = (labels != IGNORE_INDEX).sum(1).cumsum(0).cpu().numpy()[:-1]
            for row, value, hit in zip(rows, np.split(values, cuts), np.split(right, cuts), strict=True):
                per_pair[row] = (value, hit)
    losses, hits = (np.concatenate(list(column)) for column in zip(*per_pair, strict=True))
    return losses, hits


def sentence_logits(model: nn.Module, pairs: list[HeldOutPair], precision: str = "fp32") -> np.ndarray:
    """The sentence head's two logits for every pair, `[pairs, 2]`, in order."""
    out = np.empty((len(pairs), 2))
    with scoring(model, precision):
        for rows, _, pooled, _ in _forward(model, pairs):
            out[rows] = model.sentence_logits(pooled).float().cpu().numpy()  # type: ignore[operator]
    return out


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


def _forward(
    model: nn.Module, pairs: list[HeldOutPair]
) -> Iterator[tuple[list[int], Tensor, Tensor, Tensor]]:
    """(rows, sequence output, pooled output, labels) of groups of pairs of nearly one length."""
    device = next(model.parameters()).device
    order = sorted(range(len(pairs)), key=lambda row: len(pairs[row].input_ids))
    for start in range(0, len(order), ROWS):
        rows = order[start : start + ROWS]
        input_ids, segment_ids, labels, mask = (x.to(device) for x in _stack([pairs[row] for row in rows]))
        sequence_output, pooled = model(input_ids, segment_ids, mask)
        yield rows, sequence_output, pooled, labels


def _stack(pairs: list[HeldOutPair]) -> list[Tensor]:
    longest = max(len(pair.input_ids) for pair in pairs)
    fills = (PAD_ID, 0, IGNORE_INDEX)
    columns = [
        torch.from_numpy(np.stack([_pad(pair[k], longest, fills[k]) for pair in pairs])) for k in range(3)
    ]
    lengths = torch.tensor([len(pair.input_ids) for pair in pairs])
    return [*columns, torch.arange(longest) < lengths[:, None]]


def _pad(row: np.ndarray, length: int, fill: int) -> np.ndarray:
    return np.pad(row, (0, length - len(row)), constant_values=fill)
