"""The live view of a comparison: a bar a model in a terminal, a line an evaluation elsewhere."""

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Window:
    """Shows the messages of the training processes; used as a context manager."""

    def __init__(self, steps: dict[str, int]) -> None:
        self.console = Console()
        self.steps = steps
        self.held_out = dict.fromkeys(steps, "")
        self.progress = Progress(
            TextColumn("{task.description:<7}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[now]}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self.tasks = {
            name: self.progress.add_task(name, total=total, now="") for name, total in steps.items()
        }

    def __enter__(self) -> "Window":
        self.progress.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.progress.__exit__(*exception)

    def show(self, message: Any) -> None:
        """Take in one message."""
        name, entry = message.name, message.content
        if message.kind == "done":
            self.progress.update(self.tasks[name], completed=self.steps[name])
        if message.kind != "metrics":
            return
        if "held_out" in entry:
            scores = entry["held_out"]
            self.held_out[name] = (
                f"held-out MLM {scores['mlm_loss']:.3f}, sentence {scores['sentence_accuracy']:.3f}"
            )
            if not self.console.is_terminal:
                step = f"step {entry['step']:>6,} of {self.steps[name]:,}"
                print(f"{name:<7} {step}: {self.held_out[name]}", flush=True)
            return
        now = (
            f"MLM {entry['mlm_loss']:.3f}, {entry['tokens_per_second']:,.0f} tokens/s  {self.held_out[name]}"
        )
        self.progress.update(self.tasks[name], completed=entry["step"], now=now)
