"""Right variants of lesson 11."""

from checks.gate.edits import Edit, Variant

_CHECKED = """
def from_huggingface(state_dict, config):
    bert = any(name.startswith("bert.") for name in state_dict)
    albert = any(name.startswith("albert.") for name in state_dict)
    if bert == albert:
        raise ValueError("names of neither family or of both")
    if albert and config.sharing != "all":
        raise ValueError("sharing")
    state = dict(state_dict)
    family, head = ("albert", "predictions") if albert else ("bert", "cls.predictions")
    ids = state.pop(f"{family}.embeddings.position_ids", None)
    if ids is not None and ids.tolist() != [list(range(config.max_len))]:
        raise ValueError("position_ids")
    names = tensor_names(family, config.n_groups if albert else config.n_layers)
    for copy, original in (
        (f"{head}.decoder.weight", f"{family}.embeddings.word_embeddings.weight"),
        (f"{head}.decoder.bias", f"{head}.bias"),
    ):
        if original in state and not torch.equal(state.setdefault(copy, state[original]), state[original]):
            raise ValueError(copy)
        if original not in state:
            state.pop(copy, None)
    wrong = sorted(set(names) ^ set(state))
    if wrong:
        raise ValueError("missing or unknown: " + ", ".join(sorted(wrong, key=len)))
"""

VARIANTS = (
    Variant(
        "copies_filled_in",
        "from_huggingface",
        Edit(
            functions={
                "from_huggingface": _CHECKED
                + """
    model = (ALBERTModel if albert else BERTModel)(config)
    model = model.to(state[f"{family}.embeddings.word_embeddings.weight"].dtype)
    parameters = dict(model.named_parameters(remove_duplicate=False))
    with torch.no_grad():
        for theirs, ours in names.items():
            value = state[theirs]
            if tuple(value.shape) != tuple(parameters[ours].shape):
                raise ValueError(f"{theirs}: shape")
            parameters[ours].copy_(value[[1, 0]] if ours.startswith("sentence_head") else value)
    return model
"""
            }
        ),
        "fills the copies in, compares sets of names, copies parameter by parameter",
    ),
    Variant(
        "loaded_strictly",
        "from_huggingface",
        Edit(
            functions={
                "from_huggingface": _CHECKED
                + """
    model = ALBERTModel(config) if albert else BERTModel(config)
    renamed = {ours: state[theirs].detach().clone() for theirs, ours in names.items()}
    for name in ("sentence_head.classifier.weight", "sentence_head.classifier.bias"):
        renamed[name] = torch.stack(list(renamed[name])[::-1])
    model.to(renamed["embeddings.word.weight"].dtype)
    try:
        model.load_state_dict(renamed, strict=True)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    return model
"""
            }
        ),
        "leaves the shapes to load_state_dict and turns its error into a ValueError",
    ),
    Variant(
        "parameter_by_parameter",
        "to_huggingface",
        Edit(
            functions={
                "to_huggingface": """
def to_huggingface(model):
    albert = isinstance(model, ALBERTModel)
    if albert and model.config.sharing != "all":
        raise ValueError("sharing")
    names = tensor_names("albert" if albert else "bert", model.config.n_groups if albert else model.config.n_layers)
    parameters = dict(model.named_parameters(remove_duplicate=False))
    found = {}
    for theirs in reversed(names):
        tensor = parameters[names[theirs]].detach()
        if "classifier" in names[theirs]:
            tensor = tensor[torch.tensor([1, 0])]
        found[theirs] = torch.empty_like(tensor).copy_(tensor)
    return found
"""
            }
        ),
        "from the parameters, in another order",
    ),
    Variant(
        "stacked_rows",
        "to_huggingface",
        Edit(
            swap=(
                (
                    'theirs: weights[ours].flip(0) if ours.startswith("sentence_head.") else weights[ours].clone()',
                    'theirs: torch.stack([weights[ours][1], weights[ours][0]]) if "sentence_head." in ours '
                    "else weights[ours].detach() + 0",
                ),
            )
        ),
        "rows stacked anew, and a sum in place of a clone",
    ),
    Variant(
        "own_exception",
        "from_huggingface",
        Edit(
            swap=(("def from_huggingface(", "def _converted("),),
            extra="""
class CheckpointError(ValueError):
    pass


def from_huggingface(state_dict, config):
    try:
        return _converted(state_dict, config)
    except ValueError as error:
        raise CheckpointError(str(error)) from error
""",
        ),
        "raises a class of its own that is a ValueError",
    ),
    Variant(
        "ordered",
        "to_huggingface",
        Edit(
            swap=(
                (
                    "    return {\n        theirs: weights[ours].flip(0)",
                    "    return OrderedDict({\n        theirs: weights[ours].flip(0)",
                ),
                (
                    "        for theirs, ours in names.items()\n    }\n",
                    "        for theirs, ours in names.items()\n    })\n",
                ),
            ),
            extra="from collections import OrderedDict",
        ),
        "an OrderedDict, as `state_dict()` gives",
    ),
)
