"""The host's side of the boundary: what a check holds in its hand.

A check calls functions by name and builds modules and datasets behind handles. Everything that goes over and
comes back is in normal form (see `values`). The last call is recorded, so that a failing check can say what
was called, and so that the mistake can be named.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from checks.subject.errors import Raised
from checks.subject.handles import DatasetHandle, Handle, ModuleHandle
from checks.subject.values import Ref, flat_list

GLOBAL_SEED = 20190926
# torch.rand under torch.manual_seed(GLOBAL_SEED), recorded: the host does not import torch.
TORCH_DRAW = 0.8764990289533229


class Transport(Protocol):
    """Carries requests to the judged code and values back."""

    def execute(self, operation: str, arguments: Sequence[Any], seconds: float = ...) -> Any: ...

    def forget(self) -> None: ...

    def close(self) -> None: ...


class Call(NamedTuple):
    """A recorded call, for messages and for naming the mistake."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any = None


class Subject:
    """The code under check of one lesson.

    `cache` is the check author's: values (never handles) that several checks of the lesson share, such as one
    large statistical draw. `seed` is what every statistical draw starts from: a grader chooses another.
    `share` is the part of its draws that a statistical check makes: all, unless many seeds are gone through.
    `runs` counts the checks that have used this subject.
    """

    def __init__(self, transport: Transport, lesson: str, seed: int = 0, share: float = 1.0) -> None:
        self.transport = transport
        self.lesson = lesson
        self.seed = seed
        self.share = share
        self.runs = 0
        self.cache: dict[str, Any] = {}
        self.last_call: Call | None = None
        self.last_case: Any = None

    def draws(self, count: int) -> int:
        """How many of the `count` draws of a statistical check are made here."""
        return max(1, round(count * self.share))

    def execute(self, operation: str, *arguments: Any, seconds: float | None = None) -> Any:
        """One request; prefer the named methods."""
        plain = [_without_handles(argument) for argument in arguments]
        if seconds is None:
            return self.transport.execute(operation, plain)
        return self.transport.execute(operation, plain, seconds)

    def call(self, function: str, *args: Any, seconds: float | None = None, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`."""
        self.record(function, args, kwargs)
        result = self.execute("call", function, list(args), kwargs, seconds=seconds)
        self.recorded_result(result)
        return result

    def twice(
        self, function: str, *args: Any, again: dict[int, Any] | None = None, **kwargs: Any
    ) -> tuple[Any, Any, list[Any]]:
        """The results of two calls on the same arrays and lists, kept there, and what these are afterwards.

        In the second call the positional arguments in `again` are others.
        """
        shared = [self.put(value) if isinstance(value, np.ndarray | list) else value for value in args]
        results = []
        for changed in ({}, again or {}):
            self.record(function, [changed.get(i, value) for i, value in enumerate(args)], kwargs)
            asked = [changed.get(i, value) for i, value in enumerate(shared)]
            results.append(self.execute("call", function, asked, kwargs))
            self.recorded_result(results[-1])
        return results[0], results[1], [self.get(value) for value in shared if isinstance(value, Ref)]

    def call_without(self, forbidden: tuple[str, ...], function: str, *args: Any, **kwargs: Any) -> Any:
        """A call during which each dotted name in `forbidden` raises (what the lesson's text does not allow)."""
        self.record(function, args, kwargs)
        result = self.execute("call_without", list(forbidden), function, list(args), kwargs)
        self.recorded_result(result)
        return result

    def call_in(self, dtype: str, function: str, *args: Any, **kwargs: Any) -> Any:
        """A call in another precision ("float32", "bfloat16"): floating-point arrays arrive in it."""
        self.record(function, args, kwargs)
        result = self.execute("call_in", dtype, function, list(args), kwargs)
        self.recorded_result(result)
        return result

    def call_under(self, seed: int, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """The result of a call that finds every global random generator under this seed."""
        self.record(function, args, kwargs)
        result = self.execute("call_under", seed, function, list(args), kwargs)
        self.recorded_result(result)
        return result

    def call_streamed(self, function: str, entries: list[Any], *args: Any, **kwargs: Any) -> Any:
        """A call whose first argument comes as a generator of `entries`, which can be gone through once."""
        self.record(function, (entries, *args), kwargs)
        result = self.execute("call_streamed", function, entries, list(args), kwargs)
        self.recorded_result(result)
        return result

    def call_transposed(self, function: str, *args: Any, **kwargs: Any) -> Any:
        """A call whose positional arrays lie in memory column by column, as the transpose of an array does."""
        self.record(function, args, kwargs)
        result = self.execute("call_transposed", function, list(args), kwargs)
        self.recorded_result(result)
        return result

    def call_each(self, function: str, calls: list[list[Any]], **kwargs: Any) -> list[Any]:
        """The results of many small calls, one for each list of positional arguments, in one request."""
        self.record(function, calls[0], kwargs)
        results = self.execute("call_each", function, calls, kwargs)
        self.recorded_result(results[0])
        return results

    def faults_found(self, function: str, description: dict[str, Any], vocab_size: int, seed: int) -> int:
        """How many faults `function` finds in the trusted `mask_tokens` that `description` names (see `maskers`)."""
        self.record(function, (description, vocab_size), {})
        found = self.execute("faults_found", function, description, vocab_size, seed)
        self.recorded_result(found)
        return found

    def spoiled(self, function: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """The result, and the arguments as they are after all lists and arrays in the result were overwritten."""
        self.record(function, args, kwargs)
        result, after, _ = self.execute("spoiled", function, list(args), kwargs)
        self.recorded_result(result)
        return result, after

    def overwritten(self, function: str, *args: Any, **kwargs: Any) -> Any:
        """The result after each list and array in it was filled with a number of its own."""
        self.record(function, args, kwargs)
        return self.execute("spoiled", function, list(args), kwargs)[2]

    @staticmethod
    def outcome(action: Any) -> str:
        """The (nearest built-in) exception that `action` lets judged code raise, or "" when it returns."""
        try:
            action()
        except Raised as raised:
            return raised.counts_as
        return ""

    def gradients(
        self, function: str, *args: Any, wrt: tuple[int, ...], cotangent: np.ndarray, **kwargs: Any
    ) -> tuple[np.ndarray, list[np.ndarray | None]]:
        """A function's result and the gradients of sum(result * cotangent) by the positional inputs `wrt`."""
        self.record(f"{function} backward", args, kwargs)
        result, by_input = self.execute("gradients", function, list(args), kwargs, list(wrt), cotangent)
        return result, by_input

    def module(
        self,
        kind: str,
        *args: Any,
        weights: dict[str, np.ndarray] | None = None,
        seed: int | None = 0,
        double: bool = True,
        training: bool = False,
        **kwargs: Any,
    ) -> ModuleHandle:
        """Build a module: in float64 and eval mode unless said otherwise, with `weights` loaded by name."""
        self.record(kind, args, kwargs)
        handle = ModuleHandle(self, self.execute("new", kind, list(args), kwargs, seed), kind)
        handle.change("double" if double else "float").change("train" if training else "eval")
        return handle.load(weights) if weights else handle

    def embedding(self, rows: int, columns: int) -> ModuleHandle:
        """torch's own `nn.Embedding(rows, columns)` in float64, to be handed to a head."""
        return self.torchs_own("Embedding", rows, columns)

    def torchs_own(self, kind: str, *args: Any) -> ModuleHandle:
        """torch's own `nn.<kind>(*args)` in float64, such as a `Sequential` of handles: for judged code to work on."""
        ref = self.execute("new", f"nn.{kind}", list(args), {}, 0)
        return ModuleHandle(self, ref, kind).change("double")

    def structure(self, entries: list[tuple[str, str, Any]]) -> ModuleHandle:
        """A module of the tensors that `entries` list as (dotted name, kind, shape or the name it is tied to)."""
        return ModuleHandle(self, self.execute("structure", entries), "model")

    def dataset(self, kind: str, *args: Any, **kwargs: Any) -> DatasetHandle:
        """Build a dataset."""
        self.record(kind, args, kwargs)
        return DatasetHandle(self, self.execute("new_dataset", kind, list(args), kwargs), kind)

    def items_of_each(
        self, kind: str, calls: list[list[Any]], indices: list[int], later: list[int], **kwargs: Any
    ) -> list[list[Any]]:
        """For each list of arguments the items `indices` of a dataset of its own, then those of the epochs `later`.

        All come in one request, in one list a dataset.
        """
        self.record(kind, calls[0], kwargs)
        return self.execute("items_of_each", kind, calls, kwargs, indices, later)

    def loader(self, items: list[Any], collate: str = "collate", **settings: Any) -> list[Any]:
        """All batches of a `DataLoader` over a plain list of items, with the lesson's collate function."""
        self.record(f"DataLoader over {len(items)} examples", (), settings)
        return DatasetHandle(self, self.execute("put", items), "list").batches(collate, **settings)

    def keep_module(self, function: str, *args: Any, **kwargs: Any) -> ModuleHandle:
        """Call a function that returns a module, and get a handle on it."""
        self.record(function, args, kwargs)
        return ModuleHandle(self, self.execute("keep", function, list(args), kwargs), function)

    def put(self, value: Any) -> Ref:
        """Keep a value (or a generator, by `Seed`) there, to be used in several calls."""
        return self.execute("put", value)

    def get(self, ref: Ref | Handle) -> Any:
        """A kept value as it is now."""
        return self.execute("get", ref.ref if isinstance(ref, Handle) else ref)

    def disturbed(self, function: str, *args: Any, **kwargs: Any) -> list[str]:
        """Names of the global random generators that the call moved or reseeded."""
        self.record(function, args, kwargs)
        quiet = self.execute("draws_around", GLOBAL_SEED, None, [], {})
        after = self.execute("draws_around", GLOBAL_SEED, function, list(args), kwargs)
        return _moved(quiet, after)

    def disturbed_by_items(self, kind: str, *args: Any, **kwargs: Any) -> list[str]:
        """Names of the global random generators that a dataset moved or reseeded: built, asked, set to epoch 1."""
        quiet = self.execute("draws_around", GLOBAL_SEED, None, [], {})
        self.record(kind, args, kwargs)
        return _moved(quiet, self.execute("draws_around_items", GLOBAL_SEED, kind, list(args), kwargs))

    def record(self, function: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Remember what is about to be called."""
        self.last_call = Call(function, tuple(args), dict(kwargs))

    def recorded_result(self, result: Any) -> None:
        """Remember what came."""
        assert self.last_call is not None
        self.last_call = self.last_call._replace(result=result)

    def forget(self) -> None:
        """Between checks: drop what is kept there and what was recorded here."""
        self.transport.forget()
        self.runs += 1
        self.last_call = self.last_case = None

    def close(self) -> None:
        """Done with this lesson."""
        self.transport.close()


def _without_handles(value: Any) -> Any:
    if isinstance(value, Handle):
        return value.ref
    if type(value) in (list, tuple):
        flat = flat_list(value)
        return [_without_handles(entry) for entry in value] if flat is None else flat
    if type(value) is dict:
        return {key: _without_handles(entry) for key, entry in value.items()}
    return value


def _moved(quiet: dict[str, float], after: dict[str, float]) -> list[str]:
    expected = {**quiet, **_known_draws()}
    return [name for name, draw in after.items() if draw != expected[name]]


def _known_draws() -> dict[str, float]:
    import random

    return {
        "random": random.Random(GLOBAL_SEED).random(),
        "numpy.random": float(np.random.RandomState(GLOBAL_SEED).random_sample()),
        "torch": TORCH_DRAW,
    }
