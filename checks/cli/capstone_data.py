"""The capstone's corpus as ids, and the lines that its losses are read against."""

import math
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lessons.given.corpora.scored import Scores
from lessons.given.engine import HeldOut, Task, fingerprint, held_out_set
from lessons.given.engine.budgets import Budget
from lessons.given.records import IGNORE_INDEX, SPECIAL_TOKENS, Vocab

LONGEST = 18  # tokens of two story sentences, one in each segment; the optimum is known for whole pairs
Ids = list[list[list[int]]]


class Data(NamedTuple):
    """What both models see. `lines` are losses in nats, `bayes` the best possible accuracy of a task."""

    name: str
    train: Ids
    held_out: HeldOut
    vocab_size: int
    unknown: float
    lines: dict[str, float]
    bayes: dict[str, float]
    fingerprint: str
    words: Vocab
    ideal: Scores | None


def read_documents(corpus: tuple[str, ...], budget: Budget, seed: int) -> tuple[str, list, list]:
    """The corpus's name, the training documents and the held-out ones, as lists of sentence texts."""
    from lessons.given import corpora

    if corpus == ("stories",):
        train = corpora.stories(budget.documents, seed, world=budget.world)
        held_out = corpora.stories(max(budget.held_out_pairs, 8), seed + 1_000_003, world=budget.world)
        return f"stories ({budget.world} world)", list(train), list(held_out)
    documents = corpora.toy() if corpus == ("toy",) else list(corpora.read(*corpus))
    name = "toy" if corpus == ("toy",) else ", ".join(Path(path).name for path in corpus)
    share = min(0.5, max(0.1, 2 / len(documents)))  # the held-out NSP needs two documents
    train, held_out = corpora.split(documents, share, seed)
    return name, train, held_out


def prepare(
    corpus: tuple[str, ...], budget: Budget, vocab: Any, *, max_vocab: int, max_len: int, seed: int
) -> Data:
    """Read, build the vocabulary on the training documents, encode, and draw the held-out pairs.

    `vocab` is the subject's lesson 1.
    """
    name, train_texts, held_out_texts = read_documents(corpus, budget, seed)
    words = vocab.build_vocab(
        (sentence for document in train_texts for sentence in document), max_size=max_vocab
    )
    cache: dict[str, list[int]] = {}
    train, held_out = (
        encode_documents(documents, vocab, words, cache) for documents in (train_texts, held_out_texts)
    )
    pairs = held_out_set(held_out, max_len, seed, sentences=budget.sentences, max_pairs=budget.held_out_pairs)
    hidden = [int(i) for pair in pairs.true for i in pair.labels if i != IGNORE_INDEX]
    total = sum(len(sentence) for document in held_out for sentence in document)
    unknown = sum(sentence.count(1) for document in held_out for sentence in document) / max(total, 1)
    lines = {"ln V": math.log(len(words.tokens)), "unigram": unigram_loss(train, hidden, len(words.tokens))}
    bayes: dict[str, float] = {}
    ideal = None
    if corpus == ("stories",) and max_len >= LONGEST * budget.sentences[1] + 3:
        lines, bayes, ideal = optimum_of(pairs, budget, words.tokens)
    return Data(
        name, train, pairs, len(words.tokens), unknown, lines, bayes, fingerprint(train), words, ideal
    )


def optimum_of(
    held_out: HeldOut, budget: Budget, tokens: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, float], Scores]:
    """The world's lines with the floor on these very pairs, the best accuracy of each sentence task, and the
    best reader's scores on the pairs in true order.
    """
    from lessons.given.corpora.lines import lines
    from lessons.given.corpora.pairs import Pairing
    from lessons.given.corpora.scored import ideal_scores

    world, sentences = budget.world, budget.sentences
    in_order = Pairing(sentences=sentences)
    above = lines(world, in_order)
    ideal = ideal_scores(world, in_order, held_out.true, tokens)
    best = {
        "ln V": above["ln V"],
        "unigram": above["unigram"],
        "slot-unigram": above["slot unigram"],
        "floor": ideal.floor,
    }
    bayes: dict[str, float] = {}
    tasks: tuple[Task, ...] = ("nsp", "sop")
    for task in tasks:
        pairing = Pairing(kind=task, sentences=sentences)
        sides = [
            ideal_scores(world, pairing, pairs, tokens) for pairs in (held_out.true, held_out.negatives(task))
        ]
        sure = np.concatenate([np.maximum(side.true_order, 1 - side.true_order) for side in sides])
        bayes[task] = float(sure.mean())
    return best, bayes, ideal


def unigram_loss(train: Ids, hidden: list[int], vocab_size: int) -> float:
    """The mean loss of one who knows only how frequent each word is in training (with one added to each)."""
    counts = Counter(token for document in train for sentence in document for token in sentence)
    total = sum(counts[i] + 1 for i in range(len(SPECIAL_TOKENS), vocab_size))
    losses = [math.log(total / (counts[token] + 1)) for token in hidden]
    return sum(losses) / max(len(losses), 1)


def encode_documents(documents: list, vocab: Any, words: Any, cache: dict[str, list[int]]) -> Ids:
    """Sentences of ids; empty sentences and documents are dropped. Equal sentences share one list."""
    out = []
    for document in documents:
        for sentence in document:
            if sentence not in cache:
                cache[sentence] = vocab.encode(vocab.tokenize(sentence), words)
        ids = [cache[sentence] for sentence in document if cache[sentence]]
        if ids:
            out.append(ids)
    return out
