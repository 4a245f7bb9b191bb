"""Inputs are left as they are: shown by values, which no report of the judged process can stand in for.

The arguments are kept next to the judged code and used twice, so a change shows in what the second call gives.
Only then are they looked at, for a change that no later call can show (the order of a corpus, say).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.judge.expect import Wrong, equal
from checks.subject import Subject


def expect_unchanged(
    subject: Subject,
    function: str,
    *args: Any,
    judge: Callable[[Any, list[Any]], None],
    because: str,
    again: dict[int, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """The result of `function(*args, **kwargs)`, which is right twice over and leaves its arrays and lists alone.

    `judge(result, args)` raises `Wrong` where a result is not right for these arguments. In the second call the
    positional arguments in `again` (by number) are others: choose them so that a change to the rest would show.
    """
    first, second, after = subject.twice(function, *args, again=again, **kwargs)
    judge(first, list(args))
    try:
        judge(second, [(again or {}).get(i, value) for i, value in enumerate(args)])
    except Wrong as wrong:
        place = "a second call on the same arguments"
        raise Wrong(f"{wrong.expected} from {place}", wrong.got, because) from None
    before = [(i, value) for i, value in enumerate(args, 1) if isinstance(value, np.ndarray | list)]
    for (number, was), now in zip(before, after, strict=True):
        try:
            equal(now, was, because)
        except Wrong as wrong:
            raise Wrong(f"{wrong.expected}, as given in argument {number}", wrong.got, because) from None
    return first
