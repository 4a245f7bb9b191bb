"""The tensor names of Hugging Face's `BertForPreTraining` and `AlbertForPreTraining`, and ours for them.

The two tables go from their names to ours. A line with `{i}` stands for one line for every i: in BERT one
a layer, in ALBERT one a group of layers. Each module has a `weight`, and a `bias` unless it is a table.
Several of their names may stand for one of ours.
"""

from typing import Literal

Family = Literal["bert", "albert"]

BERT_MODULES = {
    "bert.embeddings.word_embeddings": "embeddings.word",
    "bert.embeddings.position_embeddings": "embeddings.position",
    "bert.embeddings.token_type_embeddings": "embeddings.segment",
    "bert.embeddings.LayerNorm": "embeddings.norm",
    "bert.encoder.layer.{i}.attention.self.query": "encoder.layers.{i}.attention.query",
    "bert.encoder.layer.{i}.attention.self.key": "encoder.layers.{i}.attention.key",
    "bert.encoder.layer.{i}.attention.self.value": "encoder.layers.{i}.attention.value",
    "bert.encoder.layer.{i}.attention.output.dense": "encoder.layers.{i}.attention.output",
    "bert.encoder.layer.{i}.attention.output.LayerNorm": "encoder.layers.{i}.attention_norm",
    "bert.encoder.layer.{i}.intermediate.dense": "encoder.layers.{i}.feed_forward.expand",
    "bert.encoder.layer.{i}.output.dense": "encoder.layers.{i}.feed_forward.contract",
    "bert.encoder.layer.{i}.output.LayerNorm": "encoder.layers.{i}.feed_forward_norm",
    "bert.pooler.dense": "pooler.dense",
    "cls.predictions.transform.dense": "mlm_head.dense",
    "cls.predictions.transform.LayerNorm": "mlm_head.norm",
    "cls.predictions.decoder": "mlm_head.decoder",
    "cls.seq_relationship": "sentence_head.classifier",
}

GROUP = "albert.encoder.albert_layer_groups.{i}.albert_layers.0"
ALBERT_MODULES = {
    "albert.embeddings.word_embeddings": "embeddings.word",
    "albert.embeddings.position_embeddings": "embeddings.position",
    "albert.embeddings.token_type_embeddings": "embeddings.segment",
    "albert.embeddings.LayerNorm": "embeddings.norm",
    "albert.encoder.embedding_hidden_mapping_in": "embeddings.projection",
    GROUP + ".attention.query": "encoder.layers.{i}.attention.query",
    GROUP + ".attention.key": "encoder.layers.{i}.attention.key",
    GROUP + ".attention.value": "encoder.layers.{i}.attention.value",
    GROUP + ".attention.dense": "encoder.layers.{i}.attention.output",
    GROUP + ".attention.LayerNorm": "encoder.layers.{i}.attention_norm",
    GROUP + ".ffn": "encoder.layers.{i}.feed_forward.expand",
    GROUP + ".ffn_output": "encoder.layers.{i}.feed_forward.contract",
    GROUP + ".full_layer_layer_norm": "encoder.layers.{i}.feed_forward_norm",
    "albert.pooler": "pooler.dense",
    "predictions.dense": "mlm_head.dense",
    "predictions.LayerNorm": "mlm_head.norm",
    "predictions.decoder": "mlm_head.decoder",
    "sop_classifier.classifier": "sentence_head.classifier",
}

TABLES = ("embeddings.word", "embeddings.position", "embeddings.segment")


def tensor_names(family: Family, n: int) -> dict[str, str]:
    """Every tensor's name with Hugging Face, and ours for it.

    Args:
        family: "bert" or "albert".
        n: how many sets of layer weights there are: BERT's layers, ALBERT's groups.

    Returns:
        Their name -> our name. The bias of the MLM head's decoder has two names with them, so two entries
        give `mlm_head.decoder.bias`. Position ids, which older versions store as a buffer, are not listed.

    Raises:
        ValueError: an unknown family.

    Example:
        >>> names = tensor_names("bert", 2)
        >>> names["bert.encoder.layer.1.output.dense.bias"]
        'encoder.layers.1.feed_forward.contract.bias'
        >>> [theirs for theirs, ours in names.items() if ours == "mlm_head.decoder.bias"]
        ['cls.predictions.decoder.bias', 'cls.predictions.bias']
        >>> len(names), len(tensor_names("albert", 1))
        (48, 34)
    """
    if family not in ("bert", "albert"):
        raise ValueError(f"family: got {family!r}, expected 'bert' or 'albert'")
    modules, head = (BERT_MODULES, "cls.predictions") if family == "bert" else (ALBERT_MODULES, "predictions")
    names = {}
    for theirs, ours in modules.items():
        for i in range(n if "{i}" in theirs else 1):
            for part in ("weight",) if ours in TABLES else ("weight", "bias"):
                names[f"{theirs.format(i=i)}.{part}"] = f"{ours.format(i=i)}.{part}"
    return {**names, f"{head}.bias": "mlm_head.decoder.bias"}
