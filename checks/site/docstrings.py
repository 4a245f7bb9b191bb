"""Docstrings on the reference page: brackets are shapes and lists there, not links; examples are code."""

import re
from typing import Any

import griffe


def plain_brackets(docstring: str) -> str:
    """The docstring with `[` escaped outside code, so that Markdown sees no link in `[[5], [6]]`.

    Example:
        >>> plain_brackets("gives [5][6], written `[5]`")
        'gives \\\\[5]\\\\[6], written `[5]`'
    """
    lines, in_example = [], False
    for line in docstring.split("\n"):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        lines.append(line if in_example else _escape(line))
    return "\n".join(lines)


def _escape(line: str) -> str:
    parts = line.split("`")
    return "`".join(part if at % 2 else part.replace("[", "\\[") for at, part in enumerate(parts))


class PlainBrackets(griffe.Extension):
    """Applies `plain_brackets` to every docstring, and makes `Example:` the section that griffe knows."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each function, class, attribute and module."""
        if obj.docstring is not None:
            value = plain_brackets(obj.docstring.value)
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", value, flags=re.MULTILINE)
