"""The stand-alone script of a failing case: plain Python, without pytest and without the check."""

from pathlib import Path

from checks.curriculum import BY_NAME, ROOT
from checks.workbench.literals import UNPACK, Literals
from checks.workbench.requests import Failure, Request, references
from checks.workbench.statements import PLAIN, Writer

CONFIG_RECORD = "ModelConfig"


def script_of(failure: Failure, folder: Path) -> str:
    """The script's text."""
    check = failure.verdict.check
    names = _names(failure.requests)
    is_plain = all(request.operation in PLAIN for request in failure.requests)
    framework = ("torch" if BY_NAME[check.lesson].uses_torch else "numpy") if is_plain else "plain"
    literals = Literals(framework, names)
    writer = Writer(literals, check.lesson)
    body = [line for request in failure.requests for line in writer.lines(request, is_plain)]
    head = [f'"""The smallest case found that fails: {check.name}', "", f"Claim: {check.claim}"]
    said = [line.replace("\\", "\\\\").replace('"""', "'''") for line in failure.verdict.lines]
    head += ["", *said, '"""', ""]
    head += _imports(check.lesson, folder, is_plain, writer, check.assembly)
    ends = [
        f'print("got      ", {writer.last})',
        f'print("expected  see the lines at the top of {_file_name(check.name)}")',
    ]
    return "\n".join([*head, *body, "", *ends]) + "\n"


def path_of(check: str, state: Path) -> Path:
    """Where a check's script goes."""
    return state / _file_name(check)


def _file_name(check: str) -> str:
    return f"repro_{check.removeprefix('test_')}.py"


def _names(requests: list[Request]) -> dict[int, str]:
    """A variable for each kept thing: `module`, `dataset`, ..., numbered from the second on."""
    kinds = {
        "new": "module",
        "new_dataset": "dataset",
        "keep": "kept",
        "clone": "copied",
        "pickled": "copied",
    }
    taken: dict[str, int] = {}
    names = {}
    for request in requests:
        for number in sorted(references(request.result)):
            kind = kinds.get(request.operation, "thing")
            taken[kind] = taken.get(kind, 0) + 1
            names[number] = kind if taken[kind] == 1 else f"{kind}_{taken[kind]}"
    return names


def _imports(lesson: str, folder: Path, is_plain: bool, writer: Writer, assembly: bool) -> list[str]:
    literals = writer.literals
    lines = ["import sys", "", f"sys.path.insert(0, {str(ROOT)!r})", "", "import numpy as np"]
    if literals.framework == "torch":
        lines += ["import torch", "from torch import nn"]
    if literals.packs:
        lines += ["import base64", "import zlib"]
    lines += [f"import {name}" for name in sorted(writer.modules)]
    if literals.records - {CONFIG_RECORD}:
        lines.append(
            f"from lessons.given.records import {', '.join(sorted(literals.records - {CONFIG_RECORD}))}"
        )
    if CONFIG_RECORD in literals.records:
        lines.append("from lessons.given.config import ModelConfig")
    if not is_plain:
        lines += ["from pathlib import Path", "from checks.subject import Seed, TorchSeed"]
        lines += ["from checks.subject.runtime import Runtime", ""]
        lines.append(f"run = Runtime(Path({str(folder)!r}), {lesson!r}, assembly={assembly})")
    elif folder == ROOT / "lessons" and not BY_NAME[lesson].needs:
        lines.append(f"from lessons.{lesson} import {', '.join(sorted(writer.used))}")
    else:
        lines += ["from pathlib import Path", "from checks.subject.world import World", ""]
        lines.append("# The other lessons are the reference where it is at hand, as in the check.")
        world = "None" if assembly else repr(lesson)
        lines.append(f"world = World(Path({str(folder)!r}), {world})")
        lines += [
            f"{name} = world.load({writer.homes.get(name, lesson)!r}).{name}" for name in sorted(writer.used)
        ]
    return [*lines, *(UNPACK.splitlines() if literals.packs else []), ""]
