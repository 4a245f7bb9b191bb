"""The notebook for Kaggle and Colab: it is what its source makes, and its cells run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from checks.cli.notebook import command
from checks.curriculum import ROOT
from checks.experiments.notebook import PATH, difference, notebook_text


def test_the_notebook_is_what_its_source_makes() -> None:
    assert difference() == ""
    assert "FORM" in PATH.read_text(encoding="utf-8")


def test_a_changed_notebook_is_found_and_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "my.ipynb"
    path.write_text(notebook_text().replace("BERT", "BART"), encoding="utf-8")
    result = CliRunner().invoke(command, ["--check", "--out", str(path)])
    assert result.exit_code == 1
    assert "differs" in result.output
    assert CliRunner().invoke(command, ["--out", str(path)]).exit_code == 0
    assert CliRunner().invoke(command, ["--check", "--out", str(path)]).exit_code == 0


def test_its_form_is_a_notebook_of_version_4_with_unique_cells() -> None:
    plain = json.loads(notebook_text())
    assert (plain["nbformat"], plain["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in plain["cells"]}) == len(plain["cells"])
    assert all(cell["outputs"] == [] for cell in plain["cells"] if cell["cell_type"] == "code")


@pytest.mark.skipif(not (ROOT / "solutions").is_dir(), reason="trains the reference")
def test_the_cells_run_in_order_at_toy_size(tmp_path: Path) -> None:
    """As a fresh process would: one namespace, no Jupyter."""
    cells = [cell for cell in json.loads(notebook_text())["cells"] if cell["cell_type"] == "code"]
    script = tmp_path / "cells.py"
    script.write_text("\n\n".join("".join(cell["source"]) for cell in cells), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LITEBERT_FORM": "toy", "OMP_NUM_THREADS": "1",
                   "LITEBERT_OUT": str(tmp_path / "runs")}  # fmt: skip
    call = [sys.executable, "-W", "error::UserWarning", str(script)]
    done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "form toy, device cpu" in done.stdout
    assert all(
        (tmp_path / "runs" / f"{name}-toy" / "report.html").exists() for name in ("main", "objective", "cost")
    )
    assert "What each model has learnt" in done.stdout
