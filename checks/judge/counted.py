"""Counts in sentences: "1 check", "2 checks"."""


def counted(number: float, one: str, many: str = "") -> str:
    """A number and what it counts, in the singular where it is one.

    >>> counted(1, "step"), counted(0, "step"), counted(0.5, "point"), counted(2, "entry", "entries")
    ('1 step', '0 steps', '0.5 points', '2 entries')
    """
    return f"{number:g} {one if number == 1 else many or one + 's'}"
