"""Held-out pairs on their way through the model: in groups of nearly one length."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lessons.given.engine.held_out import HeldOutPair
from lessons.given.engine.where_read import WhereRead, alike
from lessons.given.records import IGNORE_INDEX, PAD_ID, Batch

TOKENS = {"cpu": 1024, "cuda": 8192}  # at once


class Group(NamedTuple):
    """Pairs that went through the model together; `model` answers for `sequence_output` at labelled places."""

    rows: list[int]
    model: nn.Module
    sequence_output: Tensor
    pooled: Tensor
    labels: Tensor

    def sentence_logits(self) -> np.ndarray:
        """The sentence head's two logits for each of the pairs."""
        return self.model.sentence_logits(self.pooled).float().cpu().numpy()  # type: ignore[operator]


def groups(model: nn.Module, pairs: list[HeldOutPair], words: bool = True) -> Iterator[Group]:
    """The pairs in groups of nearly one length, gone through the model; without `words` for `pooled` only.

    On a CPU the last layer ends where the heads read, if this model can.
    """
    device = next(model.parameters()).device
    order = sorted(range(len(pairs)), key=lambda row: len(pairs[row].input_ids))
    reader: WhereRead | None = None
    for number, rows in enumerate(_together(pairs, order, TOKENS.get(device.type, TOKENS["cuda"]))):
        batch = _stack([pairs[row] for row in rows]).to(device)
        read = batch.mlm_labels if words else torch.full_like(batch.mlm_labels, IGNORE_INDEX)
        if number == 0 and device.type == "cpu" and ends_early(model, batch):
            reader = WhereRead(model)
        with reader.reading(read) if reader else nullcontext():
            sequence_output, pooled = (reader or model)(*batch[:3])
        yield Group(rows, reader or model, sequence_output, pooled, batch.mlm_labels)


def ends_early(model: nn.Module, batch: Batch) -> bool:
    """Whether the model gives the same where it is read when its last layer ends there, seen on a few rows."""
    reader = WhereRead(model)
    few = Batch._make(None if column is None else column[:4] for column in batch)
    positions = (few.mlm_labels.flatten() != IGNORE_INDEX).nonzero().flatten()

    def read(batch: Batch, answering: nn.Module, positions: Tensor) -> Tensor:
        sequence_output, pooled = answering(batch.input_ids, batch.segment_ids, batch.attention_mask)
        return torch.cat([sequence_output.flatten(0, 1)[positions], pooled])

    def short(batch: Batch) -> Tensor:
        with reader.reading(batch.mlm_labels):
            return read(batch, reader, reader.now_at[positions])

    return alike(few, short, lambda batch: read(batch, model, positions))


def _together(pairs: list[HeldOutPair], order: list[int], tokens: int) -> Iterator[list[int]]:
    """`order`, from short to long, cut so that no group has more tokens than these, padding included."""
    group: list[int] = []
    for row in order:
        if group and (len(group) + 1) * len(pairs[row].input_ids) > tokens:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _stack(pairs: list[HeldOutPair]) -> Batch:
    longest = max(len(pair.input_ids) for pair in pairs)
    columns = [np.full((len(pairs), longest), fill) for fill in (PAD_ID, 0, IGNORE_INDEX)]
    for row, pair in enumerate(pairs):
        for column, values in zip(columns, pair, strict=True):
            column[row, : len(values)] = values
    lengths = torch.tensor([len(pair.input_ids) for pair in pairs])
    ids, segments, labels = map(torch.from_numpy, columns)
    return Batch(ids, segments, torch.arange(longest) < lengths[:, None], labels, None)
