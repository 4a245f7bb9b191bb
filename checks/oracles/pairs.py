"""Where a segment comes from: every id of a made corpus stands in one place only, so a look-up is exact."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lessons.given.records import SentencePair

Documents = list[list[list[int]]]
FIRST_WORD = 5
TASKS = ("nsp", "same_place", "sop")


class Run(NamedTuple):
    """`size` whole sentences of a document, from sentence `start` on."""

    document: int
    start: int
    size: int

    @property
    def end(self) -> int:
        """The sentence after the last."""
        return self.start + self.size


def corpus(lengths: Sequence[int], rng: np.random.Generator, longest: int = 3) -> Documents:
    """Documents of `lengths` sentences with 1 to `longest` ids each; no id stands twice."""
    word, documents = FIRST_WORD, []
    for length in lengths:
        document = []
        for size in rng.integers(1, longest + 1, length).tolist():
            document.append(list(range(word, word + size)))
            word += size
        documents.append(document)
    return documents


def vocab_size(documents: Documents) -> int:
    """One more than the largest id."""
    return FIRST_WORD + sum(len(sentence) for document in documents for sentence in document)


def places(documents: Documents) -> Iterator[tuple[int, int]]:
    """(document, sentence) of every pair that is due, in order."""
    for d, document in enumerate(documents):
        for i in range(len(document) - 1):
            yield d, i


class Lookup:
    """Finds segments in a corpus made by `corpus`."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.filled = [d for d, document in enumerate(documents) if document]
        self.place = {
            word: (d, s)
            for d, document in enumerate(documents)
            for s, sentence in enumerate(document)
            for word in sentence
        }
        self._known: dict[tuple[int, ...], Run | None] = {}

    def run(self, segment: Any) -> Run | None:
        """The sentences that make up `segment`; None when it is no run of whole sentences of one document."""
        if not isinstance(segment, list) or set(map(type, segment)) != {int}:
            return None
        key = tuple(segment)
        if key not in self._known:
            self._known[key] = self._found(segment)
        return self._known[key]

    def _found(self, words: list[int]) -> Run | None:
        if any(word not in self.place for word in words):
            return None
        (d, start), (_, last) = self.place[words[0]], self.place[words[-1]]
        flat = [word for sentence in self.documents[d][start : last + 1] for word in sentence]
        return Run(d, start, last + 1 - start) if flat == words else None

    def clipped(self, sentences: tuple[int, int], room: int) -> set[int]:
        """The lengths that a draw from `sentences` can have where `room` sentences are left."""
        return {min(count, room) for count in range(sentences[0], sentences[1] + 1)}

    def fault(
        self, pair: Any, place: tuple[int, int], sentences: tuple[int, int], task: str
    ) -> tuple[str, str] | None:
        """What is wrong with the pair that is due at `place`, as (expected, got); None when nothing is."""
        if (
            not isinstance(pair, SentencePair)
            or type(pair.label) not in (int, bool)
            or pair.label not in (0, 1)
        ):
            return "a SentencePair with label 1 or 0", repr(pair)
        first, second = self.run(pair.first), self.run(pair.second)
        if first is None or second is None:
            return "two flat lists of ids, each whole sentences of one document, not empty", repr(pair)
        d, i = place
        swapped = task == "sop" and pair.label == 0
        earlier, later = (second, first) if swapped else (first, second)
        what = "second" if swapped else "first"
        if (earlier.document, earlier.start) != (d, i):
            return (
                f"a {what} segment from document {d}, sentence {i} on",
                f"label {pair.label}: {_said(earlier)}",
            )
        lengths = self.clipped(sentences, len(self.documents[d]) - 1 - i)
        if earlier.size not in lengths:
            return f"a {what} segment of {_either(lengths)} sentences", f"{earlier.size}"
        return self._fault_of_later(earlier, later, sentences, task, pair.label)

    def _fault_of_later(
        self, earlier: Run, later: Run, sentences: tuple[int, int], task: str, label: int
    ) -> tuple[str, str] | None:
        got = f"label {label}: {_said(later)}"
        if task == "sop" or label == 1:
            if (later.document, later.start) != (earlier.document, earlier.end):
                return f"what follows: document {earlier.document}, sentence {earlier.end} on", got
        elif later.document == earlier.document:
            return f"label 0: a segment from a document other than {earlier.document}", got
        elif task == "same_place":
            start = min(earlier.end, len(self.documents[later.document]) - 1)
            if later.start != start:
                return f"label 0: a start at sentence {start} of document {later.document}", got
        lengths = self.clipped(sentences, len(self.documents[later.document]) - later.start)
        if later.size not in lengths:
            return f"{_either(lengths)} sentences from there on", f"{later.size}"
        return None


def _said(run: Run) -> str:
    return f"document {run.document}, sentences {run.start} to {run.end - 1}"


def _either(lengths: set[int]) -> str:
    return " or ".join(map(str, sorted(lengths)))
