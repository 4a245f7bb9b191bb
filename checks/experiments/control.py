"""Stories whose order carries no information: the best SOP accuracy is one half, and more is a leak."""

from dataclasses import replace

from checks.experiments.common import common_sections, conditions, leaks, mlm, sentence, show
from checks.experiments.findings import Claim, paragraph
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.report import Report, Section, Table
from checks.experiments.spec import RunSpec, albert, bert
from checks.experiments.statistics import at_chance

QUESTION = "does anything but the order of the story give the order away?"
WORLD = "control"
DOCUMENTS = 400  # at least these many, so that every word of the world is in the vocabulary


def runs(lab: Lab) -> Wanted:
    """Both encoders with SOP on the control world, segments of one sentence."""
    form = lab.form

    def changed(run: RunSpec) -> RunSpec:
        return replace(
            run,
            world=WORLD,
            documents=max(form.documents, DOCUMENTS),
            sentences=(1, 1),
            steps=form.control_steps,
            config=replace(run.config, max_len=max(form.max_len, 24)),
        )

    return {
        "BERT, SOP": lab.each_seed(lambda seed: changed(bert(form, seed, "sop"))),
        "ALBERT, SOP": lab.each_seed(lambda seed: changed(albert(form, seed))),
    }


def report(lab: Lab, results: Results) -> Report:
    """Accuracies against one half, and losses against the floor."""
    pairs = lab.form.held_out_pairs
    claims = [
        Claim(f"{label} stays at chance", at_chance(sentence(found), pairs), f"{show(sentence(found))}; best possible "
              f"{found[0].run.settings['bayes']['sop']:.3f}")
        for label, found in results.items()
    ]  # fmt: skip
    found = leaks(results)
    claims.append(
        Claim(
            "no model beats the floor beyond noise", "no" if found else "yes", ", ".join(found) or "none does"
        )
    )
    rows = [[label, show(mlm(found)), f"{found[0].run.settings['lines']['floor']:.3f}", show(sentence(found))]
            for label, found in results.items()]  # fmt: skip
    table = Table("The control corpus", ["model", "MLM loss", "floor", "SOP accuracy"], rows)
    sections = [Section("Result", [paragraph(claims)], [table]), *common_sections(lab, results)]
    return Report(
        "The control: order that says nothing", [conditions(lab, results)], sections,
        {"sop": {label: sentence(found) for label, found in results.items()}, "claims": claims},
    )  # fmt: skip
