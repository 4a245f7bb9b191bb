"""What all corpora share: the error they raise, the checks on documents, the split into two parts."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Document = TypeVar("Document")


class CorpusError(ValueError):
    """A corpus that cannot be used. The message says what was found and what was expected."""


def split(
    documents: Sequence[Document], held_out: float = 0.1, seed: int = 0
) -> tuple[list[Document], list[Document]]:
    """Two parts of a corpus, by document, both in the order of the corpus.

    Whole documents go to one side or the other: a sentence pair never has a neighbour on the other side.

    Args:
        documents: two or more documents, of any kind.
        held_out: the share of documents to hold out, in (0, 1); at least one is held out, and at least one
            is kept.
        seed: which documents are held out; equal seeds agree.

    Returns:
        (train documents, held-out documents)

    Raises:
        CorpusError: fewer than two documents.
        ValueError: `held_out` outside (0, 1).

    Example:
        >>> train, held_out = split([["a"], ["b"], ["c"], ["d"]], held_out=0.25)
        >>> len(train), len(held_out)
        (3, 1)
    """
    if not 0 < held_out < 1:
        raise ValueError(f"held_out: got {held_out!r}, expected a number between 0 and 1")
    if len(documents) < 2:
        raise CorpusError(f"split: got {len(documents)} document(s), expected two or more")
    count = min(max(1, round(held_out * len(documents))), len(documents) - 1)
    chosen = np.random.default_rng(seed).permutation(len(documents))[:count]
    is_held_out = np.zeros(len(documents), dtype=bool)
    is_held_out[chosen] = True
    train = [document for document, out in zip(documents, is_held_out, strict=True) if not out]
    return train, [document for document, out in zip(documents, is_held_out, strict=True) if out]


def check_pairs(documents: Sequence[Sequence[object]], source: str) -> None:
    """Raise a CorpusError unless sentence pairs can be made from these documents.

    NSP takes its wrong second segment from another document, so there must be two; a pair in true order
    needs a document of two sentences.
    """
    if len(documents) < 2:
        raise CorpusError(
            f"{source}: got one document, expected two or more, because next-sentence prediction draws its "
            "negatives from another document (is there a blank line between documents?)"
        )
    longest = max(len(document) for document in documents)
    if longest < 2:
        raise CorpusError(
            f"{source}: the longest of {len(documents)} documents has {longest} sentence, expected a "
            "document of two or more, because a pair is two neighbours (is there a blank line between "
            "the sentences of a document?)"
        )
