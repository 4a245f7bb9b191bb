"""Finds the fenced blocks of a page."""

import re
from typing import NamedTuple

OPENING = re.compile(r"^(?P<indent>[ >]*)(?P<ticks>`{3,}|~{3,})[ ]*(?P<info>[^`]*)$")


class Fence(NamedTuple):
    """One fenced block: where it is (line numbers from 0, `end` past its last line) and what it holds."""

    start: int
    end: int
    indent: str
    info: str
    body: str


def find_fences(markdown: str) -> list[Fence]:
    """All fenced blocks of a page in order; a block inside another one is part of its body.

    Example:
        >>> [(fence.info, fence.body) for fence in find_fences("a\\n```text\\nb\\n```\\n")]
        [('text', 'b\\n')]
    """
    lines, fences, at = markdown.split("\n"), [], 0
    while at < len(lines):
        opening = OPENING.match(lines[at])
        end = _closing_line(lines, at, opening) if opening else None
        if opening is None or end is None:
            at += 1
            continue
        indent = opening["indent"]
        body = [line.removeprefix(indent) for line in lines[at + 1 : end]]
        fences.append(Fence(at, end + 1, indent, opening["info"].strip(), "".join(f"{x}\n" for x in body)))
        at = end + 1
    return fences


def _closing_line(lines: list[str], start: int, opening: re.Match[str]) -> int | None:
    closing = re.compile(rf"^[ >]*{re.escape(opening['ticks'][0])}{{{len(opening['ticks'])},}}[ ]*$")
    return next((at for at in range(start + 1, len(lines)) if closing.match(lines[at])), None)
