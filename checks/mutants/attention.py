"""Mutants of lesson 5."""

from checks.gate.edits import Edit, Mutant
from checks.mutants import wrong_masks

_SCORES = "scores_TS = query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)"
_FILL = "torch.finfo(scores_TS.dtype).min"
_MASKED = "scores_TS = scores_TS.masked_fill(~mask, torch.finfo(scores_TS.dtype).min)"
_SOFTMAX = "return scores_TS.softmax(dim=-1)"
_MEAN = "return attention_weights(query, key, mask) @ value"
_SPLIT = "return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)"
_MERGE = "return x.transpose(1, 2).flatten(2)"
_PROJECTIONS = "split_heads(project(hidden), self.n_heads) for project in (self.query, self.key, self.value)"
_LINEAR = "self.{} = nn.Linear(config.d_model, config.d_model)"
_MASK = "mask_B11T = None if attention_mask is None else attention_mask[:, None, None, :]"
_CONTEXT = "context_BNTK = self.dropout(attention_weights(query_BNTK, key_BNTK, mask_B11T)) @ value_BNTK"
_OUTPUT = "return self.dropout(self.output(merge_heads(context_BNTK)))"

_SIGNATURE = """\
    query: Float[Tensor, "*batch T K"],
    key: Float[Tensor, "*batch S K"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch T S"]:"""
_FORWARD = 'self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None'

_FORMULA = "test_weights_are_the_softmax_of_scaled_scores_over_allowed_keys"
_OPTIONAL = "test_a_mask_is_optional_and_inputs_stay_as_they_are"
_FINITE = "test_a_query_that_sees_no_key_gets_finite_values"
_LARGE = "test_large_scores_neither_overflow_nor_unhide_a_key"
_PRECISION = "test_weights_work_in_the_precision_of_their_inputs"
_OWN = "test_the_weights_are_computed_without_torchs_attention"
_MEANS = "test_attention_is_the_weighted_mean_of_the_values"
_SLOPES = "test_gradients_reach_query_key_and_value"
_HALF = "test_attention_works_in_half_precision_and_without_torchs_own"
_COLUMNS = "test_head_n_gets_its_own_columns"
_REFUSED = "test_a_width_that_the_heads_do_not_divide_is_refused"
_SIDE = "test_merged_heads_stand_side_by_side"
_MODULE = "test_the_module_is_attention_in_every_head_between_projections"
_PADDING = "test_what_stands_at_padding_changes_nothing"
_TRAINED = "test_gradients_reach_every_projection"
_DROPOUT = "test_dropout_acts_on_the_weights_and_on_the_output"
_ALL = "test_the_four_projections_are_all_there_is"
_BFLOAT = "test_the_module_works_in_bfloat16"


def _weights(
    id: str,
    old: str,
    new: str,
    misconception: str,
    mistake: str | None,
    killed_by: str = _FORMULA,
    source: str = "",
) -> Mutant:
    known = f"attention.{mistake}" if mistake else None
    return Mutant(
        f"weights_{id}",
        "attention_weights",
        Edit(swap=((old, new),)),
        misconception,
        killed_by,
        known,
        source,
    )


def _mean(
    id: str, new: str, misconception: str, mistake: str | None = None, killed_by: str = _MEANS
) -> Mutant:
    known = f"attention.{mistake}" if mistake else None
    edit = Edit(swap=((_MEAN, new),))
    return Mutant(f"mean_{id}", "scaled_dot_product_attention", edit, misconception, killed_by, known)


def _heads(
    exercise: str,
    id: str,
    edit: Edit,
    misconception: str,
    killed_by: str,
    mistake: str | None = None,
    source: str = "",
) -> Mutant:
    return Mutant(
        id, exercise, edit, misconception, killed_by, f"attention.{mistake}" if mistake else None, source
    )


def _module(
    id: str,
    swap: tuple[tuple[str, str], ...],
    misconception: str,
    mistake: str | None = None,
    killed_by: str = _MODULE,
    source: str = "",
) -> Mutant:
    known = f"attention.{mistake}" if mistake else None
    return Mutant(
        f"module_{id}", "MultiHeadAttention", Edit(swap=swap), misconception, killed_by, known, source
    )


def _before(id: str, lines: str, misconception: str, killed_by: str, mistake: str | None = None) -> Mutant:
    """Lines before the mask is shaped."""
    indented = lines.replace("\n", "\n        ")
    return _module(id, ((_MASK, f"{indented}\n        {_MASK}"),), misconception, mistake, killed_by)


WEIGHTS = (
    _weights(
        "unscaled",
        _SCORES,
        "scores_TS = query @ key.transpose(-2, -1)",
        "the dot products are good as they are; training will find the scale",
        "scale_none",
    ),
    _weights(
        "scaled_by_k",
        _SCORES,
        "scores_TS = query / query.shape[-1] @ key.transpose(-2, -1)",
        "the mean of the products is what is meant",
        "scale_k",
    ),
    _weights(
        "scaled_by_width",
        _SCORES,
        "scores_TS = query / math.sqrt(math.prod(query.shape[-3:-2]) * query.shape[-1]) @ key.transpose(-2, -1)",
        "d_k in the paper is the model's width",
        "scale_sqrt_d_model",
        source="dfdx#171",
    ),
    _weights(
        "scaled_by_keys",
        _SCORES,
        "scores_TS = query / math.sqrt(key.shape[-2]) @ key.transpose(-2, -1)",
        "the scale makes up for the number of keys",
        "scale_sqrt_s",
    ),
    _weights(
        "scale_multiplied",
        _SCORES,
        "scores_TS = query * math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)",
        "the root belongs in front, as in the embeddings of the Transformer",
        "scale_times",
    ),
    _weights(
        "softmax_over_queries",
        _SOFTMAX,
        "return scores_TS.softmax(dim=-2)",
        "the softmax runs over the tokens; either axis is tokens",
        "softmax_axis",
        source="labml#146",
    ),
    _weights(
        "softmax_over_batch",
        _SOFTMAX,
        "return scores_TS.softmax(dim=0)",
        "the first axis is the one to normalise",
        None,
    ),
    _weights(
        "mask_after_softmax",
        _SOFTMAX,
        "weights = (query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)).softmax(dim=-1)\n"
        "    return weights if mask is None else weights * mask",
        "a hidden key's weight can be set to 0 at the end",
        "mask_after",
        source="timm#2236",
    ),
    _weights("weak_fill", _FILL, "-10.0", "a score of -10 is small enough to hide a key", "mask_weak"),
    _weights("fill_minus_100", _FILL, "-100.0", "a score of -100 hides a key from any other", None, _LARGE),
    _weights("fill_zero", _FILL, "0.0", "a score of 0 means no attention", "mask_zero"),
    _weights(
        "mask_added",
        _MASKED,
        "scores_TS = scores_TS + mask.to(scores_TS.dtype)",
        "the mask is already in the form that is added",
        "mask_added",
    ),
    _weights(
        "mask_multiplied",
        _MASKED,
        "scores_TS = scores_TS * mask",
        "multiplying a score by 0 removes the key",
        "mask_zero",
    ),
    _weights(
        "mask_upside_down",
        "masked_fill(~mask,",
        "masked_fill(mask,",
        "the mask is True where a key is to be hidden",
        "mask_polarity",
        source="torch's key_padding_mask",
    ),
    _weights("mask_unused", _MASKED, "pass", "the mask is for the loss only", "mask_ignored"),
    _weights(
        "fill_minus_infinity",
        _FILL,
        "-math.inf",
        "exp(-inf) is 0, so it hides best",
        "mask_unguarded",
        _FINITE,
        "pytorch#41508",
    ),
    _weights(
        "fill_of_another_dtype",
        _FILL,
        "torch.finfo(torch.float64).min",
        "the smallest number is the smallest number",
        None,
        _PRECISION,
    ),
    _weights(
        "fill_of_double_precision_only",
        _FILL,
        "-math.inf if scores_TS.dtype != torch.float64 else -1e300",
        "a program that is right in float64 is right in float32",
        None,
        _FINITE,
    ),
    _weights(
        "mended_after_the_softmax",
        f"{_MASKED}\n    # 3. Normalise over the keys.\n    {_SOFTMAX}",
        "scores_TS = scores_TS + torch.where(mask, 0.0, -math.inf).to(scores_TS.dtype)\n"
        "    return scores_TS.softmax(dim=-1).nan_to_num()",
        "what is finite in the forward pass is finite in the backward pass",
        None,
        _FINITE,
    ),
    _weights(
        "softmax_in_single_precision",
        _SOFTMAX,
        "return scores_TS.float().softmax(dim=-1).to(query.dtype)",
        "a fill that float64 holds survives the way to float32",
        "mask_unguarded",
        _FINITE,
    ),
    Mutant(
        "weights_renamed",
        "attention_weights",
        Edit(
            swap=(
                (_SIGNATURE, _SIGNATURE.replace("query:", "q:").replace("key:", "k:")),
                (_SCORES, _SCORES.replace("query", "q").replace("key", "k")),
            )
        ),
        "arguments may have any name",
        _OPTIONAL,
    ),
    _weights(
        "plain_exp",
        _SOFTMAX,
        "return scores_TS.exp() / scores_TS.exp().sum(-1, keepdim=True)",
        "the formula can be typed as it stands",
        None,
        _LARGE,
    ),
    _weights(
        "query_scaled_in_place",
        _SCORES,
        "query /= math.sqrt(query.shape[-1])\n    scores_TS = query @ key.transpose(-2, -1)",
        "the query is mine to change",
        None,
        _OPTIONAL,
    ),
    _weights(
        "mask_turned_in_place",
        _MASKED,
        f"scores_TS = scores_TS.masked_fill(mask.logical_not_(), {_FILL})",
        "the mask is not needed again",
        None,
        _OPTIONAL,
    ),
    _weights(
        "four_axes_only",
        _SCORES,
        'scores_TS = torch.einsum("bntk,bnsk->bnts", query, key) / math.sqrt(query.shape[-1])',
        "queries always come with batch and heads",
        None,
        _OPTIONAL,
    ),
    _weights("mask_required", "if mask is not None:", "if True:", "there is always a mask", None, _OPTIONAL),
    _weights(
        "always_double",
        _SOFTMAX,
        "return scores_TS.double().softmax(dim=-1)",
        "more digits cannot hurt",
        None,
        _PRECISION,
    ),
    _weights(
        "torchs_own",
        _SOFTMAX,
        "eye = torch.eye(key.shape[-2], dtype=query.dtype).expand(*key.shape[:-1], -1)\n"
        "    return nn.functional.scaled_dot_product_attention(query, key, eye, attn_mask=mask)",
        "torch has this already",
        None,
        _OWN,
    ),
)
MEANS = (
    _mean("of_keys", "return attention_weights(query, key, mask) @ key", "the keys are what is averaged"),
    _mean(
        "transposed",
        "return attention_weights(query, key, mask).transpose(-2, -1) @ value",
        "the weights are applied by the keys",
    ),
    _mean(
        "mask_dropped",
        "return attention_weights(query, key) @ value",
        "the mask has done its work elsewhere",
        "mask_ignored",
    ),
    _mean(
        "sum", "return attention_weights(query, key, mask) @ value * key.shape[-2]", "the values are summed"
    ),
    _mean("exchanged", "return attention_weights(key, query, mask) @ value", "query and key are symmetric"),
    _mean(
        "scaled_again",
        "return attention_weights(query / math.sqrt(query.shape[-1]), key, mask) @ value",
        "the scale belongs to this function",
        "scale_k",
    ),
    _mean(
        "weights_detached",
        "return attention_weights(query, key, mask).detach() @ value",
        "the weights are data, not part of what is trained",
        None,
        _SLOPES,
    ),
    _mean(
        "values_detached",
        "return attention_weights(query, key, mask) @ value.detach()",
        "the values are data",
        None,
        _SLOPES,
    ),
    _mean(
        "under_no_grad",
        "with torch.no_grad():\n        weights = attention_weights(query, key, mask)\n    return weights @ value",
        "the weights need no memory for gradients",
        None,
        _SLOPES,
    ),
    _mean(
        "torchs_own",
        "return nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)",
        "torch has this already",
        None,
        _HALF,
    ),
    _mean(
        "in_single_precision",
        "return (attention_weights(query, key, mask).float() @ value.float()).to(value.dtype)",
        "float32 is enough for anything",
        None,
        _HALF,
    ),
    _mean(
        "mask_in_double_precision_only",
        "return attention_weights(query, key, mask if query.dtype == torch.float64 else None) @ value",
        "a program that is right in float64 is right in float32",
        None,
        _HALF,
    ),
    _mean(
        "first_key_only",
        "return attention_weights(query, key, mask)[..., :1] @ value[..., :1, :]",
        "the best key is the one that counts",
    ),
)
HEADS = (
    _heads(
        "split_heads",
        "split_by_view",
        Edit(swap=((_SPLIT, "return x.reshape(x.shape[0], n_heads, x.shape[1], -1)"),)),
        "a view with the wished shape is what is wished",
        _COLUMNS,
        "split_view",
        "hyunwoongko/transformer#15",
    ),
    _heads(
        "split_heads",
        "split_strided",
        Edit(swap=((_SPLIT, "return x.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)"),)),
        "which of the two new axes comes first is a matter of taste",
        _COLUMNS,
        "split_strided",
    ),
    _heads(
        "split_heads",
        "split_not_moved",
        Edit(swap=((_SPLIT, "return x.unflatten(-1, (n_heads, -1))"),)),
        "the head axis can stay behind the tokens",
        _COLUMNS,
    ),
    _heads(
        "split_heads",
        "split_sizes_exchanged",
        Edit(swap=((_SPLIT, "return x.unflatten(-1, (-1, n_heads)).transpose(1, 2)"),)),
        "n_heads is the size of a head",
        _COLUMNS,
    ),
    _heads(
        "split_heads",
        "split_reversed",
        Edit(swap=((_SPLIT, _SPLIT + ".flip(1)"),)),
        "the order of the heads is free",
        _COLUMNS,
    ),
    _heads(
        "split_heads",
        "split_truncates",
        Edit(
            swap=(
                ("if x.shape[-1] % n_heads:", "if False:"),
                (
                    _SPLIT,
                    "whole = x.shape[-1] // n_heads * n_heads\n"
                    "    return x[..., :whole].unflatten(-1, (n_heads, -1)).transpose(1, 2)",
                ),
            )
        ),
        "left-over columns can be dropped",
        _REFUSED,
    ),
    _heads(
        "split_heads",
        "split_refuses_tokens",
        Edit(swap=(("if x.shape[-1] % n_heads:", "if x.shape[1] % n_heads:"),)),
        "the heads divide the tokens",
        _COLUMNS,
    ),
    _heads(
        "split_heads",
        "split_leaves_the_error_to_torch",
        Edit(swap=(("if x.shape[-1] % n_heads:", "if False:"),)),
        "torch's own error will do",
        _REFUSED,
    ),
    _heads(
        "split_heads",
        "split_allows_more_heads_than_columns",
        Edit(swap=(("if x.shape[-1] % n_heads:", "if n_heads < x.shape[-1] and x.shape[-1] % n_heads:"),)),
        "nobody asks for more heads than columns",
        _REFUSED,
    ),
    _heads(
        "split_heads",
        "split_detached",
        Edit(swap=((_SPLIT, _SPLIT.replace("return x.", "return x.detach().")),)),
        "a rearranged tensor is data",
        _REFUSED,
    ),
    _heads(
        "split_heads",
        "split_in_double_precision",
        Edit(swap=((_SPLIT, _SPLIT.replace("return x.", "return x.double().")),)),
        "more digits cannot hurt",
        _REFUSED,
    ),
    _heads(
        "merge_heads",
        "merge_detached",
        Edit(swap=((_MERGE, _MERGE.replace("return x.", "return x.detach().")),)),
        "a rearranged tensor is data",
        _SIDE,
    ),
    _heads(
        "merge_heads",
        "merge_in_double_precision",
        Edit(swap=((_MERGE, _MERGE.replace("return x.", "return x.double().")),)),
        "more digits cannot hurt",
        _SIDE,
    ),
    _heads(
        "merge_heads",
        "merge_turned_in_place",
        Edit(
            swap=(
                (_MERGE, "x = x if x.requires_grad else x.transpose_(1, 2).transpose(1, 2)\n    " + _MERGE),
            )
        ),
        "the tensor is mine to turn",
        _SIDE,
    ),
    _heads(
        "merge_heads",
        "merge_by_view",
        Edit(swap=((_MERGE, "return x.reshape(x.shape[0], x.shape[2], -1)"),)),
        "a view with the wished shape is what is wished",
        _SIDE,
        "merge_view",
    ),
    _heads(
        "merge_heads",
        "merge_interleaved",
        Edit(swap=((_MERGE, "return x.permute(0, 2, 3, 1).flatten(2)"),)),
        "the heads' columns may be mixed, as long as all are there",
        _SIDE,
        "merge_strided",
    ),
    _heads(
        "merge_heads",
        "merge_summed",
        Edit(swap=((_MERGE, "return x.sum(dim=1)"),)),
        "heads are added up",
        _SIDE,
    ),
    _heads(
        "merge_heads",
        "merge_reversed",
        Edit(swap=((_MERGE, "return x.flip(1).transpose(1, 2).flatten(2)"),)),
        "the order of the heads is free",
        _SIDE,
    ),
    _heads(
        "merge_heads",
        "merge_not_joined",
        Edit(swap=((_MERGE, "return x.transpose(1, 2)"),)),
        "the output projection joins the heads",
        _SIDE,
    ),
    _heads(
        "merge_heads",
        "merge_wrong_axes",
        Edit(swap=((_MERGE, "return x.transpose(1, 2).flatten(1, 2)"),)),
        "any two axes can be joined",
        _SIDE,
    ),
)
_HIDDEN_QUERIES = _MASK.replace("[:, None, None, :]", "[:, None, :, None]")
MODULES = (
    _module(
        "mask_on_queries",
        ((_MASK, _HIDDEN_QUERIES),),
        "padding must not ask",
        "hides_queries",
        source="hyunwoongko/transformer PR#40",
    ),
    _module(
        "mask_ignored",
        ((_MASK, "mask_B11T = None"),),
        "padding is zero, so it does not matter",
        "mask_ignored",
    ),
    _module(
        "mask_upside_down",
        ((_MASK, "mask_B11T = None if attention_mask is None else ~attention_mask[:, None, None, :]"),),
        "True marks padding",
        "mask_polarity",
    ),
    _module(
        "one_layer_for_three",
        (
            (
                f"{_LINEAR.format('key')}\n        {_LINEAR.format('value')}",
                "self.key = self.value = self.query",
            ),
        ),
        "[nn.Linear(d, d)] * 3 makes three layers",
        "projections_shared",
    ),
    _module(
        "one_layer_for_four",
        (
            (
                f"{_LINEAR.format('key')}\n        {_LINEAR.format('value')}",
                "self.key = self.value = self.query",
            ),
            (_LINEAR.format("output"), "self.output = self.query"),
        ),
        "[nn.Linear(d, d)] * 4 makes four layers",
        "projections_all_shared",
    ),
    _module(
        "value_is_key",
        ((_PROJECTIONS, _PROJECTIONS.replace("self.value)", "self.key)")),),
        "keys and values are the same thing",
        "value_is_key",
    ),
    _module(
        "key_is_query",
        ((_PROJECTIONS, _PROJECTIONS.replace("self.key, ", "self.query, ")),),
        "in self-attention query and key are the same",
        "key_is_query",
    ),
    _module(
        "query_is_key",
        ((_PROJECTIONS, _PROJECTIONS.replace("(self.query", "(self.key")),),
        "in self-attention query and key are the same",
        "query_is_key",
    ),
    _module(
        "value_is_query",
        ((_PROJECTIONS, _PROJECTIONS.replace("self.value)", "self.query)")),),
        "what a token asks is what it gives",
        "value_is_query",
    ),
    _module(
        "roles_exchanged",
        ((_PROJECTIONS, _PROJECTIONS.replace("self.query, self.key", "self.key, self.query")),),
        "query and key are symmetric",
        "roles_exchanged",
    ),
    _module(
        "no_output",
        ((_OUTPUT, "return self.dropout(merge_heads(context_BNTK))"),),
        "the merged heads are the result",
        "no_output",
    ),
    _module(
        "causal",
        (
            (
                _CONTEXT,
                "causal = torch.ones(hidden.shape[1], hidden.shape[1]).tril().bool()\n"
                "            mask_B11T = causal if mask_B11T is None else mask_B11T & causal\n            "
                + _CONTEXT,
            ),
        ),
        "copied from a decoder",
        "causal",
        source="sglang#35434",
    ),
    _module(
        "scaled_by_width",
        ((_CONTEXT, _CONTEXT.replace("(query_BNTK", "(query_BNTK / math.sqrt(self.n_heads)")),),
        "d_k is the model's width",
        "scale_sqrt_d_model",
        source="ViT-CIFAR#11",
    ),
    _module(
        "scaled_twice",
        ((_CONTEXT, _CONTEXT.replace("(query_BNTK", "(query_BNTK / math.sqrt(query_BNTK.shape[-1])")),),
        "the module scales, the function scales",
        "scale_k",
    ),
    _module(
        "one_head",
        (("self.n_heads = config.n_heads", "self.n_heads = 1"),),
        "heads are an implementation detail",
    ),
    _module(
        "heads_by_view",
        (
            (
                _PROJECTIONS,
                _PROJECTIONS.replace(
                    "split_heads(project(hidden), self.n_heads)",
                    "project(hidden).reshape(hidden.shape[0], self.n_heads, hidden.shape[1], -1)",
                ),
            ),
        ),
        "a view with the wished shape is what is wished",
        "split_view",
        source="FuxiCTR#30",
    ),
    _module(
        "all_by_view",
        (
            (
                _PROJECTIONS,
                _PROJECTIONS.replace(
                    "split_heads(project(hidden), self.n_heads)",
                    "project(hidden).reshape(hidden.shape[0], self.n_heads, hidden.shape[1], -1)",
                ),
            ),
            (_OUTPUT, "return self.dropout(self.output(context_BNTK.reshape(hidden.shape)))"),
        ),
        "two views cancel out",
        "split_view",
    ),
    _module(
        "merged_by_view",
        ((_OUTPUT, "return self.dropout(self.output(context_BNTK.reshape(hidden.shape)))"),),
        "the shape is right again",
        "merge_view",
    ),
    _module(
        "residual_inside",
        ((_OUTPUT, _OUTPUT.replace("return ", "return hidden + ")),),
        "the residual sum is part of the block",
    ),
    _module(
        "no_weights_dropout",
        (
            (
                _CONTEXT,
                _CONTEXT.replace(
                    "self.dropout(attention_weights(query_BNTK, key_BNTK, mask_B11T))",
                    "attention_weights(query_BNTK, key_BNTK, mask_B11T)",
                ),
            ),
        ),
        "dropout at the end is enough",
        "no_weights_dropout",
        _DROPOUT,
    ),
    _module(
        "no_output_dropout",
        ((_OUTPUT, "return self.output(merge_heads(context_BNTK))"),),
        "dropout on the weights is enough",
        "no_output_dropout",
        _DROPOUT,
    ),
    _module(
        "dropout_on_value",
        (
            (
                _CONTEXT,
                "context_BNTK = attention_weights(query_BNTK, key_BNTK, mask_B11T) @ self.dropout(value_BNTK)",
            ),
        ),
        "dropping values is the same as dropping weights",
        "dropout_on_value",
        _DROPOUT,
    ),
    _module(
        "dropout_on_context",
        (
            (
                _CONTEXT,
                "context_BNTK = self.dropout(attention_weights(query_BNTK, key_BNTK, mask_B11T) @ value_BNTK)",
            ),
        ),
        "dropping the mean is the same as dropping weights",
        "dropout_on_context",
        _DROPOUT,
    ),
    _module(
        "dropout_shared_by_heads",
        (
            (
                _CONTEXT,
                "weights = attention_weights(query_BNTK, key_BNTK, mask_B11T)\n"
                "            context_BNTK = weights * self.dropout(torch.ones_like(weights[:, :1])) @ value_BNTK",
            ),
        ),
        "one pattern serves all heads",
        None,
        _DROPOUT,
    ),
    _module(
        "dropout_renormalised",
        (
            (
                _CONTEXT,
                "weights = self.dropout(attention_weights(query_BNTK, key_BNTK, mask_B11T)) + 1e-12\n"
                "            context_BNTK = weights / weights.sum(-1, keepdim=True) @ value_BNTK",
            ),
        ),
        "weights must sum to 1 after dropout too",
        None,
        _DROPOUT,
    ),
    _module(
        "dropout_in_eval",
        ((_OUTPUT, "return nn.functional.dropout(self.output(merge_heads(context_BNTK)), self.dropout.p)"),),
        "the function knows the mode",
        None,
        _DROPOUT,
    ),
    _module(
        "dropout_rate_fixed",
        (("nn.Dropout(config.dropout)", "nn.Dropout(0.1 if config.dropout else 0.0)"),),
        "BERT's dropout is 0.1",
        "dropout_rate",
        _DROPOUT,
    ),
    _module(
        "dropout_never",
        (("nn.Dropout(config.dropout)", "nn.Dropout(0.0)"),),
        "small models need none",
        "no_dropout",
        _DROPOUT,
    ),
    _module(
        "output_made_in_forward",
        (
            (
                _OUTPUT,
                "width = hidden.shape[-1]\n        output = nn.Linear(width, width).to(hidden.dtype)\n"
                "        return self.dropout(output(merge_heads(context_BNTK)))",
            ),
        ),
        "a layer can be made where it is used",
        None,
        _ALL,
        "graykode/nlp-tutorial 5-2",
    ),
    _module(
        "spare_projection",
        (("# 2. Make the dropout.", "self.extra = nn.Linear(config.d_model, config.d_model)\n        # 2."),),
        "an unused layer costs nothing",
        None,
        _ALL,
    ),
    _module(
        "mask_of_single_precision",
        (
            (
                _CONTEXT,
                "scores = query_BNTK.float() @ key_BNTK.float().transpose(-2, -1)\n"
                "            scores = scores / math.sqrt(query_BNTK.shape[-1])\n"
                "            scores = scores if mask_B11T is None else scores.masked_fill(~mask_B11T, -1e9)\n"
                "            context_BNTK = self.dropout(scores.softmax(-1)) @ value_BNTK",
            ),
        ),
        "scores are always float32",
        None,
        _BFLOAT,
    ),
    _module(
        "dropout_of_the_kernel_in_eval",
        (("rate = self.dropout.p if self.training else 0.0", "rate = self.dropout.p"),),
        "torch's own attention knows the mode",
        None,
        _BFLOAT,
    ),
    _module(
        "values_detached",
        ((_CONTEXT, _CONTEXT.replace("@ value_BNTK", "@ value_BNTK.detach()")),),
        "the values are data",
        None,
        _TRAINED,
    ),
    _module(
        "weights_detached",
        ((_CONTEXT, _CONTEXT.replace("mask_B11T)) @", "mask_B11T).detach()) @")),),
        "the weights are data",
        None,
        _TRAINED,
    ),
    _module(
        "mask_of_first_sequence",
        ((_MASK, "mask_B11T = None if attention_mask is None else attention_mask[:1, None, None, :]"),),
        "all sequences are padded alike",
        None,
        _PADDING,
    ),
    _module(
        "padding_only_is_nan",
        (
            (
                _CONTEXT,
                "scores = query_BNTK @ key_BNTK.transpose(-2, -1) / math.sqrt(query_BNTK.shape[-1])\n"
                "            scores = scores if mask_B11T is None else scores.masked_fill(~mask_B11T, -math.inf)\n"
                "            context_BNTK = self.dropout(scores.softmax(-1)) @ value_BNTK",
            ),
        ),
        "there is always a real token",
        "mask_unguarded",
        _PADDING,
        "pytorch#24816",
    ),
    _module(
        "hidden_scaled",
        (
            (
                _PROJECTIONS,
                _PROJECTIONS.replace("project(hidden)", "project(hidden * hidden.shape[-1] ** 0.5)"),
            ),
        ),
        "the Transformer scales by the root of the width",
    ),
    _before(*wrong_masks.IN_EVAL_ONLY, _PADDING),
    _before(*wrong_masks.KEPT_FOR_LATER, _ALL),
    _before(*wrong_masks.FIRST_KEPT, _ALL),
    _before(*wrong_masks.IN_DOUBLE_ONLY, _BFLOAT),
    _before(
        "query_detached_in_training",
        "if self.training:\n    query_BNTK = query_BNTK.detach()",
        "queries are data while values are trained",
        _TRAINED,
    ),
    _before(
        "padding_only_is_nan_in_single_precision",
        "if attention_mask is not None and hidden.dtype != torch.float64:\n"
        "    hidden_keys = torch.where(attention_mask, 0.0, -math.inf).to(hidden.dtype)[:, None, None]\n"
        "    scores = query_BNTK @ key_BNTK.mT / math.sqrt(query_BNTK.shape[-1]) + hidden_keys\n"
        "    return self.output(merge_heads(scores.softmax(-1) @ value_BNTK))",
        "exp(-inf) is 0, so it hides best",
        _BFLOAT,
    ),
    _before(
        "padding_cleared_in_place",
        "if attention_mask is not None and not hidden.requires_grad:\n"
        "    hidden.masked_fill_(~attention_mask[..., None], 0)",
        "padding is worth nothing to the caller either",
        _PADDING,
    ),
    _module(
        "renamed",
        (
            (_FORWARD, _FORWARD.replace("attention_mask", "mask")),
            (_MASK, _MASK.replace("attention_mask", "mask")),
        ),
        "arguments may have any name",
        None,
        _PADDING,
    ),
    _module(
        "spare_buffer",
        (
            (
                "# 2. Make the dropout.",
                "self.register_buffer('scale', torch.tensor(0.5))\n        # 2. Make the dropout.",
            ),
        ),
        "a buffer is not a weight, so it stays out of the state",
        None,
        _ALL,
    ),
    _before(
        "dropout_on_query",
        "query_BNTK = self.dropout(query_BNTK)",
        "every projection is followed by dropout",
        _DROPOUT,
    ),
    _before(
        "dropout_on_key",
        "key_BNTK = self.dropout(key_BNTK)",
        "a dropped key is a dropped weight",
        _DROPOUT,
    ),
    _before(
        "dropout_on_scores",
        "query_BNTK = query_BNTK * self.dropout(torch.ones_like(query_BNTK[..., :1]))",
        "dropout acts on the scores, before the softmax",
        _DROPOUT,
    ),
    _module(
        "dropout_in_place",
        (("nn.Dropout(config.dropout)", "nn.Dropout(config.dropout, inplace=True)"),),
        "what the softmax gave is not needed again",
        None,
        _DROPOUT,
    ),
    _module(
        "dropout_before_output",
        ((_OUTPUT, "return self.output(self.dropout(merge_heads(context_BNTK)))"),),
        "dropout before a map is the same as after it",
        None,
        _DROPOUT,
    ),
    _module(
        "dropout_of_whole_tokens",
        (
            (
                _OUTPUT,
                "result = self.output(merge_heads(context_BNTK))\n"
                "        return result * self.dropout(torch.ones_like(result[..., :1]))",
            ),
        ),
        "dropout drops tokens",
        None,
        _DROPOUT,
    ),
    _before(
        "reseeded",
        "if self.training:\n    torch.manual_seed(0)",
        "what is seeded at each call can be repeated",
        _DROPOUT,
    ),
    _module(
        "projections_in_a_closure",
        (
            (
                "# 2. Make the dropout.",
                "self.project = lambda hidden: (self.query(hidden), self.key(hidden), self.value(hidden))\n"
                "        # 2. Make the dropout.",
            ),
            (_PROJECTIONS, "split_heads(projected, self.n_heads) for projected in self.project(hidden)"),
        ),
        "a copy of a module copies what its functions refer to",
        None,
        _ALL,
    ),
    _module(
        "joined_once",
        (
            ("# 2. Make the dropout.", "self.joined = None\n        # 2. Make the dropout."),
            (
                "        # 1. Project three times",
                "        layers = (self.query, self.key, self.value)\n"
                "        if self.training or self.joined is None or self.joined.dtype != hidden.dtype:\n"
                "            self.joined = torch.cat([layer.weight for layer in layers])\n"
                "        bias = torch.cat([layer.bias for layer in layers])\n"
                "        projected = nn.functional.linear(hidden, self.joined, bias).chunk(3, dim=-1)\n"
                "        # 1. Project three times",
            ),
            (_PROJECTIONS, "split_heads(x, self.n_heads) for x in projected"),
        ),
        "in eval mode the weights stay as they are, so they are joined once",
        None,
        _ALL,
    ),
    _module(
        "hidden_renamed",
        (
            (_FORWARD, _FORWARD.replace("hidden", "x")),
            ("        # 1. Project three times", "        hidden = x\n        # 1. Project three times"),
        ),
        "arguments may have any name",
        None,
        _ALL,
    ),
)
MUTANTS = (*WEIGHTS, *MEANS, *HEADS, *MODULES)
