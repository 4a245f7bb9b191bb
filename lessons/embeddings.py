"""Lesson 7: embeddings.

From ids to vectors: what the token is, where it stands, and which segment it belongs to, added up. ALBERT
keeps the three tables narrow (size E) and widens the sum to D afterwards: V x E is far less than V x D.

Minutes: 60. Before: nothing in code (lesson 3 for the segments).
Check:   pytest checks/test_embeddings.py
Page:    docs/lessons/07-embeddings.md

Submodule names, part of the interface: `word position segment norm` in both classes, and `projection` in
`FactorizedEmbeddings`. The tables are `weight [rows, size]` as in `nn.Embedding`, with dense gradients.
`state_dict()` holds these tensors and no others: no buffers.
Modules compute with the weights that they have now, a deep copy with its own, in the dtype of these. They set
no seed, and leave the ids and segments as they were.
Shape letters: B batch, T tokens, D d_model, E d_embedding, V vocabulary.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn

from lessons.given.config import ModelConfig


class BERTEmbeddings(nn.Module):
    """`dropout(norm(word[id] + position[t] + segment[s]))`, all of size D.

    Three tables: `word` V x D, `position` max_len x D, `segment` n_segments x D; all three are trained.
    Position 0 is the first token of each row, padding or not, so a sequence means the same alone and in a
    batch. The norm uses `config.layer_norm_eps`; dropout is `config.dropout`. No scaling by sqrt(D), and no
    `padding_idx`: row 0 of `word` is an ordinary row.

    Raises:
        ValueError: `config.d_embedding` differs from `config.d_model`.

    Example: the row of a token is the sum of three table rows, normalised.

        >>> import torch
        >>> config = ModelConfig(vocab_size=9, max_len=6, d_model=4, n_heads=2, dropout=0.0)
        >>> embeddings = BERTEmbeddings(config)
        >>> ids, segments = torch.tensor([[2, 7, 3, 8, 3]]), torch.tensor([[0, 0, 0, 1, 1]])
        >>> total = embeddings.word.weight[8] + embeddings.position.weight[3] + embeddings.segment.weight[1]
        >>> torch.allclose(embeddings(ids, segments)[0, 3], embeddings.norm(total))
        True

    Source: Devlin et al. 2019, section 3 (input representation) and figure 2.
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Refuse a configuration whose E is not D.
        # 2. Make the three tables, the norm and the dropout.
        raise NotImplementedError("lesson embeddings: BERTEmbeddings.__init__ is still to do")

    def forward(
        self, input_ids: Int[Tensor, "B T"], segment_ids: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T D"]:
        """The vectors of a batch.

        Raises:
            ValueError: T is more than `config.max_len`, padding included.
        """
        # 1. Refuse a sequence longer than the position table.
        # 2. Add the three rows of every token; positions run from 0.
        # 3. Normalise, then drop.
        raise NotImplementedError("lesson embeddings: BERTEmbeddings.forward is still to do")


class FactorizedEmbeddings(nn.Module):
    """ALBERT's embeddings: tables, sum, norm and dropout at size E, then a linear map E -> D.

    As `BERTEmbeddings` with E in the place of D, followed by `projection`, which has a bias and exists even
    where E = D. Nothing comes after the projection: no norm, no dropout.

    Example: V x E + E x D is less than V x D when V is large.

        >>> import torch
        >>> config = ModelConfig(vocab_size=9, max_len=6, d_model=8, d_embedding=4, n_heads=2)
        >>> embeddings = FactorizedEmbeddings(config)
        >>> ids = torch.tensor([[2, 7, 3, 8, 3]])
        >>> embeddings(ids, torch.zeros_like(ids)).shape
        torch.Size([1, 5, 8])
        >>> embeddings.word.weight.shape, embeddings.norm.weight.shape, embeddings.projection.weight.shape
        (torch.Size([9, 4]), torch.Size([4]), torch.Size([8, 4]))

    Source: Lan et al. 2020, section 3.1 (factorized embedding parameterization).
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Make the three tables, the norm and the dropout at size E.
        # 2. Make the map from E to D.
        raise NotImplementedError("lesson embeddings: FactorizedEmbeddings.__init__ is still to do")

    def forward(
        self, input_ids: Int[Tensor, "B T"], segment_ids: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T D"]:
        """The vectors of a batch.

        Raises:
            ValueError: T is more than `config.max_len`, padding included.
        """
        # 1. Refuse a sequence longer than the position table.
        # 2. Sum, norm and dropout at size E.
        # 3. Widen to D.
        raise NotImplementedError("lesson embeddings: FactorizedEmbeddings.forward is still to do")
