"""File names from the names of people."""

import hashlib
import re
import unicodedata


def file_name(name: str) -> str:
    """Plain letters, and a few digits that keep two people apart.

    >>> file_name("Jörg Müller")
    'Jorg-Muller-4d8e29'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")[:40] or "x"
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
