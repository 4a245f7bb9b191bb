"""A preset's runs over several seeds: their figures, what was asked of them, and their curves, as plain data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from checks.experiments.charts import Chart, Series
from checks.experiments.findings import Claim
from checks.experiments.report import Table
from checks.site.report_folder import read_charts, rounded
from lessons.given.engine import RunFolder
from lessons.given.records import Run

MODELS = ("BERT", "ALBERT")
PASSED = 0.75
Runs = list[dict[str, Run]]


class Asked(NamedTuple):
    """A preset's title and question, and what it must reach.

    `way` and `slot_way` are shares closed of the distance from the unigram and the slot-unigram line to the floor,
    `apart` is in nats, `of_best` counts a sentence task's accuracy from chance to the best possible. By `by_step`
    both sentence tasks must have passed `PASSED`; None where that is not asked.
    """

    title: str
    question: str
    way: float
    slot_way: float
    apart: float
    of_best: float
    by_step: int | None
    minutes: int


ASKED = {
    "quick": Asked(
        "The quick capstone",
        "BERT with NSP and ALBERT with SOP at equal steps, by the preset that a learner runs first.",
        way=0.87, slot_way=0.60, apart=0.05, of_best=0.90, by_step=600, minutes=5,
    ),
    "cpu": Asked(
        "The longer capstone",
        "The same on segments of one sentence, with a wider start, at twice the rate and for longer: is the agreement "
        "learned too?",
        way=0.95, slot_way=0.85, apart=0.05, of_best=0.90, by_step=None, minutes=30,
    ),
}  # fmt: skip


def preset_values(preset: str, folders: Sequence[Path], seconds: Sequence[float] = ()) -> dict[str, Any]:
    """Everything that pages show of a preset; ValueError when a run is missing or not as the others.

    Without `seconds`, those of the longer training of each seed count.
    """
    asked = ASKED[preset]
    runs = [read_runs(folder) for folder in folders]
    seeds = [pair["BERT"].settings["seed"] for pair in runs]
    if len({tuple(run.steps) for pair in runs for run in pair.values()}) > 1 or len(set(seeds)) < len(seeds):
        raise ValueError(f"{preset}: got seeds {seeds}, expected different seeds with equal steps")
    took = list(seconds) or [max(run.seconds for run in pair.values()) for pair in runs]
    figures = {name: figures_of([pair[name] for pair in runs]) for name in MODELS}
    report = {
        "title": asked.title,
        "lead": [],
        "sections": [
            {
                "title": "Result",
                "text": [],
                "tables": [ends(asked, seeds, figures, took)._asdict(), lines_table(seeds, runs)._asdict()],
                "charts": [loss_chart(runs).plain(), accuracy_chart(runs).plain(), slots_of(folders[0])],
            }
        ],
    }
    return {
        "report": rounded(report),
        "question": asked.question,
        "seeds": seeds,
        "claims": [claim._asdict() for claim in claims_of(asked, figures, took)],
        "runs": len(seeds) * len(MODELS),
        "seconds": rounded(took),
        "lines": rounded(dict(runs[0]["BERT"].settings["lines"])),
        "bayes": rounded(dict(runs[0]["BERT"].settings["bayes"])),
        **rounded(figures),
    }


def read_runs(folder: Path) -> dict[str, Run]:
    """Both finished runs of a run folder."""
    found = {name: RunFolder(folder / name.lower()).load_run() for name in MODELS}
    missing = [name for name, run in found.items() if run is None]
    if missing:
        raise ValueError(f"{folder.name}: {' and '.join(missing)} did not finish")
    return {name: run for name, run in found.items() if run is not None}


def figures_of(runs: list[Run]) -> dict[str, Any]:
    """The figures of one model, a list with one entry a seed each."""
    last = [run.evaluations[-1] for run in runs]
    lines = [run.settings["lines"] for run in runs]
    task = str(runs[0].settings["task"])
    best = [run.settings["bayes"][task] for run in runs]
    return {
        "task": task,
        "parameters": runs[0].parameters["total"],
        "mlm": [end.mlm_loss for end in last],
        "mlm_accuracy": [end.mlm_accuracy for end in last],
        "sentence": [end.sentence_accuracy for end in last],
        "way": [way(end.mlm_loss, line, "unigram") for end, line in zip(last, lines, strict=True)],
        "slot_way": [way(end.mlm_loss, line, "slot-unigram") for end, line in zip(last, lines, strict=True)],
        "of_best": [(end.sentence_accuracy - 0.5) / (b - 0.5) for end, b in zip(last, best, strict=True)],
        "passed": [passed(run) for run in runs],
        "seconds": [run.seconds for run in runs],
    }


def way(loss: float, lines: dict[str, float], start: str) -> float:
    """The share closed of the distance from a line to the floor."""
    return (lines[start] - loss) / (lines[start] - lines["floor"])


def passed(run: Run) -> int | None:
    """The first step at which the sentence task was above the mark; None when it never was."""
    steps = [s for s, e in zip(run.steps, run.evaluations, strict=True) if e.sentence_accuracy > PASSED]
    return steps[0] if steps else None


def percent(share: float, digits: int = 1) -> str:
    """A share as text."""
    return f"{100 * share:.{digits}f} %"


def claims_of(asked: Asked, figures: dict[str, dict[str, Any]], took: Sequence[float]) -> list[Claim]:
    """What the preset must reach, each by its worst seed and model."""
    worst_way, worst_slot, worst_best = (
        min(min(model[key]) for model in figures.values()) for key in ("way", "slot_way", "of_best")
    )
    apart = max(abs(a - b) for a, b in zip(figures["BERT"]["mlm"], figures["ALBERT"]["mlm"], strict=True))

    def claim(text: str, held: bool, numbers: str) -> Claim:
        return Claim(text, "yes" if held else "no", numbers)

    return [
        claim(f"each model closes at least {percent(asked.way, 0)} of the way from the unigram line to the floor",
              worst_way >= asked.way, f"at worst {percent(worst_way)}"),
        claim(f"and at least {percent(asked.slot_way, 0)} of that from the slot unigram line",
              worst_slot >= asked.slot_way, f"at worst {percent(worst_slot)}"),
        claim(f"ALBERT ends within {asked.apart} nats of BERT", apart <= asked.apart, f"at most {apart:.3f} apart"),
        claim(f"both sentence tasks reach {percent(asked.of_best, 0)} of the best possible, counted from chance",
              worst_best >= asked.of_best, f"at worst {percent(worst_best)}"),
        *passing(asked.by_step, figures),
        claim(f"a seed takes at most {asked.minutes} minutes on two cores", max(took) <= 60 * asked.minutes,
              f"at most {max(took):.0f} s"),
    ]  # fmt: skip


def passing(by_step: int | None, figures: dict[str, dict[str, Any]]) -> list[Claim]:
    """Whether every sentence task passes the mark in time; nothing where that is not asked."""
    if by_step is None:
        return []
    steps = [step for model in figures.values() for step in model["passed"]]
    late = None if None in steps else max(steps)
    text = f"and pass an accuracy of {PASSED} by step {by_step}"
    numbers = "one never does" if late is None else f"the last at step {late:,}"
    return [Claim(text, "yes" if late is not None and late <= by_step else "no", numbers)]


def ends(asked: Asked, seeds: list[int], figures: dict[str, dict[str, Any]], took: Sequence[float]) -> Table:
    """A row for each model and seed; the step at which the mark is passed only where that is asked."""
    passes = [] if asked.by_step is None else [f"passes {PASSED} at step"]
    rows = [
        [
            name,
            str(seed),
            f"{of['parameters']:,}",
            f"{of['mlm'][k]:.3f}",
            f"{of['mlm_accuracy'][k]:.3f}",
            percent(of["way"][k]),
            percent(of["slot_way"][k]),
            f"{of['task'].upper()} {of['sentence'][k]:.3f}",
            percent(of["of_best"][k]),
            *(["never" if of["passed"][k] is None else f"{of['passed'][k]:,}"] if passes else []),
            f"{took[k]:.0f}",
        ]
        for name, of in figures.items()
        for k, seed in enumerate(seeds)
    ]
    heading = ["model", "seed", "parameters", "MLM loss", "MLM accuracy", "way from unigram", "from slot unigram",
               "sentence task", "of the best possible", *passes, "seconds, both models"]  # fmt: skip
    return Table("Held-out figures at the end of each run", heading, rows)


def lines_table(seeds: list[int], runs: Runs) -> Table:
    """The lines of each seed's held-out set, and the best possible sentence tasks."""
    names = list(runs[0]["BERT"].settings["lines"])
    rows = []
    for seed, pair in zip(seeds, runs, strict=True):
        settings = pair["BERT"].settings
        numbers = [*settings["lines"].values(), settings["bayes"]["nsp"], settings["bayes"]["sop"]]
        rows.append([str(seed), *(f"{number:.3f}" for number in numbers)])
    return Table("The lines they are read against", ["seed", *names, "best NSP", "best SOP"], rows)


def loss_chart(runs: Runs) -> Chart:
    """The held-out losses: the mean over seeds, with the smallest and the largest."""
    first = runs[0]["BERT"]
    series = [over_seeds(name, runs, "mlm_loss") for name in MODELS]
    return Chart("losses", f"Held-out loss at hidden words, {len(runs)} seeds", "step", "loss in nats", series,
                 rules=dict(first.settings["lines"]))  # fmt: skip


def accuracy_chart(runs: Runs) -> Chart:
    """The sentence tasks over the steps."""
    best = runs[0]["BERT"].settings["bayes"]
    series = [over_seeds(name, runs, "sentence_accuracy") for name in MODELS]
    rules = {"chance": 0.5, "best possible NSP": best["nsp"], "best possible SOP": best["sop"]}
    return Chart("sentence_accuracy", f"Accuracy of the sentence task, {len(runs)} seeds", "step", "accuracy",
                 series, rules=rules)  # fmt: skip


def over_seeds(name: str, runs: Runs, figure: str) -> Series:
    """One model's curve: mean, least and greatest over the seeds."""
    columns = list(zip(*([getattr(e, figure) for e in pair[name].evaluations] for pair in runs), strict=True))
    task = str(runs[0][name].settings["task"]).upper()
    return Series(
        f"{name} ({task})" if figure == "sentence_accuracy" else name,
        runs[0][name].steps,
        [sum(column) / len(column) for column in columns],
        "line",
        [min(column) for column in columns],
        [max(column) for column in columns],
    )


def slots_of(folder: Path) -> dict[str, Any]:
    """The chart of losses by kind of slot, of the first seed."""
    charts = read_charts(folder)
    if "slots" not in charts:
        raise ValueError(f"{folder.name}: report.html has no chart of slots")
    return {**charts["slots"], "title": "Loss by kind of slot, first seed"}
