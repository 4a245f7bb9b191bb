"""Right variants of lesson 9."""

from checks.gate.edits import Edit, Variant

_POOL = "torch.tanh(self.dense(sequence_output[:, 0]))"
_FEATURES = "features_E = self.norm(gelu(self.dense(hidden), self.approximate))"
_TIE = "self.decoder.weight = word.weight"
_DECODE = "return self.decoder(features_E)"
_CLASSIFY = "return self.classifier(pooled_output)"


def _swap(*pairs: tuple[str, str]) -> Edit:
    return Edit(swap=pairs)


VARIANTS = (
    Variant(
        "pooler_select",
        "Pooler",
        _swap((_POOL, "self.dense(sequence_output.select(1, 0)).tanh()")),
        "select and a method",
    ),
    Variant(
        "pooler_all_then_first",
        "Pooler",
        _swap((_POOL, "self.dense(sequence_output).tanh()[:, 0, :]")),
        "every token is mapped, then one is taken",
    ),
    Variant(
        "pooler_by_sigmoid",
        "Pooler",
        _swap(
            (
                _POOL,
                "2 * torch.sigmoid(2 * (sequence_output[:, 0] @ self.dense.weight.T + self.dense.bias)) - 1",
            )
        ),
        "tanh through a sigmoid, the map by hand",
    ),
    Variant(
        "pooler_activation_module",
        "Pooler",
        Edit(
            swap=((_POOL, "self.activation(self.dense(sequence_output[:, 0]))"),),
            functions={
                "Pooler.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.dense = nn.Linear(config.d_model, config.d_model)
    self.activation = nn.Tanh()
"""
            },
        ),
        "a module for tanh",
    ),
    Variant(
        "mlm_matmul",
        "MLMHead",
        _swap((_DECODE, "return features_E @ self.decoder.weight.transpose(0, 1) + self.decoder.bias")),
        "a matrix product by hand",
    ),
    Variant(
        "mlm_einsum",
        "MLMHead",
        _swap(
            (
                _DECODE,
                'return torch.einsum("...e,ve->...v", features_E,'
                " self.decoder.weight).add(self.decoder.bias)",
            )
        ),
        "einsum",
    ),
    Variant(
        "mlm_torch_gelu",
        "MLMHead",
        _swap(
            (
                _FEATURES,
                "features_E = self.norm(nn.functional.gelu(self.dense(hidden),"
                " approximate=self.approximate))",
            )
        ),
        "torch's GELU",
    ),
    Variant(
        "mlm_norm_by_hand",
        "MLMHead",
        _swap(
            (
                _FEATURES,
                "x = gelu(self.dense(hidden), self.approximate)\n"
                "        x = x - x.mean(dim=-1, keepdim=True)\n"
                "        scale = (x.pow(2).mean(dim=-1, keepdim=True) + self.norm.eps).rsqrt()\n"
                "        features_E = x * scale * self.norm.weight + self.norm.bias",
            )
        ),
        "the norm by hand",
    ),
    Variant(
        "mlm_registers_the_parameter",
        "MLMHead",
        _swap((_TIE, 'self.decoder.register_parameter("weight", word.weight)')),
        "registered by name instead of assigned",
    ),
    Variant(
        "mlm_bias_made_apart",
        "MLMHead",
        _swap(
            (
                "self.decoder = nn.Linear(config.d_embedding, config.vocab_size)",
                "self.decoder = nn.Linear(config.d_embedding, config.vocab_size, bias=False)\n"
                "        self.decoder.bias = nn.Parameter(torch.zeros(config.vocab_size))",
            )
        ),
        "the bias is a parameter of its own, under the decoder's name",
    ),
    Variant(
        "mlm_keeps_the_config",
        "MLMHead",
        Edit(
            swap=(
                (
                    "self.decoder.weight = word.weight",
                    "self.decoder.weight = word.weight\n        self.config = config",
                ),
                (
                    _FEATURES,
                    'form = "tanh" if self.config.activation == "gelu_tanh" else "none"\n'
                    "        features_E = self.norm(gelu(self.dense(hidden), form))",
                ),
            )
        ),
        "the activation is read at each forward",
    ),
    Variant(
        "mlm_rows_first",
        "MLMHead",
        _swap(
            (
                _DECODE,
                "rows_ME = features_E.reshape(-1, features_E.shape[-1])\n"
                "        return self.decoder(rows_ME).reshape(*features_E.shape[:-1],"
                " self.decoder.out_features)",
            )
        ),
        "leading axes are flattened and brought back",
    ),
    Variant(
        "sentence_by_hand",
        "SentenceHead",
        _swap(
            (_CLASSIFY, "return torch.addmm(self.classifier.bias, pooled_output, self.classifier.weight.t())")
        ),
        "the map by hand",
    ),
    Variant(
        "sentence_row_by_row",
        "SentenceHead",
        _swap((_CLASSIFY, "return torch.stack([self.classifier(row) for row in pooled_output])")),
        "one pair at a time",
    ),
)
