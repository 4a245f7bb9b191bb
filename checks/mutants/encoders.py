"""Mutants of lesson 8."""

from checks.gate.edits import Edit, Mutant
from checks.mutants import wrong_masks

_BERT_LAYERS = "nn.ModuleList(TransformerLayer(config) for _ in range(config.n_layers))"
_ALBERT_LAYERS = "nn.ModuleList(TransformerLayer(config) for _ in range(config.n_groups))"
_ALBERT_PICK = "self.layers[i * len(self.layers) // self.n_layers]"
_ALBERT_STEP = f"hidden = {_ALBERT_PICK}(hidden, attention_mask)"
_PARTS = 'for name in (part, f"{part}_norm"):'
_SIGNATURE = """def forward(
    self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None
) -> Float[Tensor, "B T D"]:
"""
_BERT = "test_layers_follow_each_other_with_their_own_weights"
_BERT_GRADIENTS = "test_gradients_reach_every_layer"
_ALBERT = "test_one_layer_is_applied_n_layers_times"
_ALBERT_GRADIENTS = "test_the_gradient_of_the_shared_layer_is_the_sum_over_its_uses"
_ALBERT_STEP_CHECK = "test_a_training_step_moves_the_shared_layer_once"
_ALBERT_NAMES = "test_parameters_of_albert_do_not_grow_with_depth"
_GROUPS = "test_neighbouring_steps_use_one_group"
_NO_DROPOUT = {
    "BERT": "test_bert_adds_no_dropout_of_its_own",
    "ALBERT": "test_albert_adds_no_dropout_of_its_own",
}
_CALLS = {
    "BERT": "test_the_mask_of_bert_is_optional_and_the_input_is_left_alone",
    "ALBERT": "test_the_mask_of_albert_is_optional_and_the_input_is_left_alone",
}
_SLOPES = {"BERT": _BERT_GRADIENTS, "ALBERT": _ALBERT_GRADIENTS}
_NAMES = {"BERT": "test_parameters_of_bert_grow_with_depth", "ALBERT": _ALBERT_NAMES}
_RUNS = {
    "BERT": "for i, layer in enumerate(self.layers):",
    "ALBERT": f"for i in range(self.n_layers):\n    layer = {_ALBERT_PICK}",
}
_PARTLY = "test_layers_share_the_part_that_is_asked_for"


def _bert(body: str) -> Edit:
    return Edit(functions={"BERTEncoder.forward": _SIGNATURE + body})


def _albert(body: str) -> Edit:
    return Edit(functions={"ALBERTEncoder.forward": _SIGNATURE + body})


def _albert_copies(body: str) -> Edit:
    init = """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.n_layers = config.n_layers
    layer = TransformerLayer(config)
"""
    steps = (
        "    for layer in self.layers:\n        hidden = layer(hidden, attention_mask)\n    return hidden\n"
    )
    return Edit(
        functions={"ALBERTEncoder.__init__": init + body, "ALBERTEncoder.forward": _SIGNATURE + steps},
        extra="import copy",
    )


def _run(
    id: str,
    belief: str,
    check: dict[str, str],
    *,
    before: str = "",
    step: str = "hidden = layer(hidden, attention_mask)",
    signature: str = _SIGNATURE,
    extra: str = "",
) -> tuple[Mutant, Mutant]:
    """The same `forward` in both encoders: lines `before` the loop, and another `step` in it."""
    found = []
    for name, loop in _RUNS.items():
        body = f"{before}\n{loop}\n{_indented(step)}\nreturn hidden\n".lstrip("\n")
        edit = Edit(functions={f"{name}Encoder.forward": signature + _indented(body)}, extra=extra)
        found.append(Mutant(f"{name.lower()}_{id}", f"{name}Encoder", edit, belief, check[name]))
    return found[0], found[1]


def _indented(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


def _partly(line: str) -> Edit:
    """Another `forward` in the partly shared encoder."""
    old = "class PartlySharedEncoder(BERTEncoder):"
    base = f"class _Base(BERTEncoder):\n{_indented(_SIGNATURE)}        {line}\n\n\n"
    return Edit(swap=((old, base + old.replace("BERTEncoder", "_Base")),))


BOTH = (
    *(
        mutant
        for id, lines, belief in wrong_masks.WRONG_MASKS
        for mutant in _run(id, belief, _CALLS, before=lines)
    ),
    *_run(
        "detached_in_training",
        "each layer learns from its own output",
        _SLOPES,
        step="hidden = layer(hidden.detach() if self.training and i else hidden, attention_mask)",
    ),
    *_run(
        "layer_drop",
        "deep stacks train better when layers are left out at random",
        _NO_DROPOUT,
        step="if self.training and torch.rand(()) < 0.1:\n    continue\nhidden = layer(hidden, attention_mask)",
        extra="import torch",
    ),
    *_run(
        "six_layers_at_most",
        "small models have at most six layers",
        _NO_DROPOUT,
        step="if i < 6:\n    hidden = layer(hidden, attention_mask)",
    ),
    *_run(
        "early_exit",
        "what hardly changes any more is done",
        _NO_DROPOUT,
        step="new = layer(hidden, attention_mask)\nif (new - hidden).abs().max() < 1e-3:\n    return new\nhidden = new",
    ),
    *_run(
        "mask_by_lengths",
        "padding stands at the end of a row",
        _CALLS,
        before="if attention_mask is not None:\n    attention_mask = attention_mask.sort(1, descending=True).values",
    ),
    *_run(
        "opens_empty_rows_in_place",
        "a row of padding only must see something, and the mask is mine",
        _CALLS,
        before="if attention_mask is not None:\n    attention_mask[~attention_mask.any(1)] = True",
    ),
    *_run(
        "first_token_always_seen",
        "the first token is never padding",
        _CALLS,
        before="if attention_mask is not None:\n    attention_mask[:, 0] = True",
    ),
    *_run(
        "computes_in_double",
        "outputs want precision",
        _CALLS,
        before="self.double()\nhidden = hidden.double()",
    ),
    *_run(
        "renamed",
        "arguments may have any name",
        _CALLS,
        before="attention_mask = mask",
        signature=_SIGNATURE.replace("attention_mask", "mask"),
    ),
)
MUTANTS = (
    *BOTH,
    Mutant(
        "albert_refuses_other_sharing",
        "ALBERTEncoder",
        Edit(
            swap=(
                (
                    "self.n_layers = config.n_layers",
                    'if config.sharing != "all":\n            raise ValueError("sharing")\n'
                    "        self.n_layers = config.n_layers",
                ),
            )
        ),
        "a configuration of another model is a mistake here",
        _ALBERT_NAMES,
    ),
    Mutant(
        "albert_shares_when_told_so",
        "ALBERTEncoder",
        Edit(
            swap=(
                (
                    _ALBERT_LAYERS,
                    _ALBERT_LAYERS.replace(
                        "config.n_groups", '(config.n_groups if config.sharing == "all" else config.n_layers)'
                    ),
                ),
            )
        ),
        "the configuration says whether layers are shared",
        _ALBERT_NAMES,
    ),
    Mutant(
        "bert_shares_when_told_so",
        "BERTEncoder",
        Edit(
            swap=(
                (
                    _BERT_LAYERS,
                    f"{_BERT_LAYERS}\n"
                    '        if config.sharing == "all":\n'
                    "            self.layers = nn.ModuleList([self.layers[0]] * config.n_layers)",
                ),
            )
        ),
        "the configuration says whether layers are shared",
        _NAMES["BERT"],
    ),
    Mutant(
        "bert_refuses_sharing",
        "BERTEncoder",
        Edit(
            swap=(
                (
                    f"self.layers = {_BERT_LAYERS}",
                    'if config.sharing == "all":\n            raise ValueError("sharing")\n'
                    f"        self.layers = {_BERT_LAYERS}",
                ),
            )
        ),
        "a configuration of another model is a mistake here",
        _NAMES["BERT"],
    ),
    Mutant(
        "bert_reads_groups",
        "BERTEncoder",
        Edit(
            swap=(
                (_BERT_LAYERS, _BERT_LAYERS.replace("config.n_layers", "config.n_layers // config.n_groups")),
            )
        ),
        "groups are groups",
        _NAMES["BERT"],
    ),
    Mutant(
        "bert_seeds_its_start",
        "BERTEncoder",
        Edit(
            swap=(
                (
                    f"self.layers = {_BERT_LAYERS}",
                    f"torch.manual_seed(0)\n        self.layers = {_BERT_LAYERS}",
                ),
            ),
            extra="import torch",
        ),
        "a start should be the same each time",
        "test_layers_start_different",
    ),
    Mutant(
        "bert_closure",
        "BERTEncoder",
        Edit(
            swap=(
                (
                    _BERT_LAYERS,
                    f"{_BERT_LAYERS}\n        self.steps = [lambda h, m, k=k: self.layers[k](h, m)"
                    " for k in range(config.n_layers)]",
                ),
                (
                    "for layer in self.layers:\n            hidden = layer(hidden, attention_mask)",
                    "for step in self.steps:\n            hidden = step(hidden, attention_mask)",
                ),
            ),
        ),
        "a closure over the layers is copied with the encoder",
        "test_layers_start_different",
    ),
    Mutant(
        "albert_depth_of_the_class",
        "ALBERTEncoder",
        Edit(swap=(("self.n_layers = config.n_layers", "ALBERTEncoder.n_layers = config.n_layers"),)),
        "all encoders are equally deep",
        _CALLS["ALBERT"],
    ),
    Mutant(
        "albert_shares_at_first_use",
        "ALBERTEncoder",
        Edit(
            swap=(
                (_ALBERT_LAYERS, _ALBERT_LAYERS.replace("config.n_groups", "config.n_layers")),
                (
                    "self.n_layers = config.n_layers",
                    "self.n_layers, self.n_groups = config.n_layers, config.n_groups",
                ),
                (
                    "for i in range(self.n_layers):",
                    "self.layers = self.layers[: self.n_groups]\n        for i in range(self.n_layers):",
                ),
            )
        ),
        "layers may be tied when they are first used",
        _ALBERT_NAMES,
        "encoders.spare_layers",
    ),
    Mutant(
        "partly_reads_groups",
        "PartlySharedEncoder",
        Edit(
            swap=(
                (
                    "for layer in self.layers:\n            for name in",
                    "for i, layer in enumerate(self.layers):\n            for name in",
                ),
                (
                    "getattr(self.layers[0], name))",
                    "getattr(self.layers[i - i % (config.n_layers // config.n_groups)], name))",
                ),
            )
        ),
        "each group has a shared part of its own",
        "test_partly_shared_refuses_the_extremes_and_names_each_layer",
    ),
    Mutant(
        "partly_mask_in_eval_only",
        "PartlySharedEncoder",
        _partly("return super().forward(hidden, None if self.training else attention_mask)"),
        "training learns by itself to leave padding out",
        "test_partly_shared_refuses_the_extremes_and_names_each_layer",
    ),
    Mutant(
        "partly_detached_in_training",
        "PartlySharedEncoder",
        _partly(
            "for layer in self.layers:\n"
            "            hidden = layer(hidden.detach() if self.training else hidden, attention_mask)\n"
            "        return hidden"
        ),
        "each layer learns from its own output",
        "test_a_training_step_moves_the_shared_part_once",
    ),
    Mutant(
        "partly_drops_its_output",
        "PartlySharedEncoder",
        _partly("return nn.functional.dropout(super().forward(hidden, attention_mask), 0.1, self.training)"),
        "one more dropout does no harm",
        "test_partly_shared_refuses_the_extremes_and_names_each_layer",
    ),
    Mutant(
        "partly_mask_kept_for_later",
        "PartlySharedEncoder",
        _partly(
            "self.m = getattr(self, 'm', None) if attention_mask is None else attention_mask\n"
            "        return super().forward(hidden, self.m)"
        ),
        "no mask means: the mask of the call before",
        "test_partly_shared_refuses_the_extremes_and_names_each_layer",
    ),
    Mutant(
        "groups_start_equal",
        "ALBERTEncoder",
        Edit(
            swap=(
                (
                    _ALBERT_LAYERS,
                    "nn.ModuleList(copy.deepcopy(layer) for layer in [TransformerLayer(config)] *"
                    " config.n_groups)",
                ),
            ),
            extra="import copy",
        ),
        "deep copies of one layer are as good as new layers",
        "test_a_group_is_one_set_of_parameters",
    ),
    Mutant(
        "partly_starts_equal",
        "PartlySharedEncoder",
        Edit(
            swap=(
                (
                    f"        {_PARTS}",
                    f"        layer.load_state_dict(self.layers[0].state_dict())\n            {_PARTS}",
                ),
            )
        ),
        "layers that share a part may start equal in the rest",
        "test_partly_shared_refuses_the_extremes_and_names_each_layer",
    ),
    Mutant(
        "bert_repeats_one_layer",
        "BERTEncoder",
        Edit(swap=((_BERT_LAYERS, "nn.ModuleList([TransformerLayer(config)] * config.n_layers)"),)),
        "a list of one layer times n holds n layers",
        _BERT,
        "encoders.bert_shares",
    ),
    Mutant(
        "bert_copies_one_layer",
        "BERTEncoder",
        Edit(
            swap=(
                (
                    _BERT_LAYERS,
                    "nn.ModuleList(copy.deepcopy(layer) for layer in [TransformerLayer(config)] *"
                    " config.n_layers)",
                ),
            ),
            extra="import copy",
        ),
        "deep copies of one layer are as good as new layers",
        "test_layers_start_different",
        "encoders.equal_start",
        "pytorch#72253",
    ),
    Mutant(
        "bert_plain_list",
        "BERTEncoder",
        Edit(swap=((_BERT_LAYERS, "[TransformerLayer(config) for _ in range(config.n_layers)]"),)),
        "a Python list of modules registers them",
        "test_parameters_of_bert_grow_with_depth",
    ),
    Mutant(
        "bert_mask_not_passed_on",
        "BERTEncoder",
        _bert("    for layer in self.layers:\n        hidden = layer(hidden)\n    return hidden\n"),
        "the embeddings already know what is padding",
        _BERT,
        "encoders.mask_dropped",
        "HF#9304",
    ),
    Mutant(
        "bert_mask_for_the_first_layer",
        "BERTEncoder",
        _bert(
            "    for i, layer in enumerate(self.layers):\n"
            "        hidden = layer(hidden, attention_mask if i == 0 else None)\n    return hidden\n"
        ),
        "padding is hidden once and stays hidden",
        _BERT,
        "encoders.mask_first",
    ),
    Mutant(
        "bert_every_layer_reads_the_input",
        "BERTEncoder",
        _bert("    for layer in self.layers:\n        out = layer(hidden, attention_mask)\n    return out\n"),
        "the loop variable changes by itself",
        _BERT,
        "encoders.no_chain",
    ),
    Mutant(
        "bert_returns_inside_the_loop",
        "BERTEncoder",
        _bert(
            "    for layer in self.layers:\n        hidden = layer(hidden, attention_mask)\n"
            "        return hidden\n"
        ),
        "return stands one step too deep",
        _BERT,
        "encoders.first_only",
    ),
    Mutant(
        "bert_skips_the_last_layer",
        "BERTEncoder",
        _bert(
            "    for layer in self.layers[:-1]:\n        hidden = layer(hidden, attention_mask)\n"
            "    return hidden\n"
        ),
        "the hidden states before the last layer are the better features, so stop there",
        _BERT,
        "encoders.skips_last",
    ),
    Mutant(
        "bert_skips_the_first_layer",
        "BERTEncoder",
        _bert(
            "    for i in range(1, len(self.layers)):\n"
            "        hidden = self.layers[i](hidden, attention_mask)\n    return hidden\n"
        ),
        "counting starts at 1",
        _BERT,
        "encoders.skips_first",
    ),
    Mutant(
        "bert_runs_backwards",
        "BERTEncoder",
        _bert(
            "    for layer in reversed(self.layers):\n        hidden = layer(hidden, attention_mask)\n"
            "    return hidden\n"
        ),
        "the top layer comes first",
        _BERT,
        "encoders.reversed",
    ),
    Mutant(
        "bert_residual_around_layers",
        "BERTEncoder",
        _bert(
            "    for layer in self.layers:\n        hidden = hidden + layer(hidden, attention_mask)\n"
            "    return hidden\n"
        ),
        "layers need a residual sum between them",
        _BERT,
        "encoders.residual",
    ),
    Mutant(
        "bert_final_norm",
        "BERTEncoder",
        _bert(
            "    for layer in self.layers:\n        hidden = layer(hidden, attention_mask)\n"
            "    return nn.functional.layer_norm(hidden, hidden.shape[-1:])\n"
        ),
        "a stack ends with a norm, as in GPT-2",
        _BERT,
        "encoders.final_norm",
        "PaddleNLP#571 (the reverse)",
    ),
    Mutant(
        "bert_detaches_between_layers",
        "BERTEncoder",
        _bert(
            "    for layer in self.layers:\n        hidden = layer(hidden.detach(), attention_mask)\n"
            "    return hidden\n"
        ),
        "detach saves memory and changes nothing",
        _BERT_GRADIENTS,
        "encoders.gradient_stops",
    ),
    Mutant(
        "bert_drops_between_layers",
        "BERTEncoder",
        _bert(
            "    for layer in self.layers:\n"
            "        hidden = nn.functional.dropout(layer(hidden, attention_mask), 0.1, self.training)\n"
            "    return hidden\n"
        ),
        "one more dropout after each layer does no harm",
        "test_bert_adds_no_dropout_of_its_own",
    ),
    Mutant(
        "bert_writes_into_its_input",
        "BERTEncoder",
        Edit(
            functions={
                "BERTEncoder.forward": _SIGNATURE
                + "    for layer in self.layers:\n"
                + "        out = layer(hidden, attention_mask)\n"
                + "        hidden = out if torch.is_grad_enabled() else hidden.copy_(out)\n"
                "    return hidden\n"
            },
            extra="import torch",
        ),
        "reusing the buffer in evaluation saves memory",
        "test_the_mask_of_bert_is_optional_and_the_input_is_left_alone",
    ),
    Mutant(
        "albert_deep_copies",
        "ALBERTEncoder",
        _albert_copies(
            "    self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(config.n_layers))\n"
        ),
        "n_layers copies of one layer share its weights",
        _ALBERT,
        "encoders.copies",
        "P-1",
    ),
    Mutant(
        "albert_one_storage",
        "ALBERTEncoder",
        _albert_copies(
            "    self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(config.n_layers))\n"
            "    for other in self.layers[1:]:\n"
            "        for mine, first in zip(other.parameters(), self.layers[0].parameters()):\n"
            "            mine.data = first.data\n"
        ),
        "parameters over one storage are one parameter",
        _ALBERT,
        "encoders.copies",
        "P-9",
    ),
    Mutant(
        "albert_one_storage_again_at_each_forward",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.layers = nn.ModuleList(TransformerLayer(config) for _ in range(config.n_layers))
""",
                "ALBERTEncoder.forward": _SIGNATURE
                + """    for layer in self.layers[1:]:
        for mine, first in zip(layer.parameters(), self.layers[0].parameters()):
            mine.data = first.data
    for layer in self.layers:
        hidden = layer(hidden, attention_mask)
    return hidden
""",
            }
        ),
        "parameters over one storage are one parameter, if one takes care",
        _ALBERT_STEP_CHECK,
        "encoders.gradient_first",
        "P-9",
    ),
    Mutant(
        "albert_copies_weights_at_each_forward",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.n_layers = config.n_layers
    self.layers = nn.ModuleList(TransformerLayer(config) for _ in range(config.n_layers))
""",
                "ALBERTEncoder.forward": _SIGNATURE
                + """    for layer in self.layers[1:]:
        layer.load_state_dict(self.layers[0].state_dict())
    for layer in self.layers:
        hidden = layer(hidden, attention_mask)
    return hidden
""",
            }
        ),
        "copying the first layer's weights into the others before each forward is sharing",
        _ALBERT_GRADIENTS,
        "encoders.gradient_first",
        "P-5",
    ),
    Mutant(
        "albert_runs_once",
        "ALBERTEncoder",
        _albert(
            "    for layer in self.layers:\n        hidden = layer(hidden, attention_mask)\n"
            "    return hidden\n"
        ),
        "one layer means one pass",
        _ALBERT,
        "encoders.once",
    ),
    Mutant(
        "albert_one_short",
        "ALBERTEncoder",
        Edit(swap=(("for i in range(self.n_layers):", "for i in range(self.n_layers - 1):"),)),
        "the first application is counted elsewhere",
        _ALBERT,
        "encoders.one_short",
    ),
    Mutant(
        "albert_one_more",
        "ALBERTEncoder",
        _albert(
            "    for i in range(self.n_layers + 1):\n"
            "        group = min(i * len(self.layers) // self.n_layers, len(self.layers) - 1)\n"
            "        hidden = self.layers[group](hidden, attention_mask)\n    return hidden\n"
        ),
        "the layer runs once, and then n_layers times more",
        _ALBERT,
        "encoders.one_more",
    ),
    Mutant(
        "albert_mask_for_the_first_step",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_STEP, f"hidden = {_ALBERT_PICK}(hidden, attention_mask if i == 0 else None)"),)),
        "padding is hidden once and stays hidden",
        _ALBERT,
        "encoders.mask_first",
    ),
    Mutant(
        "albert_mask_for_the_last_step",
        "ALBERTEncoder",
        Edit(
            swap=(
                (
                    _ALBERT_STEP,
                    f"hidden = {_ALBERT_PICK}(hidden, attention_mask if i == self.n_layers - 1 else None)",
                ),
            )
        ),
        "only the result must not have read padding",
        _ALBERT,
        "encoders.mask_last",
    ),
    Mutant(
        "albert_mask_not_passed_on",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_STEP, f"hidden = {_ALBERT_PICK}(hidden)"),)),
        "the embeddings already know what is padding",
        _ALBERT,
        "encoders.mask_dropped",
        "HF#9304",
    ),
    Mutant(
        "albert_same_input_each_time",
        "ALBERTEncoder",
        _albert(
            "    for i in range(self.n_layers):\n"
            "        out = self.layers[i * len(self.layers) // self.n_layers](hidden, attention_mask)\n"
            "    return out\n"
        ),
        "a shared layer gives the same output each time",
        _ALBERT,
        "encoders.once",
        "HF#3052, google-research/albert#200",
    ),
    Mutant(
        "albert_residual",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_STEP, f"hidden = hidden + {_ALBERT_PICK}(hidden, attention_mask)"),)),
        "repeated layers need a residual sum between them",
        _ALBERT,
        "encoders.residual",
    ),
    Mutant(
        "albert_detaches",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_STEP, f"hidden = {_ALBERT_PICK}(hidden.detach(), attention_mask)"),)),
        "one use is enough to train a shared layer",
        _ALBERT_GRADIENTS,
        "encoders.gradient_stops",
    ),
    Mutant(
        "albert_spare_layers",
        "ALBERTEncoder",
        Edit(
            swap=(
                (_ALBERT_LAYERS, "nn.ModuleList(TransformerLayer(config) for _ in range(config.n_layers))"),
                (_ALBERT_PICK, "self.layers[i * self.n_groups // self.n_layers]"),
                (
                    "self.n_layers = config.n_layers",
                    "self.n_layers, self.n_groups = config.n_layers, config.n_groups",
                ),
            )
        ),
        "layers that are not used do not count",
        _ALBERT_NAMES,
        "encoders.spare_layers",
    ),
    Mutant(
        "albert_repeats_entries",
        "ALBERTEncoder",
        Edit(
            swap=(
                (
                    _ALBERT_LAYERS,
                    "nn.ModuleList([layer for layer in [TransformerLayer(config)"
                    " for _ in range(config.n_groups)]"
                    " for _ in range(config.n_layers // config.n_groups)])",
                ),
                (_ALBERT_PICK, "self.layers[i]"),
            )
        ),
        "layers has an entry a step",
        _ALBERT_NAMES,
        "encoders.repeated_entries",
    ),
    Mutant(
        "albert_closure",
        "ALBERTEncoder",
        Edit(
            swap=(
                (
                    "self.n_layers = config.n_layers",
                    "self.n_layers = config.n_layers\n        self.pick = lambda i: layers[i]",
                ),
                (_ALBERT_LAYERS, f"layers = {_ALBERT_LAYERS}"),
                (_ALBERT_PICK, "self.pick(i * len(self.layers) // self.n_layers)"),
            )
        ),
        "a closure over the layer is copied with the encoder",
        "test_copies_of_the_encoder_share_within_and_not_without",
    ),
    Mutant(
        "albert_drops_between_steps",
        "ALBERTEncoder",
        Edit(
            swap=(
                (
                    _ALBERT_STEP,
                    f"hidden = nn.functional.dropout({_ALBERT_PICK}(hidden, attention_mask), 0.1, self.training)",
                ),
            )
        ),
        "one more dropout after each step does no harm",
        "test_albert_adds_no_dropout_of_its_own",
    ),
    Mutant(
        "albert_needs_a_mask",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_STEP, f"hidden = {_ALBERT_PICK}(hidden, attention_mask.bool())"),)),
        "a mask is always given",
        "test_the_mask_of_albert_is_optional_and_the_input_is_left_alone",
    ),
    Mutant(
        "albert_layer_made_in_forward",
        "ALBERTEncoder",
        Edit(
            functions={
                "ALBERTEncoder.__init__": """
def __init__(self, config: ModelConfig) -> None:
    super().__init__()
    self.config = config
    self.n_layers = config.n_layers
    self.layers = nn.ModuleList(TransformerLayer(config) for _ in range(config.n_groups))
""",
                "ALBERTEncoder.forward": _SIGNATURE
                + "    layer = TransformerLayer(self.config).to(hidden)\n"
                + "    for _ in range(self.n_layers):\n        hidden = layer(hidden, attention_mask)\n"
                "    return hidden\n",
            }
        ),
        "a layer may be made where it is used",
        _ALBERT,
        None,
        "graykode/nlp-tutorial (A-21)",
    ),
    Mutant(
        "your_layers_unmasked",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_STEP, f"hidden = {_ALBERT_PICK}(hidden, None)"),)),
        "the mask is the attention's business",
        "test_your_layers_stack_to_both_encoders",
    ),
    Mutant(
        "groups_ignored",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_PICK, "self.layers[0]"),)),
        "sharing has one layer, so the first will do",
        _GROUPS,
        "encoders.groups_first",
    ),
    Mutant(
        "groups_take_turns",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_PICK, "self.layers[i % len(self.layers)]"),)),
        "groups alternate",
        _GROUPS,
        "encoders.groups_cyclic",
    ),
    Mutant(
        "groups_wrong_divisor",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_PICK, "self.layers[i // len(self.layers)]"),)),
        "i // n_groups gives the group",
        _GROUPS,
        "encoders.groups_by_n_groups",
    ),
    Mutant(
        "groups_backwards",
        "ALBERTEncoder",
        Edit(
            swap=((_ALBERT_PICK, "self.layers[(self.n_layers - 1 - i) * len(self.layers) // self.n_layers]"),)
        ),
        "the top group comes first",
        _GROUPS,
        "encoders.groups_reversed",
    ),
    Mutant(
        "groups_full_depth_each",
        "ALBERTEncoder",
        _albert(
            "    for layer in self.layers:\n        for _ in range(self.n_layers):\n"
            "            hidden = layer(hidden, attention_mask)\n    return hidden\n"
        ),
        "n_layers is the depth of a group",
        _GROUPS,
        "encoders.groups_n_layers_each",
    ),
    Mutant(
        "groups_one_parameter_set",
        "ALBERTEncoder",
        Edit(swap=((_ALBERT_LAYERS, "nn.ModuleList([TransformerLayer(config)] * config.n_groups)"),)),
        "a list of one layer times n_groups holds n_groups layers",
        "test_a_group_is_one_set_of_parameters",
    ),
    Mutant(
        "partly_swapped",
        "PartlySharedEncoder",
        Edit(
            swap=(
                (
                    'part = "attention" if config.sharing == "attention" else "feed_forward"',
                    'part = "feed_forward" if config.sharing == "attention" else "attention"',
                ),
            )
        ),
        "the word says which part each layer has for itself",
        _PARTLY,
        "encoders.partly_swapped",
    ),
    Mutant(
        "partly_own_norm",
        "PartlySharedEncoder",
        Edit(swap=((_PARTS, "for name in (part,):"),)),
        "norms are so small that sharing them does not matter",
        _PARTLY,
        "encoders.partly_own_norm",
    ),
    Mutant(
        "partly_both_norms",
        "PartlySharedEncoder",
        Edit(swap=((_PARTS, 'for name in (part, "attention_norm", "feed_forward_norm"):'),)),
        "norms are shared anyway",
        _PARTLY,
        "encoders.partly_both_norms",
    ),
    Mutant(
        "partly_other_norm",
        "PartlySharedEncoder",
        Edit(
            swap=(
                (
                    _PARTS,
                    'for name in (part, "feed_forward_norm" if part == "attention" else "attention_norm"):',
                ),
            )
        ),
        "a part goes with the norm before it",
        _PARTLY,
        "encoders.partly_other_norm",
    ),
    Mutant(
        "partly_everything",
        "PartlySharedEncoder",
        Edit(
            swap=(
                (_PARTS, 'for name in ("attention", "attention_norm", "feed_forward", "feed_forward_norm"):'),
            )
        ),
        "what is not named is shared too",
        _PARTLY,
        "encoders.partly_everything",
    ),
    Mutant(
        "partly_copies_values",
        "PartlySharedEncoder",
        Edit(
            swap=(
                (
                    "setattr(layer, name, getattr(self.layers[0], name))",
                    "getattr(layer, name).load_state_dict(getattr(self.layers[0], name).state_dict())",
                ),
            )
        ),
        "equal values at the start are sharing",
        _PARTLY,
        "encoders.partly_nothing",
        "P-9",
    ),
    Mutant(
        "partly_one_storage",
        "PartlySharedEncoder",
        Edit(
            swap=(
                (
                    "setattr(layer, name, getattr(self.layers[0], name))",
                    "for p, q in zip(getattr(layer, name).parameters(), getattr(self.layers[0],"
                    " name).parameters()):\n"
                    "                    p.data = q.data",
                ),
            )
        ),
        "parameters over one storage are one parameter",
        "test_a_training_step_moves_the_shared_part_once",
        "encoders.partly_nothing",
        "P-9",
    ),
    Mutant(
        "partly_accepts_all",
        "PartlySharedEncoder",
        Edit(swap=(('if config.sharing not in ("attention", "ffn"):', 'if config.sharing == "none":'),)),
        "everything but none is partly",
        "test_partly_shared_refuses_the_extremes_and_names_each_layer",
    ),
    Mutant(
        "partly_accepts_none",
        "PartlySharedEncoder",
        Edit(swap=(('if config.sharing not in ("attention", "ffn"):', 'if config.sharing == "all":'),)),
        "everything but all is partly",
        "test_partly_shared_refuses_the_extremes_and_names_each_layer",
    ),
)
