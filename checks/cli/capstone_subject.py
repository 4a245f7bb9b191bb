"""The code that the capstone trains: loaded from a folder of lessons, and what is still to do in it."""

import ast
from pathlib import Path

from checks.curriculum import LESSONS

UNUSED_MODULES = ("checkpoint",)
UNUSED = {
    "select_spans",
    "find_faults",
    "PartlySharedEncoder",
    "decode",
    "count_parameters",
    "forward_flops",
    "break_even_embedding",
    "mlm_accuracy",
    "sentence_accuracy",
    "evaluate",
    "train_step",
    "train_model",
    "compare",
    "unfair",
    "diagnose",
}


def still_to_do(root: Path) -> list[str]:
    """What the capstone needs and the folder lacks, as `file:line name`; a syntax error is raised as it is."""
    found = []
    for lesson in LESSONS:
        if lesson.module in UNUSED_MODULES:
            continue
        path = root / f"{lesson.module}.py"
        if not path.exists():
            found.append(f"{path.name} is missing")
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        found += [f"{path.name}:{line} {name}" for name, line in _stubs(tree, lesson.exercises)]
    return found


def _stubs(tree: ast.Module, exercises: tuple[str, ...]) -> list[tuple[str, int]]:
    """The exercises of a module, and their methods, whose body still only raises NotImplementedError."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in exercises and node.name not in UNUSED:
            found += [(node.name, node.lineno)] if _is_stub(node) else []
        elif isinstance(node, ast.ClassDef) and node.name in exercises and node.name not in UNUSED:
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            found += [(f"{node.name}.{method.name}", method.lineno) for method in methods if _is_stub(method)]
    return found


def _is_stub(function: ast.FunctionDef) -> bool:
    last = function.body[-1]
    if not isinstance(last, ast.Raise) or not isinstance(last.exc, ast.Call):
        return False
    said = last.exc.args[0] if last.exc.args else None
    return (
        isinstance(last.exc.func, ast.Name)
        and last.exc.func.id == "NotImplementedError"
        and isinstance(said, ast.Constant)
        and str(said.value).endswith("is still to do")
    )
