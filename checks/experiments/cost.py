"""What both models cost: parameters, bytes, memory, FLOPs, latency and throughput. Nothing is trained."""

import io
from dataclasses import replace
from typing import Any, NamedTuple

import torch

from checks.experiments.charts import Chart, bars
from checks.experiments.findings import Claim, paragraph
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.measuring import activation_bytes, latency_seconds, peak_step_bytes
from checks.experiments.paper import TABLE_2
from checks.experiments.report import Report, Section, Table
from checks.experiments.spec import RunSpec, albert, bert
from checks.experiments.timing import measure
from lessons.given.config import ModelConfig

QUESTION = "are fewer parameters fewer bytes, less memory, less arithmetic, less time?"
ADAM_BYTES = 16  # a parameter in training: weight, gradient and two moments, four bytes each
PAPERS = {
    "BERT-base": (ModelConfig(vocab_size=30_000, max_len=512, d_model=768, n_layers=12, n_heads=12), False),
    "ALBERT-base": (
        ModelConfig(
            vocab_size=30_000,
            max_len=512,
            d_model=768,
            d_embedding=128,
            n_layers=12,
            n_heads=12,
            sharing="all",
        ),
        True,
    ),
}


class Cost(NamedTuple):
    """The figures of one model; times in seconds, sizes in bytes."""

    parameters: int
    checkpoint: int
    flops: float
    states: int
    activations: int | None = None
    peak: int | None = None
    latency: float | None = None
    step: float | None = None
    tokens_per_second: float | None = None


def runs(lab: Lab) -> Wanted:
    """Nothing to train."""
    return {}


def report(lab: Lab, results: Results) -> Report:
    """The form's two models, measured, and the paper's base models, counted."""
    models = {"BERT": bert(lab.form, lab.seeds[0]), "ALBERT": albert(lab.form, lab.seeds[0])}
    costs = measured(lab, models)
    tokens = lab.form.max_len
    for name, (config, factorized) in PAPERS.items():
        costs[name] = counted(lab, config, factorized, 128)
    claims = claims_of(costs)
    heading = ["", *costs]
    table = Table(
        "The costs", heading, [[what, *(show(cost) for cost in costs.values())] for what, show in ROWS]
    )
    notes = [
        f"The form's models are measured on {lab.device} at {tokens} tokens: training in batches of "
        f"{lab.form.batch_size}, latency of one sequence. The base models are counted and not built, at 128 tokens "
        f"and V = 30,000. FLOPs are the matrix products of one sequence forward, the vocabulary at 15 % of the places.",
        "Activations are what the backward pass keeps of one training batch; they do not depend on sharing, because "
        "each application of a shared layer keeps its own.",
        f"The paper's Table 2: ALBERT-base trains {TABLE_2['ALBERT-base'][2] / TABLE_2['BERT-base'][2]:.2f} times as "
        "fast as BERT-base, on a pod where gradients are exchanged, and there ALBERT's are a ninth.",
    ]
    ratio = Chart(
        "ratios", "ALBERT's costs as a share of BERT's", "", "share", [bars("form", ratios(costs))],
        rules={"equal": 1.0}, categories=list(RATIOS), from_zero=True,
    )  # fmt: skip
    sections = [Section("Result", [paragraph(claims), *notes], [table], [ratio])]
    return Report(
        "What BERT and ALBERT cost", [f"Form `{lab.form.name}`."], sections,
        {"costs": {name: cost._asdict() for name, cost in costs.items()}, "claims": claims},
    )  # fmt: skip


RATIOS = ("parameters", "checkpoint", "states", "activations", "flops", "latency", "step")


def ratios(costs: dict[str, Cost]) -> list[float]:
    """ALBERT over BERT, in the order of `RATIOS`."""
    return [getattr(costs["ALBERT"], name) / max(getattr(costs["BERT"], name), 1e-12) for name in RATIOS]


def measured(lab: Lab, models: dict[str, RunSpec]) -> dict[str, Cost]:
    """Counts and measurements of the form's models."""
    from checks.experiments.job import build

    vocab_size = lab.vocab_size(models["BERT"])
    steps = measure(lab, models)
    built = {name: build(lab.subject, run, vocab_size).to(lab.device) for name, run in models.items()}
    tokens = lab.form.max_len
    latencies = latency_seconds(built, tokens, vocab_size, lab.device)
    costs = {}
    for name, run in models.items():
        config = replace(run.config, vocab_size=vocab_size)
        base = counted(lab, config, run.factorized, tokens)
        batch = (lab.form.batch_size, tokens)
        costs[name] = base._replace(
            checkpoint=checkpoint_bytes(built[name]),
            activations=activation_bytes(built[name], batch, vocab_size, lab.device),
            peak=peak_step_bytes(built[name], batch, vocab_size, lab.device),
            latency=latencies[name],
            step=steps[name],
            tokens_per_second=lab.form.batch_size * (9 * sum(run.sentences) + 3) / steps[name],
        )
    return costs


def counted(lab: Lab, config: ModelConfig, factorized: bool, tokens: int) -> Cost:
    """What follows from the configuration alone."""
    table = lab.subject.load("counting").parameter_table(config, factorized)
    count = table["total"]
    return Cost(count, 4 * count, flops(config, tokens, factorized), ADAM_BYTES * count)


def flops(config: ModelConfig, tokens: int, factorized: bool) -> float:
    """Matrix products of one sequence forward: lesson 12's `forward_flops` with 15 % of the places masked."""
    t, d, e, f, v = tokens, config.d_model, config.d_embedding, config.d_ff, config.vocab_size
    masked = round(0.15 * t)
    encoder = config.n_layers * (8 * t * d * d + 4 * t * d * f + 4 * t * t * d)
    return encoder + 2 * t * e * d * factorized + 2 * d * d + 4 * d + masked * (2 * d * e + 2 * e * v)


def checkpoint_bytes(model: torch.nn.Module) -> int:
    """The size of the saved weights; a tied or shared tensor is saved once."""
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return file.tell()


def size(bytes_: int | None) -> str:
    """Bytes as text."""
    return "" if bytes_ is None else f"{bytes_ / 2**20:,.1f} MiB"


ROWS: list[tuple[str, Any]] = [
    ("parameters", lambda cost: f"{cost.parameters:,}"),
    ("checkpoint", lambda cost: size(cost.checkpoint)),
    ("weights, gradients, Adam's moments", lambda cost: size(cost.states)),
    ("activations of a training batch", lambda cost: size(cost.activations)),
    ("peak of a training step", lambda cost: size(cost.peak)),
    ("FLOPs forward", lambda cost: f"{cost.flops / 1e6:,.1f} M"),
    ("latency of one sequence", lambda cost: "" if cost.latency is None else f"{1e3 * cost.latency:.2f} ms"),
    ("training step", lambda cost: "" if cost.step is None else f"{1e3 * cost.step:.1f} ms"),
    ("tokens/s in training", lambda cost: "" if cost.step is None else f"{cost.tokens_per_second:,.0f}"),
]


def claims_of(costs: dict[str, Cost]) -> list[Claim]:
    """Fewer parameters are fewer bytes, and neither fewer FLOPs nor less time."""
    first, second = costs["BERT"], costs["ALBERT"]

    def share(name: str) -> float:
        return getattr(second, name) / getattr(first, name)

    paper = costs["ALBERT-base"].parameters / costs["BERT-base"].parameters
    return [
        Claim(
            "ALBERT has fewer parameters and a smaller checkpoint", "yes" if share("checkpoint") < 0.9 else "no",
            f"{share('parameters'):.0%} and {share('checkpoint'):.0%}; base models {paper:.0%}",
        ),
        Claim("its arithmetic is the same within 5 %", "yes" if abs(share("flops") - 1) < 0.05 else "no",
              f"{share('flops'):.3f} of BERT's FLOPs"),
        Claim("its activations are the same within 5 %", "yes" if abs(share("activations") - 1) < 0.05 else "no",
              f"{share('activations'):.3f} of BERT's"),
        Claim("inference is not faster (within 10 %)", "yes" if share("latency") > 0.9 else "no",
              f"{share('latency'):.2f} of BERT's latency"),
        Claim("a training step is at most a little faster (less than 20 %)", "yes" if share("step") > 0.8 else "no",
              f"{share('step'):.2f} of BERT's time"),
    ]  # fmt: skip
