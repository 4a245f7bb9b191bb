"""Batches of equal lengths, prepared ahead of the training step.

Step n's batch is a function of (dataset, plan, n) alone, so a resumed run sees what an uninterrupted one
would have seen.
"""

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from lessons.given.engine.plan import Plan
from lessons.given.records import IGNORE_INDEX, Batch

Collate = Callable[..., Batch]
TOKENS_AT_ONCE = 1024  # on a CPU: with more, what the layers hand on no longer stays in the cache


class Part(NamedTuple):
    """What goes through the model at once: a batch, and what is known of it before it leaves the CPU.

    `positions` are the indices of the labelled tokens in the flattened batch; `full` says that no token is
    padding.
    """

    batch: Batch
    positions: Tensor
    pairs: int
    labelled: int
    tokens: int
    full: bool

    def to(self, device: torch.device) -> "Part":
        """The same part on `device`; the copy does not wait."""
        if device.type == "cpu":
            return self
        batch = self.batch.to(device, non_blocking=True)
        return self._replace(batch=batch, positions=self.positions.to(device, non_blocking=True))

    def pin(self) -> "Part":
        """The same part in page-locked memory, from which a copy to a GPU runs in the background."""
        return _map(self, torch.Tensor.pin_memory)


def prepare(batch: Batch) -> Part:
    """Note where the labels are and whether there is padding, while the batch is on the CPU."""
    positions = (batch.mlm_labels.flatten() != IGNORE_INDEX).nonzero().flatten()
    tokens = int(batch.attention_mask.sum())
    full = tokens == batch.attention_mask.numel()
    return Part(batch, positions, len(batch.input_ids), len(positions), tokens, full)


def rows_at_once(plan: Plan, rows: int, tokens: int) -> int:
    """How many of a batch's `rows` of `tokens` go through the model together; the gradients are added up."""
    if plan.micro_batch is not None:
        return plan.micro_batch
    parts = -(-rows * tokens // TOKENS_AT_ONCE) if torch.device(plan.device).type == "cpu" else 1
    return -(-rows // parts)


class Pools(Dataset):
    """Item k: the steps of pool k, each a list of parts. A pool is a run of batches cut from one sorting.

    The examples of a pool are drawn without replacement from an epoch's order, sorted by length and cut into
    batches, and the batches are shuffled. So a batch holds sequences of nearly one length. The dataset is
    a fresh one, in epoch 0; `set_epoch` is called when an epoch is over. `indices` says which examples are used.

    With several shards each takes every n-th of the pool's examples, sorts them and cuts them into shares of
    the same batches. `rank` of `size` processes draws its own shards only.
    """

    def __init__(
        self,
        dataset: Any,
        collate: Collate,
        plan: Plan,
        indices: np.ndarray | None = None,
        rank: int = 0,
        size: int = 1,
    ) -> None:
        self.indices = np.arange(len(dataset)) if indices is None else indices
        if len(self.indices) < plan.batch_size:
            raise ValueError(
                f"training pairs: got {len(self.indices)}, expected at least batch_size = {plan.batch_size}; "
                "give more documents or a smaller batch"
            )
        if plan.shards % size:
            raise ValueError(f"shards: got {plan.shards}, expected a multiple of the {size} processes")
        self.dataset, self.collate, self.plan = dataset, collate, plan
        self.shards = range(rank, plan.shards, size)
        self.batches_per_epoch = len(self.indices) // plan.batch_size
        self.pools_per_epoch = -(-self.batches_per_epoch // plan.pool)
        self._epoch = 0  # a dataset's, until it is set
        self._order = self._shuffled(0)

    def __len__(self) -> int:
        return self.place(self.plan.steps - 1)[0] + 1

    def place(self, step: int) -> tuple[int, int]:
        """The pool that holds a step (from 0), and the step's place in it."""
        epoch, within = divmod(step, self.batches_per_epoch)
        pool, offset = divmod(within, self.plan.pool)
        return epoch * self.pools_per_epoch + pool, offset

    def __getitem__(self, k: int) -> list[list[Part]]:
        epoch, pool = divmod(k, self.pools_per_epoch)
        self._set_epoch(epoch)
        size = self.plan.batch_size
        last = min((pool + 1) * self.plan.pool, self.batches_per_epoch) * size
        chosen = self._order[pool * self.plan.pool * size : last]
        shares = [self._share(chosen[shard :: self.plan.shards]) for shard in self.shards]
        order = np.random.default_rng([self.plan.seed, k, 1]).permutation(len(chosen) // size)
        return [[part for share in shares for part in self._parts(share[i])] for i in order]

    def _share(self, chosen: np.ndarray) -> list[list[Any]]:
        """A shard's examples of a pool, sorted by length, in one list a step."""
        examples = sorted((self.dataset[int(i)] for i in chosen), key=lambda example: len(example.input_ids))
        size = self.plan.batch_size // self.plan.shards
        return [examples[i : i + size] for i in range(0, len(examples), size)]

    def _set_epoch(self, epoch: int) -> None:
        if epoch != self._epoch:
            self.dataset.set_epoch(epoch)
            self._epoch, self._order = epoch, self._shuffled(epoch)

    def _shuffled(self, epoch: int) -> np.ndarray:
        return np.random.default_rng([self.plan.seed, epoch, 2]).permutation(self.indices)

    def _parts(self, examples: list[Any]) -> list[Part]:
        longest = max(len(example.input_ids) for example in examples)
        size = rows_at_once(self.plan, len(examples), longest)
        return [prepare(self.collate(examples[i : i + size])) for i in range(0, len(examples), size)]


def complete_places(documents: Sequence[Sequence[Any]], sentences: tuple[int, int]) -> np.ndarray:
    """Which of a dataset's examples never run into their document's end, as indices into the dataset.

    Where a pair is cut short by the end, the short segment is the later one: its length gives the order away.
    Documents too short for two full segments keep all of their examples.
    """
    kept, start = [], 0
    for document in documents:
        places = max(len(document) - 1, 0)
        full = len(document) - 2 * sentences[1] + 1
        kept.append(np.arange(start, start + (full if full > 0 else places)))
        start += places
    return np.concatenate(kept)


def stream(pools: Pools, start: int, pin: bool = False) -> Generator[list[Part], None, None]:
    """The batches of steps `start`, `start + 1`, ... to the plan's last, prepared in the background.

    An error in the background, say in a learner's dataset, is raised here.
    """
    first, offset = pools.place(start)
    ready: queue.Queue = queue.Queue(maxsize=2)
    closed = threading.Event()

    def put(item: Any) -> None:
        while not closed.is_set():
            try:
                ready.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def fill() -> None:
        try:
            for steps in _pools_from(pools, first):
                put([[part.pin() for part in parts] for parts in steps] if pin else steps)
                if closed.is_set():
                    return
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=fill, daemon=True, name="litebert-batches")
    thread.start()
    try:
        left = pools.plan.steps - start
        while left > 0:
            steps = ready.get()
            if isinstance(steps, BaseException):
                raise steps
            assert steps is not None, "the pools ended before the plan"
            yield from steps[offset : offset + left]
            left -= len(steps) - offset
            offset = 0
    finally:
        closed.set()
        thread.join()


def _pools_from(pools: Pools, first: int) -> Iterator[list[list[Part]]]:
    if pools.plan.workers == 0:
        yield from (pools[k] for k in range(first, len(pools)))
        return
    loader = DataLoader(
        _AsArrays(pools),
        batch_size=None,
        sampler=range(first, len(pools)),
        num_workers=pools.plan.workers,
        collate_fn=_same,
        prefetch_factor=2,
    )
    for steps in loader:
        yield [[_from_arrays(part) for part in parts] for parts in steps]


class _AsArrays(Dataset):
    """The pools with arrays for tensors: a worker's tensors would each hold a file descriptor open."""

    def __init__(self, pools: Pools) -> None:
        self.pools = pools

    def __len__(self) -> int:
        return len(self.pools)

    def __getitem__(self, k: int) -> list[list[Part]]:
        torch.set_num_threads(1)
        return [[_map(part, lambda x: x.numpy()) for part in parts] for parts in self.pools[k]]


def _from_arrays(part: Part) -> Part:
    return _map(part, torch.from_numpy)


def _map(part: Part, change: Callable) -> Part:
    batch = Batch._make(None if x is None else change(x) for x in part.batch)
    return part._replace(batch=batch, positions=change(part.positions))


def _same(steps: Any) -> Any:
    return steps
