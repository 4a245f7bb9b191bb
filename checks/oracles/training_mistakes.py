"""Known mistakes of lesson 14, as options of its oracle. One cause has one id in every exercise that shows it."""

import math
from typing import Any

from checks.judge import Mistake

Row = tuple[str, dict[str, Any], str, str]

_GROUPS: tuple[Row, ...] = (
    (
        "decay_all",
        {"by": "nothing"},
        "every parameter decays",
        "A norm's weight belongs near 1, not near 0. What tells it from a matrix?",
    ),
    (
        "decay_norms",
        {"by": "bias"},
        "norm weights decay: only biases are left out",
        "How many dimensions does a norm's weight have?",
    ),
    (
        "decay_no_tables",
        {"by": "no tables"},
        "embedding tables do not decay",
        "A table has two dimensions, like any matrix.",
    ),
    (
        "twice",
        {"times": "twice"},
        "a tied or shared parameter is listed once for every name it has",
        "Which way of going through a model gives each parameter once?",
    ),
    (
        "groups_exchanged",
        {"swapped": True},
        "the two groups are exchanged: biases decay and matrices do not",
        "Which group carries `weight_decay`?",
    ),
)
_RATES: tuple[Row, ...] = (
    (
        "rise_from_zero",
        {"rise": "zero"},
        "the first step has rate 0, so that it is wasted",
        "Steps count from 0. What should step 0 get of a warm-up of 4 steps?",
    ),
    (
        "rise_too_long",
        {"rise": "late"},
        "the warm-up lasts one step too long, and passes the peak",
        "Which comparison includes step `warmup_steps` itself?",
    ),
    (
        "no_rise",
        {"rise": "none"},
        "there is no warm-up",
        "While step < warmup_steps another formula holds.",
    ),
    (
        "fall_from_start",
        {"fall": "start"},
        "the fall is measured from step 0 instead of the end of the warm-up",
        "At step `warmup_steps` the rate should still be the peak.",
    ),
    (
        "fall_too_early",
        {"fall": "early"},
        "the fall reaches 0 one step too early, so that the last step is wasted",
        "Which share of the fall is left at the last step, total_steps - 1?",
    ),
    (
        "no_fall",
        {"fall": "none"},
        "the rate stays at its peak",
        "After the warm-up it falls in a straight line, to 0 at `total_steps`.",
    ),
    (
        "cosine",
        {"fall": "cosine"},
        "the rate falls along a cosine instead of a straight line",
        "The fall is straight.",
    ),
    (
        "below_zero",
        {"fall": "through"},
        "the rate goes on below 0 after the end",
        "What should hold from `total_steps` on?",
    ),
)
_CLIP: tuple[Row, ...] = (
    (
        "clip_each",
        {"clip": "each"},
        "every tensor is clipped by its own norm",
        "All gradients together are one long vector, whose direction must stay.",
    ),
    (
        "no_clip",
        {"clip": "none"},
        "gradients are not clipped before the step",
        "Clipping belongs between the gradient and the step.",
    ),
    (
        "clip_always",
        {"clip": "always"},
        "gradients are scaled to the norm also when they are below it",
        "Clipping makes long gradients shorter, and leaves short ones alone.",
    ),
    (
        "clip_value",
        {"clip": "value"},
        "every number of the gradient is cut on its own",
        "Cutting numbers turns the gradient. Shorten the whole vector instead.",
    ),
)
_STEPS: tuple[Row, ...] = (
    *_CLIP,
    (
        "stale",
        {"stale": "all"},
        "gradients of earlier batches are still there, and add up",
        "When are old gradients dropped?",
    ),
    (
        "stale_unheld",
        {"stale": "unheld"},
        "stale gradients stay on parameters that the optimiser does not hold, and shrink the step through the norm",
        "optimizer.zero_grad() reaches only what the optimiser holds.",
    ),
    (
        "loss_after",
        {"when": "after"},
        "the losses are taken after the update",
        "The losses that come back are those that the gradient was taken of.",
    ),
    (
        "no_update",
        {"moves": False},
        "the weights do not move",
        "Who applies the gradient?",
    ),
)
_MODEL: tuple[Row, ...] = (
    *((id, {"schedule": options}, says, hint) for id, options, says, hint in _RATES[:-1]),
    *_CLIP,
    ("stale", {"stale": True}, *_STEPS[len(_CLIP)][2:]),
    ("decay_all", {"decay": "all"}, *_GROUPS[0][2:]),
    ("decay_norms", {"decay": "biases"}, *_GROUPS[1][2:]),
    (
        "no_decay",
        {"decay": "none"},
        "nothing decays",
        "What do the groups carry beside their parameters?",
    ),
    (
        "coupled_decay",
        {"coupled": True},
        "the decay goes through Adam's moments, as in Adam instead of AdamW",
        "In AdamW the decay is apart from the gradient. That is the W.",
    ),
    (
        "constant_rate",
        {"constant": True},
        "the rate never changes",
        "The rate of every group is set before each step.",
    ),
    (
        "rate_per_epoch",
        {"per_epoch": True},
        "the rate changes once an epoch instead of at every step",
        "The schedule counts steps.",
    ),
    (
        "rate_ahead",
        {"ahead": 1},
        "the rate is one step ahead of the schedule",
        "Steps count from 0.",
    ),
    (
        "no_warmup",
        {"warm": lambda steps: 0},
        "the schedule gets no warm-up steps, whatever `warmup` says",
        "`warmup` is a fraction of all steps. How many are they?",
    ),
    (
        "warmup_rounded",
        {"warm": math.ceil},
        "the number of warm-up steps is rounded up",
        "int(...) cuts the fraction off.",
    ),
    (
        "epoch_from_one",
        {"epoch_of": lambda e: e + 1},
        "epochs are told to the dataset from 1 on",
        "The first epoch is epoch 0.",
    ),
    (
        "epoch_never_told",
        {"epoch_of": lambda e: -1},
        "the dataset is never told the epoch, so that all epochs have the same pairs and masks",
        "A dataset that has `set_epoch` wants to know.",
    ),
    (
        "epoch_stuck",
        {"epoch_of": lambda e: 0},
        "the dataset is told epoch 0 again and again",
        "Which number goes to `set_epoch`, and where does the call stand?",
    ),
    (
        "history_of_batches",
        {"history": "batches"},
        "each batch's mean weighs the same in the history, however many labels it holds",
        "Which number of labels was averaged in a batch's loss? Its number is the weight.",
    ),
    (
        "history_by_rows",
        {"history": "rows"},
        "the history weighs batches by their rows instead of their labels",
        "Words are weighted by labelled tokens, pairs by pairs.",
    ),
    (
        "history_last",
        {"history": "last"},
        "the history holds the last batch's losses",
        "An epoch is all of its batches.",
    ),
    (
        "history_sum",
        {"history": "sum"},
        "the history adds the batches' losses up",
        "Divide by what was counted.",
    ),
    (
        "trained_in_eval",
        {"in_train": False},
        "the model is trained in eval mode, without dropout",
        "The model may come in eval mode.",
    ),
)


def _of(exercise: str, rows: tuple[Row, ...]) -> tuple[Mistake, ...]:
    return tuple(Mistake(f"training.{id}", exercise, says, hint, options) for id, options, says, hint in rows)


MISTAKES = (
    *_of("parameter_groups", _GROUPS),
    *_of("learning_rate", _RATES),
    *_of("train_step", _STEPS),
    *_of("train_model", _MODEL),
)
