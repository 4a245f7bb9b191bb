"""The shape annotations of the reference's lessons 5-10 and 13 are executed, so none of them can be wrong."""

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, get_args, get_origin

import pytest
import torch
from jaxtyping import AbstractArray, jaxtyped

from lessons.given.config import ModelConfig
from lessons.given.records import IGNORE_INDEX, Batch

MODULES = [
    importlib.import_module(f"solutions.{name}")
    for name in ("attention", "transformer", "embeddings", "encoders", "heads", "models", "objective")
]


def speaks_of_arrays(annotation: Any) -> bool:
    """Whether a jaxtyping annotation stands in `annotation`, alone, in a union or in a tuple."""
    if inspect.isclass(annotation) and issubclass(annotation, AbstractArray):
        return True
    return any(speaks_of_arrays(part) for part in get_args(annotation))


def verify(name: str, value: Any, annotation: Any) -> None:
    if get_origin(annotation) is tuple:
        for i, (part, inner) in enumerate(zip(value, get_args(annotation), strict=True)):
            verify(f"{name}[{i}]", part, inner)
    elif speaks_of_arrays(annotation):
        assert isinstance(value, annotation), f"{name}: got {tuple(value.shape)}, annotated {annotation}"


def verified(function: Callable[..., Any], called: set[str]) -> Callable[..., Any]:
    """`function`, with its annotations checked in one binding of the shape letters a call."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with jaxtyped("context"):
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                verify(name, value, signature.parameters[name].annotation)
            result = function(*args, **kwargs)
            verify("the result", result, signature.return_annotation)
        called.add(function.__qualname__)
        return result

    return wrapper


def annotated_functions(module: ModuleType) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """(owner, name, function) of what `module` itself defines with array annotations."""
    classes = [x for x in vars(module).values() if inspect.isclass(x) and x.__module__ == module.__name__]
    for owner in [module, *classes]:
        for name, function in list(vars(owner).items()):
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                annotations = function.__annotations__.values()
                if any(speaks_of_arrays(annotation) for annotation in annotations):
                    yield owner, name, function


@pytest.fixture
def wrapped(monkeypatch: pytest.MonkeyPatch) -> tuple[set[str], set[str]]:
    """(qualified names of the annotated functions, those called so far); every call is verified."""
    called: set[str] = set()
    everything = [found for module in MODULES for found in annotated_functions(module)]
    for owner, name, function in everything:
        monkeypatch.setattr(owner, name, verified(function, called))
    return {function.__qualname__ for _, _, function in everything}, called


def configs() -> Iterator[ModelConfig]:
    sizes: dict[str, Any] = {"vocab_size": 29, "d_model": 8, "n_heads": 2, "d_ff": 20, "n_layers": 4}
    yield ModelConfig(**sizes)
    yield ModelConfig(**sizes, d_embedding=5, sharing="all", n_groups=2, activation="gelu_tanh")
    yield ModelConfig(**sizes, d_embedding=5, sharing="ffn")


def test_every_shape_annotation_holds_on_awkward_sizes(wrapped: tuple[set[str], set[str]]) -> None:
    annotated, called = wrapped
    attention, transformer, models, objective = MODULES[0], MODULES[1], MODULES[5], MODULES[6]
    ids = torch.randint(5, 29, (3, 7))
    labels = torch.where(torch.arange(7) < 2, ids, IGNORE_INDEX)
    batch = Batch(ids, ids % 2, ids > 6, labels, torch.tensor([0, 1, 1]))
    for config in configs():
        model = (models.BERTModel if config.sharing == "none" else models.ALBERTModel)(config)
        sequence_output, _ = model(ids)
        model.mlm_logits(sequence_output)
        objective.pretraining_loss(model, batch)
        objective.evaluate(model, [batch, batch._replace(sentence_labels=None)])
    query, key, value = torch.randn(3, 2, 7, 4), torch.randn(3, 2, 5, 4), torch.randn(3, 2, 5, 6)
    attention.scaled_dot_product_attention(query, key, value, torch.ones(7, 5, dtype=torch.bool))
    transformer.gelu(query)  # the heads hold the unwrapped one
    assert called == annotated


@pytest.mark.usefixtures("wrapped")
def test_a_wrong_shape_is_noticed() -> None:
    with pytest.raises(AssertionError, match="input_ids"):
        MODULES[2].BERTEmbeddings(next(configs()))(torch.zeros(7, dtype=torch.int64), torch.zeros(3, 7))
