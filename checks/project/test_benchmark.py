"""The benchmark at toy size: it compares equal work, refuses unequal work, and writes what pages read."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner

pytest.importorskip("transformers")

from checks.benchmark import rounds as timing
from checks.benchmark.agree import difference
from checks.benchmark.masking import collator, compare_masking
from checks.benchmark.sides import ATTENTIONS, Theirs, Way, engine_side
from checks.benchmark.sizes import SIZES, as_the_engine_cuts, full_batch
from checks.benchmark.training import Work, compare, pairs_of, unread_flops, whole_flops
from checks.cli.benchmark import chosen_worlds, command
from checks.site.results import load, look_up
from checks.subject.world import World
from lessons.given import corpora
from lessons.given.engine import batches
from lessons.given.records import IGNORE_INDEX, MASK_ID
from solutions.counting import forward_flops

TOY = SIZES["toy"]
MODELS = ("BERT", "ALBERT")


@pytest.fixture(autouse=True)
def quick_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A matrix product that takes no time."""
    monkeypatch.setattr(timing, "SQUARES", {"cpu": (64, 128)})
    monkeypatch.setattr(timing, "FLOPS", {"cpu": 1e7})


@pytest.fixture(scope="module")
def world() -> World:
    """The reference."""
    return chosen_worlds("solutions")["reference"]


def sides(world: World, model: str, attention: str, way: Way) -> tuple[Any, Theirs]:
    """Both sides at equal weights."""
    ours = engine_side(world, TOY.config(model), TOY.batch_size, way)
    weights = {name: value.clone() for name, value in ours.model.state_dict().items()}
    return ours, Theirs(weights, TOY.config(model), attention, way)


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("model", MODELS)
def test_both_sides_compute_the_same_loss_and_gradients(
    world: World, model: str, precision: str, attention: str
) -> None:
    """On full sequences and on padded ones."""
    ours, theirs = sides(world, model, attention, Way(precision=precision))
    _, work = pairs_of(world, corpora.toy(), TOY._replace(vocab_size=20), model, batches=2)
    padded = next(part for part in work.theirs if not part.full)
    for part in (full_batch(TOY), padded):
        difference(ours, theirs, part)


@pytest.mark.parametrize("what", ["weight", "label"])
def test_unequal_work_is_refused_before_a_time_is_taken(
    world: World, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A weight that differs by a hundredth, or labels the wrong way round."""
    ours, theirs = sides(world, "BERT", "eager", Way())
    part = full_batch(TOY)
    if what == "weight":
        with torch.no_grad():
            ours.model.get_parameter("mlm_head.dense.weight")[0, 0] += 0.01
    else:
        loss = theirs.loss
        labels: Any = part.batch.sentence_labels
        wrong = part._replace(batch=part.batch._replace(sentence_labels=1 - labels))
        monkeypatch.setattr(theirs, "loss", lambda part: loss(wrong))
    with pytest.raises(ValueError, match="do not compute the same"):
        difference(ours, theirs, part)


def test_both_sides_still_agree_after_training_steps(world: World) -> None:
    """Equal steps on both sides, but for the engine's warm-up of the rate, which is set equal here."""
    ours, theirs = sides(world, "ALBERT", "sdpa", Way())
    part = full_batch(TOY)
    ours.step = ours.plan.warmup_steps
    for group in theirs.optimizer.param_groups:
        group.update(betas=ours.plan.betas, eps=ours.plan.eps, weight_decay=0.0)
    for group in ours.optimizer.param_groups:
        group["weight_decay"] = 0.0
    for _ in range(3):
        ours.update([part])
        theirs.steps([part])()
    assert difference(ours, theirs, part).loss < 1e-5


@pytest.mark.parametrize("model", MODELS)
def test_the_pairs_of_a_corpus_are_the_same_on_both_sides_with_less_padding_on_ours(
    world: World, model: str
) -> None:
    """Row for row the same examples; only the order, and so the padding, differs."""
    config, work = pairs_of(world, corpora.toy(), TOY._replace(tokens=64, vocab_size=60), model, batches=4)

    def rows(parts: Any) -> list:
        return sorted(
            [part.batch.input_ids[i][mask].tolist(), part.batch.mlm_labels[i][mask].tolist()]
            for part in parts
            for i, mask in enumerate(part.batch.attention_mask)
        )

    def places(parts: Any) -> int:
        return sum(part.batch.input_ids.numel() for part in parts)

    ours = [part for batch in work.ours for part in batch]
    assert rows(ours) == rows(work.theirs)
    assert places(ours) < places(work.theirs)
    assert config.vocab_size <= 60


@pytest.mark.parametrize(("device", "cut"), [("cpu", True), ("cuda", False)])
def test_the_pairs_of_a_corpus_are_cut_as_the_engine_cuts_them_on_that_device(
    world: World, device: str, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "TOKENS_AT_ONCE", 1)
    _, work = pairs_of(world, corpora.toy(), TOY, "BERT", batches=2, device=device)
    assert [len(parts) > 1 for parts in work.ours] == [cut, cut]


def test_flops_leave_out_what_no_loss_depends_on(world: World) -> None:
    """Padding, the vocabulary at unlabelled places, and on request the end of the last layer where nobody reads."""
    config, work = pairs_of(world, corpora.toy(), TOY, "BERT", batches=2)
    part = next(part for part in work.theirs if not part.full)
    whole = useful = 0
    for mask, labels in zip(part.batch.attention_mask, part.batch.mlm_labels, strict=True):
        tokens, masked = int(mask.sum()), int((labels != IGNORE_INDEX).sum())
        whole += forward_flops(config, tokens, False, masked)
        below = forward_flops(replace(config, n_layers=config.n_layers - 1), tokens, False, masked)
        attention = 8 * tokens * config.d_model**2 + 4 * tokens**2 * config.d_model
        useful += below + attention + (1 + masked) * 4 * config.d_model * config.d_ff
    assert whole_flops(world, config, part) == whole
    assert whole - unread_flops(config, part) == useful


def test_full_batches_hide_words_as_pretraining_does() -> None:
    """15 % chosen, most of them [MASK], no padding, both segments."""
    part = full_batch(SIZES["M"])
    chosen = part.batch.mlm_labels != IGNORE_INDEX
    assert part.full
    assert 0.12 < chosen.float().mean() < 0.18
    assert 0.7 < (part.batch.input_ids[chosen] == MASK_ID).float().mean() < 0.9
    assert part.batch.segment_ids.unique().tolist() == [0, 1]


def test_a_large_batch_is_timed_in_the_parts_that_the_engine_makes_of_it() -> None:
    """On a CPU 32 x 128 tokens go through in four parts, 32 x 64 in two; on a GPU nothing is cut."""
    for name, device, rows in (("M", "cpu", [8, 8, 8, 8]), ("S", "cpu", [16, 16]), ("M", "cuda", [32])):
        part = full_batch(SIZES[name])
        parts = as_the_engine_cuts(part, SIZES[name].config("BERT"), device)
        assert [len(p.batch.input_ids) for p in parts] == rows
        assert torch.equal(torch.cat([p.batch.mlm_labels for p in parts]), part.batch.mlm_labels)
        assert sum(p.labelled for p in parts) == part.labelled


def test_ratios_are_taken_within_a_round_and_the_median_of_them_counts() -> None:
    """One busy round moves both sides and no ratio."""
    assert timing.median_ratio([2.0, 20.0, 3.0], [1.0, 10.0, 1.0]) == 2.0
    order: list[str] = []
    sides: dict[str, timing.Step] = {name: partial(order.append, name) for name in "ab"}
    taken = timing.in_turn(sides, 3, "cpu")
    assert "".join(order) == "abbaab"
    assert [len(times) for times in taken.values()] == [3, 3]


def test_a_round_of_several_turns_is_their_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short steps take more turns, long ones a single one, and nothing more than 20."""
    ticks = iter([1.0, 10.0, 20.0, 3.0, 5.0, 30.0, 40.0, 7.0])
    monkeypatch.setattr(timing, "seconds", lambda step, device: next(ticks))
    steps: dict[str, timing.Step] = {"a": int, "b": int}
    assert timing.in_turn(steps, 2, "cpu", turns=2) == {"a": [2.0, 6.0], "b": [15.0, 35.0]}
    assert [timing.turns_of({"a": [t], "b": [2 * t]}) for t in (100.0, 2.5, 1.0, 0.001)] == [1, 2, 5, 20]


def test_the_share_of_the_peak_is_one_for_the_peak_itself() -> None:
    """Twice the time is half the share."""
    peak = timing.Peak("cpu", "fp32")
    assert peak.share(peak.flops, [1.0, 2.0], [1.0, 2.0]) == 1.0
    assert peak.share(peak.flops, [2.0], [1.0]) == 0.5


def test_a_learner_s_model_is_shown_beside_the_reference(world: World) -> None:
    """Two worlds, two rows, the same rival."""
    part = full_batch(TOY)
    worlds = {"reference": world, "mine": world}
    values = compare(worlds, TOY.config("BERT"), TOY.batch_size, Work([[part]], [part]), Way(), rounds=1)
    assert list(values) == ["reference", "mine", "hugging_face", "peak"]
    assert min(values["mine"]["ratio"], values["reference"]["share"]) > 0
    assert values["mine"]["share"] < values["mine"]["share_of_whole"]


def test_the_collator_that_masking_is_measured_against_masks(world: World) -> None:
    """Both forms hide words; both ratios are far above 1."""
    ids = np.arange(5, 4101).reshape(32, 128)
    for kind in ("pt", "np"):
        batch = collator(8192, kind)([{"input_ids": row} for row in ids])
        chosen = np.asarray(batch["labels"]) != IGNORE_INDEX
        assert 0.12 < chosen.mean() < 0.18
    ratios = compare_masking(world, 1)
    assert ratios["ratio"] > ratios["ratio_to_cheapest_form"] > 3


def test_the_command_prints_ratios_and_keeps_a_record_that_pages_can_quote(tmp_path: Path) -> None:
    """Two calls add to one file."""
    path = tmp_path / "benchmark.json"
    for arguments in (["--size", "toy", "--model", "BERT"], ["--size", "toy", "--precision", "bf16"]):
        result = CliRunner().invoke(command, [*arguments, "--rounds", "1", "--record", str(path)])
        assert result.exit_code == 0, result.output
        assert "of the peak" in result.output
    assert set(json.loads(path.read_text())["values"]) == {
        "machine", "toy_fp32_bert", "toy_bf16_bert", "toy_bf16_albert"
    }  # fmt: skip
    assert load("benchmark", tmp_path)["seconds"] > 0
    assert look_up("benchmark", "toy_bf16_albert.reference.ratio", tmp_path) > 0


def test_the_abstracts_case_asks_for_a_corpus() -> None:
    """There is none in the project."""
    result = CliRunner().invoke(command, ["--size", "abstracts"])
    assert result.exit_code == 2
    assert "--corpus FILE" in result.output
