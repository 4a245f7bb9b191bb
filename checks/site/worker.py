"""The process that runs the pages' code: one JSON list of blocks a line in, one of outcomes a line out."""

import contextlib
import importlib
import io
import json
import math
import os
import sys
import traceback
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from checks.curriculum import BY_NAME


class ReferenceForLessons(MetaPathFinder, Loader):
    """Gives `solutions.NAME` where a page's code imports `lessons.NAME`."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Claims the lessons' modules and nothing else."""
        package, _, name = fullname.partition(".")
        return ModuleSpec(fullname, self) if package == "lessons" and name in BY_NAME else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The reference's module itself, with its own name and spec."""
        return importlib.import_module("solutions." + spec.name.partition(".")[2])

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: the module has run already."""


def run_block(code: str, namespace: dict[str, Any]) -> tuple[str, str]:
    """What `code` printed and, if it raised, the end of the traceback."""
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(code, "<page>", "exec"), namespace)
        except Exception:
            error = "".join(traceback.format_exc(limit=-2))
    return printed.getvalue(), error


def main() -> None:
    """Serves until its input ends."""
    sys.meta_path.insert(0, ReferenceForLessons())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        namespace: dict[str, Any] = {"__name__": "__page__", "math": math}
        outcomes = [run_block(block, namespace) for block in json.loads(line)]
        answers.write(json.dumps(outcomes) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
