"""Pictures of runs that differ in one thing, and where in the picture the difference shows."""

from typing import Any, NamedTuple

import numpy as np

from checks.judge.expect import Wrong, equal
from checks.oracles.capstone_records import CONFIG, run
from checks.subject import Subject
from lessons.given.records import Evaluation, History, Run

Runs = dict[str, Run]
Curves = tuple[list[float], list[float], list[float], list[float]]

STEPS = [1, 40, 60, 100]
# name: training and held-out loss of the masked tokens, training and held-out total. Training is below 1 from the
# second step on: an axis that starts at 1 hides what moves there. All start above ln V: so ln V is not the top of an
# axis that fits what it shows, at which two different ln V would stand in one row of pixels.
CURVES: dict[str, Curves] = {
    "Bern": ([5.5, 0.8, 0.5, 0.3], [5.4, 3.4, 2.6, 1.9], [6.1, 0.9, 0.7, 0.4], [6.0, 4.1, 3.2, 2.3]),
    "Alba": ([5.6, 0.7, 0.3, 0.2], [5.3, 3.7, 2.3, 1.6], [6.2, 0.8, 0.5, 0.3], [5.9, 4.4, 2.8, 2.0]),
}


class Picture(NamedTuple):
    """What a picture shows: its pixels' brightness `[height, width]`, and the words in each half."""

    is_png: bool
    pixels: np.ndarray
    words: tuple[set[str], set[str]]


def runs(
    *,
    curve: int | None = None,
    exchanged: bool = False,
    steps: list[int] | None = None,
    vocab_size: int = 151,
    **settings: Any,
) -> Runs:
    """Two runs, with one change at the third step of the second's `curve` (0..3), where there is one.

    `exchanged`: training and held-out losses take each other's place.
    """
    found = {}
    for name, curves in CURVES.items():
        values = [list(losses) for losses in curves]
        if curve is not None and name == "Alba":
            values[curve][2] += 0.4
        mlm, held_mlm, total, held_total = [values[i] for i in ((1, 0, 3, 2) if exchanged else range(4))]
        sentence = [b - a for a, b in zip(mlm, total, strict=True)]
        evaluations = [Evaluation(a, b - a, b, 0.5, 0.5) for a, b in zip(held_mlm, held_total, strict=True)]
        config = type(CONFIG)(**{**vars(CONFIG), "vocab_size": vocab_size})
        found[name] = run(
            name, 1, config=config, steps=steps or STEPS, history=History(mlm, sentence, total),
            evaluations=evaluations, settings=settings,
        )  # fmt: skip
    return found


def drawn(subject: Subject, key: str, pictured: Runs, as_text: bool = False) -> Picture:
    """The picture of these runs, drawn once for a subject under `key`. It is a PNG that shows something.

    Drawing leaves the runs as they are.
    """
    name = f"picture {key}"
    if name not in subject.cache:
        kept = subject.put(pictured)
        subject.record("plot_losses", (pictured, "picture"), {})
        is_png, pixels, words = subject.execute("picture", "plot_losses", [kept], as_text)
        left, right = ({text for text, place in words if (place >= 0.5) == half} for half in (False, True))
        subject.cache[name] = Picture(is_png, pixels, (left, right))
        _expect_left(subject.get(kept), pictured)
    picture = subject.cache[name]
    if not picture.is_png or picture.pixels.ndim != 2:
        raise Wrong(
            "a PNG at the path given", "other bytes there", "the file is written at `path` as it is, as a PNG"
        )
    return picture


def _expect_left(found: Runs, pictured: Runs) -> None:
    equal(list(found), list(pictured), "the runs are left as they are")
    for name, whole in pictured.items():
        for field, value in whole._asdict().items():
            because = f"the runs are left as they are: the field `{field}` of {name} too"
            equal(getattr(found[name], field, None), value, because)


def changed_halves(one: Picture, other: Picture) -> tuple[bool, bool]:
    """Whether the left and the right half of two pictures of one size differ."""
    if one.pixels.shape != other.pixels.shape:
        raise Wrong(
            "pictures of one size", f"{one.pixels.shape} and {other.pixels.shape}", "only numbers changed"
        )
    left, right = (half.any() for half in np.array_split(_differences(one, other), 2, axis=1))
    return bool(left), bool(right)


def place_of_change(one: Picture, other: Picture, half: int) -> float:
    """Where the middle of the changed pixels of the left (0) or right (1) panel stands: 0..1 from its left side."""
    columns = np.nonzero(np.array_split(_differences(one, other), 2, axis=1)[half])[1]
    return float(np.median(columns)) / (one.pixels.shape[1] / 2) if len(columns) else 0.0


def has_line(one: Picture, other: Picture) -> bool:
    """Whether a horizontal line across the left panel, dotted perhaps, stands in only one of two pictures."""
    changed_halves(one, other)
    left, _ = np.array_split(_differences(one, other), 2, axis=1)
    return bool(left.mean(axis=1).max() > 0.2)


def _differences(one: Picture, other: Picture) -> np.ndarray:
    """Where brightness differs by more than what blending two curves in another order may round."""
    return np.abs(one.pixels.astype(int) - other.pixels.astype(int)) > 16
