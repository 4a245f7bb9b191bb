"""The proof that a release gives nothing away: no three statement lines in a row of a solution, mutant or variant."""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from keyword import iskeyword
from pathlib import Path
from typing import Any, NamedTuple

from checks.curriculum import LESSONS
from checks.gate.edits import SOLUTIONS, edited_source
from checks.mutants import mutants_of
from checks.stubs import generate
from checks.variants import variants_of

RUN = 3
TEXTS = {
    ".py",
    ".md",
    ".ipynb",
    ".toml",
    ".yml",
    ".yaml",
    ".html",
    ".js",
    ".txt",
    ".json",
    ".css",
    ".cfg",
    ".sh",
    "",
}
WORD = re.compile(r"[^\W\d]\w*")
Run = tuple[str, ...]


class Leak(NamedTuple):
    """Where a run of lines stands in the release, and what it is from."""

    path: Path
    line: int
    source: str
    text: str


def leaks(root: Path) -> list[Leak]:
    """Every place in the files below `root` that repeats a run of lines of an answer."""
    answers = answer_runs()
    found = []
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.suffix not in TEXTS or ".git" in path.relative_to(root).parts:
            continue
        for text in _texts(path):
            for line, run in runs(_lines(text)):
                if run in answers:
                    found.append(Leak(path.relative_to(root), line, answers[run], " / ".join(run)))
    return found


@cache
def answer_runs() -> dict[Run, str]:
    """Every run of statement lines in the bodies of solutions, mutants and variants -> what it is from."""
    found: dict[Run, str] = {}
    for lesson in LESSONS:
        path = SOLUTIONS / f"{lesson.module}.py"
        if not path.is_file():
            continue
        source = path.read_text(encoding="utf-8")
        given = {line for _, line in _lines(generate(source, lesson.module))}
        _add(found, source, given, f"solutions/{lesson.module}.py")
        for name, bank in (("mutant", mutants_of), ("variant", variants_of)):
            for entry in _entries(bank, lesson.module):
                _add(found, edited_source(lesson.module, entry.edit), given, f"{name} {entry.id}")
    return found


def runs(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Run]]:
    """Windows of `RUN` lines, each with the number of its first."""
    window: list[tuple[int, str]] = []
    for entry in lines:
        window = [*window[-(RUN - 1) :], entry]
        if len(window) == RUN:
            yield window[0][0], tuple(line for _, line in window)


def _entries(bank, lesson: str):  # type: ignore[no-untyped-def]
    try:
        return bank(lesson)
    except ModuleNotFoundError:
        return ()


def _add(found: dict[Run, str], source: str, given: set[str], name: str) -> None:
    for body in _bodies(source):
        for _, run in runs(_lines(body)):
            if not any(line in given for line in run):
                found.setdefault(run, name)


def _bodies(source: str) -> Iterator[str]:
    """The bodies of functions and methods, without docstrings."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if body:
                yield "\n".join(lines[body[0].lineno - 1 : body[-1].end_lineno])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Statement lines with their numbers, white space and comments apart.

    A line without a name of its own (`try:`, `else:`, a closing bracket) states nothing and is left out.
    """
    for number, line in enumerate(text.split("\n"), 1):
        plain = _without_comment(line)
        if any(len(word) > 1 and not iskeyword(word) for word in WORD.findall(plain)):
            yield number, "".join(plain.split())


def _without_comment(line: str) -> str:
    if "#" not in line:
        return line
    try:
        for token in tokenize.generate_tokens(io.StringIO(line.strip()).readline):
            if token.type == tokenize.COMMENT:
                return line.strip()[: token.start[1]]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return line.partition(" #")[0]
    return line


def _texts(path: Path) -> list[str]:
    """All that can be read in a file: of a page what a browser shows, of JSON and notebooks every string."""
    text = path.read_text(encoding="utf-8", errors="replace")
    match path.suffix:
        case ".html":
            return [shown(text), *_unescaped(text)]
        case ".json" | ".ipynb":
            return [seen for string in _strings(json.loads(text)) for seen in (string, shown(string))]
        case ".js":
            return [text, *_unescaped(text)]
    return [text]


def _strings(value: Any) -> Iterator[str]:
    """Every string in decoded JSON; a list of strings, such as a notebook's lines, is one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        yield "\n".join(item.removesuffix("\n") for item in value)
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _unescaped(text: str) -> list[str]:
    """A text in which string literals hold lines, with their line ends as such."""
    return [text.replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")] if "\\n" in text else []


class _Shown(HTMLParser):
    """The words of a page, without line numbers and what colours them; a block begins a line."""

    BLOCKS = frozenset({"br", "div", "dd", "dt", "h1", "h2", "h3", "li", "p", "pre", "section", "td", "tr"})

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.in_number = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.BLOCKS:
            self.parts.append("\n")
        self.in_number = ("class", "linenos") in attrs
        self.parts += [f"\n{value}\n" for _, value in attrs if value and "\n" in value]

    def handle_endtag(self, tag: str) -> None:
        self.in_number = False

    def handle_data(self, data: str) -> None:
        if not self.in_number:
            self.parts.append(data)


def shown(page: str) -> str:
    """The text of an HTML page: highlighted code has tags between its words."""
    parser = _Shown()
    parser.feed(page)
    parser.close()
    return "".join(parser.parts)
