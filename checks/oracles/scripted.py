"""The scripted model in NumPy, and batches for it: what lessons 13 and 14 hand to the judged functions.

Weights are named as in `checks.subject.props.parts`; the decoder's weight is the word table. Everything here takes
complex weights too, so that a gradient is the imaginary part after an imaginary step.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.oracles import weights as make
from checks.oracles.blocks import Weights, part
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
    """`(word logits [..., B, T, V], pair logits [..., B, 2])`, one row at a time; the weights may have leading axes."""
    words, pairs = [], []
    for b, ids in enumerate(np.asarray(batch.input_ids)):
        table = w["embeddings.word.weight"]
        rows = table[..., ids, :] + w["embeddings.segment.weight"][..., batch.segment_ids[b], :]
        shown = np.flatnonzero(batch.attention_mask[b])
        sequence = _norm(rows + rows[..., shown, :].sum(-2, keepdims=True) / len(shown), w)
        sequence = sequence + shift * np.arange(sequence.shape[-1])
        pooled = np.tanh(_affine(sequence[..., :1, :], part(w, "pooler.dense")))
        decoder = {"weight": table, "bias": w["mlm_head.decoder.bias"]}
        words.append(_affine(sequence, decoder))
        pairs.append(_affine(pooled, part(w, "sentence_head.classifier"))[..., 0, :])
    return np.stack(words, axis=-3), np.stack(pairs, axis=-2)


def _norm(x: Array, w: Weights) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + EPS)
    gain, bias = (w[f"embeddings.norm.{name}"][..., None, :] for name in ("weight", "bias"))
    return centred / deviation * gain + bias


def _affine(x: Array, w: Weights) -> Array:
    return (x[..., :, None, :] * w["weight"][..., None, :, :]).sum(-1) + w["bias"][..., None, :]


def gradient(function: Callable[[Weights], Array], w: Weights) -> Weights:
    """All partial derivatives of `function(w)` by complex steps, exact to the last digit.

    Each number has a copy of the weights in which it alone takes an imaginary step; `function` gets all copies at
    once, along a leading axis.
    """
    sizes = [array.size for array in w.values()]
    steps = 1j * IMAGINARY_STEP * np.eye(sum(sizes))
    cut = np.split(steps, np.cumsum(sizes)[:-1], axis=1)
    copies = {
        name: array + step.reshape(-1, *array.shape)
        for (name, array), step in zip(w.items(), cut, strict=True)
    }
    value = np.broadcast_to(function(copies), (sum(sizes),))
    slopes = np.split(np.imag(value) / IMAGINARY_STEP, np.cumsum(sizes)[:-1])
    return {name: s.reshape(array.shape) for (name, array), s in zip(w.items(), slopes, strict=True)}


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
    arrays: Any = (ids, segments.astype(np.int64), mask, labels, truth)
    return Batch(*arrays)
