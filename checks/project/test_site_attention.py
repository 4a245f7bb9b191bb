"""The recorded attention maps are those with which the model computes."""

from typing import Any

import pytest
import torch

from checks.site import record_attention
from checks.site.results import load
from lessons.given.config import ModelConfig
from lessons.given.records import Vocab
from solutions import attention
from solutions.models import ALBERTModel, BERTModel

CONFIG: dict[str, Any] = {"vocab_size": 20, "max_len": 12, "d_model": 8, "n_heads": 2, "n_layers": 2}
IDS = torch.tensor([[2, 7, 8, 4, 3, 9, 10, 3]])
SEGMENTS = torch.tensor([[0, 0, 0, 0, 0, 1, 1, 1]])
WORDS = Vocab(tuple(f"w{i}" for i in range(20)), {f"w{i}": i for i in range(20)})


def unpacked(row: str) -> list[float]:
    return [int(row[k : k + 2], 36) / 1000 for k in range(0, len(row), 2)]


@pytest.mark.parametrize("kind", ["BERT", "ALBERT"])
def test_values_weighted_by_the_maps_are_the_output_of_each_attention(kind: str) -> None:
    torch.manual_seed(0)
    model = (
        BERTModel(ModelConfig(**CONFIG, init_std=0.5))
        if kind == "BERT"
        else ALBERTModel(ModelConfig(**CONFIG, d_embedding=4, sharing="all", init_std=0.5))
    ).eval()
    seen: list[tuple[Any, torch.Tensor, torch.Tensor]] = []
    for module in model.modules():
        if isinstance(module, attention.MultiHeadAttention):
            module.register_forward_hook(lambda part, inputs, output: seen.append((part, inputs[0], output)))
    with torch.no_grad(), record_attention.maps_of(model, attention) as maps:
        model(IDS, SEGMENTS)
    assert len(maps) == len(seen) == CONFIG["n_layers"]
    for weights, (part, hidden, output) in zip(maps, seen, strict=True):
        mixed = weights[None] @ attention.split_heads(part.value(hidden), part.n_heads)
        torch.testing.assert_close(part.output(attention.merge_heads(mixed)), output)


def test_the_hooks_are_gone_afterwards() -> None:
    model = BERTModel(ModelConfig(**CONFIG))
    with record_attention.maps_of(model, attention) as maps:
        pass
    model(IDS, SEGMENTS)
    assert maps == []


def test_a_model_is_read_at_the_hidden_word_in_thousandths() -> None:
    torch.manual_seed(0)
    model = BERTModel(ModelConfig(**CONFIG, init_std=0.5, dropout=0.5))
    found = record_attention.read_model(model, IDS, SEGMENTS, 3, WORDS, attention)
    rows = [unpacked(row) for layer in found["maps"] for head in layer for row in head]
    assert {len(row) for row in rows} == {IDS.shape[1]}
    assert all(sum(row) == pytest.approx(1, abs=0.0005 * len(row)) for row in rows)
    with torch.no_grad():
        sequence_output, _ = model(IDS, SEGMENTS)
        shares = model.mlm_logits(sequence_output)[0, 3].softmax(-1)
    assert [word for word, _ in found["guesses"]] == [
        f"w{i}" for i in shares.argsort(descending=True)[:3].tolist()
    ]
    assert found["guesses"][0][1] == pytest.approx(float(shares.max()), abs=0.0005)


def test_the_recorded_pair_fits_its_maps() -> None:
    values = load("attention")["values"]
    size = len(values["tokens"])
    assert values["tokens"][values["hidden"]["place"]] == "[MASK]"
    assert len(values["segments"]) == size
    for model in values["models"].values():
        rows = [row for layer in model["maps"] for head in layer for row in head]
        assert {len(unpacked(row)) for row in rows} == {size}
        assert all(sum(unpacked(row)) == pytest.approx(1, abs=0.0005 * size) for row in rows)
