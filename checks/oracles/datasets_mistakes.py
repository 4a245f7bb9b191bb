"""Known mistakes of lesson 4: as options of `collate`, and as facts that they change in a dataset."""

from typing import Any

from checks.judge import Mistake

Row = tuple[tuple[str, ...], str, str]

_ORDER = ("equal in reverse", "equal when asked again", "equal back in epoch 0")
_DATASETS: dict[str, Row] = {
    "one_generator": (
        (*_ORDER, "equal in a pickled copy"),
        "one generator is kept and serves for all masks, so that an item depends on what was asked before",
        "Make the generator of an item when the item is asked for, from numbers that do not change.",
    ),
    "unseeded": (
        (*_ORDER, "equal in a pickled copy", "equal in a second dataset"),
        "the masks are drawn from a generator without a seed",
        "What should a generator be made from, so that another process makes the same?",
    ),
    "masks_of_all_epochs": (
        ("masks of another epoch",),
        "the masks do not depend on the epoch: each text is masked alike for ever",
        "Three numbers decide the masks of an item. Which one is missing?",
    ),
    "pairs_of_all_epochs": (
        ("pairs of another epoch",),
        "the pairs are drawn once and stay in every epoch",
        "set_epoch has two things to do.",
    ),
    "epoch_ignored": (
        ("pairs of another epoch", "masks of another epoch"),
        "the epoch changes nothing",
        "set_epoch has to keep the epoch, and both kinds of generator are made from it.",
    ),
    "one_mask": (
        ("masks of another item",),
        "every item of an epoch is masked alike",
        "Three numbers decide the masks of an item. Which one is missing?",
    ),
    "numbers_added": (
        ("masks of the next item in the epoch before",),
        "seed, epoch and index are added up, so that different items share their masks",
        "1 + 0 is 0 + 1. A generator can be made from several numbers without adding them.",
    ),
    "masks_of_all_seeds": (
        ("masks of another seed",),
        "the masks do not depend on the seed",
        "Three numbers decide the masks of an item. Which one is missing?",
    ),
    "pairs_of_all_seeds": (
        ("pairs of another seed",),
        "the pairs do not depend on the seed",
        "Two numbers decide the pairs of an epoch. Which one is missing?",
    ),
    "probability_ignored": (
        ("nothing selected at 0", "every word selected at 1"),
        "`probability` does not reach the masking",
        "Follow the argument from the constructor to the function that masks.",
    ),
    "pairs_go_on": (
        ("equal back in epoch 0",),
        "the generator of the pairs is kept, so that an epoch's pairs depend on how often one was set",
        "Going back to an epoch gives its items again: make the generator anew.",
    ),
}
_COLLATE: dict[str, tuple[dict[str, Any], str, str]] = {
    "labels_padded_with_0": (
        {"label_fill": 0},
        "labels are padded with 0, so that the model is asked for [PAD] there",
        "Which label says that there is nothing to predict?",
    ),
    "labels_padded_with_-1": (
        {"label_fill": -1},
        "labels are padded with -1",
        "The label that says that there is nothing to predict is IGNORE_INDEX.",
    ),
    "segments_padded_with_1": (
        {"segment_fill": 1},
        "padding is counted to segment 1",
        "Padding has segment 0.",
    ),
    "ids_padded_with_ignore": (
        {"id_fill": -100},
        "ids are padded with the label's fill value, which no table has a row for",
        "Each field has its own fill value.",
    ),
    "mask_all_true": (
        {"mask": "all"},
        "the attention mask is True at padding too",
        "True marks real tokens.",
    ),
    "mask_from_ids": (
        {"mask": "ids"},
        "the attention mask is made from the ids, not from the lengths",
        "The examples know how long they are.",
    ),
    "mask_words_only": (
        {"mask": "words"},
        "the attention mask is False at special tokens",
        "[CLS], [SEP] and [MASK] are real tokens.",
    ),
    "mask_inverted": (
        {"mask": "inverted"},
        "the attention mask is upside down",
        "True marks real tokens.",
    ),
    "padded_left": (
        {"side": "left"},
        "padding stands on the left",
        "Position 0 is [CLS]: padding goes to the right.",
    ),
    "length_ignored": (
        {"width": "longest"},
        "`length` is not used",
        "With `length` given the batch has exactly that many columns.",
    ),
}


def _mistakes() -> tuple[Mistake, ...]:
    found = [
        Mistake(f"datasets.{name}", "collate", says, hint, o) for name, (o, says, hint) in _COLLATE.items()
    ]
    for exercise in ("BERTDataset", "ALBERTDataset"):
        for name, (changed, says, hint) in _DATASETS.items():
            options = dict.fromkeys(changed, False)
            found.append(Mistake(f"datasets.{name}", exercise, says, hint, options))
    return tuple(found)


MISTAKES = _mistakes()
