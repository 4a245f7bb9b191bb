"""The training loss of one part of a batch."""

from typing import TYPE_CHECKING, Any

from torch import nn
from torch.nn.functional import cross_entropy

from lessons.given.records import PretrainingLoss

if TYPE_CHECKING:
    from lessons.given.engine.batches import Part


def loss_without_waiting(model: nn.Module, part: "Part") -> PretrainingLoss:
    """`pretraining_loss` of lesson 13 for a GPU: equal values, and the CPU never waits for the device.

    To find the labelled places on the device is to ask it for their number, so the CPU would stand still
    until all work before is done. Here they were found when the batch was made. A batch without padding
    needs no mask, which lets the fast attention kernels run.
    """
    batch: Any = part.batch
    mask = None if part.full else batch.attention_mask
    sequence_output, pooled = model(batch.input_ids, batch.segment_ids, mask)
    if part.labelled:
        logits = model.mlm_logits(sequence_output, part.positions)  # type: ignore[operator]
        mlm = cross_entropy(logits.float(), batch.mlm_labels.flatten()[part.positions])
    else:
        mlm = sequence_output.sum() * 0.0
    if batch.sentence_labels is None:
        sentence = pooled.sum() * 0.0
    else:
        logits = model.sentence_logits(pooled)  # type: ignore[operator]
        sentence = cross_entropy(logits.float(), batch.sentence_labels)
    return PretrainingLoss(mlm + sentence, mlm, sentence)
