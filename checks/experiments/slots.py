"""The loss by kind of slot: which dependency of a story a model has learnt, and whether it beats the floor."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Int
from torch import nn

from checks.experiments.charts import Chart, bars, ticks
from lessons.given.corpora.scored import Scores
from lessons.given.corpora.world import KINDS, SLOTS
from lessons.given.engine import HeldOutPair, token_losses
from lessons.given.records import IGNORE_INDEX, SEP_ID

NAMES = {".": "full stop", "the": '"the"'}


class SlotLosses(NamedTuple):
    """By kind of slot, in nats a hidden word: the model's loss and the floor; and how far below the floor it is.

    `over_floor` is the model's mean loss minus the floor on the same words, `deviations` the same in standard
    errors over the pairs. A model cannot be below 0 but by luck; below -4 the answer is in its input.
    """

    loss: dict[str, float]
    floor: dict[str, float]
    over_floor: float
    deviations: float


def slot_losses(
    model: nn.Module, pairs: list[HeldOutPair], ideal: Scores, precision: str = "fp32"
) -> SlotLosses:
    """Score a model on packed pairs of stories beside the best reader."""
    losses, _ = token_losses(model, pairs, precision)
    by_slot = np.zeros(ideal.loss.shape)
    rows, slots = hidden_places(pairs)
    np.add.at(by_slot, (rows, slots), losses)
    columns = {kind: [k for k, slot in enumerate(SLOTS) if slot == kind] for kind in KINDS}
    count = {kind: max(int(ideal.hidden[:, where].sum()), 1) for kind, where in columns.items()}
    excess, hidden = (by_slot - ideal.loss).sum(axis=1), ideal.hidden.sum(axis=1)
    mean = float(excess.sum() / hidden.sum())
    error = float(np.sqrt(((excess - mean * hidden) ** 2).sum()) / hidden.sum())
    return SlotLosses(
        loss={kind: float(by_slot[:, where].sum() / count[kind]) for kind, where in columns.items()},
        floor={kind: float(ideal.loss[:, where].sum() / count[kind]) for kind, where in columns.items()},
        over_floor=mean,
        deviations=mean / error if error > 0 else math.copysign(math.inf, mean) if mean else 0.0,
    )


def hidden_places(pairs: list[HeldOutPair]) -> tuple[Int[np.ndarray, "M"], Int[np.ndarray, "M"]]:
    """The row and the slot of each hidden word, pair by pair in order."""
    rows, slots = [], []
    for row, pair in enumerate(pairs):
        ids = np.where(pair.labels == IGNORE_INDEX, pair.input_ids, pair.labels)
        first_end = int(np.flatnonzero(ids == SEP_ID)[0])
        places = np.flatnonzero(pair.labels != IGNORE_INDEX)
        from_start = np.where(places < first_end, places - 1, places - first_end - 1)
        rows.append(np.full(len(places), row))
        slots.append(from_start % len(SLOTS))
    return np.concatenate(rows), np.concatenate(slots)


def slot_chart(losses: dict[str, SlotLosses], name: str = "slots") -> Chart:
    """Bars by kind of slot, a colour a model, with the floor of each slot as a line across."""
    floors = np.mean([list(found.floor.values()) for found in losses.values()], axis=0)
    series = [bars(model, list(found.loss.values())) for model, found in losses.items()]
    series.append(ticks("floor: nobody can do better", list(floors)))
    return Chart(
        name, "Loss by kind of slot", "slot of the sentence", "loss in nats", series,
        categories=[NAMES.get(kind, kind) for kind in KINDS], from_zero=True,
    )  # fmt: skip


def reading(losses: dict[str, SlotLosses], close: float = 0.15) -> str:
    """One sentence a model: which slots are learnt (within `close` nats of their floor) and which are not."""
    sentences = []
    for model, found in losses.items():
        open_slots = [
            f"{NAMES.get(kind, kind)} ({found.loss[kind]:.2f}, floor {found.floor[kind]:.2f})"
            for kind in KINDS
            if found.loss[kind] > found.floor[kind] + close
        ]
        missing = f"not yet learnt: {', '.join(open_slots)}" if open_slots else "every slot is at its floor"
        sentences.append(f"{model}: {missing}.")
    return " ".join(sentences)
