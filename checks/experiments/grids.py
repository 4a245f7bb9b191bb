"""A report for experiments that vary one thing: a row a run, the losses as bars, the paper's figures beside."""

from collections.abc import Callable

from checks.experiments.charts import Chart, bars
from checks.experiments.common import (
    closed,
    common_sections,
    conditions,
    halves,
    mlm,
    mlm_accuracy,
    parameters,
    sentence,
    show,
    values,
)
from checks.experiments.findings import Claim, paragraph
from checks.experiments.lab import Lab, Result, Results
from checks.experiments.report import Report, Section, Table
from checks.experiments.statistics import estimate

LARGE_VOCABULARY = 30_000
Columns = dict[str, Callable[[Result], str]]


def grid_report(
    lab: Lab, results: Results, *, title: str, claims: list[Claim], notes: list[str], paper: list[Table],
    columns: Columns | None = None,
) -> Report:  # fmt: skip
    """The whole report; `columns` adds to the table what it does not have."""
    rows = [row(label, results, columns or {}) for label in results]
    heading = ["model", *(columns or {}), "parameters", "MLM loss", "of the way to the floor", "MLM accuracy",
               "own sentence task", "seconds"]  # fmt: skip
    ends = [estimate(mlm(found)) for found in results.values()]
    lines = next(iter(results.values()))[0].run.settings["lines"]
    chart = Chart(
        "losses", "Held-out MLM loss at the end", "model", "loss in nats",
        [bars("MLM loss", [end.mean for end in ends], halves(ends))],
        rules={name: lines[name] for name in ("slot-unigram", "floor")}, categories=list(results), from_zero=True,
    )  # fmt: skip
    sections = [
        Section(
            "Result", [paragraph(claims), *notes], [Table("Held-out figures", heading, rows), *paper], [chart]
        ),
        *common_sections(lab, results),
    ]
    data = {
        label: {"mlm": mlm(found), "accuracy": mlm_accuracy(found), "parameters": parameters(found[0])}
        for label, found in results.items()
    }
    return Report(title, [conditions(lab, results)], sections, {"runs": data, "claims": claims})


def row(label: str, results: Results, columns: Columns) -> list[str]:
    """One line of the table."""
    found = results[label]
    return [
        label,
        *(column(found[0]) for column in columns.values()),
        f"{parameters(found[0]):,}",
        show(mlm(found)),
        f"{100 * estimate(values(found, closed)).mean:.1f} %",
        show(mlm_accuracy(found)),
        show(sentence(found)),
        f"{estimate(values(found, lambda result: result.run.seconds)).mean:.0f}",
    ]


def at_large_vocabulary(lab: Lab) -> Callable[[Result], str]:
    """A column: the parameters of the same architecture with the paper's vocabulary, counted and not trained."""
    from dataclasses import replace

    table = lab.subject.load("counting").parameter_table

    def count(result: Result) -> str:
        config = replace(result.run.config, vocab_size=LARGE_VOCABULARY)
        return f"{table(config, result.spec.factorized)['total']:,}"

    return count
