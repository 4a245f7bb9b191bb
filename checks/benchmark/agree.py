"""Before any time is taken: both sides compute the same loss and the same gradients."""

from typing import NamedTuple

import torch
from torch import Tensor

from checks.benchmark.sides import Theirs, in_their_order, names_of
from lessons.given.engine import Part
from lessons.given.engine.training import Training

ALLOWED = {"fp32": (1e-5, 1e-4), "bf16": (2e-2, 1e-1)}  # rounding, summed over the model in another order


class Difference(NamedTuple):
    """Relative differences: of the loss, and of all gradients together (the norm of the difference)."""

    loss: float
    gradient: float


def difference(ours: Training, theirs: Theirs, part: Part) -> Difference:
    """How far the two sides are apart on a batch at equal weights.

    Raises:
        ValueError: too far for rounding.
    """
    part = part.to(ours.device)
    ours.model.zero_grad()
    loss = ours.loss(part).total
    loss.backward()
    theirs.model.zero_grad()
    their_loss = theirs.loss(part)
    their_loss.backward()
    mine = {name: p.grad for name, p in ours.model.named_parameters()}
    config = ours.model.config
    names = names_of(config)  # type: ignore[arg-type]
    apart = length = torch.zeros((), dtype=torch.float64)
    for name, parameter in theirs.model.named_parameters():
        gradient = in_their_order(names[name], known(mine[names[name]]))
        apart = apart + squared(known(parameter.grad) - gradient)
        length = length + squared(gradient)
    ours.model.zero_grad()
    theirs.model.zero_grad()
    got = Difference(abs(loss.item() - their_loss.item()) / abs(loss.item()), float((apart / length).sqrt()))
    allowed = ALLOWED[theirs.way.precision]
    if not (got.loss <= allowed[0] and got.gradient <= allowed[1]):
        raise ValueError(
            f"the two sides do not compute the same: losses differ by {got.loss:.1e} and gradients by "
            f"{got.gradient:.1e}, expected at most {allowed[0]:g} and {allowed[1]:g}; no times are taken"
        )
    return got


def known(gradient: Tensor | None) -> Tensor:
    """A gradient that has to be there."""
    assert gradient is not None
    return gradient


def squared(x: Tensor) -> Tensor:
    """The sum of squares, on the CPU."""
    return x.double().square().sum().cpu()
