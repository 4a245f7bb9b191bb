"""Whether a text repeats a reference: a worker can read earlier lessons' solutions, a page must not show them."""

import re
from collections.abc import Iterable

RUN = 40


def repeats(text: str, references: Iterable[str]) -> bool:
    """Whether `RUN` characters of `text` stand in a reference, white space apart."""
    plain = _plain(text)
    if len(plain) < RUN:
        return False
    sources = [_plain(reference) for reference in references]
    pieces = {plain[start : start + RUN] for start in range(len(plain) - RUN + 1)}
    return any(piece in source for source in sources for piece in pieces)


def _plain(text: str) -> str:
    return re.sub(r"\\n|\s+", "", text)
