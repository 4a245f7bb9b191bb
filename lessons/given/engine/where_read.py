"""The end of the last layer, run only for the tokens whose result somebody reads."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from lessons.given.records import IGNORE_INDEX, Batch

ROWS = 4  # of a batch that a trial looks at


class CannotEndEarlyError(ValueError):
    """The model or its loss reads what would be left out."""


class WhereRead(nn.Module):
    """A model that finishes its last layer for the first token and the labelled ones only.

    Attention mixes all tokens, in every layer. After the last attention each token goes on alone, and the heads
    read the first one and the labelled ones. So the last `attention_norm` hands on these, `[B, 1 + K, D]` with
    K labels in the fullest row. Their feed-forward, second norm and gradients are what they would have been
    (dropout draws other numbers), and the others' are not computed. Everything that runs is the model's own.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def __getattr__(self, name: str) -> Any:
        """What is not here is the model's."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.model, name)

    @contextmanager
    def reading(self, labels: Tensor) -> Iterator[None]:
        """Inside, the model answers for the labelled places of `labels [B, T]` and the first of each row."""
        labelled = labels != IGNORE_INDEX
        number = labelled.cumsum(1)  # of a labelled token in its row, from 1
        rows, columns = labelled.nonzero(as_tuple=True)
        starts = torch.arange(len(labels))
        self.kept = (starts * labels.shape[1])[:, None].repeat(1, 1 + int(number[:, -1].max()))
        self.kept[rows, number[rows, columns]] += columns
        self.labelled = labelled.flatten()
        self.now_at = (starts[:, None] * self.kept.shape[1] + number).flatten()
        hooks = []
        try:
            for norm in {layer.attention_norm for layer in self.model.encoder.layers}:  # type: ignore[union-attr]
                hooks.append(norm.register_forward_hook(self._hand_on))
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _hand_on(self, _norm: nn.Module, _arguments: Any, hidden: Tensor) -> Tensor:
        self.steps_left -= 1
        if self.steps_left:
            return hidden
        return hidden.flatten(0, 1).index_select(0, self.kept.flatten()).unflatten(0, self.kept.shape)

    def forward(self, *arguments: Any, **named: Any) -> tuple[Tensor, Tensor]:
        """`(sequence_output, pooled_output)`, the first of the tokens that are read.

        Raises:
            CannotEndEarlyError: the last layer went on with other tokens.
        """
        self.steps_left: int = self.model.config.n_layers  # type: ignore[union-attr, assignment]
        sequence_output, pooled_output = self.model(*arguments, **named)
        if sequence_output.shape[:2] != self.kept.shape:
            raise CannotEndEarlyError("attention_norm is not called once a layer on [B, T, D]")
        return sequence_output, pooled_output

    def places(self, positions: Tensor) -> Tensor:
        """Where labelled positions, indices of the flattened batch, are in the flattened sequence output.

        Raises:
            CannotEndEarlyError: one of them is not labelled.
        """
        if not self.labelled[positions].all():
            raise CannotEndEarlyError("the words of unlabelled places are asked for")
        return self.now_at[positions]

    def mlm_logits(self, sequence_output: Tensor, positions: Tensor | None = None) -> Tensor:
        """Scores at labelled positions, which are given as indices of the whole batch."""
        if positions is None:
            raise CannotEndEarlyError("the words of all places are asked for")
        return self.model.mlm_logits(sequence_output, self.places(positions))  # type: ignore[operator]


def ends_early(model: nn.Module, batch: Batch) -> bool:
    """Whether what the heads read is the same, up to rounding, when the last layer ends there.

    A model may be right and yet not be made for this: it may drop the padding, or norm without calling
    `attention_norm`. Then it stumbles or differs here, and is to be run whole. A compiled one may not see the
    hooks. Call it in evaluation mode. A few rows are looked at, with their padding, without and with little.
    """
    if model._compiled_call_impl is not None:
        return False
    reader = WhereRead(model)
    few = first_rows(batch)
    positions = (few.mlm_labels.flatten() != IGNORE_INDEX).nonzero().flatten()
    with torch.autocast("cpu", enabled=False):  # or bf16's rounding would have to be allowed for
        for tried in trials(few):
            try:
                with reader.reading(tried.mlm_labels):
                    short = read_vectors(reader, tried, reader.places(positions))
            except Exception:  # of any kind: what is wrong with the model will be raised again without this
                return False
            if not torch.allclose(short, read_vectors(model, tried, positions), rtol=1e-4, atol=1e-5):
                return False
    return True


def first_rows(batch: Batch) -> Batch:
    """The few rows that are enough for a trial."""
    return Batch._make(None if column is None else column[:ROWS] for column in batch)


def trials(batch: Batch) -> Iterator[Batch]:
    """The batch as it is, with every token visible, and with the last of the first row hidden."""
    yield batch
    visible = torch.ones_like(batch.attention_mask)
    yield batch._replace(attention_mask=visible)
    hidden = visible.clone()
    hidden[0, -1] = False
    yield batch._replace(attention_mask=hidden)


def read_vectors(model: nn.Module, batch: Batch, positions: Tensor) -> Tensor:
    """All vectors that the heads get, `[M + B, D]`."""
    sequence_output, pooled = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
    return torch.cat([sequence_output.flatten(0, 1)[positions], pooled])
