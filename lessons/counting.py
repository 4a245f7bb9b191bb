"""Lesson 12: counting.

Where a model's parameters are, and what a forward pass costs. ALBERT's two ideas, a narrow embedding table
and one set of layer weights, save parameters in different places and save hardly any arithmetic; the two
counts side by side show it.

Minutes: 50. Before: models (to count), nothing for the formulas.
Check:   pytest checks/test_counting.py
Page:    docs/lessons/12-counting.md

Letters: T tokens, D d_model, F d_ff, V vocabulary, P max_len, E d_embedding, L layers.
"""

from torch import nn

from lessons.given.config import ModelConfig


def count_parameters(model: nn.Module) -> int:
    """How many numbers a model learns.

    A tensor used in several places (a shared layer, the tied decoder) counts once. Frozen parameters count
    like the others; buffers are not parameters.

    Args:
        model: any module, on any device, the meta device included.

    Example:
        >>> word = nn.Embedding(10, 4)
        >>> decoder = nn.Linear(4, 10)
        >>> decoder.weight = word.weight
        >>> count_parameters(nn.ModuleList([word, decoder]))
        50
    """
    # 1. Sum the sizes of the model's parameters, each parameter once.
    raise NotImplementedError("lesson counting: count_parameters is still to do")


def parameter_table(config: ModelConfig, factorized: bool) -> dict[str, int]:
    """The parameters of a model by component, by formula, without building it.

    A linear layer from n to m has n*m + m parameters, a layer norm of width n has 2n. The components:

    - `word`, `position`, `segment`: the three tables, of width E; `embedding_norm`: their norm, of width E;
    - `projection`: the linear layer E -> D of a factorized embedding, there also when E = D; else 0;
    - `encoder`: one layer is attention (four linear layers D -> D, and a norm) and feed-forward (D -> F, F ->
      D, and a norm). `sharing` "none" has L of both, "attention" one attention and L feed-forwards, "ffn"
      L attentions and one feed-forward, "all" `n_groups` of both. A norm belongs to the part that it follows;
    - `pooler`: D -> D;
    - `mlm_head`: D -> E, a norm of width E, and the decoder's bias; the decoder's matrix is the word table
      and is counted there;
    - `sentence_head`: D -> 2;
    - `total`: the sum of all.

    Args:
        config: the sizes; `n_groups` counts only with sharing "all".
        factorized: True for ALBERT's embeddings (E, then a projection to D), False for BERT's.

    Returns:
        The keys in the order above: word position segment embedding_norm projection encoder pooler mlm_head
        sentence_head total.

    Raises:
        ValueError: `factorized` is False and E is not D.

    Example:
        >>> bert = ModelConfig(vocab_size=30522, max_len=512, d_model=768, n_layers=12, n_heads=12)
        >>> table = parameter_table(bert, factorized=False)
        >>> table["word"], table["encoder"], table["mlm_head"], table["total"]
        (23440896, 85054464, 622650, 110106428)
        >>> albert = ModelConfig(
        ...     vocab_size=30000, max_len=512, d_model=768, d_embedding=128, n_layers=12, n_heads=12,
        ...     sharing="all",
        ... )
        >>> table = parameter_table(albert, factorized=True)
        >>> table["word"], table["projection"], table["encoder"], table["total"]
        (3840000, 99072, 7087872, 11813810)

    Source: Lan et al. 2020, section 3.1 and Table 1.
    """
    # 1. Refuse embeddings of another width where nothing projects them.
    # 2. Count the two halves of a layer, each with its norm, and how many of each the encoder holds.
    # 3. Write the table, then add the total.
    raise NotImplementedError("lesson counting: parameter_table is still to do")


def forward_flops(config: ModelConfig, tokens: int, factorized: bool, masked: int = 0) -> int:
    """The arithmetic of one forward pass over one sequence, counted in matrix products only.

    A product of [n, k] and [k, m] costs 2*n*k*m (a multiplication and an addition each). Biases, norms,
    softmax, activations and table look-ups are left out. Every layer works, shared or not:

    - a layer: 8 T D^2 for query, key, value and output; 4 T D F for the feed-forward; 4 T^2 D for the scores
      and the weighted sums, over all heads together;
    - the projection of a factorized embedding: 2 T E D;
    - pooler 2 D^2 and sentence head 4 D, for the first token only;
    - each masked token: 2 D E for the head's dense layer, 2 E V for the decoder.

    Args:
        config: the sizes. `sharing` and `n_groups` change nothing here.
        tokens: T, the length of the sequence.
        factorized: True for ALBERT's embeddings.
        masked: how many places the MLM head predicts.

    Example:
        >>> config = ModelConfig(vocab_size=11, d_model=4, n_layers=1, n_heads=2)
        >>> forward_flops(config, tokens=3, factorized=False)
        1344
        >>> forward_flops(config, tokens=3, factorized=True, masked=2)
        1680

    Source: the layer's terms follow Vaswani et al. 2017, section 3, one matrix product at a time.
    """
    # 1. Cost of one layer, times the number of times that a layer is applied.
    # 2. Add what stands before and after the encoder.
    raise NotImplementedError("lesson counting: forward_flops is still to do")


def break_even_embedding(vocab_size: int, d_model: int) -> float:
    """The width E below which a factorized word table saves parameters.

    The table of V x D is set against V x E and E x D (the projection's bias left out): the two are equal at
    E = V*D / (V + D).

    Args:
        vocab_size: V.
        d_model: D.

    Returns:
        E as a float; at a smaller width the factorization saves.

    Example:
        >>> round(break_even_embedding(30_000, 768), 2), round(break_even_embedding(400, 128), 2)
        (748.83, 96.97)

    Source: Lan et al. 2020, section 3.1: O(V x H) against O(V x E + E x H).
    """
    # 1. Solve V*E + E*D = V*D for E.
    raise NotImplementedError("lesson counting: break_even_embedding is still to do")
