"""Known mistakes of lesson 12, as options of its oracle."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from typing import Any

from checks.judge import Mistake

Row = tuple[str, dict[str, Any], str, str]

_COUNT: tuple[Row, ...] = (
    ("each_use", {"ties": "each"}, "a shared tensor is counted at every place that uses it", "One tensor may have several names. What tells you that it is the same?"),
    ("buffers", {"kinds": "parameter frozen half meta buffer"}, "buffers are counted too", "Position ids are stored, but nothing is learned there."),
    ("state", {"ties": "each", "kinds": "parameter frozen half meta buffer"}, "everything in the state is counted: shared tensors at each name, and buffers", "state_dict lists names, not parameters."),
    ("trainable_only", {"kinds": "parameter half meta"}, "frozen parameters are left out", "A frozen parameter is still one of the model's numbers."),
    ("tensors", {"what": "tensors"}, "tensors are counted, not the numbers in them", "How many numbers does a matrix of 3 by 5 hold?"),
    ("rows", {"what": "rows"}, "only the first size of each tensor is counted", "How many numbers does a matrix of 3 by 5 hold?"),
    ("top_level", {"what": "top"}, "only the outermost module's own parameters are counted", "A model is a tree of modules."),
    ("equal_shapes", {"what": "shapes"}, "tensors that look alike are taken for one", "Two layers of one size are two layers, unless they are the same object."),
)  # fmt: skip
_TABLE: tuple[Row, ...] = (
    ("tables_of_width_d", {"width": "D"}, "the position and segment tables and their norm have width D", "All three tables are E wide; the projection comes after the norm."),
    ("projection_no_bias", {"projection_bias": False}, "the projection has no bias", "A linear layer has n*m + m parameters."),
    ("projection_when_needed", {"projection_where": "needed"}, "there is no projection where E = D", "A factorized embedding always has its projection."),
    ("no_norms", {"norms": 0}, "the encoder's norms are left out", "A norm follows each half of a layer."),
    ("one_norm", {"norms": 1}, "a layer has one norm", "A norm follows each half of a layer."),
    ("norm_weight_only", {"norm_size": 1}, "a norm has a weight and no bias", "A layer norm of width n has 2n parameters."),
    ("no_biases", {"bias": False}, "the encoder's linear layers have no biases", "A linear layer has n*m + m parameters."),
    ("three_projections", {"attention": 3}, "attention has three linear layers", "Query, key, value, and one more."),
    ("wide_head", {"head": "wide"}, "the MLM head's dense layer goes from D to D", "The decoder's matrix is the word table, of width E. What must come before it?"),
    ("decoder_untied", {"tied": False}, "the decoder's matrix is counted again, although it is the word table", "A tied tensor counts once."),
    ("no_decoder_bias", {"head_bias": False}, "the decoder's bias is left out", "The decoder shares its matrix, and has a bias of its own."),
    ("each_layer", {"layers": "each use"}, "a shared layer is counted as often as it is applied", "What does `sharing` say?"),
    ("one_layer", {"layers": "one"}, "one layer's parameters are counted, whatever is shared", "Count how many different layers there are."),
    ("sharing_exchanged", {"sharing_swapped": True}, "sharing \"attention\" and \"ffn\" are exchanged", "With \"attention\" the attention is what there is only one of."),
    ("groups_always", {"group": "any"}, "`n_groups` counts for partly shared encoders too", "Groups count only with sharing \"all\"."),
)  # fmt: skip
_FLOPS: tuple[Row, ...] = (
    ("one_each", {"each": 1}, "a multiplication with its addition counts once", "A multiply-add is two operations here."),
    ("scores_linear", {"scores": "T"}, "scores and weighted sums grow with T instead of T squared", "There is a score for every query and every key."),
    ("no_scores", {"scores": "none"}, "the scores and the weighted sums are left out", "Two products in attention have no weights in them."),
    ("one_attention_product", {"scores": "one product"}, "one of attention's two products is left out", "First query times key, then weights times value."),
    ("heads_too_wide", {"scores": "heads"}, "every head is counted at the full width D", "A head is D / N wide: all heads together cost as much as one of width D."),
    ("stored_layers", {"depth": "stored"}, "a shared layer is counted once, although it is applied n_layers times", "Sharing saves parameters. Does it save work?"),
    ("three_projections", {"leave_out": "value"}, "one of attention's four linear layers is left out", "Query, key, value and output."),
    ("half_feed_forward", {"leave_out": "contract"}, "one of the feed-forward's two products is left out", "D to F, and back."),
    ("no_projection", {"leave_out": "projection"}, "the projection of a factorized embedding is left out", "E to D is a matrix product, for every token."),
    ("no_pooler", {"leave_out": "pooler"}, "the pooler is left out", "One token still costs 2 D^2."),
    ("no_sentence_head", {"leave_out": "sentence"}, "the sentence head is left out", "D to 2, for one token."),
    ("no_dense", {"leave_out": "dense"}, "the MLM head's dense layer is left out", "Before the decoder stands a layer D -> E."),
    ("decoder_everywhere", {"decoder": "all"}, "the MLM head is counted for every token", "Only `masked` places reach the vocabulary."),
    ("pooled_everywhere", {"pooled": "all"}, "pooler and sentence head are counted for every token", "They see the first token only."),
    ("lookups", {"lookup": True}, "looking up the word table is counted as a matrix product", "A look-up multiplies nothing."),
)  # fmt: skip
_BREAK_EVEN: tuple[Row, ...] = (
    ("ratio", {"form": "ratio"}, "the result is V / D", "Solve V E + E D = V D for E."),
    ("root", {"form": "root"}, "the result is the root of V D", "Solve V E + E D = V D for E."),
    ("with_bias", {"form": "bias"}, "the projection's bias is counted", "The bias is left out here."),
    ("mean", {"form": "double"}, "the result is the harmonic mean of V and D, twice the break-even width", "Solve V E + E D = V D for E."),
    ("rounded", {"form": "whole"}, "the result is rounded down", "The result is a float: 748.83, not 748."),
)  # fmt: skip

MISTAKES = tuple(
    Mistake(f"counting.{name}", exercise, says, hint, options)
    for exercise, rows in (
        ("count_parameters", _COUNT),
        ("parameter_table", _TABLE),
        ("forward_flops", _FLOPS),
        ("break_even_embedding", _BREAK_EVEN),
    )
    for name, options, says, hint in rows
)
