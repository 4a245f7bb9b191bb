"""The normal form of values that cross the subject boundary, the same in process and out of process.

None, bool, int (64 bit), float, str, NumPy arrays of plain dtype, lists, dicts with str or int keys, and the
records of `lessons.given` by name. Tuples become lists, NumPy scalars become Python's, torch tensors become
arrays. From the host to the judged code also go `Seed`, `TorchSeed` and `Ref`.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lessons.given import records
from lessons.given.config import ModelConfig

RECORDS: dict[str, Callable[..., Any]] = {
    name: kind
    for name, kind in vars(records).items()
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
}
RECORDS["ModelConfig"] = ModelConfig

PLAIN_DTYPES = frozenset(
    ("bool", "float16", "float32", "float64", *(f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)))
)
_DTYPES = frozenset(np.dtype(name) for name in PLAIN_DTYPES)
SCALARS = frozenset((type(None), bool, int, float, str))
MAX_DEPTH = 12
# The standard library's own dictionaries count as dicts, and become dicts.
DICTS = (dict, OrderedDict, defaultdict, Counter)


@dataclass(frozen=True)
class Seed:
    """Arrives as a fresh `numpy.random.default_rng(value)`."""

    value: int


@dataclass(frozen=True)
class TorchSeed:
    """Arrives as a fresh `torch.Generator` on the CPU, seeded with `value`."""

    value: int


@dataclass(frozen=True)
class Ref:
    """A thing that lives next to the judged code: a module, a dataset, a resident tensor, a generator."""

    number: int


class NotPlain(Exception):
    """A value that may not cross the boundary."""


def normalise(value: Any, depth: int = 0) -> Any:
    """A copy of `value` in normal form; NotPlain where it has none. Exact types only: others may lie."""
    if depth > MAX_DEPTH:
        raise NotPlain(f"a value nested more than {MAX_DEPTH} deep")
    kind = type(value)
    if kind in SCALARS or kind in (Seed, TorchSeed, Ref):
        return _bounded(value)
    if kind is np.ndarray:
        return _plain_array(value)
    if isinstance(value, np.generic):
        return normalise(value.item(), depth)
    if kind in (list, tuple):
        flat = flat_list(value)
        return [normalise(entry, depth + 1) for entry in value] if flat is None else flat
    if kind in DICTS:
        return {_key(key): normalise(entry, depth + 1) for key, entry in value.items()}
    name = kind.__name__
    if RECORDS.get(name) is kind:
        return record(name, {k: normalise(v, depth + 1) for k, v in fields_of(value).items()})
    raise NotPlain(f"a value of type {name}")


def flat_list(value: Any) -> list[Any] | None:
    """A copy of a list or tuple whose entries are all small ints, or all texts; else None. The usual case, fast."""
    kinds = set(map(type, value))
    if kinds == {int}:
        return list(value) if min(value) >= -(2**63) and max(value) < 2**63 else None
    return list(value) if kinds == {str} else None


def record(name: str, fields: Mapping[str, Any]) -> Any:
    """The given record `name` with these fields."""
    return RECORDS[name](**fields)


def fields_of(value: Any) -> dict[str, Any]:
    """A given record's fields by name."""
    return asdict(value) if isinstance(value, ModelConfig) else value._asdict()


def _bounded(value: Any) -> Any:
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise NotPlain("an integer of more than 64 bits")
    return value


def _key(key: Any) -> str | int:
    if type(key) in (str, int):
        return key
    raise NotPlain(f"a dictionary key of type {type(key).__name__}")


def _plain_array(array: np.ndarray) -> np.ndarray:
    if array.dtype not in _DTYPES and array.dtype.name not in PLAIN_DTYPES:
        raise NotPlain(f"an array of dtype {array.dtype}")
    return np.array(array, copy=True, order="C")
