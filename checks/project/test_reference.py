"""The reference's numerics: gradients by finite differences, half precision, devices, no compilation."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from lessons.given.config import ModelConfig
from lessons.given.records import IGNORE_INDEX, Batch
from solutions.attention import MultiHeadAttention, scaled_dot_product_attention
from solutions.embeddings import BERTEmbeddings, FactorizedEmbeddings
from solutions.encoders import ALBERTEncoder, PartlySharedEncoder
from solutions.heads import MLMHead, Pooler, SentenceHead
from solutions.models import ALBERTModel, BERTModel
from solutions.objective import evaluate, pretraining_loss
from solutions.training import train_model, train_step
from solutions.transformer import FeedForward, TransformerLayer, gelu

B, T = 2, 3
BERT = ModelConfig(vocab_size=7, max_len=4, d_model=4, n_heads=2, d_ff=5, n_layers=2, dropout=0.0)
ALBERT = ModelConfig(
    vocab_size=7,
    max_len=4,
    d_model=4,
    d_embedding=3,
    n_heads=2,
    d_ff=5,
    n_layers=2,
    dropout=0.0,
    sharing="all",
    activation="gelu_tanh",
)
MASK = torch.tensor([[True, True, False], [True, True, True]])
DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
EVERY_DEVICE = pytest.mark.parametrize("device", DEVICES)
MODELS = pytest.mark.parametrize("family", ["BERT", "ALBERT"])


@pytest.fixture(autouse=True)
def _seed() -> Iterator[None]:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def batch(n_rows: int = B, seed: int = 0, sentence: bool = True) -> Batch:
    """Random rows of T tokens with at least one label in all; odd numbers of labels a row."""
    rng = np.random.default_rng(seed)
    ids = torch.from_numpy(rng.integers(5, 7, (n_rows, T)))
    labels = torch.from_numpy(np.where(rng.random((n_rows, T)) < 0.4, ids, IGNORE_INDEX))
    labels[0, 1] = ids[0, 1]
    mask = torch.ones(n_rows, T, dtype=torch.bool)
    pairs = torch.from_numpy(rng.integers(0, 2, n_rows)) if sentence else None
    return Batch(ids, torch.zeros_like(ids), mask, labels, pairs)


def model_of(family: str) -> BERTModel | ALBERTModel:
    """A small model whose weights are large enough for every gradient to be felt."""
    model = BERTModel(BERT) if family == "BERT" else ALBERTModel(ALBERT)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.3)
    return model


def gradcheck(module: nn.Module, run: Callable[..., Any], *inputs: Tensor) -> None:
    """Compare backward with finite differences, for the inputs and for every parameter of `module`."""
    module.double()
    weights = {name: parameter.detach().clone() for name, parameter in module.named_parameters()}
    names = list(weights)

    def loss(*tensors: Tensor) -> Any:
        values = dict(zip(names, tensors, strict=False))
        return functional_call(module, values, (run, *tensors[len(names) :]))

    tensors = [*weights.values(), *inputs]
    assert torch.autograd.gradcheck(loss, [x.requires_grad_() for x in tensors], atol=1e-6, rtol=1e-4)


class Calls(nn.Module):
    """Lets `functional_call` reach any use of a module, not only its forward."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, run: Callable[..., Any], *inputs: Tensor) -> Any:
        return run(self.module, *inputs)


def hidden() -> Tensor:
    return torch.randn(B, T, 4, dtype=torch.float64)


def test_attention_gradients_match_finite_differences() -> None:
    q, k, v = (torch.randn(2, n, 4, dtype=torch.float64, requires_grad=True) for n in (3, 5, 5))
    mask = torch.rand(2, 3, 5) < 0.6
    mask[..., 0] = True
    mask[0, 1] = False  # a query that sees nothing has finite gradients too
    assert torch.autograd.gradcheck(scaled_dot_product_attention, (q, k, v, mask))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_gradients_match_finite_differences(approximate: Any) -> None:
    x = torch.linspace(-4, 4, 9, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: gelu(x, approximate), x)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_is_the_one_of_torch(approximate: Any) -> None:
    x = torch.linspace(-12, 12, 1001, dtype=torch.float64)
    torch.testing.assert_close(gelu(x, approximate), nn.functional.gelu(x, approximate=approximate))


@pytest.mark.parametrize("part", [MultiHeadAttention, TransformerLayer])
def test_masked_part_gradients_match_finite_differences(part: Callable[[ModelConfig], nn.Module]) -> None:
    gradcheck(Calls(part(BERT)), lambda module, x: module(x, MASK), hidden())


@pytest.mark.parametrize("config", [BERT, ALBERT], ids=["gelu", "gelu_tanh"])
def test_feed_forward_gradients_match_finite_differences(config: ModelConfig) -> None:
    gradcheck(Calls(FeedForward(config)), lambda module, x: module(x), hidden())


def test_embedding_gradients_match_finite_differences() -> None:
    ids, segments = batch().input_ids, torch.tensor([[0, 0, 1], [0, 1, 1]])
    for embeddings in (BERTEmbeddings(BERT), FactorizedEmbeddings(ALBERT)):
        gradcheck(Calls(embeddings), lambda module: module(ids, segments))


def test_shared_encoder_gradients_match_finite_differences() -> None:
    for sharing in ("attention", "ffn"):
        config = ModelConfig(
            vocab_size=7, d_model=4, n_heads=2, d_ff=3, n_layers=2, dropout=0.0, sharing=sharing
        )
        gradcheck(Calls(PartlySharedEncoder(config)), lambda module, x: module(x, MASK), hidden())
    gradcheck(Calls(ALBERTEncoder(ALBERT)), lambda module, x: module(x, MASK), hidden())


def test_head_gradients_match_finite_differences() -> None:
    gradcheck(Calls(Pooler(BERT)), lambda module, x: module(x), hidden())
    gradcheck(Calls(SentenceHead(BERT)), lambda module, x: module(x), hidden()[:, 0])
    for config in (BERT, ALBERT):
        word = nn.Embedding(config.vocab_size, config.d_embedding)
        gradcheck(Calls(MLMHead(config, word)), lambda module, x: module(x), hidden())


@MODELS
def test_pretraining_loss_gradients_match_finite_differences(family: str) -> None:
    gradcheck(Calls(model_of(family)), lambda model: tuple(pretraining_loss(model, batch())))


@MODELS
def test_losses_without_labels_are_zero_with_zero_gradients(family: str) -> None:
    unlabelled = batch(sentence=False)
    unlabelled = unlabelled._replace(mlm_labels=torch.full_like(unlabelled.mlm_labels, IGNORE_INDEX))
    for name in ("total", "mlm", "sentence"):
        model = model_of(family)
        loss = getattr(pretraining_loss(model, unlabelled), name)
        loss.backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        assert loss.item() == 0
        assert gradients
        assert not any(g.any() for g in gradients)


@MODELS
def test_bfloat16_is_finite_and_close(family: str) -> None:
    exact = model_of(family).double()
    half = model_of(family)
    half.load_state_dict(exact.state_dict())
    half.bfloat16()
    exact.load_state_dict(half.state_dict())  # the same rounded weights: only the arithmetic differs
    for got, expected in zip(
        half(batch().input_ids, None, MASK), exact(batch().input_ids, None, MASK), strict=True
    ):
        assert got.dtype == torch.bfloat16
        # about ten rounded steps of 2^-8 each, on values of size 1
        torch.testing.assert_close(got.double(), expected, atol=0.08, rtol=0.05)
    loss, truth = pretraining_loss(half, batch()), pretraining_loss(exact, batch())
    loss.total.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in half.parameters())
    torch.testing.assert_close(loss.total.double(), truth.total, atol=0.05, rtol=0.05)


@MODELS
def test_a_row_of_padding_only_is_finite_with_finite_gradients(family: str) -> None:
    rows = batch()
    nothing = rows.attention_mask & torch.tensor([[False], [True]])
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        model = model_of(family).to(dtype)
        loss = pretraining_loss(model, rows._replace(attention_mask=nothing))
        loss.total.backward()
        assert loss.total.isfinite()
        assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


@MODELS
def test_the_reference_runs_without_compilation(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("torch.compile was called")

    monkeypatch.setattr(torch, "compile", refuse)
    model = model_of(family)
    history = train_model(model, [batch(seed=0), batch(3, seed=1)], epochs=2)
    assert all(np.isfinite(losses).all() and len(losses) == 2 for losses in history)


@EVERY_DEVICE
@MODELS
def test_losses_and_gradients_do_not_depend_on_the_device(family: str, device: str) -> None:
    model = model_of(family).double()
    rows = batch(5)._replace(attention_mask=torch.rand(5, T) < 0.7)
    rows.attention_mask[:, 0] = True
    on_cpu = pretraining_loss(model, rows)
    on_cpu.total.backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    model.to(device).zero_grad()
    there = pretraining_loss(model, rows.to(device))
    there.total.backward()
    torch.testing.assert_close(there.total.cpu(), on_cpu.total)
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None
        torch.testing.assert_close(parameter.grad.cpu(), gradients[name])


@EVERY_DEVICE
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@MODELS
def test_training_and_evaluation_work_in_every_dtype(family: str, device: str, dtype: torch.dtype) -> None:
    model = model_of(family).to(device, dtype)
    rows = batch(4).to(device)
    rows.attention_mask[0] = False  # a row of padding only
    loss = train_step(model, rows, torch.optim.AdamW(model.parameters()))
    assert loss.total.isfinite()
    assert all(p.isfinite().all() for p in model.parameters())
    assert np.isfinite(evaluate(model, [batch(4), batch(2, sentence=False)])).all()
