"""What the reports of all experiments have: curves, slots, a list of the runs, and how to read the dull ones."""

from collections.abc import Callable, Sequence

from checks.experiments.charts import Chart, Series
from checks.experiments.lab import Lab, Result, Results
from checks.experiments.reading import diagnosis, read_run
from checks.experiments.report import Section, Table
from checks.experiments.slots import SlotLosses, reading, slot_chart
from checks.experiments.statistics import Estimate, estimate

LEAK = -4.0  # deviations below the floor that are no luck: one in 30,000 runs


def values(results: Sequence[Result], of: Callable[[Result], float]) -> list[float]:
    """A figure, one value a seed."""
    return [float(of(result)) for result in results]


def mlm(results: Sequence[Result]) -> list[float]:
    """The held-out loss at hidden words, one value a seed."""
    return values(results, lambda result: result.mlm)


def mlm_accuracy(results: Sequence[Result]) -> list[float]:
    """The share of hidden words whose first guess is right."""
    return values(results, lambda result: result.run.evaluations[-1].mlm_accuracy)


def sentence(results: Sequence[Result]) -> list[float]:
    """The accuracy of the run's own sentence task."""
    return values(results, lambda result: result.run.evaluations[-1].sentence_accuracy)


def parameters(result: Result) -> int:
    """All of the model's parameters."""
    return result.run.parameters["total"]


def closed(result: Result) -> float:
    """The share of the way from the unigram line to the floor."""
    lines = result.run.settings["lines"]
    return (lines["unigram"] - result.mlm) / (lines["unigram"] - lines["floor"])


def show(found: Sequence[float], digits: int = 3) -> str:
    """A mean over seeds as text."""
    return estimate(found).text(digits)


def halves(estimates: Sequence[Estimate]) -> list[float | None]:
    """The half widths, for a chart."""
    return [found.half for found in estimates]


def conditions(lab: Lab, results: Results) -> str:
    """What all figures of a report rest on."""
    first = next(iter(results.values()))[0]
    spec, settings = first.spec, first.run.settings
    form = lab.form
    many = f"mean and 95 % interval over {len(lab.seeds)} seeds" if len(lab.seeds) > 1 else "one seed"
    return (
        f"Form `{form.name}`, {many}. Stories of the {spec.world} world (V = {first.run.config.vocab_size:,}), "
        f"{spec.batch_size} sequences a step, peak rate {spec.lr:g}, device {lab.device}. "
        f"Every figure that is compared comes from {spec.held_out_pairs:,} held-out pairs in true order with "
        f"[MASK] at the same places for all models (hash {settings.get('held_out', 'unknown')} in the first seed); "
        f"SOP is scored on every pair in both orders, NSP on every pair and a stranger's second segment."
    )


def curves(results: Results, name: str = "curves") -> Chart:
    """The held-out loss of each label's first seed, with the lines that give it a meaning."""
    series = [
        Series(label, runs[0].run.steps, [e.mlm_loss for e in runs[0].run.evaluations])
        for label, runs in results.items()
        if runs[0].spec.trained
    ]
    first = next(runs[0] for runs in results.values() if runs[0].spec.trained)
    return Chart(
        name, "Held-out loss at hidden words (first seed)", "step", "loss in nats", series,
        rules=dict(first.run.settings["lines"]),
    )  # fmt: skip


def common_sections(lab: Lab, results: Results) -> list[Section]:
    """Curves, slots, readings and runs; the end of every report that trains."""
    trained = {label: runs for label, runs in results.items() if runs[0].spec.trained}
    slots = {label: SlotLosses(**runs[0].measures["slots"]) for label, runs in trained.items()}
    sections = [
        Section("Curves", [], charts=[curves(results)]),
        Section("What each model has learnt", [reading(slots)], charts=[slot_chart(slots)]),
    ]
    if notes := readings(lab, results):
        sections.append(Section("Runs that did not learn", notes))
    return [*sections, Section("Runs", [floor_note(results)], [runs_table(results)])]


def readings(lab: Lab, results: Results) -> list[str]:
    """A sentence for each run that did not learn."""
    try:
        diagnose = lab.subject.load("capstone").diagnose
    except Exception:  # a learner's capstone may not be importable yet
        diagnose = None
    notes = []
    for runs in results.values():
        for result in runs:
            if result.spec.trained:
                verdict = diagnosis(result.run, result.measures["moved"], diagnose)
                notes.append(read_run(result.run, verdict))
    return [note for note in dict.fromkeys(notes) if note]


def leaks(results: Results) -> list[str]:
    """The runs that are below the floor beyond noise, or whose sentence task is above the best reader."""
    found = []
    for runs in results.values():
        for result in runs:
            if result.measures["slots"]["deviations"] < LEAK:
                found.append(f"{result.run.name} (masked words)")
            task, bayes = result.spec.objective, result.run.settings.get("bayes", {})
            if task in bayes and result.spec.trained:
                noise = (bayes[task] * (1 - bayes[task]) / result.spec.held_out_pairs) ** 0.5
                if result.run.evaluations[-1].sentence_accuracy > bayes[task] - LEAK * noise:
                    found.append(f"{result.run.name} ({task.upper()})")
    return found


def floor_note(results: Results) -> str:
    """Whether any model beat what cannot be beaten."""
    found = leaks(results)
    lowest = min(r.measures["slots"]["deviations"] for runs in results.values() for r in runs)
    if found:
        return f"LEAK: {', '.join(found)} did better than is possible. The answer is in the input somewhere."
    return (
        f"No model beats the floor or the best reader beyond noise (the lowest is {lowest:+.1f} standard errors "
        "from the floor): there is no sign of a leak."
    )


def runs_table(results: Results) -> Table:
    """Every run: its hash, budget, size and end."""
    rows = [
        [
            result.run.name,
            result.key,
            f"{result.run.parameters.get('total', 0):,}",
            f"{result.run.steps[-1]:,}",
            f"{result.mlm:.3f}",
            f"{result.run.evaluations[-1].sentence_accuracy:.3f}",
            f"{result.run.seconds:.0f}",
        ]
        for runs in results.values()
        for result in runs
    ]
    unique = [list(row) for row in dict.fromkeys(tuple(row) for row in rows)]
    heading = ["run", "hash", "parameters", "steps", "MLM loss", "own sentence task", "seconds"]
    return Table("Every run that the figures rest on", heading, unique)
