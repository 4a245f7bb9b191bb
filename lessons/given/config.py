"""The one configuration record that every module of the model is built from."""

from dataclasses import dataclass
from typing import Literal, get_args

Sharing = Literal["none", "attention", "ffn", "all"]
Activation = Literal["gelu", "gelu_tanh"]


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Sizes and switches of a BERT or an ALBERT.

    After construction `d_embedding` and `d_ff` are plain integers: what was left out is resolved to
    `d_model` and `4 * d_model`.

    Args:
        vocab_size: V, the five special tokens included (5 or more).
        max_len: the longest sequence the position table can serve (1 or more).
        n_segments: rows of the segment table (1 or more; 2 for sentence pairs).
        d_model: D, the width of the hidden states.
        d_embedding: E, the width of the embedding tables; left out, E = D.
        n_layers: L, how many times a layer is applied.
        n_heads: N, attention heads; N divides D.
        d_ff: F, the width inside the feed-forward block; left out, F = 4 D.
        dropout: probability in [0, 1).
        sharing: what the layers share: "none" (BERT), "attention", "ffn" or "all" (ALBERT).
        n_groups: groups of layers that share one set of weights; divides L, and counts only with "all".
        activation: "gelu" (exact) or "gelu_tanh".
        layer_norm_eps: added to the variance inside every layer norm (above 0).
        init_std: standard deviation of the initial weights (above 0).

    Raises:
        ValueError: a value that cannot be; the message says what was got and what was expected.

    Example:
        >>> config = ModelConfig(vocab_size=30_000, d_model=768, d_embedding=128, n_layers=12, n_heads=12)
        >>> config.d_embedding, config.d_ff, config.d_head
        (128, 3072, 64)

    Source: Devlin et al. 2019, section 3; Lan et al. 2020, section 3.1 and Table 1.
    """

    vocab_size: int
    max_len: int = 64
    n_segments: int = 2
    d_model: int = 128
    d_embedding: int = None  # type: ignore[assignment]  # resolved to d_model
    n_layers: int = 4
    n_heads: int = 4
    d_ff: int = None  # type: ignore[assignment]  # resolved to 4 * d_model
    dropout: float = 0.1
    sharing: Sharing = "none"
    n_groups: int = 1
    activation: Activation = "gelu"
    layer_norm_eps: float = 1e-12
    init_std: float = 0.02

    def __post_init__(self) -> None:
        for name, resolved in (("d_embedding", self.d_model), ("d_ff", 4 * self.d_model)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, resolved)
        self._check_sizes()
        self._check_ranges()
        self._check_choices()

    def _check_sizes(self) -> None:
        _require_integer(
            "vocab_size", self.vocab_size, at_least=5, why=" (the five special tokens come first)"
        )
        sizes = ("max_len", "n_segments", "d_model", "d_embedding", "n_layers", "n_heads", "d_ff", "n_groups")
        for name in sizes:
            _require_integer(name, getattr(self, name), at_least=1)
        for part, whole in (("n_heads", "d_model"), ("n_groups", "n_layers")):
            if getattr(self, whole) % getattr(self, part):
                raise ValueError(
                    f"{part}: got {getattr(self, part)} with {whole}={getattr(self, whole)}, "
                    f"expected a divisor of {whole}"
                )

    def _check_ranges(self) -> None:
        _require_number("dropout", self.dropout)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout: got {self.dropout!r}, expected a number in [0, 1)")
        for name in ("layer_norm_eps", "init_std"):
            _require_number(name, getattr(self, name))
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name}: got {getattr(self, name)!r}, expected a number above 0")

    def _check_choices(self) -> None:
        for name, choices in (("sharing", get_args(Sharing)), ("activation", get_args(Activation))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}: got {getattr(self, name)!r}, expected one of {', '.join(choices)}")

    @property
    def d_head(self) -> int:
        """K, the size of one attention head: `d_model // n_heads`."""
        return self.d_model // self.n_heads


def _require_integer(name: str, value: object, at_least: int, why: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        raise ValueError(f"{name}: got {value!r}, expected an integer of {at_least} or more{why}")


def _require_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name}: got {value!r}, expected a number")
