"""Operations on torch modules behind a handle: the closed list of DESIGN's interface."""

import copy
import io
import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from checks.subject.errors import Raised
from checks.subject.values import Ref

TORCHS_OWN = frozenset(
    ["Embedding", "Linear", "LayerNorm", "GroupNorm", "Conv1d", "MultiheadAttention", "Sequential"]
)

if TYPE_CHECKING:
    import torch
    from torch import nn

    from checks.subject.runtime import Runtime


def new(run: "Runtime", kind: str, args: list, kwargs: dict, seed: int | None) -> Ref:
    """Build `kind(*args, **kwargs)`; with a seed, under torch's global seed.

    "nn.Linear" and others of `TORCHS_OWN` are torch's, "models.BERTModel" is that of an earlier lesson.
    """
    import torch

    saved = torch.get_rng_state()
    try:
        if seed is not None:
            torch.manual_seed(seed)
        built = _class(run, kind)(*[run.take(v) for v in args], **{k: run.take(v) for k, v in kwargs.items()})
    finally:
        if seed is not None:
            torch.set_rng_state(saved)
    ref = run.keep(built)
    run.origins[ref.number] = (kind, args, kwargs)
    return ref


def load(run: "Runtime", ref: Ref, weights: dict) -> None:
    """Copy arrays into the named parameters; every name must exist with that shape."""
    import torch

    module = run.objects[ref.number]
    with torch.no_grad():
        for name, array in weights.items():
            target = _named(module, name)
            value = run.take(array)
            if target.shape != value.shape:
                raise Raised(
                    "ValueError", f"{name} has shape {tuple(target.shape)}, expected {tuple(value.shape)}"
                )
            target.copy_(value)


def state(run: "Runtime", ref: Ref) -> dict:
    """The module's state by name."""
    return {name: run.give(tensor) for name, tensor in run.objects[ref.number].state_dict().items()}


def parameters(run: "Runtime", ref: Ref) -> dict:
    """Shapes of the distinct parameters by the first name that reaches them (a trusted walk)."""
    seen: dict[int, str] = {}
    shapes = {}
    for name, parameter in _walk(run.objects[ref.number]):
        if id(parameter) not in seen:
            seen[id(parameter)] = name
            shapes[name] = list(parameter.shape)
    return shapes


def forward(run: "Runtime", ref: Ref, method: str | None, args: list, kwargs: dict) -> Any:
    """Call the module (or its method) without recording gradients."""
    import torch

    inputs = _in_half_precision(run.objects[ref.number], _taken(run, args))
    with torch.no_grad():
        return run.give(_target(run, ref, method)(*inputs, **_taken_named(run, kwargs)))


def backward(
    run: "Runtime", ref: Ref, method: str | None, args: list, kwargs: dict, cotangents: list, wrt: list
) -> list:
    """Outputs, gradients of sum(output * cotangent) by parameter name, and by the inputs in `wrt`."""
    module = run.objects[ref.number]
    module.zero_grad(set_to_none=True)
    taken = _taken(run, args)
    for index in wrt:
        taken[index].requires_grad_(True)
    outputs = _outputs(_target(run, ref, method)(*taken, **_taken_named(run, kwargs)))
    _weighted_sum(run, outputs, cotangents).backward()
    by_name = {name: _gradient(run, parameter) for name, parameter in _walk(module)}
    by_input = [_gradient(run, taken[index]) for index in wrt]
    module.zero_grad(set_to_none=True)
    return [[run.give(output.detach()) for output in outputs], by_name, by_input]


def step(run: "Runtime", ref: Ref, optimizer: dict, args: list, kwargs: dict, cotangents: list) -> None:
    """Optimiser steps over `parameters()` on sum(output * cotangent); `optimizer` names kind, lr, steps ..."""
    import torch

    module = run.objects[ref.number]
    settings = dict(optimizer)
    kind, steps = settings.pop("kind"), settings.pop("steps", 1)
    stepper = (_PlainSGD if kind == "plain SGD" else getattr(torch.optim, kind))(
        module.parameters(), **settings
    )
    for _ in range(steps):
        stepper.zero_grad()
        outputs = _outputs(module(*_taken(run, args), **_taken_named(run, kwargs)))
        _weighted_sum(run, outputs, cotangents).backward()
        stepper.step()
    module.zero_grad(set_to_none=True)


class _PlainSGD:
    """SGD with weight decay by hand: the first object of `torch.optim` in a process costs more than a second."""

    def __init__(self, parameters: Iterator["torch.Tensor"], lr: float, weight_decay: float) -> None:
        self.parameters, self.lr, self.weight_decay = list(parameters), lr, weight_decay

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self) -> None:
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.data -= self.lr * (parameter.grad + self.weight_decay * parameter.data)


def change(run: "Runtime", ref: Ref, how: str) -> None:
    """train, eval, double, float, half or bfloat16."""
    getattr(run.objects[ref.number], how)()


def mode(run: "Runtime", ref: Ref) -> bool:
    """Whether the module is in train mode."""
    return bool(run.objects[ref.number].training)


def clone(run: "Runtime", ref: Ref, how: str) -> Ref:
    """A copy by `deepcopy`, by `pickle`, or by `save_load`: a fresh twin given the saved state."""
    module = run.objects[ref.number]
    if how == "deepcopy":
        return run.keep(copy.deepcopy(module))
    if how == "pickle":
        return run.keep(pickle.loads(pickle.dumps(module)))
    return _reloaded(run, ref)


def _reloaded(run: "Runtime", ref: Ref) -> Ref:
    import torch

    module = run.objects[ref.number]
    buffer = io.BytesIO()
    torch.save(module.state_dict(), buffer)
    buffer.seek(0)
    twin = new(run, *run.origins[ref.number], seed=None)
    fresh = run.objects[twin.number].to(next(module.parameters()).dtype)
    fresh.load_state_dict(torch.load(buffer, weights_only=True))
    fresh.train(module.training)
    return twin


def _class(run: "Runtime", kind: str) -> Callable[..., "nn.Module"]:
    family, _, name = kind.rpartition(".")
    if family == "nn" and name in TORCHS_OWN:
        from torch import nn

        return getattr(nn, name)
    return run.attribute(name, family or None)


def _target(run: "Runtime", ref: Ref, method: str | None) -> Callable[..., Any]:
    thing = run.objects[ref.number]
    return thing if method is None else getattr(thing, method)


def _taken(run: "Runtime", args: list) -> list:
    return [run.take(value) for value in args]


def _taken_named(run: "Runtime", kwargs: dict) -> dict:
    return {key: run.take(value) for key, value in kwargs.items()}


def _in_half_precision(module: Any, inputs: list) -> list:
    """A half-precision module gets its floating-point inputs in its own dtype (NumPy has no bfloat16)."""
    import torch

    dtype = next((parameter.dtype for _, parameter in _walk(module)), None)
    if dtype not in (torch.float16, torch.bfloat16):
        return inputs
    return [x.to(dtype) if torch.is_tensor(x) and x.is_floating_point() else x for x in inputs]


def _outputs(result: Any) -> list["torch.Tensor"]:
    return list(result) if isinstance(result, tuple | list) else [result]


def _weighted_sum(run: "Runtime", outputs: list, cotangents: list) -> "torch.Tensor":
    terms = [(o * run.take(c)).sum() for o, c in zip(outputs, cotangents, strict=True) if c is not None]
    return sum(terms[1:], terms[0])


def _walk(module: "nn.Module", prefix: str = "") -> Iterator[tuple[str, "torch.Tensor"]]:
    """Every name that reaches a parameter, repeats included; reads `__dict__`, not overridable methods."""
    for name, parameter in module.__dict__["_parameters"].items():
        if parameter is not None:
            yield prefix + name, parameter
    for name, child in module.__dict__["_modules"].items():
        if child is not None:
            yield from _walk(child, f"{prefix}{name}.")


def _named(module: "nn.Module", name: str) -> "torch.Tensor":
    for reached, parameter in _walk(module):
        if reached == name:
            return parameter
    raise Raised(
        "AttributeError", f"no parameter is named {name}; there are {', '.join(n for n, _ in _walk(module))}"
    )


def _gradient(run: "Runtime", tensor: Any) -> Any:
    return None if tensor.grad is None else run.give(tensor.grad)


OPERATIONS = {
    "new": new,
    "load": load,
    "state": state,
    "parameters": parameters,
    "forward": forward,
    "backward": backward,
    "step": step,
    "change": change,
    "mode": mode,
    "clone": clone,
}
