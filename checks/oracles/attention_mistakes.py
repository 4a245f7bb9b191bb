"""Known mistakes of lesson 5, as options of its oracle. One cause has one id in every exercise that shows it."""

from typing import Any

from checks.judge import Mistake

_SCORING: dict[str, tuple[dict[str, Any], str, str]] = {
    "scale_none": (
        {"scale": "none"},
        "scores are not divided at all",
        "Dot products grow with the number of terms in them. What brings their standard deviation back to 1?",
    ),
    "scale_k": (
        {"scale": "k"},
        "scores are divided by the head size instead of its square root",
        "The variance of a dot product grows with K. And its standard deviation?",
    ),
    "scale_sqrt_d_model": (
        {"scale": "sqrt_d_model"},
        "scores are divided by the square root of d_model instead of the head size",
        "The dot product runs over one head's columns. How many are these?",
    ),
    "scale_sqrt_s": (
        {"scale": "sqrt_s"},
        "scores are divided by the square root of the number of keys",
        "The scale belongs to the length of the vectors, not to how many there are.",
    ),
    "scale_times": (
        {"scale": "times"},
        "scores are multiplied by the square root of the head size instead of divided",
        "Should longer vectors make the softmax sharper?",
    ),
    "softmax_axis": (
        {"axis": "queries"},
        "the softmax runs over the queries instead of the keys",
        "The weights of one query must sum to 1. Along which axis does one query's row lie?",
    ),
    "mask_after": (
        {"when": "after"},
        "the mask is applied after the softmax, so that rows no longer sum to 1",
        "Hide a key before the weights are normalised.",
    ),
    "mask_weak": (
        {"when": "weak"},
        "the fill value for hidden keys is too weak, so that a little of them leaks through",
        "How small is exp of your fill value, beside the other terms?",
    ),
    "mask_zero": (
        {"when": "zero"},
        "a hidden key gets the score 0, which is a score like any other",
        "What does exp make of a score of 0?",
    ),
    "mask_added": (
        {"when": "added"},
        "the mask itself is added to the scores: True adds 1 and False hides nothing",
        "Which score leaves no weight after exp?",
    ),
    "mask_ignored": (
        {"when": "never"},
        "the mask is not used",
        "Follow the mask through your code to the line where the scores change.",
    ),
    "mask_unguarded": (
        {"when": "unguarded"},
        "a query that sees no key gets NaN: where every score is hidden, as with -inf, the softmax divides 0 by 0",
        "Which fill value hides as well as -inf and stays finite? Or see to the rows in which nothing is shown.",
    ),
    "mask_polarity": (
        {"polarity": False},
        "the mask is read upside down: True hides instead of showing",
        "In this course True means: may look.",
    ),
}
_HEADS: dict[str, tuple[dict[str, Any], str, str]] = {
    "split_view": (
        {"heads": "view"},
        "split_heads views the array as heads without moving an axis, so that a head mixes tokens",
        "First cut the last axis, then swap two axes.",
    ),
    "split_strided": (
        {"heads": "strided"},
        "head n gets every N-th column instead of K neighbouring ones",
        "Which of the two new axes comes first when the last axis is cut?",
    ),
    "merge_view": (
        {"merged": "view"},
        "heads are joined without moving the token axis back",
        "Undo the steps of split_heads in the opposite order.",
    ),
    "merge_strided": (
        {"merged": "strided"},
        "the heads' columns are interleaved instead of put side by side",
        "Head 0's columns all come first.",
    ),
}
_MODULE: dict[str, tuple[dict[str, Any], str, str]] = {
    "hides_queries": (
        {"hides": "queries"},
        "the mask hides queries instead of keys: padding does not ask, yet everybody reads it",
        "Which axis of the scores does the mask belong to?",
    ),
    "value_is_key": (
        {"roles": "query key key"},
        "the keys are used as values",
        "Three projections, three roles.",
    ),
    "key_is_query": (
        {"roles": "query query value"},
        "one projection serves as query and as key",
        "Three projections, three roles.",
    ),
    "query_is_key": (
        {"roles": "key key value"},
        "one projection serves as query and as key",
        "Three projections, three roles.",
    ),
    "projections_shared": (
        {"roles": "value value value"},
        "query, key and value are one and the same layer: a list times three repeats a layer, it does not copy it",
        "Compare the ids of the layers, or count the module's parameters.",
    ),
    "projections_all_shared": (
        {"roles": "output output output"},
        "all four projections are one and the same layer: a list times four repeats a layer, it does not copy it",
        "Compare the ids of the layers, or count the module's parameters.",
    ),
    "roles_exchanged": (
        {"roles": "key query value"},
        "queries and keys are exchanged: each token is weighed by how it is asked, not by what it asks",
        "The rows of the scores belong to the queries.",
    ),
    "value_is_query": (
        {"roles": "query key query"},
        "the queries are used as values",
        "Three projections, three roles.",
    ),
    "no_output": (
        {"output": False},
        "the output projection is left out",
        "After the heads are merged one linear map is still to come.",
    ),
    "causal": (
        {"causal": True},
        "a causal mask is left in: tokens see only what stands before them",
        "An encoder looks both ways.",
    ),
    "split_view_": (
        {"heads": "view", "merged": "view"},
        "heads are made and joined by a view, without moving an axis",
        "Check split_heads on a small array.",
    ),
    "no_weights_dropout": (
        {"places": "output"},
        "dropout on the attention weights is left out",
        "Dropout acts in two places here. One lies between the softmax and the values.",
    ),
    "no_output_dropout": (
        {"places": "weights"},
        "dropout on the module's output is left out",
        "Dropout acts in two places here. One is the last step.",
    ),
    "no_dropout": (
        {"places": ""},
        "nothing is dropped in train mode",
        "A dropout that is made but not called does nothing.",
    ),
    "dropout_on_value": (
        {"places": "value output"},
        "dropout acts on the values instead of the attention weights",
        "What is dropped is that a query looks at a key: one number of the T x S weights.",
    ),
    "dropout_on_context": (
        {"places": "context output"},
        "dropout acts on the weighted mean instead of the attention weights",
        "What is dropped is that a query looks at a key: one number of the T x S weights.",
    ),
    "dropout_rate": (
        {"rate": 0.1},
        "the rate of dropout is 0.1, whatever the configuration says",
        "The rate is in the configuration.",
    ),
}


def _mistake(exercise: str, name: str, row: tuple[dict[str, Any], str, str]) -> Mistake:
    options, says, hint = row
    return Mistake(f"attention.{name.rstrip('_')}", exercise, says, hint, options)


def _mistakes() -> tuple[Mistake, ...]:
    functions = ("attention_weights", "scaled_dot_product_attention", "MultiHeadAttention")
    found = [_mistake(exercise, *item) for exercise in functions for item in _SCORING.items()]
    for name, (options, says, hint) in _HEADS.items():
        [how] = options.values()
        found.append(_mistake(f"{name.partition('_')[0]}_heads", name, ({"how": how}, says, hint)))
    return (*found, *(_mistake("MultiHeadAttention", *item) for item in (_HEADS | _MODULE).items()))


MISTAKES = _mistakes()
