"""Records for lesson 15's checks: runs that nobody ran, and recordings of any vocabulary and length.

A made recording is told in words (how it starts, where it ends, ...); the numbers follow, far enough from every
limit: a scatter of some hundredths where nothing is wrong, and 0.25 nats or more where something is.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from lessons.given.config import ModelConfig
from lessons.given.recordings import load_recordings
from lessons.given.records import Evaluation, History, Recording, Run

Rng = np.random.Generator
Story = dict[str, Any]

PARTS = (
    "word",
    "position",
    "segment",
    "embedding_norm",
    "projection",
    "encoder",
    "pooler",
    "mlm_head",
    "sentence_head",
)
MODULES = ("embeddings", "encoder", "pooler", "mlm_head", "sentence_head")
CONFIG = ModelConfig(vocab_size=150, max_len=32, d_model=8, n_layers=1, n_heads=2)
SETTINGS = {
    "training_data": "f3a1", "held_out": "0a77", "steps": 40, "batch_size": 8, "max_len": 64,
    "masks": "0.15 of the tokens", "rates_tried": [1e-3, 5e-4], "lr": 1e-3, "seed": 0, "device": "cpu",
    "precision": "fp32", "task": "nsp",
}  # fmt: skip


def run(name: str, seed: int, **changes: Any) -> Run:
    """A run whose numbers are drawn; no two of them are equal."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 400_000, len(PARTS)) // np.array([1, 9, 900, 900, 5, 1, 30, 20, 90]) + 7
    table = {part: int(size) for part, size in zip(PARTS, sizes, strict=True)}
    table["total"] = sum(table.values())
    losses = np.sort(rng.uniform(0.4, 5, (5, 3)), axis=0)[::-1].round(6).tolist()
    history = History(
        [row[0] for row in losses[:3]], [row[1] for row in losses[:3]], [row[2] for row in losses[:3]]
    )
    evaluations = [
        Evaluation(*rng.uniform(0.1, 6, 3).tolist(), *rng.uniform(0, 1, 2).tolist()) for _ in range(3)
    ]
    tokens, seconds = float(rng.uniform(1, 9e6) ** rng.uniform(0.3, 1)), float(rng.uniform(0.1, 90_000))
    whole = Run(name, CONFIG, table, [10, 30, 40], history, evaluations, dict(SETTINGS), tokens, seconds)
    return whole._replace(**changes)


def with_settings(whole: Run, drop: tuple[str, ...] = (), **changes: Any) -> Run:
    """The run with other settings; those in `drop` are missing."""
    settings = {key: value for key, value in {**whole.settings, **changes}.items() if key not in drop}
    return whole._replace(settings=settings)


# For each word of `unfair`'s table the ways in which a pair may break its rule: what changes in the second run.
WAYS: dict[str, tuple[dict[str, Any], ...]] = {
    "training data": ({"training_data": "f3a2"}, {"drop": ("training_data",)}),
    "steps": ({"steps": 41}, {"stopped": [10, 30]}, {"drop": ("steps",)}, {"steps": 30, "stopped": [10, 30]}),
    "batch size": ({"batch_size": 16}, {"drop": ("batch_size",)}),
    "sequence length": ({"max_len": 128}, {"drop": ("max_len",)}),
    "masks": ({"masks": "0.3 of the tokens"}, {"drop": ("masks",)}),
    "evaluation set": ({"held_out": "0a78"}, {"drop": ("held_out",)}),
    "learning rate": (
        {"rates_tried": [1e-3]}, {"rates_tried": [1e-3, 5e-4, 2e-4]}, {"rates_tried": [1e-3, 2e-4]},
        {"drop": ("rates_tried",)},
    ),
}  # fmt: skip


def changed(whole: Run, ways: list[dict[str, Any]]) -> Run:
    """The run after some of the `WAYS`."""
    for way in ways:
        rest = {key: value for key, value in way.items() if key != "stopped"}
        whole = with_settings(whole, **rest)
        if "stopped" in way:
            whole = whole._replace(steps=list(way["stopped"]))
    return whole


def other_model(whole: Run) -> Run:
    """All that may differ: the architecture, the task, the seed, the rate, the speed, how often it was scored."""
    settings = {"lr": 5e-4, "seed": 3, "task": "sop", "rates_tried": [5e-4, 1e-3, 5e-4], "precision": "bf16"}
    config = replace(CONFIG, d_embedding=4, sharing="all", d_model=16)
    stranger = run("ALBERT wide", 77, config=config, steps=[20, 40])
    return stranger._replace(settings={**whole.settings, **settings})


def made(
    seed: int,
    *,
    vocab_size: int = 151,
    entries: int = 7,
    start: str = "good",
    twice: str = "equal",
    end: str = "good",
    training: str = "near",
    still: str = "",
    sentences: str = "good",
    spike: bool = False,
) -> Recording:
    """A recording of the story that the words tell.

    `start` "far"; the second evaluation ("twice") is "other", "other but at the end", "other at the start" only, or has
    its first two entries "exchanged"; the held-out loss ends ("end") "good", "at the floor", "plateau", "unigram",
    "below"; `training` ends "near" it or "below" the floor; the parts named in `still` did not move; `sentences`
    "good", "chance", "swapped"; with a `spike`, the training loss is high at the second of three or more entries.
    """
    rng = np.random.default_rng(seed)
    top = float(np.log(vocab_size))
    unigram = top * rng.uniform(0.65, 0.8)
    slot = unigram * rng.uniform(0.4, 0.55)
    floor = slot * rng.uniform(0.35, 0.55)
    last = {
        "good": rng.uniform(floor + 0.05, slot - 0.3),
        "at the floor": floor + rng.uniform(-0.03, 0.03),
        "plateau": slot + rng.uniform(-0.05, 0.05),
        "unigram": unigram + rng.uniform(-0.04, 0.5),
        "below": floor * rng.uniform(0, 0.15),
    }[end]
    dip = floor * rng.uniform(0, 0.15)
    held_out = _course(rng, top + rng.uniform(-0.1, 0.1), last, dip, entries)
    trained = last + rng.uniform(-0.02, 0.02) if training == "near" else floor * rng.uniform(0.02, 0.15)
    train = _course(rng, top + rng.uniform(-0.1, 0.2), max(trained, 1e-4), dip, entries)
    if start == "far":
        train[0], held_out[0] = top * rng.uniform(2.2, 6), top * rng.uniform(2, 5)
    elif end == "unigram":
        held_out[0] = top * rng.uniform(2, 3)  # the first update was too long; the start before it was good
    if spike and entries > 2:
        train[1] = 4 * top
    again = [loss + rng.choice([-1, 1]) * rng.uniform(0.003, 0.02) for loss in held_out]
    if twice == "other but at the end":
        again[-1] = held_out[-1]
    elif twice == "other at the start":
        again[1:] = held_out[1:]
    elif twice == "exchanged":
        again = [held_out[1], held_out[0], *held_out[2:]]
    score = {"good": (0.62, 0.98), "chance": (0.46, 0.55), "swapped": (0.02, 0.2)}[sentences]
    on_the_way = np.where(
        rng.random(entries - 1) < 0.3, rng.uniform(0.02, 0.2, entries - 1), rng.uniform(0.46, 0.95)
    )
    accuracy = [*on_the_way, rng.uniform(*score)]
    moved = {module: 0.0 if module in still else float(6 * 0.003 ** rng.random()) for module in MODULES}
    return Recording(
        steps=[1, *(50 * k for k in range(1, entries))],
        train_mlm=[float(loss) for loss in train],
        held_out_mlm=[float(loss) for loss in held_out],
        held_out_again=[float(loss) for loss in (held_out if twice == "equal" else again)],
        sentence_accuracy=[float(share) for share in accuracy],
        moved=moved,
        lines={"ln V": top, "unigram": float(unigram), "slot-unigram": float(slot), "floor": float(floor)},
    )


def _course(rng: Rng, first: float, last: float, dip: float, entries: int) -> list[float]:
    """Down from the first to the last, with a spike or a dip on the way: only the ends mean something."""
    course = np.interp(np.linspace(0, 1, entries), [0, 0.7, 1], [first, last, last])
    course[1:-1] *= rng.uniform(1, 1.3, max(entries - 2, 0))
    if entries > 3:
        course[rng.integers(1, entries - 1)] = rng.choice([dip, 4 * first])
    course[-1] = last
    return course.tolist()


def rescaled(recording: Recording, factor: float, seed: int) -> Recording:
    """A copy as if from another vocabulary: losses and lines times `factor`, a scatter of a hundredth on losses."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 0.01, len(recording.steps)).clip(-0.02, 0.02)
    changed: dict[str, Any] = {
        name: [
            max(1e-5, float(factor * loss + n))
            for loss, n in zip(getattr(recording, name), noise, strict=True)
        ]
        for name in ("train_mlm", "held_out_mlm", "held_out_again")
    }
    lines = {name: factor * nats for name, nats in recording.lines.items()}
    moved = {name: float(share * rng.uniform(0.8, 1.2)) for name, share in recording.moved.items()}
    return recording._replace(**changed, lines=lines, moved=moved)


def thinned(recording: Recording) -> Recording:
    """Every second entry, and the last."""
    chosen = sorted({*range(0, len(recording.steps), 2), len(recording.steps) - 1})
    lists: dict[str, Any] = {
        name: [getattr(recording, name)[i] for i in chosen] for name in Recording._fields[:5]
    }
    return recording._replace(**lists)


RECORDED = load_recordings()
# name of the right answer: the story that shows it alone
STORIES: dict[str, Story] = {
    "N(0,1) start": {"start": "far"},
    "dropout in evaluation": {"twice": "other"},
    "below the floor": {"end": "below"},
    "labels everywhere": {"training": "below"},
    "frozen head": {"still": "mlm_head"},
    "swapped labels": {"sentences": "swapped"},
    "rate too high": {"end": "unigram", "sentences": "chance"},
    "slot-unigram plateau": {"end": "plateau", "sentences": "chance"},
    "healthy": {},
}
# two or more signatures at once, and what else tells a rule from its neighbours
MIXED: tuple[tuple[str, Story], ...] = (
    ("N(0,1) start", {"start": "far", "end": "unigram", "twice": "other"}),
    ("N(0,1) start", {"start": "far", "training": "below", "still": "mlm_head"}),
    ("N(0,1) start", {"start": "far", "sentences": "swapped"}),
    ("N(0,1) start", {"start": "far", "end": "plateau"}),
    ("dropout in evaluation", {"twice": "other but at the end", "end": "plateau"}),
    ("dropout in evaluation", {"twice": "other", "end": "below", "still": "sentence_head"}),
    ("dropout in evaluation", {"twice": "other", "training": "below"}),
    ("below the floor", {"end": "below", "training": "below", "still": "mlm_head sentence_head"}),
    ("below the floor", {"end": "below", "sentences": "swapped"}),
    ("labels everywhere", {"training": "below", "sentences": "swapped"}),
    ("labels everywhere", {"training": "below", "end": "plateau", "still": "sentence_head"}),
    ("frozen head", {"still": "sentence_head", "end": "plateau"}),
    ("frozen head", {"still": "mlm_head", "sentences": "swapped"}),
    ("frozen head", {"still": "mlm_head sentence_head", "end": "unigram"}),
    ("swapped labels", {"sentences": "swapped", "end": "plateau"}),
    ("swapped labels", {"sentences": "swapped", "end": "unigram"}),
    ("healthy", {"still": "embeddings"}),
    ("healthy", {"end": "at the floor"}),
    ("healthy", {"sentences": "chance"}),
)
RUNS = {name: run(name, seed) for seed, name in enumerate(("BERT", "ALBERT", "ALBERT wide"))}
_A = run("A", 5)
_B = other_model(_A)
PAIRS = [
    (_A, _A),
    (_A, _B),
    *((_A, changed(_B, [way])) for ways in WAYS.values() for way in ways),
    *(
        (with_settings(_A, drop=(key,)), with_settings(_B, drop=(key,)))
        for key in ("masks", "rates_tried", "held_out")
    ),
    (with_settings(_A, rates_tried=[1e-3]), with_settings(_A, rates_tried=[5e-4])),
    (with_settings(_A, rates_tried=[1e-3, 5e-4]), with_settings(_A, rates_tried=[5e-4, 1e-3])),
    (with_settings(_A, rates_tried=[1e-3, 1e-3]), with_settings(_A, rates_tried=[1e-3])),
    (_A, changed(_B, [ways[0] for ways in WAYS.values()])),
]
RECORDINGS = [
    *(
        made(10 * size + k, vocab_size=size, **story)
        for size in (62, 151, 3_000, 30_000)
        for k, story in enumerate(STORIES.values())
    ),
    *(made(40 + k, vocab_size=30_000, entries=4, **story) for k, (_, story) in enumerate(MIXED)),
    *(made(70 + k, vocab_size=62, entries=12, **story) for k, (_, story) in enumerate(MIXED)),
]
