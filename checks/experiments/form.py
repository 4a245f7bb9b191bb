"""The sizes of an experiment: quick on two cores, a GPU, a free notebook's GPU, and a toy for tests."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from lessons.given.config import ModelConfig
from lessons.given.engine.plan import Precision


@dataclass(frozen=True, kw_only=True)
class Form:
    """What all experiments of one size share.

    `embeddings`, `depths` and `shared_layers` are the grids of three experiments; `few_documents` is the small
    corpus of the masking experiment, read many times over. `minutes` is what one seed of any experiment may take.
    """

    name: str
    world: str
    documents: int
    few_documents: int
    held_out_pairs: int
    probe_pairs: int
    sentences: tuple[int, int]
    steps: int
    batch_size: int
    lr: float
    max_len: int
    n_layers: int
    d_model: int
    n_heads: int
    d_embedding: int
    init_std: float
    embeddings: tuple[int, ...]
    depths: tuple[int, ...]
    shared_layers: int
    evaluations: int = 8
    control_steps: int = 400
    precision: Precision = "fp32"
    workers: int = 0
    minutes: int = 15

    def config(self, **changes: Any) -> ModelConfig:
        """A model of the form; the vocabulary's size is set when the corpus is known."""
        sizes: dict[str, Any] = {
            name: getattr(self, name) for name in ("max_len", "n_layers", "d_model", "n_heads", "init_std")
        }
        return ModelConfig(**{"vocab_size": 5, "dropout": 0.0, "activation": "gelu_tanh", **sizes, **changes})


_QUICK = Form(
    name="quick", world="small", documents=20_000, few_documents=1_500, held_out_pairs=1024, probe_pairs=1024,
    sentences=(2, 3), steps=1_400, batch_size=32, lr=1e-3, max_len=64, n_layers=2, d_model=128, n_heads=4,
    d_embedding=64, init_std=0.055, embeddings=(16, 32, 64, 128), depths=(1, 2, 3, 4, 6), shared_layers=4,
)  # fmt: skip
_GPU = Form(
    name="gpu", world="large", documents=40_000, few_documents=2_000, held_out_pairs=1024, probe_pairs=2048,
    sentences=(3, 6), steps=2_500, batch_size=256, lr=5e-4, max_len=128, n_layers=6, d_model=512, n_heads=8,
    d_embedding=128, init_std=0.03, embeddings=(32, 64, 128, 512), depths=(1, 2, 4, 6, 12), shared_layers=6,
    control_steps=500, precision="bf16", workers=8, minutes=10,
)  # fmt: skip
# A free notebook has an older GPU without fast bf16 and two cores to feed it.
_NOTEBOOK = replace(
    _GPU, name="notebook", world="medium", documents=20_000, sentences=(2, 4), steps=3_000, batch_size=64,
    lr=1e-3, max_len=96, n_layers=4, d_model=256, n_heads=4, d_embedding=64, init_std=0.045,
    embeddings=(16, 64, 256), depths=(1, 2, 4, 8), shared_layers=4, precision="fp32", workers=0, minutes=30,
)  # fmt: skip
_TOY = replace(
    _QUICK, name="toy", world="tiny", documents=40, few_documents=8, held_out_pairs=12, probe_pairs=12,
    sentences=(1, 1), steps=6, batch_size=8, max_len=32, n_layers=2, d_model=16, n_heads=2, d_embedding=8,
    embeddings=(4, 16), depths=(1, 2), shared_layers=4, evaluations=2, control_steps=4, minutes=1,
)  # fmt: skip

FORMS = {form.name: form for form in (_QUICK, _GPU, _NOTEBOOK, _TOY)}
Objective = Literal["none", "nsp", "sop"]
