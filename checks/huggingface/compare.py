"""Models side by side: where the parameters are, what a sequence costs by count, and what it takes by the clock."""

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import nn

from checks.huggingface.configs import Spec
from checks.huggingface.weights import seeded

ROWS = {
    "word": "word table",
    "position": "position table",
    "segment": "segment table",
    "embedding_norm": "embedding norm",
    "projection": "projection E to D",
    "encoder": "encoder",
    "pooler": "pooler",
    "mlm_head": "masked-word head",
    "sentence_head": "sentence head",
    "total": "all parameters",
}
HEADS = ("mlm_head", "sentence_head")
GAP = 1.5  # a model whose share of FLOPs is so many times its share of parameters makes the point


class Load(NamedTuple):
    """What is counted and timed: sequences of `tokens`, `masked` of them predicted."""

    tokens: int = 128
    masked: int = 20
    batch_size: int = 8
    rounds: int = 3
    device: str = "cpu"
    dtype: torch.dtype = torch.float32


class Timing(NamedTuple):
    """Medians: seconds for one sequence alone, and sequences a second in a batch."""

    latency: float
    throughput: float


class Numbers(NamedTuple):
    """A model's column."""

    name: str
    parameters: dict[str, int]
    flops: int
    timing: Timing | None = None

    @property
    def without_heads(self) -> int:
        """The parameters of embeddings, encoder and pooler: the figure that is mostly quoted."""
        return self.parameters["total"] - sum(self.parameters[head] for head in HEADS)


def count(spec: Spec, counting: Any, load: Load) -> Numbers:
    """Parameters and FLOPs by the formulas of the lesson `counting`; ValueError where `load` does not fit."""
    if not load.masked <= load.tokens <= spec.config.max_len:
        raise ValueError(
            f"{spec.name}: got {load.tokens} tokens, {load.masked} of them masked, expected at most "
            f"{spec.config.max_len} tokens (its position table) and no more masked than tokens"
        )
    table = counting.parameter_table(spec.config, factorized=spec.factorized)
    flops = counting.forward_flops(spec.config, load.tokens, factorized=spec.factorized, masked=load.masked)
    return Numbers(spec.name, table, flops)


def measure(specs: Sequence[Spec], models: Any, load: Load) -> list[Timing]:
    """Time each model on random weights and ids; the time does not depend on either.

    The models take turns in every round, so that a machine that gets busy is busy for all. One forward pass:
    embeddings, encoder, pooler, and the masked-word head at the masked places.

    Raises:
        ValueError: the device's memory is too small.
    """
    try:
        built = [seeded(partial(build, spec, models)).to(load.device, load.dtype) for spec in specs]
        sizes = (1, load.batch_size)
        runs = [
            [forward(model, spec, load, size) for size in sizes]
            for model, spec in zip(built, specs, strict=True)
        ]
        rounds = [
            [[_seconds(run, load.device) for run in pair] for pair in runs] for _ in range(load.rounds + 1)
        ]
    except torch.OutOfMemoryError as error:
        raise ValueError(
            f"{load.device}: out of memory, expected it to hold these models and a batch of "
            f"{load.batch_size}: try a smaller --batch-size or fewer models"
        ) from error
    timings = []
    for each in zip(*rounds[1:], strict=True):  # the first round warms up
        alone, batch = (statistics.median(times) for times in zip(*each, strict=True))
        timings.append(Timing(alone, load.batch_size / batch))
    return timings


def build(spec: Spec, models: Any) -> nn.Module:
    """The model of the lesson `models`, in eval mode, with random weights."""
    family = models.ALBERTModel if spec.factorized else models.BERTModel
    return family(spec.config).eval()


def forward(model: Any, spec: Spec, load: Load, batch_size: int) -> Callable[[], None]:
    """One forward pass as a function without arguments."""
    shape = (batch_size, load.tokens)
    draw = torch.Generator().manual_seed(0)
    ids = torch.randint(spec.config.vocab_size, shape, generator=draw).to(load.device)
    places = torch.rand(shape, generator=draw).argsort(-1)[:, : load.masked]
    positions = (places + load.tokens * torch.arange(batch_size)[:, None]).flatten().to(load.device)

    def run() -> None:
        with torch.inference_mode():
            sequence_output, _ = model(ids, None, None)
            model.mlm_logits(sequence_output, positions)

    return run


def _seconds(run: Callable[[], None], device: str) -> float:
    def wait() -> None:
        if device != "cpu":
            torch.accelerator.synchronize()

    wait()
    start = time.perf_counter()
    run()
    wait()
    return time.perf_counter() - start


def rows(numbers: Sequence[Numbers], load: Load) -> list[list[str]]:
    """The table: its first row are the names, its first column says what each row is."""
    table = [["", *(each.name for each in numbers)]]
    table += [[label, *(f"{each.parameters[key]:,}" for each in numbers)] for key, label in ROWS.items()]
    table.append(["  without the two heads", *(f"{each.without_heads:,}" for each in numbers)])
    for label, size in (("bytes in fp32", 4), ("bytes in bf16", 2)):
        table.append([label, *(f"{each.parameters['total'] * size / 1e6:,.1f} MB" for each in numbers)])
    table.append(["FLOPs a sequence", *(f"{each.flops / 1e9:,.3f} G" for each in numbers)])
    timings = [each.timing for each in numbers if each.timing]
    if timings:
        table.append(["latency, one sequence", *(f"{each.latency * 1e3:,.1f} ms" for each in timings)])
        label = f"throughput, batch of {load.batch_size}"
        table.append([label, *(f"{each.throughput:,.1f} /s" for each in timings)])
    return table


def relations(numbers: Sequence[Numbers]) -> list[str]:
    """Each further model against the first, and what it shows about parameters and FLOPs."""
    first, *others = numbers
    lines, shown = [], False
    for each in others:
        size = each.parameters["total"] / first.parameters["total"]
        work = each.flops / first.flops
        line = f"{each.name} has {size:.3f}x the parameters of {first.name} and does {work:.2f}x its FLOPs"
        if each.timing and first.timing:
            line += f", in {each.timing.latency / first.timing.latency:.2f}x its time"
        lines.append(line + ".")
        shown = shown or max(work / size, size / work) >= GAP
    if shown:
        lines.append(
            "Fewer parameters are not fewer FLOPs: a shared layer is stored once and applied L times."
        )
    return lines
