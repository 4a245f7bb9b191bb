"""The parts of the experiments: statistics, probes, slots, shaped datasets, readings."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import one_hot

from checks.curriculum import ROOT
from checks.experiments.findings import Claim, paragraph
from checks.experiments.form import FORMS
from checks.experiments.lab import Lab
from checks.experiments.material import material
from checks.experiments.probe import logistic_accuracy
from checks.experiments.reading import read_run, sits_at
from checks.experiments.shape import Shaped
from checks.experiments.slots import hidden_places, slot_losses
from checks.experiments.spec import albert
from checks.experiments.statistics import T_975, alike, at_chance, difference, estimate, larger
from lessons.given.config import ModelConfig
from lessons.given.records import IGNORE_INDEX, MASK_ID, Evaluation, Example, History, Run
from solutions import masking
from solutions.datasets import ALBERTDataset

TOY = FORMS["toy"]
LINES = {"ln V": 5.02, "unigram": 3.87, "slot-unigram": 1.82, "floor": 0.87}


@pytest.mark.parametrize("df", [1, 2, 5, 20])
def test_the_table_of_t_is_right(df: int) -> None:
    """The density integrated from -t to t by the trapezoid rule gives 0.95."""
    t = T_975[df - 1]
    x = np.linspace(-t, t, 200_001)
    norm = math.gamma((df + 1) / 2) / (math.sqrt(df * math.pi) * math.gamma(df / 2))
    y = norm * (1 + x**2 / df) ** (-(df + 1) / 2)
    assert ((y[1:] + y[:-1]) / 2 * np.diff(x)).sum() == pytest.approx(0.95, abs=1e-4)


def test_an_interval_covers_the_mean_about_19_times_in_20() -> None:
    rng = np.random.default_rng(0)
    found = [estimate(list(rng.normal(3.0, 1.0, size=4))) for _ in range(4000)]
    inside = np.mean([abs(one.mean - 3.0) <= (one.half or 0) for one in found])
    assert inside == pytest.approx(0.95, abs=0.015)


def test_one_seed_has_no_interval_and_none_is_an_error() -> None:
    assert estimate([1.25]).text(2) == "1.25"
    assert estimate([1.25]).half is None
    with pytest.raises(ValueError, match="got none"):
        estimate([])


def test_a_difference_counts_beyond_the_margin_or_outside_the_interval() -> None:
    assert larger([1.5], [1.0], 0.02) == "yes"
    assert larger([1.0], [1.5], 0.02) == "no"
    assert larger([1.01], [1.0], 0.02) == "open"
    assert (
        larger([1.01, 1.11, 1.21], [1.0, 1.1, 1.2], 0.02) == "yes"
    )  # paired: each seed is larger by as much
    assert larger([1.0, 2.0], [1.2, 1.2], 0.02) == "open"
    assert difference([2.0, 4.0], [1.0, 2.0]).mean == 1.5
    assert [alike([1.0], [b], 0.05) for b in (1.02, 1.2)] == ["yes", "no"]
    assert [at_chance([a], 1024) for a in (0.52, 0.6)] == ["yes", "no"]


def test_the_paragraph_sorts_claims_by_what_became_of_them() -> None:
    claims = [
        Claim("water is wet", "yes", "1.0"),
        Claim("fire is cold", "no", "0.1"),
        Claim("all is one", "open", "?"),
    ]
    text = paragraph(claims)
    assert text.index("Reproduced here: water is wet (1.0).") < text.index(
        "Not reproduced here: fire is cold (0.1)."
    )
    assert text.endswith("within the noise): all is one (?).")


def test_a_probe_finds_what_is_there_and_nothing_where_nothing_is() -> None:
    rng = np.random.default_rng(1)
    x, test = rng.normal(size=(2000, 16)), rng.normal(size=(2000, 16))
    direction = rng.normal(size=16)
    labels, wanted = ((side @ direction > 0).astype(int) for side in (x, test))
    assert logistic_accuracy(3 * x + 5, labels, 3 * test + 5, wanted) > 0.97
    assert abs(logistic_accuracy(x, rng.integers(0, 2, 2000), test, rng.integers(0, 2, 2000)) - 0.5) < 0.05
    assert logistic_accuracy(np.zeros((20, 3)), labels[:20], np.zeros((4, 3)), np.ones(4)) in (0.0, 1.0)


def test_hidden_places_fall_on_the_slots_of_their_words() -> None:
    """Restated by the words themselves: the kind of slot of a word is known from where it stands in the world."""
    read = material(albert(TOY, 0, sentences=(1, 2), max_len=48), ROOT / "solutions", 12)
    rows, slots = hidden_places(read.data.held_out.true)
    counted = np.zeros_like(read.ideal.hidden)
    np.add.at(counted, (rows, slots), 1)
    assert (counted == read.ideal.hidden).all()


class Reader(nn.Module):
    """Says with near certainty what stands in its input, and everything alike at [MASK]."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(40.0))
        self.vocab_size = vocab_size

    def forward(self, input_ids: torch.Tensor, segment_ids: torch.Tensor, mask: torch.Tensor) -> tuple:
        seen = one_hot(input_ids, self.vocab_size).float() * self.scale
        return seen * (input_ids != MASK_ID)[..., None], seen[:, 0]

    def mlm_logits(self, hidden: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        return hidden.flatten(0, 1)[positions]


def test_a_leak_is_below_the_floor_and_an_ignorant_reader_far_above() -> None:
    read = material(albert(TOY, 0), ROOT / "solutions", 12)
    pairs, reader = read.data.held_out.true, Reader(read.data.vocab_size)
    honest = slot_losses(reader, pairs, read.ideal)
    assert honest.deviations > 4
    assert honest.loss["noun"] == pytest.approx(math.log(read.data.vocab_size), abs=1e-5)
    shown = [p._replace(input_ids=np.where(p.labels == IGNORE_INDEX, p.input_ids, p.labels)) for p in pairs]
    leaked = slot_losses(reader, shown, read.ideal)
    assert leaked.deviations < -4
    assert leaked.over_floor == pytest.approx(-read.ideal.floor, abs=1e-5)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_trained_model_beats_the_floor_or_finds_an_order_that_is_not_there(
    seed: int, tmp_path: Path
) -> None:
    """On the control corpus, whose best SOP accuracy is one half; long enough to leave the unigram line."""
    from checks.experiments import control

    form = replace(TOY, d_model=32, n_heads=4, d_embedding=32, batch_size=32, lr=3e-3, held_out_pairs=256)
    form = replace(form, control_steps=60)
    lab = Lab(form, ROOT / "solutions", tmp_path, "cpu", [seed], 0, say=lambda text: None)
    wanted = {"ALBERT, SOP": control.runs(lab)["ALBERT, SOP"]}
    results, _ = lab.train(wanted, with_tasks=False)
    (result,) = results["ALBERT, SOP"]
    assert result.mlm < result.run.settings["lines"]["unigram"]
    assert result.run.settings["bayes"]["sop"] == pytest.approx(0.5)
    assert result.measures["slots"]["deviations"] > -4
    assert abs(result.run.evaluations[-1].sentence_accuracy - 0.5) < 4 * 0.5 / math.sqrt(256)


def test_shaped_examples_keep_the_words_and_change_what_they_should() -> None:
    read = material(albert(TOY, 0), ROOT / "solutions", 12)

    def shaped(**changes: Any) -> Shaped:
        dataset = ALBERTDataset(read.data.train, read.data.vocab_size, 32, 0)
        return Shaped(dataset, albert(TOY, 0, **changes), read.data.vocab_size, masking)

    def original(example: Example) -> list[int]:
        return np.where(example.mlm_labels == IGNORE_INDEX, example.input_ids, example.mlm_labels).tolist()

    plain, spans, still = shaped(), shaped(ngrams=True), shaped(static=True)
    none = Shaped(plain.dataset, albert(TOY, 0, "none"), read.data.vocab_size, masking)
    assert none[3].sentence_label is None
    assert all(original(spans[i]) == original(plain[i]) for i in range(5))
    assert all((spans[i].mlm_labels != IGNORE_INDEX).sum() == round(0.15 * 18) for i in range(5))
    first = [still[i].mlm_labels.tolist() for i in range(20)]
    for dataset in (plain, spans, still):
        dataset.set_epoch(1)
    assert [still[i].mlm_labels.tolist() for i in range(20)] == first
    assert [plain[i].mlm_labels.tolist() for i in range(20)] != first


def a_run(losses: list[float], accuracy: float = 0.9) -> Run:
    """A run with these held-out losses, evaluated every 100 steps."""
    evaluations = [Evaluation(loss, 0.5, loss + 0.5, 0.4, accuracy) for loss in losses]
    steps = [1, *(100 * k for k in range(1, len(losses)))]
    settings = {"lines": LINES, "task": "sop"}
    return Run(
        "ALBERT",
        ModelConfig(vocab_size=152),
        {},
        steps,
        History(losses, losses, losses),
        evaluations,
        settings,
        1.0,
        1.0,
    )


def test_a_run_that_does_not_learn_is_read_for_the_learner() -> None:
    stuck = read_run(a_run([5.0, 3.0, 2.4, 1.84, 1.83, 1.82], 0.5))
    assert "sits at the slot unigram line (1.82) since step 300; likely: learning rate" in stuck
    assert "unigram line (3.87)" in read_run(a_run([5.0, 3.9, 3.9, 3.88]))
    assert read_run(a_run([5.0, 2.0, 1.3, 1.2])) == ""
    assert "still at chance" in read_run(a_run([5.0, 2.0, 1.3, 1.2], 0.51))
    assert "too few steps" in read_run(a_run([5.0, 3.4, 3.0, 2.7]))
    assert "exchanged" in read_run(a_run([5.0, 1.3, 1.2], 0.9), "swapped labels")
    assert sits_at([1, 100], [5.0, 1.3], LINES) is None
