"""Right variants of lesson 7: most are made for both classes."""

from checks.gate.edits import Edit, Variant

_CLASSES = {"D": ("bert", "BERTEmbeddings"), "E": ("factorized", "FactorizedEmbeddings")}
_SUM = "sum_BTX = self.word(input_ids) + self.segment(segment_ids) + self.position.weight[:n_tokens]"
_NORMED = "self.dropout(self.norm(sum_BTX))"
_SIZE = {"D": "config.d_model", "E": "config.d_embedding"}
_BY_HAND = """
import torch


class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(size)), nn.Parameter(torch.zeros(size)), eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias


class Table(nn.Module):
    def __init__(self, rows, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, size))

    def forward(self, ids):
        return self.weight[ids]


"""
_ONE_HOT = "nn.functional.one_hot(segment_ids, self.segment.num_embeddings).to(self.segment.weight.dtype)"


def _both(id: str, old: str, new: str, says: str, extra: str = "") -> tuple[Variant, ...]:
    found = []
    for letter, (prefix, exercise) in _CLASSES.items():
        swap = tuple(text.replace("BTX", f"BT{letter}").replace("SIZE", _SIZE[letter]) for text in (old, new))
        found.append(Variant(f"{prefix}_{id}", exercise, Edit(swap=((swap[0], swap[1]),), extra=extra), says))
    return tuple(found)


VARIANTS = (
    *_both(
        "positions_by_arange",
        _SUM,
        "places = torch.arange(n_tokens, device=input_ids.device)\n"
        "        sum_BTX = self.position(places)[None] + self.word(input_ids) + self.segment(segment_ids)",
        "looks positions up, added in another order",
        "import torch",
    ),
    *_both(
        "segments_by_one_hot",
        _SUM,
        _SUM.replace("self.segment(segment_ids)", f"{_ONE_HOT} @ self.segment.weight"),
        "multiplies one-hot segments with the table, as Google's code does",
    ),
    *_both(
        "norm_by_hand",
        "self.norm = nn.LayerNorm(SIZE, eps=config.layer_norm_eps)",
        "self.norm = Norm(SIZE, config.layer_norm_eps)",
        "a layer norm by hand",
        _BY_HAND,
    ),
    *_both(
        "table_by_hand",
        "self.word = nn.Embedding(config.vocab_size, SIZE)",
        "self.word = Table(config.vocab_size, SIZE)",
        "a table by hand, in float32's default start",
        _BY_HAND,
    ),
    *_both(
        "functional_dropout",
        _NORMED,
        "nn.functional.dropout(self.norm(sum_BTX), self.dropout.p, self.training)",
        "dropout as a function",
    ),
    *_both(
        "small_start",
        "self.position = nn.Embedding(config.max_len, SIZE)",
        "self.position = nn.Embedding(config.max_len, SIZE)\n        nn.init.normal_(self.position.weight, std=0.02)",
        "another start",
    ),
    Variant(
        "factorized_by_matmul",
        "FactorizedEmbeddings",
        Edit(
            swap=(
                (
                    "return self.projection(self.dropout(self.norm(sum_BTE)))",
                    "dropped = self.dropout(self.norm(sum_BTE))\n"
                    "        return dropped @ self.projection.weight.T + self.projection.bias",
                ),
            )
        ),
        "the projection as a product",
    ),
)
