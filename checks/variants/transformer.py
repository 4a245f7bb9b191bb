"""Right variants of lesson 6."""

from checks.gate.edits import Edit, Variant

_EXACT = "return x / 2 * (1 + torch.erf(x / math.sqrt(2)))"
_TANH = "return x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))"
_ROUNDED = (
    (_EXACT, _EXACT.replace("math.sqrt(2)", "torch.sqrt(torch.tensor(2.0))")),
    (_TANH, _TANH.replace("math.sqrt(2 / math.pi)", "torch.sqrt(torch.tensor(2 / math.pi))")),
)
_ACTIVATED = "activated = nn.functional.gelu(self.expand(hidden), approximate=self.approximate)"
_CONTRACTED = "return self.dropout(self.contract(activated))"
_FIRST = "hidden = self.attention_norm(hidden + self.attention(hidden, attention_mask))"
_SECOND = "return self.feed_forward_norm(hidden + self.feed_forward(hidden))"
_FIRST_NORM = "self.attention_norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)"
_SECOND_NORM = "self.feed_forward_norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)"
_NORM = """
class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(size)), nn.Parameter(torch.zeros(size)), eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + self.eps) * self.weight + self.bias


"""
_MADE = "Norm(config.d_model, config.layer_norm_eps)"
_TABLE = """\
def gelu(x, approximate="none"):
    forms = {
        "none": lambda: 1 + torch.erf(x * 0.5**0.5),
        "tanh": lambda: 1 + torch.tanh((2 / math.pi) ** 0.5 * x * (1 + 0.044715 * x * x)),
    }
    if approximate not in forms:
        raise ValueError(f"no form {approximate}")
    return 0.5 * x * forms[approximate]()
"""


def _gelu(id: str, edit: Edit, says: str) -> Variant:
    return Variant(f"gelu_{id}", "gelu", edit, says)


def _block(id: str, swap: tuple[tuple[str, str], ...], says: str) -> Variant:
    return Variant(f"block_{id}", "FeedForward", Edit(swap=swap), says)


def _layer(id: str, edit: Edit, says: str) -> Variant:
    return Variant(f"layer_{id}", "TransformerLayer", edit, says)


VARIANTS = (
    _gelu("table", Edit(functions={"gelu": _TABLE}), "a table of forms"),
    _gelu(
        "normal",
        Edit(swap=((_EXACT, "return x * torch.special.ndtr(x)"),)),
        "torch's normal distribution function",
    ),
    _gelu(
        "sigmoid",
        Edit(swap=((_TANH, "return x * torch.sigmoid((8 / math.pi) ** 0.5 * (x + 0.044715 * x**3))"),)),
        "tanh written as a sigmoid of twice the argument",
    ),
    _gelu(
        "erfc", Edit(swap=((_EXACT, "return 0.5 * x * torch.erfc(-x / 2**0.5)"),)), "the complement of erf"
    ),
    _gelu("rounded_constants", Edit(swap=_ROUNDED), "keeps its constants in float32"),
    _block(
        "own_rounded_gelu",
        (*_ROUNDED, (_ACTIVATED, "activated = gelu(self.expand(hidden), self.approximate)")),
        "the lesson's gelu, which keeps its constants in float32",
    ),
    _block(
        "own_gelu",
        ((_ACTIVATED, "activated = gelu(self.expand(hidden), self.approximate)"),),
        "the lesson's gelu",
    ),
    _block(
        "matrices",
        (
            (
                _ACTIVATED,
                _ACTIVATED.replace("self.expand(hidden)", "hidden @ self.expand.weight.T + self.expand.bias"),
            ),
            (_CONTRACTED, "return self.dropout(activated @ self.contract.weight.T + self.contract.bias)"),
        ),
        "matrix products by hand",
    ),
    _block(
        "functional_dropout",
        (
            (
                _CONTRACTED,
                "out = self.contract(activated)\n"
                "        return nn.functional.dropout(out, self.dropout.p, self.training)",
            ),
        ),
        "dropout as a function",
    ),
    _layer(
        "norm_by_hand",
        Edit(
            swap=(
                (_FIRST_NORM, f"self.attention_norm = {_MADE}"),
                (_SECOND_NORM, f"self.feed_forward_norm = {_MADE}"),
            ),
            extra=_NORM,
        ),
        "norms by hand, with rsqrt",
    ),
    _layer(
        "named_steps",
        Edit(
            swap=(
                (
                    _FIRST,
                    "attended = self.attention(hidden, attention_mask=attention_mask)\n"
                    "        hidden = self.attention_norm(attended.add(hidden))",
                ),
                (
                    _SECOND,
                    "widened = self.feed_forward(hidden)\n        return self.feed_forward_norm(widened + hidden)",
                ),
            )
        ),
        "each step under a name",
    ),
    _layer(
        "functional_norm",
        Edit(
            swap=(
                (
                    _SECOND,
                    "norm = self.feed_forward_norm\n        x = hidden + self.feed_forward(hidden)\n"
                    "        return nn.functional.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, norm.eps)",
                ),
            )
        ),
        "a norm as a function",
    ),
)
