"""Right variants of lesson 12."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Variant

_COUNT = "    return sum(parameter.numel() for parameter in model.parameters())"
_TABLE = """
def parameter_table(config, factorized):
    E, D = config.d_embedding, config.d_model
    if E != D and not factorized:
        raise ValueError("d_embedding")

    def linear(n, m):
        return (n + 1) * m

    def layer_norm(n):
        return 2 * n

    halves = {
        "attention": 4 * linear(D, D) + layer_norm(D),
        "ffn": linear(D, config.d_ff) + linear(config.d_ff, D) + layer_norm(D),
    }
    copies = dict.fromkeys(halves, config.n_groups if config.sharing == "all" else config.n_layers)
    if config.sharing in copies:
        copies[config.sharing] = 1
    table = dict(
        word=config.vocab_size * E,
        position=config.max_len * E,
        segment=config.n_segments * E,
        embedding_norm=layer_norm(E),
        projection=linear(E, D) * bool(factorized),
        encoder=sum(halves[half] * copies[half] for half in halves),
        pooler=linear(D, D),
        mlm_head=linear(D, E) + layer_norm(E) + config.vocab_size,
        sentence_head=linear(D, 2),
    )
    table["total"] = sum(table.values())
    return table
"""
_FLOPS = """
def forward_flops(config, tokens, factorized, masked=0):
    D, E, K = config.d_model, config.d_embedding, config.d_head

    def product(n, k, m):
        return 2 * n * k * m

    total = 0
    for _ in range(config.n_layers):
        total += 4 * product(tokens, D, D)
        total += config.n_heads * (product(tokens, K, tokens) + product(tokens, tokens, K))
        total += product(tokens, D, config.d_ff) + product(tokens, config.d_ff, D)
    if factorized:
        total += product(tokens, E, D)
    total += product(1, D, D) + product(1, D, 2)
    return total + product(masked, D, E) + product(masked, E, config.vocab_size)
"""

VARIANTS = (
    Variant(
        "by_identity",
        "count_parameters",
        Edit(
            swap=(
                (
                    _COUNT,
                    "    named = model.named_parameters(remove_duplicate=False)\n"
                    "    return sum(p.numel() for p in {id(p): p for _, p in named}.values())",
                ),
            )
        ),
        "all names, each object once",
    ),
    Variant(
        "module_by_module",
        "count_parameters",
        Edit(
            swap=(
                (
                    _COUNT,
                    "    seen, total = set(), 0\n    for module in model.modules():\n"
                    "        for parameter in module._parameters.values():\n"
                    "            if parameter is not None and parameter not in seen:\n"
                    "                seen.add(parameter)\n                total += parameter.nelement()\n"
                    "    return total",
                ),
            )
        ),
        "a walk over the modules with a set of what was seen",
    ),
    Variant("helpers", "parameter_table", Edit(functions={"parameter_table": _TABLE}), "helpers for a linear layer and a norm"),
    Variant(
        "one_layer_formula",
        "parameter_table",
        Edit(
            swap=(
                ("attention = 4 * (D * D + D) + 2 * D", "attention = 4 * D**2 + 6 * D"),
                ("feed_forward = (D * F + F) + (F * D + D) + 2 * D", "feed_forward = 2 * D * F + F + 3 * D"),
            )
        ),
        "the formulas multiplied out",
    ),
    Variant("product_by_product", "forward_flops", Edit(functions={"forward_flops": _FLOPS}), "one product after the other"),
    Variant(
        "per_token",
        "forward_flops",
        Edit(
            swap=(
                (
                    "config.n_layers * (8 * T * D * D + 4 * T * D * F + 4 * T * T * D)",
                    "4 * T * D * config.n_layers * (2 * D + F + T)",
                ),
            )
        ),
        "common factors taken out",
    ),
    Variant(
        "reciprocals",
        "break_even_embedding",
        Edit(
            swap=(("return vocab_size * d_model / (vocab_size + d_model)", "return 1 / (1 / vocab_size + 1 / d_model)"),)
        ),
        "1/E = 1/V + 1/D",
    ),
    Variant(
        "ratio",
        "break_even_embedding",
        Edit(
            swap=(("return vocab_size * d_model / (vocab_size + d_model)", "return d_model / (1 + d_model / vocab_size)"),)
        ),
        "D / (1 + D / V)",
    ),
    Variant(
        "ordered",
        "parameter_table",
        Edit(
            swap=(('return {**table, "total": sum(table.values())}', 'return OrderedDict(table, total=sum(table.values()))'),),
            extra="from collections import OrderedDict",
        ),
        "an OrderedDict",
    ),
    Variant(
        "counter",
        "parameter_table",
        Edit(
            swap=(('return {**table, "total": sum(table.values())}', 'table = Counter(table)\n    table["total"] = table.total()\n    return table'),),
            extra="from collections import Counter",
        ),
        "a Counter, which knows its total",
    ),
)  # fmt: skip
