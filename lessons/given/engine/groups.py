"""Held-out pairs on their way through the model: in groups of nearly one length."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lessons.given.engine.held_out import HeldOutPair
from lessons.given.engine.where_read import CannotEndEarlyError, WhereRead, ends_early
from lessons.given.records import IGNORE_INDEX, PAD_ID, Batch

TOKENS = {"cpu": 1024, "cuda": 8192}  # at once


class Group(NamedTuple):
    """Pairs that went through the model together.

    `positions` are the places of their hidden words in the flattened `sequence_output`, row by row, and
    `wanted` is what stands there; `hidden` is how many there are in each row.
    """

    rows: list[int]
    sequence_output: Tensor
    pooled: Tensor
    positions: Tensor
    wanted: Tensor
    hidden: np.ndarray


def groups(model: nn.Module, pairs: list[HeldOutPair], words: bool = True) -> Iterator[Group]:
    """The pairs in groups of nearly one length, gone through the model; without `words` for `pooled` only.

    On a CPU the last layer ends where the heads read, if this model can.
    """
    device = next(model.parameters()).device
    order = sorted(range(len(pairs)), key=lambda row: len(pairs[row].input_ids))
    reader: WhereRead | None = None
    for number, rows in enumerate(_together(pairs, order, TOKENS.get(device.type, TOKENS["cuda"]))):
        batch = _stack([pairs[row] for row in rows], words).to(device)
        if number == 0 and device.type == "cpu" and ends_early(model, batch):
            reader = WhereRead(model)
        labelled = batch.mlm_labels != IGNORE_INDEX
        positions = places = labelled.flatten().nonzero().flatten()
        if reader is not None:
            try:
                with reader.reading(batch.mlm_labels):
                    sequence_output, pooled = reader(*batch[:3])
                places = reader.places(positions)
            except CannotEndEarlyError:
                reader = None
        if reader is None:
            sequence_output, pooled = model(*batch[:3])
        wanted = batch.mlm_labels.flatten()[positions]
        yield Group(rows, sequence_output, pooled, places, wanted, labelled.sum(1).cpu().numpy())


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


def _stack(pairs: list[HeldOutPair], words: bool) -> Batch:
    longest = max(len(pair.input_ids) for pair in pairs)
    columns = [np.full((len(pairs), longest), fill) for fill in (PAD_ID, 0, IGNORE_INDEX)]
    for row, pair in enumerate(pairs):
        for column, values in zip(columns, pair, strict=True):
            column[row, : len(values)] = values
    lengths = torch.tensor([len(pair.input_ids) for pair in pairs])
    ids, segments, labels = map(torch.from_numpy, columns)
    if not words:
        labels = torch.full_like(labels, IGNORE_INDEX)
    return Batch(ids, segments, torch.arange(longest) < lengths[:, None], labels, None)
