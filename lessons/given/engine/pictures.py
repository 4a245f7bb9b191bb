"""Pictures of a comparison that are given; the losses are drawn by lesson 15's `plot_losses`."""

from pathlib import Path

from matplotlib.figure import Figure

from lessons.given.records import Run

EMBEDDING = ("word", "position", "segment", "embedding_norm", "projection")
HEADS = ("pooler", "mlm_head", "sentence_head")


def by_part(parameters: dict[str, int]) -> dict[str, int]:
    """Lesson 12's table summed up: embedding, encoder, heads."""
    return {
        "embedding": sum(parameters[row] for row in EMBEDDING),
        "encoder": parameters["encoder"],
        "heads": sum(parameters[row] for row in HEADS),
    }


def plot_parameters(tables: dict[str, dict[str, int]], path: Path) -> None:
    """Bars, one for each table (title -> parameter table), cut into embedding, encoder and heads."""
    figure = Figure(figsize=(8, 0.75 * len(tables) + 1.3), layout="constrained")
    axes = figure.subplots()
    names = list(tables)
    left = [0.0] * len(names)
    for k, part in enumerate(("embedding", "encoder", "heads")):
        counts = [by_part(tables[name])[part] for name in names]
        axes.barh(names, counts, left=left, color=f"C{k}", label=part, height=0.6)
        left = [start + count for start, count in zip(left, counts, strict=True)]
    for row, total in enumerate(left):
        axes.annotate(f" {total:,.0f}", (total, row), va="center", fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.18 * max(left))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M" if value >= 1e6 else f"{value:,.0f}")
    axes.set(title="Parameters by component", xlabel="parameters")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(path, format="png", dpi=120)


def plot_sentence_accuracy(runs: dict[str, Run], path: Path) -> None:
    """The held-out accuracy of each run's own sentence task, with chance and what the best reader reaches."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for k, (name, run) in enumerate(runs.items()):
        task = run.settings.get("task", "")
        accuracy = [evaluation.sentence_accuracy for evaluation in run.evaluations]
        axes.plot(run.steps, accuracy, color=f"C{k}", marker=".", label=f"{name} ({task.upper()})")
        best = run.settings.get("bayes", {}).get(task)
        if best is not None:
            axes.axhline(best, color=f"C{k}", linestyle=":", linewidth=1)
            text = f"best possible {task.upper()}: {best:.3f}"
            axes.annotate(
                text,
                (0.01, best),
                xycoords=("axes fraction", "data"),
                color=f"C{k}",
                fontsize=8,
                va="bottom" if k % 2 == 0 else "top",
            )
    axes.axhline(0.5, color="0.6", linewidth=0.8)
    axes.annotate(
        "chance",
        (0.99, 0.5),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="bottom",
        color="0.35",
        fontsize=8,
    )
    axes.set(title="Sentence task on held-out pairs", xlabel="step", ylabel="accuracy", ylim=(0.4, 1.02))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(path, format="png", dpi=120)
