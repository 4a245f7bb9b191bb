"""Known mistakes of lesson 7, as options of its oracle. Both classes share an id: one cause is charged once."""

from typing import Any

from checks.judge import Mistake

Row = tuple[dict[str, Any], str, str]

_BOTH: dict[str, Row] = {
    "no_position": (
        {"tables": "word segment"},
        "the position rows are not added",
        "Without them, a sentence is a bag of words.",
    ),
    "no_segment": (
        {"tables": "word position"},
        "the segment rows are not added",
        "Three tables, three rows for each token.",
    ),
    "word_only": (
        {"tables": "word"},
        "neither position nor segment rows are added",
        "Three tables, three rows for each token.",
    ),
    "position_from_1": (
        {"place": "from 1"},
        "positions are counted from 1",
        "The first token of a row stands at position 0.",
    ),
    "position_backwards": (
        {"place": "backwards"},
        "positions are counted from the end, so that padding shifts them",
        "A sequence must mean the same alone and in a batch.",
    ),
    "position_by_sequence": (
        {"place": "by sequence"},
        "the position is the number of the sequence in the batch instead of the token's",
        "Which of the two axes of input_ids is time?",
    ),
    "position_all_0": (
        {"place": "all 0"},
        "every token gets position 0",
        "Count along the tokens.",
    ),
    "position_words_only": (
        {"place": "words only"},
        "positions count the real tokens, and padding gets row 0 (as in RoBERTa)",
        "Here positions are 0 to T - 1 in every row, padding or not.",
    ),
    "position_in_segment": (
        {"place": "in segment"},
        "positions start again in the second segment",
        "Positions run through the whole row; the segment has a table of its own.",
    ),
    "scaled": (
        {"factor": "sqrt_d"},
        "the word rows are multiplied by the square root of d_model (as in the 2017 Transformer)",
        "BERT adds the three rows as they are.",
    ),
    "no_norm": (
        {"normed": "nothing"},
        "the sum is not normalised",
        "What comes after the sum?",
    ),
    "norm_of_word": (
        {"normed": "word"},
        "only the word row is normalised, before the others are added",
        "Add up first, then normalise.",
    ),
    "padding_row": (
        {"zero_row": True},
        "row 0 of the word table is frozen (padding_idx): it gets no gradient or counts as zero",
        "Here row 0 is a row like any other; the attention mask takes care of padding.",
    ),
    "epsilon": (
        {"eps": 1e-5},
        "the norm uses PyTorch's epsilon of 1e-5 instead of the configuration's",
        "Look for what the configuration says about layer norms.",
    ),
    "unbiased": (
        {"unbiased": True},
        "the variance divides by D - 1 (as torch.var does by default) instead of D",
        "A layer norm describes the D numbers it has; it does not estimate.",
    ),
    "epsilon_outside": (
        {"eps_place": "outside"},
        "epsilon is added to the standard deviation instead of to the variance",
        "Is epsilon inside or outside the root?",
    ),
    "frozen_position": (
        {"frozen": "position"},
        "the position table gets no gradient, so that it is never trained",
        "Is the table still a parameter where it is used?",
    ),
    "frozen_segment": (
        {"frozen": "segment"},
        "the segment table gets no gradient, so that it is never trained",
        "Is the table still a parameter where it is used?",
    ),
    "frozen_word": (
        {"frozen": "word"},
        "the word table gets no gradient, so that it is never trained",
        "Is the table still a parameter where it is used?",
    ),
    "no_dropout": (
        {"places": ""},
        "nothing is dropped in train mode",
        "A dropout that is made but not called does nothing.",
    ),
    "dropout_before_norm": (
        {"places": "summed"},
        "dropout acts on the sum before the norm instead of after it",
        "Sum, norm, dropout.",
    ),
}
_FACTORIZED: dict[str, Row] = {
    "scaled_e": (
        {"factor": "sqrt_e"},
        "the word rows are multiplied by the square root of their size (after the 2017 Transformer)",
        "BERT and ALBERT add the three rows as they are.",
    ),
    "projection_activated": (
        {"projected": "tanh"},
        "the projection is activated",
        "From E to D goes one linear map, and nothing after it.",
    ),
    "no_projection": (
        {"projected": "no"},
        "the projection is left out",
        "The tables are E wide; what is the width of what the encoder reads?",
    ),
    "dropout_after_projection": (
        {"places": "projected"},
        "dropout acts after the projection instead of before it",
        "Sum, norm and dropout happen at size E.",
    ),
    "dropout_twice": (
        {"places": "normed projected"},
        "dropout acts before and after the projection",
        "Nothing comes after the projection.",
    ),
}


def _mistakes(exercise: str, *tables: dict[str, Row]) -> list[Mistake]:
    rows = [item for table in tables for item in table.items()]
    return [
        Mistake(f"embeddings.{name.removesuffix('_e')}", exercise, says, hint, options)
        for name, (options, says, hint) in rows
    ]


MISTAKES = (*_mistakes("BERTEmbeddings", _BOTH), *_mistakes("FactorizedEmbeddings", _BOTH, _FACTORIZED))
