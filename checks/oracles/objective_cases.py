"""Cases of lesson 13: logits that the host chose, batches for them, and what a result must look like."""

from typing import Any

import numpy as np

from checks.judge import Wrong, close, true
from checks.judge.expect import show
from checks.oracles import scripted
from checks.subject import Subject, props
from lessons.given.records import IGNORE_INDEX, Evaluation, PretrainingLoss

Array = np.ndarray
Case = dict[str, Any]
SHIFT = 0.7
PAIR_PART = f"pair_shift.{props.INSIDE}"


def shifted(case: Case, in_train: bool, with_grad: bool = False) -> tuple[Array, Array]:
    """The case's logits as its model gives them in train mode, or while gradients are recorded."""
    size = case.get("in_train", 0.0) * in_train + case.get("with_grad", 0.0) * with_grad
    return tuple(logits + size * np.arange(logits.shape[-1]) for logits in (case["words"], case["pairs"]))


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


def plain(result: Any) -> Any:
    """`[total, mlm, sentence]` as numbers where the result is three 0-d tensors under their names, else as it is."""
    fits = isinstance(result, PretrainingLoss) and all(
        isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind == "f" for value in result
    )
    return [float(value) for value in result] if fits else result


def three(result: Any) -> list[float]:
    """`[total, mlm, sentence]` as numbers; a result of another form is wrong."""
    found = plain(result)
    if type(found) is not list or isinstance(result, list):
        because = (
            "total, mlm and sentence travel under their names, as tensors on which backward can be called"
        )
        raise Wrong("a PretrainingLoss of three 0-d tensors", show(result), because)
    return found


def words_case() -> Case:
    """Logits [7, 11, 5]; of the labelled places about two in three are guessed right, and some labels are 0."""
    rng = np.random.default_rng(131)
    logits = rng.normal(size=(7, 11, 5))
    labels = np.where(rng.random((7, 11)) < 0.6, logits.argmax(-1), rng.integers(0, 5, (7, 11)))
    labels[rng.random((7, 11)) < 0.4] = IGNORE_INDEX
    labels[0, :3] = 0
    logits[0, :2, 0] = 5
    return {"logits": logits, "labels": labels}


def pairs_case() -> Case:
    """Thirteen pairs for which every known mistake gives another share."""
    firsts = np.array([0.4, -0.4, 1.0, -0.9, 0.9, 0.4, -1.4, -1.4, 1.0, -0.2, -1.1, 4.1, 2.0])
    seconds = np.array([-0.6, -0.5, -1.6, 0.8, 0.2, -0.3, -0.2, -0.8, 0.4, 1.2, -1.6, 1.5, 0.7])
    labels = np.array([0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1])
    return {"logits": np.stack([firsts, seconds], axis=-1), "labels": labels}


def expect_losses(got: list[float], want: list[float], because: str, atol: float = 1e-9) -> None:
    """`[total, mlm, sentence]` as wanted."""
    close(np.array(got), np.array(want), f"[total, mlm, sentence]: {because}", atol=atol)


def expect_figures(got: Any, want: Evaluation, because: str) -> None:
    """An `Evaluation` of five plain numbers, as wanted."""
    true(isinstance(got, Evaluation), because, expected="an Evaluation", got=got)
    for name, value in got._asdict().items():
        true(type(value) is float, f"{name} is a plain number", expected="a float", got=value)
    # A model in float64 leaves twelve digits; a sum kept in float32 leaves seven.
    close(np.array(got), np.array(want), f"{', '.join(want._fields)}: {because}", atol=1e-6)
