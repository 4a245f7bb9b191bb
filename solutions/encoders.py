"""Lesson 8: encoders.

A stack of layers. BERT gives every layer its own weights; ALBERT applies one set again and again, which
divides the encoder's parameters by the depth and leaves its arithmetic as it was.

Minutes: 60. Before: lesson 6 (transformer); the bonus looks inside lesson 5's attention.
Check:   pytest checks/test_encoders.py
Page:    docs/lessons/08-encoders.md

Submodule names, part of the interface: `layers`, an `nn.ModuleList`: n_layers entries in `BERTEncoder` and
`PartlySharedEncoder`, n_groups entries in `ALBERTEncoder`. Only the latter reads `config.n_groups`.
Encoders compute with the weights that they have now, a deep copy with its own, in the dtype of these. They set
no seed, and leave hidden states and mask as they were. Padding may stand anywhere in a row.
Shape letters: B batch, T tokens, D d_model.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from lessons.given.config import ModelConfig

from .transformer import TransformerLayer


class BERTEncoder(nn.Module):
    """`n_layers` layers, one after the other, each with weights of its own that start different.

    `config.sharing` is not read here: this is the encoder for "none".

    Example:
        >>> encoder = BERTEncoder(ModelConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=3))
        >>> len(encoder.layers), encoder.layers[0] is encoder.layers[1]
        (3, False)

    Source: Devlin et al. 2019, section 3.
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make n_layers separate layers.
        super().__init__()
        self.layers = nn.ModuleList(TransformerLayer(config) for _ in range(config.n_layers))

    def forward(
        self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None
    ) -> Float[Tensor, "B T D"]:
        """The last layer's output; every layer gets the same mask (True at real tokens, None: all are)."""
        # 1. Pass the hidden states through the layers in order.
        for layer in self.layers:
            hidden = layer(hidden, attention_mask)
        return hidden


class ALBERTEncoder(nn.Module):
    """One layer applied `n_layers` times; with groups (bonus), `n_groups` layers that take turns.

    Sharing means the same parameters, not copies: the count does not depend on `n_layers`, and the gradient
    of a shared tensor is the sum over all its uses. Step i (from 0) uses group `i * n_groups // n_layers`.
    Groups start different.
    `config.sharing` is not read here: this is the encoder for "all".

    Example: 4 steps; with two groups they use layers 0, 0, 1, 1.

        >>> config = ModelConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=4, sharing="all", n_groups=2)
        >>> [i * config.n_groups // config.n_layers for i in range(config.n_layers)]
        [0, 0, 1, 1]
        >>> len(ALBERTEncoder(config).layers)
        2

    Source: Lan et al. 2020, section 3.1 (cross-layer parameter sharing).
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make one layer a group, and remember how many times to apply them in all.
        super().__init__()
        self.n_layers = config.n_layers
        self.layers = nn.ModuleList(TransformerLayer(config) for _ in range(config.n_groups))

    def forward(
        self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None
    ) -> Float[Tensor, "B T D"]:
        """The last step's output; every step gets the same mask (True at real tokens, None: all are)."""
        # 1. n_layers times: pick the group of this step, and apply it.
        for i in range(self.n_layers):
            hidden = self.layers[i * len(self.layers) // self.n_layers](hidden, attention_mask)
        return hidden


class PartlySharedEncoder(BERTEncoder):
    """Bonus: `n_layers` layers that share one part, between BERT's and ALBERT's extremes.

    With `config.sharing` "attention", all layers have the same `attention` and `attention_norm` and their own
    feed-forward part; with "ffn", the same `feed_forward` and `feed_forward_norm` and their own attention.
    Own parts start different. It runs as `BERTEncoder` does. `layers` has n_layers entries, so a shared tensor
    appears under n_layers names in `state_dict()`, but once in `parameters()`.

    Raises:
        ValueError: `config.sharing` is "none" (use `BERTEncoder`) or "all" (use `ALBERTEncoder`).

    Example:
        >>> config = ModelConfig(vocab_size=9, d_model=8, n_heads=2, sharing="attention")
        >>> encoder = PartlySharedEncoder(config)
        >>> first, last = encoder.layers[0], encoder.layers[-1]
        >>> first.attention is last.attention, first.attention_norm is last.attention_norm
        (True, True)
        >>> first.feed_forward is last.feed_forward
        False

    Source: Lan et al. 2020, section 4.5 and Table 4.
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Refuse the two extremes.
        if config.sharing not in ("attention", "ffn"):
            raise ValueError(f'sharing: got {config.sharing!r}, expected "attention" or "ffn"')
        # 2. Make the layers as BERT does, then let every layer use the first one's shared part and its norm.
        super().__init__(config)
        part = "attention" if config.sharing == "attention" else "feed_forward"
        for layer in self.layers:
            for name in (part, f"{part}_norm"):
                setattr(layer, name, getattr(self.layers[0], name))
