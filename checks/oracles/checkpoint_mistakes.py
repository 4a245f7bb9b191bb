"""Known mistakes of lesson 11, as options of its oracle. One cause has one id in both directions."""

from typing import Any

from checks.judge import Mistake

Row = tuple[dict[str, Any], str, str]

_BOTH: dict[str, Row] = {
    "classes_kept": (
        {"classes": "kept"},
        "the sentence classifier's rows stay where they are, so that true order and swapped change places",
        "With Hugging Face row 0 stands for the true order. And here?",
    ),
    "classes_weight_only": (
        {"classes": "weight"},
        "the rows of the sentence classifier's weight change places, its bias stays",
        "The bias has an entry for each class too.",
    ),
    "classes_bias_only": (
        {"classes": "bias"},
        "the entries of the sentence classifier's bias change places, its weight stays",
        "The weight has a row for each class too.",
    ),
    "key_is_query": (
        {"roles": "key query"},
        "keys and queries are exchanged",
        "The table of names says which is which.",
    ),
    "transposed": (
        {"transposed": True},
        "square matrices are transposed",
        "Both sides store [out, in].",
    ),
    "norms_exchanged": (
        {"norms": "exchanged"},
        "the two norms of a layer are exchanged",
        "The table of names says which is which.",
    ),
    "bias_lost": (
        {"bias": "zero"},
        "the bias of the MLM head's decoder is lost",
        "Two of their names stand for that one bias.",
    ),
}
_TO: dict[str, Row] = {
    "no_copies": (
        {"copied": "none"},
        "the tied copies of the MLM head's decoder are left out",
        "Their load_state_dict asks for the decoder's weight and bias too.",
    ),
    "no_decoder_weight": (
        {"copied": "bias"},
        "the decoder's weight, a copy of the word table, is left out",
        "Their load_state_dict asks for the decoder's weight too.",
    ),
    "no_decoder_bias": (
        {"copied": "weight"},
        "the second name of the decoder's bias is left out",
        "Two of their names stand for that one bias.",
    ),
    "position_ids_written": (
        {"ids": True},
        "position ids are written",
        "Today's models have none in their state.",
    ),
}


def _mistakes() -> tuple[Mistake, ...]:
    rows = {"from_huggingface": _BOTH, "to_huggingface": _BOTH | _TO}
    return tuple(
        Mistake(f"checkpoint.{name}", exercise, says, hint, options)
        for exercise, named in rows.items()
        for name, (options, says, hint) in named.items()
    )


MISTAKES = _mistakes()
