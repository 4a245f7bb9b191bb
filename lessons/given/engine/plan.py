"""What a training run is asked to do, in one record."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

Precision = Literal["fp32", "bf16"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The budget and the recipe of one run; both models of a comparison get the same plan.

    Args:
        steps: updates in all.
        batch_size: sequences in one update.
        lr: the peak learning rate; the course's schedule (warm-up, then down to 0) runs over `steps`.
        max_len: longest sequence.
        seed: of the order of the examples and of dropout.
        device: where the model trains, as torch names it.
        sentences: the range of sentences in each segment of a pair.
        probability: the share of tokens chosen for the masked-token task.
        same_place: where NSP's negatives come from (see lesson 3).
        weight_decay, warmup, max_norm, betas, eps: AdamW, the warm-up's share of the steps, the clip.
        rates_tried: the rates from which `lr` was chosen, for this very model; empty means `(lr,)`.
        precision: "fp32", or "bf16" for autocast.
        compile: run the model through `torch.compile`.
        shards: shares of an update, each sorted and batched by itself. Processes that train together take whole
            shards, so a run of 8 shards sees the same batches on 1, 2, 4 or 8 of them.
        micro_batch: sequences that go through the model at once; None means the whole batch, on a CPU as many
            as its cache is good for.
        pool: batches whose examples are sorted by length together, so that padding is rare.
        workers: processes that prepare batches; 0 means a thread.
        evaluate_every, log_every, checkpoint_every: in steps.

    Raises:
        ValueError: a number that cannot be; the message says what was got and what was expected.
    """

    steps: int
    batch_size: int
    lr: float
    max_len: int
    seed: int = 0
    device: str = "cpu"
    sentences: tuple[int, int] = (1, 1)
    probability: float = 0.15
    same_place: bool = True
    weight_decay: float = 0.01
    warmup: float = 0.1
    max_norm: float = 1.0
    betas: tuple[float, float] = (0.9, 0.98)
    eps: float = 1e-6
    rates_tried: tuple[float, ...] = ()
    precision: Precision = "fp32"
    compile: bool = False
    shards: int = 1
    micro_batch: int | None = None
    pool: int = 16
    workers: int = 0
    evaluate_every: int = 100
    log_every: int = 10
    checkpoint_every: int = 200

    def __post_init__(self) -> None:
        counts = ("steps", "batch_size", "pool", "evaluate_every", "log_every", "checkpoint_every")
        for name in counts:
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: got {getattr(self, name)}, expected 1 or more")
        if self.shards < 1 or self.batch_size % self.shards:
            raise ValueError(
                f"shards: got {self.shards}, expected a divisor of batch_size = {self.batch_size}"
            )
        if not 0 < self.lr < float("inf"):
            raise ValueError(f"lr: got {self.lr}, expected a number above 0")
        if self.max_len < 5:
            raise ValueError(f"max_len: got {self.max_len}, expected 5 or more ([CLS] a [SEP] b [SEP])")
        if self.micro_batch is not None and self.micro_batch < 1:
            raise ValueError(f"micro_batch: got {self.micro_batch}, expected 1 or more, or None")
        if self.precision not in ("fp32", "bf16"):
            raise ValueError(f"precision: got {self.precision!r}, expected 'fp32' or 'bf16'")

    @property
    def warmup_steps(self) -> int:
        """Steps of the linear warm-up, at least one."""
        return max(1, int(self.warmup * self.steps))

    def evaluates_after(self, step: int) -> bool:
        """Whether the held-out set is scored after `step` updates: after 1, every so many, and the last."""
        return step in (1, self.steps) or step % self.evaluate_every == 0

    def settings(self, training_data: str, held_out: str) -> dict[str, Any]:
        """The entries of `Run.settings`; the two arguments are fingerprints of the data.

        The first seven keys decide whether two runs may be compared: `training_data`, `held_out`, `steps`,
        `batch_size`, `max_len`, `masks`, `rates_tried`. The rest is written down for the record.
        """
        masks = f"{self.probability:g} of the tokens, one by one, 80/10/10, drawn anew each epoch"
        return {
            "training_data": training_data,
            "held_out": held_out,
            "steps": self.steps,
            "batch_size": self.batch_size,
            "max_len": self.max_len,
            "masks": masks,
            "rates_tried": tuple(self.rates_tried or (self.lr,)),
            "lr": self.lr,
            "seed": self.seed,
            "device": self.device,
            "precision": self.precision,
            "sentences": tuple(self.sentences),
            "same_place": self.same_place,
        }

    def recipe(self) -> dict[str, Any]:
        """All that decides the numbers of a run, as plain data: what a resumed run must share."""
        bookkeeping = ["checkpoint_every", "log_every", "workers", "device", "compile"]
        bookkeeping += ["shards"] if self.shards == 1 else []  # one shard is the plain way
        plain = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}
        return {key: value for key, value in plain.items() if key not in bookkeeping}
