"""Known mistakes of lesson 6, as options of its oracle. One cause has one id in every exercise that shows it."""

from typing import Any

from checks.judge import Mistake

Row = tuple[dict[str, Any], str, str]

# In `gelu` both forms are asked for; in the block each under its configuration.
_ACTIVATIONS: dict[str, Row] = {
    "gelu_always_exact": (
        {"tanh": "none"},
        "the exact form is used where the tanh form is asked for",
        "ALBERT's checkpoints were trained with the other curve: look at what was asked for.",
    ),
    "gelu_always_tanh": (
        {"none": "tanh"},
        "the tanh form is used where the exact one is asked for",
        "The two differ by up to 4.7e-4, and the default is the exact one.",
    ),
    "gelu_exchanged": (
        {"none": "tanh", "tanh": "none"},
        "the exact and the tanh form are exchanged",
        '"none" means: no approximation.',
    ),
    "gelu_relu": (
        {"none": "relu", "tanh": "relu"},
        "ReLU stands in for GELU",
        "GELU lets a little of a negative input through.",
    ),
    "gelu_sigmoid": (
        {"none": "sigmoid", "tanh": "sigmoid"},
        "GELU is approximated by x * sigmoid(1.702 x)",
        "That is a third form, off by up to 0.02. The docstring names two.",
    ),
    "gelu_silu": (
        {"none": "silu", "tanh": "silu"},
        "SiLU, x * sigmoid(x), stands in for GELU",
        "The factor of x is the normal distribution function, not the logistic one.",
    ),
    "no_activation": (
        {"none": "identity", "tanh": "identity"},
        "nothing is activated, so that two linear maps in a row are one linear map",
        "What stands between the two maps?",
    ),
}
_GELU: dict[str, Row] = {
    "gelu_no_root": (
        {"none": "no_root"},
        "erf gets x instead of x / sqrt(2)",
        "The normal distribution function at x is (1 + erf(x / sqrt(2))) / 2.",
    ),
    "gelu_no_half": (
        {"none": "no_half"},
        "the factor 1/2 of the exact form is missing",
        "For large x, GELU is x.",
    ),
    "gelu_no_x": (
        {"none": "no_x"},
        "the distribution function itself is returned, without the factor x",
        "For large x, GELU is x, not 1.",
    ),
    "gelu_square": (
        {"tanh": "tanh_square"},
        "the tanh form has x squared instead of cubed",
        "What goes into tanh must change its sign with x.",
    ),
    "gelu_tanh_root": (
        {"tanh": "tanh_no_root"},
        "the tanh form has 2/pi instead of its square root",
        "Compare the constant with the docstring's.",
    ),
    "gelu_digits": (
        {"tanh": "tanh_digits"},
        "the constant of the tanh form is ten times too large",
        "Compare the constant with the docstring's, digit by digit.",
    ),
}
_BLOCK: dict[str, Row] = {
    "block_residual": (
        {"residual": True},
        "the feed-forward block adds its input",
        "The residual sum belongs to the layer.",
    ),
    "block_activated_twice": (
        {"again": True},
        "the block's output is activated too",
        "The activation stands between the two maps only.",
    ),
    "block_no_dropout": (
        {"places": ""},
        "the block drops nothing in train mode",
        "A dropout that is made but not called does nothing.",
    ),
    "block_dropout_in_the_middle": (
        {"places": "middle"},
        "dropout acts after the activation instead of on the block's output",
        "Which of the two maps comes last before the dropout?",
    ),
    "block_dropout_twice": (
        {"places": "middle output"},
        "dropout acts after the activation and on the block's output",
        "The lesson names four places in the whole model; one of them is here.",
    ),
}
_LAYER: dict[str, Row] = {
    "pre_ln": (
        {"order": "pre"},
        "each norm stands before its part (pre-LN) instead of after the residual sum",
        "BERT's order is post-LN: add, then normalise.",
    ),
    "norm_of_part": (
        {"order": "norm_of_part"},
        "a norm is applied to the part's output before the sum instead of to the sum",
        "Add first, then normalise.",
    ),
    "parallel": (
        {"order": "parallel"},
        "the feed-forward block reads the layer's input instead of the normed attention sum",
        "What has been computed last when the feed-forward block begins?",
    ),
    "parts_swapped": (
        {"order": "swapped"},
        "the feed-forward block comes before attention",
        "Attention first: each token works on what it has gathered.",
    ),
    "no_first_residual": (
        {"order": "no_first_residual"},
        "the residual sum around attention does not contain the layer's input",
        "What is added to attention's output?",
    ),
    "no_second_residual": (
        {"order": "no_second_residual"},
        "the residual sum around the feed-forward block does not contain its input",
        "What is added to the feed-forward block's output?",
    ),
    "no_residuals": (
        {"order": "no_residuals"},
        "both residual sums are missing",
        "Each part's input is added to its output.",
    ),
    "residual_of_input": (
        {"order": "residual_of_input"},
        "the second residual sum adds the layer's input instead of the feed-forward block's",
        "The two sums follow each other: the second starts where the first ended.",
    ),
    "no_first_norm": (
        {"order": "no_first_norm"},
        "the norm after attention is missing",
        "There is a norm after each residual sum.",
    ),
    "no_second_norm": (
        {"order": "no_second_norm"},
        "the norm after the feed-forward block is missing",
        "There is a norm after each residual sum.",
    ),
    "no_feed_forward": (
        {"order": "no_feed_forward"},
        "the feed-forward block is not used",
        "The layer has two parts.",
    ),
    "norms_exchanged": (
        {"norms": "feed_forward_norm attention_norm"},
        "the two norms are exchanged",
        "Each norm is named after the part that it follows.",
    ),
    "one_norm": (
        {"norms": "attention_norm attention_norm"},
        "attention_norm serves in both places",
        "Each part has a norm of its own.",
    ),
    "layer_mask_dropped": (
        {"masked": False},
        "the mask is not passed on to attention",
        "Who needs to know about padding?",
    ),
    "layer_eps": (
        {"eps": 1e-5},
        "the norms use PyTorch's epsilon of 1e-5 instead of the configuration's",
        "Look for what the configuration says about layer norms.",
    ),
    "layer_unbiased": (
        {"unbiased": True},
        "the variance divides by D - 1 (as torch.std does by default) instead of D",
        "A layer norm describes the D numbers it has; it does not estimate.",
    ),
    "layer_eps_outside": (
        {"eps_place": "outside"},
        "epsilon is added to the standard deviation instead of to the variance",
        "Is epsilon inside or outside the root?",
    ),
    "layer_annotated": (
        {"eps_place": "outside", "unbiased": True},
        "the norm divides by torch.std plus epsilon: D - 1 in the variance, and epsilon outside the root",
        "A widely copied form of layer norm; compare it with nn.LayerNorm.",
    ),
}


def _mistakes(exercise: str, *tables: dict[str, Row]) -> list[Mistake]:
    rows = [item for table in tables for item in table.items()]
    return [
        Mistake(f"transformer.{name}", exercise, says, hint, options) for name, (options, says, hint) in rows
    ]


MISTAKES = (
    *_mistakes("gelu", _ACTIVATIONS, _GELU),
    *_mistakes("FeedForward", _ACTIVATIONS, _BLOCK),
    *_mistakes("TransformerLayer", _LAYER),
)
