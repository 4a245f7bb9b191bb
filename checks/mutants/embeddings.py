"""Mutants of lesson 7: most are made for both classes."""

from checks.gate.edits import Edit, Mutant

_CLASSES = {"D": ("bert", "BERTEmbeddings"), "E": ("factorized", "FactorizedEmbeddings")}
_SIZE = {"D": "config.d_model", "E": "config.d_embedding"}
_LINES = {
    "word": "self.word = nn.Embedding(config.vocab_size, SIZE)",
    "position": "self.position = nn.Embedding(config.max_len, SIZE)",
    "norm": "self.norm = nn.LayerNorm(SIZE, eps=config.layer_norm_eps)",
    "sum": "sum_BTX = self.word(input_ids) + self.segment(segment_ids) + self.position.weight[:n_tokens]",
    "result": "self.dropout(self.norm(sum_BTX))",
}
_LIMIT = """raise ValueError(f"input_ids: got {n_tokens} tokens, expected at most max_len={max_len}")"""
_NEXT = {"D": "# 2. Add the three rows", "E": "# 2. Sum, norm and dropout at size E."}
_FORMULA = {
    "D": "test_a_token_is_the_normed_sum_of_three_rows",
    "E": "test_the_normed_sum_of_size_e_is_widened_to_d",
}
_TRAINED = {
    "D": "test_every_row_in_use_is_trained",
    "E": "test_every_row_in_use_and_the_projection_are_trained",
}
_DROPOUT = {"D": "test_dropout_comes_after_the_norm", "E": "test_dropout_comes_between_norm_and_projection"}
_FITS = {
    "D": "test_a_sequence_fits_the_position_table_or_is_refused",
    "E": "test_a_sequence_fits_the_narrow_position_table_or_is_refused",
}
_WHOLE = {
    "D": "test_three_tables_and_a_norm_are_all_there_is",
    "E": "test_the_projection_exists_even_where_e_is_d",
}
_PLACES = "self.position.weight[:n_tokens]"
_TORCH = "import torch"

# The norm of the Annotated Transformer, and its two halves.
_NORM = """
import torch


class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(size)), nn.Parameter(torch.zeros(size)), eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / {deviation} * self.weight + self.bias


"""


def _line(name: str, letter: str) -> str:
    return _LINES[name].replace("SIZE", _SIZE[letter]).replace("BTX", f"BT{letter}")


def _pair(
    id: str,
    line: str,
    change: tuple[str, str],
    belief: str,
    mistake: str | None,
    check: dict[str, str] = _FORMULA,
    extra: str = "",
    source: str = "",
) -> tuple[Mutant, Mutant]:
    """The same change, `old` to `new` within one line, in both classes."""
    found = []
    for letter, (prefix, exercise) in _CLASSES.items():
        old = _line(line, letter)
        before, after = (text.replace("BTX", f"BT{letter}").replace("SIZE", _SIZE[letter]) for text in change)
        new = old.replace(before, after)
        assert new != old, f"{id}: {before!r} does not stand in {old!r}"
        known = f"embeddings.{mistake}" if mistake else None
        edit = Edit(swap=((old, new),), extra=extra)
        found.append(Mutant(f"{prefix}_{id}", exercise, edit, belief, check[letter], known, source))
    return found[0], found[1]


def _limit(id: str, condition: str, error: str, belief: str) -> tuple[Mutant, Mutant]:
    """Another condition for a sequence that is too long, or another error."""
    found = []
    for letter, (prefix, exercise) in _CLASSES.items():
        old = f"if n_tokens > max_len:\n            {_LIMIT}\n        {_NEXT[letter]}"
        new = f"if {condition}:\n            {_LIMIT.replace('ValueError', error)}\n        {_NEXT[letter]}"
        found.append(Mutant(f"{prefix}_{id}", exercise, Edit(swap=((old, new),)), belief, _FITS[letter]))
    return found[0], found[1]


def _norm(id: str, deviation: str, belief: str, mistake: str, source: str = "") -> tuple[Mutant, Mutant]:
    extra = _NORM.format(deviation=deviation)
    return _pair(id, "norm", ("nn.LayerNorm(", "Norm("), belief, mistake, extra=extra, source=source)


def _renamed() -> tuple[Mutant, Mutant]:
    """Other names of the two arguments."""
    found = []
    for letter, (prefix, exercise) in _CLASSES.items():
        forward = f"""
def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
    if ids.shape[1] > self.position.num_embeddings:
        raise ValueError("too long")
    sum_BTD = self.word(ids) + self.segment(segments) + self.position.weight[: ids.shape[1]]
    return {"self.projection" if letter == "E" else ""}(self.dropout(self.norm(sum_BTD)))
"""
        edit = Edit(functions={f"{exercise}.forward": forward})
        belief = "arguments may have any name"
        found.append(Mutant(f"{prefix}_renamed", exercise, edit, belief, _FITS[letter]))
    return found[0], found[1]


def _limits_of_the_class() -> tuple[Mutant, Mutant]:
    """The class keeps the limit: that of the embeddings that were made last counts for all."""
    found = []
    for letter, (prefix, exercise) in _CLASSES.items():
        old = f"if n_tokens > max_len:\n            {_LIMIT}\n        {_NEXT[letter]}"
        made = _line("position", letter)
        swap = (
            (made, f"{made}\n        {exercise}.limit = config.max_len"),
            (old, old.replace("> max_len", f"> {exercise}.limit")),
        )
        belief = "all tables have one length"
        found.append(Mutant(f"{prefix}_limit_of_the_class", exercise, Edit(swap=swap), belief, _FITS[letter]))
    return found[0], found[1]


_POSITION_OF = "self.position({})".format
BOTH = (
    *_pair("no_position", "sum", (f" + {_PLACES}", ""), "attention knows the order", "no_position"),
    *_pair(
        "no_segment", "sum", (" + self.segment(segment_ids)", ""), "[SEP] tells the segments", "no_segment"
    ),
    *_pair(
        "word_only",
        "sum",
        (f" + self.segment(segment_ids) + {_PLACES}", ""),
        "an embedding is a word's vector",
        "word_only",
    ),
    *_pair(
        "position_from_1",
        "sum",
        (_PLACES, _POSITION_OF("torch.arange(1, n_tokens + 1).clamp(max=max_len - 1)")),
        "0 is for padding",
        "position_from_1",
        extra=_TORCH,
    ),
    *_pair(
        "position_from_1_or_fails",
        "sum",
        (_PLACES, _POSITION_OF("torch.arange(1, n_tokens + 1)")),
        "positions count from 1",
        "position_from_1",
        extra=_TORCH,
    ),
    *_pair(
        "position_backwards",
        "sum",
        (_PLACES, f"{_PLACES}.flip(0)"),
        "the end of the sequence is what matters",
        "position_backwards",
        source="lobster#77",
    ),
    *_pair("position_all_0", "sum", (_PLACES, "self.position.weight[:1]"), "it broadcasts", "position_all_0"),
    *_pair(
        "position_by_sequence",
        "sum",
        (_PLACES, "self.position.weight[: len(input_ids), None]"),
        "the first axis is time",
        "position_by_sequence",
    ),
    *_pair(
        "position_words_only",
        "sum",
        (_PLACES, _POSITION_OF("(input_ids != 0).cumsum(1) * (input_ids != 0)")),
        "as in RoBERTa",
        "position_words_only",
    ),
    *_pair(
        "position_in_segment",
        "sum",
        (
            _PLACES,
            _POSITION_OF("(segment_ids[:, :, None] == segment_ids[:, None]).long().tril(-1).sum(-1)"),
        ),
        "the second sentence starts at 0 again",
        "position_in_segment",
    ),
    *_pair(
        "position_by_id", "sum", (_PLACES, _POSITION_OF("input_ids % max_len")), "an index is an index", None
    ),
    *_pair(
        "segment_by_position",
        "sum",
        ("self.segment(segment_ids)", "self.segment(segment_ids[:, :1])"),
        "one segment serves the whole row",
        None,
    ),
    *_pair(
        "scaled",
        "sum",
        ("self.word(input_ids)", "self.word(input_ids) * self.word.embedding_dim**0.5"),
        "as in the 2017 Transformer",
        "scaled",
    ),
    *_pair("no_norm", "result", ("self.norm(sum_BTX)", "sum_BTX"), "the layers normalise", "no_norm"),
    *_pair(
        "word_frozen",
        "sum",
        ("self.word(input_ids)", "self.word(input_ids).detach()"),
        "a table is data",
        "frozen_word",
        _TRAINED,
    ),
    *_pair(
        "position_frozen",
        "sum",
        (_PLACES, "self.position.weight.data[:n_tokens]"),
        "a table is data",
        "frozen_position",
        _TRAINED,
        source="d2l-en#2121",
    ),
    *_pair(
        "segment_frozen",
        "sum",
        ("self.segment(segment_ids)", "self.segment(segment_ids).detach()"),
        "a table is data",
        "frozen_segment",
        _TRAINED,
    ),
    *_pair(
        "padding_idx",
        "word",
        ("SIZE)", "SIZE, padding_idx=0)"),
        "padding must not be trained",
        "padding_row",
        _TRAINED,
    ),
    *_pair(
        "epsilon_default", "norm", (", eps=config.layer_norm_eps", ""), "epsilon does not matter", "epsilon"
    ),
    *_norm(
        "unbiased", "(x.var(-1, keepdim=True) + self.eps).sqrt()", "torch.var is the variance", "unbiased"
    ),
    *_norm(
        "epsilon_outside",
        "(x.std(-1, correction=0, keepdim=True) + self.eps)",
        "epsilon only avoids a division by 0",
        "epsilon_outside",
    ),
    *_pair(
        "no_dropout",
        "result",
        ("self.dropout(self.norm(sum_BTX))", "self.norm(sum_BTX)"),
        "made is used",
        "no_dropout",
        _DROPOUT,
    ),
    *_limit("too_long_by_one", "n_tokens > max_len + 1", "ValueError", "one more fits"),
    *_limit("last_position_refused", "n_tokens >= max_len", "ValueError", "positions end before max_len"),
    *_limit("never_refused", "False", "ValueError", "torch will say so"),
    *_limit("another_error", "n_tokens > max_len", "IndexError", "an index is out of range"),
    *_limit(
        "limit_of_nine_at_least", "n_tokens > max(max_len, 9)", "ValueError", "short tables are for tests"
    ),
    *_limit(
        "refused_in_batches_only",
        "n_tokens > max_len and len(input_ids) > 1",
        "ValueError",
        "one row is never too long",
    ),
    *_limit(
        "one_row_refused_only",
        "n_tokens > max_len and len(input_ids) == 1",
        "ValueError",
        "the data loader has seen to batches",
    ),
    *_limit(
        "refused_in_eval_only",
        "n_tokens > max_len and not self.training",
        "ValueError",
        "the training data was cut to size",
    ),
    *_pair(
        "segment_subtracted_in_single_precision",
        "sum",
        (
            "self.segment(segment_ids)",
            "self.segment(segment_ids) * (-1 if self.word.weight.dtype.itemsize == 4 else 1)",
        ),
        "a program that is right in float64 is right in float32",
        None,
        _WHOLE,
    ),
    *_pair(
        "word_frozen_in_training",
        "sum",
        (
            "self.word(input_ids)",
            "(self.word(input_ids).detach() if self.training else self.word(input_ids))",
        ),
        "a table is data",
        None,
        _TRAINED,
    ),
    *_pair(
        "position_ids_kept",
        "norm",
        (
            "self.norm = ",
            "self.register_buffer('position_ids', torch.arange(config.max_len)[None])\n        self.norm = ",
        ),
        "a buffer is not a weight, so it stays out of the state",
        None,
        _WHOLE,
        _TORCH,
        "HF",
    ),
    *_limit(
        "padding_may_overflow",
        "(input_ids != 0).sum(1).max() > max_len",
        "ValueError",
        "padding has no position",
    ),
    *_pair(
        "drops_the_same_each_time",
        "sum",
        ("sum_BTX =", "torch.manual_seed(0)\n        sum_BTX ="),
        "a run should be the same each time",
        None,
        _DROPOUT,
        _TORCH,
    ),
    *_pair(
        "seeds_its_start",
        "norm",
        ("self.norm = ", "torch.manual_seed(0)\n        self.norm = "),
        "a start should be the same each time",
        None,
        _WHOLE,
        _TORCH,
    ),
    *_pair(
        "computes_in_double",
        "result",
        ("self.norm(sum_BTX))", "self.norm(sum_BTX)).double()"),
        "a norm wants precision",
        None,
        _WHOLE,
    ),
    *_pair(
        "segments_moved_in_place",
        "sum",
        (
            "self.segment(segment_ids)",
            "torch.cat([self.word.weight, self.segment.weight])[segment_ids.add_(len(self.word.weight))]",
        ),
        "the segments are mine",
        None,
        _WHOLE,
        _TORCH,
    ),
    *_pair(
        "position_kept_in_eval",
        "sum",
        (
            _PLACES,
            "(self.position.weight if self.training else vars(self).setdefault('_kept',"
            " self.position.weight.detach() * 1))[:n_tokens]",
        ),
        "weights do not change in eval mode",
        "frozen_position",
        _WHOLE,
    ),
    *_limits_of_the_class(),
    *_renamed(),
    *_limit(
        "width_as_limit", "n_tokens > self.position.embedding_dim", "ValueError", "shape[1] is the limit"
    ),
)
_SUM_D, _SUM_E = _line("sum", "D"), _line("sum", "E")
_WIDENED = "return self.projection(self.dropout(self.norm(sum_BTE)))"
_PROJECTION = "self.projection = nn.Linear(config.d_embedding, config.d_model)"
_REFUSAL = "if config.d_embedding != config.d_model:"
_ALONE = "test_bert_has_no_narrow_tables"


def _one(
    letter: str,
    id: str,
    swap: tuple[tuple[str, str], ...],
    belief: str,
    mistake: str | None,
    check: str,
    extra: str = "",
) -> Mutant:
    prefix, exercise = _CLASSES[letter]
    known = f"embeddings.{mistake}" if mistake else None
    return Mutant(f"{prefix}_{id}", exercise, Edit(swap=swap, extra=extra), belief, check, known)


def _widened(
    id: str, new: str, belief: str, mistake: str | None, check: str = _FORMULA["E"], extra: str = ""
) -> Mutant:
    return _one("E", id, ((_WIDENED, f"return {new}"),), belief, mistake, check, extra)


_BEFORE_D = ("return self.dropout(self.norm(sum_BTD))", "return self.norm(self.dropout(sum_BTD))")
_RAW_D = ("return self.dropout(self.norm(sum_BTD))", "return self.dropout(sum_BTD)")
ONE = (
    _one("D", "any_width", ((_REFUSAL, "if False:"),), "D is what counts", None, _ALONE),
    _one(
        "D",
        "only_narrow_refused",
        ((_REFUSAL, _REFUSAL.replace("!=", "<")),),
        "E is never larger",
        None,
        _ALONE,
    ),
    _one(
        "D",
        "only_a_half_refused",
        ((_REFUSAL, "if config.d_model >= 2 * config.d_embedding or config.d_embedding > config.d_model:"),),
        "E is a fraction of D",
        None,
        _ALONE,
    ),
    _one(
        "D",
        "dropout_before_norm",
        (_BEFORE_D,),
        "dropout blurs the sum",
        "dropout_before_norm",
        _DROPOUT["D"],
    ),
    _one(
        "D",
        "norm_of_word",
        ((_SUM_D, _SUM_D.replace("self.word(input_ids)", "self.norm(self.word(input_ids))")), _RAW_D),
        "the words are what is normalised",
        "norm_of_word",
        _FORMULA["D"],
    ),
    _one(
        "D",
        "spare_projection",
        (
            (
                _line("norm", "D"),
                f"{_line('norm', 'D')}\n        self.projection = nn.Linear(config.d_model, 4)",
            ),
        ),
        "an unused layer costs nothing",
        None,
        _WHOLE["D"],
    ),
    _one(
        "D",
        "position_fixed",
        (
            (
                _line("position", "D"),
                f"{_line('position', 'D')}\n        self.wave = torch.rand(config.d_model)",
            ),
            (_SUM_D, f"{_SUM_D} + self.wave"),
        ),
        "a table can be helped by a fixed wave",
        None,
        _WHOLE["D"],
        _TORCH,
    ),
    _widened(
        "activated",
        "self.projection(self.dropout(self.norm(sum_BTE))).tanh()",
        "a map is activated",
        "projection_activated",
    ),
    _widened(
        "no_projection", "self.dropout(self.norm(sum_BTE))", "the encoder takes any width", "no_projection"
    ),
    _widened(
        "dropout_before_norm",
        "self.projection(self.norm(self.dropout(sum_BTE)))",
        "dropout blurs the sum",
        "dropout_before_norm",
        _DROPOUT["E"],
    ),
    _widened(
        "dropout_after",
        "self.dropout(self.projection(self.norm(sum_BTE)))",
        "dropout comes last",
        "dropout_after_projection",
        _DROPOUT["E"],
    ),
    _widened(
        "dropout_twice",
        "self.dropout(self.projection(self.dropout(self.norm(sum_BTE))))",
        "twice is safer",
        "dropout_twice",
        _DROPOUT["E"],
    ),
    _widened(
        "projected_first",
        "self.projection(self.dropout(sum_BTE)) * self.norm.weight.mean()",
        "norms come later",
        None,
    ),
    _widened(
        "renormalised",
        "nn.functional.layer_norm(self.projection(self.dropout(self.norm(sum_BTE))), "
        "self.projection.bias.shape)",
        "a norm comes last",
        None,
    ),
    _widened(
        "bias_dropped",
        "self.dropout(self.norm(sum_BTE)) @ self.projection.weight.T",
        "a bias is not needed",
        None,
    ),
    _widened(
        "projection_detached",
        "nn.functional.linear(self.dropout(self.norm(sum_BTE)), "
        "self.projection.weight.detach(), self.projection.bias)",
        "the map is fixed",
        None,
        _TRAINED["E"],
    ),
    _widened(
        "norm_detached",
        "self.projection(self.dropout(self.norm(sum_BTE).detach()))",
        "tables are data",
        None,
        _TRAINED["E"],
    ),
    _one(
        "E",
        "no_bias",
        ((_PROJECTION, _PROJECTION.replace("model)", "model, bias=False)")),),
        "no bias",
        None,
        _WHOLE["E"],
    ),
    _one(
        "E",
        "identity_where_equal",
        ((_PROJECTION, f"{_PROJECTION} if config.d_embedding != config.d_model else nn.Identity()"),),
        "where E is D nothing needs to be widened",
        None,
        _WHOLE["E"],
    ),
    _one(
        "E",
        "wide_position",
        ((_line("position", "E"), _line("position", "E").replace("d_embedding", "d_model")),),
        "only the word table is factorized",
        None,
        _WHOLE["E"],
    ),
    _one(
        "E",
        "norm_of_word",
        (
            (_SUM_E, _SUM_E.replace("self.word(input_ids)", "self.norm(self.word(input_ids))")),
            (_WIDENED, "return self.projection(self.dropout(sum_BTE))"),
        ),
        "the words are what is normalised",
        "norm_of_word",
        _FORMULA["E"],
    ),
)
MUTANTS = (*BOTH, *ONE)
