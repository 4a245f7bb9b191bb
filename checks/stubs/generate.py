"""From a solution's source to its stub: the bodies go, every other line stays as it is."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

LINE_LENGTH = 110
NO_WORK = ("...", "raise NotImplementedError")
NUMBERED = re.compile(r"# \d+\. \S")
CONTINUED = re.compile(r"#    +\S")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Comment(NamedTuple):
    """A comment that has its line to itself."""

    column: int
    text: str


def generate(source: str, lesson: str) -> str:
    """The stub of a solution.

    Every function and method body becomes its docstring, its numbered guidance comments and one line
    that raises `NotImplementedError`. All other lines (imports, constants, class headers, signatures,
    decorators) are the solution's own. A body without work in it is left alone: a docstring, `...`, or a
    `NotImplementedError` of the solution's own.

    Args:
        source: the text of `solutions/<lesson>.py`.
        lesson: the module's name, for the message.

    Raises:
        SyntaxError: `source` is not Python.

    Example:
        >>> print(generate("def half(x):\\n    # 1. Divide.\\n    return x / 2\\n", "demo"), end="")
        def half(x):
            # 1. Divide.
            raise NotImplementedError("lesson demo: half is still to do")
    """
    lines = source.split("\n")
    comments = own_line_comments(source)
    for qualified_name, function in reversed(list(functions(ast.parse(source)))):
        if has_work(function):
            _empty(lines, comments, function, f"lesson {lesson}: {qualified_name} is still to do")
    return "\n".join(lines)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Functions and methods with their qualified names, in order; none of those inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield prefix + node.name, node
        else:
            inner = f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix
            yield from functions(node, inner)


def own_line_comments(source: str) -> dict[int, Comment]:
    """Line number -> comment, for the comments that share their line with no code."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: Comment(token.start[1], token.string)
        for token in tokens
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    }


def guidance(source: str, function: Function) -> list[str]:
    """The numbered guidance of one function, one string a comment line, unindented."""
    lines, comments = source.split("\n"), own_line_comments(source)
    return _guidance(comments, _span(lines, comments, function))


def has_work(function: Function) -> bool:
    """Whether there is a body to write: more than a docstring, `...` and `raise NotImplementedError`."""
    return not all(ast.unparse(statement).startswith(NO_WORK) for statement in _work(function))


def _work(function: Function) -> list[ast.stmt]:
    """The statements after the docstring."""
    return function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body


def _span(lines: list[str], comments: dict[int, Comment], function: Function) -> range:
    """The lines of the body (from 1) without its docstring, with the comments around its statements."""

    def reach(edge: int, step: int) -> int:
        """The farthest comment of the body from `edge` on, over blank lines."""
        at = edge + step
        while 0 < at <= len(lines) and (at in comments or not lines[at - 1].strip()):
            if at in comments:
                if comments[at].column <= function.col_offset:
                    break
                edge = at
            at += step
        return edge

    first = function.body[0]
    has_docstring = _work(function) is not function.body
    start = (first.end_lineno or first.lineno) + 1 if has_docstring else reach(first.lineno, -1)
    end = reach(function.end_lineno or start, 1)
    return range(start, end + 1)


def _guidance(comments: dict[int, Comment], span: range) -> list[str]:
    kept: list[str] = []
    previous = 0
    for number in span:
        text = comments[number].text if number in comments else ""
        if NUMBERED.match(text) or (CONTINUED.match(text) and previous == number - 1):
            kept.append(text)
            previous = number
    return kept


def _empty(lines: list[str], comments: dict[int, Comment], function: Function, message: str) -> None:
    """Replace the body by its guidance and the message, in place."""
    span = _span(lines, comments, function)
    margin = " " * (function.col_offset + 4)
    stub = [margin + text for text in _guidance(comments, span)] + _raise(margin, message)
    first_statement = _work(function)[0]
    before = lines[first_statement.lineno - 1].encode()[: first_statement.col_offset].decode().rstrip()
    if before:  # the body shares its line with the signature: `def half(x): return x / 2`
        stub.insert(0, before)
    lines[span.start - 1 : span.stop - 1] = stub


def _raise(margin: str, message: str) -> list[str]:
    one_line = f'{margin}raise NotImplementedError("{message}")'
    if len(one_line) <= LINE_LENGTH:
        return [one_line]
    return [f"{margin}raise NotImplementedError(", f'{margin}    "{message}"', f"{margin})"]
