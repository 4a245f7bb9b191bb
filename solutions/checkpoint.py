"""Lesson 11: checkpoint.

Weights that others trained, in a model that you wrote. Published checkpoints use other names, store a tied
tensor twice and count the sentence classes the other way round; here they are converted, in both directions.

Minutes: 50. Before: models.
Check:   pytest checks/test_checkpoint.py
Page:    docs/lessons/11-checkpoint.md

The names are given: `tensor_names("bert" or "albert", n)` maps theirs to ours.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from lessons.given.config import ModelConfig
from lessons.given.names import tensor_names

from .models import ALBERTModel, BERTModel


def from_huggingface(state_dict: Mapping[str, Tensor], config: ModelConfig) -> BERTModel | ALBERTModel:
    """Build our model and give it the weights of a Hugging Face pre-training model.

    The family is read off the names: a `BertForPreTraining` has names that begin with `bert.`, an
    `AlbertForPreTraining` names that begin with `albert.`. Three things differ besides the names:

    - Tied copies. `decoder.weight` of their MLM head (`cls.predictions.decoder.weight`, or ALBERT's
      `predictions.decoder.weight`) is the word table once more, and `decoder.bias` of that head is its `bias`
      once more. The copies may be missing. If present, they must be equal to the original, in shape too.
    - Position ids. Old checkpoints hold `bert.embeddings.position_ids` or `albert.embeddings.position_ids`,
      the numbers 0..max_len - 1 as [1, max_len]. They may be missing and must be right if present.
    - The sentence classifier. With them row 0 stands for the true order, with us row 1: its two rows change
      places, in the weight and in the bias.

    Args:
        state_dict: tensors by their names. It is left as it is.
        config: the sizes of the checkpoint. BERT needs sharing "none" and E = D, ALBERT sharing "all".

    Returns:
        A `BERTModel` or an `ALBERTModel` with the weights, in the dtype and on the device of the checkpoint's
        word table. It shares no memory with `state_dict`. Its decoder is still tied to its word table, and all
        of it can be trained.

    Raises:
        ValueError: names of neither family or of both; names missing or unknown (the message lists all of
            them, and begins with them: checks read 200 characters); a tensor of another shape than `config` asks
            for; a copy or position ids that disagree; a config that the family cannot have.

    Example:
        >>> config = ModelConfig(vocab_size=9, max_len=6, d_model=4, n_layers=1, n_heads=2)
        >>> theirs = to_huggingface(BERTModel(config))
        >>> theirs["cls.seq_relationship.bias"] = torch.tensor([0.25, -0.5])
        >>> from_huggingface(theirs, config).sentence_head.classifier.bias.tolist()
        [-0.5, 0.25]
        >>> del theirs["bert.pooler.dense.bias"]
        >>> from_huggingface(theirs, config)
        Traceback (most recent call last):
        ValueError: names: missing bert.pooler.dense.bias

    Source: Devlin et al. 2019, section 3.1; Lan et al. 2020, section 3.1; Hugging Face `transformers`,
    `modeling_bert.py` and `modeling_albert.py`.
    """
    # 1. Tell the family by the names; refuse none and both. Build the model, in the checkpoint's dtype.
    families = {name.split(".")[0] for name in state_dict} & {"bert", "albert"}
    if len(families) != 1:
        raise ValueError(f"names: got {len(families)} of the prefixes 'bert.' and 'albert.', expected one")
    (family,) = families
    if family == "albert" and config.sharing != "all":
        raise ValueError(f"sharing: got {config.sharing!r}, expected 'all' for an ALBERT checkpoint")
    model = ALBERTModel(config) if family == "albert" else BERTModel(config)
    names = (
        tensor_names("albert", config.n_groups)
        if family == "albert"
        else tensor_names("bert", config.n_layers)
    )
    # 2. Sort out which names are copies and what each copies; then list what is missing and what is unknown.
    head = "predictions" if family == "albert" else "cls.predictions"
    copies = {
        f"{head}.decoder.weight": f"{family}.embeddings.word_embeddings.weight",
        f"{head}.decoder.bias": f"{head}.bias",
    }
    position_ids = f"{family}.embeddings.position_ids"
    missing = sorted(names.keys() - state_dict.keys() - copies.keys())
    unknown = sorted(state_dict.keys() - names.keys() - {position_ids})
    if missing or unknown:
        parts = (("missing", missing), ("unknown", unknown))
        raise ValueError(
            "names: " + "; ".join(f"{what} {', '.join(which)}" for what, which in parts if which)
        )
    # 3. Compare the copies and the position ids that are present with what they must be.
    for copy, original in copies.items():
        if copy in state_dict and not torch.equal(state_dict[copy], state_dict[original]):
            raise ValueError(f"{copy}: got other values than in {original}, expected a tied copy")
    expected_ids = torch.arange(config.max_len)[None]
    if position_ids in state_dict and not torch.equal(state_dict[position_ids].cpu(), expected_ids):
        raise ValueError(
            f"{position_ids}: got other values, expected 0 to {config.max_len - 1} as [1, max_len]"
        )
    # 4. Collect the tensors under our names, with the classifier's rows swapped; compare every shape.
    weights = {ours: state_dict[copies.get(theirs, theirs)] for theirs, ours in names.items()}
    for name, tensor in model.state_dict().items():
        if weights[name].shape != tensor.shape:
            got, expected = tuple(weights[name].shape), tuple(tensor.shape)
            raise ValueError(f"{name}: got shape {got}, expected {expected}")
    for part in ("weight", "bias"):
        weights[f"sentence_head.classifier.{part}"] = weights[f"sentence_head.classifier.{part}"].flip(0)
    # 5. Copy the values into the model.
    model.to(weights["embeddings.word.weight"])
    model.load_state_dict(weights)
    return model


def to_huggingface(model: BERTModel | ALBERTModel) -> dict[str, Tensor]:
    """The weights of our model under Hugging Face's names, ready for their `load_state_dict`.

    The tied copies of the MLM head's decoder are written too, position ids are not (today's models have none
    in their state). The sentence classifier's rows change places. A checkpoint read by `from_huggingface`
    comes back bit for bit.

    Args:
        model: a `BERTModel`, or an `ALBERTModel` with sharing "all". It is left as it is.

    Returns:
        Their name -> a tensor of its own: it shares no memory with the model nor with another entry, and
        needs no gradient.

    Raises:
        ValueError: an `ALBERTModel` whose sharing is not "all"; there is no such model with Hugging Face.

    Example:
        >>> config = ModelConfig(vocab_size=9, d_model=4, d_embedding=3, n_heads=2, sharing="all", n_groups=2)
        >>> theirs = to_huggingface(ALBERTModel(config))
        >>> theirs["albert.encoder.albert_layer_groups.1.albert_layers.0.ffn.weight"].shape
        torch.Size([16, 4])
        >>> word = theirs["albert.embeddings.word_embeddings.weight"]
        >>> torch.equal(theirs["predictions.decoder.weight"], word)
        True

    Source: as `from_huggingface`.
    """
    # 1. Find the family and its names; refuse a sharing that they do not have.
    config = model.config
    if isinstance(model, ALBERTModel):
        if config.sharing != "all":
            raise ValueError(f"sharing: got {config.sharing!r}, expected 'all' for an ALBERT checkpoint")
        names = tensor_names("albert", config.n_groups)
    else:
        names = tensor_names("bert", config.n_layers)
    # 2. Copy every tensor under their name; swap the classifier's rows.
    weights = model.state_dict()
    return {
        theirs: weights[ours].flip(0) if ours.startswith("sentence_head.") else weights[ours].clone()
        for theirs, ours in names.items()
    }
