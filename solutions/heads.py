"""Lesson 9: heads.

Three small modules on top of the encoder: one vector for the whole input, a guess at each masked word, and a
guess at the order of the two segments.

Minutes: 60. Before: lesson 6 (gelu).
Check:   pytest checks/test_heads.py
Page:    docs/lessons/09-heads.md

Submodule names, part of the interface: `dense` in `Pooler`; `dense norm decoder` in `MLMHead`; `classifier`
in `SentenceHead`. The `state_dict` of a head holds their tensors and no others. No head has dropout.
Heads compute with the weights that they have now, a deep copy with its own, in the dtype of these. They set
no seed.
Shape letters: B batch, T tokens, D d_model, E d_embedding, V vocabulary.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lessons.given.config import ModelConfig

from .transformer import gelu


class Pooler(nn.Module):
    """One vector for the input: `tanh(dense(first token))`, with `dense` a linear map D -> D.

    Example: the other tokens do not matter here (they spoke to the first one in the encoder).

        >>> pooler = Pooler(ModelConfig(vocab_size=9, d_model=8, n_heads=2))
        >>> sequence_output = torch.randn(3, 7, 8)
        >>> pooler(sequence_output).shape
        torch.Size([3, 8])
        >>> torch.allclose(pooler(sequence_output), pooler(sequence_output[:, :1]))
        True

    Source: Devlin et al. 2019, section 3.1 (the vector C); the published code for dense and tanh.
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make the linear map.
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)

    def forward(self, sequence_output: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
        """The pooled vector, each entry in (-1, 1)."""
        # 1. Take the first token, map it, squash it.
        return torch.tanh(self.dense(sequence_output[:, 0]))


class MLMHead(nn.Module):
    """A score for every word of the vocabulary: `decoder(norm(activation(dense(hidden))))`.

    `dense` maps D -> E, `norm` is a layer norm at size E (`config.layer_norm_eps`), the activation is
    `config.activation`, and `decoder` maps E -> V with a bias of its own. `decoder.weight` is the word table
    itself: the same `nn.Parameter`, so that gradients of both uses meet in one tensor and stay together
    through training, copying and loading. The head takes the table as it is: nothing replaces or redraws it.

    Args:
        config: the sizes.
        word: the embedding table, `word.weight` of shape [V, E].

    Raises:
        ValueError: `word.weight` is not [V, E].

    Example:
        >>> config = ModelConfig(vocab_size=9, d_model=8, d_embedding=4, n_heads=2)
        >>> word = nn.Embedding(9, 4)
        >>> head = MLMHead(config, word)
        >>> head(torch.randn(3, 7, 8)).shape, head.decoder.weight is word.weight
        (torch.Size([3, 7, 9]), True)

    Source: Devlin et al. 2019, section 3.1 (masked LM); the published code of both for dense, GELU and norm;
    Lan et al. 2020, section 3.1 for size E; Press and Wolf 2017 for tying.
    """

    def __init__(self, config: ModelConfig, word: nn.Embedding) -> None:
        # 1. Refuse a table of another shape.
        super().__init__()
        expected = (config.vocab_size, config.d_embedding)
        if tuple(word.weight.shape) != expected:
            raise ValueError(f"word: got a table of shape {tuple(word.weight.shape)}, expected {expected}")
        # 2. Make the linear map, the norm and the decoder; remember which GELU.
        self.dense = nn.Linear(config.d_model, config.d_embedding)
        self.norm = nn.LayerNorm(config.d_embedding, eps=config.layer_norm_eps)
        self.decoder = nn.Linear(config.d_embedding, config.vocab_size)
        self.approximate: Literal["none", "tanh"] = "tanh" if config.activation == "gelu_tanh" else "none"
        # 3. Tie: the decoder's weight is the table's parameter, not a copy.
        self.decoder.weight = word.weight

    def forward(self, hidden: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch V"]:
        """Logits over the vocabulary, no softmax; any number of leading axes, a row of none included."""
        # 1. Map to E, activate, normalise.
        features_E = self.norm(gelu(self.dense(hidden), self.approximate))
        # 2. Score against every word.
        return self.decoder(features_E)


class SentenceHead(nn.Module):
    """Two logits a pair from the pooled vector, by one linear map D -> 2 named `classifier`.

    Logit 1 stands for "true order" (NSP: "is next"), logit 0 for "swapped" or "random", as the labels do.
    There is no softmax here: the loss applies it.

    Example: label 1 is true order, so a larger logit 1 is a guess at true order.

        >>> head = SentenceHead(ModelConfig(vocab_size=9, d_model=8, n_heads=2))
        >>> head(torch.randn(3, 8)).shape
        torch.Size([3, 2])
        >>> logits, true_order = torch.tensor([[-1.0, 2.0]]), 1
        >>> logits.argmax(-1).item() == true_order
        True

    Source: Devlin et al. 2019, section 3.1 (NSP); Lan et al. 2020, section 3.1 (SOP). Their code numbers the
    two classes the other way round.
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make the linear map.
        super().__init__()
        self.classifier = nn.Linear(config.d_model, 2)

    def forward(self, pooled_output: Float[Tensor, "B D"]) -> Float[Tensor, "B 2"]:
        """The two logits."""
        # 1. Apply the map.
        return self.classifier(pooled_output)
