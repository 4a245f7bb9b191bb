"""Known mistakes of lesson 15, as options of its oracle."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from typing import Any

from checks.judge import Mistake

Row = tuple[str, dict[str, Any], str, str]

SMALL_WORLD = {"ln V": 5.02388, "unigram": 3.8652, "slot-unigram": 1.82201, "floor": 0.88686}

_CONFIGURATIONS: tuple[Row, ...] = (
    ("both_narrow", {"bert": {"d_embedding": "E"}}, "the embeddings of BERT are narrow too", "Which of the two models factorizes its embeddings?"),
    ("none_narrow", {"albert": {"d_embedding": None}}, "the embeddings of ALBERT are as wide as the model", "The column \"ALBERT's E\" has its place in one of the configurations."),
    ("nothing_shared", {"albert": {"sharing": "none"}}, "ALBERT shares no layers", "ModelConfig's default shares nothing. What does ALBERT share?"),
    ("both_shared", {"bert": {"sharing": "all"}}, "BERT shares its layers as well", "Sharing is what is compared: one of the two has it."),
    ("default_start", {"init_std": 0.02}, "`init_std` is left at its default in every preset", "Go through the columns of the table: one is missing."),
    ("default_activation", {"activation": "gelu"}, "`activation` is left at its default in every preset", "Go through the columns of the table: one is missing."),
    ("default_dropout", {"dropout": 0.1}, "`dropout` is left at its default in every preset", "Go through the columns of the table: one is missing."),
    ("default_max_len", {"max_len": 64}, "`max_len` is left at its default in every preset", "The last preset reads longer sequences."),
)  # fmt: skip
_COMPARE: tuple[Row, ...] = (
    ("one_start", {"starts": False}, "equal configurations do not start from equal weights", "Building a model draws from torch's global generator. When must it be seeded, so that the first model leaves no trace in the second?"),
    ("one_dataset", {"pairs": False}, "equal configurations do not train on equal pairs", "What decides a dataset's pairs? Its seed, and the epoch that it remembers: who else has used this one?"),
    ("random_place", {"nsp_tokens": "other"}, "negatives of NSP come from any place of another document", "Look up lesson 4's arguments: one keeps the place."),
    ("nsp_for_all", {"tasks": "nsp"}, "every model is scored on next sentence prediction", "ALBERT's sentence task is the order."),
    ("sop_for_all", {"tasks": "sop"}, "every model is scored on sentence order", "BERT's sentence task is next sentence prediction."),
    ("anywhere_in_name", {"rule": "anywhere"}, "a name that has \"ALBERT\" anywhere counts as an ALBERT", "Only the start of the name decides."),
    ("projection_everywhere", {"projection": "everywhere"}, "the parameters of BERT are counted with a projection", "Lesson 12's table asks whether the embeddings are factorized."),
    ("set_for_each", {"held_out": "one for each"}, "every model is scored on a held-out set of its own", "What all are scored on is drawn once."),
)  # fmt: skip
_TABLE: tuple[Row, ...] = (
    ("word_table_only", {"embedding": ("word",)}, "`embedding` counts the word table alone", "Five rows of lesson 12's table belong to the embeddings."),
    ("no_projection", {"embedding": ("word", "position", "segment", "embedding_norm")}, "`embedding` leaves out the projection", "Five rows of lesson 12's table belong to the embeddings."),
    ("no_pooler", {"heads": ("mlm_head", "sentence_head")}, "`heads` leaves out the pooler", "Three rows of lesson 12's table are heads."),
    ("first_evaluation", {"entry": 0}, "the figures are those of the first evaluation", "Which entry was taken at the end of the run?"),
    ("training_losses", {"source": "history"}, "the losses are those seen in training", "Training losses are over each model's own pairs. Which record compares?"),
    ("sentence_loss", {"columns": (0, 1, 3, 4)}, "the sentence task's loss stands under `total loss`", "An evaluation has three losses."),
    ("accuracies_exchanged", {"columns": (0, 2, 4, 3)}, "the two accuracies are exchanged", "Read the heading once more."),
    ("no_commas", {"comma": ""}, "large numbers have no commas", "A format for numbers can group digits by thousands."),
    ("two_decimals", {"places": 2}, "losses and accuracies have two decimals", "How many decimals does the text name?"),
    ("percent", {"percent": True}, "accuracies are given in per cent", "An accuracy lies between 0 and 1."),
)  # fmt: skip
_UNFAIR: tuple[Row, ...] = (
    ("missing_twice", {"missing": "equal"}, "a key that is missing in both runs counts as equal", "Two runs that do not say what they were trained on: can they be compared?"),
    ("missing_skipped", {"missing": "skipped"}, "a key that is missing in a run is passed over", "What a run does not say cannot be trusted."),
    ("early_unseen", {"early": "unseen"}, "a run that stopped early goes unnoticed", "`settings[\"steps\"]` is the plan. Where does a run say how far it came?"),
    ("early_by_length", {"early": "length"}, "the number of entries in `steps` is compared, not the last one", "A run may be evaluated more often than another and end at the same step."),
    ("rates_in_order", {"rates": "in order"}, "the order in which rates were tried counts", "Two models that both tried three rates were helped alike, whatever came first."),
    ("rates_repeated", {"rates": "as a list"}, "a rate that was tried twice counts twice", "Repeats are no further help."),
    ("number_of_rates", {"rates": "number"}, "only the number of rates is compared, not which they are", "Three small rates and three large ones are not the same help."),
    ("rate_itself", {"rates_key": "lr"}, "the rates of the runs are compared instead of the rates tried", "Each model may have the best of the same rates."),
    ("no_masks", {"leave_out": ("masks",)}, "masks are not compared", "Go through the table row by row."),
    ("no_held_out", {"leave_out": ("evaluation set",)}, "the evaluation set is not compared", "Go through the table row by row."),
    ("first_only", {"most": 1}, "only the first difference is told", "A list has room for all."),
)  # fmt: skip
_DIAGNOSE: tuple[Row, ...] = (
    *((f"no_{id}", {"leave_out": name}, f'the answer "{name}" is never given', hint) for id, name, hint in (
        ("start", "N(0,1) start", "Compare the very first loss with ln V."),
        ("dropout", "dropout in evaluation", "Two lists hold losses of the same weights on the same pairs."),
        ("floor", "below the floor", "Compare the end of the held-out loss with the floor."),
        ("everywhere", "labels everywhere", "Compare the end of the training loss with the floor."),
        ("frozen", "frozen head", "`moved` says how far each part came."),
        ("swapped", "swapped labels", "Guessing gives one half. What gives far less?"),
        ("rate", "rate too high", "Compare the end of the held-out loss with the unigram line."),
        ("plateau", "slot-unigram plateau", "Compare the end of the held-out loss with the slot-unigram line."),
    )),
    ("fixed_lines", {"lines": SMALL_WORLD}, "losses are compared with the lines of the stories' small world, whatever the recording says", "Every recording brings its own lines."),
    ("last_again", {"twice": "end"}, "the two evaluations are compared at the end of the run only", "Rounded, two losses may agree by chance. The lists have more entries."),
    ("both_frozen", {"frozen": "both heads"}, "a frozen head is found only if both heads are frozen", "One head that never moved is enough."),
    ("any_frozen", {"frozen": "any part"}, "any part that never moved is called a head", "Which of the parts are heads with a loss of their own?"),
    ("best_loss", {"read": "best"}, "the best held-out loss is read, not the last", "The signatures say how a run ends."),
    ("lowest_accuracy", {"accuracy": "lowest"}, "the lowest sentence accuracy is read, not the last", "Early in a run the sentence task may stand anywhere."),
    ("held_out_start", {"first": "held_out_mlm"}, "the start is read from the held-out loss, after an update", "Which list has an entry from before any update?"),
    ("training_judged", {"judged": "train_mlm"}, "the training loss is compared with the lines instead of the held-out loss", "Training may count other tokens. Which list is at hidden places only?"),
    *((f"{id}_sooner", {"sooner": name}, f'the answer "{name}" is tried too soon', "Where two signatures fit, the upper row of the table is the cause.") for id, name in (
        ("dropout", "dropout in evaluation"),
        ("everywhere", "labels everywhere"),
        ("frozen", "frozen head"),
        ("swapped", "swapped labels"),
        ("rate", "rate too high"),
        ("plateau", "slot-unigram plateau"),
    )),
)  # fmt: skip


def _of(exercise: str, rows: tuple[Row, ...]) -> tuple[Mistake, ...]:
    return tuple(Mistake(f"capstone.{id}", exercise, says, hint, options) for id, options, says, hint in rows)


MISTAKES = (
    *_of("configurations", _CONFIGURATIONS),
    *_of("compare", _COMPARE),
    *_of("summary_table", _TABLE),
    *_of("unfair", _UNFAIR),
    *_of("diagnose", _DIAGNOSE),
)
