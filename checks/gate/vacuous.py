"""Constructions that make a check vacuous, found in the source of the checks."""

import ast
from pathlib import Path

EXPECTATIONS = {"equal", "close", "is_array", "true", "rejects"}


def vacuous(path: Path) -> list[str]:
    """What is vacuous in a test module, one line each: place and reason."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    helpers = _expecting(functions)
    found: list[str] = []
    for function in functions:
        reasons = _reasons(function, helpers) if _is_check(function) else []
        reasons += _reasons_within(function)
        found += [f"{path.name}:{function.lineno} {function.name}: {reason}" for reason in reasons]
    return found


def _is_check(function: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Call) and _name(d.func) == "check" for d in function.decorator_list)


def _expecting(functions: list[ast.FunctionDef]) -> set[str]:
    """The module's own functions that expect something, by themselves or through one another."""
    expecting: set[str] = set()
    while True:
        more = {f.name for f in functions if f.name not in expecting and _expects(f, expecting)}
        if not more:
            return expecting
        expecting |= more


def _expects(function: ast.FunctionDef, helpers: set[str]) -> bool:
    """Whether a function calls an expectation, a helper that does, or raises `Wrong` itself."""
    names = [_name(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)]
    return any(
        name in EXPECTATIONS | helpers | {"Wrong"}
        or name.startswith("expect")
        or name.endswith(("judge", "expect"))
        for name in names
    )


def _reasons(function: ast.FunctionDef, helpers: set[str]) -> list[str]:
    reasons = []
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    if not {node.id for node in nodes if isinstance(node, ast.Name)} & {"subject", "assembly"}:
        reasons.append("it never reaches the subject")
    if not _expects(function, helpers):
        reasons.append("it expects nothing")
    return reasons


def _reasons_within(function: ast.FunctionDef) -> list[str]:
    reasons = []
    for call in [node for node in ast.walk(function) if isinstance(node, ast.Call)]:
        reasons += _reasons_of_call(call)
    reasons += [
        "a comparison without effect"
        for node in ast.walk(function)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare)
    ]
    return reasons


def _reasons_of_call(call: ast.Call) -> list[str]:
    reasons = []
    name = _name(call.func)
    if (
        name in ("equal", "close")
        and len(call.args) >= 2
        and ast.dump(call.args[0]) == ast.dump(call.args[1])
    ):
        reasons.append("a thing is compared with itself")
    if name in ("rejects", "outcome") and call.args and _expects_inside(call.args[0]):
        reasons.append("an expectation inside a call that should raise")
    for keyword in call.keywords:
        if keyword.arg in ("cotangent", "cotangents") and "zeros" in ast.dump(keyword.value):
            reasons.append("the gradient of a constant")
    return reasons


def _expects_inside(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Call) and _name(inner.func) in EXPECTATIONS for inner in ast.walk(node))


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""
