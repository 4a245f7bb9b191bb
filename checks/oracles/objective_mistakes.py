"""Known mistakes of lesson 13, as options of its oracle. One cause has one id in every exercise that shows it."""

from typing import Any

from checks.judge import Mistake

Row = tuple[str, dict[str, Any], str, str]

_LOSS: tuple[Row, ...] = (
    (
        "mean_over_places",
        {"mean": "places"},
        "the sum over labelled tokens is divided by all B*T places",
        "Most places have no label. Should a batch with fewer labels have a smaller loss?",
    ),
    (
        "mean_over_real",
        {"mean": "real"},
        "the sum over labelled tokens is divided by the number of real tokens",
        "A real token without a label adds nothing to the sum. Should it count below the line?",
    ),
    (
        "mean_of_rows",
        {"mean": "rows"},
        "each row's mean is taken first, and then the mean of the rows",
        "A row with four labels has four times as much to say as a row with one.",
    ),
    (
        "divided_by_batch",
        {"mean": "batch"},
        "the sum over labelled tokens is divided by the number of rows",
        "Count what was added up.",
    ),
    (
        "summed",
        {"mean": "sum"},
        "the losses are added up, and never divided",
        "The loss of a batch is a mean: twice the batch must not mean twice the loss.",
    ),
    (
        "label_zero_dropped",
        {"counted": lambda label: label > 0},
        "a label of 0 does not count, as if only ids above 0 were labels",
        "Only IGNORE_INDEX says that there is no label.",
    ),
    (
        "softmax_twice",
        {"twice": "words pairs"},
        "probabilities instead of logits go into the cross-entropy, which takes a softmax of its own",
        "The loss of a model that is sure and right should be near 0. How small does yours get?",
    ),
    (
        "pairs_softmax_twice",
        {"twice": "pairs"},
        "a softmax is taken of the pairs' logits before the cross-entropy, which takes one of its own",
        "What is added to the word loss cannot fall below 0.31 so. What does a sure and right pair cost?",
    ),
    (
        "words_softmax_twice",
        {"twice": "words"},
        "a softmax is taken of the words' logits before the cross-entropy, which takes one of its own",
        "The loss of a model that is sure and right should be near 0. How small does yours get?",
    ),
    (
        "unlabelled_is_nan",
        {"empty": "nan"},
        "a batch without a labelled token divides 0 by 0",
        "How many labels does a short text have at least? See to the case before you divide.",
    ),
    (
        "no_row_offset",
        {"row_of": lambda b: 0},
        "places are numbered within their row, so that all rows take their logits from row 0",
        "`positions` counts along the flattened B*T axis. Where does row 1 begin there?",
    ),
    (
        "scrambled",
        {"scrambled": True},
        "logits are viewed as [B, V, T] instead of transposed",
        "A view keeps the order in memory. Which axis should move?",
    ),
    (
        "pairs_flipped",
        {"flipped": True},
        "logit 0 is taken for true order",
        "In this course label 1, and with it logit 1, means true order.",
    ),
    (
        "pairs_ignore_zero",
        {"true_only": True},
        "pairs with label 0 do not count",
        "0 is a class here, not the absence of a label.",
    ),
    (
        "total_is_mean",
        {"total": (0.5, 0.5)},
        "the total is the mean of the two losses instead of their sum",
        "Both losses are added, with weight 1 each.",
    ),
    (
        "total_is_mlm",
        {"total": (1.0, 0.0)},
        "the total leaves the sentence loss out, so that the sentence head is never trained",
        "What is minimised is the total. Who is in it?",
    ),
    (
        "mode_changed",
        {"in_train": False},
        "the model is put in eval mode on the way",
        "The caller chose the mode: training needs dropout.",
    ),
)
_WORDS: tuple[Row, ...] = (
    (
        "accuracy_of_places",
        {"of": "places"},
        "unlabelled places count as wrong",
        "Below the line belongs what could have been right.",
    ),
    (
        "accuracy_unlabelled_right",
        {"of": "right"},
        "unlabelled places count as right",
        "A place without a label is no achievement.",
    ),
    (
        "accuracy_of_rows",
        {"of": "rows"},
        "each row's share is taken first, and then the mean of the rows",
        "All labelled places are equal, whatever row they stand in.",
    ),
    (
        "accuracy_label_zero_dropped",
        {"least": 1},
        "a label of 0 does not count, as if only ids above 0 were labels",
        "Only IGNORE_INDEX says that there is no label.",
    ),
    (
        "accuracy_of_least",
        {"best": "least"},
        "the smallest logit is taken for the guess",
        "Which logit belongs to the most likely word?",
    ),
)
_UNLABELLED: Row = (
    "unlabelled_is_nan",
    {"empty": "nan"},
    "the share of no labels is taken, which is 0/0",
    "Where nothing was guessed the lesson asks for 0.0. See to the case before you divide.",
)
_PAIRS: tuple[Row, ...] = (
    (
        "pairs_by_sign",
        {"best": "positive"},
        "the guess is read off the sign of logit 1 alone",
        "Two logits are compared with each other, not with 0.",
    ),
    (
        "accuracy_of_least",
        {"best": "least"},
        "the smaller logit is taken for the guess",
        "Logit 1 is the larger one where the model believes in true order.",
    ),
    (
        "accuracy_label_zero_dropped",
        {"least": 1},
        "pairs with label 0 do not count",
        "0 is a class here, not the absence of a label.",
    ),
)
_EVALUATE: tuple[Row, ...] = (
    (
        "mean_of_batches",
        {"by": "batches"},
        "each batch's mean weighs the same, however many labels it holds",
        "Split one batch in two: the figures must not move.",
    ),
    (
        "weighted_by_rows",
        {"by": "rows"},
        "word figures are weighted by the number of rows instead of labelled tokens",
        "What was averaged in a batch's mean? Its number is the weight.",
    ),
    (
        "figures_summed",
        {"by": "sum"},
        "the batches' means are added up, and never divided",
        "Divide by the sum of the weights.",
    ),
    (
        "pairs_weighted_by_tokens",
        {"pairs_by": "tokens"},
        "pair figures are weighted by labelled tokens instead of pairs",
        "Words and pairs each need a count of their own.",
    ),
    (
        "evaluated_in_train_mode",
        {"in_train": True},
        "the model is evaluated in train mode, with dropout",
        "Which call turns dropout off?",
    ),
    (
        "evaluated_with_gradients",
        {"with_grad": True},
        "gradients are recorded during the evaluation",
        "eval() changes what modules do, not what autograd does.",
    ),
    (
        "last_batch_only",
        {"seen": slice(-1, None)},
        "only the last batch's figures come back",
        "What happens to the sums when the next batch comes?",
    ),
    (
        "words_unlabelled_are_nan",
        {"unlabelled": "words"},
        "the word figures are divided by the number of labelled tokens, and there was none",
        "Where there is nothing to score the figures are 0.0.",
    ),
    (
        "pairs_unlabelled_are_nan",
        {"unlabelled": "pairs"},
        "the pair figures are divided by the number of pairs with a label, and there was none",
        "Where there is nothing to score the figures are 0.0.",
    ),
    (
        "left_in_train_mode",
        {"after": "train"},
        "the model is put in train mode at the end, whatever mode it was in",
        "Whoever calls may have frozen the model. Remember its modes before you change them.",
    ),
    (
        "left_in_eval_mode",
        {"after": "eval"},
        "the model is left in eval mode, so that training goes on without dropout",
        "Remember the modes before you change them, and put them back.",
    ),
    (
        "mode_of_the_whole",
        {"after": "whole"},
        "every part gets the mode of the whole model at the end",
        "Parts can be frozen while the rest is trained: each module has a mode of its own.",
    ),
    (
        "first_batch_only",
        {"seen": slice(0, 1)},
        "only the first batch's figures come back",
        "At which depth does the return stand?",
    ),
    (
        "accuracy_of_places",
        {"of": "places"},
        "unlabelled places count as wrong",
        "Below the line belongs what could have been right.",
    ),
)


def _of(exercise: str, rows: tuple[Row, ...]) -> tuple[Mistake, ...]:
    return tuple(
        Mistake(f"objective.{id}", exercise, says, hint, options) for id, options, says, hint in rows
    )


MISTAKES = (
    *_of("pretraining_loss", _LOSS),
    *_of("mlm_accuracy", (*_WORDS, _UNLABELLED)),
    *_of("sentence_accuracy", (*_PAIRS, _UNLABELLED)),
    *_of("evaluate", _EVALUATE),
)
