"""Lesson 10: the models.

Embeddings, encoder and heads put together, twice: BERT and ALBERT differ in the first two parts only, so what
they have in common stands in one base class.

Minutes: 60. Before: lessons 7 to 9 (embeddings, encoders, heads).
Check:   pytest checks/test_models.py
Page:    docs/lessons/10-models.md

Submodule names, part of the interface: `embeddings encoder pooler mlm_head sentence_head`. The `state_dict` of
a model holds their tensors and no others. All of them are trained.
Each call goes by the segments and the mask that it is given, and leaves them as they were. Padding may stand
anywhere in a row. Groups count only where layers are shared: other models do not read `config.n_groups`.
Shape letters: B batch, T tokens, M chosen positions, D d_model, E d_embedding, V vocabulary.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lessons.given.config import ModelConfig

from .embeddings import BERTEmbeddings, FactorizedEmbeddings
from .encoders import ALBERTEncoder, BERTEncoder, PartlySharedEncoder
from .heads import MLMHead, Pooler, SentenceHead


def init_weights(module: nn.Module, std: float = 0.02, generator: torch.Generator | None = None) -> None:
    """Start every parameter of `module`, in place, frozen ones too: matrices from N(0, std), biases 0, norms 1 and 0.

    Told apart by name and dimension, not by class, so that any module works: two dimensions or more is a
    matrix (linear or embedding weight); one dimension and a name that ends in `bias` becomes 0; any other
    one-dimensional parameter is a norm's weight and becomes 1. A shared or tied tensor is drawn once.
    `generator` lives on the parameters' device; None means torch's global one. Equal seeds give equal
    weights.

    Example:
        >>> layer = nn.Sequential(nn.Linear(300, 200), nn.LayerNorm(200))
        >>> init_weights(layer, std=0.02, generator=torch.Generator().manual_seed(0))
        >>> round(layer[0].weight.std().item(), 3), layer[0].bias.abs().max().item()
        (0.02, 0.0)
        >>> layer[1].weight.unique().tolist(), layer[1].bias.unique().tolist()
        ([1.0], [0.0])

    Source: Devlin et al. 2019, appendix A.2, and its published code (range 0.02, there truncated).
    """
    # 1. Go through the named parameters, each once, and fill each by its kind. Autograd must not see it.
    for name, parameter in module.named_parameters():
        if parameter.dim() >= 2:
            nn.init.normal_(parameter, std=std, generator=generator)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
        else:
            nn.init.ones_(parameter)


class PretrainingModel(nn.Module):
    """What BERT and ALBERT have in common: five parts, one forward pass, and two kinds of logits.

    Keeps the configuration as `.config`. Ends its construction with `init_weights(self, config.init_std)`, so
    an untrained model knows nothing: its masked-word loss is about ln V.

    Source: Devlin et al. 2019, section 3.
    """

    def __init__(
        self, config: ModelConfig, embeddings: BERTEmbeddings | FactorizedEmbeddings, encoder: nn.Module
    ) -> None:
        # 1. Keep the configuration and the two parts, and add the three heads; the masked-word head shares
        #    the word table of the embeddings.
        super().__init__()
        self.config = config
        self.embeddings = embeddings
        self.encoder = encoder
        self.pooler = Pooler(config)
        self.mlm_head = MLMHead(config, embeddings.word)
        self.sentence_head = SentenceHead(config)
        # 2. Draw the initial weights.
        init_weights(self, config.init_std)

    def forward(
        self,
        input_ids: Int[Tensor, "B T"],
        segment_ids: Int[Tensor, "B T"] | None = None,
        attention_mask: Bool[Tensor, "B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B D"]]:
        """`(sequence_output, pooled_output)`: a vector a token, and one for the whole input.

        `segment_ids` None: all 0. `attention_mask` is True at real tokens; None: all are.
        """
        # 1. Put in segment 0 where none is given.
        if segment_ids is None:
            segment_ids = torch.zeros_like(input_ids)
        # 2. Embed, encode under the mask, pool.
        sequence_output = self.encoder(self.embeddings(input_ids, segment_ids), attention_mask)
        return sequence_output, self.pooler(sequence_output)

    def mlm_logits(
        self, sequence_output: Float[Tensor, "B T D"], positions: Int[Tensor, "M"] | None = None
    ) -> Float[Tensor, "*places V"]:
        """Scores over the vocabulary: `[B, T, V]`, or `[M, V]` at the chosen positions only.

        `positions` indexes the flattened B*T axis: the token t of row b has index `b * T + t`. So with T = 7,
        index 9 is token 2 of row 1. Any order, repeats allowed. M = 0 gives `[0, V]`, which still allows backward:
        all gradients are 0. Only the chosen rows go through the head, since the product with the word table costs
        as much as whole layers; the others touch neither scores nor gradients.
        """
        # 1. Where positions are given, keep those rows of the flattened output only.
        if positions is not None:
            sequence_output = sequence_output.flatten(0, 1).index_select(0, positions)
        # 2. Apply the head.
        return self.mlm_head(sequence_output)

    def sentence_logits(self, pooled_output: Float[Tensor, "B D"]) -> Float[Tensor, "B 2"]:
        """Two logits a pair; logit 1 stands for true order."""
        # 1. Apply the head.
        return self.sentence_head(pooled_output)


class BERTModel(PretrainingModel):
    """BERT: tables of width D, and own weights for every layer.

    Raises:
        ValueError: `config.sharing` is not "none", or `config.d_embedding` is not `config.d_model`.

    Example: 3 rows of 7 tokens; token 2 of row 1 has index 1 * 7 + 2 = 9.

        >>> config = ModelConfig(vocab_size=29, d_model=8, n_heads=2, n_layers=2, dropout=0.0)
        >>> model = BERTModel(config)
        >>> sequence_output, pooled_output = model(torch.randint(5, 29, (3, 7)))
        >>> sequence_output.shape, pooled_output.shape, model.sentence_logits(pooled_output).shape
        (torch.Size([3, 7, 8]), torch.Size([3, 8]), torch.Size([3, 2]))
        >>> everywhere = model.mlm_logits(sequence_output)
        >>> chosen = model.mlm_logits(sequence_output, torch.tensor([9]))
        >>> everywhere.shape, chosen.shape, torch.allclose(everywhere[1, 2], chosen[0], atol=1e-6)
        (torch.Size([3, 7, 29]), torch.Size([1, 29]), True)

    Source: Devlin et al. 2019, section 3.
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Refuse what BERT is not: shared layers, or an embedding size of its own.
        if config.sharing != "none":
            raise ValueError(f'sharing: got {config.sharing!r}, expected "none" for BERT')
        if config.d_embedding != config.d_model:
            raise ValueError(
                f"d_embedding: got {config.d_embedding}, expected d_model={config.d_model} for BERT"
            )
        # 2. Build with BERT's embeddings and encoder.
        super().__init__(config, BERTEmbeddings(config), BERTEncoder(config))


class ALBERTModel(PretrainingModel):
    """ALBERT: factorized embeddings, and an encoder that shares what `config.sharing` says.

    "all": `ALBERTEncoder`; "attention" or "ffn": `PartlySharedEncoder`; "none": `BERTEncoder`, with
    factorized embeddings all the same.

    Example: with everything shared, depth costs no parameters.

        >>> def size(n_layers):
        ...     config = ModelConfig(vocab_size=29, d_model=8, n_heads=2, n_layers=n_layers, sharing="all")
        ...     return sum(parameter.numel() for parameter in ALBERTModel(config).parameters())
        >>> size(2) == size(6)
        True

    Source: Lan et al. 2020, section 3.1.
    """

    def __init__(self, config: ModelConfig) -> None:
        # 1. Choose the encoder by `config.sharing`, and build with factorized embeddings.
        encoders = {"none": BERTEncoder, "all": ALBERTEncoder}
        encoder = encoders.get(config.sharing, PartlySharedEncoder)(config)
        super().__init__(config, FactorizedEmbeddings(config), encoder)
