"""More layers with the same parameters: how often the one layer is applied. The paper's Table 11."""

from functools import partial
from itertools import pairwise

from checks.experiments.charts import Chart, Series
from checks.experiments.common import mlm, parameters, show
from checks.experiments.findings import Claim
from checks.experiments.grids import grid_report
from checks.experiments.lab import Lab, Results, Wanted
from checks.experiments.paper import TABLE_11
from checks.experiments.report import Report, Table
from checks.experiments.spec import albert
from checks.experiments.statistics import NATS, estimate, larger

QUESTION = "what do more layers bring when they add no parameters?"


def runs(lab: Lab) -> Wanted:
    """ALBERT at every depth of the form."""
    form = lab.form
    return {name(depth): lab.each_seed(partial(albert, form, n_layers=depth)) for depth in form.depths}


def name(depth: int) -> str:
    """A row's name."""
    return f"{depth} layer{'s' * (depth > 1)}"


def report(lab: Lab, results: Results) -> Report:
    """The grid beside Table 11."""
    paper = Table(
        "The paper's Table 11 (ALBERT-large, 18M parameters throughout)", ["layers", "average"],
        [[str(depth), f"{average}"] for depth, average in TABLE_11.items()],
    )  # fmt: skip
    count = parameters(next(iter(results.values()))[0])
    made = grid_report(
        lab, results, title="More layers, the same parameters", claims=claims_of(lab, results), paper=[paper],
        notes=[f"Every model has {count:,} parameters; time and memory grow with the number of layers."],
    )  # fmt: skip
    result = made.sections[0]
    return made._replace(
        sections=[result._replace(charts=[*result.charts, by_depth(lab, results)]), *made.sections[1:]]
    )


def claims_of(lab: Lab, results: Results) -> list[Claim]:
    """The paper: a large gain first, then less and less, and a loss at the very end."""
    depths = lab.form.depths
    losses = {depth: mlm(results[name(depth)]) for depth in depths}
    first, second, last = depths[0], depths[1], depths[-1]
    means = {depth: sum(found) / len(found) for depth, found in losses.items()}
    best = min(means, key=lambda depth: means[depth])
    gains = [means[a] - means[b] for a, b in pairwise(depths)]
    return [
        Claim(
            f"{second} layers are better than {first}", larger(losses[first], losses[second], NATS),
            f"{show(losses[second])} against {show(losses[first])}",
        ),
        Claim(
            "the first step in depth brings the most", "yes" if max(gains) == gains[0] else "no",
            "gains from step to step " + ", ".join(f"{gain:+.3f}" for gain in gains),
        ),
        Claim(
            "the deepest model is not the best", larger(losses[last], losses[best], NATS) if best != last else "no",
            f"the best has {name(best)} ({means[best]:.3f}), the deepest {means[last]:.3f}",
        ),
    ]  # fmt: skip


def by_depth(lab: Lab, results: Results) -> Chart:
    """The loss against the number of layers."""
    ends = [estimate(mlm(results[name(depth)])) for depth in lab.form.depths]
    interval = {}
    if ends[0].half is not None:
        interval = {
            "low": [end.mean - (end.half or 0) for end in ends], "high": [end.mean + (end.half or 0) for end in ends]
        }  # fmt: skip
    one = Series("MLM loss", list(lab.form.depths), [end.mean for end in ends], **interval)  # type: ignore[arg-type]
    return Chart("depth", "Loss by depth at equal parameters", "layers", "loss in nats", [one])
