"""Code and computed numbers of a page: run, compared with what the page shows, then rendered.

Three forms, all in one namespace a page, in order:

    ```python run            runs the block
    ```python run needs X    the same, but left alone with its output where the package X is not installed
    ```output                right after it: what it prints ("..." matches anything)
    {{ check 12 * 768 = 9,216 }}   a number in the text, with the expression that gives it

`math` is there without an import; all else a page imports in its blocks.
"""

import ast
import doctest
import html
import importlib.util
import math
import re
from typing import NamedTuple

from checks.site.fences import Fence, find_fences
from checks.site.runner import Outcome, run_program

PRINT_NUMBER = 'print(repr((lambda value: value.item() if hasattr(value, "item") else value)({})))'
RUN = re.compile(r"python run(?: needs (?P<package>\w+))?")
CHECK_ROLE = re.compile(r"\{\{ check (?P<expression>.+?) = (?P<shown>[^={}]+?) \}\}")


class Step(NamedTuple):
    """One thing to run: `shown` is what the page claims (None: nothing is claimed)."""

    line: int
    code: str
    shown: str | None
    is_number: bool


def steps_of(markdown: str) -> list[Step]:
    """Everything on a page that is run, in order."""
    fences = find_fences(markdown)
    steps = [
        Step(fence.start, fence.body, _output_after(fences, index, markdown), False)
        for index, fence in enumerate(fences)
        if (run := RUN.fullmatch(fence.info)) and is_installed(run["package"])
    ]
    for number, line in enumerate(outside_fences(markdown)):
        for role in CHECK_ROLE.finditer(line):
            steps.append(Step(number, PRINT_NUMBER.format(role["expression"]), role["shown"], True))
    return sorted(steps, key=lambda step: step.line)


def is_installed(package: str | None) -> bool:
    """Whether a block's package is here; a block that names none always runs."""
    return package is None or importlib.util.find_spec(package) is not None


def outside_fences(markdown: str) -> list[str]:
    """The page's lines, those of fenced blocks emptied."""
    lines = markdown.split("\n")
    for fence in find_fences(markdown):
        lines[fence.start : fence.end] = [""] * (fence.end - fence.start)
    return lines


def _output_after(fences: list[Fence], index: int, markdown: str) -> str | None:
    if index + 1 == len(fences) or fences[index + 1].info != "output":
        return None
    between = markdown.split("\n")[fences[index].end : fences[index + 1].start]
    return None if "".join(between).strip(" >") else fences[index + 1].body


def complaints(markdown: str) -> list[str]:
    """Where a page's code fails, or gives something else than the page shows."""
    steps = steps_of(markdown)
    outcomes = run_program(tuple(step.code for step in steps))
    found = [complaint(step, outcome) for step, outcome in zip(steps, outcomes, strict=True)]
    stray = [
        f"line {fence.start + 1}: an output block without a `python run` block right before it"
        for index, fence in enumerate(find_fences(markdown))
        if fence.info == "output" and not _follows_code(markdown, index)
    ]
    return [text for text in found if text] + stray


def _follows_code(markdown: str, index: int) -> bool:
    fences = find_fences(markdown)
    return (
        index > 0
        and RUN.fullmatch(fences[index - 1].info) is not None
        and _output_after(fences, index - 1, markdown) is not None
    )


def complaint(step: Step, outcome: Outcome) -> str:
    """What is wrong with one step, empty when nothing is."""
    if outcome.error:
        return f"line {step.line + 1}: the code raised\n{outcome.error}"
    if step.is_number:
        assert step.shown is not None
        got = outcome.printed.strip()
        return (
            "" if number_agrees(step.shown, got) else f"line {step.line + 1}: got {got}, shown {step.shown}"
        )
    if step.shown is None:
        return f"line {step.line + 1}: the code prints, the page shows no output" if outcome.printed else ""
    if doctest.OutputChecker().check_output(step.shown, outcome.printed, doctest.ELLIPSIS):
        return ""
    return f"line {step.line + 1}: the page shows\n{step.shown}the code prints\n{outcome.printed}"


def number_agrees(shown: str, got: str) -> bool:
    """Whether `got`, rounded to the decimals shown, is the number shown ("1,234", "55.7 %", "12M", "6.2 nats").

    Example:
        >>> number_agrees("55.7 %", "0.5568"), number_agrees("12M", "11683584"), number_agrees("2", "2.4")
        (True, True, True)
    """
    parts = re.fullmatch(r"(-?[\d,]+(?:\.\d+)?)\s*(.*)", shown.strip())
    if parts is None:
        return shown.strip() == str(ast.literal_eval(got))
    digits, unit = parts[1].replace(",", ""), parts[2]
    scale = {"%": 0.01, "k": 1e3, "M": 1e6, "B": 1e9}.get(unit, 1.0)
    decimals = len(digits.partition(".")[2])
    value = ast.literal_eval(got)
    if isinstance(value, int) and scale == 1.0 and not decimals:
        return value == int(digits)
    return math.isclose(round(value / scale, decimals), float(digits), rel_tol=0, abs_tol=1e-9)


def render(markdown: str) -> str:
    """The page with its roles and fences in the form that Markdown knows."""
    lines = markdown.split("\n")
    for fence in find_fences(markdown):
        head = lines[fence.start]
        if RUN.fullmatch(fence.info):
            lines[fence.start] = head.replace(fence.info, "python")
        elif fence.info == "output":
            lines[fence.start] = head.replace("output", '{ .text .lb-output title="It prints" }')
    for number, line in enumerate(outside_fences(markdown)):
        if "{{ check " in line:
            lines[number] = CHECK_ROLE.sub(_number_html, line)
    return "\n".join(lines)


def _number_html(role: re.Match[str]) -> str:
    return f'<span class="lb-number" title="{html.escape(role["expression"])}">{html.escape(role["shown"])}</span>'
