"""Mutants of lesson 12."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Mutant

_ONCE = "test_every_number_counts_once_however_often_it_is_used"
_DEPTH = "test_depth_adds_nothing_where_layers_are_shared"
_FROZEN = "test_frozen_parameters_count_and_buffers_do_not"
_EMBEDDINGS = "test_the_embeddings_are_counted"
_ENCODER = "test_the_encoder_is_counted_as_it_is_shared"
_HEADS = "test_the_heads_are_counted"
_PUBLISHED = "test_published_models_have_their_published_counts"
_NARROW = "test_a_narrow_table_needs_a_projection"
_WORK = "test_the_work_is_that_of_the_matrix_products"
_MASKED = "test_each_masked_place_adds_the_decoders_work"
_SHARING = "test_sharing_saves_no_work"
_EVEN = "test_at_the_break_even_width_both_tables_are_equally_large"
_KNOWN = "test_the_break_even_width_of_known_vocabularies"

_COUNT = "sum(parameter.numel() for parameter in model.parameters())"


def _mutant(
    exercise: str,
    id: str,
    old: str,
    new: str,
    misconception: str,
    killed_by: str,
    mistake: str = "",
    source: str = "",
) -> Mutant:
    named = f"counting.{mistake}" if mistake else None
    return Mutant(id, exercise, Edit(swap=((old, new),)), misconception, killed_by, named, source)


def _count(
    id: str, new: str, misconception: str, killed_by: str = _ONCE, mistake: str = "", source: str = ""
) -> Mutant:
    return _mutant("count_parameters", id, _COUNT, new, misconception, killed_by, mistake, source)


def _table(
    id: str,
    old: str,
    new: str,
    misconception: str,
    killed_by: str = _ENCODER,
    mistake: str = "",
    source: str = "",
) -> Mutant:
    return _mutant("parameter_table", id, old, new, misconception, killed_by, mistake, source)


def _flops(
    id: str, old: str, new: str, misconception: str, killed_by: str = _WORK, mistake: str = ""
) -> Mutant:
    return _mutant("forward_flops", id, old, new, misconception, killed_by, mistake)


def _even(id: str, new: str, misconception: str, killed_by: str = _EVEN, mistake: str = "") -> Mutant:
    old = "return vocab_size * d_model / (vocab_size + d_model)"
    return _mutant("break_even_embedding", id, old, new, misconception, killed_by, mistake)


_NORMS = (
    (
        "4 * (D * D + D) + 2 * D\n    feed_forward = (D * F + F) + (F * D + D) + 2 * D",
        "4 * (D * D + D) + D\n    feed_forward = (D * F + F) + (F * D + D) + D",
    ),
    ('"embedding_norm": 2 * E', '"embedding_norm": E'),
    ("(D * E + E) + 2 * E + V", "(D * E + E) + E + V"),
)
_ENCODER_LAYERS = "config.n_layers * (8 * T * D * D + 4 * T * D * F + 4 * T * T * D)"
_TAIL = "encoder + projection + 2 * D * D + 4 * D + masked * (2 * D * E + 2 * E * V)"

MUTANTS = (
    _count("each_use", "sum(p.numel() for _, p in model.named_parameters(remove_duplicate=False))", "every name is a parameter", _DEPTH, "each_use", "graykode/modelsummary#4"),
    _count("by_children", "sum(p.numel() for m in model.modules() for p in m.parameters(recurse=False)) + sum(p.numel() for m in model.children() for p in m.parameters()) - sum(p.numel() for m in list(model.modules())[1:] for p in m.parameters(recurse=False))", "the sum over the children is the whole", _ONCE, "", "pytorch_model_summary#3"),
    _count("state", "sum(tensor.numel() for tensor in model.state_dict().values())", "the state holds the parameters", _ONCE, "state", "pytorch-summary#131"),
    _count("buffers", "sum(p.numel() for p in [*model.parameters(), *model.buffers()])", "buffers are part of the model", _FROZEN, "buffers"),
    _count("trainable_only", "sum(p.numel() for p in model.parameters() if p.requires_grad)", "only what is trained counts", _FROZEN, "trainable_only"),
    _count("tensors", "len(list(model.parameters()))", "a parameter is a tensor", _ONCE, "tensors"),
    _count("rows", "sum(len(p) for p in model.parameters())", "the length of a tensor is its size", _ONCE, "rows"),
    _count("top_level", "sum(p.numel() for p in model.parameters(recurse=False))", "a module knows all its parameters", _ONCE, "top_level"),
    _count("equal_shapes", "sum(p.numel() for p in {tuple(p.shape): p for p in model.parameters()}.values())", "tensors of one shape are one", _DEPTH, "equal_shapes"),
    _count("equal_values", "sum(p.numel() for p in {tuple(p.flatten().tolist()): p for p in model.parameters()}.values())", "tensors of equal values are one", _DEPTH, "equal_shapes"),
    _count("bytes", "sum(p.numel() * p.element_size() // 4 for p in model.parameters())", "a parameter has four bytes", _FROZEN),
    _count("by_address", "sum({p.data_ptr(): p.numel() for p in model.parameters()}.values())", "a tensor is where its memory is", _FROZEN),
    _count("by_storage", "sum({p.untyped_storage().data_ptr(): p.numel() for p in model.parameters()}.values())", "a tensor is where its memory is", _FROZEN),
    _count("through_numpy", "sum(p.detach().numpy().size for p in model.parameters())", "every tensor is on the CPU", _FROZEN),
    _count("decoder_taken_off", "sum(\n        p.numel() for m in {*model.modules()} for p in m._parameters.values() if p is not None\n    ) - (model.decoder.weight.numel() if hasattr(model, \"decoder\") else 0)", "what is tied is the decoder's weight", _DEPTH),
    _count("matrices_only", "sum(p.numel() for p in model.parameters() if p.dim() > 1)", "biases are negligible", _DEPTH),
    Mutant("product_of_sizes", "count_parameters", Edit(swap=((_COUNT, "sum(reduce(mul, p.shape) for p in model.parameters())"),), extra="from functools import reduce\nfrom operator import mul"), "a parameter has a dimension", _FROZEN),
    _count("none_without_dimension", "sum(p.numel() for p in model.parameters() if p.dim())", "a parameter has a dimension", _FROZEN),
    Mutant("in_32_bits", "count_parameters", Edit(swap=((_COUNT, "int(np.sum([p.numel() for p in model.parameters()], dtype=np.int32))"),), extra="import numpy as np"), "32 bits hold every count", _FROZEN),
    Mutant("put_together", "count_parameters", Edit(swap=((_COUNT, "torch.cat([p.detach().flatten().to(\"meta\") for p in model.parameters()]).numel()"),), extra="import torch"), "there is always a parameter", _FROZEN),
    _table("narrow_allowed", "    if not factorized and E != D:\n", "    if not factorized and E > D:\n", "a table narrower than D does no harm", _NARROW),
    _table("narrow_needed", "    if not factorized and E != D:\n", "    if factorized == (E == D):\n", "a factorized table is narrow", _NARROW),
    _table("position_of_width_d", '"position": config.max_len * E', '"position": config.max_len * D', "positions are added after the projection", _EMBEDDINGS),
    _table("tables_of_width_d", '"position": config.max_len * E,\n        "segment": config.n_segments * E,\n        "embedding_norm": 2 * E,', '"position": config.max_len * D,\n        "segment": config.n_segments * D,\n        "embedding_norm": 2 * D,', "only the word table is factorized", _EMBEDDINGS, "tables_of_width_d", "graykode/ALBERT-Pytorch"),
    _table("two_segments", "config.n_segments * E", "2 * E", "there are two segments", _EMBEDDINGS),
    _table("word_of_width_d", '"word": V * E', '"word": V * D', "the word table gives vectors of width D", _EMBEDDINGS),
    _table("projection_no_bias", "E * D + D if factorized", "E * D if factorized", "a projection is a matrix", _EMBEDDINGS, "projection_no_bias"),
    _table("projection_when_needed", "E * D + D if factorized else", "E * D + D if E != D else", "at E = D nothing need be projected", _EMBEDDINGS, "projection_when_needed", "google-research/albert"),
    _table("projection_always", "E * D + D if factorized else 0", "E * D + D", "every model has it", _EMBEDDINGS),
    _table("no_norms", "4 * (D * D + D) + 2 * D\n    feed_forward = (D * F + F) + (F * D + D) + 2 * D", "4 * (D * D + D)\n    feed_forward = (D * F + F) + (F * D + D)", "norms have no parameters", _ENCODER, "no_norms"),
    _table("one_norm", "(F * D + D) + 2 * D", "(F * D + D)", "a layer has one norm", _ENCODER),
    _table("no_attention_norm", "4 * (D * D + D) + 2 * D", "4 * (D * D + D)", "the layer has its norm at the end", _ENCODER, "one_norm"),
    Mutant("norm_weight_only", "parameter_table", Edit(swap=_NORMS), "a norm is a scale", _ENCODER, "counting.norm_weight_only"),
    _table("three_projections", "4 * (D * D + D) + 2 * D", "3 * (D * D + D) + 2 * D", "query, key and value", _ENCODER, "three_projections"),
    _table("no_biases", "4 * (D * D + D) + 2 * D\n    feed_forward = (D * F + F) + (F * D + D)", "4 * D * D + 2 * D\n    feed_forward = D * F + F * D", "biases are negligible", _ENCODER, "no_biases"),
    _table("wide_feed_forward", "(D * F + F) + (F * D + D)", "(D * 4 * D + 4 * D) + (4 * D * D + D)", "F is 4 D", _ENCODER),
    _table("each_layer", "n = config.n_groups if config.sharing == \"all\" else config.n_layers\n    n_attention = 1 if config.sharing == \"attention\" else n\n    n_feed_forward = 1 if config.sharing == \"ffn\" else n", "n_attention = n_feed_forward = config.n_layers", "every layer has parameters", _ENCODER, "each_layer"),
    _table("one_layer", "n = config.n_groups if config.sharing == \"all\" else config.n_layers\n    n_attention = 1 if config.sharing == \"attention\" else n\n    n_feed_forward = 1 if config.sharing == \"ffn\" else n", "n_attention = n_feed_forward = 1", "one layer is all there is", _ENCODER, "one_layer"),
    _table("groups_ignored", "config.n_groups if config.sharing == \"all\"", "1 if config.sharing == \"all\"", "all means one", _ENCODER),
    _table("groups_always", "n = config.n_groups if config.sharing == \"all\" else config.n_layers", "n = config.n_layers if config.sharing == \"none\" else config.n_groups", "what shares has groups", _ENCODER, "groups_always"),
    _table("groups_inverted", "n = config.n_groups if", "n = config.n_layers // config.n_groups if", "n_groups is the size of a group", _ENCODER),
    _table("sharing_exchanged", "n_attention = 1 if config.sharing == \"attention\" else n\n    n_feed_forward = 1 if config.sharing == \"ffn\" else n", "n_attention = 1 if config.sharing == \"ffn\" else n\n    n_feed_forward = 1 if config.sharing == \"attention\" else n", "`sharing` names what each layer has of its own", _ENCODER, "sharing_exchanged"),
    _table("wide_head", "(D * E + E) + 2 * E + V", "(D * D + D) + 2 * D + V", "the head works at width D, as BERT's", _HEADS, "wide_head"),
    _table("decoder_untied", "(D * E + E) + 2 * E + V", "(D * E + E) + 2 * E + V + E * V", "the decoder has a matrix", _HEADS, "decoder_untied", "codertimo/BERT-pytorch"),
    _table("no_decoder_bias", "(D * E + E) + 2 * E + V", "(D * E + E) + 2 * E", "a tied decoder has no parameters", _HEADS, "no_decoder_bias"),
    _table("one_logit", '"sentence_head": D * 2 + 2', '"sentence_head": D + 1', "one logit tells two classes apart", _HEADS),
    _table("no_pooler", '"pooler": D * D + D', '"pooler": 0', "the pooler takes the first token, that is all", _HEADS),
    _table("total_without_heads", "sum(table.values())", "sum(list(table.values())[:-2])", "the model ends with the pooler", _PUBLISHED),
    _table("total_first", "{**table, \"total\": sum(table.values())}", "{\"total\": sum(table.values()), **table}", "the order of keys does not matter", _PUBLISHED),
    _flops("one_each", f"return {_TAIL}", f"return ({_TAIL}) // 2", "a multiply-add is one operation", mistake="one_each"),
    _flops("scores_linear", "4 * T * T * D", "4 * T * D", "attention is linear in the length", mistake="scores_linear"),
    _flops("no_scores", " + 4 * T * T * D", "", "attention is its four linear layers", mistake="no_scores"),
    _flops("one_attention_product", "4 * T * T * D", "2 * T * T * D", "scores are one product", mistake="one_attention_product"),
    _flops("heads_too_wide", "4 * T * T * D", "4 * T * T * D * config.n_heads", "each head costs a product of width D", mistake="heads_too_wide"),
    _flops("stored_layers", _ENCODER_LAYERS, _ENCODER_LAYERS.replace("config.n_layers *", "(config.n_groups if config.sharing == \"all\" else config.n_layers) *"), "what is shared is computed once", _SHARING, "stored_layers"),
    _flops("flops_three_projections", "8 * T * D * D", "6 * T * D * D", "query, key and value", mistake="three_projections"),
    _flops("half_feed_forward", "4 * T * D * F", "2 * T * D * F", "the feed-forward is one product", mistake="half_feed_forward"),
    _flops("no_projection", "2 * T * E * D if factorized else 0", "0", "embeddings are looked up", mistake="no_projection"),
    _flops("flops_projection_always", "2 * T * E * D if factorized else 0", "2 * T * E * D", "every embedding is projected"),
    _flops("flops_projection_when_needed", "2 * T * E * D if factorized else", "2 * T * E * D if factorized and E != D else", "at E = D nothing need be projected"),
    _flops("flops_projection_by_width", "2 * T * E * D if factorized else", "2 * T * E * D if E != D else", "at E = D nothing need be projected"),
    _flops("flops_no_pooler", "projection + 2 * D * D + 4 * D", "projection + 4 * D", "one token does not matter", mistake="no_pooler"),
    _flops("no_sentence_head", "2 * D * D + 4 * D", "2 * D * D", "two classes do not matter", mistake="no_sentence_head"),
    _flops("pooled_everywhere", "projection + 2 * D * D + 4 * D", "projection + T * (2 * D * D + 4 * D)", "the pooler sees all tokens", mistake="pooled_everywhere"),
    _flops("lookups", "projection + 2 * D * D + 4 * D", "projection + 2 * T * V * E + 2 * D * D + 4 * D", "a look-up is a product with one-hot rows", mistake="lookups"),
    _flops("no_dense", "masked * (2 * D * E + 2 * E * V)", "masked * 2 * E * V", "the head is its decoder", _MASKED, "no_dense"),
    _flops("decoder_everywhere", "masked * (2 * D * E + 2 * E * V)", "T * (2 * D * E + 2 * E * V)", "every token gets logits", _MASKED, "decoder_everywhere"),
    _flops("decoder_of_width_d", "masked * (2 * D * E + 2 * E * V)", "masked * (2 * D * E + 2 * D * V)", "the decoder reads vectors of width D", _MASKED),
    _even("sum", "return vocab_size * d_model / (vocab_size * 1.0)", "the table saves below E = D", mistake=""),
    _even("ratio", "return vocab_size / d_model", "only the ratio of V and D counts", mistake="ratio"),
    _even("root", "return (vocab_size * d_model) ** 0.5", "the middle of V and D", mistake="root"),
    _even("mean", "return 2 * vocab_size * d_model / (vocab_size + d_model)", "the mean of V and D", _KNOWN, "mean"),
    _even("rounded", "return vocab_size * d_model // (vocab_size + d_model)", "a width is a whole number"),
    _even("rounded_float", "return float(vocab_size * d_model // (vocab_size + d_model))", "a width is a whole number", _EVEN, "rounded"),
    _even("with_bias", "return (vocab_size * d_model - d_model) / (vocab_size + d_model)", "the projection has a bias", _EVEN, "with_bias"),
    _even("difference", "return vocab_size * d_model / abs(vocab_size - d_model + 0.5)", "V E - E D = V D", _KNOWN),
)  # fmt: skip
