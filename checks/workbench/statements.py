"""Requests across the subject boundary as the Python statements that a learner would write for them."""

import re
from typing import Any

from checks.judge.expect import same
from checks.subject import Ref, Seed
from checks.subject.modules import TORCHS_OWN
from checks.workbench.literals import Literals
from checks.workbench.requests import Request, references

SHORT = 72
SHOWN = 3
PLAIN = frozenset(
    (
        *("call", "call_without", "call_in", "call_streamed", "call_each", "keep", "gradients", "put", "get"),
        *("new", "load", "change", "forward", "backward", "state"),
        *("new_dataset", "items", "length", "set_epoch", "batches"),
    )
)


class Verbatim:
    """Source text that stands for itself among the values of a call."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __repr__(self) -> str:
        return self.source


def _only_seeds_differ(calls: list[list[Any]]) -> tuple[int, str] | None:
    """The place of the one argument in which many calls differ, a seed, and the seeds as source."""
    first = calls[0]
    places = [i for i, value in enumerate(first) if isinstance(value, Seed)]
    if len(places) != 1 or any(len(call) != len(first) for call in calls):
        return None
    place = places[0]
    others = [[value for i, value in enumerate(call) if i != place] for call in calls]
    if not all(
        isinstance(call[place], Seed) and same(rest, others[0])
        for call, rest in zip(calls, others, strict=True)
    ):
        return None
    seeds = [call[place].value for call in calls]
    step = seeds[1] - seeds[0]
    spaced = range(seeds[0], seeds[0] + step * len(seeds), step) if step else []
    return place, repr(spaced if seeds == list(spaced) else seeds)


class Writer:
    """Writes requests one after the other. `used` are the lesson's names, `homes` the lesson of a foreign one;
    `modules` are imports, `last` is the variable that holds what the last request gave."""

    def __init__(self, literals: Literals, lesson: str) -> None:
        self.literals = literals
        self.lesson = lesson
        self.used: set[str] = set()
        self.homes: dict[str, str] = {}
        self.modules: set[str] = set()
        self.last = "result"

    def lines(self, request: Request, is_plain: bool) -> list[str]:
        """The statements of one request."""
        target, before = self._target(request), self.last
        self.last = target
        if not is_plain:
            return [f"{target} = run.execute({request.operation!r}, {self.literals.text(request.arguments)})"]
        lines: list[str] = getattr(self, f"_{request.operation}")(target, *request.arguments)
        if not any(f"{target} = " in line for line in lines):
            self.last = before
        return lines

    def _target(self, request: Request) -> str:
        numbers = references(request.result)
        return self.literals.names[min(numbers)] if numbers else "result"

    def _name(self, name: str) -> str:
        """The lesson's name, `nn.X`, or another lesson's as `models.BERTModel`."""
        family, _, bare = name.rpartition(".")
        if family == "nn" and bare in TORCHS_OWN:
            return name
        if family:
            self.homes[bare] = family
        self.used.add(bare)
        return bare

    def _given(self, args: list, kwargs: dict, framework: str | None = None) -> tuple[list[str], str]:
        """Statements for the long arguments, and the text between the brackets of the call."""
        before, parts = [], []
        items = [(f"argument_{i}", "", value) for i, value in enumerate(args, 1)]
        items += [(key, f"{key}=", value) for key, value in kwargs.items()]
        for variable, prefix, value in items:
            text = self.literals.text(value, framework)
            if len(text) > SHORT and not isinstance(value, Ref):
                before.append(f"{variable} = {text}")
                text = variable
            parts.append(prefix + text)
        return before, ", ".join(parts)

    def _call(self, target: str, function: str, args: list, kwargs: dict) -> list[str]:
        before, given = self._given(args, kwargs)
        return [*before, f"{target} = {self._name(function)}({given})"]

    _keep = _call

    def _call_without(
        self, target: str, forbidden: list, function: str, args: list, kwargs: dict
    ) -> list[str]:
        self.modules.add("unittest.mock")
        *before, call = self._call(target, function, args, kwargs)
        stops = ", ".join(f"unittest.mock.patch({name!r}, side_effect=PermissionError)" for name in forbidden)
        return [*before, f"with {stops}:", f"    {call}"]

    def _call_in(self, target: str, dtype: str, function: str, args: list, kwargs: dict) -> list[str]:
        before, given = self._given(args, kwargs)
        cast = [re.sub(r"dtype=torch\.float64\)", f"dtype=torch.{dtype})", text) for text in (*before, given)]
        return [*cast[:-1], f"{target} = {self._name(function)}({cast[-1]})"]

    def _call_streamed(
        self, target: str, function: str, entries: list, args: list, kwargs: dict
    ) -> list[str]:
        before, given = self._given(args, kwargs)
        stream = f"(entry for entry in {self.literals.text(entries)})"
        return [*before, f"{target} = {self._name(function)}({', '.join(filter(None, [stream, given]))})"]

    def _call_each(self, target: str, function: str, calls: list, kwargs: dict) -> list[str]:
        if len(calls) > SHOWN and (drawn := _only_seeds_differ(calls)):
            place, seeds = drawn
            args = [*calls[0][:place], Verbatim("np.random.default_rng(seed)"), *calls[0][place + 1 :]]
            before, given = self._given(args, kwargs)
            self.last = f'{target}[:{SHOWN}], "and {len(calls) - SHOWN} more"'
            return [*before, f"{target} = [{self._name(function)}({given}) for seed in {seeds}]"]
        before, given = self._given([], kwargs)
        call = f"{self._name(function)}({', '.join(filter(None, ['*arguments', given]))})"
        return [*before, f"{target} = [{call} for arguments in {self.literals.text(calls)}]"]

    def _gradients(
        self, target: str, function: str, args: list, kwargs: dict, wrt: list, cotangent: Any
    ) -> list[str]:
        names = [f"argument_{i}" for i in range(1, len(args) + 1)]
        lines = [f"{n} = {self.literals.text(v)}" for n, v in zip(names, args, strict=True)]
        lines += [f"{names[index]}.requires_grad_(True)" for index in wrt]
        before, given = self._given([], kwargs)
        call = f"{self._name(function)}({', '.join(filter(None, [*names, given]))})"
        lines += [*before, f"output = {call}", f"(output * {self.literals.text(cotangent)}).sum().backward()"]
        return [*lines, f"{target} = [output, {', '.join(f'{names[index]}.grad' for index in wrt)}]"]

    def _new(self, target: str, kind: str, args: list, kwargs: dict, seed: int | None) -> list[str]:
        before, given = self._given(args, kwargs)
        seeded = [] if seed is None else [f"torch.manual_seed({seed})"]
        return [*before, *seeded, f"{target} = {self._name(kind)}({given})"]

    def _load(self, target: str, ref: Ref, weights: dict) -> list[str]:
        module = self.literals.text(ref)
        return [
            f"for name, array in {self.literals.text(weights)}.items():",
            f"    {module}.get_parameter(name).data.copy_(array)",
        ]

    def _change(self, target: str, ref: Ref, how: str) -> list[str]:
        return [f"{self.literals.text(ref)}.{how}()"]

    def _forward(self, target: str, ref: Ref, method: str | None, args: list, kwargs: dict) -> list[str]:
        before, given = self._given(args, kwargs)
        call = f"{self.literals.text(ref)}{f'.{method}' if method else ''}({given})"
        return [*before, "with torch.no_grad():", f"    {target} = {call}"]

    def _backward(
        self, target: str, ref: Ref, method: str | None, args: list, kwargs: dict, cotangents: list, wrt: list
    ) -> list[str]:
        module = self.literals.text(ref)
        names = [f"argument_{i}" for i in range(1, len(args) + 1)]
        lines = [f"{n} = {self.literals.text(v)}" for n, v in zip(names, args, strict=True)]
        lines += [f"{names[index]}.requires_grad_(True)" for index in wrt]
        before, given = self._given([], kwargs)
        call = f"{module}{f'.{method}' if method else ''}({', '.join(filter(None, [*names, given]))})"
        lines += [*before, f"outputs = {call}"]
        lines.append("outputs = list(outputs) if isinstance(outputs, tuple | list) else [outputs]")
        lines.append(f"factors = {self.literals.text(cotangents)}")
        total = "sum((o * f).sum() for o, f in zip(outputs, factors) if f is not None).backward()"
        found = f"{{name: parameter.grad for name, parameter in {module}.named_parameters()}}"
        inputs = ", ".join(f"{names[index]}.grad" for index in wrt)
        return [*lines, total, f"{target} = [outputs, {found}, [{inputs}]]"]

    def _state(self, target: str, ref: Ref) -> list[str]:
        return [f"{target} = {self.literals.text(ref)}.state_dict()"]

    def _new_dataset(self, target: str, kind: str, args: list, kwargs: dict) -> list[str]:
        before, given = self._given(args, kwargs, "numpy")
        return [*before, f"{target} = {self._name(kind)}({given})"]

    def _items(self, target: str, ref: Ref, indices: list) -> list[str]:
        return [f"{target} = [{self.literals.text(ref)}[index] for index in {indices}]"]

    def _length(self, target: str, ref: Ref) -> list[str]:
        return [f"{target} = len({self.literals.text(ref)})"]

    def _set_epoch(self, target: str, ref: Ref, epoch: int) -> list[str]:
        return [f"{self.literals.text(ref)}.set_epoch({epoch})"]

    def _batches(self, target: str, ref: Ref, collate: str, settings: dict) -> list[str]:
        self.modules.add("torch.utils.data")
        options = "".join(f", {key}={value!r}" for key, value in settings.items())
        loader = f"torch.utils.data.DataLoader({self.literals.text(ref)}, collate_fn={self._name(collate)}{options})"
        return [f"{target} = list({loader})"]

    def _put(self, target: str, value: Any) -> list[str]:
        return [f"{target} = {self.literals.text(value)}"]

    def _get(self, target: str, ref: Ref) -> list[str]:
        return [f"{target} = {self.literals.text(ref)}"]
