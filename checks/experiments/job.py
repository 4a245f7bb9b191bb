"""One run in its folder: trained, or taken from there, and measured."""

import copy
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from checks.experiments.probe import read_tasks
from checks.experiments.report import write_text
from checks.experiments.shape import Shaped
from checks.experiments.slots import slot_losses
from checks.experiments.spec import RunSpec, with_vocabulary
from checks.subject.world import World
from lessons.given import engine
from lessons.given.corpora.scored import Scores
from lessons.given.records import History, Run

MEASURES = "measures.json"
PARTS = ("embeddings", "encoder", "pooler", "mlm_head", "sentence_head")


@dataclass(frozen=True)
class ExperimentJob:
    """All that the process of one run must know."""

    name: str
    root: Path
    spec: RunSpec
    folder: Path
    train: list
    training_data: str
    vocab_size: int
    held_out: engine.HeldOut
    ideal: Scores
    probe: engine.HeldOut | None
    lines: dict[str, float]
    bayes: dict[str, float]
    device: str
    threads: int
    workers: int = 0

    def run(self, report: Callable[[dict], None], should_stop: Callable[[], bool]) -> Run:
        """Train, or go on, or take what is there; then measure what is not measured yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / "spec.json", json.dumps(asdict(self.spec), indent=1) + "\n")
        world = World(self.root, None)
        start = build(world, self.spec, self.vocab_size)
        model = build(world, self.spec, self.vocab_size)
        run = self._train(world, model, report, should_stop) if self.spec.trained else self._untrained(model)
        path = self.folder / MEASURES
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if missing(found, self.probe is not None):
            if self.spec.trained:
                load(model, self.folder)
            found |= self._measure(start, model.to(self.device), "slots" not in found)
            write_text(path, json.dumps(found, indent=1) + "\n")
        return run

    def _train(
        self, world: World, model: nn.Module, report: Callable, should_stop: Callable[[], bool]
    ) -> Run:
        spec, plan = self.spec, self.spec.plan(self.device, self.workers)
        datasets, objective, training = (world.load(m) for m in ("datasets", "objective", "training"))
        kind = datasets.BERTDataset if spec.task == "nsp" else datasets.ALBERTDataset
        dataset = kind(
            self.train, self.vocab_size, plan.max_len, plan.seed,
            sentences=plan.sentences, probability=plan.probability, same_place=plan.same_place,
        )  # fmt: skip
        pieces = engine.Pieces(
            datasets.collate, objective.pretraining_loss, training.parameter_groups, training.learning_rate
        )
        config = with_vocabulary(spec, self.vocab_size)
        masks = (
            f"{spec.probability:g} of the tokens, {'in n-grams' if spec.ngrams else 'one by one'}, 80/10/10, "
            + ("those of the first epoch in all" if spec.static else "drawn anew each epoch")
        )
        return engine.train(
            model,
            Shaped(dataset, spec, self.vocab_size, world.load("masking") if spec.ngrams else None),
            self.held_out,
            plan,
            pieces,
            name=spec.title,
            task=spec.task,
            training_data=self.training_data,
            parameters=world.load("counting").parameter_table(config, spec.factorized),
            indices=engine.complete_places(self.train, plan.sentences),
            notes={"masks": masks, "objective": spec.objective, "lines": self.lines, "bayes": self.bayes},
            folder=self.folder,
            report=report,
            should_stop=should_stop,
        )

    def _untrained(self, model: nn.Module) -> Run:
        found = engine.evaluate(model.to(self.device), self.held_out, self.spec.task, self.spec.precision)
        history = History([found.mlm_loss], [found.sentence_loss], [found.total_loss])
        config: Any = model.config
        run = Run(self.spec.title, config, {}, [0], history, [found], {"objective": "untrained"}, 0.0, 0.0)
        engine.RunFolder(self.folder).save_run(run)
        return run

    def _measure(self, start: nn.Module, model: nn.Module, slots: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if slots:
            found["slots"] = slot_losses(model, self.held_out.true, self.ideal, self.spec.precision)._asdict()
            found["moved"] = moved(start, model)
        if self.probe is not None:
            readings = read_tasks(model, self.held_out, self.probe, self.spec.precision)
            found["tasks"] = {task: reading._asdict() for task, reading in readings.items()}
        return found


def build(world: World, spec: RunSpec, vocab_size: int) -> nn.Module:
    """The run's model at its start; torch's global generator is left as it was."""
    models = world.load("models")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(spec.seed)
        config = with_vocabulary(spec, vocab_size)
        return models.ALBERTModel(config) if spec.factorized else models.BERTModel(config)


def load(model: nn.Module, folder: Path) -> None:
    """Give the model the weights of the folder's checkpoint."""
    state = engine.RunFolder(folder).load_checkpoint()
    assert state is not None, folder
    model.load_state_dict(state["model"])


def weights_of(world: World, factorized: bool, run: Run, folder: Path) -> tuple[nn.Module, nn.Module | None]:
    """A finished run's model at its start and at its end, on the CPU; no end where there is no checkpoint."""
    models = world.load("models")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(run.settings["seed"])
        start = (models.ALBERTModel if factorized else models.BERTModel)(run.config)
    state = engine.RunFolder(folder).load_checkpoint()
    if state is None:
        return start, None
    end = copy.deepcopy(start)
    end.load_state_dict(state["model"])
    return start, end


def missing(measures: dict[str, Any], with_tasks: bool) -> bool:
    """Whether a run still has to be measured."""
    return "slots" not in measures or (with_tasks and "tasks" not in measures)


def moved(start: nn.Module, end: nn.Module) -> dict[str, float]:
    """How far each part came from its start: the norm of the change over the norm of the start."""
    before = {name: value.detach().double().cpu() for name, value in start.state_dict().items()}
    after = {name: value.detach().double().cpu() for name, value in end.state_dict().items()}
    out = {}
    for part in PARTS:
        names = [name for name in before if name.startswith(part + ".")]
        change = sum(float(((after[name] - before[name]) ** 2).sum()) for name in names)
        norm = sum(float((before[name] ** 2).sum()) for name in names)
        out[part] = (change / max(norm, 1e-30)) ** 0.5
    return out
