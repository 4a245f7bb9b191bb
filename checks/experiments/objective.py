"""No sentence task, NSP or SOP: what each brings to the other tasks. The paper's Table 5."""

from checks.experiments.charts import Chart, bars, ticks
from checks.experiments.common import common_sections, conditions, halves, mlm, mlm_accuracy, show, values
from checks.experiments.findings import Claim, paragraph
from checks.experiments.form import Form, Objective
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.paper import TABLE_5
from checks.experiments.report import Report, Section, Table
from checks.experiments.spec import RunSpec, albert, bert
from checks.experiments.statistics import NATS, Verdict, accuracy_margin, at_chance, estimate, larger

QUESTION = (
    "what does a model know of masked words, NSP and SOP after training with neither, with NSP, with SOP?"
)
WITH_TASKS = True
OBJECTIVES: tuple[Objective, ...] = ("none", "nsp", "sop")
UNTRAINED = "untrained"
NAMES = {"none": "no sentence task", "nsp": "NSP", "sop": "SOP"}
ENCODERS = {"BERT": bert, "ALBERT": albert}


def runs(lab: Lab) -> Wanted:
    """Two encoders, three objectives each, and each encoder as it starts."""
    wanted: Wanted = {}
    for encoder in ENCODERS:
        for objective in OBJECTIVES:
            wanted[label(encoder, objective)] = [
                run(lab.form, encoder, objective, seed) for seed in lab.seeds
            ]
        wanted[label(encoder, UNTRAINED)] = [
            run(lab.form, encoder, "none", seed, trained=False, steps=1) for seed in lab.seeds
        ]
    return wanted


def label(encoder: str, objective: str) -> str:
    """A row's name."""
    return f"{encoder}, {NAMES.get(objective, objective)}"


def run(form: Form, encoder: str, objective: Objective, seed: int, **changes: object) -> RunSpec:
    """One run of the matrix."""
    return ENCODERS[encoder](form, seed, objective, **changes)


def accuracies(results: Results, row: str, task: str, reading: str) -> list[float]:
    """One accuracy a seed: `reading` is "head" or "probe"."""
    return values(results[row], lambda result: result.measures["tasks"][task][reading])


def report(lab: Lab, results: Results) -> Report:
    """The matrix in both readings, the paper's beside it."""
    claims = [claim for encoder in ENCODERS for claim in claims_of(lab, results, encoder)]
    heading = [
        "trained with",
        "MLM loss",
        "MLM accuracy",
        "NSP, own head",
        "NSP, probe",
        "SOP, own head",
        "SOP, probe",
    ]
    rows = []
    for row, found in results.items():
        figures = [
            accuracies(results, row, task, reading)
            for task in ("nsp", "sop")
            for reading in ("head", "probe")
        ]
        rows.append([row, show(mlm(found)), show(mlm_accuracy(found)), *(show(figure) for figure in figures)])
    best = next(iter(results.values()))[0].run.settings["bayes"]
    rows.append(["best possible", "", "", f"{best['nsp']:.3f}", "", f"{best['sop']:.3f}", ""])
    paper = Table(
        "The paper's Table 5, in per cent", ["trained with", "MLM", "NSP", "SOP"],
        [[NAMES[key], *(f"{figure}" for figure in figures)] for key, figures in TABLE_5.items()],
    )  # fmt: skip
    sections = [
        Section(
            "Result", [paragraph(claims), HOW_READ],
            [Table("Accuracies on the held-out pairs", heading, rows), paper],
            [picture(results, encoder) for encoder in ENCODERS],
        ),
        *common_sections(lab, results),
    ]  # fmt: skip
    data = {
        row: {"mlm": mlm(found), "tasks": [result.measures["tasks"] for result in found]}
        for row, found in results.items()
    }
    title = "None, NSP or SOP: what each sentence task teaches"
    return Report(title, [conditions(lab, results)], sections, {"runs": data, "claims": claims})


HOW_READ = (
    "Two readings. The own head asks the sentence head that was trained, whatever it was trained for. The probe is a "
    "fresh logistic regression on the pooled output, fitted on pairs that no model has seen. The probe must be read "
    "against the untrained row: a random encoder already gives it something to go by. The negatives of NSP come from "
    "the same place of another document; from a random place, the order of the story would give NSP away."
)


def claims_of(lab: Lab, results: Results, encoder: str) -> list[Claim]:
    """The pattern of Table 5, for one encoder."""
    pairs = lab.form.held_out_pairs
    margin = accuracy_margin(pairs)
    nsp, sop, none, untrained = (label(encoder, name) for name in ("nsp", "sop", "none", UNTRAINED))
    chance = [0.5] * len(lab.seeds)

    def of(row: str, task: str, reading: str) -> list[float]:
        return accuracies(results, row, task, reading)

    return [
        Claim(
            f"{encoder} trained with NSP solves NSP", larger(of(nsp, "nsp", "head"), [0.7] * len(chance), margin),
            f"{show(of(nsp, 'nsp', 'head'))}; the paper: 90.5 %",
        ),
        Claim(
            f"{encoder} trained with NSP is at chance on SOP by its own head",
            if_solved(of(nsp, "nsp", "head"), at_chance(of(nsp, "sop", "head"), pairs)),
            f"{show(of(nsp, 'sop', 'head'))}; the paper: 52.0 %",
        ),
        Claim(
            f"a probe finds no more order in it than in the untrained {encoder}",
            if_solved(
                of(nsp, "nsp", "head"),
                opposite(larger(of(nsp, "sop", "probe"), of(untrained, "sop", "probe"), margin)),
            ),
            f"{show(of(nsp, 'sop', 'probe'))} against {show(of(untrained, 'sop', 'probe'))}",
        ),
        Claim(
            f"{encoder} trained with SOP solves SOP", larger(of(sop, "sop", "head"), [0.7] * len(chance), margin),
            f"{show(of(sop, 'sop', 'head'))}; the paper: 86.5 %",
        ),
        Claim(
            f"{encoder} trained with SOP does well on NSP by its own head",
            larger(of(sop, "nsp", "head"), [0.6] * len(chance), margin),
            f"{show(of(sop, 'nsp', 'head'))}; the paper: 78.9 %",
        ),
        Claim(
            f"and by a probe knows more of NSP than the untrained {encoder}",
            larger(of(sop, "nsp", "probe"), of(untrained, "nsp", "probe"), margin),
            f"{show(of(sop, 'nsp', 'probe'))} against {show(of(untrained, 'nsp', 'probe'))}",
        ),
        Claim(
            f"both sentence tasks cost {encoder} a little on masked words",
            larger(
                [max(a, b) for a, b in zip(mlm(results[nsp]), mlm(results[sop]), strict=True)],
                mlm(results[none]), NATS,
            ),
            f"loss {show(mlm(results[nsp]))} and {show(mlm(results[sop]))} against {show(mlm(results[none]))}",
        ),
    ]  # fmt: skip


def if_solved(own: list[float], verdict: Verdict) -> Verdict:
    """A model that has not learnt its own task says nothing of the other one."""
    return verdict if sum(own) / len(own) > 0.7 else "open"


def opposite(verdict: Verdict) -> Verdict:
    """For a claim that something is not larger: a difference that does not count speaks for it."""
    return "no" if verdict == "yes" else "yes"


def picture(results: Results, encoder: str) -> Chart:
    """Bars by objective: both tasks by the own head and by the probe, with the paper's figures as lines."""
    rows = [*OBJECTIVES, UNTRAINED]
    series = []
    for task in ("nsp", "sop"):
        for reading in ("head", "probe"):
            found = [estimate(accuracies(results, label(encoder, row), task, reading)) for row in rows]
            name = f"{task.upper()}, {'own head' if reading == 'head' else 'probe'}"
            series.append(bars(name, [one.mean for one in found], halves(found)))
    for column, task in ((1, "NSP"), (2, "SOP")):
        figures = [TABLE_5[key][column] / 100 for key in OBJECTIVES]
        series.append(ticks(f"{task}, the paper", figures))
    names = [NAMES.get(row, row) for row in rows]
    return Chart(
        f"matrix_{encoder.lower()}", f"{encoder}: what it knows of NSP and SOP", "trained with", "accuracy", series,
        rules={"chance": 0.5}, categories=names, from_zero=True,
    )  # fmt: skip
