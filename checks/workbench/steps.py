"""The steps of a run: each call of a lesson's functions and each submodule's forward, with what went in and came.

The same case is run on the learner's code and on the reference, and the two lists of steps are compared.
"""

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from checks.curriculum import BY_NAME
from checks.subject.inprocess import InProcess
from checks.subject.values import RECORDS, fields_of

MOST_STEPS = 3000


@dataclass
class Step:
    """One call: its name, which call of that name it is (from 1), its inputs and its output as plain values.

    `draws`: it draws random numbers, from a generator among its arguments or as dropout.
    """

    name: str
    count: int
    inputs: Any
    output: Any
    draws: bool = False


class Recorder:
    """Writes down the steps of one run."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.counts: Counter[str] = Counter()
        self.names: dict[int, str] = {}
        self.drew = False

    def add(self, name: str, inputs: Any, output: Any, draws: bool = False) -> None:
        """One step that has ended."""
        self.counts[name] += 1
        self.drew = self.drew or draws
        if len(self.steps) < MOST_STEPS:
            self.steps.append(Step(name, self.counts[name], inputs, plain(output), draws))

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, noting its calls."""

        @functools.wraps(function)
        def noting(*args: Any, **kwargs: Any) -> Any:
            given = [*args, *kwargs.values()]
            inputs = plain(given)
            output = function(*args, **kwargs)
            self.add(name, inputs, output, any(type(thing).__name__ == "Generator" for thing in given))
            return output

        return noting

    def learn_names(self, thing: Any, name: str) -> None:
        """Know the parts of a module by their names in it; a shared part has the first of its names."""
        if hasattr(thing, "named_modules"):
            for path, part in thing.named_modules():
                self.names.setdefault(id(part), f"{name}.{path}" if path else name)


@contextmanager
def recorded(transport: InProcess) -> Iterator[Recorder]:
    """Note the steps of everything that runs on this transport."""
    recorder = Recorder()
    runtime = transport.runtime
    module = runtime.load(runtime.lesson)
    wrap_functions(module, runtime.world.package, recorder)
    original = runtime.keep

    def keep(thing: Any) -> Any:
        recorder.learn_names(thing, type(thing).__name__)
        return original(thing)

    runtime.keep = keep  # type: ignore[method-assign]
    hooks = []
    if BY_NAME[runtime.lesson].uses_torch:
        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

        entered: list[Any] = []

        def enter(part: Any, args: Any) -> None:
            entered.append(plain(list(args)))

        def leave(part: Any, args: Any, output: Any) -> None:
            name = recorder.names.get(id(part), type(part).__name__)
            draws = "Dropout" in type(part).__name__ and part.training
            recorder.add(name, entered.pop() if entered else plain(list(args)), output, draws)

        hooks = [register_module_forward_pre_hook(enter), register_module_forward_hook(leave)]
    try:
        yield recorder
    finally:
        runtime.keep = original  # type: ignore[method-assign]
        for hook in hooks:
            hook.remove()


def wrap_functions(module: ModuleType, package: str, recorder: Recorder) -> None:
    """Note every call of the module's own functions and of those it imports from other lessons."""
    for name, thing in list(vars(module).items()):
        if (
            isinstance(thing, FunctionType)
            and thing.__module__.startswith(package)
            and name == thing.__name__
        ):
            setattr(module, name, recorder.wrapped(name, thing))


def plain(value: Any) -> Any:
    """A copy that is compared later: arrays, numbers, texts, lists; None for anything else."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        tensor = value.detach().cpu()
        return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy().copy()
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, np.generic):
        return value.item()
    if RECORDS.get(type(value).__name__) is type(value):
        return {key: plain(entry) for key, entry in fields_of(value).items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return value if value is None or type(value) in (bool, int, float, str) else None
