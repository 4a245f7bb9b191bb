"""Where experiments are run: finds finished runs, trains the missing ones, and writes the report."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from checks.cli.capstone_run import Outcome, run_jobs
from checks.cli.capstone_window import Window
from checks.experiments.form import Form
from checks.experiments.job import MEASURES, ExperimentJob, missing
from checks.experiments.material import Material, material
from checks.experiments.report import Report, write
from checks.experiments.spec import RunSpec, code_of, forward_flops
from checks.subject.world import World
from lessons.given import engine
from lessons.given.records import Run

Wanted = dict[str, list[RunSpec]]

# Seconds of a step of the quick form's BERT (2 layers, width 128, 32 sequences) on one CPU core, and what a large
# GPU does in a second beside its overhead; only for the estimate that is printed.
CPU_STEP, CPU_START, CPU_EVALUATION = 0.068, 8.0, 1.3
GPU_FLOPS, GPU_STEP, GPU_START = 1.5e14, 0.012, 20.0


class Result(NamedTuple):
    """One finished run and what was measured on it."""

    spec: RunSpec
    key: str
    run: Run
    measures: dict[str, Any]

    @property
    def mlm(self) -> float:
        """The held-out loss at hidden words, at the end."""
        return self.run.evaluations[-1].mlm_loss


Results = dict[str, list[Result]]


@dataclass
class Lab:
    """The surroundings of an experiment. `out` holds `runs/<hash>/` and a folder for each report."""

    form: Form
    root: Path
    out: Path
    device: str
    seeds: Sequence[int]
    at_once: int
    threads: int = 1
    say: Callable[[str], Any] = print
    command: str = ""
    fresh: bool = False
    subject: World = field(init=False)

    def __post_init__(self) -> None:
        self.subject = World(self.root, None)
        self.code = code_of(self.root)

    def each_seed(self, make: Callable[[int], RunSpec]) -> list[RunSpec]:
        """One run for every seed."""
        return [make(seed) for seed in self.seeds]

    def key(self, run: RunSpec) -> str:
        """The run's name on disk."""
        return run.key(self.code)

    def folder(self, run: RunSpec) -> Path:
        """The run's folder."""
        return self.out / "runs" / self.key(run)

    def material(self, run: RunSpec) -> Material:
        """What the run reads."""
        return material(run, self.root, self.form.probe_pairs)

    def vocab_size(self, run: RunSpec) -> int:
        """V of the run's world."""
        from lessons.given.corpora import find_world

        return find_world(run.world).vocab_size

    def found(self, run: RunSpec, with_tasks: bool) -> Result | None:
        """The run, if it is finished and measured."""
        folder = self.folder(run)
        if not (folder / "run.json").exists() or not (folder / MEASURES).exists():
            return None
        measures = json.loads((folder / MEASURES).read_text(encoding="utf-8"))
        finished = engine.RunFolder(folder).load_run()
        if missing(measures, with_tasks) or finished is None:
            return None
        return Result(run, self.key(run), finished, measures)

    def job(self, run: RunSpec, with_tasks: bool) -> ExperimentJob:
        """What a training process needs for the run."""
        read = self.material(run)
        return ExperimentJob(
            name=run.title,
            root=self.root,
            spec=run,
            folder=self.folder(run),
            train=read.data.train,
            training_data=read.data.fingerprint,
            vocab_size=read.data.vocab_size,
            held_out=read.data.held_out,
            ideal=read.ideal,
            probe=read.probe if with_tasks else None,
            lines=read.data.lines,
            bayes=read.data.bayes,
            device=self.device,
            threads=self.threads,
            workers=self.form.workers if self.device.startswith("cuda") else 0,
        )

    def seconds(self, runs: Sequence[RunSpec]) -> float:
        """About how long these runs take here."""
        gpu = not self.device.startswith("cpu")
        return sum(run_seconds(run, gpu) for run in runs) / max(self.at_once, 1)

    def train(self, wanted: Wanted, with_tasks: bool) -> tuple[Results, Outcome]:
        """Train and measure what is not there yet, and read everything."""
        runs = {self.key(run): run for seeds in wanted.values() for run in seeds}
        if self.fresh:
            for run in runs.values():
                engine.RunFolder(self.folder(run)).clear()
                (self.folder(run) / MEASURES).unlink(missing_ok=True)
        todo = [run for run in runs.values() if self.found(run, with_tasks) is None]
        if runs:
            self.say(
                f"{len(runs)} runs, {len(runs) - len(todo)} of them already in {self.out / 'runs'}; "
                f"expected time: {about(self.seconds(todo))} on {self.device}, {max(self.at_once, 1)} at once."
            )
        outcome = Outcome({}, {}, {})
        for seed in dict.fromkeys(run.seed for run in todo):  # one seed's material in memory at a time
            runs_of_seed = [run for run in todo if run.seed == seed]
            jobs = [self.job(run, with_tasks) for run in longest_first(runs_of_seed)]
            with Window({job.name: job.spec.steps for job in jobs}) as window:
                ended = run_jobs(jobs, self.at_once, window.show, keep_going=True)
            for mine, theirs in zip(outcome, ended, strict=True):
                mine.update(theirs)  # type: ignore[attr-defined]  # three dictionaries
            if outcome.stopped:
                break
        results: Results = {}
        for label, seeds in wanted.items():
            found = [self.found(run, with_tasks) for run in seeds]
            if None not in found:
                results[label] = [result for result in found if result is not None]
        return results, outcome


def run_experiment(name: str, lab: Lab) -> tuple[Report | None, Outcome]:
    """Run an experiment and write its report into `lab.out / "<name>-<form>"`; None where runs are missing."""
    experiment = import_module(f"checks.experiments.{name}")
    lab.say(f"Experiment {name}: {experiment.QUESTION}")
    wanted: Wanted = experiment.runs(lab)
    results, outcome = lab.train(wanted, getattr(experiment, "WITH_TASKS", False))
    if len(results) < len(wanted):
        return None, outcome
    report = experiment.report(lab, results)
    if lab.command:
        report = report._replace(lead=[f"Command: `{lab.command}`", *report.lead])
    write(report, lab.out / f"{name}-{lab.form.name}")
    return report, outcome


def run_seconds(run: RunSpec, gpu: bool) -> float:
    """About how long one run takes, alone on one core or one GPU."""
    tokens = 9 * (run.sentences[0] + run.sentences[1]) + 3
    flops = forward_flops(run.config, tokens)
    if not run.trained:
        return 2 * CPU_START
    if gpu:
        step = max(GPU_STEP, 3 * flops * run.batch_size / GPU_FLOPS)
        return GPU_START + run.steps * step
    size = flops / 40e6  # of the quick form's BERT
    evaluations = (run.evaluations + 2) * run.held_out_pairs / 1024
    return CPU_START + size * (run.steps * CPU_STEP * run.batch_size / 32 + evaluations * CPU_EVALUATION)


def longest_first(runs: Sequence[RunSpec]) -> list[RunSpec]:
    """So that no processor stands still while a long run, begun last, is still on."""
    return sorted(runs, key=lambda run: run_seconds(run, gpu=False), reverse=True)


def about(seconds: float) -> str:
    """A time in words."""
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} minutes"
