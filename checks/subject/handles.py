"""Handles on things that live next to the judged code: modules and datasets."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from checks.subject.values import Ref

if TYPE_CHECKING:
    from checks.subject.subject import Subject


class Gradients(NamedTuple):
    """What a backward pass gave: the outputs, gradients by parameter name, gradients by asked-for input."""

    outputs: list[np.ndarray]
    by_name: dict[str, np.ndarray | None]
    by_input: list[np.ndarray | None]


class Handle:
    """Anything kept next to the judged code."""

    def __init__(self, subject: "Subject", ref: Ref, name: str) -> None:
        self.subject = subject
        self.ref = ref
        self.name = name

    def __repr__(self) -> str:
        return self.name


class State(dict[str, np.ndarray]):
    """A state by name. A name that the judged module lacks is the module's mistake, not the check's."""

    def __missing__(self, name: str) -> np.ndarray:
        from checks.judge.expect import Wrong

        there = ", ".join(sorted(self)) or "nothing"
        because = "the names of submodules and parameters are part of the interface"
        raise Wrong(f"{name} in the state", there if len(there) < 200 else f"{there[:200]} ...", because)


class ModuleHandle(Handle):
    """A torch module: load and read state, forward, backward, optimiser steps, modes, copies."""

    def load(self, weights: dict[str, np.ndarray]) -> "ModuleHandle":
        """Copy arrays into the named parameters (every name must exist with that shape)."""
        self.subject.execute("load", self.ref, weights)
        return self

    def state(self) -> "State":
        """`state_dict()` as arrays."""
        return State(self.subject.execute("state", self.ref))

    def parameters(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the distinct parameters, each under the first name that reaches it."""
        return {name: tuple(shape) for name, shape in self.subject.execute("parameters", self.ref).items()}

    def __call__(self, *args: Any, method: str | None = None, **kwargs: Any) -> Any:
        """Forward without gradients; `method` names another method than the call itself."""
        name = self.name if method is None else f"{self.name}.{method}"
        self.subject.record(name, args, kwargs)
        result = self.subject.execute("forward", self.ref, method, list(args), kwargs)
        self.subject.recorded_result(result)
        return result

    def backward(
        self,
        *args: Any,
        cotangents: list[np.ndarray | None],
        wrt: tuple[int, ...] = (),
        method: str | None = None,
        **kwargs: Any,
    ) -> Gradients:
        """Gradients of sum(output * cotangent) over the outputs, by parameter name and by inputs `wrt`."""
        self.subject.record(f"{self.name} backward", args, kwargs)
        asked = ("backward", self.ref, method, list(args), kwargs, cotangents, list(wrt))
        return Gradients(*self.subject.execute(*asked))

    def step(
        self, *args: Any, optimizer: dict[str, Any], cotangents: list[np.ndarray | None], **kwargs: Any
    ) -> None:
        """Steps over `parameters()`: {"kind": "SGD", "lr": 0.1, "steps": 2, ...}, torch's own, or "plain SGD"."""
        self.subject.record(f"{self.name} step", args, kwargs)
        self.subject.execute("step", self.ref, optimizer, list(args), kwargs, cotangents)

    def change(self, how: str) -> "ModuleHandle":
        """ "train", "eval", "double", "float", "half" or "bfloat16"."""
        self.subject.execute("change", self.ref, how)
        return self

    def training(self) -> bool:
        """Whether the module is in train mode."""
        return self.subject.execute("mode", self.ref)

    def clone(self, how: str) -> "ModuleHandle":
        """A copy by "deepcopy", "pickle" or "save_load" (a fresh twin given the saved state)."""
        return ModuleHandle(self.subject, self.subject.execute("clone", self.ref, how), self.name)


class DatasetHandle(Handle):
    """A dataset: length, items, epochs, a pickled copy, a loader's batches."""

    def __len__(self) -> int:
        return self.subject.execute("length", self.ref)

    def items(self, indices: list[int] | None = None) -> list[Any]:
        """`dataset[i]` for each index in the order asked (all of them by default), as `Example`s."""
        indices = list(range(len(self))) if indices is None else indices
        self.subject.record(f"{self.name}[i]", (indices,), {})
        return self.subject.execute("items", self.ref, indices)

    def written_over(self) -> list[Any]:
        """All items, after the arrays in a first answer were overwritten by whoever asked."""
        indices = list(range(len(self)))
        self.subject.record(f"{self.name}[i]", (indices,), {})
        return self.subject.execute("items_written_over", self.ref, indices)

    def set_epoch(self, epoch: int) -> None:
        """`dataset.set_epoch(epoch)`."""
        self.subject.execute("set_epoch", self.ref, epoch)

    def pickled(self) -> "DatasetHandle":
        """A copy through pickle."""
        return DatasetHandle(self.subject, self.subject.execute("pickled", self.ref), self.name)

    def batches(self, collate: str = "collate", **settings: Any) -> list[Any]:
        """All batches of a `DataLoader` over it, as `Batch`es."""
        return self.subject.execute("batches", self.ref, collate, settings)
