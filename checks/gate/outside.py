"""Wrong programs outside the bank: what a mutation tool (mutmut) makes of the solutions.

The bank's mutants were written together with the checks. These were not, so they show what the checks miss,
and whether a mistake is named where there is another one.
"""

import ast
import contextlib
import hashlib
from dataclasses import dataclass
from difflib import SequenceMatcher

from checks.curriculum import BY_NAME, ROOT
from checks.gate.edits import SOLUTIONS, edited_source
from checks.mutants import mutants_of


@dataclass(frozen=True)
class Program:
    """The reference with one edit by the tool, in `exercise`; `change` shows the lines, old and new."""

    id: str
    lesson: str
    exercise: str
    change: str
    source: str


def programs(lesson: str) -> list[Program]:
    """All programs of a lesson, without those that equal the reference or a mutant of the bank."""
    original = (SOLUTIONS / f"{lesson}.py").read_text(encoding="utf-8")
    bank = {_form(original), *(_form(edited_source(lesson, m.edit)) for m in mutants_of(lesson))}
    found: dict[str, Program] = {}
    for source in _mutated(lesson, original):
        if _form(source) in bank:
            continue
        program = _program(lesson, original, source)
        if program:
            found.setdefault(program.id, program)
    return list(found.values())


def sample(every: list[Program], count: int) -> list[Program]:
    """At most `count` of them, in the order of their ids, which are hashes: chance, but the same each time."""
    return sorted(every, key=lambda program: program.id.rpartition(".")[2])[:count]


def _mutated(lesson: str, original: str) -> list[str]:
    from mutmut.mutation.file_mutation import create_mutations

    with contextlib.chdir(ROOT):  # where its configuration stands
        module, mutations, _, _ = create_mutations(f"{lesson}.py", original)
    changed = [module.deep_replace(m.original_node, m.mutated_node) for m in mutations]
    return [tree.code for tree in changed]  # type: ignore[union-attr]


def _form(source: str) -> str:
    return ast.dump(_without_messages(ast.parse(source)))


class _Silent(ast.NodeTransformer):
    """Drops docstrings and the words of error messages, which no check judges."""

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        if isinstance(node.exc, ast.Call):
            node.exc.args, node.exc.keywords = [], []
        return node



def _without_messages(tree: ast.Module) -> ast.Module:
    _Silent().visit(tree)
    return tree


def _program(lesson: str, original: str, source: str) -> Program | None:
    old, new = original.splitlines(), source.splitlines()
    blocks = [b for b in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if b[0] != "equal"]
    if not blocks:
        return None
    _, first, last, new_first, new_last = blocks[0]
    change = f"{_joined(old[first:last])}  ->  {_joined(new[new_first:new_last])}"
    name = _definition_at(ast.parse(original), first + 1)
    exercise = exercise_of(lesson, name)
    digest = hashlib.sha256(f"{name} {change}".encode()).hexdigest()[:10]
    return Program(f"{lesson}.{name}.{digest}", lesson, exercise, change, source)


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _definition_at(tree: ast.Module, line: int) -> str:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first <= line <= (node.end_lineno or line):
                return node.name
    return "module"


def exercise_of(lesson: str, name: str) -> str:
    """The exercise that a definition belongs to: itself, or "" for a helper."""
    return name if name in BY_NAME[lesson].exercises else ""

