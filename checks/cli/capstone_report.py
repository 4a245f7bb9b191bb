"""What a comparison leaves for a reader: the summary on the screen and in the run folder, and the pictures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from checks.cli.capstone_data import Data
from lessons.given.config import ModelConfig
from lessons.given.engine.pictures import by_part, plot_parameters, plot_sentence_accuracy
from lessons.given.engine.run_folder import write_atomically
from lessons.given.records import Run

LARGE_VOCABULARY = 30_000


def write_report(
    out: Path, runs: dict[str, Run], data: Data, capstone: Any, counting: Any, command: str
) -> str:
    """Write `summary.md` and the pictures into `out`; return the summary's tables for the screen.

    `capstone` and `counting` are the subject's lessons 15 and 12.
    """
    large = large_tables({name: run.config for name, run in runs.items()}, counting)
    sections = [
        "## Trained\n\n" + capstone.summary_table(runs),
        held_out_note(data),
        lines_table(runs, data),
        f"## The same architectures at V = {LARGE_VOCABULARY:,}, counted and not trained\n\n"
        + count_table(large),
    ]
    capstone.plot_losses(runs, out / "losses.png")
    plot_sentence_accuracy(runs, out / "sentence_accuracy.png")
    tables = {f"{name}, V = {run.config.vocab_size:,}": run.parameters for name, run in runs.items()}
    tables |= {f"{name}, V = {LARGE_VOCABULARY:,}": table for name, table in large.items()}
    plot_parameters(tables, out / "parameters.png")
    text = "\n\n".join(section for section in sections if section)
    pictures = "\n\n".join(
        f"![{title}]({file})"
        for title, file in (
            ("Losses of both models", "losses.png"),
            ("Accuracy of the sentence tasks", "sentence_accuracy.png"),
            ("Parameters by component", "parameters.png"),
        )
    )
    whole = (
        f"# BERT and ALBERT side by side\n\n    {command}\n\nCorpus: {data.name}.\n\n{text}\n\n{pictures}\n"
    )
    write_atomically(out / "summary.md", lambda path: path.write_text(whole, encoding="utf-8"))
    return text


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


def lines_table(runs: dict[str, Run], data: Data) -> str:
    """The lines, and how far each model came from them towards the floor where that is known."""
    lines = "## What the losses mean\n\n| line | nats |\n|---|---|\n"
    lines += "\n".join(f"| {name} | {nats:.3f} |" for name, nats in data.lines.items())
    if "floor" not in data.lines:
        return lines
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
    return lines + "\n\n" + "\n".join(table)
