"""The state of one run and the loop that drives it."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from lessons.given.engine.batches import Part, Pools, stream
from lessons.given.engine.errors import EngineError, Interrupted
from lessons.given.engine.evaluation import autocast, evaluate
from lessons.given.engine.held_out import HeldOut, Task
from lessons.given.engine.loss import PartLoss
from lessons.given.engine.plan import Plan
from lessons.given.engine.ranks import Ranks
from lessons.given.engine.run_folder import RunFolder
from lessons.given.engine.tally import Tally, not_finite
from lessons.given.records import PretrainingLoss, Run

Report = Callable[[dict[str, Any]], None]


class Pieces(NamedTuple):
    """The functions of the lessons that the engine calls: `collate` of lesson 4, the others of 13 and 14."""

    collate: Callable[..., Any]
    pretraining_loss: Callable[..., PretrainingLoss]
    parameter_groups: Callable[..., list[dict[str, Any]]]
    learning_rate: Callable[..., float]


class Training:
    """The state of one run; `run` drives it. `train` gives the arguments' meaning."""

    folder: RunFolder | None = None  # the first process's only
    keeps: bool = False
    report: Report | None = None
    observe: Callable[[nn.Module, int], None] | None = None

    def __init__(
        self,
        model: nn.Module,
        dataset: Any,
        held_out: HeldOut,
        plan: Plan,
        pieces: Pieces,
        name: str,
        task: Task,
        training_data: str,
        parameters: dict[str, int],
        indices: Any = None,
    ) -> None:
        self.device = torch.device(plan.device)
        self.model: nn.Module = model.to(self.device)
        self.plan, self.pieces, self.held_out = plan, pieces, held_out
        self.name, self.task, self.parameters = name, task, parameters
        self.settings = plan.settings(training_data, held_out.digest)
        self.ranks = Ranks(self.device)
        self.pools = Pools(dataset, pieces.collate, plan, indices, self.ranks.rank, self.ranks.size)
        groups = pieces.parameter_groups(model, plan.weight_decay)
        self.optimizer = torch.optim.AdamW(groups, lr=plan.lr, betas=plan.betas, eps=plan.eps, fused=True)
        self.tally = Tally(self.ranks)
        self.step = 0
        self.saved = -1
        self.random_states: list[dict[str, Any]] = []  # of the processes, by rank
        self.part_loss: nn.Module = PartLoss(
            self.model, pieces.pretraining_loss, skip_unread=not plan.compile
        )
        if plan.compile:
            self.model.compile(dynamic=True)

    @property
    def recipe(self) -> dict[str, Any]:
        """All that a resumed run must share with the one it goes on from."""
        data = {key: self.settings[key] for key in ("training_data", "held_out")}
        config: Any = self.model.config
        return {"name": self.name, "task": self.task, **vars(config), **self.plan.recipe(), **data}

    def restore(self, folder: Path, resume: bool) -> Run | None:
        """Write to the folder from now on, and take up its checkpoint; a finished run is returned as it is.

        Of several processes the first reads and writes, and tells the others.
        """
        self.keeps = True
        state = finished = None
        if self.ranks.rank == 0:
            self.folder = RunFolder(folder)
            if not resume:
                self.folder.clear()
            state, finished = self.folder.load_checkpoint(), self.folder.load_run()
            if state is None:
                self.folder.clear()
        state, finished = self.ranks.from_first((state, finished))
        if state is None:
            return None
        mine, theirs = self.recipe, state["recipe"]
        different = [key for key in mine if theirs.get(key) != mine[key]]
        if different:
            lines = "; ".join(
                f"{key}: got {mine[key]}, the folder has {theirs.get(key)}" for key in different
            )
            raise EngineError(
                f"{folder} holds another run ({lines}). Use --fresh to replace it, or another --out."
            )
        if state["step"] == self.plan.steps and finished is not None:
            return finished
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.tally.load(state["tally"])
        self.step = self.saved = state["step"]
        self.random_states = [state["random"], *state.get("random_of_others", [])]
        if self.folder is not None:
            self.folder.rewind(self.step)
        return None

    def start(self) -> None:
        """Put the random state where the run begins or was left, and connect the processes."""
        rank = self.ranks.rank
        if any(recipe != self.recipe for recipe in self.ranks.gather(self.recipe)):
            raise EngineError("the processes of this run were given different plans or different data")
        torch.manual_seed(self.plan.seed + rank)
        if rank < len(self.random_states):
            state = self.random_states[rank]
            torch.set_rng_state(state["cpu"])
            if self.device.type == "cuda" and "cuda" in state:
                torch.cuda.set_rng_state(state["cuda"], self.device)
        self.model.train()
        self.part_loss = self.ranks.spread(self.part_loss)

    def run(self, stopped: Callable[[], bool]) -> Run:
        """Step until the plan is done."""
        clock = time.perf_counter()
        batches = stream(self.pools, self.step, pin=self.device.type == "cuda")
        try:
            while self.step < self.plan.steps:
                if self.to_stop(stopped):
                    self.tally.seconds += time.perf_counter() - clock
                    self.save()
                    raise Interrupted(self.result(), self.step)
                parts = next(batches)
                lr = self.update(parts)
                if not self.pauses():
                    continue
                self.tally.read()
                now = time.perf_counter()
                self.tally.seconds += now - clock
                self.after_step(lr)
                clock = time.perf_counter()
        finally:
            batches.close()
        run = self.result()
        if self.folder is not None:
            self.folder.save_run(run)
        return run

    def to_stop(self, asked: Callable[[], bool]) -> bool:
        """Whether to stop before the next step. Several processes agree on it where they pause anyway."""
        if self.ranks.size == 1:
            return asked()
        return self.pauses() and self.ranks.any(asked())

    def pauses(self) -> bool:
        """Whether something is to be read after this step."""
        plan, step = self.plan, self.step
        return step % plan.log_every == 0 or step % plan.checkpoint_every == 0 or plan.evaluates_after(step)

    def update(self, parts: Sequence[Part]) -> float:
        """One optimiser step on a batch; the losses stay on the device. Returns the learning rate."""
        plan = self.plan
        lr = self.pieces.learning_rate(self.step, plan.lr, plan.warmup_steps, plan.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.zero_grad(set_to_none=True)
        labelled, pairs = self.ranks.totals(sum(p.labelled for p in parts), sum(p.pairs for p in parts))
        losses = torch.zeros(2, device=self.device)
        for part in parts:
            with self.ranks.averaging(self.part_loss, last=part is parts[-1]):
                loss = self.loss(part.to(self.device))
                mlm = loss.mlm * (part.labelled / labelled)
                sentence = loss.sentence * (part.pairs / pairs)
                ((mlm + sentence) * self.ranks.size).backward()  # a mean over the processes follows
            losses += torch.stack([mlm.detach(), sentence.detach()]).float()
        nn.utils.clip_grad_norm_(self.model.parameters(), plan.max_norm)
        self.optimizer.step()
        self.step += 1
        self.tally.add(self.step, losses, parts)
        return lr

    def loss(self, part: Part) -> PretrainingLoss:
        """The loss of a part that is on the device, in the plan's precision."""
        with autocast(self.device, self.plan.precision):
            return self.part_loss(part)

    def after_step(self, lr: float) -> None:
        """Log, evaluate and save when their time has come."""
        plan, step = self.plan, self.step
        if step % plan.log_every == 0 or step in (1, plan.steps):
            self.log(self.tally.log_line(step, lr))
        if plan.evaluates_after(step):
            evaluation = evaluate(self.model, self.held_out, self.task, plan.precision)
            self.tally.evaluated(step, evaluation)
            self.log({"step": step, "held_out": evaluation._asdict()})
            if self.observe is not None:
                self.observe(self.model, step)
        if step % plan.checkpoint_every == 0 or step == plan.steps:
            self.save()

    def log(self, entry: dict[str, Any]) -> None:
        """Write a line of metrics and tell who listens."""
        if self.folder is not None:
            self.folder.log(entry)
        if self.report is not None and self.ranks.rank == 0:
            self.report(entry)

    def save(self) -> None:
        """Write a checkpoint from which the run goes on as if nothing had happened."""
        self.tally.read()
        if not self.keeps or self.step == self.saved:
            return
        if not all(bool(p.isfinite().all()) for p in self.model.parameters()):
            raise EngineError(not_finite(self.step, "a weight is no longer a finite number"))
        random = {"cpu": torch.get_rng_state()}
        if self.device.type == "cuda":
            random["cuda"] = torch.cuda.get_rng_state(self.device)
        mine, *others = self.ranks.gather(random)
        if self.folder is not None:
            self.folder.save_checkpoint(
                {
                    "step": self.step,
                    "recipe": self.recipe,
                    "model": self.model.state_dict(),
                    "optimizer": self.optimizer.state_dict(),
                    "tally": self.tally.state(),
                    "random": mine,
                    "random_of_others": others,
                }
            )
        self.saved = self.step

    def result(self) -> Run:
        """The run so far."""
        tally = self.tally
        return Run(
            name=self.name,
            config=self.model.config,  # type: ignore[arg-type]
            parameters=self.parameters,
            steps=tally.steps,
            history=tally.history,
            evaluations=tally.evaluations,
            settings=self.settings,
            tokens_per_second=tally.tokens / max(tally.seconds, 1e-9),
            seconds=tally.seconds,
        )
