"""The known mistakes of lesson 2, in words, with the options of the oracle that compute them."""

from typing import Any

from checks.judge import Mistake

_CHOICE: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    (
        "specials_chosen",
        {"specials": True},
        "special ids are chosen too",
        "A model learns nothing from predicting [SEP] or padding. Which ids may be chosen?",
    ),
    (
        "exactly_k",
        {"choice": "exact"},
        "exactly 15 % of each row is chosen instead of a draw for each word",
        "Here every word has its own draw, so that the number of chosen words varies.",
    ),
    (
        "share_of_all",
        {"basis": "all"},
        "15 % of all tokens are chosen, special ids counted in",
        "The probability holds for each word. Padding must not raise it.",
    ),
    (
        "whole_rows",
        {"choice": "row"},
        "one draw decides for a whole row",
        "Which shape must the random numbers have?",
    ),
    (
        "inverted",
        {"inverted": True},
        "words are chosen with the opposite probability: 85 % instead of 15 %",
        "A uniform number lies below p with probability p.",
    ),
)
_FATES: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    (
        "random_overwrites",
        {"hidden": 0.72, "drawn": 0.1},
        "random words overwrite a tenth of the [MASK] places: 72 % [MASK], 10 % random, 18 % unchanged",
        "Two independent draws overlap. Can one draw settle all three fates?",
    ),
    (
        "two_percent_random",
        {"hidden": 0.8, "drawn": 0.02},
        "a tenth of the remaining fifth becomes random: 80 % [MASK], 2 % random, 18 % unchanged",
        "What share of the remaining 20 % is 10 % of all?",
    ),
    (
        "two_percent_kept",
        {"hidden": 0.8, "drawn": 0.18},
        "a tenth of the remaining fifth is kept: 80 % [MASK], 18 % random, 2 % unchanged",
        "What share of the remaining 20 % is 10 % of all?",
    ),
    (
        "always_mask",
        {"hidden": 1.0, "drawn": 0.0},
        "every chosen word becomes [MASK]",
        "Later on the model meets text without [MASK]. Two other fates prepare it for that.",
    ),
    (
        "never_kept",
        {"hidden": 0.8, "drawn": 0.2},
        "no chosen word stays as it is: 80 % [MASK], 20 % random",
        "A tenth is to stay unchanged, and to be predicted all the same.",
    ),
    (
        "never_random",
        {"hidden": 0.8, "drawn": 0.0},
        "no chosen word becomes a random word: 80 % [MASK], 20 % unchanged",
        "Is the branch of the random words ever reached?",
    ),
    (
        "ninety_mask",
        {"hidden": 0.9, "drawn": 0.1},
        "90 % become [MASK] and 10 % random, so that nothing stays unchanged",
        "Look at the limits that cut [0, 1) into three parts.",
    ),
    (
        "ninety_kept_none_random",
        {"hidden": 0.9, "drawn": 0.0},
        "90 % become [MASK] and no word becomes random",
        "Look at the limits that cut [0, 1) into three parts.",
    ),
    (
        "mask_and_random_swapped",
        {"hidden": 0.1, "drawn": 0.8},
        "the shares of [MASK] and of random words are swapped",
        "Which fate has 80 %?",
    ),
    (
        "specials_drawn",
        {"lowest": 0},
        "a random word is drawn from all ids, the special ones included",
        "Where do words start? A random [PAD] would hide the place itself.",
    ),
    (
        "mask_drawn",
        {"lowest": 4},
        "random words start at 4, which is [MASK]",
        "Count the special ids.",
    ),
    (
        "first_word_never_drawn",
        {"lowest": 6},
        "random words start at 6, so that the first word is never drawn",
        "Count the special ids.",
    ),
    (
        "last_word_never_drawn",
        {"beyond": -1},
        "the last word is never drawn",
        "Is the upper end of the draw inside or outside?",
    ),
    (
        "beyond_vocabulary",
        {"beyond": 1},
        "the id vocab_size is drawn, one past the last word",
        "Is the upper end of the draw inside or outside?",
    ),
    (
        "original_excluded",
        {"others": True},
        "the random word is never the original",
        "Uniform over all words means: the original too.",
    ),
    (
        "labels_masked",
        {"labels": "masked"},
        "labels are read after the words were hidden, so that they say [MASK]",
        "Does the name of your labels stand for the same array as the ids you edit?",
    ),
    (
        "labels_changed_only",
        {"labels": "changed"},
        "only changed places are labelled, and the unchanged tenth is lost",
        "A chosen word is predicted whatever became of it.",
    ),
    (
        "labels_hidden_only",
        {"labels": "hidden"},
        "only [MASK] places are labelled",
        "A chosen word is predicted whatever became of it.",
    ),
    (
        "labels_everywhere",
        {"labels": "everywhere"},
        "every place is labelled, chosen or not",
        "What marks a place that the loss must skip?",
    ),
    (
        "ignore_zero",
        {"ignore": 0},
        "places to skip are labelled 0, which is the id of [PAD]",
        "Which constant of the records marks a place that the loss must skip?",
    ),
    (
        "ignore_minus_one",
        {"ignore": -1},
        "places to skip are labelled -1",
        "Which constant of the records marks a place that the loss must skip?",
    ),
    (
        "selected_ignored",
        {"selected": "ignored"},
        "`selected` is given and not used",
        "Who chooses the places when `selected` is given?",
    ),
    (
        "selected_specials",
        {"selected": "specials"},
        "`selected` is obeyed at special ids too, so that [CLS] or padding is hidden and predicted",
        "Whoever gives `selected` may have covered a special id. Who leaves it out?",
    ),
    (
        "one_draw_for_both",
        {"reuse": True},
        "the number that chose a place also settles its fate, so that it is always below 0.8",
        "A number that is known to be below 0.15 is no longer uniform on 0 to 1.",
    ),
    (
        "ids_in_place",
        {"in_place": "ids"},
        "`input_ids` is changed in place",
        "np.asarray makes no copy of an array. Who else holds it?",
    ),
    (
        "selected_in_place",
        {"in_place": "selected"},
        "`selected` is changed in place",
        "`&=` writes into the array on its left.",
    ),
)
_SPANS: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    (
        "spans_uniform",
        {"lengths": "uniform"},
        "all lengths are equally likely",
        "P(n) is proportional to 1/n.",
    ),
    (
        "spans_reversed",
        {"lengths": "reversed"},
        "long spans are the likely ones",
        "P(n) is proportional to 1/n: which length has the largest share?",
    ),
    (
        "spans_longest",
        {"lengths": "longest"},
        "every span has the largest length",
        "The length is drawn anew for each span.",
    ),
    ("budget_down", {"rounding": "down"}, "the budget is rounded down", "Use Python's `round`."),
    ("budget_up", {"rounding": "up"}, "the budget is rounded up", "Use Python's `round`."),
    (
        "budget_may_be_zero",
        {"least": 0},
        "a short row gets no place at all",
        "At least one place where there is a word.",
    ),
    (
        "budget_of_all",
        {"basis": "all"},
        "the budget is a share of all tokens, special ids counted in",
        "The share is one of the words.",
    ),
)


def _of(exercise: str, rows: tuple[tuple[str, dict[str, Any], str, str], ...]) -> list[Mistake]:
    return [Mistake(f"masking.{name}", exercise, says, hint, options) for name, options, says, hint in rows]


MISTAKES = (
    *_of("select_positions", _CHOICE),
    *_of("mask_tokens", _CHOICE),
    *_of("mask_tokens", _FATES),
    *_of("select_spans", _SPANS),
)
