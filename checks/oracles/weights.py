"""Random weights under the interface's names, large enough that every part shows in the result."""

from typing import Any

import numpy as np

from lessons.given.config import ModelConfig

Weights = dict[str, np.ndarray]
Rng = np.random.Generator


def config(**changes: Any) -> ModelConfig:
    """A small configuration of awkward, distinct sizes: V 29, D 8, N 2, F 20, 3 layers, dropout 0."""
    sizes = {
        "vocab_size": 29,
        "max_len": 11,
        "d_model": 8,
        "n_heads": 2,
        "d_ff": 20,
        "n_layers": 3,
        "dropout": 0.0,
    }
    return ModelConfig(**(sizes | changes))


def prefixed(name: str, w: Weights) -> Weights:
    """The weights of a submodule under the names its owner uses."""
    return {f"{name}.{key}": array for key, array in w.items()}


def linear(rng: Rng, n_in: int, n_out: int) -> Weights:
    """`weight [out, in]` and `bias` that keep the size of what goes through."""
    return {"weight": rng.normal(0, 1.2 / n_in**0.5, (n_out, n_in)), "bias": rng.normal(0, 0.4, n_out)}


def norm(rng: Rng, size: int) -> Weights:
    """A layer norm's weight near 1 and bias near 0."""
    return {"weight": rng.uniform(0.5, 1.5, size), "bias": rng.normal(0, 0.3, size)}


def attention(rng: Rng, c: ModelConfig) -> Weights:
    """`MultiHeadAttention`: the queries are a little larger, so that weights are far from uniform."""
    found: Weights = {}
    for name in ("query", "key", "value", "output"):
        found |= prefixed(name, linear(rng, c.d_model, c.d_model))
    return found | {"query.weight": 1.5 * found["query.weight"]}


def feed_forward(rng: Rng, c: ModelConfig) -> Weights:
    """`FeedForward`."""
    expand, contract = linear(rng, c.d_model, c.d_ff), linear(rng, c.d_ff, c.d_model)
    return prefixed("expand", expand) | prefixed("contract", contract)


def layer(rng: Rng, c: ModelConfig) -> Weights:
    """`TransformerLayer`."""
    return (
        prefixed("attention", attention(rng, c))
        | prefixed("attention_norm", norm(rng, c.d_model))
        | prefixed("feed_forward", feed_forward(rng, c))
        | prefixed("feed_forward_norm", norm(rng, c.d_model))
    )


def layers(rng: Rng, c: ModelConfig, n: int) -> Weights:
    """`layers.0` ... of an encoder with `n` different layers."""
    found: Weights = {}
    for index in range(n):
        found |= prefixed(f"layers.{index}", layer(rng, c))
    return found


def embeddings(rng: Rng, c: ModelConfig, factorized: bool = False) -> Weights:
    """`BERTEmbeddings`, or `FactorizedEmbeddings` with its projection."""
    size = c.d_embedding if factorized else c.d_model
    rows = {"word": c.vocab_size, "position": c.max_len, "segment": c.n_segments}
    found = {f"{name}.weight": rng.normal(size=(n, size)) for name, n in rows.items()} | prefixed(
        "norm", norm(rng, size)
    )
    return found | prefixed("projection", linear(rng, size, c.d_model)) if factorized else found


def padding(rng: Rng, batch: int, tokens: int) -> np.ndarray:
    """An attention mask: row 0 whole, the others with at least one real token in front and padding behind."""
    lengths = rng.integers(1, tokens + 1, batch)
    lengths[0] = tokens
    return np.arange(tokens) < lengths[:, None]
