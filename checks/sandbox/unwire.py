"""The reading side of a frame. Its input is hostile: exact types, bounded depth, every length compared."""

import struct
from typing import Any

import msgspec
import numpy as np

from checks.sandbox.wireform import (
    ARRAY,
    DICT,
    DTYPES,
    FLOATS,
    INTEGERS,
    KINDS,
    RECORD,
    RECORD_NAMES,
    BadFrame,
    unpack_shape,
)
from checks.subject import values
from checks.subject.values import Ref, Seed, TorchSeed

PLAIN = frozenset((type(None), bool, float, str, np.ndarray, Seed, TorchSeed, Ref))


class Unpacker:
    """Turns extensions back, taking array bytes in the order in which the arrays were written."""

    def __init__(self, arrays: bytes) -> None:
        self.arrays = arrays
        self.used = 0
        self.depth = 0

    def extension(self, code: int, data: memoryview) -> Any:
        """The value of one extension; pairs and fields wait for `checked`."""
        if code == ARRAY:
            return self._array(data)
        if code in (INTEGERS, FLOATS):
            (length,) = struct.unpack("<I", data)
            dtype = np.dtype(np.int64 if code == INTEGERS else np.float64)
            return _Numbers(self._taken(dtype, (length,)).tolist())
        if code in KINDS:
            (number,) = struct.unpack("<q", data)
            return KINDS[code](number)
        if code not in (DICT, RECORD) or self.depth > values.MAX_DEPTH:
            raise BadFrame(f"an extension of code {code}")
        self.depth += 1
        flat = msgspec.msgpack.decode(data, type=list, ext_hook=self.extension)
        self.depth -= 1
        return _Pairs(flat) if code == DICT else _Fields(flat)

    def checked(self, raw: Any, depth: int) -> Any:
        """Normal form: pairs become dictionaries, fields become records, anything foreign is refused."""
        if depth > values.MAX_DEPTH:
            raise BadFrame("a value nested too deep")
        kind = type(raw)
        if kind in PLAIN:
            return raw
        if kind is int:
            return _bounded(raw)
        if kind is list:
            return [self.checked(entry, depth + 1) for entry in raw]
        if kind is _Numbers:
            return raw.content
        if kind is _Pairs:
            flat = [self.checked(entry, depth + 1) for entry in raw.content]
            return {_key(key): entry for key, entry in zip(flat[::2], flat[1::2], strict=True)}
        if kind is _Fields:
            code, *fields = [self.checked(entry, depth + 1) for entry in raw.content]
            return _record(code, fields)
        raise BadFrame(f"a value of type {kind.__name__}")

    def _array(self, data: memoryview) -> np.ndarray:
        code, shape = unpack_shape(data)
        if code >= len(DTYPES):
            raise BadFrame("an array of unknown dtype")
        array = self._taken(DTYPES[code], shape)
        if array.dtype == bool and array.size and array.view(np.uint8).max() > 1:
            raise BadFrame("a bool that is neither 0 nor 1")
        return array.copy()

    def _taken(self, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        size = dtype.itemsize
        for length in shape:
            size *= length
        if self.used + size > len(self.arrays):
            raise BadFrame("an array that lies about its shape")
        flat = np.frombuffer(self.arrays, np.uint8, size, self.used)
        self.used += size
        return flat.view(dtype).reshape(shape)


class _Numbers:
    def __init__(self, content: list[Any]) -> None:
        self.content = content


class _Pairs(_Numbers):
    pass


class _Fields(_Numbers):
    pass


def _bounded(number: int) -> int:
    if not -(2**63) <= number < 2**63:
        raise BadFrame("an integer of more than 64 bits")
    return number


def _key(key: Any) -> str | int:
    if type(key) not in (str, int):
        raise BadFrame("a dictionary key that is neither str nor int")
    return key


def _record(code: Any, fields: list[Any]) -> Any:
    if type(code) is not int or not 0 <= code < len(RECORD_NAMES):
        raise BadFrame("a record of unknown name")
    kind = values.RECORDS[RECORD_NAMES[code]]
    names = getattr(kind, "_fields", None) or list(getattr(kind, "__dataclass_fields__", ()))
    return values.record(RECORD_NAMES[code], dict(zip(names, fields, strict=True)))
