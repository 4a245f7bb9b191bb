"""Oracle of lesson 15: presets as constants, the table cell by cell, fairness and diagnosis as lists of rules.

What is trained and drawn is judged in `capstone_terms` and `capstone_pictures`.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from checks.judge import Probe
from checks.oracles.capstone_mistakes import MISTAKES
from checks.oracles.capstone_records import PAIRS, RECORDINGS, RUNS
from checks.oracles.capstone_terms import TERMS_PROBE
from lessons.given.config import ModelConfig
from lessons.given.records import Recording, Run

__all__ = ["MISTAKES", "PROBES", "cells", "configs", "diagnosis", "differences"]

Runs = dict[str, Run]

# preset: layers, d_model, heads, ALBERT's E, max_len, dropout, activation, init_std
PRESETS: dict[str, tuple[Any, ...]] = {
    "quick": (2, 128, 4, 64, 64, 0.0, "gelu_tanh", 0.055),
    "classic": (4, 128, 4, 64, 64, 0.1, "gelu", 0.02),
    "cpu": (2, 128, 4, 64, 64, 0.0, "gelu_tanh", 0.0875),
    "gpu": (12, 512, 8, 128, 128, 0.0, "gelu_tanh", 0.03),
}
HEADING = [
    *("model", "total", "embedding", "encoder", "heads"),
    *("MLM loss", "total loss", "MLM acc", "sentence acc", "tokens/s", "seconds"),
]
EMBEDDING = ("word", "position", "segment", "embedding_norm", "projection")
HEADS = ("pooler", "mlm_head", "sentence_head")
WORDS = (
    "training data",
    "steps",
    "batch size",
    "sequence length",
    "masks",
    "evaluation set",
    "learning rate",
)
KEYS = ("training_data", "steps", "batch_size", "max_len", "masks", "held_out", "rates_tried")
TERMS = dict(zip(WORDS, KEYS, strict=True))


def configs(
    preset: str, vocab_size: int, *, bert: dict | None = None, albert: dict | None = None, **both: Any
) -> dict[str, ModelConfig]:
    """A row of the table. Options: fields of one or of both that are other than in the table; "E" is ALBERT's width."""
    n_layers, d_model, n_heads, E, max_len, dropout, activation, init_std = PRESETS[preset]
    sizes = {
        "vocab_size": vocab_size, "n_layers": n_layers, "d_model": d_model, "n_heads": n_heads, "max_len": max_len,
        "dropout": dropout, "activation": activation, "init_std": init_std,
    }  # fmt: skip
    own: dict[str, Any] = {"d_embedding": E, "sharing": "all"}
    first = {key: E if value == "E" else value for key, value in (bert or {}).items()}
    second = {**own, **(albert or {})}
    return {"BERT": ModelConfig(**sizes | both | first), "ALBERT": ModelConfig(**sizes | both | second)}


def cells(
    runs: Runs,
    *,
    embedding: tuple[str, ...] = EMBEDDING,
    heads: tuple[str, ...] = HEADS,
    entry: int = -1,
    source: str = "evaluations",
    columns: tuple[int, ...] = (0, 2, 3, 4),
    comma: str = ",",
    places: int = 3,
    percent: bool = False,
) -> list[list[str]]:
    """The table's cells as texts, the heading first.

    Options: the parts that `embedding` and `heads` sum; which `entry` of the evaluations; `source` "history" for the
    losses; the `columns` of the evaluation; no `comma`; decimal `places`; accuracies in `percent`.
    """
    found = [list(HEADING)]
    for name, run in runs.items():
        sums = [sum(run.parameters[part] for part in parts) for parts in (embedding, ("encoder",), heads)]
        scores = [run.evaluations[entry][column] for column in columns]
        if source == "history":
            scores[:2] = run.history.mlm_loss[-1], run.history.total_loss[-1]
        if percent:
            scores[2:] = [100 * score for score in scores[2:]]
        counts = [_grouped(n, comma) for n in (run.parameters["total"], *sums)]
        speed = [_grouped(int(_rounded(run.tokens_per_second, 0)), comma), _rounded(run.seconds, 1)]
        found.append([name, *counts, *(_rounded(score, places) for score in scores), *speed])
    return found


def parsed(text: Any) -> Any:
    """The cells of a Markdown table, heading first and without the ruler; the text itself where it is no such table."""
    if type(text) is not str:
        return text
    lines = [line.strip() for line in text.strip().splitlines()]
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    framed = all(line.startswith("|") and line.endswith("|") and len(line) > 1 for line in lines)
    if (
        not framed
        or len(rows) < 2
        or not all(_is_ruler(cell) for cell in rows[1])
        or len(rows[1]) != len(rows[0])
    ):
        return text
    return [rows[0], *rows[2:]]


def differences(
    a: Run,
    b: Run,
    *,
    missing: str = "differs",
    early: str = "last",
    rates: str = "as a set",
    rates_key: str = "rates_tried",
    leave_out: tuple[str, ...] = (),
    most: int = 99,
) -> list[str]:
    """The words of the table whose rule is broken, one after the other.

    Options: what is `missing` "equal" (in both) or "skipped" (in either); stopping `early` "unseen" or told by the
    "length" of the steps; `rates` compared "in order", "as a list" (repeats count) or by their "number"; `rates_key`
    "lr"; words to `leave_out`; at `most` so many words.
    """
    views: dict[str, Callable[[list], Any]] = {
        "as a set": lambda rates: {float(rate) for rate in rates},
        "in order": list,
        "as a list": sorted,
        "number": len,
    }
    found = []
    for word, key in TERMS.items():
        key = rates_key if word == "learning rate" else key
        there = [key in run.settings for run in (a, b)]
        differs = not all(there) and not (missing == "skipped" or (missing == "equal" and not any(there)))
        if all(there):
            values = [run.settings[key] for run in (a, b)]
            if word == "learning rate" and key == "rates_tried":
                values = [views[rates](value) for value in values]
            differs = values[0] != values[1]
        if word == "steps":
            ends = {"last": (a.steps[-1], b.steps[-1]), "length": (len(a.steps), len(b.steps))}.get(
                early, (0, 0)
            )
            differs = differs or ends[0] != ends[1]
        if differs and word not in leave_out:
            found.append(word)
    return found[:most]


def diagnosis(
    recording: Recording,
    *,
    leave_out: str = "",
    lines: dict[str, float] | None = None,
    twice: str = "anywhere",
    frozen: str = "either head",
    read: str = "last",
    first: str = "train_mlm",
    judged: str = "held_out_mlm",
    accuracy: str = "last",
    sooner: str = "",
    room: float = 0.15,
) -> str:
    """The first rule of the list that holds. `room`, in nats, stands in the middle of what the lesson leaves free.

    Options: a rule to `leave_out`, or one that is tried `sooner` than all others; the small world's `lines`; `twice`
    compared at the "end"; `frozen` "both heads" or "any part"; the losses' "best" instead of the last are `read`;
    the series that the `first` loss comes from, and that which is `judged` by the lines; the lowest `accuracy`.
    """
    nats = lines or recording.lines
    losses = getattr(recording, judged)
    end = {"last": losses[-1], "best": min(losses)}[read]
    trained = recording.train_mlm[-1]
    scores = recording.sentence_accuracy
    score = scores[-1] if accuracy == "last" else min(scores)
    pairs = list(zip(recording.held_out_mlm, recording.held_out_again, strict=True))
    heads = [recording.moved["mlm_head"] == 0, recording.moved["sentence_head"] == 0]
    still = {
        "either head": any(heads),
        "both heads": all(heads),
        "any part": 0 in recording.moved.values(),
    }
    rules = {
        "N(0,1) start": getattr(recording, first)[0] - nats["ln V"] > 0.5 * nats["ln V"],
        "dropout in evaluation": any(
            one != two for one, two in (pairs if twice == "anywhere" else pairs[-1:])
        ),
        "below the floor": nats["floor"] - end > room,
        "labels everywhere": nats["floor"] - trained > room,
        "frozen head": still[frozen],
        "swapped labels": 0.5 - score > 0.2,
        "rate too high": nats["unigram"] - end < room,
        "slot-unigram plateau": nats["slot-unigram"] - end < room,
    }
    if rules.get(sooner):
        return sooner
    return next((name for name, holds in rules.items() if holds and name != leave_out), "healthy")


def _plain(recording: Recording) -> bool:
    """Whether all readings of a recording, right and wrong, are the same for narrow and for wide limits."""
    readings: list[dict[str, Any]] = [m.options for m in MISTAKES if m.exercise == "diagnose"]
    told = ((diagnosis(recording, room=r, **options) for r in (0.08, 0.25)) for options in [{}, *readings])
    return all(narrow == wide for narrow, wide in told)


def _rounded(number: float, places: int) -> str:
    return str(Decimal(number).quantize(Decimal(1).scaleb(-places)))


def _grouped(number: int, comma: str) -> str:
    digits = str(number)
    groups: list[str] = []
    while digits:
        digits, group = digits[:-3], digits[-3:]
        groups.insert(0, group)
    return comma.join(groups)


def _is_ruler(cell: str) -> bool:
    return cell.replace(":", "").strip("-") == "" and "-" in cell


CONFIGURATIONS_PROBE = Probe(
    "configurations",
    [["quick", 101], ["classic", 57], ["cpu", 500], ["gpu", 30_000]],
    lambda subject, case: subject.call_each("configurations", case),
    lambda case, **options: [configs(*arguments, **options) for arguments in case],
)
TABLE_PROBE = Probe(
    "summary_table",
    RUNS,
    lambda subject, case: parsed(subject.call("summary_table", case)),
    cells,
)
UNFAIR_PROBE = Probe(
    "unfair",
    PAIRS,
    lambda subject, case: subject.call_each("unfair", [list(pair) for pair in case]),
    lambda case, **options: [differences(*pair, **options) for pair in case],
)
DIAGNOSE_PROBE = Probe(
    "diagnose",
    [recording for recording in RECORDINGS if _plain(recording)],
    lambda subject, case: subject.call_each("diagnose", [[recording] for recording in case]),
    lambda case, **options: [diagnosis(recording, **options) for recording in case],
)
PROBES = (CONFIGURATIONS_PROBE, TERMS_PROBE, TABLE_PROBE, UNFAIR_PROBE, DIAGNOSE_PROBE)
