"""The two sides: the engine with the course's model, and Hugging Face's model in the usual loop."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from checks.huggingface.weights import seeded
from checks.subject.world import World
from lessons.given.config import ModelConfig
from lessons.given.engine import HeldOut, Part, Pieces, Plan
from lessons.given.engine.evaluation import autocast
from lessons.given.engine.training import Training
from lessons.given.names import tensor_names

ATTENTIONS = ("eager", "sdpa")


class Way(NamedTuple):
    """How both sides compute."""

    device: str = "cpu"
    precision: str = "fp32"
    compile: bool = False


def engine_side(world: World, config: ModelConfig, batch_size: int, way: Way) -> Training:
    """The engine, ready to step, with the model of the lessons in `world`; equal seeds give equal weights."""
    albert = config.sharing == "all"
    models, objective, training = (world.load(name) for name in ("models", "objective", "training"))
    pieces = Pieces(
        world.load("datasets").collate,
        objective.pretraining_loss,
        training.parameter_groups,
        training.learning_rate,
    )
    plan = Plan(
        steps=10**6,
        batch_size=batch_size,
        lr=1e-4,
        max_len=config.max_len,
        device=way.device,
        precision=way.precision,  # type: ignore[arg-type]
        compile=way.compile,
    )
    model = seeded(partial(models.ALBERTModel if albert else models.BERTModel, config))
    nothing = HeldOut([], [], [], "")
    side = Training(model, range(batch_size), nothing, plan, pieces, "benchmark", "sop", "", {})
    side.model.train()
    return side


def engine_step(side: Training, batches: Sequence[Sequence[Part]]) -> Callable[[], None]:
    """Training steps on the batches, one after the other."""

    def run() -> None:
        for parts in batches:
            side.update(parts)

    return run


def names_of(config: ModelConfig) -> dict[str, str]:
    """Hugging Face's name of every tensor -> ours."""
    albert = config.sharing == "all"
    return tensor_names("albert" if albert else "bert", config.n_groups if albert else config.n_layers)


def in_their_order(name: str, tensor: Tensor) -> Tensor:
    """The sentence classifier's rows change places: their label 0 is our label 1."""
    return tensor.flip(0) if name.startswith("sentence_head.") else tensor


class Theirs:
    """`BertForPreTraining` or `AlbertForPreTraining` with given weights, and AdamW on it."""

    def __init__(self, weights: dict[str, Tensor], config: ModelConfig, attention: str, way: Way) -> None:
        self.way, self.albert = way, config.sharing == "all"
        self.model = build(config, attention)
        state = {theirs: in_their_order(ours, weights[ours]) for theirs, ours in names_of(config).items()}
        missing = self.model.load_state_dict(state, strict=False)
        assert not missing.unexpected_keys, missing
        assert all("position_ids" in key or "token_type_ids" in key for key in missing.missing_keys), missing
        self.model.to(way.device).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True)

    def loss(self, part: Part) -> Tensor:
        """Their loss. A batch without padding comes without a mask, as on our side."""
        batch: Any = part.batch
        order = "sentence_order_label" if self.albert else "next_sentence_label"
        with autocast(torch.device(self.way.device), self.way.precision):
            return self.model(
                input_ids=batch.input_ids,
                token_type_ids=batch.segment_ids,
                attention_mask=None if part.full else batch.attention_mask.long(),
                labels=batch.mlm_labels,
                **{order: 1 - batch.sentence_labels},
            ).loss

    def steps(self, parts: Sequence[Part]) -> Callable[[], None]:
        """Training steps on the parts, one after the other."""

        def run() -> None:
            for part in parts:
                self.optimizer.zero_grad(set_to_none=True)
                self.loss(part.to(torch.device(self.way.device))).backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()

        return run


def build(config: ModelConfig, attention: str) -> nn.Module:
    """Their model of our configuration, in the family's own class."""
    from transformers import AlbertConfig, AlbertForPreTraining, BertConfig, BertForPreTraining

    albert = config.sharing == "all"
    sizes: dict[str, Any] = {
        "vocab_size": config.vocab_size,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.d_ff,
        "max_position_embeddings": config.max_len,
        "type_vocab_size": config.n_segments,
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": config.dropout,
        "classifier_dropout_prob": 0.0,
        "layer_norm_eps": config.layer_norm_eps,
        "hidden_act": "gelu_new" if config.activation == "gelu_tanh" else "gelu",
        "attn_implementation": attention,
    }
    if albert:
        sizes |= {"embedding_size": config.d_embedding, "num_hidden_groups": config.n_groups}
    return AlbertForPreTraining(AlbertConfig(**sizes)) if albert else BertForPreTraining(BertConfig(**sizes))
