"""Do-nothing subjects: every exercise returns None, zeros of the right shape, its own first input, or a line.

A check that passes on one of them judges nothing. A function whose result is a list of strings of no given
number (`tokenize`, `find_faults`) has two: "zeros" is the empty list, and "line" always the same single line.
"""

import ast
import shutil
from pathlib import Path

from checks.curriculum import BY_NAME, LESSONS
from checks.gate.edits import SOLUTIONS

KINDS = ("none", "zeros", "input", "line")

_WRAPPER = """

def _zeros_like(value):
    import numpy
    kind = type(value).__name__
    if isinstance(value, numpy.ndarray):
        return numpy.zeros_like(value)
    if kind in ("Tensor", "Parameter"):
        return (value.detach() * 0).nan_to_num()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_zeros_like, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(_zeros_like, value))
    if isinstance(value, dict):
        return {key: _zeros_like(entry) for key, entry in value.items()}
    if hasattr(value, "parameters"):
        for parameter in value.parameters():
            parameter.data.zero_()
        return value
    if kind == "ModelConfig":  # zero layers of size zero: no configuration at all
        return dict.fromkeys(vars(value), 0)
    return type(value)() if isinstance(value, (bool, int, float, str)) else value


def _zero_file(value):
    import pathlib
    if isinstance(value, (str, pathlib.Path)) and pathlib.Path(value).is_file():
        pathlib.Path(value).write_bytes(bytes(pathlib.Path(value).stat().st_size))


def _made_lazy(function, kind, skip):
    def lazy(*args, **kwargs):
        if function.__annotations__.get("return") == list[str] and kind in ("zeros", "line"):
            return ["x"] if kind == "line" else []
        if kind in ("none", "line"):
            return None
        if kind == "input":
            return args[skip] if len(args) > skip else next(iter(kwargs.values()), None)
        try:
            result = function(*args, **kwargs)
            changed = args if result is None else ()
            for value in changed:  # a function that works in place or writes a file: what it changed becomes zeros
                _zeros_like(value)
                _zero_file(value)
            return _zeros_like(result)
        except Exception:
            return None
    return lazy


def _make_lazy(kind, exercises):
    for name in exercises:
        thing = globals()[name]
        if isinstance(thing, type):
            methods = ("forward", "mlm_logits", "sentence_logits", "__getitem__", "__len__")
            for method in [m for m in methods if hasattr(thing, m)]:
                setattr(thing, method, _made_lazy(getattr(thing, method), kind, 1))
        else:
            globals()[name] = _made_lazy(thing, kind, 0)
"""


def kinds_of(lesson: str) -> tuple[str, ...]:
    """The kinds that make sense for a lesson: "line" where a function gives a list of strings."""
    tree = ast.parse((SOLUTIONS / f"{lesson}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    lists = [f.name for f in functions if f.returns and ast.unparse(f.returns) == "list[str]"]
    return KINDS if lists else KINDS[:-1]


def write_lazy(folder: Path, lesson: str, kind: str) -> Path:
    """A whole subject in which `lesson` does nothing and every other lesson is the reference."""
    folder.mkdir(parents=True, exist_ok=True)
    for other in LESSONS:
        shutil.copy(SOLUTIONS / f"{other.module}.py", folder)
    source = (SOLUTIONS / f"{lesson}.py").read_text(encoding="utf-8")
    call = f"\n\n_make_lazy({kind!r}, {BY_NAME[lesson].exercises!r})\n"
    (folder / f"{lesson}.py").write_text(source + _WRAPPER + call, encoding="utf-8")
    return folder
