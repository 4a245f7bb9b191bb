"""Trusted models and data for lessons that take a model: lesson 10's interface, every number the host's.

torch is imported here, so the operations in `scripted` import this module when first used.
"""

import random
from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from lessons.given.records import Batch


class Scalar(nn.Module):
    """One number of no dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(()))


class Parts(nn.Module):
    """Modules under dotted names: `parts` maps a name to one of torch's kinds, or "Scalar", and its sizes.

    `same` maps a name to an earlier one: of a module (a shared layer) or of a parameter (a tied table).
    """

    def __init__(self, parts: Mapping[str, list], same: Mapping[str, str]) -> None:
        super().__init__()
        for name, (kind, *sizes) in parts.items():
            owner, last = self._owner(name)
            owner.add_module(last, self._module(kind, sizes))
        for name, other in same.items():
            (owner, last), (first, key) = self._owner(name), self._owner(other)
            setattr(owner, last, getattr(first, key))

    @staticmethod
    def _module(kind: str, sizes: list) -> nn.Module:
        return Scalar() if kind == "Scalar" else getattr(nn, kind)(*sizes)

    def _owner(self, name: str) -> tuple[nn.Module, str]:
        *path, last = name.split(".")
        owner: nn.Module = self
        for step in path:
            if step not in dict(owner.named_children()):
                owner.add_module(step, nn.Module())
            owner = owner.get_submodule(step)
        return owner, last


class Shift(nn.Module):
    """Adds `in_train` in train mode, as dropout would change things, and `with_grad` while gradients are recorded."""

    def __init__(self, in_train: float, with_grad: float) -> None:
        super().__init__()
        self.in_train = in_train
        self.with_grad = with_grad

    def forward(self, x: Tensor) -> Tensor:
        size = self.in_train * self.training + self.with_grad * torch.is_grad_enabled()
        # Not the same for every column: a softmax would not notice.
        return x + size * torch.arange(x.shape[-1], dtype=x.dtype) if size else x


def deep(part: nn.Module) -> nn.Module:
    """The part two levels further down, under the name "0.0": not everything is a model's child."""
    return nn.Sequential(nn.Sequential(part))


def at(sequence_output: Tensor, positions: Tensor | None) -> Tensor:
    """The rows of the flattened B*T axis that lesson 10's `mlm_logits` is asked for, or all of them."""
    if positions is None:
        return sequence_output
    if positions.ndim != 1 or positions.dtype not in (torch.int64, torch.int32):
        raise ValueError(
            f"mlm_logits got positions of shape {tuple(positions.shape)} and {positions.dtype}, "
            "expected int64 of shape (M,): indices into the flattened B*T axis"
        )
    return sequence_output.flatten(0, 1)[positions]


class ScriptedModel(Parts):
    """The smallest model in which everything a batch holds matters.

    A token is its word's row plus its segment's, plus the mean over what the attention mask shows; normalised.
    The pooled output is tanh(dense(first token)). `shift` is `Shift`'s, on the sequence output in train mode.
    """

    def __init__(self, parts: Mapping[str, list], same: Mapping[str, str], shift: float = 0.0) -> None:
        super().__init__(parts, same)
        self.shift = deep(Shift(shift, 0.0))

    def forward(
        self, input_ids: Tensor, segment_ids: Tensor | None = None, attention_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        tables = self.get_submodule("embeddings")
        segments = torch.zeros_like(input_ids) if segment_ids is None else segment_ids
        rows = tables.get_submodule("word")(input_ids) + tables.get_submodule("segment")(segments)
        shown = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        weights = shown.to(rows.dtype)[..., None]
        context = (rows * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)
        sequence = self.shift(tables.get_submodule("norm")(rows + context))
        return sequence, self.get_submodule("pooler.dense")(sequence[:, 0]).tanh()

    def mlm_logits(self, sequence_output: Tensor, positions: Tensor | None = None) -> Tensor:
        return self.get_submodule("mlm_head.decoder")(at(sequence_output, positions))

    def sentence_logits(self, pooled_output: Tensor) -> Tensor:
        return self.get_submodule("sentence_head.classifier")(pooled_output)


class GivenLogits(nn.Module):
    """Logits that the host chose, as the only parameters: a row's first id names its entry in `words` and `pairs`.

    With `crowd`, every word logit grows with the number of places that are asked for. `in_train` and `with_grad`
    are `Shift`'s: one for the words, one for the pairs, so that parts can be in different modes.
    """

    def __init__(
        self,
        words: Tensor,
        pairs: Tensor,
        *,
        crowd: float = 0.0,
        in_train: float = 0.0,
        with_grad: float = 0.0,
    ) -> None:
        super().__init__()
        self.words = nn.Parameter(words)
        self.pairs = nn.Parameter(pairs)
        self.crowd = crowd
        self.word_shift = deep(Shift(in_train, with_grad))
        self.pair_shift = deep(Shift(in_train, with_grad))

    def forward(
        self, input_ids: Tensor, segment_ids: Tensor | None = None, attention_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        entries = input_ids[:, 0]
        sequence = self.word_shift(self.words[entries][:, : input_ids.shape[1]])
        return sequence, self.pair_shift(self.pairs[entries])

    def mlm_logits(self, sequence_output: Tensor, positions: Tensor | None = None) -> Tensor:
        rows = at(sequence_output, positions)
        places = rows.shape[:-1].numel()
        return rows + self.crowd * places * torch.arange(rows.shape[-1], dtype=rows.dtype)

    def sentence_logits(self, pooled_output: Tensor) -> Tensor:
        return pooled_output


class Batches(Dataset):
    """A dataset whose items are whole batches; with `draws` an item moves every global generator."""

    def __init__(self, batches: list[Batch], draws: bool = False) -> None:
        self.batches = batches
        self.draws = draws

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, index: int) -> Batch:
        if self.draws:
            random.random()
            np.random.random()  # noqa: NPY002
            torch.rand(())
        return self.batches[index]


class Passes:
    """What gives other batches in every pass: `passes[p]` in pass p, all of them equally many."""

    def __init__(self, passes: list[list[Batch]]) -> None:
        self.passes = iter(passes)
        self.size = len(passes[0])

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Batch]:
        return iter(next(self.passes, []))


class EpochBatches(Batches):
    """Other batches in every epoch: `epochs[e]` after `set_epoch(e)`, and the last entry before it."""

    def __init__(self, epochs: list[list[Batch]]) -> None:
        super().__init__(epochs[-1])
        self.epochs = epochs

    def set_epoch(self, epoch: int) -> None:
        self.batches = self.epochs[epoch]
