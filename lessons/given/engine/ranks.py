"""Several processes that train one model: what each knows of the others. One process alone is the plain case.

The work is torch.distributed's: `torchrun` starts the processes, `init_process_group` connects them, and
`DistributedDataParallel` averages their gradients.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


class Ranks:
    """The processes of a run. `size` is their number, `rank` this one's; the first has rank 0."""

    def __init__(self, device: torch.device) -> None:
        together = dist.is_available() and dist.is_initialized()
        self.size = dist.get_world_size() if together else 1
        self.rank = dist.get_rank() if together else 0
        self.device = device

    def sum(self, x: Tensor) -> Tensor:
        """The sum of every process's tensor, in all of them. It stays on the device and does not wait there."""
        if self.size == 1:
            return x
        x = x.to(self.device)
        dist.all_reduce(x)
        return x

    def totals(self, *counts: int) -> list[Any]:
        """The sums over all processes, each at least 1 so that one can divide by it."""
        if self.size == 1:
            return [max(count, 1) for count in counts]
        return list(self.sum(torch.tensor(counts)).clamp(min=1))

    def any(self, wish: bool) -> bool:
        """Whether one process or more has the wish. All must ask."""
        return bool(self.sum(torch.tensor(int(wish))))

    def gather(self, value: Any) -> list[Any]:
        """Every process's value, in all of them, by rank."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        dist.all_gather_object(values, value)
        return values

    def from_first(self, value: Any) -> Any:
        """The first process's value, in all of them."""
        if self.size == 1:
            return value
        values = [value]
        dist.broadcast_object_list(values, src=0, device=self.device)
        return values[0]

    def spread(self, module: nn.Module) -> nn.Module:
        """The module whose backward also averages the gradients over all processes."""
        if self.size == 1:
            return module
        return DistributedDataParallel(module, gradient_as_bucket_view=True)

    def averaging(self, module: nn.Module, last: bool) -> AbstractContextManager[Any]:
        """Around one micro-batch: gradients are averaged once a step, with the last one."""
        if last or self.size == 1:
            return nullcontext()
        return module.no_sync()  # type: ignore[operator]
