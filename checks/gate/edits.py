"""Edits of the reference that make mutants and variants."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from checks.curriculum import ROOT

SOLUTIONS = ROOT / "solutions"


@dataclass(frozen=True)
class Edit:
    """Text edits `swap` (old, new; old stands exactly once, white space counts), whole functions or methods in
    `functions` ("name" or "Class.method" -> new source, without docstring), and lines added after the imports."""

    swap: tuple[tuple[str, str], ...] = ()
    functions: dict[str, str] = field(default_factory=dict)
    extra: str = ""

    def apply(self, source: str) -> str:
        """The edited source; ValueError when an edit does not fit exactly once."""
        for old, new in self.swap:
            if source.count(old) != 1:
                raise ValueError(f"the text to edit stands {source.count(old)} times, expected once: {old!r}")
            source = source.replace(old, new)
        for name, text in self.functions.items():
            source = _with_function(source, name, text)
        return _with_extra(source, self.extra) if self.extra else source


@dataclass(frozen=True)
class Mutant:
    """A wrong implementation of `exercise`.

    `misconception` says in words what its author believed; `killed_by` names the check that must fail;
    `mistake` is the id of the oracle's option that computes the same, where there is one; `source` is where it
    was seen. Equal mutants of one class share a mistake.
    """

    id: str
    exercise: str
    edit: Edit
    misconception: str
    killed_by: str
    mistake: str | None = None
    source: str = ""


@dataclass(frozen=True)
class Variant:
    """A right implementation of `exercise` that differs from the reference as `says` tells."""

    id: str
    exercise: str
    edit: Edit
    says: str


def edited_source(lesson: str, edit: Edit) -> str:
    """The reference of `lesson` with the edit made."""
    return edit.apply((SOLUTIONS / f"{lesson}.py").read_text(encoding="utf-8"))


def write_subject(folder: Path, lesson: str, edit: Edit) -> Path:
    """A folder that holds the edited lesson and nothing else: in isolation the others are the reference."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{lesson}.py").write_text(edited_source(lesson, edit), encoding="utf-8")
    return folder


def _with_function(source: str, name: str, text: str) -> str:
    node = _find(ast.parse(source), name)
    lines = source.splitlines(keepends=True)
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
    assert node.end_lineno is not None
    indent = " " * node.col_offset
    body = _dedent(text)
    new = "".join(indent + line if line.strip() else line for line in body.splitlines(keepends=True))
    return "".join([*lines[:first], new.rstrip("\n") + "\n", *lines[node.end_lineno :]])


def _find(tree: ast.Module, name: str) -> ast.FunctionDef:
    scope: ast.Module | ast.ClassDef = tree
    *outer, last = name.split(".")
    for part in outer:
        scope = next(n for n in scope.body if isinstance(n, ast.ClassDef) and n.name == part)
    for node in scope.body:
        if isinstance(node, ast.FunctionDef) and node.name == last:
            return node
    raise ValueError(f"the reference has no function {name}")


def _dedent(text: str) -> str:
    lines = text.strip("\n").splitlines(keepends=True)
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "".join(line[depth:] if line.strip() else line for line in lines)


def _with_extra(source: str, extra: str) -> str:
    """Put lines after the last import of the module."""
    tree = ast.parse(source)
    last = max(n.end_lineno or 0 for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom))
    lines = source.splitlines(keepends=True)
    return "".join([*lines[:last], re.sub(r"\n*\Z", "\n", _dedent(extra)), *lines[last:]])
