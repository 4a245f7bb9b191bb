"""Cases of lesson 14: models, batches and gradients left behind, and what a result must look like."""

from typing import Any

import numpy as np

from checks.judge import Wrong, close, equal, true
from checks.judge.expect import show
from checks.judge.naming import agree
from checks.oracles import scripted
from checks.oracles.blocks import Weights
from checks.subject import Subject, props
from lessons.given.records import History

Case = dict[str, Any]
SHIFT = 0.4
SHIFT_PART = f"shift.{props.INSIDE}"


def model(subject: Subject, case: Case, training: bool = False) -> props.ModuleHandle:
    """The scripted model of a case."""
    return props.scripted_model(subject, case["weights"], shift=SHIFT, training=training)


def state(handle: props.ModuleHandle, names: Any) -> Weights:
    """The named weights as they are now."""
    found = handle.state()
    return {name: found[name] for name in names}


def near(got: Any, want: Any) -> bool:
    """As `agree`, the history within 1e-5: it may be kept in float32."""
    lists = (
        isinstance(got, list) and len(got) == 2 and isinstance(got[0], list) and len(got[0]) == len(want[0])
    )
    try:
        return lists and agree(got[1], want[1]) and bool(np.allclose(got[0], want[0], rtol=1e-5, atol=1e-5))
    except (TypeError, ValueError):
        return False


def expect_losses(got: Any, want: list[list[float]], because: str) -> None:
    """`[total, mlm, sentence]` of each step."""
    for index, (found, wanted) in enumerate(zip(got, want, strict=True)):
        if type(found) is not list:
            raise Wrong(
                "a PretrainingLoss of three 0-d tensors", show(found), "so they travel, under their names"
            )
        # A clipped step may differ by the 1e-6 that torch adds to the norm.
        close(
            np.array(found), np.array(wanted), f"[total, mlm, sentence] of step {index}: {because}", atol=1e-6
        )


def expect_weights(got: Weights, want: Weights, because: str) -> None:
    """Trained weights equal the replayed ones.

    1e-6 leaves room for the 1e-6 that torch adds to the norm when it clips.
    """
    for name, array in want.items():
        off = np.abs(got[name] - array).max()
        if not off <= 1e-6:
            worst = np.unravel_index(np.abs(got[name] - array).argmax(), array.shape)
            place = f"{name}[{', '.join(str(int(i)) for i in worst)}]"
            raise Wrong(f"{place} = {array[worst]:.7g} after training", f"{got[name][worst]:.7g}", because)


def groups_case(layers: bool = True) -> Case:
    """A tied table, frozen parameters, parameters of none to four dimensions, a matrix of one row.

    With `layers`, also a layer used twice, and another one whose parts have the same names.
    """
    named, same = props.parts(scripted.VOCAB, scripted.WIDTH), dict(props.TIED)
    named |= {"encoder.score": ["Linear", 3, 1]}
    if layers:
        named |= {
            "encoder.layers.0.attention.query": ["Linear", 3, 3],
            "encoder.layers.0.attention_norm": ["LayerNorm", 3],
            "encoder.layers.2.attention.query": ["Linear", 3, 3],
            "encoder.layers.2.feed_forward.expand": ["Linear", 3, 5],
            "encoder.layers.2.feed_forward_norm": ["LayerNorm", 3],
        }
        same |= {"encoder.layers.1": "encoder.layers.0"}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (kind, *sizes) in named.items():
        shapes[f"{name}.weight"] = tuple(sizes if kind == "Embedding" else sizes[::-1])
        if kind != "Embedding":
            shapes[f"{name}.bias"] = tuple(sizes[-1:])
    named |= {"encoder.mix": ["Conv1d", 3, 2, 5], "encoder.patch": ["Conv2d", 3, 2, 5]}
    named |= {"encoder.scale": ["Scalar"]}
    shapes |= {"encoder.mix.weight": (2, 3, 5), "encoder.mix.bias": (2,)}
    shapes |= {"encoder.patch.weight": (2, 3, 5, 5), "encoder.patch.bias": (2,), "encoder.scale.bias": ()}
    frozen = ["pooler.dense.weight", "pooler.dense.bias"]
    repeated = [f"{props.WORD}.weight"] + [name for name in shapes if layers and "layers.0" in name]
    del shapes[f"{props.DECODER}.weight"]
    case = {"parts": named, "same": same, "shapes": shapes, "repeated": repeated, "frozen": frozen}
    return case | {"weight_decay": 0.3}


def matrices_case() -> Case:
    """Two tables and nothing else: every parameter is a matrix."""
    named = {props.WORD: ["Embedding", 5, 3], "embeddings.segment": ["Embedding", 2, 3]}
    shapes = {f"{name}.weight": tuple(sizes) for name, (_, *sizes) in named.items()}
    case = {"parts": named, "same": {}, "shapes": shapes, "repeated": [], "frozen": []}
    return case | {"weight_decay": 0.2}


def steps_case(seed: int, max_norm: float = 1.2) -> Case:
    """Four batches, one without labels; an optimiser that does not hold the pooler; gradients left behind."""
    rng = np.random.default_rng(seed)
    weights = scripted.weights(rng)
    held = [name for name in weights if not name.startswith("pooler")]
    batches = [scripted.batch(rng, labelled, 5) for labelled in ([2, 1], [4], [0, 0], [0, 1, 4])]
    stale = {name: rng.normal(size=array.shape) for name, array in weights.items()}
    case = {"weights": weights, "held": held, "batches": batches, "stale": stale}
    return case | {"max_norm": max_norm, "lr": 0.3, "training": True}


def training_case(seed: int, n_epochs: int = 3, max_norm: float = 2.5, unpaired: bool = True) -> Case:
    """Epochs of three batches, different in each epoch, unequal in rows and labels.

    If `unpaired`, the second has no pair labels.
    """
    rng = np.random.default_rng(seed)
    weights = scripted.weights(rng)
    labelled = ([2, 1], [4], [0, 1, 1])
    epochs = [[scripted.batch(rng, rows, 5) for rows in labelled] for _ in range(n_epochs + 1)]
    for epoch in epochs if unpaired else []:
        epoch[1] = epoch[1]._replace(sentence_labels=None)
    case = {"weights": weights, "epochs": epochs, "n_epochs": n_epochs}
    return case | {"lr": 0.02, "weight_decay": 0.5, "warmup": 0.4, "max_norm": max_norm}


def expect_groups(got: Any, want: list[Case], because: str) -> None:
    """Two groups, the names of their parameters in any order."""
    true(isinstance(got, list) and len(got) == 2, because, expected="two groups in a list", got=got)
    for group, wanted, which in zip(got, want, ("first", "second"), strict=True):
        keys = sorted(group) if isinstance(group, dict) else group
        equal(keys, ["params", "weight_decay"], "a group has these two keys: all else is the optimiser's")
        rate = wanted["weight_decay"]
        close(group["weight_decay"], rate, f"the {which} group decays by {rate:g}")
        equal(sorted(group["params"]), wanted["params"], because)


def expect_history(history: Any, want: list[list[float]], because: str) -> None:
    """A `History` of plain numbers, as wanted."""
    true(isinstance(history, History), because, expected="a History", got=history)
    for name, values, wanted in zip(History._fields, history, want, strict=True):
        plain = isinstance(values, list) and all(type(value) is float for value in values)
        true(plain, f"{name} has a plain number for each epoch", expected="a list of floats", got=values)
        # A mean kept in float32 has seven digits.
        close(np.array(values), np.array(wanted), f"{name}: {because}", atol=1e-5, rtol=1e-5)


def expect_epochs(history: Any, n_epochs: int) -> None:
    """A `History` with signs of life: three losses above 0 for each epoch."""
    true(isinstance(history, History), "training tells how it went", expected="a History", got=history)
    alive = all(
        isinstance(v, list) and len(v) == n_epochs and all(type(x) is float and x > 0 for x in v)
        for v in history
    )
    true(alive, "three losses for each epoch", expected=f"{n_epochs} numbers above 0 each", got=history)
