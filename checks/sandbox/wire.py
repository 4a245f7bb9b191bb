"""Frames that cross the worker's pipes: bounded, typed, never executable.

A frame is two lengths (u32), a MessagePack structure and the raw bytes of its arrays. Dictionaries, records,
arrays, seeds and references are MessagePack extensions of their own; maps, binary strings and foreign
extensions are refused. Both sides decode with the same strictness.
"""

import struct
from typing import Any

import msgspec
import numpy as np

from checks.subject import values
from checks.subject.values import NotPlain, Ref, Seed, TorchSeed

HEAD = struct.Struct("<II")
MOST_STRUCTURE = 256 * 1024
MOST_ARRAYS = 16 * 1024 * 1024
ARRAY, DICT, RECORD, SEED, TORCH_SEED, REF = range(1, 7)
_DTYPES = sorted(values.PLAIN_DTYPES)
_PLACES: dict[type, int] = {Seed: SEED, TorchSeed: TORCH_SEED, Ref: REF}


class BadFrame(Exception):
    """A frame that breaks the format or a bound."""


def encode(value: Any) -> bytes:
    """A frame of a value in normal form; BadFrame when it exceeds a bound."""
    arrays = bytearray()
    structure = msgspec.msgpack.encode(_wrapped(value, arrays, 0))
    if len(structure) > MOST_STRUCTURE:
        raise BadFrame(f"a value of {len(structure)} bytes beside its arrays, at most {MOST_STRUCTURE} are allowed")
    return HEAD.pack(len(structure), len(arrays)) + structure + bytes(arrays)


def lengths(head: bytes) -> tuple[int, int]:
    """The two lengths of a frame's head; BadFrame where a bound is exceeded, before anything is read."""
    structure, arrays = HEAD.unpack(head)
    if structure > MOST_STRUCTURE or arrays > MOST_ARRAYS:
        raise BadFrame(f"a frame of {structure} + {arrays} bytes is announced")
    return structure, arrays


def decode(structure: bytes, arrays: bytes) -> Any:
    """The value of a frame's two parts, in normal form; BadFrame for anything else."""
    unpacker = _Unpacker(arrays)
    try:
        raw = msgspec.msgpack.decode(structure, ext_hook=unpacker.extension)
        value = unpacker.checked(raw, 0)
    except (msgspec.MsgspecError, NotPlain, ValueError, TypeError, RecursionError, struct.error, KeyError) as error:
        raise BadFrame(f"a frame that cannot be read: {type(error).__name__}") from None
    if unpacker.used != len(arrays):
        raise BadFrame("array bytes that belong to no array")
    return value


def _wrapped(value: Any, arrays: bytearray, depth: int) -> Any:
    if depth > values.MAX_DEPTH:
        raise BadFrame("a value nested too deep")
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [_wrapped(entry, arrays, depth + 1) for entry in value]
    if kind is np.ndarray:
        return _wrapped_array(value, arrays)
    if kind is dict:
        flat = [_wrapped(entry, arrays, depth + 1) for pair in value.items() for entry in pair]
        return msgspec.msgpack.Ext(DICT, msgspec.msgpack.encode(flat))
    if kind in _PLACES:
        number = value.number if kind is Ref else value.value
        return msgspec.msgpack.Ext(_PLACES[kind], struct.pack("<q", number))
    if values.RECORDS.get(kind.__name__) is kind:
        flat = [kind.__name__]
        for name, entry in values.fields_of(value).items():
            flat += [name, _wrapped(entry, arrays, depth + 1)]
        return msgspec.msgpack.Ext(RECORD, msgspec.msgpack.encode(flat))
    raise BadFrame(f"a value of type {kind.__name__}")


def _wrapped_array(array: np.ndarray, arrays: bytearray) -> msgspec.msgpack.Ext:
    if array.dtype.name not in values.PLAIN_DTYPES:
        raise BadFrame(f"an array of dtype {array.dtype}")
    if array.nbytes + len(arrays) > MOST_ARRAYS:
        raise BadFrame(f"arrays of more than {MOST_ARRAYS} bytes")
    payload = struct.pack("<BB", _DTYPES.index(array.dtype.name), array.ndim) + struct.pack(f"<{array.ndim}I", *array.shape)
    arrays += np.ascontiguousarray(array).tobytes()
    return msgspec.msgpack.Ext(ARRAY, payload)


class _Unpacker:
    """Turns extensions back, taking array bytes in the order the arrays were written."""

    def __init__(self, arrays: bytes) -> None:
        self.arrays = arrays
        self.used = 0
        self.depth = 0

    def extension(self, code: int, data: memoryview) -> Any:
        if code == ARRAY:
            return self._array(data)
        if code in (SEED, TORCH_SEED, REF):
            (number,) = struct.unpack("<q", data)
            return {SEED: Seed, TORCH_SEED: TorchSeed, REF: Ref}[code](number)
        if code not in (DICT, RECORD) or self.depth > values.MAX_DEPTH:
            raise NotPlain(f"an extension of code {code}")
        self.depth += 1
        try:
            flat = msgspec.msgpack.decode(data, type=list, ext_hook=self.extension)
        finally:
            self.depth -= 1
        return _Pairs(flat) if code == DICT else _NamedFields(flat)

    def _array(self, data: memoryview) -> np.ndarray:
        code, ndim = struct.unpack("<BB", data[:2])
        shape = struct.unpack(f"<{ndim}I", data[2:])
        dtype = np.dtype(_DTYPES[code]) if code < len(_DTYPES) else None
        if dtype is None or ndim > 8:
            raise NotPlain("an array of unknown dtype or of more than 8 axes")
        size = dtype.itemsize
        for length in shape:
            size *= length
        if self.used + size > len(self.arrays):
            raise NotPlain("an array that lies about its shape")
        flat = np.frombuffer(self.arrays, np.uint8, size, self.used)
        self.used += size
        if dtype == bool and flat.size and flat.max() > 1:
            raise NotPlain("a bool that is neither 0 nor 1")
        return flat.view(dtype).reshape(shape).copy()

    def checked(self, raw: Any, depth: int) -> Any:
        """Exact types only, bounded depth; pairs and fields become dictionaries and records."""
        if depth > values.MAX_DEPTH:
            raise NotPlain("a value nested too deep")
        kind = type(raw)
        if raw is None or kind in (bool, float, str, np.ndarray, Seed, TorchSeed, Ref):
            return raw
        if kind is int:
            return values.normalise(raw)
        if kind is list:
            return [self.checked(entry, depth + 1) for entry in raw]
        if kind is _Pairs:
            flat = [self.checked(entry, depth + 1) for entry in raw.flat]
            return {_key(key): entry for key, entry in zip(flat[::2], flat[1::2], strict=True)}
        if kind is _NamedFields:
            name, *flat = [self.checked(entry, depth + 1) for entry in raw.flat]
            return values.record(name, dict(zip(flat[::2], flat[1::2], strict=True)))
        raise NotPlain(f"a value of type {kind.__name__}")


class _Pairs:
    def __init__(self, flat: list[Any]) -> None:
        self.flat = flat


class _NamedFields(_Pairs):
    pass


def _key(key: Any) -> str | int:
    if type(key) not in (str, int):
        raise NotPlain("a dictionary key that is neither str nor int")
    return key
