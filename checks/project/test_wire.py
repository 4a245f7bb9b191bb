"""The frames between host and worker: values come back as they were, hostile bytes are refused."""

import os
import struct
import time

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.sandbox import wire
from checks.sandbox.wireform import HEAD, MOST_ARRAYS, MOST_STRUCTURE, BadFrame
from checks.subject.values import PLAIN_DTYPES, Ref, Seed, TorchSeed, normalise
from lessons.given.config import ModelConfig
from lessons.given.records import Example, SentencePair, Vocab

msgpack = msgspec.msgpack
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(st.text() | st.integers(-9, 9), inner, max_size=4)
    ),
    max_leaves=20,
)


def crossed(value: object) -> object:
    frame = wire.encode(value)
    structure, arrays = wire.lengths(frame[: HEAD.size])
    assert len(frame) == HEAD.size + structure + arrays
    return wire.decode(frame[HEAD.size : HEAD.size + structure], frame[HEAD.size + structure :])


def same(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    return bool(one == other)


@given(value=plain)
def test_plain_values_come_back_with_their_types(value: object) -> None:
    assert same(crossed(value), value)


@pytest.mark.parametrize("dtype", sorted(PLAIN_DTYPES))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (1, 2, 3, 4)])
def test_arrays_come_back_bit_for_bit(dtype: str, shape: tuple[int, ...]) -> None:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    array = np.frombuffer(os.urandom(size), np.uint8).view(dtype) if dtype != "bool" else np.ones(shape, bool)
    array = array.reshape(shape)
    assert same(crossed([array, array.T, 7]), [array, array.T.copy(), 7])


def test_records_seeds_and_references_come_back() -> None:
    ids = np.arange(3)
    example = Example(ids, ids, ids > 0, ids - 100, 1)
    config = ModelConfig(vocab_size=30, d_model=8, n_heads=2)
    value = [
        Vocab(["a"] * 20, {"a": 0}),  # type: ignore[arg-type]
        SentencePair(list(range(20)), [0.5] * 20, 1),  # type: ignore[list-item]
        {"config": config, 3: example},
        [Seed(5), TorchSeed(-1), Ref(2**40)],
    ]
    assert same(crossed(value), value)


def test_an_array_in_the_other_byte_order_keeps_its_values() -> None:
    array = np.arange(5, dtype=">i4")
    assert crossed(normalise(array)).tolist() == [0, 1, 2, 3, 4]  # type: ignore[attr-defined]


def test_what_is_too_large_or_foreign_is_not_sent() -> None:
    deep: list = []
    for _ in range(20):
        deep = [deep]
    for value in (
        np.zeros(MOST_ARRAYS + 1, np.uint8),
        "x" * (MOST_STRUCTURE + 1),
        deep,
        object(),
        (1, 2),
        np.array([None]),
        np.float64(1),
    ):
        with pytest.raises(BadFrame):
            wire.encode(value)


HOSTILE = {
    "a map": msgpack.encode({"a": 1}),
    "bytes": msgpack.encode(b"x"),
    "a time": msgpack.encode(msgpack.Ext(-1, b"\0\0\0\0")),
    "a foreign extension": msgpack.encode(msgpack.Ext(99, b"")),
    "pickle": b"\x80\x04K\x01.",
    "a large integer": msgpack.encode(2**64 - 1),
    "an unknown record": msgpack.encode(msgpack.Ext(3, msgpack.encode([99, 1]))),
    "a record with too few fields": msgpack.encode(msgpack.Ext(3, msgpack.encode([0]))),
    "a record that cannot be": msgpack.encode(msgpack.Ext(3, msgpack.encode([4, *["x"] * 13]))),
    "odd pairs": msgpack.encode(msgpack.Ext(2, msgpack.encode([1, 2, 3]))),
    "pairs with a list as key": msgpack.encode(msgpack.Ext(2, msgpack.encode([[], 2]))),
    "pairs that are no list": msgpack.encode(msgpack.Ext(2, msgpack.encode(7))),
    "an array longer than its bytes": msgpack.encode(msgpack.Ext(1, struct.pack("<BBI", 3, 1, 2**31))),
    "an array of unknown dtype": msgpack.encode(msgpack.Ext(1, struct.pack("<BBI", 77, 1, 0))),
    "an array of 40 axes": msgpack.encode(msgpack.Ext(1, struct.pack("<BB40I", 3, 40, *[0] * 40))),
    "an array with half a shape": msgpack.encode(msgpack.Ext(1, b"\x03\x02\x00")),
    "a seed of the wrong length": msgpack.encode(msgpack.Ext(4, b"\0")),
    "numbers that are not there": msgpack.encode(msgpack.Ext(7, struct.pack("<I", 1000))),
    "broken text": b"\xa2\xff\xfe",
    "nothing": b"",
    "a second value behind the first": b"\x01\x02",
    "endless depth": b"\x91" * 200_000,
    "endless depth in extensions": b"\xc9\x00\x01\x00\x00\x02" * 2000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_refused(name: str) -> None:
    with pytest.raises(BadFrame):
        wire.decode(HOSTILE[name], b"")


def test_bytes_that_belong_to_no_array_and_bools_that_are_none_are_refused() -> None:
    with pytest.raises(BadFrame):
        wire.decode(msgpack.encode(1), b"\0")
    frame = wire.encode(np.array([True]))
    with pytest.raises(BadFrame):
        wire.decode(frame[HEAD.size : -1], b"\x02")


@given(data=st.binary(max_size=60), arrays=st.binary(max_size=9))
def test_random_bytes_give_a_value_in_normal_form_or_are_refused(data: bytes, arrays: bytes) -> None:
    try:
        value = wire.decode(data, arrays)
    except BadFrame:
        return
    normalise(value)


def test_an_announced_length_is_refused_before_anything_is_read() -> None:
    for head in (HEAD.pack(MOST_STRUCTURE + 1, 0), HEAD.pack(0, MOST_ARRAYS + 1), b"\xff" * HEAD.size):
        with pytest.raises(BadFrame):
            wire.lengths(head)


@pytest.mark.parametrize("element", [b"\x01", b"\x90", b"\xc7\x04\x07\0\0\0\0"])
def test_a_flood_of_elements_costs_seconds_at_most(element: bytes) -> None:
    count = (MOST_STRUCTURE - 5) // len(element)
    start = time.process_time()
    wire.decode(b"\xdd" + count.to_bytes(4, "big") + element * count, b"")
    assert time.process_time() - start < 5
