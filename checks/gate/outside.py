"""Wrong programs outside the bank: what a mutation tool (mutmut) makes of the solutions.

The bank's mutants were written together with the checks. These were not, so they show what the checks miss,
and whether a mistake is named where there is another one.
"""

import ast
import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from checks.curriculum import ROOT
from checks.gate.edits import SOLUTIONS, edited_source
from checks.mutants import mutants_of

# One way to build `find_faults` among many, most of it in twos and threes: the bank judges it by what it finds.
LEFT_OUT = ("_global_state", "_broken_rules", "_wrong_chance", "_wrong_shares", "_strays", "_new")


@dataclass(frozen=True)
class Program:
    """The reference with one edit by the tool, in `definition`; `change` shows the lines, old and new."""

    id: str
    lesson: str
    definition: str
    change: str
    source: str


def programs(lesson: str, count: int) -> list[Program]:
    """`count` programs of a lesson, or all where there are fewer, none equal to the reference or to the bank.

    They are taken in the order of a hash of the edit: by chance, and the same each time.
    """
    original = (SOLUTIONS / f"{lesson}.py").read_text(encoding="utf-8")
    seen = {_form(original), *(_form(edited_source(lesson, m.edit)) for m in mutants_of(lesson))}
    found: list[Program] = []
    for digest, source in _edits(lesson, original):
        if len(found) == count:
            break
        first, change = _difference(original.splitlines(), source.splitlines())
        name = _definition_at(ast.parse(original), first + 1)
        form = _form(source)
        if form not in seen and name not in LEFT_OUT:
            seen.add(form)
            found.append(Program(f"{lesson}.{name}.{digest}", lesson, name, change, source))
    return found


def _edits(lesson: str, original: str) -> Iterator[tuple[str, str]]:
    """Hash and source of every edit of the tool, by hash."""
    from mutmut.mutation.file_mutation import create_mutations

    with contextlib.chdir(ROOT):  # where its configuration stands
        module, mutations, _, _ = create_mutations(f"{lesson}.py", original)
    texts: dict[str, int] = {}
    by_digest: dict[str, Any] = {}
    for mutation in mutations:
        text = "\0".join(module.code_for_node(n) for n in (mutation.original_node, mutation.mutated_node))
        texts[text] = texts.get(text, 0) + 1
        by_digest[hashlib.sha256(f"{text}\0{texts[text]}".encode()).hexdigest()[:10]] = mutation
    for digest, mutation in sorted(by_digest.items()):
        changed: Any = module.deep_replace(mutation.original_node, mutation.mutated_node)
        yield digest, changed.code


class _Silent(ast.NodeTransformer):
    """Drops the words of error messages, which no check judges."""

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        if isinstance(node.exc, ast.Call):
            node.exc.args, node.exc.keywords = [], []
        return node


def _form(source: str) -> str:
    return ast.dump(_Silent().visit(ast.parse(source)))


def _difference(old: list[str], new: list[str]) -> tuple[int, str]:
    """The first line that differs, and the lines that do."""
    shorter = min(len(old), len(new))
    first = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    same = next((i for i in range(shorter - first) if old[-1 - i] != new[-1 - i]), shorter - first)
    texts = (" ".join(" ".join(lines[first : len(lines) - same]).split()) for lines in (old, new))
    return first, "  ->  ".join(texts)


def _definition_at(tree: ast.Module, line: int) -> str:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first <= line <= (node.end_lineno or line):
                return node.name
    return "module"
