"""Lesson 6: the encoder layer.

Attention mixes tokens; the feed-forward block then works on each token alone. Both are wrapped in a residual
sum and a layer norm, which is what lets layers be stacked.

Minutes: 60. Before: lesson 5 (attention).
Check:   pytest checks/test_transformer.py
Page:    docs/lessons/06-transformer.md

Submodule names, part of the interface: `expand contract` in `FeedForward`;
`attention attention_norm feed_forward feed_forward_norm` in `TransformerLayer`. `state_dict()` holds their
tensors and no others: no buffers. Modules compute with the weights that they have now, a deep copy with its
own, in the dtype of these. They set no seed, and leave what they are given as it was, the mask too.
Shape letters: B batch, T tokens, D d_model, F d_ff.
"""

import math
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from lessons.given.config import ModelConfig

from .attention import MultiHeadAttention


def gelu(
    x: Float[Tensor, "*shape"], approximate: Literal["none", "tanh"] = "none"
) -> Float[Tensor, "*shape"]:
    """The Gaussian error linear unit, elementwise: `x * P(Z <= x)` for a standard normal Z.

    "none" is exact: `x/2 * (1 + erf(x / sqrt(2)))`, BERT's activation here.
    "tanh" is `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`, the one of ALBERT's checkpoints.
    They differ by up to 4.7e-4 and are told apart. torch's own GELU is not allowed in this function.
    The result has the shape and the dtype of `x`, whatever these are; its slope is finite at any x.

    Raises:
        ValueError: `approximate` is neither "none" nor "tanh".

    Example:
        >>> x = torch.tensor([-1.0, 0.0, 1.0, 2.0], dtype=torch.float64)
        >>> [round(y, 6) for y in gelu(x).tolist()]
        [-0.158655, 0.0, 0.841345, 1.9545]
        >>> [round(y, 6) for y in gelu(x, "tanh").tolist()]
        [-0.158808, 0.0, 0.841192, 1.954598]

    Source: Hendrycks and Gimpel 2016, section 2.
    """
    # 1. Exact: the normal distribution function through erf.
    if approximate == "none":
        return x / 2 * (1 + torch.erf(x / math.sqrt(2)))
    # 2. The tanh form, with its two constants.
    if approximate == "tanh":
        return x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    # 3. Anything else is the caller's mistake.
    raise ValueError(f'approximate: got {approximate!r}, expected "none" or "tanh"')


class FeedForward(nn.Module):
    """Each token alone: linear D -> F, activation, linear F -> D, dropout.

    `expand` and `contract` have biases. `config.activation` is "gelu" (the exact form) or "gelu_tanh".
    Hidden states have one leading axis or more, and any of them may be of size 0.
    Dropout at `config.dropout` acts on `contract`'s output; the residual sum and the norm belong to the
    layer. `nn.functional.gelu` is allowed here: it makes one pass over memory where `gelu` makes several.

    Example:
        >>> feed_forward = FeedForward(ModelConfig(vocab_size=9, d_model=8, n_heads=2, d_ff=12))
        >>> feed_forward(torch.randn(3, 7, 8)).shape
        torch.Size([3, 7, 8])
        >>> feed_forward.expand.weight.shape, feed_forward.contract.weight.shape
        (torch.Size([12, 8]), torch.Size([8, 12]))

    Source: Vaswani et al. 2017, section 3.3; Devlin et al. 2019, appendix A.2 (GELU).
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make the two linear maps and the dropout; remember which GELU.
        super().__init__()
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.contract = nn.Linear(config.d_ff, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.approximate = "tanh" if config.activation == "gelu_tanh" else "none"

    def forward(self, hidden: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch D"]:
        """The block's output, before the residual sum."""
        # 1. Expand, activate, contract, drop.
        activated = nn.functional.gelu(self.expand(hidden), approximate=self.approximate)
        return self.dropout(self.contract(activated))


class TransformerLayer(nn.Module):
    """One encoder layer, post-LN: a norm after each residual sum.

        h = attention_norm(x + attention(x, mask))
        y = feed_forward_norm(h + feed_forward(h))

    Both norms act on the last axis with `config.layer_norm_eps`, a weight and a bias. So each token of a
    fresh layer's output has mean 0 and (biased) variance 1. The two parts apply their own dropout; the layer
    adds none.

    Example:
        >>> layer = TransformerLayer(ModelConfig(vocab_size=9, d_model=8, n_heads=2))
        >>> hidden, mask = torch.randn(3, 7, 8), torch.ones(3, 7, dtype=torch.bool)
        >>> out = layer(hidden, mask)
        >>> out.shape, bool(out.mean(-1).abs().max() < 1e-6)
        (torch.Size([3, 7, 8]), True)

    Source: Vaswani et al. 2017, sections 3.1 and 5.4; Ba et al. 2016 (layer norm).
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make the two parts and their norms, with the module docstring's names and the config's epsilon.
        super().__init__()
        self.attention = MultiHeadAttention(config)
        self.attention_norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)

    def forward(
        self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None
    ) -> Float[Tensor, "B T D"]:
        """The layer's output; `attention_mask` is True at real tokens, None means all are."""
        # 1. Attention, residual sum with its input, norm.
        hidden = self.attention_norm(hidden + self.attention(hidden, attention_mask))
        # 2. Feed-forward, residual sum with its input, norm.
        return self.feed_forward_norm(hidden + self.feed_forward(hidden))
