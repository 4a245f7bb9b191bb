"""Operations on datasets behind a handle: len, item, set_epoch, a pickled copy, a loader's batches."""

import pickle
from typing import TYPE_CHECKING, Any

from checks.subject.runtime import global_draws
from checks.subject.values import Ref

if TYPE_CHECKING:
    from checks.subject.runtime import Runtime


def new_dataset(run: "Runtime", kind: str, args: list, kwargs: dict) -> Ref:
    """Build `kind(*args, **kwargs)` with plain arguments."""
    taken = {key: run.take(value, "numpy") for key, value in kwargs.items()}
    return run.keep(run.attribute(kind)(*[run.take(value, "numpy") for value in args], **taken))


def length(run: "Runtime", ref: Ref) -> int:
    """`len(dataset)`."""
    return len(run.objects[ref.number])


def items(run: "Runtime", ref: Ref, indices: list) -> list:
    """`dataset[i]` for each i, in the order asked."""
    dataset = run.objects[ref.number]
    return [run.give(dataset[index], "numpy") for index in indices]


def items_of_each(run: "Runtime", kind: str, calls: list, kwargs: dict, indices: list, later: list) -> list:
    """For each list of arguments the items `indices` of a dataset of its own, then those of the epochs `later`."""
    build = run.attribute(kind)
    taken = {key: run.take(value, "numpy") for key, value in kwargs.items()}
    found = []
    for args in calls:
        dataset = build(*[run.take(value, "numpy") for value in args], **taken)
        found.append([run.give(dataset[index], "numpy") for index in indices])
        for epoch in later:
            dataset.set_epoch(epoch)
            found[-1] += [run.give(dataset[index], "numpy") for index in indices]
    return found


def draws_around_items(run: "Runtime", seed: int, kind: str, args: list, kwargs: dict) -> dict:
    """One draw of each global generator after a dataset was built under the global seed `seed` and gone through twice.

    The second time is epoch 1.
    """
    build = run.attribute(kind)
    taken = [run.take(value, "numpy") for value in args]
    taken_kwargs = {key: run.take(value, "numpy") for key, value in kwargs.items()}

    def use() -> None:
        dataset = build(*taken, **taken_kwargs)
        for epoch in (0, 1):
            dataset.set_epoch(epoch)
            for index in range(len(dataset)):
                dataset[index]

    return global_draws(seed, use)


def set_epoch(run: "Runtime", ref: Ref, epoch: int) -> None:
    """`dataset.set_epoch(epoch)`."""
    run.objects[ref.number].set_epoch(epoch)


def pickled(run: "Runtime", ref: Ref) -> Ref:
    """A copy through pickle, as a loader's worker process gets it."""
    return run.keep(pickle.loads(pickle.dumps(run.objects[ref.number])))


def batches(run: "Runtime", ref: Ref, collate: str, settings: dict) -> list[Any]:
    """All batches of a `DataLoader` over the dataset with the lesson's collate function."""
    from torch.utils.data import DataLoader

    loader = DataLoader(run.objects[ref.number], collate_fn=run.attribute(collate), **settings)
    return [run.give(batch, "torch") for batch in loader]


OPERATIONS = {
    "new_dataset": new_dataset,
    "length": length,
    "items": items,
    "items_of_each": items_of_each,
    "draws_around_items": draws_around_items,
    "set_epoch": set_epoch,
    "pickled": pickled,
    "batches": batches,
}
