"""Static or dynamic masks, single tokens or n-grams, 15 or 30 %: all eight, on a corpus that is read many times."""

from functools import partial
from itertools import product
from typing import Any

from checks.experiments.common import mlm, show
from checks.experiments.findings import Claim
from checks.experiments.grids import grid_report
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.report import Report
from checks.experiments.spec import albert
from checks.experiments.statistics import NATS, estimate, larger

QUESTION = "does it matter whether masks are drawn anew, in spans, and how many?"
CHOICES = (("dynamic", "static"), ("tokens", "n-grams"), ("15 %", "30 %"))


def runs(lab: Lab) -> Wanted:
    """A full factorial of ALBERTs with SOP on the form's small corpus."""
    form = lab.form
    wanted: Wanted = {}
    for kind, unit, share in product(*CHOICES):
        changes: dict[str, Any] = {
            "static": kind == "static",
            "ngrams": unit == "n-grams",
            "probability": float(share[:2]) / 100,
        }
        wanted[name(kind, unit, share)] = lab.each_seed(
            partial(albert, form, documents=form.few_documents, **changes)
        )
    return wanted


def name(*choice: str) -> str:
    """A row's name."""
    return ", ".join(choice)


def report(lab: Lab, results: Results) -> Report:
    """The table and the three effects."""
    return grid_report(
        lab, results, title="Masks: static or dynamic, tokens or n-grams, 15 or 30 %",
        claims=claims_of(results), notes=notes(lab, results), paper=[],
    )  # fmt: skip


def notes(lab: Lab, results: Results) -> list[str]:
    """What static means here, how often the corpus is read, and the effects in figures."""
    spec = next(iter(results.values()))[0].spec
    places = lab.material(spec).data.train
    pairs = sum(max(len(document) - 2 * spec.sentences[1] + 1, 1) for document in places)
    epochs = spec.steps * spec.batch_size / pairs
    effects = [
        f"{high} instead of {low}: {estimate(effect(results, k)).text()}"
        for k, (low, high) in enumerate(CHOICES)
    ]
    return [
        f"The corpus has {spec.documents:,} documents, {pairs:,} places for a pair, read {epochs:.1f} times. Static: "
        "the examples of the first epoch, pairs and masks, serve in all, as BERT's preprocessing makes them with one "
        "copy. All models are scored on one held-out set with single tokens hidden at 15 %, the training of none but "
        "the first kind.",
        "Mean effect on the loss over the other two choices (above 0 is worse): " + "; ".join(effects) + ".",
    ]


def effect(results: Results, which: int) -> list[float]:
    """The mean change of the loss when choice `which` goes from its first to its second, one value a seed."""
    others = [choice for k, choice in enumerate(CHOICES) if k != which]
    changes = []
    for rest in product(*others):
        low, high = (mlm(results[name(*rest[:which], pick, *rest[which:])]) for pick in CHOICES[which])
        changes.append([b - a for a, b in zip(low, high, strict=True)])
    return [sum(column) / len(column) for column in zip(*changes, strict=True)]


def claims_of(results: Results) -> list[Claim]:
    """Dynamic masks are at least as good (Liu et al. 2019); ALBERT's n-grams; Wettig et al. 2023 on the share."""
    static, spans, many = (effect(results, k) for k in range(3))
    zero = [0.0] * len(static)
    return [
        Claim(
            "dynamic masks are better than static ones when a corpus is read many times",
            larger(static, zero, NATS), f"static costs {show(static)} nats",
        ),
        Claim(
            "n-gram masks, which are a harder task, cost something on single hidden tokens",
            larger(spans, zero, NATS), f"{show(spans)} nats",
        ),
        Claim(
            "30 % masks do at least as well as 15 % at equal steps",
            {"yes": "no", "no": "yes", "open": "open"}[larger(many, zero, NATS)],  # type: ignore[arg-type]
            f"the change is {show(many)} nats",
        ),
    ]  # fmt: skip
