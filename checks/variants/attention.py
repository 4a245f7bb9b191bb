"""Right variants of lesson 5."""

from checks.gate.edits import Edit, Variant

_SCORES = "scores_TS = query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)"
_MASKED = "scores_TS = scores_TS.masked_fill(~mask, torch.finfo(scores_TS.dtype).min)"
_FILL = "torch.finfo(scores_TS.dtype).min"
_SOFTMAX = "return scores_TS.softmax(dim=-1)"
_MEAN = "return attention_weights(query, key, mask) @ value"
_SPLIT = "return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)"
_MERGE = "return x.transpose(1, 2).flatten(2)"
_MASK = "mask_B11T = None if attention_mask is None else attention_mask[:, None, None, :]"
_CONTEXT = "context_BNTK = self.dropout(attention_weights(query_BNTK, key_BNTK, mask_B11T)) @ value_BNTK"
_EXPLICIT = """\
scores = query_BNTK @ key_BNTK.mT / math.sqrt(query_BNTK.shape[-1])
            scores = scores if mask_B11T is None else scores.masked_fill(~mask_B11T, -1e9)
            context_BNTK = self.dropout(scores.softmax(-1)) @ value_BNTK"""
_FUSED = """\
rate = self.dropout.p if self.training else 0.0
            context_BNTK = nn.functional.scaled_dot_product_attention(
                query_BNTK, key_BNTK, value_BNTK, attn_mask=mask_B11T, dropout_p=rate
            )"""
_LOOP = """\
def scaled_dot_product_attention(query, key, value, mask=None):
    weights = attention_weights(query, key, mask)
    return sum(weights[..., s : s + 1] * value[..., s : s + 1, :] for s in range(key.shape[-2]))
"""
_QUERY_BY_QUERY = """\
def attention_weights(query, key, mask=None):
    rows = []
    for t in range(query.shape[-2]):
        scores = (query[..., t : t + 1, :] * key).sum(-1) / query.shape[-1] ** 0.5
        if mask is not None:
            allowed = mask.expand(*query.shape[:-1], key.shape[-2])[..., t, :]
            scores = torch.where(allowed, scores, torch.full_like(scores, -1e9))
        exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
        rows.append(exponentials / exponentials.sum(-1, keepdim=True))
    return torch.stack(rows, dim=-2)
"""
_SPLIT_LOOP = """\
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads != 0:
        raise ValueError("the heads do not divide the width")
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)
"""
_HEAD_LOOP = """\
def forward(self, hidden, attention_mask=None):
    size = hidden.shape[-1] // self.n_heads
    mask = None if attention_mask is None else attention_mask[:, None, :]
    query, key, value = self.query(hidden), self.key(hidden), self.value(hidden)
    heads = []
    for n in range(self.n_heads):
        own = slice(n * size, (n + 1) * size)
        weights = self.dropout(attention_weights(query[..., own], key[..., own], mask))
        heads.append(weights @ value[..., own])
    return self.dropout(self.output(torch.cat(heads, dim=-1)))
"""


def _weights(id: str, swap: tuple[tuple[str, str], ...], says: str) -> Variant:
    return Variant(f"weights_{id}", "attention_weights", Edit(swap=swap), says)


def _module(id: str, edit: Edit, says: str) -> Variant:
    return Variant(f"module_{id}", "MultiHeadAttention", edit, says)


VARIANTS = (
    _weights("fill_1e9", ((_FILL, "-1e9"),), "hides with -1e9"),
    _weights("fill_1e4", ((_FILL, "-1e4"),), "hides with -1e4"),
    _weights(
        "fill_infinity",
        ((_FILL, "-math.inf"), (_SOFTMAX, _SOFTMAX + ".nan_to_num()")),
        "hides with -inf, mends NaN",
    ),
    _weights(
        "empty_rows_see_all",
        (
            (
                _MASKED,
                f"{_MASKED.replace('~mask', '~mask & mask.any(-1, keepdim=True)').replace(_FILL, '-math.inf')}",
            ),
        ),
        "hides with -inf, and lets a query without keys see all",
    ),
    _weights(
        "mask_as_numbers",
        ((_MASKED, "scores_TS = scores_TS + (1 - mask.to(scores_TS.dtype)) * -1e9"),),
        "adds -1e9 where the mask is 0",
    ),
    _weights(
        "scaled_after",
        ((_SCORES, "scores_TS = torch.einsum('...tk,...sk->...ts', query, key) * query.shape[-1] ** -0.5"),),
        "einsum, scaled afterwards",
    ),
    _weights(
        "root_of_a_tensor",
        (
            (
                _SCORES,
                _SCORES.replace(
                    "math.sqrt(query.shape[-1])",
                    "torch.sqrt(torch.tensor(query.shape[-1], dtype=torch.float32))",
                ),
            ),
        ),
        "keeps the root in float32",
    ),
    _weights(
        "root_of_an_integer_tensor",
        ((_SCORES, _SCORES.replace("math.sqrt(query.shape[-1])", "torch.tensor(query.shape[-1]) ** 0.5")),),
        "keeps the root of an integer tensor, which is in float32",
    ),
    _weights(
        "scaled_both",
        ((_SCORES, "root = query.shape[-1] ** 0.25\n    scores_TS = (query / root) @ (key / root).mT"),),
        "divides each side by the fourth root",
    ),
    _weights(
        "log_softmax",
        ((_SOFTMAX, "return (scores_TS - scores_TS.logsumexp(dim=-1, keepdim=True)).exp()"),),
        "the softmax through logsumexp",
    ),
    Variant(
        "weights_by_loop",
        "attention_weights",
        Edit(functions={"attention_weights": _QUERY_BY_QUERY}),
        "one query at a time",
    ),
    Variant(
        "mean_by_einsum",
        "scaled_dot_product_attention",
        Edit(
            swap=(
                (
                    _MEAN,
                    "return torch.einsum('...ts,...sv->...tv', attention_weights(query, key, mask), value)",
                ),
            )
        ),
        "einsum",
    ),
    Variant(
        "mean_by_loop",
        "scaled_dot_product_attention",
        Edit(functions={"scaled_dot_product_attention": _LOOP}),
        "adds up key by key",
    ),
    Variant(
        "mean_by_sum",
        "scaled_dot_product_attention",
        Edit(
            swap=(
                (
                    _MEAN,
                    "return (attention_weights(query, key, mask)[..., None] * value[..., None, :, :]).sum(-2)",
                ),
            )
        ),
        "a product with all values at once",
    ),
    Variant("split_by_chunks", "split_heads", Edit(functions={"split_heads": _SPLIT_LOOP}), "stacks chunks"),
    Variant(
        "split_by_view",
        "split_heads",
        Edit(swap=((_SPLIT, "return x.view(*x.shape[:2], n_heads, -1).permute(0, 2, 1, 3).contiguous()"),)),
        "view, permute, contiguous",
    ),
    Variant(
        "merge_by_cat",
        "merge_heads",
        Edit(swap=((_MERGE, "return torch.cat(x.unbind(1), dim=-1)"),)),
        "concatenates",
    ),
    Variant(
        "merge_by_view",
        "merge_heads",
        Edit(
            swap=(
                (
                    _MERGE,
                    "return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])",
                ),
            )
        ),
        "transpose, contiguous, view",
    ),
    _module("explicit", Edit(swap=((_CONTEXT, _EXPLICIT),)), "attention written out, hidden with -1e9"),
    _module("fused", Edit(swap=((_CONTEXT, _FUSED),)), "torch's fused attention with its own dropout"),
    _module(
        "queries_hidden_too",
        Edit(
            swap=(
                (
                    _MASK,
                    f"{_MASK}\n        if mask_B11T is not None:\n            mask_B11T = mask_B11T & mask_B11T.mT",
                ),
            )
        ),
        "padding sees nothing either",
    ),
    _module("head_by_head", Edit(functions={"MultiHeadAttention.forward": _HEAD_LOOP}), "one head at a time"),
    _module(
        "functional_dropout",
        Edit(
            swap=(
                (
                    "return self.dropout(self.output(merge_heads(context_BNTK)))",
                    "result = self.output(merge_heads(context_BNTK))\n"
                    "        return nn.functional.dropout(result, self.dropout.p, self.training)",
                ),
            )
        ),
        "dropout as a function",
    ),
)
