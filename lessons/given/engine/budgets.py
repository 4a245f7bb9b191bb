"""The presets' budgets: how much each preset trains, on what, and how it is scored."""

from dataclasses import dataclass
from typing import Any

from lessons.given.engine.plan import Precision


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What a preset fixes beside the sizes of the models, which lesson 15's `configurations` gives.

    Either `steps` or `epochs` is given. `documents` counts generated stories and has no meaning for other
    corpora; `world` is their size. `max_vocab` bounds the vocabulary. `held_out_pairs` bounds the pairs that
    score.
    """

    corpus: str
    batch_size: int
    lr: float
    steps: int | None = None
    epochs: int | None = None
    world: str = "small"
    documents: int = 20_000
    held_out_pairs: int = 1024
    sentences: tuple[int, int] = (2, 3)
    max_vocab: int = 8_000
    betas: tuple[float, float] = (0.9, 0.98)
    eps: float = 1e-6
    precision: Precision = "fp32"
    compile: bool = False
    workers: int = 0
    evaluations: int = 14

    def steps_for(self, pairs: int, batch_size: int) -> int:
        """The number of updates for this many training pairs."""
        if self.steps is not None:
            return self.steps
        assert self.epochs is not None
        return self.epochs * max(1, pairs // batch_size)

    def plan_fields(self) -> dict[str, Any]:
        """The fields of `Plan` that the budget fixes."""
        names = ("betas", "eps", "precision", "compile", "workers", "sentences")
        return {name: getattr(self, name) for name in names}


BUDGETS = {
    "quick": Budget(corpus="stories", steps=1_400, batch_size=32, lr=1e-3),
    "classic": Budget(
        corpus="toy",
        epochs=20,
        batch_size=32,
        lr=5e-4,
        sentences=(1, 1),
        betas=(0.9, 0.999),
        eps=1e-8,
        evaluations=20,
    ),
    "cpu": Budget(
        corpus="stories",
        steps=5_000,
        batch_size=32,
        lr=2e-3,
        documents=60_000,
        held_out_pairs=4096,  # one sentence often does not tell the order: fewer would leave the score to luck
        sentences=(1, 1),
        evaluations=25,
    ),
    "gpu": Budget(
        corpus="stories",
        world="huge",
        steps=6_000,
        batch_size=512,
        lr=5e-4,
        documents=400_000,
        sentences=(3, 6),
        max_vocab=32_000,
        held_out_pairs=2048,
        precision="bf16",
        compile=True,
        workers=8,
        evaluations=30,
    ),
}
