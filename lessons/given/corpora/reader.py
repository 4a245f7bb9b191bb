"""Text files as documents, read line by line."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

from lessons.given.corpora.documents import CorpusError, check_pairs
from lessons.given.corpora.sentences import split_sentences

Layout = Literal["auto", "sentences", "paragraphs", "lines"]
PROBE_LINES = 400


def read(
    *paths: str | PathLike[str], layout: Layout = "auto", require_pairs: bool = False
) -> list[list[str]]:
    """The documents of one or more text files (UTF-8), in order, as lists of sentence texts.

    Three layouts are understood; "auto" looks at the first lines of each file:

    * "sentences": one sentence a line, a blank line between documents;
    * "paragraphs": plain text, a blank line between paragraphs, each paragraph a document that is split into
      sentences by `split_sentences`;
    * "lines": the same with one paragraph a line and no blank lines.

    A byte order mark and Windows line ends are accepted. A document never spans two files.

    Args:
        paths: the files, one or more.
        layout: how to read them.
        require_pairs: also demand what sentence pairs need: two documents, and one of two sentences.

    Raises:
        CorpusError: (a ValueError) a file that is missing, a folder, unreadable, not UTF-8 (the message names
            the line and the byte) or without text; with `require_pairs`, documents that give no pair.
        ValueError: no path, or an unknown layout.

    Example:
        a file with the lines "It rained.", "We stayed in.", "", "The sun came out." gives
        [["It rained.", "We stayed in."], ["The sun came out."]]
    """
    documents = list(iterate(*paths, layout=layout))
    if require_pairs:
        check_pairs(documents, ", ".join(str(path) for path in paths))
    return documents


def iterate(*paths: str | PathLike[str], layout: Layout = "auto") -> Iterator[list[str]]:
    """The same documents as `read`, one at a time: a file larger than the memory can be walked through."""
    if not paths:
        raise ValueError("read: got no path, expected one or more text files")
    if layout not in get_args(Layout):
        raise ValueError(f"layout: got {layout!r}, expected one of {', '.join(get_args(Layout))}")
    for path in paths:
        yield from _documents_of(Path(path), layout)


def _documents_of(path: Path, layout: Layout) -> Iterator[list[str]]:
    lines = _lines(path)
    probe = list(islice(lines, PROBE_LINES))
    if layout == "auto":
        layout = guess_layout(probe)
    found = False
    for block in _blocks(chain(probe, lines), every_line=layout == "lines"):
        found = True
        yield block if layout == "sentences" else split_sentences(" ".join(block))
    if not found:
        raise CorpusError(f"{path}: got a file without text, expected sentences")


def guess_layout(lines: Iterable[str]) -> Layout:
    """The layout that the first lines of a file suggest.

    Lines that hold the end of one sentence and the start of the next are prose: "paragraphs" where there are
    blank lines or where lines break in the middle of a sentence, "lines" otherwise. Else "sentences".
    """
    lines = list(lines)
    filled = [line for line in lines if line]
    if not filled:
        return "sentences"
    with_a_boundary = sum(len(split_sentences(line)) > 1 for line in filled)
    if with_a_boundary <= 0.1 * len(filled):
        return "sentences"
    complete = sum(line.rstrip("\"'”’»)]")[-1:] in tuple(".!?…。！？") for line in filled)  # noqa: RUF001
    has_blank = any(not line for line in lines[: len(lines) - lines[::-1].index(filled[-1])])
    return "lines" if not has_blank and complete > 0.8 * len(filled) else "paragraphs"


def _blocks(lines: Iterable[str], every_line: bool) -> Iterator[list[str]]:
    block: list[str] = []
    for line in lines:
        if line:
            block.append(line)
        if block and (every_line or not line):
            yield block
            block = []
    if block:
        yield block


def _lines(path: Path) -> Iterator[str]:
    """The lines of a UTF-8 file, stripped; the file is open only while they are drawn."""
    if path.is_dir():
        raise CorpusError(f"{path}: got a folder, expected a text file")
    offset = 0
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                text = _decode(raw, path, number, offset)
                offset += len(raw)
                for line in text.replace("\r\n", "\n").rstrip("\n").replace("\r", "\n").split("\n"):
                    yield " ".join(line.split())
    except FileNotFoundError:
        raise CorpusError(f"{path}: no such file") from None
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from error


def _decode(raw: bytes, path: Path, number: int, offset: int) -> str:
    if number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise CorpusError(f"{path}: got UTF-16, expected UTF-8 (save the file as UTF-8)")
    if b"\x00" in raw:
        raise CorpusError(
            f"{path}: line {number}, byte {offset + raw.index(0)}: got a zero byte, expected text"
        )
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        # `utf-8-sig` counts from behind the byte order mark.
        skipped = 3 if number == 1 and raw.startswith(b"\xef\xbb\xbf") else 0
        place = skipped + error.start
        raise CorpusError(
            f"{path}: line {number}, byte {offset + place}: got byte 0x{raw[place]:02x}, "
            "expected UTF-8 text (save the file as UTF-8)"
        ) from None
