"""What runs next to the judged code: it executes requests and answers in normal form.

The same runtime serves in process and, in a grader, inside a sandboxed worker. It knows nothing of
expectations: no oracle, tolerance or check is reachable from here.
"""

import importlib
import random
import sys
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from checks.curriculum import BY_NAME
from checks.subject import values
from checks.subject.errors import Broken, Interruption, Raised, ToDo
from checks.subject.values import NotPlain, Ref, Seed, TorchSeed
from checks.subject.world import PREFIX, REFERENCE, World

OPERATION_MODULES = (
    "checks.subject.functions",
    "checks.subject.modules",
    "checks.subject.datasets",
    "checks.subject.maskers",
    "checks.subject.memory",
    "checks.subject.structures",
    "checks.subject.scripted",
    "checks.subject.pictures",
)
_STANDARD_LIBRARY = str(Path(sysconfig.get_path("stdlib"), "_"))[:-1]


class Runtime:
    """Executes requests against one world. Objects live here under numbers; values go out."""

    def __init__(self, root: Path, lesson: str, assembly: bool = False, reference: Path = REFERENCE) -> None:
        self.lesson = lesson
        self.world = World(root, None if assembly else lesson, reference)
        self.framework = "torch" if BY_NAME[lesson].uses_torch else "numpy"
        self.objects: dict[int, Any] = {}
        self.origins: dict[int, tuple[str, list, dict]] = {}
        self._next = 0

    def execute(self, operation: str, arguments: Sequence[Any]) -> Any:
        """One request. Raises `Raised`, `ToDo` or `Broken` for what the judged code did."""
        action = _operations()[operation]
        try:
            return action(self, *arguments)
        except (Interruption, KeyboardInterrupt, Raised):
            raise
        except NotPlain as error:
            raise Raised(
                "TypeError", f"returned {error}, which is not a value the lesson's interface names"
            ) from None
        except NotImplementedError as error:
            raise ToDo(str(error) or "NotImplementedError", _where(error.__traceback__)) from None
        except BaseException as error:
            kind, where = type(error), _where(error.__traceback__)
            raise Raised(kind.__name__, _message(error), where, _counts_as(kind)) from None

    def attribute(self, name: str, module: str | None = None) -> Any:
        """A name of the lesson under check (or of `module`)."""
        module = module or self.lesson
        loaded = self.load(module)
        try:
            return getattr(loaded, name)
        except AttributeError:
            raise Broken(f"{module}.py has no {name!r}", str(loaded.__file__)) from None

    def load(self, module: str) -> Any:
        """The lesson's module; `Broken` when it cannot be imported."""
        try:
            return self.world.load(module)
        except (KeyboardInterrupt, Interruption):
            raise
        except BaseException as error:
            raise _broken(module, error, self.world) from None

    def forget(self) -> None:
        """Between checks: drop what is kept, and undo what judged code may have switched for the whole process."""
        self.objects.clear()
        self.origins.clear()
        np.seterr(all="warn", under="ignore")
        torch = sys.modules.get("torch")
        if torch and hasattr(torch, "set_grad_enabled"):
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)

    def keep(self, thing: Any) -> Ref:
        """Give `thing` a number."""
        self._next += 1
        self.objects[self._next] = thing
        return Ref(self._next)

    def take(self, value: Any, framework: str | None = None) -> Any:
        """A request's value as the judged code gets it: arrays in its framework, seeds as generators."""
        framework = framework or self.framework
        match value:
            case np.ndarray():
                return _to_torch(value) if framework == "torch" else value.copy()
            case Seed():
                return np.random.default_rng(value.value)
            case TorchSeed():
                return importlib.import_module("torch").Generator().manual_seed(value.value)
            case Ref():
                return self.objects[value.number]
            case list():
                flat = values.flat_list(value)
                return [self.take(entry, framework) for entry in value] if flat is None else flat
            case dict():
                return {key: self.take(entry, framework) for key, entry in value.items()}
        name = type(value).__name__
        if values.RECORDS.get(name) is type(value):
            return self._take_record(name, value)
        return value

    def _take_record(self, name: str, value: Any) -> Any:
        framework = "numpy" if name == "Example" else self.framework
        fields = {key: self.take(entry, framework) for key, entry in values.fields_of(value).items()}
        if name == "Vocab":
            fields["tokens"] = tuple(fields["tokens"])
        return values.record(name, fields)

    def give(self, value: Any, framework: str | None = None) -> Any:
        """What the judged code gave, in normal form; NotPlain or TypeError where the kind is wrong."""
        if type(value) in values.SCALARS:
            return values.normalise(value)
        framework = framework or self.framework
        if type(value) is np.ndarray and framework == "torch":
            raise NotPlain("a NumPy array where a torch tensor is expected")
        if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
            if framework == "numpy":
                raise NotPlain("a torch tensor where a NumPy array is expected")
            return values.normalise(_to_numpy(value))
        if type(value) in (list, tuple):
            flat = values.flat_list(value)
            return [self.give(entry, framework) for entry in value] if flat is None else flat
        if type(value) in values.DICTS:
            return {values.normalise(key): self.give(entry, framework) for key, entry in value.items()}
        name = type(value).__name__
        if name != "ModelConfig" and values.RECORDS.get(name) is type(value):
            inner = "numpy" if name in ("Example", "SentencePair") else framework
            return type(value)(*[self.give(entry, inner) for entry in value])
        return values.normalise(value)


def _broken(module: str, error: BaseException, world: World) -> Broken:
    """Why `module` cannot be loaded, by the name of the file that is at fault: it may be one that `module` imports."""
    running = [f.filename for f in traceback.extract_tb(error.__traceback__) if f.name == "<module>"]
    mine = [name for name in running if _is_learners(name)]
    if isinstance(error, SyntaxError):
        mine += [str(error.filename)] if str(error.filename).endswith(".py") else []
        where = f"{error.filename}:{error.lineno}"
        what = f"cannot be read: {error.msg}"
    else:
        where = _where(error.__traceback__)
        what = f"cannot be imported: {type(error).__name__}: {_message(error)}"
    guilty = Path(mine[-1]).name if mine else f"{module}.py"
    by = "" if guilty == f"{module}.py" else f"; {module}.py needs it"
    return Broken(f"{guilty} {what}{by}", where or str(world.source_of(module)))


def global_draws(seed: int, action: Callable[[], Any]) -> dict[str, float]:
    """Seed every global generator, act, and draw once from each: what a caller that touched one disturbs."""
    torch = sys.modules.get("torch")
    saved = (random.getstate(), np.random.get_state(), torch.get_rng_state() if torch else None)
    try:
        random.seed(seed)
        np.random.seed(seed)
        if torch:
            torch.manual_seed(seed)
        action()
        draws = {"random": random.random(), "numpy.random": float(np.random.random())}
        if torch:
            draws["torch"] = torch.rand((), dtype=torch.float64).item()
        return draws
    finally:
        random.setstate(saved[0])
        np.random.set_state(saved[1])
        if torch:
            torch.set_rng_state(saved[2])


def _to_torch(array: np.ndarray) -> Any:
    return importlib.import_module("torch").from_numpy(array.copy())


def _to_numpy(tensor: Any) -> np.ndarray:
    torch = sys.modules["torch"]
    plain = tensor.detach().cpu()
    return (plain.float() if plain.dtype == torch.bfloat16 else plain).resolve_conj().numpy()


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return ""


def _counts_as(kind: type[BaseException]) -> str:
    """The nearest built-in class of an exception that the submission defines: a ValueError of its own is one."""
    if not str(kind.__module__).startswith(PREFIX):
        return kind.__name__
    return next(base.__name__ for base in kind.__mro__ if base.__module__ == "builtins")


def _where(trace: TracebackType | None) -> str:
    """The innermost line that is not the runtime's or a library's own: file:line."""
    frames = [f for f in traceback.extract_tb(trace) if _is_learners(f.filename)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def _is_learners(filename: str) -> bool:
    elsewhere = ("site-packages", "/checks/", "\\checks\\", "importlib", "<", _STANDARD_LIBRARY)
    return Path(filename).is_absolute() and not any(part in filename for part in elsewhere)


_table: dict[str, Callable[..., Any]] = {}


def _operations() -> dict[str, Callable[..., Any]]:
    if not _table:
        for name in OPERATION_MODULES:
            _table.update(importlib.import_module(name).OPERATIONS)
    return _table
