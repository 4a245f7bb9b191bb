"""Pictures of lessons 5 to 9: what the parts of a model do to their inputs."""

import math
from typing import Any

import torch
from torch import nn

from checks.subject.world import World
from checks.workbench.pictures import Bars, Curves, Heat, Note, Picture, Tokens
from checks.workbench.words import sentence_ids
from lessons.given.config import ModelConfig

LINE = "the cat sat on the mat and the cat slept"


def attention(world: World) -> Picture:
    """Who looks at whom: equal words share a direction, the mask hides the last two."""
    mine = world.load("attention")
    words = LINE.split()
    ids, table = sentence_ids(LINE)
    torch.manual_seed(3)
    vectors = nn.Embedding(len(table), 16).weight.detach()[torch.tensor(ids)]
    visible = torch.arange(len(words)) < len(words) - 2
    weights = mine.attention_weights(vectors, vectors, visible)
    config = ModelConfig(vocab_size=len(table), d_model=16, n_heads=4, dropout=0.0)
    heads = mine.split_heads(vectors[None], config.n_heads)
    per_head = mine.attention_weights(heads, heads, visible)[0, :, 1]
    return Picture(
        "Your attention",
        [
            Note(f'Words as random vectors; equal words are equal. Hidden: "{words[-2]}" and "{words[-1]}".'),
            Heat("weights: a row asks, a column answers", weights.tolist(), words, words),
            Heat(
                f'what "{words[1]}" looks at, head by head',
                per_head.tolist(),
                [f"head {n}" for n in range(4)],
                words,
            ),
        ],
    )


def transformer(world: World) -> Picture:
    """The two GELUs, and what a layer's norms do to vectors of any size."""
    mine = world.load("transformer")
    x = torch.linspace(-4, 4, 81, dtype=torch.float64)
    exact, tanh = mine.gelu(x), mine.gelu(x, approximate="tanh")
    torch.manual_seed(0)
    layer = mine.TransformerLayer(ModelConfig(vocab_size=9, d_model=32, n_heads=4, dropout=0.0)).eval()
    hidden = torch.randn(1, 8, 32) * torch.arange(1.0, 9.0)[None, :, None]
    with torch.no_grad():
        after = layer(hidden)
    sizes = [(f"token {t}, before", hidden[0, t].std().item()) for t in (0, 3, 7)]
    sizes += [(f"token {t}, after", after[0, t].std(correction=0).item()) for t in (0, 3, 7)]
    return Picture(
        "Your encoder layer",
        [
            Curves(
                "GELU from -4 to 4", x.tolist(), {"gelu": exact.tolist(), "relu": x.clamp(min=0).tolist()}
            ),
            Curves("exact minus tanh", x.tolist(), {"difference": (exact - tanh).tolist()}),
            Bars("spread of a token's numbers: the last norm brings it to 1", sizes),
        ],
    )


def embeddings(world: World) -> Picture:
    """How alike the vectors of the tokens are, and what factorizing saves."""
    mine = world.load("embeddings")
    words = LINE.split()
    ids, table = sentence_ids(LINE)
    torch.manual_seed(0)
    config = ModelConfig(vocab_size=len(table), d_model=32, n_heads=4, dropout=0.0)
    with torch.no_grad():
        out = mine.BERTEmbeddings(config).eval()(
            torch.tensor([ids]), torch.zeros(1, len(ids), dtype=torch.long)
        )[0]
    alike = torch.nn.functional.cosine_similarity(out[:, None], out[None], dim=-1)
    amounts = []
    for size in (768, 256, 128, 64):
        with torch.device("meta"):
            wide = ModelConfig(vocab_size=30_000, max_len=512, d_model=768, n_heads=12, d_embedding=size)
            part = mine.FactorizedEmbeddings(wide) if size < 768 else mine.BERTEmbeddings(wide)
        amounts.append((f"E = {size}", float(sum(p.numel() for p in part.parameters()))))
    return Picture(
        "Your embeddings",
        [
            Heat("cosine between tokens: the word counts, and the place", alike.tolist(), words, words),
            Bars("parameters of the embeddings at V = 30,000 and D = 768", amounts),
        ],
    )


def encoders(world: World) -> Picture:
    """What sharing saves, and how the hidden state moves through the layers."""
    mine = world.load("encoders")
    base: dict[str, Any] = {"vocab_size": 30, "d_model": 64, "n_layers": 6, "n_heads": 4, "dropout": 0.0}
    torch.manual_seed(0)
    encoders_by_name = {
        "BERT": mine.BERTEncoder(ModelConfig(**base)),
        "ALBERT, 2 groups": mine.ALBERTEncoder(ModelConfig(**base, sharing="all", n_groups=2)),
        "ALBERT": mine.ALBERTEncoder(ModelConfig(**base, sharing="all")),
    }
    amounts = [
        (name, float(sum(p.numel() for p in {id(p): p for p in part.parameters()}.values())))
        for name, part in encoders_by_name.items()
    ]
    hidden = nn.functional.layer_norm(torch.randn(4, 9, 64), (64,))
    series = {name: steps_of(part, hidden) for name, part in encoders_by_name.items()}
    return Picture(
        "Your encoders",
        [
            Bars("parameters of six layers at D = 64", amounts),
            Curves("how far each layer moves the hidden state", list(range(6)), series),
            Note(
                "Untrained layers. ALBERT applies the same layer again, so its steps shrink towards a fixed point."
            ),
        ],
    )


def steps_of(encoder: nn.Module, hidden: torch.Tensor) -> list[float]:
    """The mean length of each layer's step, noted by hooks on whatever layers are applied."""
    moved: list[float] = []

    def note(layer: nn.Module, args: Any, output: torch.Tensor) -> None:
        moved.append((output - args[0]).norm(dim=-1).mean().item())

    hooks = [layer.register_forward_hook(note) for layer in encoder.get_submodule("layers").children()]
    with torch.no_grad():
        encoder.eval()(hidden, None)
    for hook in hooks:
        hook.remove()
    return moved


def heads(world: World) -> Picture:
    """A filled blank: the head alone learns which word each vector stands for, through the tied table."""
    mine = world.load("heads")
    words = list(dict.fromkeys(LINE.split()))
    _, table = sentence_ids(LINE)
    config = ModelConfig(vocab_size=len(table), d_model=16, n_heads=4, dropout=0.0)
    torch.manual_seed(0)
    head = mine.MLMHead(config, nn.Embedding(len(table), 16))
    hidden, target = torch.randn(len(words), 16), torch.arange(5, len(table))
    before = head(hidden).softmax(dim=-1)[:, 5:].detach()
    optimizer = torch.optim.Adam(head.parameters(), lr=0.02)
    losses = []
    for _ in range(60):
        loss = nn.functional.cross_entropy(head(hidden), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    after = head(hidden).softmax(dim=-1)[:, 5:].detach()
    guesses = [
        (words[i], "right" if i == k else "random") for k, i in enumerate(after.argmax(dim=1).tolist())
    ]
    return Picture(
        "Your heads",
        [
            Curves(
                f"60 steps of the head alone (ln V is {math.log(len(table)):.2f})",
                list(range(60)),
                {"loss": losses},
            ),
            Heat("before: what each vector is taken for", before.tolist(), words, words),
            Heat("after", after.tolist(), words, words),
            Tokens("the guesses", guesses),
        ],
    )
