"""Oracle of lesson 14: groups by name, the schedule, and training replayed number by number in NumPy."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles import objective, scripted
from checks.oracles import training_cases as cases
from checks.oracles.blocks import Weights
from checks.oracles.objective_cases import plain
from checks.oracles.training_mistakes import MISTAKES
from checks.oracles.training_steps import Descent, clipped
from checks.subject import Subject, props
from lessons.given.records import IGNORE_INDEX, Batch, History

__all__ = ["MISTAKES", "PROBES", "Descent", "clipped"]

Case = dict[str, Any]


def groups(
    case: Case, *, by: str = "dimension", times: str = "once", swapped: bool = False
) -> list[dict[str, Any]]:
    """The two groups, parameters by the first name that reaches them, sorted.

    Options: `by` "nothing" (all decay), "bias" (all but biases decay), "name" (a name with LayerNorm does not), or
    "no tables" (embeddings do not); `times` "twice", a tied or shared parameter once for every name; `swapped`.
    """
    shapes, names = case["shapes"], list(case["shapes"])
    decays: dict[str, Callable[[str], bool]] = {
        "dimension": lambda name: len(shapes[name]) >= 2,
        "nothing": lambda name: True,
        "bias": lambda name: not name.endswith("bias"),
        "name": lambda name: not (name.endswith("bias") or "LayerNorm" in name),
        "no tables": lambda name: len(shapes[name]) >= 2 and "embeddings" not in name,
    }
    if times == "twice":
        names += case["repeated"]
    found = [sorted(name for name in names if decays[by](name) == wanted) for wanted in (True, False)]
    rates = (case["weight_decay"], 0.0)
    return [
        {"params": params, "weight_decay": rate}
        for params, rate in zip(found[:: -1 if swapped else 1], rates, strict=True)
    ]


def rate(step: int, peak: float, warmup: int, total: int, *, rise: str = "one", fall: str = "end") -> float:
    """The learning rate of one step.

    Options: `rise` "zero" (step 0 has rate 0), "late" (one step longer), "none"; `fall` "start" (measured from step
    0), "early" (reaches 0 one step sooner), "none" (stays at the peak), "cosine", "root", "through" (goes on below 0).
    """
    long = warmup + (rise == "late")
    if rise != "none" and step < long:
        return peak * (step if rise == "zero" else step + 1) / max(long - (rise == "late"), 1)
    if step >= total and fall not in ("none", "through", "root"):
        return 0.0
    left = (total - step) / (total - warmup) if total > warmup else 0.0
    falls = {
        "end": left,
        "start": (total - step) / total,
        "early": (total - step - 1) / max(total - warmup, 1),
        "none": 1.0,
        "through": left,
        "cosine": (1 + math.cos(math.pi * (1 - left))) / 2,
        "root": math.sqrt(max(warmup, 1) / max(step + 1, 1)),
    }
    return peak * falls[fall]


def losses(w: Weights, batch: Batch, shift: float = 0.0) -> list[float]:
    """`[total, mlm, sentence]` of the scripted model."""
    return [float(loss) for loss in objective.losses(*scripted.forward(w, batch, shift), batch)]


def slopes(w: Weights, batch: Batch, shift: float = 0.0) -> Weights:
    """The gradient of the total."""
    return scripted.gradient(lambda x: objective.losses(*scripted.forward(x, batch, shift), batch)[0], w)


def without(case: Case, gradients: Weights) -> Weights:
    """The gradients, 0 for the parameters that are frozen."""
    return {name: g * (name not in case.get("frozen", ())) for name, g in gradients.items()}


def steps(
    case: Case, *, clip: str = "global", stale: str = "none", when: str = "before", moves: bool = True
) -> list[Any]:
    """SGD over the case's batches: the losses of each step, and the weights at the end.

    Options: `clip` as in `clipped`; `stale` gradients stay on "all" parameters, or on those that the optimiser does
    not hold ("unheld"); the losses are taken `when` the weights have moved ("after"); `moves` False, they never do.
    """
    w, left = dict(case["weights"]), dict(case["stale"])
    shift, found = cases.SHIFT * case["training"], []
    for batch, max_norm in zip(case["batches"], max_norms(case), strict=True):
        before = losses(w, batch, shift)
        kept = {
            name: g
            for name, g in left.items()
            if stale == "all" or (stale == "unheld" and name not in case["held"])
        }
        found_now = without(case, slopes(w, batch, shift))
        total = {name: g + kept.get(name, 0.0) for name, g in found_now.items()}
        left = clipped(total, max_norm, clip)
        if moves:
            w = {name: x - case["lr"] * left[name] * (name in case["held"]) for name, x in w.items()}
        found.append(losses(w, batch, shift) if when == "after" else before)
    return [found, w]


def train(
    case: Case,
    *,
    schedule: dict[str, str] | None = None,
    warm: Callable[[float], float] = int,
    clip: str = "global",
    decay: str = "matrices",
    epoch_of: Callable[[int], int] = lambda e: e,
    history: str = "labels",
    in_train: bool = True,
    stale: bool = False,
    constant: bool = False,
    per_epoch: bool = False,
    ahead: int = 0,
    coupled: bool = False,
) -> list[Any]:
    """The history of `train_model`, and the weights at the end.

    Options: `schedule`, those of `rate`; `warm` rounds the warm-up; `clip`; `decay` "all", "none", "biases" left out
    only; `epoch_of` tells set_epoch; `history` "batches", "last", "sum", "after"; dropout off (`in_train` False);
    gradients pile up (`stale`); the rate is `constant`, moves `per_epoch` only, or is `ahead` by steps; the decay is
    `coupled` with the gradient, as in Adam.
    """
    per, n_epochs = len(case["epochs"][0]), case["n_epochs"]
    total, shift = per * n_epochs, cases.SHIFT * in_train
    warmup = int(warm(case["warmup"] * total))
    descent = Descent(case["weights"], case["weight_decay"], decay, coupled)
    found, step = History([], [], []), 0
    left: Weights = {}
    for epoch in range(n_epochs):
        rows = []
        for batch in case["epochs"][epoch_of(epoch)]:
            count = total // per if per_epoch else total
            at = epoch if per_epoch else step + ahead
            lr = rate(at, case["lr"], warmup // per if per_epoch else warmup, count, **(schedule or {}))
            loss = losses(descent.w, batch, shift)
            slope = without(case, slopes(descent.w, batch, shift))
            left = clipped(
                {n: g + (left[n] if stale and left else 0.0) for n, g in slope.items()},
                case["max_norm"],
                clip,
            )
            descent.step(left, case["lr"] if constant else lr)
            descent.w |= {name: case["weights"][name] for name in case.get("frozen", ())}
            rows.append((losses(descent.w, batch, shift) if history == "after" else loss, batch))
            step += 1
        mlm, sentence = (_mean(rows, field, history) for field in (1, 2))
        for values, value in zip(found, (mlm, sentence, mlm + sentence), strict=True):
            values.append(value)
    return [list(found), descent.w]


def _mean(rows: list[tuple[list[float], Batch]], field: int, history: str) -> float:
    counts = [
        int((b.mlm_labels != IGNORE_INDEX).sum())
        if field == 1
        else 0
        if b.sentence_labels is None
        else len(b.input_ids)
        for _, b in rows
    ]
    values = [loss[field] for loss, _ in rows]
    if history == "last":
        return values[-1]
    if history == "sum":
        return sum(values)
    if history == "rows":
        counts = [len(b.input_ids) for _, b in rows]
    if history == "batches":
        counts = [1] * len(rows)
    return sum(v * n for v, n in zip(values, counts, strict=True)) / max(sum(counts), 1)


def max_norms(case: Case) -> list[float]:
    """The case's `max_norm` for each batch: one for all, or a list."""
    return [float(norm) for norm in np.broadcast_to(case["max_norm"], len(case["batches"]))]


def run_steps(subject: Subject, case: Case) -> Any:
    """`train_step` for each batch with SGD over the parameters held, stale gradients on the model at the start."""
    handle = cases.model(subject, case, case["training"])
    optimizer = props.optimizer(handle, "SGD", case["held"], lr=case["lr"])
    props.leave_gradients(handle, case["stale"])
    props.freeze(handle, *case.get("frozen", ()))
    found = []
    for batch, max_norm in zip(case["batches"], max_norms(case), strict=True):
        found.append(subject.call("train_step", handle, batch, optimizer, max_norm=max_norm))
    return [[plain(loss) for loss in found], cases.state(handle, case["weights"])]


def run_training(subject: Subject, case: Case) -> Any:
    """`train_model` on a loader whose dataset knows epochs, of a model that comes in eval mode."""
    handle = cases.model(subject, case)
    loader = props.loader(subject, case["epochs"], epochs=True)
    settings = {key: case[key] for key in ("lr", "weight_decay", "warmup", "max_norm")}
    history = subject.call("train_model", handle, loader, case["n_epochs"], **settings)
    return [list(history) if isinstance(history, History) else history, cases.state(handle, case["weights"])]


def run_groups(subject: Subject, case: Case) -> Any:
    """The groups, parameters by name and sorted."""
    handle = props.built(subject, case["parts"], case["same"])
    props.freeze(handle, *case["frozen"])
    found = props.groups(subject, "parameter_groups", handle, weight_decay=case["weight_decay"])
    if not isinstance(found, list) or not all(
        isinstance(g, dict) and isinstance(g.get("params"), list) for g in found
    ):
        return found
    return [
        {"params": sorted(group["params"])} | {k: v for k, v in group.items() if k != "params"}
        for group in found
    ]


def run_rates(subject: Subject, case: Case) -> Any:
    """The rates of steps 0, 1, ... beyond the end."""
    settings = case["peak"], case["warmup"], case["total"]
    return subject.call_each("learning_rate", [[step, *settings] for step in range(case["total"] + 3)])


def rates(case: Case, **options: Any) -> list[float]:
    """What `run_rates` should give."""
    return [
        rate(step, case["peak"], case["warmup"], case["total"], **options)
        for step in range(case["total"] + 3)
    ]


MODEL_CASE = cases.training_case(142, max_norm=2.8)
_replays: dict[str, list[Any]] = {}


def _replayed(case: Case, **options: Any) -> list[Any]:
    """`train`, each option once: several checks of one lesson are named by the same probe."""
    if case is not MODEL_CASE:
        return train(case, **options)
    key = repr(options)
    if key not in _replays:
        _replays[key] = train(case, **options)
    return _replays[key]


GROUPS_PROBE = Probe("parameter_groups", cases.groups_case(), run_groups, groups)
RATE_PROBE = Probe("learning_rate", {"peak": 0.6, "warmup": 4, "total": 11}, run_rates, rates)
# The last norm is more than twice as long as the gradient: short ones stay, also when they are doubled.
STEP_CASE = cases.steps_case(141) | {"max_norm": [1.2, 1.2, 1.2, 100.0]}
STEP_PROBE = Probe("train_step", STEP_CASE, run_steps, steps, cases.near)
MODEL_PROBE = Probe("train_model", MODEL_CASE, run_training, _replayed, cases.near)
PROBES = (GROUPS_PROBE, RATE_PROBE, STEP_PROBE, MODEL_PROBE)
