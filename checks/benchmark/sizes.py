"""What is measured: sizes of models and batches, and what the project wants to reach."""

from typing import NamedTuple

import numpy as np
import torch

from lessons.given.config import ModelConfig
from lessons.given.engine import Part, Plan, prepare
from lessons.given.engine.batches import rows_at_once
from lessons.given.records import CLS_ID, IGNORE_INDEX, MASK_ID, SEP_ID, SPECIAL_TOKENS, Batch

Ratios = dict[str, float]


class Size(NamedTuple):
    """A model and a batch; `embedding` is ALBERT's E. `fp32` and `bf16` are goals, model -> ratio."""

    d_model: int
    n_layers: int
    n_heads: int
    vocab_size: int
    embedding: int
    tokens: int
    batch_size: int
    fp32: Ratios
    bf16: Ratios

    def config(self, model: str, vocab_size: int | None = None) -> ModelConfig:
        """BERT's configuration or ALBERT's, without dropout."""
        albert = model == "ALBERT"
        return ModelConfig(
            vocab_size=vocab_size or self.vocab_size,
            max_len=self.tokens,
            d_model=self.d_model,
            d_embedding=self.embedding if albert else self.d_model,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
            dropout=0.0,
            sharing="all" if albert else "none",
            activation="gelu_tanh" if albert else "gelu",
        )


BOTH = {"BERT": 1.5, "ALBERT": 1.5}
SIZES = {
    "M": Size(256, 6, 4, 8192, 128, 128, 32, {"BERT": 1.45, "ALBERT": 1.45}, BOTH),
    "S": Size(128, 4, 4, 500, 32, 64, 32, {"BERT": 1.10, "ALBERT": 1.20}, {}),
    "base": Size(768, 12, 12, 30_522, 128, 128, 256, {}, {"BERT": 2.0, "ALBERT": 2.0}),
    "toy": Size(16, 2, 2, 40, 8, 24, 4, {}, {}),
}
PEAK = {"cpu": 0.78, "cuda": 0.55}  # wanted shares: of fp32's on a CPU at size M, of bf16's on a GPU
ABSTRACTS = 2.3
MASKING = 40.0


def as_the_engine_cuts(part: Part, config: ModelConfig, device: str) -> list[Part]:
    """A whole batch in the parts that the engine would make of it."""
    rows = len(part.batch.input_ids)
    plan = Plan(steps=1, batch_size=rows, lr=1.0, max_len=config.max_len, device=device)
    size = rows_at_once(plan, rows, part.batch.input_ids.shape[1])
    columns = [column.split(size) for column in part.batch if column is not None]
    return [prepare(Batch._make(cut)) for cut in zip(*columns, strict=True)]


def full_batch(size: Size, seed: int = 0) -> Part:
    """Random full sequences, 15 % of the words chosen, hidden 80/10/10."""
    rng = np.random.default_rng(seed)
    shape = (size.batch_size, size.tokens)
    words = rng.integers(len(SPECIAL_TOKENS), size.vocab_size, shape)
    words[:, 0] = CLS_ID
    words[:, [size.tokens // 2, -1]] = SEP_ID
    chosen = (rng.random(shape) < 0.15) & (words >= len(SPECIAL_TOKENS))
    fate = rng.random(shape)
    other = rng.integers(len(SPECIAL_TOKENS), size.vocab_size, shape)
    ids = np.where(chosen & (fate < 0.8), MASK_ID, np.where(chosen & (fate >= 0.9), other, words))
    segments = np.broadcast_to(np.arange(size.tokens) > size.tokens // 2, shape).astype(np.int64)
    labels = np.where(chosen, words, IGNORE_INDEX)
    order = rng.integers(0, 2, size.batch_size)
    columns = (ids, segments, np.ones(shape, dtype=bool), labels, order)
    return prepare(Batch._make(map(torch.from_numpy, columns)))
