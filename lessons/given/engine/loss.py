"""The training loss of one part of a batch."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch import nn
from torch.nn.functional import cross_entropy

from lessons.given.records import PretrainingLoss

if TYPE_CHECKING:
    from lessons.given.engine.batches import Part


class PartLoss(nn.Module):
    """The loss as a module's forward pass: what can be spread over several processes.

    On a CPU it is the subject's own `pretraining_loss`, on a GPU its equal that never waits.
    """

    def __init__(self, model: nn.Module, pretraining_loss: Callable[..., PretrainingLoss]) -> None:
        super().__init__()
        self.model = model
        self.pretraining_loss = pretraining_loss

    def forward(self, part: "Part") -> PretrainingLoss:
        """The losses of one part, on the model's device."""
        if part.positions.device.type == "cpu":
            return self.pretraining_loss(self.model, part.batch)
        return loss_without_waiting(self.model, part)


def loss_without_waiting(model: nn.Module, part: "Part") -> PretrainingLoss:
    """`pretraining_loss` of lesson 13 for a GPU: equal values, and the CPU never waits for the device.

    To find the labelled places on the device is to ask it for their number, so the CPU would stand still
    until all work before is done. Here they were found when the batch was made. A batch without padding
    needs no mask, which lets the fast attention kernels run.
    """
    batch: Any = part.batch
    mask = None if part.full else batch.attention_mask
    sequence_output, pooled = model(batch.input_ids, batch.segment_ids, mask)
    logits = model.mlm_logits(sequence_output, part.positions)  # type: ignore[operator]
    wanted = batch.mlm_labels.flatten()[part.positions]
    mlm = cross_entropy(logits.float(), wanted, reduction="sum") / max(part.labelled, 1)
    logits = model.sentence_logits(pooled)  # type: ignore[operator]
    if batch.sentence_labels is None:
        sentence = logits[:0].float().sum()
    else:
        sentence = cross_entropy(logits.float(), batch.sentence_labels)
    return PretrainingLoss(mlm + sentence, mlm, sentence)
