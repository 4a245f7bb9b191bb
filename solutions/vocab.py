"""Lesson 1: vocab.

Text becomes a list of small integers and back. Everything later sees only these integers.

Minutes: 40. Before: nothing.
Check:   pytest checks/test_vocab.py
Page:    docs/lessons/01-vocab.md

The five special tokens have fixed ids: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4. Words start at 5.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from lessons.given.records import SPECIAL_TOKENS, UNK_ID, Vocab


def tokenize(text: str) -> list[str]:
    r"""Split a text into lower-case tokens.

    The five special tokens, written in capitals, stay whole wherever they stand, also inside a word. Every
    stretch of text between them is first put into lower case (`str.lower`), then split: a maximal run of
    letters, digits and `_` (Python's `\w`) is one token, every other character that is not white space
    (`\s`) is a token of its own.

    Args:
        text: any string.

    Returns:
        The tokens in order, in a new list each time. Text without any gives an empty list.

    Example:
        >>> tokenize("The cat's 2 toys, snake_case!")
        ['the', 'cat', "'", 's', '2', 'toys', ',', 'snake_case', '!']
        >>> tokenize("I [MASK] tea[SEP]Really?")
        ['i', '[MASK]', 'tea', '[SEP]', 'really', '?']
        >>> tokenize("[mask] is not special")
        ['[', 'mask', ']', 'is', 'not', 'special']

    Source: Devlin et al. 2019, section 3 (the special tokens). The published models split words further,
    into word pieces; whole words keep this course readable.
    """
    # 1. Cut the text at the special tokens, and keep the special tokens among the pieces.
    special = "|".join(re.escape(token) for token in SPECIAL_TOKENS)
    pieces = re.split(f"({special})", text)
    # 2. Pass a special token on as it is; lower and split every other piece.
    return [
        token
        for piece in pieces
        for token in ([piece] if piece in SPECIAL_TOKENS else re.findall(r"\w+|[^\w\s]", piece.lower()))
    ]


def build_vocab(corpus: Iterable[str], max_size: int | None = None, min_count: int = 1) -> Vocab:
    """Collect the words of a corpus and number them.

    The five special tokens come first, in the order of `SPECIAL_TOKENS`. Then come the words by falling
    frequency over the whole corpus; words that are equally frequent stand in the order of their code points
    (the order in which Python sorts strings). The order of the texts therefore changes nothing.

    Args:
        corpus: texts, not yet tokenized; possibly none, possibly a generator, so go through it once.
        max_size: the largest number of tokens in the vocabulary, the five special ones included.
            None: no limit.
        min_count: words seen fewer times are left out; 0 leaves none out.

    Returns:
        The vocabulary. `tokens` is a tuple, and `ids[tokens[i]] == i` for every i. Special tokens that
        occur in the corpus are not counted as words and keep their ids.

    Raises:
        ValueError: `max_size` is below 5.

    Example:
        >>> vocab = build_vocab(["b a, [MASK] b", "B c"])
        >>> vocab.tokens
        ('[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'b', ',', 'a', 'c')
        >>> vocab.ids["b"], vocab.ids["[MASK]"]
        (5, 4)
        >>> build_vocab(["b a, b c"], max_size=6).tokens[5:]
        ('b',)
        >>> build_vocab(["b a b c c"], min_count=2).tokens[5:]
        ('b', 'c')
    """
    # 1. Refuse a vocabulary that cannot hold the special tokens.
    if max_size is not None and max_size < len(SPECIAL_TOKENS):
        raise ValueError(f"max_size: got {max_size}, expected {len(SPECIAL_TOKENS)} or more, or None")
    # 2. Count the words of all texts; special tokens are not words.
    counts = Counter(token for text in corpus for token in tokenize(text) if token not in SPECIAL_TOKENS)
    # 3. Drop the rare ones and sort: the most frequent first, ties by code point.
    words = sorted(
        (word for word in counts if counts[word] >= min_count), key=lambda word: (-counts[word], word)
    )
    # 4. Put the special tokens in front, cut to max_size, and number what is left.
    tokens = (*SPECIAL_TOKENS, *words)[:max_size]
    return Vocab(tokens, {token: i for i, token in enumerate(tokens)})


def encode(tokens: Sequence[str], vocab: Vocab) -> list[int]:
    """The ids of tokens; a token that the vocabulary does not hold gives the id of [UNK], 1.

    Args:
        tokens: tokens as `tokenize` gives them; special tokens are tokens like any other.
        vocab: a vocabulary of `build_vocab`; both arguments are left as they are.

    Returns:
        One id a token, in a new list. No tokens give an empty list.

    Example:
        >>> vocab = build_vocab(["tea with milk"])
        >>> vocab.tokens[5:]
        ('milk', 'tea', 'with')
        >>> encode(["[CLS]", "tea", "without", "milk"], vocab)
        [2, 6, 1, 5]
    """
    # 1. Look every token up, with [UNK] for what is missing.
    return [vocab.ids.get(token, UNK_ID) for token in tokens]


def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    """The tokens of ids.

    Args:
        ids: integers from 0 to the size of the vocabulary less 1; possibly a generator, so go through them once.
        vocab: a vocabulary of `build_vocab`.

    Returns:
        One token an id, in a new list; the ids stay as they are. No ids give an empty list.

    Raises:
        ValueError: an id is outside the vocabulary. A negative id is outside too: it does not count from
            the end.

    Example:
        >>> vocab = build_vocab(["tea with milk"])
        >>> decode([2, 6, 1, 5], vocab)
        ['[CLS]', 'tea', '[UNK]', 'milk']
        >>> decode([-1], vocab)
        Traceback (most recent call last):
        ValueError: id: got -1, expected 0 to 7
    """
    tokens = []
    for i in ids:
        # 1. Refuse an id that the vocabulary does not have.
        if not 0 <= i < len(vocab.tokens):
            raise ValueError(f"id: got {i}, expected 0 to {len(vocab.tokens) - 1}")
        # 2. Look its token up.
        tokens.append(vocab.tokens[i])
    return tokens
