"""Mutants of lesson 5."""

from checks.gate.edits import Edit, Mutant

_SCORES = "scores_TS = query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)"
_FILL = "torch.finfo(scores_TS.dtype).min"
_WEIGHTS_CHECK = "test_weights_are_the_softmax_of_scaled_scores_over_allowed_keys"

MUTANTS = (
    Mutant(
        "weights_unscaled",
        "attention_weights",
        Edit(swap=((_SCORES, "scores_TS = query @ key.transpose(-2, -1)"),)),
        "the dot products are good as they are; training will find the scale",
        _WEIGHTS_CHECK,
        "attention.scale_none",
    ),
    Mutant(
        "weights_weak_fill",
        "attention_weights",
        Edit(swap=((_FILL, "-10.0"),)),
        "a score of -10 is small enough to hide a key",
        _WEIGHTS_CHECK,
        "attention.fill",
    ),
)
