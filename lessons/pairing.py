"""Lesson 3: pairing.

BERT and ALBERT read two segments at once and judge how they belong together. BERT's task (NSP, next sentence
prediction) sets a true continuation against text from another document; ALBERT's (SOP, sentence order
prediction) sets the true order against the same two segments swapped.

Minutes: 60. Before: nothing in code (lesson 1 for the ids).
Check:   pytest checks/test_pairing.py
Page:    docs/lessons/03-pairing.md

A sentence is a non-empty list of ids; a document is a list of sentences. Label 1 is the true order,
label 0 the swapped or random one.
"""

from itertools import chain

import numpy as np
from jaxtyping import Int

from lessons.given.records import CLS_ID, SEP_ID, SentencePair


def nsp_pairs(
    documents: list[list[list[int]]],
    rng: np.random.Generator,
    sentences: tuple[int, int] = (1, 1),
    same_place: bool = False,
) -> list[SentencePair]:
    """Pairs for BERT's next sentence prediction.

    For every document and every i from 0 to its number of sentences less 2, in order, one pair. The first
    segment is the a sentences from i on. a is uniform on the inclusive range `sentences`, then clipped so
    that at least one sentence is left after it: a <= len(document) - 1 - i. b is drawn in the same way.
    Then a fair coin decides:

    - label 1: the second segment is the b sentences that follow the first, clipped to the document's end;
    - label 0: it comes from another document, uniform among the others that hold a sentence. It starts
      at a sentence uniform on 0..len(other) - 1, or with `same_place` at min(i + a, len(other) - 1), and
      has b sentences, clipped to the end of that document.

    Documents are told apart by their place: an equal one is another one. The label follows the coin, also
    where the random segment happens to equal the true one.

    Args:
        documents: lists of sentences; an empty document gives no pair and is never drawn from.
        rng: the only source of randomness; a call moves it on, so that the next one draws other pairs.
        sentences: least and largest number of sentences in a segment.
        same_place: take the random segment from the place in its document where the true one would stand.

    Returns:
        The pairs, as flat new lists of ids; no segment is empty. A document of one sentence gives none.

    Raises:
        ValueError: fewer than two documents hold a sentence; or `sentences` starts below 1 or is upside down.

    Example:
        >>> documents = [[[5], [6, 7], [8]], [[20], [21]]]
        >>> pairs = nsp_pairs(documents, np.random.default_rng(1))
        >>> [pair.first for pair in pairs]
        [[5], [6, 7], [20]]
        >>> all(pair.second == true for pair, true in zip(pairs, [[6, 7], [8], [21]]) if pair.label == 1)
        True
        >>> all(pair.second in ([20], [21]) for pair in pairs[:2] if pair.label == 0)
        True

    Source: Devlin et al. 2019, section 3.1, task 2. Google's code labels the true continuation 0; here it is
    1.
    """
    # 1. Refuse a range that cannot be, and fewer than two documents to draw from.
    # 2. Draw both lengths; clip the first so that something is left to follow it.
    # 3. Toss the coin: the true continuation, or a start in another document.
    # 4. Flatten both segments into new lists; the slice clips the second.
    raise NotImplementedError("lesson pairing: nsp_pairs is still to do")


def sop_pairs(
    documents: list[list[list[int]]],
    rng: np.random.Generator,
    sentences: tuple[int, int] = (1, 1),
) -> list[SentencePair]:
    """Pairs for ALBERT's sentence order prediction.

    For every document and every i from 0 to its number of sentences less 2, in order, one pair of neighbours:
    the a sentences from i on, and the b sentences after them. a and b are uniform on the inclusive range
    `sentences`; a is clipped to len(document) - 1 - i, b to what is left after that. With probability 1/2
    the two are swapped: the later segment comes first, and the label is 0. Otherwise the label is 1.

    Args:
        documents: lists of sentences; one document is enough. A sentence that stands twice counts twice.
        rng: the only source of randomness; a call moves it on, so that the next one draws other pairs.
        sentences: least and largest number of sentences in a segment.

    Returns:
        The pairs, as flat new lists of ids; no segment is empty, and none leaves its document. Documents of
        no or one sentence give none.

    Raises:
        ValueError: `sentences` starts below 1 or is upside down.

    Example:
        >>> pairs = sop_pairs([[[5], [6, 7], [8]]], np.random.default_rng(0))
        >>> truth = [([5], [6, 7]), ([6, 7], [8])]
        >>> [(p.first, p.second) == (t if p.label == 1 else t[::-1]) for p, t in zip(pairs, truth)]
        [True, True]

    Source: Lan et al. 2020, section 3.1, "Inter-sentence coherence loss". Google's code labels the true order
    0; here it is 1.
    """
    # 1. Refuse a range that cannot be.
    # 2. Draw both lengths and clip them; then cut the two segments out as new lists.
    # 3. Toss the coin: swap, or leave the true order.
    raise NotImplementedError("lesson pairing: sop_pairs is still to do")


def truncate_pair(first: list[int], second: list[int], max_tokens: int) -> tuple[list[int], list[int]]:
    """Shorten two segments until both together have at most `max_tokens` ids.

    One id at a time goes from the end of the longer segment; when both are equally long, from the second.
    So neither ever becomes empty.

    Args:
        first: ids, at least one.
        second: ids, at least one.
        max_tokens: the most ids that both may have together, 2 or more.

    Returns:
        Two new lists, also when nothing had to go. The arguments stay as they are.

    Raises:
        ValueError: `max_tokens` is below 2, or a segment is empty.

    Example:
        >>> truncate_pair([5, 6, 7, 8, 9], [10, 11], 5)
        ([5, 6, 7], [10, 11])
        >>> truncate_pair([5, 6, 7, 8, 9], [10, 11], 3)
        ([5, 6], [10])
        >>> truncate_pair([5, 6], [10, 11], 3)
        ([5, 6], [10])

    Source: `truncate_seq_pair` in Google's BERT, which drops from either end at random.
    """
    # 1. Refuse what cannot be shortened to two non-empty segments.
    # 2. Work on copies; drop one id after the other.
    raise NotImplementedError("lesson pairing: truncate_pair is still to do")


def pack_pair(
    first: list[int], second: list[int], max_len: int
) -> tuple[Int[np.ndarray, "T"], Int[np.ndarray, "T"]]:
    """Join two segments into one sequence: `[CLS] first [SEP] second [SEP]`.

    The segments are truncated (`truncate_pair`) so that the whole, with its three special tokens, has at most
    `max_len` ids. Nothing is padded. `[CLS] first [SEP]` is segment 0, `second [SEP]` is segment 1.

    Args:
        first: ids, at least one.
        second: ids, at least one.
        max_len: the most ids in the result, 5 or more.

    Returns:
        `(input_ids, segment_ids)`: two int64 arrays of one length T <= max_len.

    Raises:
        ValueError: `max_len` is below 5 (three special tokens and one id a segment), or a segment is empty.

    Example:
        >>> input_ids, segment_ids = pack_pair([7, 8], [9], max_len=10)
        >>> input_ids.tolist()
        [2, 7, 8, 3, 9, 3]
        >>> segment_ids.tolist()
        [0, 0, 0, 0, 1, 1]
        >>> pack_pair([7, 8], [9], max_len=5)[0].tolist()
        [2, 7, 3, 9, 3]

    Source: Devlin et al. 2019, section 3 and Figure 2.
    """
    # 1. Refuse a length that cannot hold a pair.
    # 2. Truncate to what is left beside the three special tokens.
    # 3. Join; number the segments to match.
    raise NotImplementedError("lesson pairing: pack_pair is still to do")
