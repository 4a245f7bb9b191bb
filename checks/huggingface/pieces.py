"""The pieces of a SentencePiece model file, read without the sentencepiece library.

The file is one protocol-buffer message. Of its fields, two are needed: 1, repeated, a piece (1 its text, 2 its
score as a float), and 3, the normalizer (2 its compiled table of characters).
"""

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def read_pieces(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """The pieces with their scores, in the order of their ids, and the normalizer's table (maybe empty).

    Raises:
        ValueError: not such a file, or it ends too early.
    """
    pieces: list[tuple[str, float]] = []
    charsmap = b""
    for field, value in fields(data):
        if field == 1:
            inner = dict(fields(value))
            score = struct.unpack("<f", inner[2])[0] if 2 in inner else 0.0
            pieces.append((inner[1].decode("utf-8"), score))
        elif field == 3:
            charsmap = dict(fields(value)).get(2, b"")
    if not pieces:
        raise ValueError("got no pieces, expected a SentencePiece model")
    return pieces, charsmap


def fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each field of a message: its number and its bytes. Whole numbers, which nobody needs here, come as b''."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == VARINT:
            _, at = varint(data, at)
            yield key >> 3, b""
            continue
        if kind == BYTES:
            size, at = varint(data, at)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"got a field of kind {kind}, expected a protocol-buffer message")
        if at + size > len(data):
            raise ValueError("the file ends in the middle of a field")
        yield key >> 3, data[at : at + size]
        at += size


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The whole number that starts at `at`, seven bits a byte, lowest first; and where it ends."""
    value = shift = 0
    while at < len(data):
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise ValueError("the file ends in the middle of a number")
