"""Expectations: a failure says what was expected and why, and what came.

What was called is taken from the subject's record, the likely mistake from the oracle's options (`naming`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.subject.errors import Raised


class Wrong(AssertionError):
    """The judged code gave something else than expected. `because` is the reason, as a clause or sentence."""

    def __init__(self, expected: str, got: str, because: str) -> None:
        super().__init__(f"expected {expected}; got {got}; {because}")
        self.expected = expected
        self.got = got
        self.because = because


def equal(got: Any, want: Any, because: str) -> None:
    """`got` equals `want` exactly: same kind, dtype kind and shape for arrays, same entries."""
    if isinstance(want, np.ndarray):
        is_array(got, want.shape, want.dtype.kind, because)
        if not np.array_equal(got, want):
            raise Wrong(_entry_text(want, got != want, want), _entry_text(got, got != want, got), because)
    elif not same(got, want):
        raise Wrong(show(want), show(got), because)


def close(got: Any, want: Any, because: str, *, atol: float = 1e-9, rtol: float = 1e-9) -> None:
    """`got` is `want` within `atol + rtol * |want|`; arrays have the same shape and are finite.

    The default suits float64 with a few dozen operations; another tolerance needs its reason at the call.
    """
    if isinstance(want, np.ndarray):
        is_array(got, want.shape, want.dtype.kind, because)
        off = ~np.isclose(got, want, rtol=rtol, atol=atol)
        if off.any():
            raise Wrong(
                _entry_text(want, off, want), _entry_text(got, off, got) + _difference(got, want), because
            )
    elif not is_number(got) or not np.isclose(got, want, rtol=rtol, atol=atol):
        raise Wrong(show(want), show(got), because)


def is_array(got: Any, shape: tuple[int | None, ...], kind: str, because: str) -> None:
    """`got` is an array of this shape (None: any size) and dtype kind ("i", "b", "f")."""
    names = {"i": "an integer", "b": "a bool", "f": "a floating-point"}
    want_text = f"{names.get(kind, kind)} array of shape {tuple('?' if s is None else s for s in shape)}"
    if not isinstance(got, np.ndarray):
        raise Wrong(want_text, show(got), because)
    fits = len(got.shape) == len(shape) and all(w in (None, g) for g, w in zip(got.shape, shape, strict=True))
    if not fits or got.dtype.kind != kind:
        raise Wrong(want_text, in_kind(got), because)


def true(fact: bool, because: str, *, expected: Any, got: Any) -> None:
    """`fact` holds; `expected` and `got` say it in words or values."""
    if not fact:
        raise Wrong(_words(expected), _words(got), because)


def rejects(action: Callable[[], Any], kind: str, because: str) -> None:
    """`action` makes the judged code raise exactly `kind`, or a class of its own whose nearest built-in that is.

    Put a value test beside it: a raise alone earns nothing.
    """
    try:
        value = action()
    except Raised as raised:
        if raised.counts_as != kind:
            raise Wrong(kind, str(raised), because) from None
        return
    raise Wrong(kind, show(value), because)


def is_number(value: Any) -> bool:
    """A Python number or a 0-d floating array, not a bool."""
    if isinstance(value, np.ndarray):
        return value.shape == () and value.dtype.kind in "fi"
    return type(value) in (int, float)


def same(one: Any, other: Any) -> bool:
    """Equality of values in normal form, arrays included; True is not 1."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        both = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
        return (
            both
            and one.shape == other.shape
            and one.dtype.kind == other.dtype.kind
            and np.array_equal(one, other)
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def show(value: Any, width: int = 160) -> str:
    """A value in one short line."""
    if isinstance(value, np.ndarray):
        text = np.array2string(
            value, precision=4, threshold=24, edgeitems=3, separator=", ", suppress_small=True
        )
        text = " ".join(text.split())
        if value.size > 24 or value.ndim != 1:
            text = f"{text} (shape {value.shape}, {value.dtype})"
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = ", ".join(f"{k}={show(v, width // 2)}" for k, v in zip(value._fields, value, strict=True))
        text = f"{type(value).__name__}({fields})"
    elif isinstance(value, list):
        text = f"[{', '.join(show(entry, width // 2) for entry in value[:20])}{', ...' if len(value) > 20 else ''}]"
    else:
        text = repr(value)
    return text if len(text) <= width else text[: width - 4] + " ..."


def in_kind(value: Any) -> str:
    """What kind of value this is, where two kinds look alike when they are printed.

    >>> in_kind([np.zeros(2, np.int32), [1, 2]])
    'int32 array of shape (2,), list'
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array of shape {value.shape}"
    if isinstance(value, list | tuple) and any(isinstance(entry, np.ndarray | list) for entry in value[:4]):
        return ", ".join(in_kind(entry) for entry in value[:4])
    return show(value) if value is None else type(value).__name__


def _difference(got: np.ndarray, want: np.ndarray) -> str:
    """What the entries shown may not show: values that are not finite, the distance, another precision."""
    if not np.isfinite(got).all():
        return f", {int((~np.isfinite(got)).sum())} of {got.size} not finite"
    told = f", largest difference {np.abs(got - want).max():.2g}"
    return told if got.dtype == want.dtype else f"{told} (in {got.dtype})"


def _words(value: Any) -> str:
    return value if isinstance(value, str) else show(value)


def _entry_text(array: Any, off: Any, values: np.ndarray) -> str:
    """The whole array when it is small, else the first differing entry with its index."""
    if values.size <= 12:
        return show(array)
    index = tuple(int(i) for i in np.argwhere(off)[0])
    return f"{array[index]:.6g} at index {list(index)} of shape {values.shape}"
