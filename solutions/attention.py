"""Lesson 5: attention.

The one place where tokens see each other. Each token asks (query), every token offers (key), and the answer
is a weighted mean of what they hold (value). Several heads do this side by side on slices of the width.

Minutes: 90. Before: nothing in code (lesson 1 for the ids).
Check:   pytest checks/test_attention.py
Page:    docs/lessons/05-attention.md

Submodule names, part of the interface: `query key value output` in `MultiHeadAttention`. Each has PyTorch's
`weight [D, D]` and `bias [D]`; a fused matrix for the three would not load these weights: it is not accepted.
`state_dict()` holds these tensors and no others: no buffers.
Shape letters: B batch, T query tokens, S key tokens, D d_model, N heads, K = D / N head size, Kv value size.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from lessons.given.config import ModelConfig


def attention_weights(
    query: Float[Tensor, "*batch T K"],
    key: Float[Tensor, "*batch S K"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch T S"]:
    """How much each query looks at each key: softmax over the keys of `query . key / sqrt(K)`.

    Every row sums to 1. The scale is the root of K, the last axis of `query`, whatever the model's width.
    `mask` is broadcastable to `[..., T, S]` and True where a query may look; a forbidden key gets a weight
    below 1e-6, and the others sum to 1 without it. A query that may look nowhere gets finite values, no
    matter which, and finite gradients. Results have the dtype and device of the inputs. torch's own attention
    is not allowed here.

    Example: K = 4, so scores are halved; the scores of the one query are (2, 0) / 2 = (1, 0).

        >>> query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
        >>> key = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
        >>> attention_weights(query, key)
        tensor([[0.7311, 0.2689]])
        >>> attention_weights(query, key, mask=torch.tensor([False, True]))  # may look at key 1 only
        tensor([[0., 1.]])

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    # 1. Score every query against every key, scaled by the root of the head size.
    scores_TS = query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)
    # 2. Before the softmax, lower the scores of forbidden keys so far that no weight is left for them.
    #    Choose a value that keeps a row without any allowed key finite, in float32, float64 and bfloat16.
    if mask is not None:
        scores_TS = scores_TS.masked_fill(~mask, torch.finfo(scores_TS.dtype).min)
    # 3. Normalise over the keys.
    return scores_TS.softmax(dim=-1)


def scaled_dot_product_attention(
    query: Float[Tensor, "*batch T K"],
    key: Float[Tensor, "*batch S K"],
    value: Float[Tensor, "*batch S Kv"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch T Kv"]:
    """The mean of the values, weighted by `attention_weights(query, key, mask)`.

    `mask` as there: True where a query may look. torch's own attention is not allowed here.

    Example: the weights are (0.7311, 0.2689), as in `attention_weights`.

        >>> query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
        >>> key = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
        >>> value = torch.tensor([[10.0, 0.0, 1.0], [0.0, 10.0, 1.0]])
        >>> scaled_dot_product_attention(query, key, value)
        tensor([[7.3106, 2.6894, 1.0000]])

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    # 1. Get the weights, then average the values with them.
    return attention_weights(query, key, mask) @ value


def split_heads(x: Float[Tensor, "B T D"], n_heads: int) -> Float[Tensor, "B N T K"]:
    """Give each head its own columns: head n has columns `n*K .. (n+1)*K - 1` of every token.

    Raises:
        ValueError: `n_heads` does not divide D.

    Example: one sequence of two tokens, D = 4, two heads of K = 2.

        >>> x = torch.tensor([[[0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0]]])
        >>> split_heads(x, n_heads=2)[0, 0]  # head 0: columns 0 and 1 of both tokens
        tensor([[ 0.,  1.],
                [10., 11.]])
        >>> split_heads(x, n_heads=2)[0, 1]  # head 1: columns 2 and 3
        tensor([[ 2.,  3.],
                [12., 13.]])

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    # 1. Refuse a number of heads that does not divide the width.
    if x.shape[-1] % n_heads:
        raise ValueError(f"n_heads: got {n_heads}, expected a divisor of the width {x.shape[-1]}")
    # 2. Cut the last axis into heads, then move the head axis in front of the tokens.
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "B N T K"]) -> Float[Tensor, "B T D"]:
    """Undo `split_heads`: put the heads' columns side by side again, head 0 first.

    Example:
        >>> x = torch.arange(8.0).reshape(1, 2, 4)  # B=1, T=2, D=4
        >>> torch.equal(merge_heads(split_heads(x, n_heads=2)), x)
        True

    Source: Vaswani et al. 2017, section 3.2.2 (Concat).
    """
    # 1. Move the tokens back in front of the heads, then join the last two axes.
    return x.transpose(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    """Self-attention with N heads: project, attend per head, merge, project.

    `query`, `key`, `value` and `output` are linear maps D -> D with bias. Dropout at `config.dropout` acts in
    two places while training: on the attention weights, after the softmax, and on the result of `output`. The
    residual sum and the norm belong to the layer, not here. torch's own attention is allowed in this class.

    Source: Vaswani et al. 2017, section 3.2.2; Devlin et al. 2019, section 3 and appendix A.2 (dropout).
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make the four linear maps under the names of the module docstring.
        super().__init__()
        self.n_heads = config.n_heads
        self.query = nn.Linear(config.d_model, config.d_model)
        self.key = nn.Linear(config.d_model, config.d_model)
        self.value = nn.Linear(config.d_model, config.d_model)
        self.output = nn.Linear(config.d_model, config.d_model)
        # 2. Make the dropout.
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None
    ) -> Float[Tensor, "B T D"]:
        """One vector a token, made of what the visible tokens hold.

        `attention_mask` is True at real tokens: padding is a key that nobody looks at. Padding may still ask;
        what comes out at its own place is never used. None: every token is visible.

        Example: hidden keys do not matter to the others.

            >>> attention = MultiHeadAttention(ModelConfig(vocab_size=9, d_model=8, n_heads=2, dropout=0.0))
            >>> hidden = torch.randn(1, 3, 8)
            >>> mask = torch.tensor([[True, True, False]])
            >>> padded, short = attention(hidden, mask), attention(hidden[:, :2])
            >>> torch.allclose(padded[:, :2], short, atol=1e-6)
            True
        """
        # 1. Project three times and split each result into heads.
        query_BNTK, key_BNTK, value_BNTK = (
            split_heads(project(hidden), self.n_heads) for project in (self.query, self.key, self.value)
        )
        # 2. Shape the mask so that it hides keys, for every head and every query.
        mask_B11T = None if attention_mask is None else attention_mask[:, None, None, :]
        # 3. Attend, with dropout on the weights.
        if hidden.is_cuda or query_BNTK.dtype == torch.float32:  # the fused kernel: slow in bf16 on a CPU
            if mask_B11T is not None and mask_B11T.is_cpu and mask_B11T.all():
                mask_B11T = None  # it hides nothing; asking a GPU would wait for all its work
            if mask_B11T is not None:  # in some kernels a row of padding only is NaN: let it look
                mask_B11T = mask_B11T | ~mask_B11T.any(dim=-1, keepdim=True)
            rate = self.dropout.p if self.training else 0.0
            context_BNTK = nn.functional.scaled_dot_product_attention(
                query_BNTK, key_BNTK, value_BNTK, attn_mask=mask_B11T, dropout_p=rate
            )
        else:
            context_BNTK = self.dropout(attention_weights(query_BNTK, key_BNTK, mask_B11T)) @ value_BNTK
        # 4. Merge the heads, project, and apply the output's dropout.
        return self.dropout(self.output(merge_heads(context_BNTK)))
