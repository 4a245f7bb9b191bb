"""The constants of a frame: its head, bounds, extension codes and dtype codes."""

import struct

import numpy as np

from checks.subject import values
from checks.subject.values import Ref, Seed, TorchSeed

HEAD = struct.Struct("<II")
MOST_STRUCTURE = 512 * 1024
MOST_ARRAYS = 16 * 1024 * 1024
MOST_AXES = 8
# Shorter lists stay in the structure: an extension costs more than a few small integers.
FEWEST_PACKED = 8

ARRAY, DICT, RECORD, SEED, TORCH_SEED, REF, INTEGERS, FLOATS = range(1, 9)
DTYPES = [np.dtype(name) for name in sorted(values.PLAIN_DTYPES)]
CODES = {dtype: code for code, dtype in enumerate(DTYPES)}
RECORD_NAMES = sorted(values.RECORDS)
PLACES: dict[type, int] = {Seed: SEED, TorchSeed: TORCH_SEED, Ref: REF}
KINDS = {code: kind for kind, code in PLACES.items()}


class BadFrame(Exception):
    """A frame that breaks the format or a bound."""


def pack_shape(code: int, shape: tuple[int, ...]) -> bytes:
    """A dtype's code and an array's shape."""
    return struct.pack(f"<BB{len(shape)}I", code, len(shape), *shape)


def unpack_shape(data: bytes | memoryview) -> tuple[int, tuple[int, ...]]:
    """Back from `pack_shape`; struct.error where the length does not fit."""
    code, axes = struct.unpack("<BB", data[:2])
    if axes > MOST_AXES:
        raise BadFrame(f"an array of {axes} axes")
    return code, struct.unpack(f"<{axes}I", data[2:])
