"""Frames that cross the worker's pipes: bounded, typed, never executable.

A frame is two lengths (u32), a MessagePack structure and the raw bytes of its arrays. Dictionaries, records,
arrays, seeds and references are MessagePack extensions of their own; maps, binary strings and foreign
extensions are refused. A list of nothing but integers, or nothing but floats, travels as an array's bytes: the
pairs of a large corpus are some hundred thousand small numbers. Both sides decode with the same strictness.
"""

import struct
from typing import Any

import msgspec
import numpy as np

from checks.sandbox.unwire import Unpacker
from checks.sandbox.wireform import (
    ARRAY,
    CODES,
    DICT,
    FEWEST_PACKED,
    FLOATS,
    HEAD,
    INTEGERS,
    MOST_ARRAYS,
    MOST_AXES,
    MOST_STRUCTURE,
    PLACES,
    RECORD,
    RECORD_NAMES,
    BadFrame,
    pack_shape,
)
from checks.subject import values
from checks.subject.values import NotPlain, Ref

UNREADABLE = (
    *(msgspec.MsgspecError, struct.error, NotPlain, RecursionError),
    *(ArithmeticError, LookupError, TypeError, ValueError),
)
Ext = msgspec.msgpack.Ext
_encode = msgspec.msgpack.Encoder().encode


class Arrays:
    """The bytes of a frame's arrays, collected without a copy."""

    def __init__(self) -> None:
        self.parts: list[memoryview] = []
        self.size = 0

    def append(self, array: np.ndarray) -> None:
        """Take the bytes of one array; BadFrame when the frame would be too large."""
        self.size += array.nbytes
        if self.size > MOST_ARRAYS:
            raise BadFrame(f"arrays of more than {MOST_ARRAYS} bytes")
        self.parts.append(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def encode(value: Any) -> bytes:
    """A frame of a value in normal form; BadFrame when it exceeds a bound."""
    arrays = Arrays()
    structure = _encode(_wrapped(value, arrays, 0))
    if len(structure) > MOST_STRUCTURE:
        raise BadFrame(
            f"a value of {len(structure)} bytes beside its arrays, at most {MOST_STRUCTURE} are allowed"
        )
    return b"".join([HEAD.pack(len(structure), arrays.size), structure, *arrays.parts])


def lengths(head: bytes) -> tuple[int, int]:
    """The two lengths of a frame's head; BadFrame where a bound is exceeded, before anything is read."""
    structure, arrays = HEAD.unpack(head)
    if structure > MOST_STRUCTURE or arrays > MOST_ARRAYS:
        raise BadFrame(f"a frame of {structure} + {arrays} bytes is announced")
    return structure, arrays


def decode(structure: bytes, arrays: bytes) -> Any:
    """The value of a frame's two parts, in normal form; BadFrame for anything else."""
    unpacker = Unpacker(arrays)
    try:
        raw = msgspec.msgpack.decode(structure, ext_hook=unpacker.extension)
        value = unpacker.checked(raw, 0)
    except BadFrame:
        raise
    except UNREADABLE as error:
        raise BadFrame(f"a frame that cannot be read: {type(error).__name__}") from None
    if unpacker.used != len(arrays):
        raise BadFrame("array bytes that belong to no array")
    return value


def _wrapped(value: Any, arrays: Arrays, depth: int) -> Any:
    if depth > values.MAX_DEPTH:
        raise BadFrame("a value nested too deep")
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return _wrapped_list(value, arrays, depth)
    if kind is np.ndarray:
        return _wrapped_array(value, arrays)
    if kind is dict:
        flat = [_wrapped(entry, arrays, depth + 1) for pair in value.items() for entry in pair]
        return Ext(DICT, _encode(flat))
    if kind in PLACES:
        return Ext(PLACES[kind], struct.pack("<q", value.number if kind is Ref else value.value))
    name = kind.__name__
    if values.RECORDS.get(name) is kind:
        fields = values.fields_of(value).values()
        flat = [RECORD_NAMES.index(name), *(_wrapped(entry, arrays, depth + 1) for entry in fields)]
        return Ext(RECORD, _encode(flat))
    raise BadFrame(f"a value of type {name}")


def _wrapped_list(value: list, arrays: Arrays, depth: int) -> Any:
    if len(value) >= FEWEST_PACKED:
        kinds = set(map(type, value))
        if kinds == {int}:
            return _packed(INTEGERS, np.array(value, np.int64), arrays)
        if kinds == {float}:
            return _packed(FLOATS, np.array(value, np.float64), arrays)
    return [_wrapped(entry, arrays, depth + 1) for entry in value]


def _packed(code: int, array: np.ndarray, arrays: Arrays) -> Ext:
    arrays.append(array)
    return Ext(code, struct.pack("<I", len(array)))


def _wrapped_array(array: np.ndarray, arrays: Arrays) -> Ext:
    if array.dtype not in CODES and array.dtype.name in values.PLAIN_DTYPES:
        array = array.astype(array.dtype.name)  # from the other byte order
    if array.dtype not in CODES or array.ndim > MOST_AXES:
        raise BadFrame(f"an array of dtype {array.dtype} and {array.ndim} axes")
    arrays.append(array)
    return Ext(ARRAY, pack_shape(CODES[array.dtype], array.shape))
