"""The width E of the embedding tables, with shared layers and without. The paper's Table 3."""

from dataclasses import replace
from functools import partial

from checks.experiments.common import mlm, show
from checks.experiments.findings import Claim
from checks.experiments.grids import LARGE_VOCABULARY, at_large_vocabulary, grid_report
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.paper import TABLE_3
from checks.experiments.report import Report, Table
from checks.experiments.spec import albert, bert
from checks.experiments.statistics import NATS, larger

QUESTION = "how narrow may the embedding tables be, with shared layers and without?"


def runs(lab: Lab) -> Wanted:
    """Every E of the form, shared and not, all with SOP. Unshared at E = D is a BERT."""
    form = lab.form
    wanted: Wanted = {}
    for shared in (False, True):
        for e in form.embeddings:
            if e == form.d_model and not shared:
                wanted[name(shared, e)] = lab.each_seed(partial(bert, form, objective="sop"))
            else:
                sharing = "all" if shared else "none"
                wanted[name(shared, e)] = lab.each_seed(partial(albert, form, d_embedding=e, sharing=sharing))
    return wanted


def name(shared: bool, e: int) -> str:
    """A row's name."""
    return f"{'all shared' if shared else 'not shared'}, E = {e}"


def report(lab: Lab, results: Results) -> Report:
    """The grid beside Table 3."""
    paper = Table(
        "The paper's Table 3 (D = 768)", ["layers", "E", "parameters", "average"],
        [["all shared" if shared else "not shared", str(e), count, f"{average}"]
         for (shared, e), (count, average) in TABLE_3.items()],
    )  # fmt: skip
    return grid_report(
        lab, results, title="How narrow the embedding tables may be", claims=claims_of(lab, results),
        notes=[saving(lab)], paper=[paper], columns={f"at V = {LARGE_VOCABULARY:,}": at_large_vocabulary(lab)},
    )  # fmt: skip


def claims_of(lab: Lab, results: Results) -> list[Claim]:
    """Unshared: wider is better, a little. Shared: there is a best E below D."""
    least, most = lab.form.embeddings[0], lab.form.embeddings[-1]
    claims = []
    for shared in (False, True):
        narrow, wide = (mlm(results[name(shared, e)]) for e in (least, most))
        claims.append(
            Claim(
                f"{'shared' if shared else 'unshared'} layers do better with E = {most} than with E = {least}",
                larger(narrow, wide, NATS),
                f"MLM loss {show(wide)} against {show(narrow)}",
            )
        )
    means = {e: sum(mlm(results[name(True, e)])) / len(lab.seeds) for e in lab.form.embeddings}
    best = min(means, key=lambda e: means[e])
    claims.append(
        Claim(
            "with shared layers the best E is below D (the paper's 128 of 768)",
            larger(mlm(results[name(True, most)]), mlm(results[name(True, best)]), NATS)
            if best != most
            else "no",
            f"the best here is E = {best}, loss {means[best]:.3f}; E = {most} has {means[most]:.3f}",
        )
    )
    return claims


def saving(lab: Lab) -> str:
    """Why a small vocabulary hides the saving, in figures."""
    table = lab.subject.load("counting").parameter_table
    form = lab.form
    rows = ("word", "position", "segment", "embedding_norm", "projection")
    parts = []
    for vocab_size in (lab.vocab_size(bert(form, 0)), LARGE_VOCABULARY):
        full, narrow = (
            sum(table(replace(run(form, 0).config, vocab_size=vocab_size), factorized)[row] for row in rows)
            for run, factorized in ((bert, False), (albert, True))
        )
        parts.append(
            f"at V = {vocab_size:,} the tables have {narrow:,} parameters with E = {form.d_embedding} against {full:,}"
        )
    return f"What E saves depends on V: {'; '.join(parts)}. The losses above are of the small vocabulary."
