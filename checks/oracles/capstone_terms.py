"""What must hold of lesson 15's `compare`: facts that follow from its arguments, whatever the training does.

The sentences' lengths are chosen so that the number of tokens read in training tells where the pairs came from: NSP's
negatives from the same place have the true second's length, those from any place mostly have not.
"""

import importlib.util
from functools import cache
from typing import Any

import numpy as np

from checks.curriculum import ROOT
from checks.judge import Probe
from checks.judge.expect import Wrong, is_number, show
from checks.oracles.counting import table
from checks.subject import Subject
from lessons.given.config import ModelConfig
from lessons.given.records import UNK_ID, Evaluation, History, Run

Documents = list[list[list[int]]]
Case = dict[str, Any]

BERT = ModelConfig(vocab_size=40, max_len=32, d_model=8, n_layers=1, n_heads=2, dropout=0.1)
ALBERT = ModelConfig(
    vocab_size=40, max_len=32, d_model=8, d_embedding=4, n_layers=2, n_heads=2, dropout=0.1, sharing="all"
)


def documents(n: int, first: int = 1, second: int = 6, word: int = 0) -> Documents:
    """`n` documents of two sentences of these lengths; all of one `word`, or of words that come and go."""
    found, k = [], 0
    for _ in range(n):
        sentences = []
        for length in (first, second):
            sentences.append([word or 5 + 7 * (k := k + 1) % 35 for _ in range(length)])
        found.append(sentences)
    return found


def case(configs: dict[str, ModelConfig], **changes: Any) -> Case:
    """The arguments of a small comparison: 16 pairs of 10 tokens, two epochs of four batches."""
    terms = {"steps": 8, "batch_size": 4, "lr": 0.01, "max_len": 24, "seed": 5}
    return {"configs": configs, "train": documents(16), "held_out": documents(8)} | terms | changes


def compared(subject: Subject, asked: Case, under: int | None = None) -> dict[str, Run]:
    """The runs of a comparison, whose form is right; `under` is the global seed."""
    runs = _called(subject, asked, under)
    if complaint := misshapen(runs, list(asked["configs"])):
        raise Wrong(complaint, show(runs), "engine.train makes a run, for each configuration in order")
    return runs


def seen(subject: Subject) -> dict[str, Any]:
    """The facts of the comparison that several checks look at."""
    found = TERMS_PROBE(subject, TERMS)
    if "form" in found:
        raise Wrong(
            found["form"], "something else", "engine.train makes a run, for each configuration in order"
        )
    return found


def _called(subject: Subject, asked: Case, under: int | None = None) -> Any:
    terms = {key: value for key, value in asked.items() if key not in ("configs", "train", "held_out")}
    args = (asked["configs"], asked["train"], asked["held_out"])
    if under is None:
        return subject.call("compare", *args, **terms)
    return subject.call_under(under, "compare", *args, **terms)


def misshapen(runs: Any, names: list[str]) -> str:
    """What should have come instead; "" where there is a run for each name, in order, with all its figures."""
    if type(runs) is not dict or list(runs) != names or any(type(run) is not Run for run in runs.values()):
        return f"a dict with a Run for each of {', '.join(names)}, in this order"
    for name, run in runs.items():
        kinds = [type(run.history), type(run.settings), type(run.steps), type(run.evaluations)]
        if kinds != [History, dict, list, list] or not run.evaluations:
            return f"steps, a history, evaluations and settings in the run of {name}"
        entries = [run.history, *run.evaluations]
        if (
            any(type(entry) is not Evaluation for entry in run.evaluations)
            or type(run.history.mlm_loss) is not list
        ):
            return f"losses and accuracies in the run of {name}"
        numbers = [
            *run.history.mlm_loss,
            *(x for entry in entries[1:] for x in entry),
            run.tokens_per_second,
            run.seconds,
        ]
        if not run.history.mlm_loss or not all(is_number(x) and np.isfinite(x) for x in numbers):
            return f"finite numbers in the run of {name}"
    return ""


def tokens(run: Run) -> int:
    """How many tokens were read in training."""
    return round(run.tokens_per_second * run.seconds)


def figures(run: Run) -> list[Any]:
    """All losses and accuracies of a run."""
    return [*run.history, *([list(evaluation) for evaluation in run.evaluations])]


def facts(subject: Subject, asked: Case) -> dict[str, Any]:
    """What a comparison shows of its terms, in plain values; looked at once for a subject."""
    if asked is not TERMS:
        return _facts(subject, asked)
    if "terms" not in subject.cache:
        subject.cache["terms"] = _facts(subject, asked)
    return subject.cache["terms"]


def _facts(subject: Subject, asked: Case) -> dict[str, Any]:
    runs = _called(subject, asked)
    if complaint := misshapen(runs, list(asked["configs"])):
        return {"form": complaint}
    train, held_out = fingerprint(asked["train"]), digest(asked["held_out"], asked["max_len"], asked["seed"])
    sets = [run.settings.get("held_out") for run in runs.values()]
    other = "one for each" if len(set(sets)) == len(sets) else "other"
    one, two = runs["ALBERT"], runs["ALBERT again"]
    return {
        "names": [run.name for run in runs.values()],
        "tasks": [run.settings.get("task") for run in runs.values()],
        "configs": [run.config for run in runs.values()] == list(asked["configs"].values()),
        "parameters": [run.parameters for run in runs.values()],
        "training data": [run.settings.get("training_data") for run in runs.values()] == [train] * len(runs),
        "held-out": "right" if sets == [held_out] * len(sets) else other,
        "tokens": {name: _said(run, asked) for name, run in runs.items()},
        "starts": abs(one.evaluations[0].mlm_loss - two.evaluations[0].mlm_loss) < 1e-9,
        "pairs": list(one.history) == list(two.history),
    }


def expected(
    asked: Case,
    *,
    rule: str = "start",
    tasks: str = "",
    projection: str = "factorized",
    held_out: str = "right",
    nsp_tokens: str = "as planned",
    starts: bool = True,
    pairs: bool = True,
) -> dict[str, Any]:
    """The facts as they should be.

    Options: the `rule` that finds "ALBERT" "anywhere" in a name; `tasks` the same for all; `projection` "everywhere";
    `held_out` "one for each"; `nsp_tokens` "other" where NSP's pairs have other lengths; False where two
    ALBERTs have not equal `starts` or `pairs`.
    """
    configs = asked["configs"]
    albert = [name.startswith("ALBERT") or (rule == "anywhere" and "ALBERT" in name) for name in configs]
    wanted = ["sop" if is_albert else "nsp" for is_albert in albert]
    counted = zip(configs.values(), albert, strict=True)
    return {
        "names": list(configs),
        "tasks": [tasks] * len(wanted) if tasks else wanted,
        "configs": True,
        "parameters": [
            table(config, is_albert or projection == "everywhere") for config, is_albert in counted
        ],
        "training data": True,
        "held-out": held_out,
        "tokens": {
            name: "as planned" if is_albert else nsp_tokens
            for name, is_albert in zip(configs, albert, strict=True)
        },
        "starts": starts,
        "pairs": starts and pairs,
    }


def fingerprint(documents: Documents) -> str:
    """The name that the engine gives to training data."""
    return _given().fingerprint(documents)


def digest(documents: Documents, max_len: int, seed: int) -> str:
    """The name that the engine gives to the held-out set drawn from these documents."""
    return _given().held_out_set(documents, max_len, seed).digest


@cache
def _given() -> Any:
    """The engine's held-out module alone: the package would import torch."""
    path = ROOT / "lessons" / "given" / "engine" / "held_out.py"
    spec = importlib.util.spec_from_file_location("litebert_held_out", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _said(run: Run, asked: Case) -> str:
    planned = asked["steps"] * asked["batch_size"] * (3 + sum(map(len, asked["train"][0])))
    return "as planned" if tokens(run) == planned else "other"


# One word can be hidden in each held-out pair, and the rate is too small to change a weight: so all evaluations of a
# model are equal, and depend on its start alone.
STILL: Case = {"held_out": [[[7], [UNK_ID]]] * 16, "lr": 1e-12}
TERMS = case(
    {
        "ALBERT": ALBERT,
        "BERT": BERT,
        "ALBERT again": ALBERT,
        "no ALBERT": BERT,
        "ALBERT of BERT's sizes": BERT,
    },
    **STILL,
)
TERMS_PROBE = Probe("compare", TERMS, facts, expected)
