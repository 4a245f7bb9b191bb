"""The training loss of one part of a batch."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lessons.given.engine.evaluation import scoring
from lessons.given.engine.where_read import CannotEndEarlyError, WhereRead, ends_early, first_rows
from lessons.given.records import Batch, PretrainingLoss

if TYPE_CHECKING:
    from lessons.given.engine.batches import Part


class PartLoss(nn.Module):
    """The loss as a module's forward pass: what can be spread over several processes.

    On a CPU it is the subject's own `pretraining_loss`, on a GPU its equal that never waits. With
    `skip_unread`, and once it is seen to make no difference, the last layer ends where the heads read.
    """

    skips_unread: bool | None  # None: to be seen with the first part

    def __init__(
        self, model: nn.Module, pretraining_loss: Callable[..., PretrainingLoss], skip_unread: bool = False
    ) -> None:
        super().__init__()
        self.model = model
        self.pretraining_loss = pretraining_loss
        self.where_read = WhereRead(model)
        self.skips_unread = None if skip_unread else False

    def forward(self, part: "Part") -> PretrainingLoss:
        """The losses of one part, on the model's device."""
        if part.positions.device.type != "cpu":
            return loss_without_waiting(self.model, part)
        if self.skips_unread is None:
            self.skips_unread = self.makes_no_difference(part.batch)
        if self.skips_unread:
            try:
                return self.where_it_is_read(part.batch)
            except CannotEndEarlyError:
                self.skips_unread = False
        return self.pretraining_loss(self.model, part.batch)

    def where_it_is_read(self, batch: Batch) -> PretrainingLoss:
        """The subject's loss on the subject's model, without what no head reads."""
        with self.where_read.reading(batch.mlm_labels):
            return self.pretraining_loss(self.where_read, batch)

    def makes_no_difference(self, batch: Batch) -> bool:
        """Whether vectors, loss and gradients stay what they are, up to rounding."""
        with scoring(self), torch.random.fork_rng(devices=[]):
            if not ends_early(self.model, batch):
                return False
            few = first_rows(batch)
            with torch.enable_grad(), torch.autocast("cpu", enabled=False):
                try:
                    short = self.gradients(self.where_it_is_read(few))
                except Exception:  # of any kind, as in `ends_early`
                    return False
                whole = self.gradients(self.pretraining_loss(self.model, few))
        rounding = 1e-6 * max(float(x.norm()) for x in whole)  # a gradient may be nothing else
        return all((x - y).norm() <= 1e-3 * y.norm() + rounding for x, y in zip(short, whole, strict=True))

    def gradients(self, loss: PretrainingLoss) -> list[Tensor]:
        """The losses themselves, and the total's gradient in every parameter that takes part."""
        taking_part = [p for p in self.model.parameters() if p.requires_grad]
        found = torch.autograd.grad(loss.total, taking_part, allow_unused=True)
        return [torch.stack(loss).detach(), *(torch.zeros(()) if g is None else g for g in found)]


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
