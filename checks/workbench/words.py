"""A little text with ids, made here: a picture of one lesson must not need another lesson's code."""

import re
from functools import cache

from lessons.given.records import SPECIAL_TOKENS

SENTENCES = (
    "Anna washed the carrots and the potatoes .",
    "She cut them into small pieces .",
    "Then she put the pieces into a pot of hot water .",
    "Half an hour later the soup was ready .",
)


@cache
def documents(most: int = 8) -> list[list[list[str]]]:
    """The first documents of the toy corpus: sentences as lists of words in lower case."""
    from lessons.given import corpora

    read = list(corpora.toy())[:most]
    return [[re.findall(r"\w+|[^\w\s]", sentence.lower()) for sentence in document] for document in read]


@cache
def vocabulary(most: int = 8) -> list[str]:
    """The special tokens and every word of the documents, by code point."""
    found = {word for document in documents(most) for sentence in document for word in sentence}
    return [*SPECIAL_TOKENS, *sorted(found)]


def as_ids(most: int = 8) -> list[list[list[int]]]:
    """The documents as ids of that vocabulary."""
    ids = {word: i for i, word in enumerate(vocabulary(most))}
    return [[[ids[word] for word in sentence] for sentence in document] for document in documents(most)]


def sentence_ids(text: str) -> tuple[list[int], list[str]]:
    """The ids of a sentence's words, and a vocabulary of exactly these words behind the special tokens."""
    words = text.lower().split()
    table = [*SPECIAL_TOKENS, *dict.fromkeys(words)]
    return [table.index(word) for word in words], table
