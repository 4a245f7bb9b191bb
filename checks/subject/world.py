"""Worlds: a private package in which one lesson is loaded among others that are known to be right.

In the world of lesson k, `k` comes from the submission and every earlier lesson from the reference; a later
one is not to be had. In the assembly world every lesson comes from the submission. The files import each
other as `from .attention import ...`, so the same text serves in `lessons`, `solutions` and here.
"""

import ast
import importlib.util
import itertools
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from checks.curriculum import BY_NAME, LESSONS, ROOT
from checks.subject.errors import Broken

PREFIX = "_litebert_world_"
REFERENCE = ROOT / "solutions"
_numbers = itertools.count()
_worlds: dict[str, "World"] = {}


class World:
    """One lesson's surroundings; `lesson=None` is the assembly of the submission's own lessons.

    `reference` is the folder of the lessons that are known to be right.
    """

    def __init__(self, root: Path, lesson: str | None, reference: Path = REFERENCE) -> None:
        self.root = root
        self.lesson = lesson
        self.reference = reference
        self.package = f"{PREFIX}{next(_numbers)}"
        _worlds[self.package] = self
        package = ModuleType(self.package)
        package.__path__ = []
        sys.modules[self.package] = package

    def load(self, module: str) -> ModuleType:
        """The module of this world, imported on first use."""
        return importlib.import_module(f"{self.package}.{module}")

    def close(self) -> None:
        """Forget the world's modules."""
        _worlds.pop(self.package, None)
        for name in [
            name for name in sys.modules if name == self.package or name.startswith(self.package + ".")
        ]:
            del sys.modules[name]

    def source_of(self, module: str) -> Path:
        """Which file serves as `module` here; ModuleNotFoundError where none may."""
        return source_of(module, self.root, self.lesson, self.reference)


def source_of(module: str, root: Path, lesson: str | None, reference: Path = REFERENCE) -> Path:
    """Which file serves as `module` in the world of `lesson`; ModuleNotFoundError where none may."""
    if module not in BY_NAME:
        raise ModuleNotFoundError(f"there is no lesson {module!r}")
    mine, right = root / f"{module}.py", reference / f"{module}.py"
    if lesson is None or module == lesson:
        return mine
    if BY_NAME[module].number > BY_NAME[lesson].number:
        raise ModuleNotFoundError(f"lesson {module} is not available while {lesson} is checked")
    return right if right.exists() else mine


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, module = fullname.partition(".")
        if package not in _worlds or not module:
            return None
        source = _worlds[package].source_of(module)
        return importlib.util.spec_from_loader(fullname, _Loader(source), origin=str(source))


class _Loader(Loader):
    def __init__(self, source: Path) -> None:
        self.source = source

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self.source)
        if not self.source.exists():
            raise Broken(f"the file {self.source.name} is missing", str(self.source))
        tree = ast.parse(self.source.read_bytes(), str(self.source))
        exec(compile(_siblings_made_relative(tree), str(self.source), "exec"), vars(module))


def _siblings_made_relative(tree: ast.Module) -> ast.Module:
    """`from lessons.attention import x` means the sibling in this world, like `from .attention import x`."""
    names = {f"lessons.{lesson.module}": lesson.module for lesson in LESSONS}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module in names:
            node.module, node.level = names[node.module], 1
    return tree


sys.meta_path.insert(0, _Finder())
