"""Constants and records that pass between the lessons.

torch is imported for type checking only: lessons 1-3 use this module and run without it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from lessons.given.config import ModelConfig

if TYPE_CHECKING:
    import torch
    from torch import Tensor

PAD_ID, UNK_ID, CLS_ID, SEP_ID, MASK_ID = range(5)
SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
IGNORE_INDEX = -100


class Vocab(NamedTuple):
    """A vocabulary: `tokens[i]` is the token with id i, `ids[token]` its id.

    The first five tokens are `SPECIAL_TOKENS`.
    """

    tokens: tuple[str, ...]
    ids: dict[str, int]


class SentencePair(NamedTuple):
    """Two segments, each a flat list of ids, and whether they stand in true order.

    `label` is 1 for true order (NSP: "is next"), 0 for a swapped or random second segment.
    """

    first: list[int]
    second: list[int]
    label: int


class Example(NamedTuple):
    """One training example of T tokens, unpadded.

    `mlm_labels` holds the original id at the chosen places and `IGNORE_INDEX` elsewhere;
    `sentence_label` is 1, 0 or None (no sentence task).
    """

    input_ids: Int[np.ndarray, "T"]
    segment_ids: Int[np.ndarray, "T"]
    attention_mask: Bool[np.ndarray, "T"]
    mlm_labels: Int[np.ndarray, "T"]
    sentence_label: int | None


class Batch(NamedTuple):
    """B examples padded to one length T. Ids, segments and labels are int64, the mask is bool.

    `attention_mask` is True at real tokens; `sentence_labels` is None when there is no sentence task.
    """

    input_ids: 'Int[Tensor, "B T"]'
    segment_ids: 'Int[Tensor, "B T"]'
    attention_mask: 'Bool[Tensor, "B T"]'
    mlm_labels: 'Int[Tensor, "B T"]'
    sentence_labels: 'Int[Tensor, "B"] | None'

    def to(self, device: "torch.device | str", non_blocking: bool = False) -> "Batch":
        """The same batch with every tensor on `device`."""
        moved = (None if x is None else x.to(device, non_blocking=non_blocking) for x in self)
        return Batch(*moved)  # type: ignore[arg-type]  # only the sentence labels may be None


class PretrainingLoss(NamedTuple):
    """The loss of a batch as 0-d tensors; `total` is `mlm + sentence`."""

    total: "Tensor"
    mlm: "Tensor"
    sentence: "Tensor"


class Evaluation(NamedTuple):
    """Held-out figures: losses in nats, accuracies in 0..1."""

    mlm_loss: float
    sentence_loss: float
    total_loss: float
    mlm_accuracy: float
    sentence_accuracy: float


class History(NamedTuple):
    """Training losses in nats, one float an epoch (or a logged step, in the capstone)."""

    mlm_loss: list[float]
    sentence_loss: list[float]
    total_loss: list[float]


class Run(NamedTuple):
    """One model's training run in the capstone.

    `steps[i]` is the training step at which `history`'s and `evaluations`' entry i was taken.
    `settings` holds what must be equal for a fair comparison, hashes among it (see the capstone lesson).
    """

    name: str
    config: ModelConfig
    parameters: dict[str, int]
    steps: list[int]
    history: History
    evaluations: list[Evaluation]
    settings: Mapping[str, Any]
    tokens_per_second: float
    seconds: float


class Recording(NamedTuple):
    """What was written down about one training run, for a reader who was not there.

    Entry i of the five lists belongs to `steps[i]`; the first step is 1. `train_mlm` is the mean loss that
    training saw since the entry before, over every token that had a label; its first entry is the loss of the
    very first batch, before any update. `held_out_mlm` is the loss at hidden places of the held-out pairs,
    `held_out_again` a second evaluation of the same weights on the same pairs. `sentence_accuracy` is that of
    the model's own sentence task on held-out pairs, half of them in true order.

    `moved` says how far each part (`embeddings`, `encoder`, `pooler`, `mlm_head`, `sentence_head`) came from
    its start: the norm of the change over the norm of the start.

    `lines`, in nats: `"ln V"` (every word alike), `"unigram"` (only how frequent a word is), `"slot-unigram"`
    (how frequent it is at this place of the sentence), `"floor"` (the best that any model can do).
    """

    steps: list[int]
    train_mlm: list[float]
    held_out_mlm: list[float]
    held_out_again: list[float]
    sentence_accuracy: list[float]
    moved: dict[str, float]
    lines: dict[str, float]
