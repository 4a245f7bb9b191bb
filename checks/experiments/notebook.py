"""The notebook for Kaggle and Colab, made from this file: the GPU capstone in under half an hour."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from checks.curriculum import ROOT
from checks.experiments import EXPERIMENTS

PATH = ROOT / "docs" / "notebook" / "capstone.ipynb"
SHOWN = ("main", "objective", "cost")


class Cell(NamedTuple):
    """One cell: `kind` is "markdown" or "code"."""

    kind: str
    source: str


INTRODUCTION = """# BERT and ALBERT side by side

This notebook runs the course's capstone on a free GPU: about 20 minutes on a T4 or P100, and less on a newer one.
On Kaggle choose *Accelerator: GPU* and switch *Internet* on; in Colab choose *Runtime: Change runtime type: GPU*.
Without a GPU it takes the quick form, about 10 minutes an experiment on two cores.

What is asked:

{questions}

Every figure that is compared comes from one held-out set, with `[MASK]` at the same places for all models, and is
read against a computable optimum: the stories come from a world in which the best possible loss is known.
"""

SETUP = """# The project: upload its folder, or set LITEBERT_SOURCE to the address of a clone.
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

if importlib.util.find_spec("checks") is None:
    folder = next((path.parent for path in Path.cwd().glob("*/checks") if path.is_dir()), None)
    if folder is None:
        source = os.environ.get("LITEBERT_SOURCE")
        if not source:
            raise SystemExit("Upload the project's folder, or set LITEBERT_SOURCE in a cell above.")
        folder = Path("litebert")
        subprocess.run(["git", "clone", "--depth", "1", source, str(folder)], check=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "-e", str(folder)], check=True)
    sys.path.insert(0, str(folder.resolve()))
"""

PARAMETERS = """import torch

from checks.cli.capstone import subject_root
from checks.experiments.display import show
from checks.experiments.form import FORMS
from checks.experiments.lab import Lab, run_experiment

GPU = torch.cuda.is_available()
FORM = os.environ.get("LITEBERT_FORM") or ("notebook" if GPU else "quick")
SEEDS = [0]  # more seeds give intervals, and take so much longer
OUT = Path(os.environ.get("LITEBERT_OUT", "runs"))

lab = Lab(
    form=FORMS[FORM],
    root=subject_root(None),  # your own lessons: subject_root("lessons")
    out=OUT.resolve(),
    device="cuda" if GPU else "cpu",
    seeds=SEEDS,
    at_once=0 if FORM == "toy" else 1 if GPU else 2,
)
print(f"form {FORM}, device {lab.device}, subject {lab.root.name}")
"""

EXPERIMENT = """report, outcome = run_experiment("{name}", lab)
assert report is not None, outcome.failed or "stopped; run the cell again to go on"
show(report, lab, "{name}")
"""

TEXTS = {
    "main": """## Equal in what?

ALBERT of BERT's shape stores less and computes as much. With as many parameters as BERT it is wider, and a step costs
more. Before you look: which of the two do you expect to be ahead of BERT, at equal steps and at equal time?
""",
    "objective": """## What does a sentence task teach?

After training without a sentence task, with NSP and with SOP, each model is asked both tasks: by its own head, and by
a fresh probe on its pooled output. The paper's Table 5 says that NSP teaches nothing of order. Runs that the last
experiment made are used again.
""",
    "cost": """## What does it cost?

Fewer parameters are a smaller file and a smaller optimiser. Are they less arithmetic, less memory for activations,
less time?
""",
}

ENDING = """## Ask your own question

A run is a line: change one thing, and compare it with what is there. The per-slot losses say *which* dependency of a
story a model has learnt, which one loss cannot.
"""

OWN = """from checks.experiments.common import common_sections
from checks.experiments.spec import albert

wanted = {
    "E of the form": lab.each_seed(lambda seed: albert(lab.form, seed)),
    "half of it": lab.each_seed(lambda seed: albert(lab.form, seed, d_embedding=lab.form.d_embedding // 2)),
}
results, outcome = lab.train(wanted, with_tasks=False)
for section in common_sections(lab, results)[1:2]:
    print(section.title, *section.text, sep="\\n")
"""


def cells() -> list[Cell]:
    """The notebook's cells in order."""
    questions = "\n".join(f"* **{name}**: {EXPERIMENTS[name]}" for name in SHOWN)
    made = [
        Cell("markdown", INTRODUCTION.format(questions=questions)),
        Cell("code", SETUP),
        Cell("code", PARAMETERS),
    ]
    for name in SHOWN:
        made += [Cell("markdown", TEXTS[name]), Cell("code", EXPERIMENT.format(name=name))]
    return [*made, Cell("markdown", ENDING), Cell("code", OWN)]


def notebook_text() -> str:
    """The notebook as its file holds it; without outputs, and equal whenever it is made."""
    plain: dict[str, Any] = {
        "cells": [_plain(k, cell) for k, cell in enumerate(cells())],
        "metadata": {
            "accelerator": "GPU",
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def _plain(number: int, cell: Cell) -> dict[str, Any]:
    lines = cell.source.strip().splitlines(keepends=True)
    plain: dict[str, Any] = {"cell_type": cell.kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
    return plain | ({"execution_count": None, "outputs": []} if cell.kind == "code" else {})


def difference(path: Path = PATH) -> str:
    """What is wrong with the file, or "" if it is what `notebook_text` makes."""
    if not path.exists():
        return f"{path} is missing"
    return "" if path.read_text(encoding="utf-8") == notebook_text() else f"{path} differs from its source"
