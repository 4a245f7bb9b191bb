"""Mutants of lesson 6."""

from checks.gate.edits import Edit, Mutant
from checks.mutants import wrong_masks

_EXACT = "return x / 2 * (1 + torch.erf(x / math.sqrt(2)))"
_TANH = "return x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))"
_FORM = '"tanh" if config.activation == "gelu_tanh" else "none"'
_ACTIVATED = "activated = nn.functional.gelu(self.expand(hidden), approximate=self.approximate)"
_CONTRACTED = "return self.dropout(self.contract(activated))"
_FIRST = "hidden = self.attention_norm(hidden + self.attention(hidden, attention_mask))"
_SECOND = "return self.feed_forward_norm(hidden + self.feed_forward(hidden))"
_FIRST_NORM = "self.attention_norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)"
_SECOND_NORM = "self.feed_forward_norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)"

_FORWARD = 'self, hidden: Float[Tensor, "B T D"], attention_mask: Bool[Tensor, "B T"] | None = None'

_SHARE = "test_gelu_is_x_times_the_normal_share_below_x"
_SLOPES = "test_gelu_has_the_slopes_of_its_formula"
_OWN = "test_gelu_is_written_without_torchs_own_and_refuses_other_forms"
_BLOCK = "test_the_block_expands_activates_and_contracts"
_DROPS = "test_the_block_drops_its_output_once"
_BLOCK_SLOPES = "test_gradients_reach_both_maps_of_the_block"
_LAYER = "test_the_layer_adds_and_normalises_after_each_part"
_SILENT = "test_a_layer_of_silent_parts_is_two_norms"
_ONCE = "test_the_parts_dropout_is_not_repeated"
_PADDING = "test_what_the_layer_gets_stays_and_padding_changes_nothing"
_LAYER_SLOPES = "test_gradients_reach_every_part_of_the_layer"

# The norm of the Annotated Transformer, and its two halves.
_NORM = """
class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(size)), nn.Parameter(torch.zeros(size)), eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / {deviation} * self.weight + self.bias


"""
_UNBIASED = "(x.var(-1, keepdim=True) + self.eps).sqrt()"
_OUTSIDE = "(x.std(-1, correction=0, keepdim=True) + self.eps)"
_ANNOTATED = "(x.std(-1, keepdim=True) + self.eps)"


def _gelu(
    id: str, swap: tuple[tuple[str, str], ...], belief: str, mistake: str | None, check: str = _SHARE
) -> Mutant:
    known = f"transformer.{mistake}" if mistake else None
    return Mutant(f"gelu_{id}", "gelu", Edit(swap=swap), belief, check, known)


def _both(exact: str, tanh: str | None = None) -> tuple[tuple[str, str], ...]:
    return ((_EXACT, exact), (_TANH, tanh or exact))


def _block(
    id: str,
    swap: tuple[tuple[str, str], ...],
    belief: str,
    mistake: str | None,
    check: str = _BLOCK,
    source: str = "",
) -> Mutant:
    known = f"transformer.{mistake}" if mistake else None
    return Mutant(f"block_{id}", "FeedForward", Edit(swap=swap), belief, check, known, source)


def _layer(
    id: str, edit: Edit, belief: str, mistake: str | None = None, check: str = _LAYER, source: str = ""
) -> Mutant:
    known = f"transformer.{mistake}" if mistake else None
    return Mutant(f"layer_{id}", "TransformerLayer", edit, belief, check, known, source)


def _flow(first: str | None = None, second: str | None = None) -> Edit:
    """Other lines in `forward`."""
    pairs = ((_FIRST, first), (_SECOND, second))
    return Edit(swap=tuple((old, new) for old, new in pairs if new is not None))


def _before(id: str, lines: str, belief: str, check: str = _PADDING) -> Mutant:
    """Lines at the start of `forward`."""
    indented = lines.replace("\n", "\n        ")
    return _layer(id, _flow(f"{indented}\n        {_FIRST}"), belief, None, check)


def _norm(deviation: str) -> Edit:
    """Another class for both norms."""
    made = "Norm(config.d_model, eps=config.layer_norm_eps)"
    swap = (
        (_FIRST_NORM, f"self.attention_norm = {made}"),
        (_SECOND_NORM, f"self.feed_forward_norm = {made}"),
    )
    return Edit(swap=swap, extra=_NORM.format(deviation=deviation))


GELU = (
    _gelu("always_exact", ((_TANH, _EXACT),), "the two forms are the same curve", "gelu_always_exact"),
    _gelu("always_tanh", ((_EXACT, _TANH),), "the two forms are the same curve", "gelu_always_tanh"),
    _gelu(
        "exchanged",
        _both(_TANH.replace("x / 2 *", "0.5 * x *"), _EXACT),
        '"none" is the cheap one',
        "gelu_exchanged",
    ),
    _gelu("relu", _both("return torch.relu(x)"), "GELU is a smooth ReLU, so ReLU will do", "gelu_relu"),
    _gelu("sigmoid", _both("return x * torch.sigmoid(1.702 * x)"), "the paper's other form", "gelu_sigmoid"),
    _gelu("silu", _both("return x * torch.sigmoid(x)"), "GELU and SiLU are the same", "gelu_silu"),
    _gelu("identity", _both("return x"), "the activation can wait", "no_activation"),
    _gelu(
        "no_root",
        ((_EXACT, _EXACT.replace("x / math.sqrt(2)", "x")),),
        "erf is the normal share",
        "gelu_no_root",
    ),
    _gelu("no_half", ((_EXACT, _EXACT.replace("x / 2 *", "x *")),), "erf runs from 0 to 1", "gelu_no_half"),
    _gelu("no_x", ((_EXACT, _EXACT.replace("x / 2 *", "0.5 *")),), "the share itself is meant", "gelu_no_x"),
    _gelu("square", ((_TANH, _TANH.replace("x**3", "x**2")),), "a power is a power", "gelu_square"),
    _gelu(
        "tanh_root",
        ((_TANH, _TANH.replace("math.sqrt(2 / math.pi)", "2 / math.pi")),),
        "2/pi",
        "gelu_tanh_root",
    ),
    _gelu("digits", ((_TANH, _TANH.replace("0.044715", "0.44715")),), "a zero was lost", "gelu_digits"),
    _gelu("rounded", ((_TANH, _TANH.replace("0.044715", "0.0447")),), "four digits are enough", None),
    _gelu(
        "constant_rounded", ((_TANH, _TANH.replace("math.sqrt(2 / math.pi)", "0.7979")),), "four digits", None
    ),
    _gelu(
        "default_tanh",
        (('= "none"\n) -> Float', '= "tanh"\n) -> Float'),),
        "tanh is the default",
        "gelu_always_tanh",
    ),
    _gelu(
        "of_size",
        ((_EXACT, _EXACT.replace("x / math.sqrt(2)", "x.abs() / math.sqrt(2)")),),
        "erf is even",
        None,
    ),
    _gelu(
        "torchs_own",
        _both("return nn.functional.gelu(x, approximate=approximate)"),
        "it is there",
        None,
        _OWN,
    ),
    *(
        _gelu(id, ((f'if approximate == "{form}":', f"if {condition}:"),), belief, None, _OWN)
        for id, form, condition, belief in (
            ("none_is_exact", "none", 'approximate in ("none", None)', 'None means "none"'),
            ("any_case", "tanh", 'str(approximate).lower() == "tanh"', "capitals do not matter"),
            ("prefix", "tanh", 'str(approximate).startswith("tanh")', "the beginning of the word tells it"),
        )
    ),
    _gelu(
        "clamped",
        ((_EXACT, f"x = x.clamp(-40, 40)\n        {_EXACT}"),),
        "activations are never larger than 40",
        None,
    ),
    _gelu(
        "tanh_clamped",
        ((_TANH, f"x = x.clamp(-40, 40)\n        {_TANH}"),),
        "activations are never larger than 40",
        None,
    ),
    *(
        _gelu(
            f"sigmoid_in_{dtype}",
            (
                (
                    _EXACT,
                    f"if x.dtype == torch.{dtype}:\n            return x * torch.sigmoid(1.702 * x)\n"
                    f"        {_EXACT}",
                ),
            ),
            "a fast form is good enough for few digits",
            None,
            _OWN,
        )
        for dtype in ("float32", "bfloat16")
    ),
    Mutant(
        "gelu_renamed",
        "gelu",
        Edit(
            swap=(
                ('x: Float[Tensor, "*shape"], approximate', 'input: Float[Tensor, "*shape"], approximate'),
                ('if approximate == "none":', 'x = input\n    if approximate == "none":'),
            )
        ),
        "arguments may have any name",
        _OWN,
    ),
    _gelu("any_form", (('if approximate == "tanh":', "if True:"),), "what is not exact is tanh", None, _OWN),
    _gelu(
        "key_error",
        (("raise ValueError(f'approximate", "raise KeyError(f'approximate"),),
        "any error",
        None,
        _OWN,
    ),
    _gelu(
        "in_place",
        ((_EXACT, "return x.mul_(torch.erf(x / math.sqrt(2)).add_(1).div_(2))"),),
        "x is mine",
        None,
        _SLOPES,
    ),
    _gelu(
        "detached",
        ((_EXACT, _EXACT.replace("torch.erf(x ", "torch.erf(x.detach() ")),),
        "a gate",
        None,
        _SLOPES,
    ),
    _gelu(
        "single_out_of_half",
        ((_EXACT, f"x = x.float() if x.dtype.itemsize == 2 else x\n        {_EXACT}"),),
        "half precision is widened here and stays so",
        None,
        _OWN,
    ),
    _gelu(
        "squeezed",
        ((_EXACT, f"return ({_EXACT.removeprefix('return ')}).squeeze()"),),
        "axes of size 1 carry nothing",
        None,
        _SLOPES,
    ),
    _gelu(
        "at_least_one_axis",
        ((_TANH, f"x = torch.atleast_1d(x)\n        {_TANH}"),),
        "a tensor has an axis",
        None,
        _SLOPES,
    ),
    _gelu(
        "row_by_row",
        ((_EXACT, "return torch.stack([row / 2 * (1 + torch.erf(row / math.sqrt(2))) for row in x])"),),
        "there is a first row",
        None,
        _SLOPES,
    ),
    _gelu(
        "tanh_by_powers",
        (
            (
                _TANH,
                "power = torch.exp(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))\n"
                "        share = torch.where(torch.isinf(power), torch.ones_like(x), (power - 1) / (power + 1))\n"
                "        return x / 2 * (1 + share)",
            ),
        ),
        "where() keeps the gradient of what it leaves out away",
        None,
        _SLOPES,
    ),
    _gelu("tanh_detached", ((_TANH, _TANH.replace("(x + 0", "(x.detach() + 0")),), "a gate", None, _SLOPES),
)
BLOCK = (
    _block("always_exact", ((_FORM, '"none"'),), "activation is a switch of the model", "gelu_always_exact"),
    _block(
        "always_tanh",
        ((_FORM, '"tanh"'),),
        "everybody uses tanh",
        "gelu_always_tanh",
        source="keras-bert#129",
    ),
    _block("exchanged", ((_FORM, _FORM.replace("==", "!=")),), "the condition reads well", "gelu_exchanged"),
    _block("relu", ((_ACTIVATED, "activated = torch.relu(self.expand(hidden))"),), "as in 2017", "gelu_relu"),
    _block(
        "silu",
        ((_ACTIVATED, "activated = nn.functional.silu(self.expand(hidden))"),),
        "as today",
        "gelu_silu",
    ),
    _block("no_activation", ((_ACTIVATED, "activated = self.expand(hidden)"),), "two maps", "no_activation"),
    _block(
        "sigmoid",
        (
            (
                _ACTIVATED,
                "activated = self.expand(hidden)\n        activated = activated * (1.702 * activated).sigmoid()",
            ),
        ),
        "a fast GELU is a GELU",
        "gelu_sigmoid",
    ),
    _block(
        "activated_twice",
        ((_CONTRACTED, "return self.dropout(gelu(self.contract(activated), self.approximate))"),),
        "every linear map is followed by an activation",
        "block_activated_twice",
    ),
    _block(
        "residual", ((_CONTRACTED, f"{_CONTRACTED} + hidden"),), "the block adds its input", "block_residual"
    ),
    _block(
        "no_dropout",
        ((_CONTRACTED, "return self.contract(activated)"),),
        "made is used",
        "block_no_dropout",
        _DROPS,
    ),
    _block(
        "dropout_in_the_middle",
        ((_CONTRACTED, "return self.contract(self.dropout(activated))"),),
        "dropout belongs after the activation",
        "block_dropout_in_the_middle",
        _DROPS,
        "HF's ALBERT",
    ),
    _block(
        "dropout_twice",
        ((_CONTRACTED, "return self.dropout(self.contract(self.dropout(activated)))"),),
        "dropout follows every map",
        "block_dropout_twice",
        _DROPS,
    ),
    _block(
        "dropout_in_eval",
        ((_CONTRACTED, "return nn.functional.dropout(self.contract(activated), self.dropout.p)"),),
        "the function knows the mode",
        None,
        _DROPS,
    ),
    _block("dropout_fixed", (("nn.Dropout(config.dropout)", "nn.Dropout(0.1)"),), "it is 0.1", None, _DROPS),
    _block(
        "dropout_by_token",
        (
            (
                _CONTRACTED,
                "out = self.contract(activated)\n        return out * self.dropout(torch.ones_like(out[..., :1]))",
            ),
        ),
        "whole tokens are dropped",
        None,
        _DROPS,
    ),
    _block(
        "detached",
        ((_ACTIVATED, _ACTIVATED.replace("hidden)", "hidden.detach())")),),
        "gradients stop at the end of a part",
        None,
        _BLOCK_SLOPES,
    ),
    _block(
        "spare_map",
        (("self.contract = ", "self.spare = nn.Linear(config.d_ff, config.d_ff)\n        self.contract = "),),
        "an unused layer costs nothing",
        None,
        _BLOCK_SLOPES,
    ),
    _block(
        "mixes_tokens",
        ((_CONTRACTED, "out = self.contract(activated)\n        return self.dropout(out.cummax(0).values)"),),
        "tokens may be mixed here too",
        None,
    ),
    _block(
        "exact_in_training",
        (
            (
                _ACTIVATED,
                "form = 'none' if self.training else self.approximate\n"
                "        activated = nn.functional.gelu(self.expand(hidden), approximate=form)",
            ),
        ),
        "the approximation is there to make inference fast",
        None,
        _BLOCK_SLOPES,
    ),
    _block(
        "spare_buffer",
        (
            (
                "self.approximate = ",
                "self.register_buffer('scale', torch.tensor(0.5))\n        self.approximate = ",
            ),
        ),
        "a buffer is not a weight, so it stays out of the state",
        None,
        _BLOCK_SLOPES,
    ),
    _block(
        "renamed",
        (
            (
                'forward(self, hidden: Float[Tensor, "*batch D"])',
                'forward(self, x: Float[Tensor, "*batch D"])',
            ),
            (_ACTIVATED, _ACTIVATED.replace("(hidden)", "(x)")),
        ),
        "arguments may have any name",
        None,
        _DROPS,
    ),
)
BLOCK_USE = (
    _block(
        "form_of_the_class",
        ((f"self.approximate = {_FORM}", f"FeedForward.approximate = {_FORM}"),),
        "all blocks have one activation",
        "gelu_always_tanh",
    ),
    _block(
        "seeded",
        ((_CONTRACTED, f"torch.manual_seed(0)\n        {_CONTRACTED}"),),
        "a run should be the same each time",
        None,
        _DROPS,
    ),
    _block(
        "closure",
        (
            ("self.approximate = ", "self.widen = lambda x: self.expand(x)\n        self.approximate = "),
            (_ACTIVATED, _ACTIVATED.replace("self.expand", "self.widen")),
        ),
        "a closure over a part is copied with the block",
        None,
        _DROPS,
    ),
    _block(
        "weights_kept",
        (
            (
                _CONTRACTED,
                "if self.training or getattr(self, '_kept', None) is None:\n"
                "            self._kept = self.contract.bias.detach() * 1\n"
                "        bias = self.contract.bias if self.training else self._kept\n"
                "        out = nn.functional.linear(activated, self.contract.weight, bias)\n"
                "        return self.dropout(out)",
            ),
        ),
        "weights do not change in eval mode",
        None,
        _DROPS,
    ),
    _block(
        "three_axes_at_most",
        (
            (
                _ACTIVATED,
                f"assert hidden.dim() <= 3\n        {_ACTIVATED}",
            ),
        ),
        "hidden states have three axes",
        None,
        _DROPS,
    ),
    _block(
        "seeds_its_start",
        (("self.dropout = ", "torch.manual_seed(0)\n        self.dropout = "),),
        "a start should be the same each time",
        None,
        _BLOCK_SLOPES,
    ),
)
LAYER = (
    *(_before(*wrong) for wrong in wrong_masks.WRONG_MASKS),
    _before(
        "opens_empty_rows_in_place",
        "if attention_mask is not None:\n    attention_mask[~attention_mask.any(1)] = True",
        "a row of padding only must see something, and the mask is mine",
    ),
    _before(
        "refuses_a_batch_of_padding",
        "if attention_mask is not None and not attention_mask.any():\n    raise ValueError('nothing to read')",
        "somebody is always there",
    ),
    _layer("computes_in_double", _flow(second=f"{_SECOND}.double()"), "norms want precision", None, _PADDING),
    _layer(
        "epsilon_of_the_class",
        Edit(
            swap=(
                (_SECOND_NORM, f"{_SECOND_NORM}\n        TransformerLayer.eps = config.layer_norm_eps"),
                (_SECOND, f"self.feed_forward_norm.eps = TransformerLayer.eps\n        {_SECOND}"),
            )
        ),
        "all layers have one epsilon",
        None,
        _SILENT,
    ),
    _layer(
        "closure",
        Edit(
            swap=(
                (_SECOND_NORM, f"{_SECOND_NORM}\n        self.widen = lambda x: self.feed_forward(x)"),
                (_SECOND, _SECOND.replace("self.feed_forward(", "self.widen(")),
            )
        ),
        "a closure over a part is copied with the layer",
        None,
        _LAYER_SLOPES,
    ),
    _layer(
        "seeds_its_start",
        Edit(swap=((_FIRST_NORM, f"torch.manual_seed(0)\n        {_FIRST_NORM}"),)),
        "a start should be the same each time",
        None,
        _LAYER_SLOPES,
    ),
    _layer(
        "residual_detached_in_training",
        _flow(
            "kept = hidden.detach() if self.training else hidden\n"
            "        hidden = self.attention_norm(kept + self.attention(hidden, attention_mask))"
        ),
        "the sum needs the values only",
        None,
        _LAYER_SLOPES,
    ),
    _before(
        "no_mask_in_half_precision",
        "if attention_mask is not None and hidden.dtype == torch.bfloat16:\n"
        "    raise TypeError('a mask and bfloat16 do not go together')",
        "half precision is for later",
    ),
    _layer(
        "renamed",
        Edit(
            swap=(
                (_FORWARD, _FORWARD.replace("attention_mask", "mask")),
                (_FIRST, _FIRST.replace("attention_mask", "mask")),
            )
        ),
        "arguments may have any name",
        None,
        _PADDING,
    ),
    _layer(
        "pre_ln",
        _flow(
            "hidden = hidden + self.attention(self.attention_norm(hidden), attention_mask)",
            "return hidden + self.feed_forward(self.feed_forward_norm(hidden))",
        ),
        "norms come first, as in newer models",
        "pre_ln",
        source="annotated-transformer#92",
    ),
    _layer(
        "norm_of_part",
        _flow(
            "hidden = hidden + self.attention_norm(self.attention(hidden, attention_mask))",
            "return hidden + self.feed_forward_norm(self.feed_forward(hidden))",
        ),
        "a norm normalises the part's output",
        "norm_of_part",
    ),
    _layer(
        "parallel",
        _flow(
            f"given = hidden\n        {_FIRST}",
            "return self.feed_forward_norm(hidden + self.feed_forward(given))",
        ),
        "both parts read the same input",
        "parallel",
    ),
    _layer(
        "parts_swapped",
        _flow(
            "hidden = self.feed_forward_norm(hidden + self.feed_forward(hidden))",
            "return self.attention_norm(hidden + self.attention(hidden, attention_mask))",
        ),
        "the order of the parts does not matter",
        "parts_swapped",
    ),
    _layer(
        "no_first_residual",
        _flow("hidden = self.attention_norm(self.attention(hidden, attention_mask))"),
        "attention already contains the token itself",
        "no_first_residual",
    ),
    _layer(
        "no_second_residual",
        _flow(second="return self.feed_forward_norm(self.feed_forward(hidden))"),
        "one residual sum is enough",
        "no_second_residual",
    ),
    _layer(
        "no_residuals",
        _flow(
            "hidden = self.attention_norm(self.attention(hidden, attention_mask))",
            "return self.feed_forward_norm(self.feed_forward(hidden))",
        ),
        "residual sums are for very deep models",
        "no_residuals",
    ),
    _layer(
        "residual_of_input",
        _flow(
            f"given = hidden\n        {_FIRST}",
            "return self.feed_forward_norm(given + self.feed_forward(hidden))",
        ),
        "the residual path starts at the layer's input",
        "residual_of_input",
    ),
    _layer(
        "residual_of_itself",
        _flow(
            "hidden = self.attention(hidden, attention_mask)\n        hidden = self.attention_norm(hidden + hidden)",
        ),
        "the name was used again before the sum",
        None,
        source="graykode/ALBERT-Pytorch models.py",
    ),
    _layer(
        "no_first_norm",
        _flow("hidden = hidden + self.attention(hidden, attention_mask)"),
        "one norm at the end is enough",
        "no_first_norm",
    ),
    _layer(
        "no_second_norm",
        _flow(second="return hidden + self.feed_forward(hidden)"),
        "the next layer will normalise",
        "no_second_norm",
    ),
    _layer(
        "no_feed_forward",
        _flow(second="return self.feed_forward_norm(hidden)"),
        "attention is all",
        "no_feed_forward",
    ),
    _layer(
        "norms_exchanged",
        _flow(
            _FIRST.replace("attention_norm", "feed_forward_norm"),
            _SECOND.replace("feed_forward_norm", "attention_norm"),
        ),
        "a norm is a norm",
        "norms_exchanged",
    ),
    _layer(
        "one_norm",
        _flow(second=_SECOND.replace("feed_forward_norm", "attention_norm")),
        "they are equal",
        "one_norm",
    ),
    _layer(
        "mask_dropped",
        _flow("hidden = self.attention_norm(hidden + self.attention(hidden))"),
        "the mask is only for the loss",
        "layer_mask_dropped",
    ),
    _layer(
        "default_epsilon",
        Edit(
            swap=(
                (_FIRST_NORM, "self.attention_norm = nn.LayerNorm(config.d_model)"),
                (_SECOND_NORM, "self.feed_forward_norm = nn.LayerNorm(config.d_model)"),
            )
        ),
        "epsilon does not matter",
        "layer_eps",
        source="HF#532",
    ),
    _layer(
        "unbiased", _norm(_UNBIASED), "torch.var is the variance", "layer_unbiased", source="codertimo#30"
    ),
    _layer("epsilon_outside", _norm(_OUTSIDE), "epsilon only avoids a division by 0", "layer_eps_outside"),
    _layer(
        "annotated",
        _norm(_ANNOTATED),
        "copied from a tutorial",
        "layer_annotated",
        source="annotated-transformer PR#119",
    ),
    _layer(
        "extra_dropout",
        Edit(
            swap=(
                (
                    _FIRST,
                    "hidden = self.attention_norm(hidden + self.drop(self.attention(hidden, attention_mask)))",
                ),
                (
                    "self.attention = Multi",
                    "self.drop = nn.Dropout(config.dropout)\n        self.attention = Multi",
                ),
            )
        ),
        "the layer drops each part's output",
        None,
        _ONCE,
    ),
    _layer(
        "dropout_after_norm",
        _flow(
            second=f"{_SECOND.replace('return ', 'hidden = ')}\n        return self.feed_forward.dropout(hidden)"
        ),
        "a block ends with dropout",
        None,
        _SILENT,
    ),
    _layer(
        "input_changed",
        _flow(
            "hidden += self.attention(hidden, attention_mask)\n        hidden = self.attention_norm(hidden)"
        ),
        "+= saves memory",
        None,
        _PADDING,
    ),
    _layer(
        "detached",
        _flow(second=_SECOND.replace("forward(hidden)", "forward(hidden.detach())")),
        "gradients stop at the end of a part",
        None,
        _LAYER_SLOPES,
    ),
    _layer(
        "residual_detached",
        _flow(_FIRST.replace("(hidden +", "(hidden.detach() +")),
        "the residual path is a constant",
        None,
        _LAYER_SLOPES,
    ),
    _layer(
        "spare_norm",
        Edit(swap=((_SECOND_NORM, f"{_SECOND_NORM}\n        self.spare = nn.LayerNorm(config.d_model)"),)),
        "an unused norm costs nothing",
        None,
        _LAYER_SLOPES,
    ),
    _layer(
        "half_sums",
        _flow(_FIRST.replace("hidden + self", "(hidden + self").replace("mask))", "mask)) / 2)")),
        "a mean of both keeps the size",
        None,
    ),
    _layer(
        "mask_turned_round",
        _flow(_FIRST.replace("attention_mask)", "None if attention_mask is None else ~attention_mask)")),
        "the part below wants True where a key is hidden",
        None,
        "test_a_layer_from_your_own_attention_is_right",
    ),
)
MUTANTS = (*GELU, *BLOCK, *BLOCK_USE, *LAYER)
