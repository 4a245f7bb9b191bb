"""Oracle of lesson 7: the sum of three rows, token by token, normalised, dropped, widened; in float64."""

from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles import weights as make
from checks.oracles.blocks import Weights, layer_norm, linear
from checks.oracles.dropout import RATE, share
from checks.oracles.embeddings_mistakes import MISTAKES
from checks.subject import Subject
from lessons.given.config import ModelConfig

__all__ = ["MISTAKES", "PROBES", "STATISTICS", "embeddings", "trained_rows"]

Array = np.ndarray
Case = dict[str, Any]
TOKENS = (40, 11)
DROPS = share("entries of the normed sum", 40 * 11 * 8)
STATISTICS = (DROPS,)


def embeddings(
    w: Weights,
    config: ModelConfig,
    ids: Array,
    segments: Array,
    *,
    tables: str = "word position segment",
    place: str = "from 0",
    factor: str = "one",
    normed: str = "sum",
    eps: float | None = None,
    projected: str = "last",
    **norm: Any,
) -> Array:
    """The vectors of a batch, one token at a time.

    Options: `tables` that are added; `place`, see `_place`; the words' `factor` "one", "sqrt_e" or "sqrt_d";
    `normed` "sum", "nothing" or "word" (before the rest is added); `eps` other than the configuration's;
    `projected` "last", "tanh" (activated) or "no"; and those of `blocks.layer_norm`.
    """
    epsilon = config.layer_norm_eps if eps is None else eps
    batch, tokens = ids.shape
    rows = np.empty((batch, tokens, w["word.weight"].shape[1]))
    times = {"one": 1.0, "sqrt_e": config.d_embedding**0.5, "sqrt_d": config.d_model**0.5}[factor]
    for b, t in np.ndindex(batch, tokens):
        row = times * w["word.weight"][ids[b, t]]
        if normed == "word":
            row = layer_norm(row, w, "norm", epsilon, **norm)
        if "position" in tables:
            row = (
                row + w["position.weight"][_place(place, ids, segments, b, t, len(w["position.weight"]) - 1)]
            )
        if "segment" in tables:
            row = row + w["segment.weight"][segments[b, t]]
        rows[b, t] = row
    if normed == "sum":
        rows = layer_norm(rows, w, "norm", epsilon, **norm)
    if "projection.weight" not in w or projected == "no":
        return rows
    wide = linear(rows, w, "projection")
    return np.tanh(wide) if projected == "tanh" else wide


def _place(place: str, ids: Array, segments: Array, b: int, t: int, last: int) -> int:
    """The row of `position`: right is "from 0"; others are "from 1" (the last one twice where it would run
    over), "backwards", "by sequence", "all 0", "words only" (counts real tokens, padding gets row 0) and "in
    segment" (starts again in every segment).
    """
    return {
        "from 0": lambda: t,
        "from 1": lambda: min(t + 1, last),
        "backwards": lambda: ids.shape[1] - 1 - t,
        "by sequence": lambda: b,
        "all 0": lambda: 0,
        "words only": lambda: int((ids[b, : t + 1] != 0).sum()) * int(ids[b, t] != 0),
        "in segment": lambda: int((segments[b, :t] == segments[b, t]).sum()),
    }[place]()


def trained_rows(case: Case, *, frozen: str = "", zero_row: bool = False) -> dict[str, Array]:
    """Which rows of each table get a gradient: those in use. Options: a `frozen` table; `zero_row` (of `word`)."""
    config, ids, segments = case["config"], case["ids"], case["segments"]
    used = {"word": ids, "position": np.arange(ids.shape[1]), "segment": segments}
    sizes = {"word": config.vocab_size, "position": config.max_len, "segment": config.n_segments}
    rows = {name: np.isin(np.arange(sizes[name]), used[name]) & (name != frozen) for name in used}
    if zero_row:
        rows["word"][0] = False
    return rows


def case_of(factorized: bool, seed: int) -> Case:
    """Ids with padding, segments in use, and a short sequence beside a long position table."""
    rng = np.random.default_rng(seed)
    config = make.config(layer_norm_eps=0.3, **({"d_embedding": 5} if factorized else {}))
    ids, segments = rng.integers(1, 29, (3, 7)), np.zeros((3, 7), np.int64)
    segments[:, 3:6] = 1
    ids[1, 6:] = ids[2, 4:] = segments[1, 6:] = segments[2, 4:] = 0
    return {
        "config": config,
        "weights": make.embeddings(rng, config, factorized),
        "ids": ids,
        "segments": segments,
    }


def _run(kind: str, subject: Subject, case: Case) -> Any:
    return subject.module(kind, case["config"], weights=case["weights"])(case["ids"], case["segments"])


def _run_trained(kind: str, subject: Subject, case: Case) -> Any:
    """Which rows of the tables have a gradient that is not zero."""
    module = subject.module(kind, case["config"], weights=case["weights"])
    cotangent = np.random.default_rng(1).normal(size=(*case["ids"].shape, case["config"].d_model))
    seen = module.backward(case["ids"], case["segments"], cotangents=[cotangent]).by_name
    return {name: _moved(seen, name) for name in ("word", "position", "segment")}


def _moved(seen: dict[str, Any], name: str) -> Array:
    gradient = seen.get(f"{name}.weight")
    rows = {"word": 29, "position": 11, "segment": 2}[name]
    return np.zeros(rows, bool) if gradient is None else np.abs(gradient).max(axis=1) > 1e-9


def dropout_case(factorized: bool) -> Case:
    """E = D, and a projection that can be undone, so that what went in shows."""
    rng = np.random.default_rng(4)
    config = make.config(dropout=RATE)
    weights = make.embeddings(rng, config, factorized)
    if factorized:
        weights["projection.weight"] = 2 * np.linalg.qr(rng.normal(size=(8, 8)))[0]
    return {
        "config": config,
        "weights": weights,
        "ids": rng.integers(0, 29, TOKENS),
        "segments": rng.integers(0, 2, TOKENS),
    }


def before_projection(w: Weights, result: Any) -> Any:
    """What went into the projection of a `dropout_case`; rounding is cut off, so that a dropped entry is 0."""
    if "projection.weight" not in w or not isinstance(result, np.ndarray) or result.shape != (*TOKENS, 8):
        return result
    undone = (result - w["projection.bias"]) @ np.linalg.inv(w["projection.weight"]).T
    return np.where(np.abs(undone) < 1e-9, 0.0, undone)


def _run_dropout(kind: str, subject: Subject, case: Case) -> Any:
    """The statistics, where eval mode is right: else it is not dropout that is at fault."""
    module = subject.module(kind, case["config"], weights=case["weights"])
    still = module(case["ids"], case["segments"])
    whole = embeddings(case["weights"], case["config"], case["ids"], case["segments"])
    right = isinstance(still, np.ndarray) and still.shape == whole.shape and np.allclose(still, whole)
    return _statistics(case, module.change("train")(case["ids"], case["segments"])) if right else None


def _statistics(case: Case, result: Any) -> Any:
    """Before the projection and after it: the share of zeros, and of entries that were kept and scaled."""
    if not isinstance(result, np.ndarray) or result.shape != (*TOKENS, 8):
        return result
    narrow = {key: array for key, array in case["weights"].items() if not key.startswith("projection")}
    found = []
    for w, seen in ((narrow, before_projection(case["weights"], result)), (case["weights"], result)):
        whole = embeddings(w, case["config"], case["ids"], case["segments"])
        scaled = [np.isclose(seen, whole / (1 - RATE) ** times, rtol=1e-6).mean() for times in (0, 1, 2)]
        found += [float((seen == 0).mean()), *map(float, scaled)]
    return found


def _dropped(case: Case, *, places: str = "normed") -> Any:
    """Option: dropout at `places` "summed" (before the norm), "normed", "projected", or none."""
    rng = np.random.default_rng(5)

    def drop(x: Array, place: str) -> Array:
        return x * (rng.random(x.shape) >= RATE) / (1 - RATE) if place in places else x

    w = case["weights"]
    rows = (
        w["word.weight"][case["ids"]]
        + w["position.weight"][: TOKENS[1]]
        + w["segment.weight"][case["segments"]]
    )
    rows = drop(layer_norm(drop(rows, "summed"), w, "norm", case["config"].layer_norm_eps), "normed")
    result = drop(linear(rows, w, "projection"), "projected") if "projection.weight" in w else rows
    return _statistics(case, result)


def _near(got: Any, want: Any) -> bool:
    return (
        isinstance(got, list) and isinstance(want, list) and bool(np.allclose(got, want, rtol=0, atol=0.05))
    )


def _probes(kind: str, factorized: bool) -> tuple[Probe, Probe, Probe]:
    case = case_of(factorized, 3)
    return (
        Probe(
            kind,
            case,
            lambda subject, c: _run(kind, subject, c),
            lambda c, **options: embeddings(c["weights"], c["config"], c["ids"], c["segments"], **options),
        ),
        Probe(kind, case, lambda subject, c: _run_trained(kind, subject, c), trained_rows),
        Probe(
            kind, dropout_case(factorized), lambda subject, c: _run_dropout(kind, subject, c), _dropped, _near
        ),
    )


BERT_PROBE, *_bert_more = _probes("BERTEmbeddings", False)
FACTORIZED_PROBE, *_factorized_more = _probes("FactorizedEmbeddings", True)
PROBES = (BERT_PROBE, *_bert_more, FACTORIZED_PROBE, *_factorized_more)
