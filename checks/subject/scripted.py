"""Operations around functions that take a model, a loader or an optimiser: trusted ones, made here."""

from typing import TYPE_CHECKING, Any

from checks.subject.modules import _gradient, _named, _walk
from checks.subject.values import DICTS, Ref

if TYPE_CHECKING:
    from checks.subject.runtime import Runtime


def scripted_model(run: "Runtime", parts: dict, same: dict, weights: dict, shift: float) -> Ref:
    """A `ScriptedModel` in float64, its parameters from arrays by name (those left out start as torch likes)."""
    import torch

    from checks.subject.scripted_models import ScriptedModel

    model = ScriptedModel(parts, same, shift).double().eval()
    with torch.no_grad():
        for name, array in weights.items():
            _named(model, name).copy_(run.take(array, "torch"))
    return run.keep(model)


def given_logits(run: "Runtime", words: Any, pairs: Any, settings: dict) -> Ref:
    """A `GivenLogits`."""
    from checks.subject.scripted_models import GivenLogits

    return run.keep(GivenLogits(run.take(words, "torch"), run.take(pairs, "torch"), **settings).eval())


def loader(run: "Runtime", batches: list, shuffle: bool, seed: int | None, draws: bool, epochs: bool) -> Ref:
    """A `DataLoader` that gives these batches one by one; with `epochs`, `batches` holds a list for each epoch."""
    import torch
    from torch.utils.data import DataLoader

    from checks.subject.scripted_models import Batches, EpochBatches

    taken = run.take(batches, "torch")
    dataset = EpochBatches(taken) if epochs else Batches(taken, draws)
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    return run.keep(DataLoader(dataset, batch_size=None, shuffle=shuffle, generator=generator))


def stream(run: "Runtime", batches: list) -> Ref:
    """An iterator over these batches: it can be gone through once, and has no length."""
    return run.keep(iter(run.take(batches, "torch")))


def passes(run: "Runtime", batches: list) -> Ref:
    """A `Passes`; `batches` holds a list for each pass."""
    from checks.subject.scripted_models import Passes

    return run.keep(Passes(run.take(batches, "torch")))


def loaded(run: "Runtime", ref: Ref) -> list:
    """The batches of one pass over a loader."""
    return [run.give(batch, "torch") for batch in run.objects[ref.number]]


def optimizer(run: "Runtime", ref: Ref, kind: str, settings: dict, names: list | None) -> Ref:
    """`torch.optim.<kind>` over the model's parameters, or over those named."""
    import torch

    model = run.objects[ref.number]
    held = model.parameters() if names is None else [_named(model, name) for name in names]
    return run.keep(getattr(torch.optim, kind)(held, **settings))


def loss_gradients(run: "Runtime", function: str, ref: Ref, args: list, field: str) -> list:
    """`function(model, *args)`, and the gradients of its result's `field` by parameter name."""
    model = run.objects[ref.number]
    model.zero_grad(set_to_none=True)
    result = run.attribute(function)(model, *[run.take(value) for value in args])
    getattr(result, field).backward()
    by_name = gradients_now(run, ref)
    model.zero_grad(set_to_none=True)
    return [run.give(result), by_name]


def recorded(run: "Runtime", function: str, args: list) -> list:
    """`function(*args)`, and whether each field or entry of the result still hangs on a graph."""
    result = run.attribute(function)(*[run.take(value) for value in args])
    entries = list(result.values()) if isinstance(result, dict) else [result]
    fields = result if isinstance(result, tuple) else entries
    return [run.give(result), [bool(getattr(field, "requires_grad", False)) for field in fields]]


def called_under_no_grad(run: "Runtime", function: str, ref: Ref, args: list, inputs: list) -> list:
    """`function(model, *args)` under `torch.no_grad()`, and what the model gives for `inputs` after it, there too."""
    import torch

    model = run.objects[ref.number]
    with torch.no_grad():
        result = run.attribute(function)(model, *[run.take(value) for value in args])
        after = model(*[run.take(value) for value in inputs])
    return [run.give(result), run.give([tensor.detach() for tensor in after])]


def leave_gradients(run: "Runtime", ref: Ref, gradients: dict) -> None:
    """Put gradients on the named parameters, as an earlier backward would have left them; None takes them off."""
    model = run.objects[ref.number]
    for name, array in gradients.items():
        _named(model, name).grad = None if array is None else run.take(array, "torch")


def gradients_now(run: "Runtime", ref: Ref) -> dict:
    """The gradients that lie on the model, by every name that reaches a parameter."""
    return {name: _gradient(run, parameter) for name, parameter in _walk(run.objects[ref.number])}


def change_part(run: "Runtime", ref: Ref, part: str, how: str) -> None:
    """`train` or `eval` for one submodule; `freeze` for one parameter."""
    model = run.objects[ref.number]
    if how == "freeze":
        _named(model, part).requires_grad_(False)
    else:
        getattr(model.get_submodule(part), how)()


def groups(run: "Runtime", function: str, ref: Ref, kwargs: dict) -> Any:
    """What `function(model)` gives as optimiser groups: for each a weight decay and the names of its parameters.

    A tensor that is no parameter of the model has the name "?". Where the result is no list of groups it comes
    back as it is.
    """
    names: dict[int, str] = {}
    for name, parameter in _walk(run.objects[ref.number]):
        names.setdefault(id(parameter), name)
    result = run.attribute(function)(run.objects[ref.number], **kwargs)
    if not (isinstance(result, list | tuple) and all(type(group) in DICTS for group in result)):
        return run.give(result)
    return [_group(run, group, names) for group in result]


def _group(run: "Runtime", group: dict, names: dict[int, str]) -> dict:
    found: dict[str, Any] = {key: run.give(value) for key, value in group.items() if key != "params"}
    if type(found.get("weight_decay")) is int:
        found["weight_decay"] = float(found["weight_decay"])
    if "params" in group:
        found["params"] = [names.get(id(parameter), "?") for parameter in group["params"]]
    return found


def step_by_groups(
    run: "Runtime", function: str, ref: Ref, kwargs: dict, gradients: dict, settings: dict
) -> dict:
    """The model's state after one step of AdamW over `function(model)`'s groups with these gradients."""
    import torch

    model = run.objects[ref.number]
    stepper = torch.optim.AdamW(run.attribute(function)(model, **kwargs), **settings)
    leave_gradients(run, ref, gradients)
    stepper.step()
    model.zero_grad(set_to_none=True)
    return {name: run.give(tensor) for name, tensor in model.state_dict().items()}


OPERATIONS = {
    "scripted_model": scripted_model,
    "given_logits": given_logits,
    "loader": loader,
    "stream": stream,
    "passes": passes,
    "loaded": loaded,
    "optimizer": optimizer,
    "loss_gradients": loss_gradients,
    "recorded": recorded,
    "called_under_no_grad": called_under_no_grad,
    "leave_gradients": leave_gradients,
    "gradients_now": gradients_now,
    "change_part": change_part,
    "groups": groups,
    "step_by_groups": step_by_groups,
}
