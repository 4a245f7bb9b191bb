"""Right variants of lesson 10."""

from checks.gate.edits import Edit, Variant

_OUT = "sequence_output = self.encoder(self.embeddings(input_ids, segment_ids), attention_mask)"
_RETURN = "return sequence_output, self.pooler(sequence_output)"
_ZEROS = "segment_ids = torch.zeros_like(input_ids)"
_GATHER = "sequence_output = sequence_output.flatten(0, 1).index_select(0, positions)"
_HEAD = "self.mlm_head = MLMHead(config, embeddings.word)"
_PICK = "encoder = encoders.get(config.sharing, PartlySharedEncoder)(config)"
_NORMAL = "nn.init.normal_(parameter, std=std, generator=generator)"
_SIGNATURE = (
    "def init_weights(module: nn.Module, std: float = 0.02, "
    "generator: torch.Generator | None = None) -> None:\n"
)
_WHOLE = """
def __init__(self, config: ModelConfig) -> None:
    nn.Module.__init__(self)
    if config.d_embedding != config.d_model or config.sharing != "none":
        raise ValueError("BERT shares nothing and has E = D")
    self.embeddings = BERTEmbeddings(config)
    self.mlm_head = MLMHead(config, self.embeddings.word)
    self.sentence_head = SentenceHead(config)
    self.pooler = Pooler(config)
    self.encoder = BERTEncoder(config)
    self.config = config
    init_weights(self, config.init_std)
"""


def _swap(*pairs: tuple[str, str]) -> Edit:
    return Edit(swap=pairs)


VARIANTS = (
    Variant(
        "bert_on_its_own",
        "BERTModel",
        Edit(functions={"BERTModel.__init__": _WHOLE}),
        "all parts made in BERT, in another order",
    ),
    Variant(
        "bert_explicit_mask",
        "BERTModel",
        _swap(
            (
                _OUT,
                "if attention_mask is None:\n"
                "            attention_mask = torch.ones_like(input_ids, dtype=torch.bool)\n        " + _OUT,
            )
        ),
        "a missing mask becomes one of ones",
    ),
    Variant(
        "bert_new_zeros",
        "BERTModel",
        _swap((_ZEROS, "segment_ids = input_ids.new_zeros(input_ids.shape)")),
        "another way to make zeros",
    ),
    Variant(
        "bert_returns_a_list",
        "BERTModel",
        _swap(
            (
                _RETURN,
                "pooled_output = self.pooler(sequence_output)\n"
                "        return tuple([sequence_output, pooled_output])",
            )
        ),
        "the pair made step by step",
    ),
    Variant(
        "bert_reshape_and_index",
        "BERTModel",
        _swap(
            (_GATHER, "sequence_output = sequence_output.reshape(-1, sequence_output.shape[-1])[positions]")
        ),
        "reshape and plain indexing",
    ),
    Variant(
        "bert_rows_and_tokens",
        "BERTModel",
        _swap(
            (
                _GATHER,
                "n_tokens = sequence_output.shape[1]\n"
                "            sequence_output = sequence_output[positions // n_tokens, positions % n_tokens]",
            )
        ),
        "rows and tokens by division",
    ),
    Variant(
        "bert_one_hot_gather",
        "BERTModel",
        _swap(
            (
                _GATHER,
                "rows = sequence_output.flatten(0, 1)\n"
                "            chosen = nn.functional.one_hot(positions, len(rows)).to(rows.dtype)\n"
                "            sequence_output = chosen @ rows",
            )
        ),
        "a product with one-hot rows",
    ),
    Variant(
        "albert_if_chain",
        "ALBERTModel",
        _swap(
            (
                _PICK,
                'encoder = ALBERTEncoder(config) if config.sharing == "all" else BERTEncoder(config)\n'
                '        if config.sharing in ("attention", "ffn"):\n'
                "            encoder = PartlySharedEncoder(config)",
            )
        ),
        "a chain of ifs",
    ),
    Variant(
        "albert_match",
        "ALBERTModel",
        Edit(
            functions={
                "ALBERTModel.__init__": """
def __init__(self, config: ModelConfig) -> None:
    match config.sharing:
        case "none":
            encoder: nn.Module = BERTEncoder(config)
        case "all":
            encoder = ALBERTEncoder(config)
        case _:
            encoder = PartlySharedEncoder(config)
    super().__init__(config, embeddings=FactorizedEmbeddings(config), encoder=encoder)
"""
            }
        ),
        "match, and keywords",
    ),
    Variant(
        "albert_heads_first",
        "ALBERTModel",
        _swap(
            ("        self.embeddings = embeddings\n        self.encoder = encoder\n", ""),
            (_HEAD, _HEAD + "\n        self.encoder, self.embeddings = encoder, embeddings"),
        ),
        "the heads are registered before embeddings and encoder",
    ),
    Variant(
        "init_data",
        "init_weights",
        _swap(
            (
                _NORMAL,
                "parameter.data.copy_(torch.empty_like(parameter).normal_(0.0, std, generator=generator))",
            ),
            ("nn.init.zeros_(parameter)", "parameter.data.zero_()"),
            ("nn.init.ones_(parameter)", "parameter.data.fill_(1.0)"),
        ),
        "drawn apart and copied",
    ),
    Variant(
        "init_randn",
        "init_weights",
        Edit(
            functions={
                "init_weights": _SIGNATURE
                + """    with torch.no_grad():
        for name, parameter in reversed(list(module.named_parameters())):
            if parameter.ndim < 2:
                parameter.fill_(0.0 if name.rpartition(".")[2].endswith("bias") else 1.0)
            else:
                parameter.copy_(std * torch.randn(parameter.shape, generator=generator))
"""
            }
        ),
        "another order of draws, from randn",
    ),
    Variant(
        "init_truncated",
        "init_weights",
        _swap(
            (
                _NORMAL,
                "wide = std / 0.8796256610342398\n"
                "            nn.init.trunc_normal_(parameter, std=wide, a=-2 * wide, b=2 * wide,"
                " generator=generator)",
            )
        ),
        "a normal cut at two deviations, scaled so that its own deviation is std",
    ),
    Variant(
        "init_by_module",
        "init_weights",
        Edit(
            functions={
                "init_weights": _SIGNATURE
                + """    seen: set[int] = set()
    for part in module.modules():
        for name, parameter in part.named_parameters(recurse=False):
            if id(parameter) in seen:
                continue
            seen.add(id(parameter))
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0.0, std, generator)
            else:
                nn.init.constant_(parameter, float(not name.endswith("bias")))
"""
            }
        ),
        "module by module, each parameter once",
    ),
)
