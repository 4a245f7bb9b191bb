"""Right variants of lesson 8."""

from checks.gate.edits import Edit, Variant

_SIGNATURE = """def forward(
    self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None
) -> Float[Tensor, "B T D"]:
"""

VARIANTS = (
    Variant(
        "bert_indices",
        "BERTEncoder",
        Edit(
            functions={
                "BERTEncoder.forward": _SIGNATURE
                + "    for i in range(len(self.layers)):\n"
                + "        hidden = self.layers[i](hidden, attention_mask=attention_mask)\n"
                "    return hidden\n"
            }
        ),
        "indices, and the mask by keyword",
    ),
    Variant(
        "bert_appends_and_reduces",
        "BERTEncoder",
        Edit(
            functions={
                "BERTEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.config = config
    self.layers = nn.ModuleList()
    for _ in range(config.n_layers):
        self.layers.append(TransformerLayer(config))
""",
                "BERTEncoder.forward": _SIGNATURE
                + "    return functools.reduce(lambda x, layer: layer(x, attention_mask), self.layers,"
                " hidden)\n",
            },
            extra="import functools",
        ),
        "layers appended one by one, a fold in forward",
    ),
    Variant(
        "bert_copies_started_anew",
        "BERTEncoder",
        Edit(
            functions={
                "BERTEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    first = TransformerLayer(config)
    self.layers = nn.ModuleList(copy.deepcopy(first) for _ in range(config.n_layers))
    for parameter in self.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=config.init_std)
"""
            },
            extra="import copy",
        ),
        "deep copies that draw new numbers",
    ),
    Variant(
        "bert_explicit_mask",
        "BERTEncoder",
        Edit(
            functions={
                "BERTEncoder.forward": _SIGNATURE
                + """    if attention_mask is None:
        attention_mask = hidden.new_ones(hidden.shape[:2], dtype=torch.bool)
    for layer in self.layers:
        hidden = layer(hidden, attention_mask)
    return hidden
"""
            },
            extra="import torch",
        ),
        "a missing mask becomes one of ones, and padding keeps whatever comes out",
    ),
    Variant(
        "bert_zeroes_padding",
        "BERTEncoder",
        Edit(
            functions={
                "BERTEncoder.forward": _SIGNATURE
                + """    for layer in self.layers:
        hidden = layer(hidden, attention_mask)
    return hidden if attention_mask is None else hidden * attention_mask.unsqueeze(-1)
"""
            }
        ),
        "what stands at padding in the end is nobody's business",
    ),
    Variant(
        "albert_nested_loops",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.forward": _SIGNATURE
                + """    for layer in self.layers:
        for _ in range(self.n_layers // len(self.layers)):
            hidden = layer(hidden, attention_mask)
    return hidden
"""
            }
        ),
        "a loop over groups, a loop over a group's steps",
    ),
    Variant(
        "albert_keeps_the_config",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.config = config
    self.layers = nn.ModuleList([TransformerLayer(config) for _ in range(config.n_groups)])
""",
                "ALBERTEncoder.forward": _SIGNATURE
                + """    steps_in_group = self.config.n_layers // self.config.n_groups
    for step in range(self.config.n_layers):
        hidden = self.layers[step // steps_in_group].forward(hidden, attention_mask)
    return hidden
""",
            }
        ),
        "the group is the step divided by the steps a group has",
    ),
    Variant(
        "albert_list_of_steps",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.forward": _SIGNATURE
                + """    times = self.n_layers // len(self.layers)
    steps = [layer for layer in self.layers for _ in range(times)]
    for layer in steps:
        hidden = layer(hidden, attention_mask)
    return hidden
"""
            }
        ),
        "a plain list that repeats the modules, made at each forward",
    ),
    Variant(
        "albert_python_list_of_the_same_objects",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.layers = nn.ModuleList(TransformerLayer(config) for _ in range(config.n_groups))
    self.steps = [self.layers[i * config.n_groups // config.n_layers] for i in range(config.n_layers)]
""",
                "ALBERTEncoder.forward": _SIGNATURE
                + "    for layer in self.steps:\n        hidden = layer(hidden, attention_mask)\n"
                "    return hidden\n",
            }
        ),
        "the steps are kept in a plain list beside the registered layers",
    ),
    Variant(
        "albert_recursion",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.forward": _SIGNATURE
                + """    def after(steps: int) -> Tensor:
        if steps == 0:
            return hidden
        layer = self.layers[(steps - 1) * len(self.layers) // self.n_layers]
        return layer(after(steps - 1), attention_mask)

    return after(self.n_layers)
"""
            }
        ),
        "recursion instead of a loop",
    ),
    Variant(
        "partly_tuples",
        "PartlySharedEncoder",
        Edit(
            functions={
                "PartlySharedEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    if config.sharing not in ("attention", "ffn"):
        raise ValueError(f"sharing: got {config.sharing!r}")
    super().__init__(config)
    last = self.layers[-1]
    for layer in self.layers:
        if config.sharing == "attention":
            layer.attention, layer.attention_norm = last.attention, last.attention_norm
        else:
            layer.feed_forward, layer.feed_forward_norm = last.feed_forward, last.feed_forward_norm
"""
            }
        ),
        "the last layer's part is the shared one",
    ),
    Variant(
        "partly_parameters",
        "PartlySharedEncoder",
        Edit(
            functions={
                "PartlySharedEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    if config.sharing in ("none", "all"):
        raise ValueError(f"sharing: got {config.sharing!r}")
    super().__init__(config)
    prefix = {"attention": "attention", "ffn": "feed_forward"}[config.sharing]
    for layer in self.layers[1:]:
        for name, module in self.layers[0].named_modules():
            if name.startswith(prefix):
                target = layer.get_submodule(name)
                for key, parameter in list(module._parameters.items()):
                    target._parameters[key] = parameter
"""
            }
        ),
        "the parameters are shared, not the modules",
    ),
    Variant(
        "partly_on_its_own",
        "PartlySharedEncoder",
        Edit(
            swap=(("class PartlySharedEncoder(BERTEncoder):", "class PartlySharedEncoder(nn.Module):"),),
            functions={
                "PartlySharedEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    if config.sharing not in ("attention", "ffn"):
        raise ValueError(f"sharing: got {config.sharing!r}")
    layers = [TransformerLayer(config) for _ in range(config.n_layers)]
    for layer in layers[1:]:
        if config.sharing == "attention":
            layer.attention, layer.attention_norm = layers[0].attention, layers[0].attention_norm
        else:
            layer.feed_forward, layer.feed_forward_norm = layers[0].feed_forward, layers[0].feed_forward_norm
    self.layers = nn.ModuleList(layers)

def forward(self, hidden: Tensor, attention_mask: Tensor | None = None) -> Tensor:
    for layer in self.layers:
        hidden = layer(hidden, attention_mask)
    return hidden
"""
            },
        ),
        "a module of its own instead of a subclass of BERTEncoder",
    ),
)
