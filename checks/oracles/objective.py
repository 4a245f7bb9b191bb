"""Oracle of lesson 13: losses and accuracies label by label, from logits that the host chose."""

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.judge import Probe, Wrong
from checks.oracles import scripted
from checks.oracles.objective_mistakes import MISTAKES
from checks.subject import Subject, props
from lessons.given.records import IGNORE_INDEX, Batch, Evaluation, PretrainingLoss

__all__ = ["MISTAKES", "PROBES"]

Array = np.ndarray
Case = dict[str, Any]
SHIFT = 0.7


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
    twice: bool = False,
    flipped: bool = False,
    true_only: bool = False,
    total: tuple[float, float] = (1.0, 1.0),
) -> list[Any]:
    """`[total, mlm, sentence]` of logits [..., B, T, V] and [..., B, 2], leading axes for copies of a model.

    Options: `mean` over "places", "real" tokens, "rows" of row means, or divided by the "batch" size, or "sum";
    `counted`, which labels count; `row_of`, the row whose logits serve row b; `scrambled`, a view in place of a
    transpose; `twice`, softmax before cross-entropy; `flipped` pair labels; `true_only`, label 0 ignored; the
    weights in `total`.
    """
    n_rows, n_tokens, n_words = words.shape[-3:]
    if scrambled:
        words = np.moveaxis(words.reshape(n_rows, n_words, n_tokens), 1, 2)
    rows: list[list[Any]] = [[] for _ in range(n_rows)]
    for b, t in np.argwhere(np.vectorize(counted)(batch.mlm_labels)):
        rows[b].append(cross_entropy(words[..., row_of(b), t, :], batch.mlm_labels[b, t], twice=twice))
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
    sentence: Any = 0.0
    if batch.sentence_labels is not None:
        truth = [(b, int(label)) for b, label in enumerate(batch.sentence_labels) if label or not true_only]
        each = [
            cross_entropy(pairs[..., b, :], 1 - label if flipped else label, twice=twice)
            for b, label in truth
        ]
        sentence = sum(each) / (1 if mean == "sum" else max(len(each), 1))
    return [total[0] * mlm + total[1] * sentence, mlm, sentence]


def accuracy(
    logits: Array, labels: Any, *, of: str = "labels", best: str = "largest", least: int = IGNORE_INDEX + 1
) -> float:
    """The share of labels whose logit is the largest.

    Options: divided by all "places" or the "rows" mean; unlabelled places "right"; the `best` is the "least"
    or, of two, one "positive"; labels below `least` do not count.
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
    return float(right[counts].mean()) if counts.any() else 0.0


def figures(
    case: Case,
    *,
    by: str = "labels",
    in_train: bool = False,
    with_grad: bool = False,
    of: str = "labels",
    pairs_by: str = "pairs",
    seen: slice = slice(None),
    **options: Any,
) -> Evaluation:
    """The evaluation of all batches of a case.

    Options: each batch's means weigh alike (`by` "batches"), by its "rows", or are added up ("sum"); the model was
    `in_train` mode or `with_grad`; accuracies `of` all places; pairs weighted by their batch's "tokens"; only the
    batches in `seen`; and those of `losses`.
    """
    words, pairs = shifted(case, in_train, with_grad)
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
    (mlm, sentence), (right, ordered) = (sums / (1 if by == "sum" else np.maximum(weights, 1))).tolist()
    return Evaluation(mlm, sentence, mlm + sentence, right, ordered)


def shifted(case: Case, in_train: bool, with_grad: bool = False) -> tuple[Array, Array]:
    """The case's logits as its model gives them in train mode, or while gradients are recorded."""
    size = case.get("in_train", 0.0) * in_train + case.get("with_grad", 0.0) * with_grad
    return tuple(logits + size * np.arange(logits.shape[-1]) for logits in (case["words"], case["pairs"]))  # type: ignore[return-value]


def model(subject: Subject, case: Case, training: bool = False) -> props.ModuleHandle:
    """The model with the case's logits."""
    settings = {key: case[key] for key in ("crowd", "in_train", "with_grad") if key in case}
    return props.given_logits(subject, case["words"], case["pairs"], training, **settings)


def entries(rng: np.random.Generator, rows: int, tokens: int, scale: float = 2.0) -> Case:
    """Random logits for `rows` entries."""
    words = rng.normal(0, scale, (rows, tokens, rows + 4))
    return {"words": words, "pairs": rng.normal(0, scale, (rows, 2))}


def loss_case(rng: np.random.Generator, labelled: list[int], tokens: int, pairs: bool = True) -> Case:
    """One batch and its logits; the model is in train mode, which shifts them."""
    case = entries(rng, len(labelled), tokens)
    vocab_size = case["words"].shape[-1]
    batch = scripted.batch(rng, labelled, tokens, vocab_size=vocab_size, pairs=pairs, first=0)
    return case | {"batch": batch, "in_train": SHIFT}


def evaluation_case(rng: np.random.Generator, labelled: list[list[int]], tokens: int) -> Case:
    """Several batches of unequal sizes and numbers of labels, half of which are found."""
    case = entries(rng, sum(map(len, labelled)), tokens, scale=1.0)
    vocab_size, first, batches = case["words"].shape[-1], 0, []
    for rows in labelled:
        batch = scripted.batch(rng, rows, tokens, vocab_size=vocab_size, first=first)
        for b, t in np.argwhere(batch.mlm_labels != IGNORE_INDEX):
            case["words"][first + b, t, batch.mlm_labels[b, t]] += 4 * rng.integers(0, 2)
        first += len(rows)
        batches.append(batch)
    return case | {"batches": batches, "in_train": SHIFT, "with_grad": -1.3}


def three(result: Any) -> Any:
    """`[total, mlm, sentence]` as numbers."""
    if not isinstance(result, PretrainingLoss):
        raise Wrong("a PretrainingLoss", repr(result)[:80], "the three losses travel under their names")
    for name, value in zip(result._fields, result, strict=True):
        if not (isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind == "f"):
            raise Wrong("a 0-d tensor", repr(value)[:80], f"{name} is ready for backward")
    return [float(value) for value in result]


def _losses_of(case: Case, **options: Any) -> list[Any]:
    in_train = options.pop("in_train", True)
    words, pairs = shifted(case, in_train)
    return [float(x) for x in losses(words, pairs, case["batch"], **options)]


def _run_loss(subject: Subject, case: Case) -> Any:
    result = subject.call("pretraining_loss", model(subject, case, training=True), case["batch"])
    plain = isinstance(result, PretrainingLoss) and all(np.shape(value) == () for value in result)
    return [float(value) for value in result] if plain else result


def _run_evaluate(subject: Subject, case: Case) -> Any:
    return subject.call("evaluate", model(subject, case, training=True), case["batches"])


def _mlm_case() -> Case:
    rng = np.random.default_rng(131)
    logits = rng.normal(size=(4, 6, 5))
    labels = np.where(rng.random((4, 6)) < 0.6, logits.argmax(-1), rng.integers(0, 5, (4, 6)))
    labels[rng.random((4, 6)) < 0.4] = IGNORE_INDEX
    labels[0, :3] = 0
    logits[0, :2, 0] = 5
    return {"logits": logits, "labels": labels}


def _pair_case() -> Case:
    firsts = np.array([-0.5, -0.4, -1.8, 0.1, 2.3, 2.0, -2.7, -0.4, -0.6])
    seconds = np.array([0.9, -1.0, -1.4, -0.8, 0.0, 0.5, -3.9, 0.0, -0.8])
    labels = np.array([0, 0, 1, 0, 0, 0, 0, 1, 0])
    return {"logits": np.stack([firsts, seconds], axis=-1), "labels": labels}


def _accuracy_probe(exercise: str, case: Case) -> Probe:
    return Probe(
        exercise,
        case,
        lambda subject, c: subject.call(exercise, c["logits"], c["labels"]),
        lambda c, **options: accuracy(c["logits"], c["labels"], **options),
    )


LOSS_PROBE = Probe(
    "pretraining_loss",
    loss_case(np.random.default_rng(130), [1, 4, 0, 2], 7),
    _run_loss,
    _losses_of,
)
WORDS_PROBE = _accuracy_probe("mlm_accuracy", _mlm_case())
PAIRS_PROBE = _accuracy_probe("sentence_accuracy", _pair_case())
EVALUATE_PROBE = Probe(
    "evaluate",
    evaluation_case(np.random.default_rng(132), [[1, 4, 0], [2], [5, 3], [0, 1, 1, 1]], 7),
    _run_evaluate,
    figures,
)
PROBES = (LOSS_PROBE, WORDS_PROBE, PAIRS_PROBE, EVALUATE_PROBE)
