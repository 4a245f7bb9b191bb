"""Which part of a probe's value is wrong: a named share or property, or an entry of a list."""

from typing import Any, NamedTuple

from checks.judge.naming import Probe

ABSENT = "nothing of that name"


class Entry(NamedTuple):
    """A wrong part of a value: its name, what it is and what it should be."""

    name: str
    got: Any
    want: Any


def wrong_entries(probe: Probe, got: Any, wanted: Any) -> tuple[list[Entry], int]:
    """The parts that alone make the value wrong, in order, and how many parts were compared.

    Each part is tried by itself in a value that is right elsewhere, so that it is judged with the probe's own
    tolerance. Nothing is found where the value has no parts, or another kind or number of them.
    """
    right = _parts(wanted, got)
    mine = _parts(got, got)
    if not right or list(right) != list(mine):
        return [], 0
    found: list[Entry] = []
    compared = 0
    for key, part in right.items():
        inner = mine[key]
        if isinstance(part, dict) and isinstance(inner, dict):
            compared += len(part)
            found += _wrong_inside(probe, key, inner, right, wanted)
        else:
            compared += 1
            if not _agrees(probe, {**right, key: inner}, wanted):
                found.append(Entry(str(key), inner, part))
    return found, compared


def _wrong_inside(probe: Probe, key: Any, mine: dict, right: dict, wanted: Any) -> list[Entry]:
    found = []
    for name in dict.fromkeys([*right[key], *mine]):
        one, other = mine.get(name, ABSENT), right[key].get(name, ABSENT)
        tried = {**right, key: {**right[key], name: one}}
        if ABSENT in (one, other) or not _agrees(probe, tried, wanted):
            found.append(Entry(f"{key}: {name}", one, other))
    return found


def _agrees(probe: Probe, value: dict[Any, Any], wanted: Any) -> bool:
    whole: Any = list(value.values()) if isinstance(wanted, list) else value
    return probe.agree(whole, wanted)


def _parts(value: Any, got: Any) -> dict[Any, Any]:
    """A table's entries by key, a list's by number; of a simulated table the entries that were seen."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {f"entry {i}": part for i, part in enumerate(value)}
    if hasattr(value, "part") and isinstance(got, dict):
        return {key: value.part(key) for key in got}
    return {}
