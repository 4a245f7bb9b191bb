"""What a comparison leaves for a reader: the summary on the screen and in the run folder, and the pictures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from checks.cli.capstone_data import Data
from checks.experiments.charts import Chart, Series
from checks.experiments.job import moved, weights_of
from checks.experiments.png import draw
from checks.experiments.reading import diagnosis, read_run
from checks.experiments.report import Report, Section, Table, write_text
from checks.experiments.slots import SlotLosses, reading, slot_chart, slot_losses
from lessons.given.config import ModelConfig
from lessons.given.engine.pictures import by_part, plot_parameters, plot_sentence_accuracy
from lessons.given.records import Run

LARGE_VOCABULARY = 30_000


def write_report(out: Path, runs: dict[str, Run], data: Data, world: Any, command: str) -> str:
    """Write `summary.md`, its pictures and `report.html` into `out`; return the tables for the screen.

    `world` holds the subject's lessons.
    """
    from checks.experiments.html import page

    capstone, counting = world.load("capstone"), world.load("counting")
    large = large_tables({name: run.config for name, run in runs.items()}, counting)
    tables = {f"{name}, V = {run.config.vocab_size:,}": run.parameters for name, run in runs.items()}
    tables |= {f"{name}, V = {LARGE_VOCABULARY:,}": table for name, table in large.items()}
    sections = [
        Section(
            "Trained", [held_out_note(data)], [from_markdown(capstone.summary_table(runs))], curves(runs)
        ),
        meaning(runs, data),
        Section(
            f"The same architectures at V = {LARGE_VOCABULARY:,}, counted and not trained",
            [],
            [from_markdown(count_table(large))],
        ),
        *learnt(out, runs, data, world),
    ]
    capstone.plot_losses(runs, out / "losses.png")
    plot_sentence_accuracy(runs, out / "sentence_accuracy.png")
    plot_parameters(tables, out / "parameters.png")
    for section in sections[2:]:
        for chart in section.charts:
            draw(chart, out / f"{chart.name}.png")
    report = Report("BERT and ALBERT side by side", [f"Corpus: {data.name}."], sections)
    text = report.markdown(pictures=False).split("\n\n", 2)[2].strip()
    pictures = [
        f"![{title}]({file})"
        for title, file in (
            ("Losses of both models", "losses.png"),
            ("Accuracy of the sentence tasks", "sentence_accuracy.png"),
            ("Parameters by component", "parameters.png"),
            ("Loss by kind of slot", "slots.png"),
        )
        if (out / file).exists()
    ]
    head = f"# {report.title}\n\n    {command}\n\nCorpus: {data.name}."
    write_text(out / "summary.md", "\n\n".join([head, text, *pictures]) + "\n")
    write_text(out / "report.html", page(report._replace(lead=[f"Command: `{command}`", *report.lead])))
    return text


def from_markdown(text: str, caption: str = "") -> Table:
    """A Markdown table as a record."""
    lines = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.strip().splitlines()
    ]
    return Table(caption, lines[0], lines[2:])


def curves(runs: dict[str, Run]) -> list[Chart]:
    """The losses on hidden words in training and held out, and the sentence task, for the live pictures."""
    losses, tasks = [], []
    lines: dict[str, float] = {}
    bayes: dict[str, float] = {}
    for name, run in runs.items():
        task = run.settings.get("task", "")
        losses.append(Series(f"{name}, held out", run.steps, [e.mlm_loss for e in run.evaluations]))
        losses.append(Series(f"{name}, training", run.steps, run.history.mlm_loss, "dashed"))
        accuracy = [e.sentence_accuracy for e in run.evaluations]
        tasks.append(Series(f"{name} ({task.upper()})", run.steps, accuracy))
        lines |= run.settings.get("lines", {})
        if task in run.settings.get("bayes", {}):
            bayes[f"best possible {task.upper()}"] = run.settings["bayes"][task]
    return [
        Chart("losses", "Loss at hidden words", "step", "loss in nats", losses, rules=lines),
        Chart(
            "sentence_accuracy", "Sentence task on held-out pairs", "step", "accuracy", tasks,
            rules={"chance": 0.5, **bayes},
        ),
    ]  # fmt: skip


def meaning(runs: dict[str, Run], data: Data) -> Section:
    """The lines, and how far each model came."""
    tables = [from_markdown(part) for part in lines_table(runs, data)]
    return Section("What the losses mean", [], tables)


def learnt(out: Path, runs: dict[str, Run], data: Data, world: Any) -> list[Section]:
    """Loss by kind of slot where the corpus is stories, and what the curves of a dull run say."""
    slots: dict[str, SlotLosses] = {}
    notes = []
    for name, run in runs.items():
        start, end = weights_of(world, name.startswith("ALBERT"), run, out / name.lower())
        if end is None:
            continue
        if data.ideal is not None:
            slots[name] = slot_losses(end, data.held_out.true, data.ideal)
        verdict = diagnosis(run, moved(start, end), world.load("capstone").diagnose)
        notes.append(read_run(run, verdict))
    sections = []
    if slots:
        sections.append(Section("What each model has learnt", [reading(slots)], [], [slot_chart(slots)]))
    if notes := [note for note in notes if note]:
        sections.append(Section("Runs that did not learn", notes))
    return sections


def large_tables(configs: dict[str, ModelConfig], counting: Any) -> dict[str, dict[str, int]]:
    """The parameter tables of the same architectures with a vocabulary as large as the paper's."""
    return {
        name: counting.parameter_table(
            replace(config, vocab_size=LARGE_VOCABULARY), name.startswith("ALBERT")
        )
        for name, config in configs.items()
    }


def count_table(tables: dict[str, dict[str, int]]) -> str:
    """Totals and parts of parameter tables, and the last one as a share of the first."""
    rows = {name: {"total": table["total"], **by_part(table)} for name, table in tables.items()}
    lines = ["| model | total | embedding | encoder | heads |", "|---|---|---|---|---|"]
    for name, row in rows.items():
        lines.append(f"| {name} | " + " | ".join(f"{count:,}" for count in row.values()) + " |")
    if len(rows) == 2:
        first, second = rows.values()
        shares = " | ".join(f"{100 * second[part] / first[part]:.0f} %" for part in first)
        lines.append(f"| share | {shares} |")
    return "\n".join(lines)


def held_out_note(data: Data) -> str:
    """What the figures were measured on."""
    count = len(data.held_out.true)
    note = (
        f"Losses and accuracies are on one held-out set for all models: {count:,} pairs in true order with "
        f"[MASK] at every chosen place (hash {data.held_out.digest}). The sentence task is scored on these "
        f"and on as many negatives: the same pairs swapped for SOP, a stranger's second segment from the "
        f"same place for NSP."
    )
    if data.unknown > 0:
        note += f" {100 * data.unknown:.1f} % of the held-out words are [UNK]."
    return note


def lines_table(runs: dict[str, Run], data: Data) -> list[str]:
    """The lines, and how far each model came from them towards the floor where that is known."""
    lines = "| line | nats |\n|---|---|\n"
    lines += "\n".join(f"| {name} | {nats:.3f} |" for name, nats in data.lines.items())
    if "floor" not in data.lines:
        return [lines]
    floor = data.lines["floor"]
    starts = [name for name in ("unigram", "slot-unigram") if name in data.lines]
    head = "| model | " + " | ".join(f"way from {name} to the floor" for name in starts)
    table = [head + " | sentence task, of the best possible |", "|---|" + "---|" * (len(starts) + 1)]
    for name, run in runs.items():
        last = run.evaluations[-1]
        ways = [(data.lines[s] - last.mlm_loss) / (data.lines[s] - floor) for s in starts]
        task = run.settings["task"]
        best = data.bayes.get(task)
        share = "" if best is None else f"{(last.sentence_accuracy - 0.5) / (best - 0.5):.1%} of {best:.3f}"
        table.append(
            f"| {name} | " + " | ".join(f"{way:.1%}" for way in ways) + f" | {task.upper()}: {share} |"
        )
    return [lines, "\n".join(table)]
