"""Which answers an operation can give at all. The host's code relies on it; a worker may send anything."""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.subject.values import Ref

MOST_ITEMS = 1_000_000
Form = Callable[[Any], bool]


def possible(operation: str, kind: str, value: Any) -> bool:
    """Whether a worker that keeps the rules could answer `operation` with this."""
    if kind == "value":
        return FORMS.get(operation, _anything)(value)
    return kind in FAILURES and type(value) is list and [type(part) for part in value] == FAILURES[kind]


def _anything(value: Any) -> bool:
    return True


def _of(kind: type) -> Form:
    return lambda value: type(value) is kind


def _list_of(form: Form) -> Form:
    return lambda value: type(value) is list and all(map(form, value))


def _parts(*forms: Form) -> Form:
    return lambda value: (
        type(value) is list
        and len(value) == len(forms)
        and all(form(part) for form, part in zip(forms, value, strict=True))
    )


def _named(form: Form) -> Form:
    return lambda value: type(value) is dict and all(type(k) is str and form(v) for k, v in value.items())


def _optional_array(value: Any) -> bool:
    return value is None or type(value) is np.ndarray


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_ITEMS


_array, _list, _nothing, _ref, _flag = _of(np.ndarray), _of(list), _of(type(None)), _of(Ref), _of(bool)
_gradients = _named(_optional_array)

FAILURES = {"raised": [str, str, str, str], "to do": [str, str], "broken": [str, str], "hang": [str]}
FORMS: dict[str, Form] = {
    **dict.fromkeys(("keep", "put", "new", "clone", "structure", "new_dataset", "pickled"), _ref),
    **dict.fromkeys(("scripted_model", "given_logits", "loader", "optimizer", "stream", "passes"), _ref),
    **dict.fromkeys(
        ("load", "change", "step", "drop", "set_epoch", "leave_gradients", "change_part"), _nothing
    ),
    **dict.fromkeys(("items", "items_written_over", "batches", "loaded", "call_each"), _list),
    **dict.fromkeys(("mode", "imports"), _flag),
    **dict.fromkeys(("length", "faults_found"), _count),
    **dict.fromkeys(("state", "step_by_groups"), _named(_array)),
    "items_of_each": _list_of(_list),
    "spoiled": _parts(_anything, _list, _anything),
    "gradients": _parts(_anything, _list_of(_optional_array)),
    "backward": _parts(_list_of(_array), _gradients, _list_of(_optional_array)),
    "loss_gradients": _parts(_anything, _gradients),
    "gradients_now": _gradients,
    "recorded": _parts(_anything, _list_of(_flag)),
    "called_under_no_grad": _parts(_anything, _list_of(_array)),
    "parameters": _named(_list_of(_count)),
    **dict.fromkeys(("draws_around", "draws_around_items"), _named(_of(float))),
    "picture": _parts(_flag, _array, _list_of(_parts(_of(str), _of(float)))),
}
