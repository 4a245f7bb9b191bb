"""The end of the last layer, run only for the tokens whose result somebody reads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from lessons.given.records import IGNORE_INDEX, Batch


class WhereRead(nn.Module):
    """A model that finishes its last layer for the first token and the labelled ones only.

    Attention mixes all tokens, in every layer. After the last attention each token goes on alone, and the heads
    read the first one and the labelled ones. So the last `attention_norm` hands on these, `[B, 1 + K, D]` with
    K labels in the fullest row: their norm, feed-forward and gradients are what they would have been, and
    the others' are not computed. Everything that runs is the model's own.
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
        self.now_at = (starts[:, None] * self.kept.shape[1] + number).flatten()
        norms = {layer.attention_norm for layer in self.model.encoder.layers}  # type: ignore[union-attr]
        hooks = [norm.register_forward_hook(self._hand_on) for norm in norms]
        try:
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
        """`(sequence_output, pooled_output)`, the first of the tokens that are read."""
        self.steps_left: int = self.model.config.n_layers  # type: ignore[union-attr, assignment]
        sequence_output, pooled_output = self.model(*arguments, **named)
        if sequence_output.shape[:2] != self.kept.shape:
            raise ValueError("the model does not call attention_norm as lesson 6 writes it")
        return sequence_output, pooled_output

    def mlm_logits(self, sequence_output: Tensor, positions: Tensor) -> Tensor:
        """Scores at labelled positions, which are given as indices of the whole batch."""
        return self.model.mlm_logits(sequence_output, self.now_at[positions])  # type: ignore[operator]


def alike(batch: Batch, short: Callable[[Batch], Tensor], whole: Callable[[Batch], Tensor]) -> bool:
    """Whether both ways give the same up to rounding, with this batch's padding and with one token more of it.

    A model may be right and yet not be made for `WhereRead`: it may drop the padding, or norm without calling
    `attention_norm`. Then it stumbles or differs here, and is to be run whole. Call it in evaluation mode.
    """
    mask = batch.attention_mask.clone()
    mask[0, -1] = False
    with torch.autocast("cpu", enabled=False):
        for tried in (batch, batch._replace(attention_mask=mask)):
            try:
                result = short(tried)
            except Exception:  # of any kind: what is wrong with the model will be raised again without this
                return False
            if not torch.allclose(result, whole(tried), rtol=1e-4, atol=1e-6):
                return False
    return True
