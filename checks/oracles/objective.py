"""Oracle of lesson 13: losses and accuracies label by label, from logits that the host chose."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles import objective_cases as cases
from checks.oracles.objective_mistakes import MISTAKES
from checks.subject import Subject, props
from lessons.given.records import IGNORE_INDEX, Batch, Evaluation

__all__ = ["MISTAKES", "PROBES"]

Array = np.ndarray
SETTINGS = tuple((whole, part) for whole in (True, False) for part in (True, False))
Case = dict[str, Any]


def cross_entropy(scores: Array, label: int, *, twice: bool = False) -> Any:
    """log of the sum of exponentials over the last axis, less the label's score.

    Option: `twice`, of the softmax of the scores.
    """
    top = scores.real.max(axis=-1, keepdims=True)
    if twice:
        scores = np.exp(scores - top) / np.exp(scores - top).sum(axis=-1, keepdims=True)
        top = np.zeros_like(top)
    return np.log(np.exp(scores - top).sum(axis=-1)) + top[..., 0] - scores[..., label]


def losses(
    words: Array,
    pairs: Array,
    batch: Batch,
    *,
    mean: str = "labels",
    counted: Callable[[int], bool] = lambda label: label != IGNORE_INDEX,
    row_of: Callable[[int], int] = lambda b: b,
    scrambled: bool = False,
    twice: str = "",
    empty: str = "",
    flipped: bool = False,
    true_only: bool = False,
    total: tuple[float, float] = (1.0, 1.0),
) -> list[Any]:
    """`[total, mlm, sentence]` of logits [..., B, T, V] and [..., B, 2], leading axes for copies of a model.

    Options: `mean` over "places", "real" tokens, "rows" of row means, or divided by the "batch" size, or "sum";
    `counted`, which labels count; `row_of`, the row whose logits serve row b; `scrambled`, a view in place of a
    transpose; `twice`, softmax before cross-entropy, of "words", "pairs" or both; `empty` "nan", 0/0 where nothing
    is labelled; `flipped` pair labels; `true_only`, label 0 ignored; the weights in `total`.
    """
    n_rows, n_tokens, n_words = words.shape[-3:]
    if scrambled:
        words = np.moveaxis(words.reshape(n_rows, n_words, n_tokens), 1, 2)
    rows: list[list[Any]] = [[] for _ in range(n_rows)]
    for b, t in np.argwhere(np.vectorize(counted)(batch.mlm_labels)):
        label = int(batch.mlm_labels[b, t])
        rows[b].append(cross_entropy(words[..., row_of(b), t, :], label, twice="words" in twice))
    every = [loss for row in rows for loss in row]
    divisors = {
        "places": n_rows * n_tokens,
        "real": int(np.sum(batch.attention_mask)),
        "batch": n_rows,
        "sum": 1,
    }
    mlm = sum(every) / divisors.get(mean, max(len(every), 1))
    if mean == "rows":
        means = [sum(row) / len(row) for row in rows if row]
        mlm = sum(means) / max(len(means), 1)
    if empty == "nan" and not every:
        mlm = math.nan
    sentence: Any = 0.0
    if batch.sentence_labels is not None:
        truth = [(b, int(label)) for b, label in enumerate(batch.sentence_labels) if label or not true_only]
        each = [
            cross_entropy(pairs[..., b, :], 1 - label if flipped else label, twice="pairs" in twice)
            for b, label in truth
        ]
        sentence = sum(each) / (1 if mean == "sum" else max(len(each), 1))
    return [total[0] * mlm + total[1] * sentence, mlm, sentence]


def accuracy(
    logits: Array,
    labels: Any,
    *,
    of: str = "labels",
    best: str = "largest",
    least: int = IGNORE_INDEX + 1,
    empty: str = "",
) -> float:
    """The share of labels whose logit is the largest.

    Options: divided by all "places" or the "rows" mean; unlabelled places "right"; the `best` is the "least"
    or, of two, one "positive"; labels below `least` do not count; `empty` "nan", 0/0 where nothing is labelled.
    """
    if labels is None:
        return 0.0
    right = np.zeros(labels.shape)
    for place in np.ndindex(*labels.shape):
        scores = logits[place]
        guess = (
            int(scores[1] > 0)
            if best == "positive"
            else int(np.argmax(-scores if best == "least" else scores))
        )
        right[place] = guess == labels[place]
    counts = labels >= least
    if of == "right":
        return float(np.where(counts, right, 1.0).mean())
    if of == "rows":
        means = [r[c].mean() for r, c in zip(right, counts, strict=True) if c.any()]
        return float(np.mean(means)) if means else 0.0
    if of == "places":
        return float((right * counts).mean())
    if not counts.any():
        return math.nan if empty == "nan" else 0.0
    return float(right[counts].mean())


def figures(
    case: Case,
    *,
    by: str = "labels",
    in_train: bool = False,
    with_grad: bool = False,
    of: str = "labels",
    pairs_by: str = "pairs",
    seen: slice = slice(None),
    unlabelled: str = "",
    **options: Any,
) -> Evaluation:
    """The evaluation of all batches of a case.

    Options: each batch's means weigh alike (`by` "batches"), by its "rows", or are added up ("sum"); the model was
    `in_train` mode or `with_grad`; accuracies `of` all places; pairs weighted by their batch's "tokens"; only the
    batches in `seen`; 0/0 `unlabelled` "words" or "pairs"; and those of `losses`.
    """
    words, pairs = cases.shifted(case, in_train, with_grad)
    sums, weights = np.zeros((2, 2)), np.zeros(2)
    for batch in case["batches"][seen]:
        at = batch.input_ids[:, 0]
        logits = words[at][:, : batch.input_ids.shape[1]]
        _, mlm, sentence = losses(logits, pairs[at], batch, **options)
        labelled = int((batch.mlm_labels != IGNORE_INDEX).sum())
        paired = 0 if batch.sentence_labels is None else len(at)
        if pairs_by == "tokens":
            paired = labelled if paired else 0
        size = {"batches": (1, 1), "sum": (1, 1), "rows": (len(at), len(at))}.get(by, (labelled, paired))
        shares = accuracy(logits, batch.mlm_labels, of=of), accuracy(pairs[at], batch.sentence_labels)
        sums += np.array(size) * np.array([[mlm, sentence], shares])
        weights += size
    divisors = np.maximum(weights, [name not in unlabelled for name in ("words", "pairs")])
    with np.errstate(invalid="ignore"):
        (mlm, sentence), (right, ordered) = (sums / (1 if by == "sum" else divisors)).tolist()
    return Evaluation(mlm, sentence, mlm + sentence, right, ordered)


def _losses_of(case: Case, **options: Any) -> list[Any]:
    in_train = options.pop("in_train", True)
    words, pairs = cases.shifted(case, in_train)
    return [float(x) for x in losses(words, pairs, case["batch"], **options)]


def _run_loss(subject: Subject, case: Case) -> Any:
    result = subject.call("pretraining_loss", cases.model(subject, case, training=True), case["batch"])
    return cases.plain(result)


def _run_evaluate(subject: Subject, case: Case) -> Any:
    return subject.call("evaluate", cases.model(subject, case, training=True), case["batches"])


def _modes(case: Case, *, after: str = "as before") -> list[list[bool]]:
    """For each entry of `SETTINGS`, whether the words' part and the pairs' part are in train mode after `evaluate`.

    Option: `after` it everything is in "train" or "eval" mode, or in that of the "whole" model before.
    """
    always = {"train": lambda whole: True, "eval": lambda whole: False, "whole": lambda whole: whole}
    return [
        [always.get(after, lambda _, mode=mode: mode)(whole) for mode in (whole, part)]
        for whole, part in SETTINGS
    ]


def _run_modes(subject: Subject, case: Case) -> Any:
    """Told by what the model computes after an evaluation: each part is shifted in train mode."""
    found = []
    for whole, part in SETTINGS:
        model = cases.model(subject, case, training=whole)
        props.change_part(model, cases.PAIR_PART, "train" if part else "eval")
        subject.call("evaluate", model, case["batches"])
        words, pairs = model(case["batches"][0].input_ids[:1, :1])
        still = (case["words"][:1, :1], case["pairs"][:1])
        found.append([not np.allclose(seen, base) for seen, base in zip((words, pairs), still, strict=True)])
    return found


def _accuracy_probe(exercise: str, case: Case) -> Probe:
    return Probe(
        exercise,
        case,
        lambda subject, c: subject.call(exercise, c["logits"], c["labels"]),
        lambda c, **options: accuracy(c["logits"], c["labels"], **options),
    )


def _unlabelled(probe: Probe, case: Case) -> Probe:
    """A probe on a case in which something has no label: only where NaN stands is compared."""
    return replace(probe, case=case, agree=_nan_alike)


def _nan_alike(got: Any, want: Any) -> bool:
    try:
        return np.array_equal(np.isnan(np.asarray(got, float)), np.isnan(np.asarray(want, float)))
    except (TypeError, ValueError):
        return False


def _unpaired(case: Case) -> Case:
    batches = [batch._replace(sentence_labels=None) for batch in case["batches"]]
    return case | {"batches": batches}


LOSS_PROBE = Probe(
    "pretraining_loss",
    cases.loss_case(np.random.default_rng(130), [1, 4, 0, 2], 7),
    _run_loss,
    _losses_of,
)
WORDS_PROBE = _accuracy_probe("mlm_accuracy", cases.words_case())
PAIRS_PROBE = _accuracy_probe("sentence_accuracy", cases.pairs_case())
EVALUATE_PROBE = Probe(
    "evaluate",
    cases.evaluation_case(np.random.default_rng(132), [[1, 4, 0], [2], [5, 3], [0, 1, 1, 1]], 7),
    _run_evaluate,
    figures,
)
UNLABELLED_LOSS_PROBE = _unlabelled(LOSS_PROBE, cases.loss_case(np.random.default_rng(133), [0, 0, 0], 4))
UNLABELLED_WORDS_PROBE = _unlabelled(
    WORDS_PROBE, {"logits": WORDS_PROBE.case["logits"], "labels": np.full((7, 11), IGNORE_INDEX)}
)
UNLABELLED_PAIRS_PROBE = _unlabelled(
    PAIRS_PROBE, {"logits": np.zeros((0, 2)), "labels": np.zeros(0, np.int64)}
)
UNLABELLED_EVALUATE_PROBE = _unlabelled(
    EVALUATE_PROBE, cases.evaluation_case(np.random.default_rng(134), [[0, 0]], 4)
)
UNPAIRED_EVALUATE_PROBE = _unlabelled(EVALUATE_PROBE, _unpaired(EVALUATE_PROBE.case))
MODES_PROBE = Probe(
    "evaluate",
    cases.evaluation_case(np.random.default_rng(135), [[2, 1], [3]], 4) | {"with_grad": 0.0},
    _run_modes,
    _modes,
)
PROBES = (
    LOSS_PROBE,
    UNLABELLED_LOSS_PROBE,
    WORDS_PROBE,
    UNLABELLED_WORDS_PROBE,
    PAIRS_PROBE,
    UNLABELLED_PAIRS_PROBE,
    EVALUATE_PROBE,
    UNLABELLED_EVALUATE_PROBE,
    UNPAIRED_EVALUATE_PROBE,
    MODES_PROBE,
)
