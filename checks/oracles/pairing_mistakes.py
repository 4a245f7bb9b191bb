"""Known mistakes of lesson 3, as options of its oracle. One cause has one id in every exercise that shows it."""

from typing import Any

from checks.judge import Mistake

Row = tuple[dict[str, Any], str, str]

_BOTH: dict[str, Row] = {
    "label_google": (
        {"label": "google"},
        "label 0 stands for the true order, as in Google's code",
        "In this course 1 is the true order.",
    ),
    "label_noise": (
        {"label": "noise"},
        "the label does not say what was done with the pair",
        "One coin decides both: what becomes of the pair, and its label.",
    ),
    "label_alternates": (
        {"label": "alternates"},
        "labels come in turn instead of by chance",
        "A coin does not remember the toss before.",
    ),
    "no_negatives": (
        {"share": 0.0},
        "every pair is in true order",
        "Half of the pairs should be negatives: does your coin ever fall that way?",
    ),
    "only_negatives": (
        {"share": 1.0},
        "every pair is a negative",
        "Half of the pairs should be in true order: does your coin ever fall that way?",
    ),
    "range_exclusive": (
        {"lengths": "exclusive"},
        "the upper end of `sentences` is never drawn",
        "Does the last bound of your draw belong to its range?",
    ),
    "one_length": (
        {"lengths": "one"},
        "one draw serves for both segments, so that they have equally many sentences",
        "a and b are drawn independently of each other.",
    ),
    "most_sentences": (
        {"lengths": "most"},
        "both segments always have the largest number of sentences",
        "a and b are drawn from the range, its ends included.",
    ),
    "exact_only": (
        {"lengths": "exact"},
        "places where a segment would have to be clipped give no pair",
        "Every sentence but a document's last begins a pair, a shorter one if need be.",
    ),
    "no_overlap": (
        {"step": "whole"},
        "the next pair begins after the last one's end",
        "Every sentence but a document's last begins a pair.",
    ),
    "last_pair_missing": (
        {"last": 2},
        "the last two sentences of a document give no pair",
        "How many neighbours are there in a document of n sentences?",
    ),
    "second_empty": (
        {"room": 0},
        "the first segment may take everything, so that nothing is left for the second",
        "Clip the first segment so that one sentence remains.",
    ),
}
_NSP: dict[str, Row] = {
    "any_document": (
        {"negative": "any"},
        "a negative may come from the pair's own document, even be the true continuation",
        "Which documents may a random segment come from?",
    ),
    "own_document": (
        {"negative": "own"},
        "negatives come from the pair's own document",
        "Which documents may a random segment come from?",
    ),
    "next_document": (
        {"negative": "next"},
        "negatives always come from the document that stands next",
        "Every other document with a sentence should be as likely.",
    ),
    "by_length": (
        {"negative": "by length"},
        "a sentence is drawn from all others together, so that long documents come up more often",
        "Draw the document first, then a place in it.",
    ),
    "sop_built": (
        {"negative": "swap"},
        "negatives are the true pair swapped: that is sentence order prediction",
        "NSP's negative second segment comes from elsewhere.",
    ),
    "starts_at_first": (
        {"start": "first"},
        "a random segment always begins with its document's first sentence",
        "The start is drawn too. Else the model learns what openings look like.",
    ),
    "starts_where_it_fits": (
        {"start": "fits"},
        "a random segment only starts where all b sentences fit",
        "The start is uniform over all sentences; what is too long is clipped.",
    ),
    "same_place_ignored": (
        {"place": "ignored"},
        "`same_place` makes no difference",
        "With `same_place` the start is not drawn.",
    ),
    "same_place_at_first": (
        {"place": "at first"},
        "with `same_place` the random segment stands where the first one begins, not where the true second would",
        "Where would the true second segment start?",
    ),
}
_SOP: dict[str, Row] = {
    "nsp_built": (
        {"negative": "others"},
        "negatives come from other documents: that is next sentence prediction",
        "SOP's negative has the same two segments.",
    ),
    "backward": (
        {"negative": "backward"},
        "a negative pairs the segment with what stands before it, instead of swapping the two",
        "Cut both segments out first, then exchange them.",
    ),
}
_TRUNCATE: dict[str, Row] = {
    "tie_first": (
        {"tie": "first"},
        "on a tie the first segment loses a token instead of the second",
        "Look at two segments of one length: which one does your comparison pick?",
    ),
    "drops_head": (
        {"end": "head"},
        "tokens are dropped from the front of a segment",
        "The end of a segment goes first.",
    ),
    "cuts_second_only": (
        {"by": "second"},
        "the second segment is cut even where the first is longer",
        "Ask which is longer before each token that goes.",
    ),
    "cuts_first_only": (
        {"by": "first"},
        "the first segment is cut even where the second is longer",
        "Ask which is longer before each token that goes.",
    ),
    "halves": (
        {"by": "halves"},
        "each segment gets half of the room, although the other may not need its half",
        "A short segment leaves room for the long one.",
    ),
    "cuts_shorter": (
        {"by": "shorter"},
        "the shorter segment is cut instead of the longer",
        "Look at the direction of your comparison.",
    ),
    "one_too_many": (
        {"over": 1},
        "one token too many is left",
        "At most max_tokens: stop when the sum has reached it.",
    ),
    "one_too_few": (
        {"over": -1},
        "one token more than needed is dropped",
        "At most max_tokens: a sum of exactly that many may stay.",
    ),
}
_PACK: dict[str, Row] = {
    "no_room_for_specials": (
        {"places": 0},
        "no room is kept for the three special tokens, so that the result is longer than max_len",
        "[CLS] and two [SEP] take places too.",
    ),
    "room_for_two": (
        {"places": 2},
        "room is kept for two special tokens; there are three",
        "Count the special tokens in the picture.",
    ),
    "room_for_four": (
        {"places": 4},
        "room is kept for four special tokens; there are three",
        "Count the special tokens in the picture.",
    ),
    "sep_in_segment_1": (
        {"zeros": 1},
        "the first [SEP] is counted to segment 1",
        "[CLS] A [SEP] is segment 0.",
    ),
    "one_segment": (
        {"zeros": -1},
        "every token is in segment 0",
        "B [SEP] is segment 1.",
    ),
    "segments_from_1": (
        {"base": 1},
        "segments are numbered from 1",
        "The first segment is number 0; the model's table has two rows.",
    ),
    "cuts_the_whole": (
        {"cut": "joined"},
        "the joined sequence is cut at its end, so that the last [SEP] and much of the second segment go",
        "Truncate the two segments before they are joined.",
    ),
    "never_cut": (
        {"cut": "never"},
        "nothing is truncated",
        "The result has at most max_len tokens.",
    ),
    "not_closed": (
        {"closed": False},
        "the last [SEP] is missing",
        "Each segment is closed by a [SEP].",
    ),
    "no_separator": (
        {"middle": False},
        "there is no [SEP] between the segments",
        "Each segment is closed by a [SEP].",
    ),
    "sep_for_cls": (
        {"start": 3},
        "the sequence begins with [SEP]",
        "[CLS] is id 2, [SEP] is id 3.",
    ),
    "padded": (
        {"pad": True},
        "the result is padded to max_len",
        "Padding is left to collate, which knows the batch.",
    ),
    "segments_before_truncation": (
        {"untouched": "segments"},
        "segment numbers are made from the lengths before truncation",
        "Segment 1 starts right after the first [SEP], whatever was cut.",
    ),
}


def _mistakes() -> tuple[Mistake, ...]:
    rows = {
        "nsp_pairs": _BOTH | _NSP,
        "sop_pairs": _BOTH | _SOP,
        "truncate_pair": _TRUNCATE,
        "pack_pair": _PACK | _TRUNCATE,
    }
    return tuple(
        Mistake(f"pairing.{name}", exercise, says, hint, options)
        for exercise, named in rows.items()
        for name, (options, says, hint) in named.items()
    )


MISTAKES = _mistakes()
