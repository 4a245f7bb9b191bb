"""Known mistakes of lesson 8, as options of its oracle."""

from typing import Any

from checks.judge import Mistake

_STACKING: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mask_dropped": (
        "the layers do not get the mask, so that real tokens read padding",
        "Follow attention_mask from the encoder's arguments to each layer.",
        {"masked": "none"},
    ),
    "mask_first": (
        "only the first layer gets the mask",
        "Padding has hidden states in every layer. Who must not read them?",
        {"masked": "first"},
    ),
    "mask_last": (
        "only the last layer gets the mask",
        "By then real tokens have read padding in the layers before.",
        {"masked": "last"},
    ),
    "no_chain": (
        "every layer gets the encoder's input instead of the output of the layer before",
        "Which variable goes into the next layer?",
        {"chain": False},
    ),
    "residual": (
        "a residual sum is put around each layer, which has its own two inside already",
        "Look again at what TransformerLayer adds by itself.",
        {"residual": True},
    ),
    "final_norm": (
        "one more layer norm stands at the end: post-LN layers end with theirs",
        "A final norm belongs to pre-LN stacks. Where do our norms stand?",
        {"final_norm": True},
    ),
}


def _stacking(exercise: str) -> list[Mistake]:
    """Under one shared layer, `no_chain` and a single pass are the same: see `encoders.once`."""
    entries = [item for item in _STACKING.items() if exercise != "ALBERTEncoder" or item[0] != "no_chain"]
    return [Mistake(f"encoders.{name}", exercise, *entry) for name, entry in entries]


MISTAKES = (
    *_stacking("BERTEncoder"),
    *_stacking("ALBERTEncoder"),
    *_stacking("PartlySharedEncoder"),
    Mistake(
        "encoders.bert_shares",
        "BERTEncoder",
        "one layer stands n_layers times in the list: that is ALBERT",
        "A list times a number repeats the object. How often is TransformerLayer(config) called?",
        {"own": "last"},
    ),
    *(
        Mistake(f"encoders.{name}", "BERTEncoder", says, hint, {"order": order})
        for name, order, says, hint in (
            (
                "reversed",
                "reversed",
                "the layers run from the last to the first",
                "Layer 0 stands next to the embeddings.",
            ),
            (
                "skips_first",
                "skips first",
                "the first layer is left out",
                "Count the layers that run: range has a start too.",
            ),
            (
                "skips_last",
                "skips last",
                "the last layer is left out",
                "Count the layers that run: range stops one early.",
            ),
            ("first_only", "first only", "only the first layer runs", "Is the return inside the loop?"),
        )
    ),
    Mistake(
        "encoders.gradient_stops",
        "BERTEncoder",
        "gradients reach only the last layer: between layers the graph is cut",
        "Nothing in an encoder needs detach, .data or no_grad.",
        {"uses": "last"},
    ),
    Mistake(
        "encoders.equal_start",
        "BERTEncoder",
        "all layers are copies of one, so that they start equal",
        "deepcopy copies the random numbers too. Draw new ones for each layer.",
        {"start": "equal"},
    ),
    Mistake(
        "encoders.copies",
        "ALBERTEncoder",
        "every step has parameters of its own: equal values, or several parameters over one storage, are not sharing",
        "Sharing is using one object again, not making equal ones. How many parameters does the encoder have?",
        {"sharing": "copies"},
    ),
    Mistake(
        "encoders.once",
        "ALBERTEncoder",
        "the layer runs once, or again and again on the encoder's input",
        "Sharing saves parameters, not work: depth stays, and each step works on what the step before gave.",
        {"times": "once a group"},
    ),
    Mistake(
        "encoders.once",
        "ALBERTEncoder",
        "the layer runs once, or again and again on the encoder's input",
        "Sharing saves parameters, not work: depth stays, and each step works on what the step before gave.",
        {"chain": False},
    ),
    Mistake(
        "encoders.one_short",
        "ALBERTEncoder",
        "the layer runs n_layers - 1 times",
        "Count the steps for n_layers = 1.",
        {"times": "one short"},
    ),
    Mistake(
        "encoders.one_more",
        "ALBERTEncoder",
        "the layer runs n_layers + 1 times",
        "Count the steps for n_layers = 1.",
        {"times": "one more"},
    ),
    Mistake(
        "encoders.gradient_first",
        "ALBERTEncoder",
        "only the first use of the shared layer gives its tensors a gradient",
        "The other uses work on something else than the named parameters, or are cut off.",
        {"uses": "first"},
    ),
    Mistake(
        "encoders.gradient_stops",
        "ALBERTEncoder",
        "only the last use of the shared layer gives its tensors a gradient",
        "Nothing in an encoder needs detach, .data or no_grad.",
        {"uses": "last"},
    ),
    Mistake(
        "encoders.repeated_entries",
        "ALBERTEncoder",
        "`layers` names the shared layer n_layers times instead of once a group",
        "Keep one entry a group, and let the loop do the repeating.",
        {"entries": "repeated"},
    ),
    Mistake(
        "encoders.spare_layers",
        "ALBERTEncoder",
        "n_layers layers are made and most of them are never used",
        "How many parameters should an encoder of 24 shared layers have?",
        {"entries": "spare"},
    ),
    *(
        Mistake(f"encoders.groups_{name}", "ALBERTEncoder", says, hint, {"groups": name})
        for name, says, hint in (
            (
                "first",
                "every step uses group 0",
                "Which step uses which group? Write it out for 6 steps and 3 groups.",
            ),
            (
                "cyclic",
                "the groups take turns (i % n_groups)",
                "A group's steps are neighbours: 0, 0, 1, 1, not 0, 1, 0, 1.",
            ),
            (
                "by_n_groups",
                "the step is divided by n_groups instead of by the steps a group has",
                "How many steps has a group?",
            ),
            ("reversed", "the groups run from the last to the first", "Step 0 uses group 0."),
            (
                "n_layers_each",
                "every group runs n_layers times",
                "n_layers counts the steps of all groups together.",
            ),
        )
    ),
    *(
        Mistake(f"encoders.partly_{name}", "PartlySharedEncoder", says, hint, options)
        for name, says, hint, options in (
            (
                "swapped",
                '"attention" shares the feed-forward part and "ffn" the attention',
                "The word says what is shared, not what is not.",
                {"shares": "the other part"},
            ),
            (
                "everything",
                "everything is shared",
                "That is ALBERTEncoder. Which part is every layer's own?",
                {"shares": "everything"},
            ),
            (
                "nothing",
                "nothing is shared",
                "Equal values are not enough: let every layer hold the same object.",
                {"shares": "nothing"},
            ),
            (
                "own_norm",
                "the shared part's norm is not shared with it",
                "A part goes with the norm after it.",
                {"norm": "own"},
            ),
            (
                "both_norms",
                "both norms are shared",
                "Only the shared part's norm goes with it.",
                {"norm": "both"},
            ),
            (
                "other_norm",
                "the wrong norm is shared",
                "A part goes with the norm after it.",
                {"norm": "other"},
            ),
        )
    ),
)
