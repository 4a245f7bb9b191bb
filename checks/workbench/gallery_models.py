"""Pictures of lessons 10 to 12: whole models and their parameters."""

from typing import Any

import torch

from checks.subject.world import World
from checks.workbench.pictures import Bars, Curves, Note, Picture
from lessons.given.config import ModelConfig

PARTS = ("embeddings", "encoder", "pooler", "mlm_head", "sentence_head")
CLASSIC: dict[str, Any] = {"vocab_size": 8000, "d_model": 128, "n_layers": 4, "n_heads": 4}


def configs() -> dict[str, ModelConfig]:
    """BERT and ALBERT at the size of the notebook."""
    return {
        "BERT": ModelConfig(**CLASSIC),
        "ALBERT": ModelConfig(**CLASSIC, d_embedding=64, sharing="all", activation="gelu_tanh"),
    }


def models(world: World) -> Picture:
    """Parameters part by part, and how weights start."""
    mine = world.load("models")
    blocks: list[Any] = []
    total = {}
    for name, config in configs().items():
        torch.manual_seed(0)
        model = getattr(mine, f"{name}Model")(config)
        seen: set[int] = set()
        amounts = []
        for part in PARTS:
            fresh = {id(p): p.numel() for p in getattr(model, part).parameters() if id(p) not in seen}
            seen |= set(fresh)
            amounts.append((part, float(sum(fresh.values()))))
        total[name] = sum(amount for _, amount in amounts)
        blocks.append(Bars(f"{name}: {total[name]:,.0f} parameters", amounts))
        word = model.embeddings.word.weight.detach()
        counts = torch.histc(word, bins=40, min=-0.08, max=0.08)
        axis = torch.linspace(-0.08, 0.08, 40).tolist()
        blocks.append(Curves(f"{name}: how the word table starts", axis, {"entries": counts.tolist()}))
    blocks.append(
        Note(f"ALBERT has {total['ALBERT'] / total['BERT']:.0%} of BERT's parameters, and computes as long.")
    )
    return Picture("Your models", blocks)


def checkpoint(world: World) -> Picture:
    """Names and sizes in the other library's checkpoint, and a trip there and back."""
    mine, models_module = world.load("checkpoint"), world.load("models")
    blocks: list[Any] = []
    for name, config in configs().items():
        torch.manual_seed(0)
        model = getattr(models_module, f"{name}Model")(config)
        there = mine.to_huggingface(model)
        back = mine.from_huggingface(there, config).state_dict()
        own = model.state_dict()
        equal = sum(torch.equal(own[key], back[key]) for key in own)
        largest = sorted(there.items(), key=lambda item: -item[1].numel())[:6]
        amounts = [(f"{key} {list(tensor.shape)}", float(tensor.numel())) for key, tensor in largest]
        blocks.append(Bars(f"{name}: {len(there)} tensors, the largest", amounts))
        blocks.append(Note(f"There and back: {equal} of {len(own)} tensors are equal bit for bit."))
        one = there["cls.seq_relationship.weight" if name == "BERT" else "sop_classifier.classifier.weight"]
        swapped = torch.equal(one.flip(0), model.sentence_head.classifier.weight.detach())
        blocks.append(Note(f"The sentence classifier's rows change places: {'yes' if swapped else 'no'}."))
    return Picture("Your checkpoints", blocks)


def counting(world: World) -> Picture:
    """The published sizes, by your formula; what a forward pass costs."""
    mine = world.load("counting")
    base: dict[str, Any] = {"max_len": 512, "d_model": 768, "n_layers": 12, "n_heads": 12}
    bert = ModelConfig(vocab_size=30_522, **base)
    albert = ModelConfig(vocab_size=30_000, d_embedding=128, sharing="all", activation="gelu_tanh", **base)
    blocks: list[Any] = []
    for name, config, factorized in (("BERT base", bert, False), ("ALBERT base", albert, True)):
        table = mine.parameter_table(config, factorized=factorized)
        rows = [(key, float(value)) for key, value in table.items() if key != "total"]
        blocks.append(Bars(f"{name}: {table['total']:,} parameters", rows))
    tokens = [64, 128, 256, 384, 512]
    series = {
        "BERT": [mine.forward_flops(bert, n, factorized=False) / 1e9 for n in tokens],
        "ALBERT": [mine.forward_flops(albert, n, factorized=True) / 1e9 for n in tokens],
    }
    blocks.append(Curves("billions of operations for 64 to 512 tokens", tokens, series))
    even = mine.break_even_embedding(30_000, 768)
    blocks.append(Note(f"Factorizing saves parameters below E = {even:.0f} at V = 30,000 and D = 768."))
    return Picture("Your counts", blocks)
