"""What the layers share: nothing, attention, the feed-forward part, all, or all within groups. Table 4."""

from functools import partial

from checks.experiments.common import mlm, show
from checks.experiments.findings import Claim
from checks.experiments.grids import grid_report
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.paper import TABLE_4
from checks.experiments.report import Report, Table
from checks.experiments.spec import albert
from checks.experiments.statistics import NATS, larger

QUESTION = "which part of the layers may be shared, and at what price?"
KINDS = ("none", "attention", "ffn", "all")
NAMES = {"none": "nothing", "attention": "attention", "ffn": "FFN", "all": "all"}
GROUPS = 2
GROUPED = f"all within {GROUPS} groups"


def runs(lab: Lab) -> Wanted:
    """Each kind of sharing on a deeper model than the form's, all with SOP and the form's E."""
    form = lab.form
    wanted: Wanted = {
        NAMES[kind]: lab.each_seed(partial(albert, form, sharing=kind, n_layers=form.shared_layers))
        for kind in KINDS
    }
    wanted[GROUPED] = lab.each_seed(partial(albert, form, n_layers=form.shared_layers, n_groups=GROUPS))
    return wanted


def report(lab: Lab, results: Results) -> Report:
    """The grid beside Table 4."""
    paper = Table(
        "The paper's Table 4 (averages)", ["shared", "E = 768", "E = 128"],
        [[NAMES[kind], *(f"{figure}" for figure in figures)] for kind, figures in TABLE_4.items()],
    )  # fmt: skip
    return grid_report(
        lab, results, title="What the layers may share", claims=claims_of(results), paper=[paper],
        notes=[f"{lab.form.shared_layers} layers, E = {lab.form.d_embedding}. A group is a set of weights: layer i "
               f"of L uses group i * {GROUPS} // L."],
    )  # fmt: skip


def claims_of(results: Results) -> list[Claim]:
    """The paper: the FFN is what costs; attention costs next to nothing."""
    none, attention, ffn, everything = (mlm(results[NAMES[kind]]) for kind in KINDS)
    grouped = mlm(results[GROUPED])
    return [
        Claim(
            "sharing all costs something", larger(everything, none, NATS), f"{show(everything)} against {show(none)}"
        ),
        Claim("sharing the FFN costs something", larger(ffn, none, NATS), f"{show(ffn)} against {show(none)}"),
        Claim(
            "sharing attention costs less than sharing the FFN",
            larger(ffn, attention, NATS), f"{show(attention)} against {show(ffn)}",
        ),
        Claim(
            f"{GROUPS} groups lie between one group and none shared",
            "yes" if min(none) <= sum(grouped) / len(grouped) <= max(everything) else "no",
            f"{show(none)}, {show(grouped)}, {show(everything)}",
        ),
    ]  # fmt: skip
