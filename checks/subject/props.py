"""The host's side of `scripted`: handles on trusted models, loaders and optimisers for judged functions to work on."""

from typing import Any

import numpy as np

from checks.subject.handles import Handle, ModuleHandle
from checks.subject.subject import Subject
from lessons.given.records import Batch

Weights = dict[str, np.ndarray]

WORD, DECODER = "embeddings.word", "mlm_head.decoder"
INSIDE = "0.0"  # of a part that the models of `scripted` put two levels below their child
TIED = {f"{DECODER}.weight": f"{WORD}.weight"}


def parts(vocab_size: int, width: int) -> dict[str, list[Any]]:
    """The parts of a `ScriptedModel` under the names of the course."""
    return {
        WORD: ["Embedding", vocab_size, width],
        "embeddings.segment": ["Embedding", 2, width],
        "embeddings.norm": ["LayerNorm", width],
        "pooler.dense": ["Linear", width, width],
        DECODER: ["Linear", width, vocab_size],
        "sentence_head.classifier": ["Linear", width, 2],
    }


def scripted_model(
    subject: Subject, weights: Weights, shift: float = 0.0, training: bool = False
) -> ModuleHandle:
    """A `ScriptedModel` with a tied decoder and these weights; `shift` acts in train mode."""
    vocab_size, width = weights[f"{WORD}.weight"].shape
    return built(subject, parts(vocab_size, width), TIED, weights, shift, training)


def built(
    subject: Subject,
    named: dict[str, list[Any]],
    same: dict[str, str],
    weights: Weights | None = None,
    shift: float = 0.0,
    training: bool = False,
) -> ModuleHandle:
    """A model of any named parts, some of them the same."""
    ref = subject.execute("scripted_model", named, same, weights or {}, shift)
    return ModuleHandle(subject, ref, "model").change("train" if training else "eval")


def given_logits(
    subject: Subject, words: np.ndarray, pairs: np.ndarray, training: bool = False, **settings: Any
) -> ModuleHandle:
    """A model whose logits are these: `words [R, T, V]` and `pairs [R, 2]`; a row's first id is its entry."""
    handle = ModuleHandle(subject, subject.execute("given_logits", words, pairs, settings), "model")
    return handle.change("train" if training else "eval")


def loader(
    subject: Subject,
    batches: list[Any],
    *,
    shuffle: bool = False,
    seed: int | None = None,
    draws: bool = False,
    epochs: bool = False,
) -> Handle:
    """A `DataLoader` over whole batches. `seed` gives it a generator of its own; with `draws` an item moves every
    global generator; with `epochs`, `batches` holds a list for each epoch, and the dataset has `set_epoch`."""
    return Handle(subject, subject.execute("loader", batches, shuffle, seed, draws, epochs), "dataloader")


def stream(subject: Subject, batches: list[Any]) -> Handle:
    """Batches that can be gone through once."""
    return Handle(subject, subject.execute("stream", batches), "dataloader")


def passes(subject: Subject, batches: list[list[Any]]) -> Handle:
    """A loader with other batches in each pass: `batches` holds a list for each, all equally long."""
    return Handle(subject, subject.execute("passes", batches), "dataloader")


def loaded(handle: Handle) -> list[Batch]:
    """The batches of one pass over a loader."""
    return handle.subject.execute("loaded", handle.ref)


def optimizer(model: ModuleHandle, kind: str, names: list[str] | None = None, **settings: Any) -> Handle:
    """`torch.optim.<kind>` over all parameters of a model, or those named."""
    ref = model.subject.execute("optimizer", model.ref, kind, settings, names)
    return Handle(model.subject, ref, "optimizer")


def loss_gradients(
    subject: Subject, function: str, model: ModuleHandle, *args: Any, field: str = "total"
) -> tuple[Any, dict[str, np.ndarray | None]]:
    """The result of `function(model, *args)`, and the gradients of its `field` by parameter name."""
    subject.record(f"{function}(...).{field}.backward()", (model, *args), {})
    result, by_name = subject.execute("loss_gradients", function, model.ref, list(args), field)
    return result, by_name


def recorded(subject: Subject, function: str, *args: Any) -> tuple[Any, list[bool]]:
    """The result of `function(*args)`, and whether each of its fields or entries still hangs on a graph."""
    subject.record(function, args, {})
    result, graphs = subject.execute("recorded", function, list(args))
    subject.recorded_result(result)
    return result, graphs


def called_under_no_grad(
    subject: Subject, function: str, model: ModuleHandle, *args: Any, inputs: list[Any]
) -> tuple[Any, list[np.ndarray]]:
    """The result of `function(model, *args)` under `torch.no_grad()`, and what the model gives right after it."""
    subject.record(f"under torch.no_grad(), {function}", (model, *args), {})
    result, after = subject.execute("called_under_no_grad", function, model.ref, list(args), inputs)
    subject.recorded_result(result)
    return result, after


def leave_gradients(model: ModuleHandle, gradients: dict[str, np.ndarray | None]) -> None:
    """Put gradients on a model, as an earlier backward would have left them."""
    model.subject.execute("leave_gradients", model.ref, gradients)


def gradients_now(model: ModuleHandle) -> dict[str, np.ndarray | None]:
    """The gradients that lie on a model."""
    return model.subject.execute("gradients_now", model.ref)


def change_part(model: ModuleHandle, part: str, how: str) -> None:
    """ "train" or "eval" for one submodule."""
    model.subject.execute("change_part", model.ref, part, how)


def freeze(model: ModuleHandle, *parameters: str) -> None:
    """These parameters take no gradient."""
    for name in parameters:
        model.subject.execute("change_part", model.ref, name, "freeze")


def groups(subject: Subject, function: str, model: ModuleHandle, **kwargs: Any) -> Any:
    """Optimiser groups, the names of their parameters in place of these."""
    subject.record(function, (model,), kwargs)
    result = subject.execute("groups", function, model.ref, kwargs)
    subject.recorded_result(result)
    return result


def step_by_groups(
    subject: Subject,
    function: str,
    model: ModuleHandle,
    gradients: Weights,
    settings: dict[str, Any],
    **kwargs: Any,
) -> Weights:
    """A model's state after one step of AdamW over `function(model)`'s groups with these gradients."""
    subject.record(function, (model,), kwargs)
    return subject.execute("step_by_groups", function, model.ref, kwargs, gradients, settings)
