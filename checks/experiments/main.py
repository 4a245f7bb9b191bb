"""BERT against ALBERT: equal in what?"""

import math

from checks.experiments.charts import Chart, Series, bars
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
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.paper import TABLE_2
from checks.experiments.report import Report, Section, Table
from checks.experiments.spec import RunSpec, albert, bert
from checks.experiments.statistics import NATS, alike, estimate, larger
from checks.experiments.timing import step_seconds

QUESTION = "what does ALBERT save and what does it lose, at equal steps, time and parameters?"
BERT, ALBERT, WIDE = "BERT", "ALBERT", "wide ALBERT"
ALBERT_TIME, WIDE_TIME = "ALBERT, equal time", "wide ALBERT, equal time"


def runs(lab: Lab) -> Wanted:
    """Three models at equal steps, and the two ALBERTs again for as long as BERT takes."""
    form, first = lab.form, lab.seeds[0]
    width = equal_width(lab)

    def wide(seed: int, steps: int = form.steps) -> RunSpec:
        return albert(form, seed, d_model=width, steps=steps)

    speed = step_seconds(lab, {BERT: bert(form, first), ALBERT: albert(form, first), WIDE: wide(first)})
    of_albert, of_wide = (equal_time(form.steps, speed[BERT], speed[name]) for name in (ALBERT, WIDE))
    return {
        BERT: lab.each_seed(lambda seed: bert(form, seed)),
        ALBERT: lab.each_seed(lambda seed: albert(form, seed)),
        WIDE: lab.each_seed(wide),
        ALBERT_TIME: lab.each_seed(lambda seed: albert(form, seed, steps=of_albert)),
        WIDE_TIME: lab.each_seed(lambda seed: wide(seed, of_wide)),
    }


def equal_width(lab: Lab) -> int:
    """The D with which ALBERT has about as many parameters as BERT: a multiple of 8 and of the heads."""
    from dataclasses import replace

    count = lab.subject.load("counting").parameter_table
    form, vocab_size = lab.form, lab.vocab_size(bert(lab.form, 0))
    target = count(replace(bert(form, 0).config, vocab_size=vocab_size), False)["total"]
    unit = math.lcm(8, form.n_heads)

    def away(width: int) -> int:
        config = replace(albert(form, 0, d_model=width).config, vocab_size=vocab_size)
        return abs(count(config, True)["total"] - target)

    return min(range(unit, 8 * form.d_model, unit), key=away)


def equal_time(steps: int, bert_seconds: float, seconds: float) -> int:
    """The steps in the time that BERT takes for `steps`; within 5 % they count as equal, else they are rounded.

    Example:
        >>> equal_time(1400, 0.1, 0.102), equal_time(1400, 0.1, 0.19)
        (1400, 740)
    """
    if abs(bert_seconds / seconds - 1) <= 0.05:
        return steps
    found = steps * bert_seconds / seconds
    return max(1, round(found / 10) * 10) if found >= 20 else max(1, round(found))


def report(lab: Lab, results: Results) -> Report:
    """The table, the claims and the pictures."""
    claims = claims_of(results)
    rows = []
    for label, found in results.items():
        first = found[0]
        rows.append([
            label,
            f"{parameters(first):,}",
            f"{first.spec.steps:,}",
            f"{estimate(values(found, lambda r: r.run.seconds)).mean:.0f}",
            show(mlm(found)),
            f"{100 * estimate(values(found, closed)).mean:.1f} %",
            show(mlm_accuracy(found)),
            f"{first.spec.objective.upper()} {show(sentence(found))}",
            f"{first.run.settings['bayes'][first.spec.objective]:.3f}",
        ])  # fmt: skip
    heading = ["model", "parameters", "steps", "seconds", "MLM loss", "of the way to the floor", "MLM accuracy",
               "sentence task", "best possible"]  # fmt: skip
    table = Table("Equal steps, equal time, equal parameters", heading, rows)
    paper = Table(
        "The paper's Table 2", ["model", "parameters", "average", "speed"],
        [[name, count, f"{average}", f"{speed}x"] for name, (count, average, speed) in TABLE_2.items()],
    )  # fmt: skip
    sections = [
        Section(
            "Result", [paragraph(claims), READ_WITH], [table, paper], [losses(results), by_time(results)]
        ),
        *common_sections(lab, results),
    ]
    data = {label: {"mlm": mlm(found), "sentence": sentence(found), "steps": found[0].spec.steps,
                    "parameters": parameters(found[0])} for label, found in results.items()}  # fmt: skip
    title = "BERT and ALBERT at equal steps, time and parameters"
    return Report(title, [conditions(lab, results)], sections, {"runs": data, "claims": claims})


READ_WITH = (
    "BERT trains with NSP and ALBERT with SOP, as in the papers, so their sentence accuracies are of two tasks and do "
    "not compare; each is to be read against the best possible one. Equal time is measured on this machine before the "
    "runs; seconds in the table include what else the machine did."
)


def claims_of(results: Results) -> list[Claim]:
    """What the paper's Table 2 says of the base models, of the wider ones and of speed."""
    base, small, wide = (mlm(results[label]) for label in (BERT, ALBERT, WIDE))
    counts = {label: parameters(results[label][0]) for label in (BERT, ALBERT, WIDE)}
    share = counts[ALBERT] / counts[BERT]
    claims = [
        Claim(
            "ALBERT of equal shape has fewer parameters", "yes" if share < 1 else "no",
            f"{counts[ALBERT]:,} of {counts[BERT]:,}, {share:.0%}",
        ),
        Claim(
            "at equal shape and steps ALBERT is the worse model", larger(small, base, NATS),
            f"MLM loss {show(small)} against {show(base)}",
        ),
        Claim(
            "at equal parameters the wider, shared ALBERT is the better model at equal steps",
            larger(base, wide, NATS), f"{show(wide)} against {show(base)}",
        ),
        Claim(
            "and still is at equal time", larger(base, mlm(results[WIDE_TIME]), NATS),
            f"{show(mlm(results[WIDE_TIME]))} after {results[WIDE_TIME][0].spec.steps:,} steps",
        ),
    ]  # fmt: skip
    steps = results[ALBERT_TIME][0].spec.steps / results[BERT][0].spec.steps
    claims.append(
        Claim(
            "ALBERT of equal shape trains faster", "yes" if steps > 1.05 else "no",
            f"{steps:.2f} of BERT's steps in equal time; the paper's 1.19 is of a pod that exchanges gradients",
        )
    )  # fmt: skip
    near = alike(small, base, 0.05)
    claims.append(Claim("ALBERT ends within 0.05 nats of BERT", near, f"{show(small)} against {show(base)}"))
    return claims


def losses(results: Results) -> Chart:
    """The end of every run, with its interval."""
    ends = [estimate(mlm(found)) for found in results.values()]
    lines = next(iter(results.values()))[0].run.settings["lines"]
    return Chart(
        "losses", "Held-out MLM loss at the end", "model", "loss in nats",
        [bars("MLM loss", [end.mean for end in ends], halves(ends))],
        rules={name: lines[name] for name in ("slot-unigram", "floor")}, categories=list(results), from_zero=True,
    )  # fmt: skip


def by_time(results: Results) -> Chart:
    """The same curves against the seconds that they took."""
    series = []
    for label, found in results.items():
        run = found[0].run
        seconds = [run.seconds * step / max(run.steps[-1], 1) for step in run.steps]
        series.append(Series(label, seconds, [e.mlm_loss for e in run.evaluations]))
    return Chart("by_time", "The curves by time (first seed)", "seconds of training", "loss in nats", series)
