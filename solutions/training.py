"""Lesson 14: training.

The loop around the loss: which parameters decay, how the learning rate rises and falls, one step, and an
epoch after the other.

Minutes: 75. Before: lesson 13 (objective).
Check:   pytest checks/test_training.py
Page:    docs/lessons/14-training.md
"""

from collections.abc import Collection
from typing import Any

import torch
from torch import Tensor, nn

from lessons.given.records import IGNORE_INDEX, Batch, History, PretrainingLoss

from .objective import pretraining_loss


def parameter_groups(model: nn.Module, weight_decay: float = 0.01) -> list[dict[str, Any]]:
    """Two groups for the optimiser: matrices, which decay, and the rest, which does not.

    The first holds the parameters of two or more dimensions (linear and embedding weights) with
    `weight_decay`; the second the others (biases, norm weights, single numbers) with 0.0. Every parameter,
    also a frozen one, is in one group, once, however often it is shared or tied. Each group is a dict with
    two keys, `params` and `weight_decay`.

    Example:
        >>> model = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2))
        >>> matrices, rest = parameter_groups(model, weight_decay=0.1)
        >>> [tuple(p.shape) for p in matrices["params"]], matrices["weight_decay"]
        ([(2, 3)], 0.1)
        >>> [tuple(p.shape) for p in rest["params"]], rest["weight_decay"]
        ([(2,), (2,), (2,)], 0.0)

    Source: Devlin et al. 2019, appendix A.2 (decay of 0.01); its published code for what is left out.
    """
    # 1. Collect the parameters, each once, and part them by their number of dimensions.
    parameters = list(model.parameters())
    return [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]


def learning_rate(step: int, peak: float, warmup_steps: int, total_steps: int) -> float:
    """The rate for one step: a straight rise to `peak`, then a straight fall to 0. Steps count from 0.

        peak * (step + 1) / warmup_steps                                while step < warmup_steps
        peak * (total_steps - step) / (total_steps - warmup_steps)      while step < total_steps
        0                                                               from total_steps on, which may be 0

    So the first step is not wasted at rate 0, the last step of the warm-up and the one after it run at
    `peak`, and with `warmup_steps` 0 the first step does.

    Raises:
        ValueError: `step` is negative, or `warmup_steps` is not in 0..total_steps.

    Example: 2 of 6 steps are warm-up.

        >>> [learning_rate(step, peak=1.0, warmup_steps=2, total_steps=6) for step in range(8)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0]

    Source: Devlin et al. 2019, appendix A.2.
    """
    # 1. Refuse what cannot be.
    if step < 0:
        raise ValueError(f"step: got {step}, expected 0 or more")
    if not 0 <= warmup_steps <= total_steps:
        raise ValueError(f"warmup_steps: got {warmup_steps}, expected 0..{total_steps} (total_steps)")
    # 2. Rise; fall; 0 after the end.
    if step < warmup_steps:
        return peak * (step + 1) / warmup_steps
    if step < total_steps:
        return peak * (total_steps - step) / (total_steps - warmup_steps)
    return 0.0


def train_step(
    model: nn.Module, batch: Batch, optimizer: torch.optim.Optimizer, max_norm: float = 1.0
) -> PretrainingLoss:
    """One update of the weights, and the losses before it, as detached 0-d tensors.

    Only this batch's gradient counts: whatever gradients were left on the model are dropped first, also those
    of parameters that the optimiser does not hold. All gradients together are clipped to a global norm of
    `max_norm`: the norm over every parameter's gradient, as if they were one long vector. Frozen parameters
    have no gradient and stay as they are. The model's mode is not touched, and the batch is on the model's
    device.

    Example: with gradients (3, 4) the norm is 5, and clipping to 1 leaves (0.6, 0.8).

    Source: Devlin et al. 2019, appendix A.2, and its published code (clipping at 1.0).
    """
    # 1. Drop old gradients.
    model.zero_grad(set_to_none=True)
    # 2. Compute the loss, and its gradient.
    loss = pretraining_loss(model, batch)
    loss.total.backward()
    # 3. Clip the global norm, then step.
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    # 4. Return the losses without their graph.
    return PretrainingLoss(*(part.detach() for part in loss))


def label_counts(batch: Batch) -> list[Tensor]:
    """How many tokens and how many pairs of a batch have a label, as two 0-d tensors.

    A helper of `train_model`; you may do without it. No `sentence_labels` counts as 0 pairs.
    """
    # 1. Count what is not IGNORE_INDEX, in both kinds of labels. Read no number back from the device yet.
    tokens = (batch.mlm_labels != IGNORE_INDEX).sum()
    pairs = batch.sentence_labels
    return [tokens, torch.zeros_like(tokens) if pairs is None else (pairs != IGNORE_INDEX).sum()]


def train_model(
    model: nn.Module,
    dataloader: Collection[Batch],
    epochs: int,
    *,
    lr: float = 5e-4,
    weight_decay: float = 0.01,
    warmup: float = 0.1,
    max_norm: float = 1.0,
    device: torch.device | str | None = None,
) -> History:
    """Train `model` in place with AdamW, and return one number an epoch for each loss.

    The model goes to `device` first (None: it stays where it is), is put in train mode, and is left so; every
    batch is moved to it. AdamW gets `parameter_groups(model, weight_decay)` and PyTorch's defaults for the
    rest. There are `epochs * len(dataloader)` steps in all, the first `int(warmup * steps)` of them warm-up;
    before each step every group's rate is set to `learning_rate(step, lr, warmup_steps, steps)`. At the start
    of each epoch, `dataloader.dataset.set_epoch(epoch)` is called with 0, 1, ... where the dataset has it.
    Every call starts with a new AdamW. What is frozen stays frozen, and no seed is set.

    The history holds the epoch's mean of the losses before each update: `mlm_loss` over all labelled tokens
    of the epoch, `sentence_loss` over all its pairs (each 0.0 where there are none), and `total_loss` is
    their sum.

    Args:
        model: has the interface of lesson 10.
        dataloader: gives the batches of an epoch, and has a length: a `DataLoader`, or a list.
        epochs: how many times to go through it, 0 or more: once an epoch, as each pass may give other batches.
        lr: the peak learning rate.
        weight_decay: for the matrices.
        warmup: a fraction of the steps, 0..1.
        max_norm: where to clip the global gradient norm.
        device: where to train.

    Example: 2 epochs of 5 batches are 10 steps; with warmup=0.1 one of them is warm-up, so the rates are lr,
    lr, 8/9 lr, ..., 1/9 lr. An epoch with two batches of 3 and 1 labelled tokens, and mean losses of 2.0 and
    4.0, has the `mlm_loss` (3 * 2.0 + 1 * 4.0) / 4 = 2.5.

    Source: Devlin et al. 2019, appendix A.2; Loshchilov and Hutter 2019 (AdamW).
    """
    # 1. Move the model, set its mode, make the optimiser, and lay out the schedule.
    device = torch.device(device) if device is not None else next(model.parameters()).device
    model.to(device).train()
    optimizer = torch.optim.AdamW(parameter_groups(model, weight_decay), lr=lr, fused=device.type == "cuda")
    total_steps = epochs * len(dataloader)
    warmup_steps = int(warmup * total_steps)
    history, step = History([], [], []), 0
    for epoch in range(epochs):
        # 2. Tell the dataset which epoch it is, where it wants to know.
        dataset: Any = getattr(dataloader, "dataset", None)
        if hasattr(dataset, "set_epoch"):
            dataset.set_epoch(epoch)
        # 3. For every batch: move it, set the rate, take a step, keep its losses and its numbers of labels.
        losses, counts = [torch.zeros(2, device=device)], [torch.zeros(2, device=device)]
        for cpu_batch in dataloader:
            batch = cpu_batch.to(device, non_blocking=True)
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, lr, warmup_steps, total_steps)
            loss = train_step(model, batch, optimizer, max_norm)
            losses.append(torch.stack([loss.mlm, loss.sentence]))
            counts.append(torch.stack(label_counts(batch)))
            step += 1
        # 4. Weight each batch's means by its numbers of labels, and write down the epoch.
        losses_S2, counts_S2 = (torch.stack(rows).cpu().double() for rows in (losses, counts))
        mlm, sentence = ((losses_S2 * counts_S2).sum(0) / counts_S2.sum(0).clamp(min=1)).tolist()
        for values, value in zip(history, (mlm, sentence, mlm + sentence), strict=True):
            values.append(value)
    return history
