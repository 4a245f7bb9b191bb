"""The scripted model in NumPy, and batches for it: what lessons 13 and 14 hand to the judged functions.

Weights are named as in `checks.subject.props.parts`; the decoder's weight is the word table. Everything here takes
complex weights too, so that a gradient is the imaginary part after an imaginary step.
"""

from typing import Any

import numpy as np

from checks.oracles import weights as make
from checks.oracles.blocks import Weights, layer_norm
from checks.oracles.blocks import linear as affine
from lessons.given.records import IGNORE_INDEX, Batch

Array = np.ndarray
Rng = np.random.Generator
EPS = 1e-5
IMAGINARY_STEP = 1e-30
VOCAB, WIDTH = 9, 3


def weights(rng: Rng, vocab_size: int = VOCAB, width: int = WIDTH) -> Weights:
    """Random weights of a scripted model: 9 words of size 3 make 68 numbers."""
    return (
        {"embeddings.word.weight": rng.normal(size=(vocab_size, width))}
        | {"embeddings.segment.weight": rng.normal(size=(2, width))}
        | make.prefixed("embeddings.norm", make.norm(rng, width))
        | make.prefixed("pooler.dense", make.linear(rng, width, width))
        | {"mlm_head.decoder.bias": rng.normal(0, 0.5, vocab_size)}
        | make.prefixed("sentence_head.classifier", make.linear(rng, width, 2))
    )


def forward(w: Weights, batch: Batch, shift: float = 0.0) -> tuple[Array, Array]:
    """`(word logits [B, T, V], pair logits [B, 2])`, one row at a time."""
    words, pairs = [], []
    for b, ids in enumerate(np.asarray(batch.input_ids)):
        rows = w["embeddings.word.weight"][ids] + w["embeddings.segment.weight"][batch.segment_ids[b]]
        shown = np.flatnonzero(batch.attention_mask[b])
        sequence = layer_norm(rows + rows[shown].sum(0) / len(shown), w, "embeddings.norm", EPS)
        sequence = sequence + shift * np.arange(sequence.shape[-1])
        pooled = np.tanh(affine(sequence[0], w, "pooler.dense"))
        words.append(sequence @ w["embeddings.word.weight"].T + w["mlm_head.decoder.bias"])
        pairs.append(affine(pooled, w, "sentence_head.classifier"))
    return np.stack(words), np.stack(pairs)


def gradient(function: Any, w: Weights) -> Weights:
    """All partial derivatives of `function(w)`, one number at a time by a complex step: exact to the last digit."""
    found = {}
    for name, array in w.items():
        found[name] = np.zeros(array.shape)
        for index in np.ndindex(*array.shape):
            ahead = array.astype(complex)
            ahead[index] += 1j * IMAGINARY_STEP
            found[name][index] = np.imag(function(w | {name: ahead})) / IMAGINARY_STEP
    return found


def batch(
    rng: Rng,
    labelled: list[int],
    tokens: int,
    *,
    vocab_size: int = VOCAB,
    pairs: bool = True,
    first: int | None = None,
) -> Batch:
    """A batch whose row b has `labelled[b]` labelled places among its real tokens, padding behind, two segments.

    Labels may be any id, 0 included. With `first`, row b begins with the id `first + b`, an entry of given logits.
    """
    size = len(labelled)
    lengths = [int(rng.integers(max(n, 2), tokens + 1)) for n in labelled]
    ids = rng.integers(0, vocab_size, (size, tokens))
    if first is not None:
        ids[:, 0] = first + np.arange(size)
    labels = np.full((size, tokens), IGNORE_INDEX)
    for b, n in enumerate(labelled):
        places = rng.permutation(lengths[b])[:n]
        labels[b, places] = rng.integers(0, vocab_size, n)
    mask = np.arange(tokens) < np.array(lengths)[:, None]
    segments = (np.arange(tokens) >= np.array(lengths)[:, None] // 2) & mask
    truth = rng.integers(0, 2, size) if pairs else None
    return Batch(ids, segments.astype(np.int64), mask, labels, truth)
