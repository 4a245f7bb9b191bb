"""The engine leaves out the end of the last layer where no head reads, and nothing else changes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from lessons.given import engine
from lessons.given.config import ModelConfig
from lessons.given.engine import groups, sentence_logits, token_losses, where_read
from lessons.given.engine.batches import Part, prepare
from lessons.given.engine.evaluation import scores
from lessons.given.engine.loss import PartLoss
from lessons.given.records import IGNORE_INDEX, Batch, PretrainingLoss
from solutions.models import ALBERTModel, BERTModel, init_weights
from solutions.objective import pretraining_loss
from solutions.transformer import TransformerLayer

BERT = ModelConfig(vocab_size=40, max_len=20, d_model=8, n_layers=3, n_heads=2, dropout=0.1)
SHARED = replace(BERT, d_embedding=4, sharing="all")
CONFIGS = {
    "BERT": BERT,
    "one layer": replace(BERT, n_layers=1),
    "ALBERT": SHARED,
    "groups": replace(SHARED, n_layers=4, n_groups=2),
    "shared attention": replace(SHARED, sharing="attention"),
    "shared feed-forward": replace(SHARED, sharing="ffn"),
}
LABELLED = {"as usual": 0.15, "none": 0.0, "all": 1.0}


def model_of(config: ModelConfig) -> Any:
    """A fresh small model."""
    torch.manual_seed(0)
    return (BERTModel if config.sharing == "none" else ALBERTModel)(config)


def part_of(share: float = 0.15, padding: bool = True, pairs: bool = True) -> Part:
    """Five random rows; `share` of the tokens are labelled."""
    rng = np.random.default_rng(1)
    ids = torch.from_numpy(rng.integers(5, 40, (5, 20)))
    lengths = torch.tensor([20, 3, 12, 20, 7]) if padding else torch.full((5,), 20)
    mask = torch.arange(20) < lengths[:, None]
    labelled = torch.from_numpy(rng.random((5, 20)) < share) & mask
    labels = torch.where(labelled, ids, IGNORE_INDEX)
    segments = (torch.arange(20) > 5).long().expand(5, 20)
    return prepare(Batch(ids, segments, mask, labels, torch.tensor([0, 1, 1, 0, 1]) if pairs else None))


def losses_and_gradients(model: nn.Module, loss: PretrainingLoss) -> tuple[list, list]:
    """What a step needs, in one comparable form."""
    model.zero_grad(set_to_none=False)
    loss.total.backward()
    return [x.detach() for x in loss], [p.grad.clone() for p in model.parameters() if p.grad is not None]


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("share", LABELLED.values(), ids=LABELLED)
@pytest.mark.parametrize("padding", [True, False], ids=["padded", "full"])
def test_losses_and_gradients_are_those_of_the_whole_model(
    config: ModelConfig, share: float, padding: bool
) -> None:
    model, part = model_of(config).eval(), part_of(share, padding, pairs=share != 1.0)
    loss = PartLoss(model, pretraining_loss, skip_unread=True)
    got = losses_and_gradients(model, loss(part))
    assert loss.skips_unread
    torch.testing.assert_close(got, losses_and_gradients(model, pretraining_loss(model, part.batch)))


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_the_last_feed_forward_sees_only_the_tokens_that_are_read(config: ModelConfig) -> None:
    """The layers before it see all 100 tokens; it sees the first and as many as the fullest row has labels."""
    model, part = model_of(config), part_of()
    loss, seen = PartLoss(model, pretraining_loss, skip_unread=True), []
    loss(part)
    kept = 1 + int((part.batch.mlm_labels != IGNORE_INDEX).sum(1).max())
    for block in {layer.feed_forward for layer in model.encoder.layers}:
        block.register_forward_hook(
            lambda _module, arguments, _out: seen.append(arguments[0].shape[:2].numel())
        )
    loss(part)
    assert seen == [100] * (config.n_layers - 1) + [5 * kept]
    assert kept < 10


def test_no_trace_is_left_on_the_model_nor_in_the_random_state() -> None:
    """The trial gives back what was drawn in it, modes stay, and the model called by itself answers for every token."""
    model, part = model_of(BERT), part_of()
    model.encoder.layers[0].eval()
    modes = [module.training for module in model.modules()]

    def drawing(model: nn.Module, batch: Batch) -> PretrainingLoss:
        torch.rand(1)
        return pretraining_loss(model, batch)

    loss = PartLoss(model, drawing, skip_unread=True)
    torch.manual_seed(3)
    assert loss.makes_no_difference(part.batch)
    drawn = torch.rand(3)
    torch.manual_seed(3)
    assert torch.equal(drawn, torch.rand(3))
    assert [module.training for module in model.modules()] == modes
    assert model(part.batch.input_ids)[0].shape == (5, 20, 8)
    assert not any(module._forward_hooks for module in model.modules())


class NormedByHand(TransformerLayer):
    """A right layer that reads the norm's parameters and does not call it."""

    def forward(self, hidden: Any, attention_mask: Any = None) -> Any:
        """As lesson 6 asks."""
        summed, norm = hidden + self.attention(hidden, attention_mask), self.attention_norm
        hidden = nn.functional.layer_norm(summed, (summed.shape[-1],), norm.weight, norm.bias, norm.eps)
        return self.feed_forward_norm(hidden + self.feed_forward(hidden))


class WithoutPadding(TransformerLayer):
    """A right layer that leaves padding out of its feed-forward, and is plain where there is none."""

    def forward(self, hidden: Any, attention_mask: Any = None) -> Any:
        """As lesson 6 asks, at real tokens."""
        if attention_mask is None or attention_mask.all():
            return super().forward(hidden, attention_mask)
        summed = hidden + self.attention(hidden, attention_mask)
        real = self.attention_norm(summed[attention_mask])
        out = torch.zeros_like(hidden)
        out[attention_mask] = self.feed_forward_norm(real + self.feed_forward(real))
        return out


class ShortCutWithoutPadding(TransformerLayer):
    """The other way round: a right layer that norms by hand where there is no padding."""

    def forward(self, hidden: Any, attention_mask: Any = None) -> Any:
        """As lesson 6 asks."""
        whole = attention_mask is None or attention_mask.all()
        return (NormedByHand if whole else TransformerLayer).forward(self, hidden, attention_mask)


class Recomputed(TransformerLayer):
    """A right layer that keeps no intermediates, and computes them again in backward."""

    def forward(self, hidden: Any, attention_mask: Any = None) -> Any:
        """As lesson 6 asks."""
        return checkpoint(super().forward, hidden, attention_mask, use_reentrant=False)


class ShapedByItsInput(TransformerLayer):
    """A right layer that puts its result into the shape of its input."""

    def forward(self, hidden: Any, attention_mask: Any = None) -> Any:
        """As lesson 6 asks."""
        return super().forward(hidden, attention_mask).view(hidden.shape)


NOT_MADE_FOR_IT = [NormedByHand, WithoutPadding, ShortCutWithoutPadding, ShapedByItsInput]


@pytest.mark.parametrize("layer", [*NOT_MADE_FOR_IT, Recomputed])
@pytest.mark.parametrize("padding", [True, False], ids=["padded", "full"])
def test_a_right_model_that_is_not_made_for_it_is_run_whole(
    layer: type[TransformerLayer], padding: bool
) -> None:
    """Also where the first part's padding does not show it and a later one's would."""
    model, part = model_of(BERT).eval(), part_of(padding=padding)
    for each in model.encoder.layers:
        each.__class__ = layer
    loss = PartLoss(model, pretraining_loss, skip_unread=True)
    got = losses_and_gradients(model, loss(part))
    torch.testing.assert_close(got, losses_and_gradients(model, pretraining_loss(model, part.batch)))
    assert loss.skips_unread is False
    assert not any(module._forward_hooks for module in model.modules())


class NormOfAllTokens(nn.LayerNorm):
    """A wrong norm: mean and variance are those of a whole sequence."""

    def forward(self, input: Any) -> Any:
        """Not as lesson 6 asks."""
        mean, variance = input.mean((1, 2), keepdim=True), input.var((1, 2), keepdim=True, correction=0)
        return (input - mean) / (variance + self.eps).sqrt() * self.weight + self.bias


@pytest.mark.parametrize("seed", range(5))
def test_a_wrong_norm_that_mixes_tokens_is_trained_as_it_is(seed: int) -> None:
    """At the start its loss is about that of the whole model whatever it computes: vectors tell."""
    config = replace(BERT, vocab_size=4000, d_model=64, d_embedding=64, d_ff=256)
    model = model_of(config)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        init_weights(model)
    for layer in model.encoder.layers:
        layer.feed_forward_norm.__class__ = NormOfAllTokens
    loss = PartLoss(model, pretraining_loss, skip_unread=True)
    loss(part_of(padding=seed % 2 == 0))
    assert loss.skips_unread is False


def test_in_train_mode_without_dropout_a_labelled_first_token_and_bf16_change_nothing() -> None:
    """The equality holds where training happens, too."""
    model, part = model_of(replace(BERT, dropout=0.0)), part_of(padding=False)
    labels = part.batch.mlm_labels.clone()
    labels[:2, 0] = 7
    part = prepare(part.batch._replace(mlm_labels=labels))
    for enabled, tolerance in ((False, 1e-5), (True, 2e-2)):
        loss = PartLoss(model, pretraining_loss, skip_unread=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            got, expected = loss(part), pretraining_loss(model, part.batch)
        assert loss.skips_unread
        torch.testing.assert_close(tuple(got), tuple(expected), rtol=tolerance, atol=tolerance)


class OpenGate(TransformerLayer):
    """A wrong layer: tokens are mixed after the norm, by a gate that is shut at the start."""

    def forward(self, hidden: Any, attention_mask: Any = None) -> Any:
        """Not as lesson 6 asks."""
        hidden = self.attention_norm(hidden + self.attention(hidden, attention_mask))
        mixed = self.gate * hidden.mean(1, keepdim=True)
        return self.feed_forward_norm(hidden + self.feed_forward(hidden) + mixed)


def test_a_difference_that_only_gradients_show_keeps_the_model_whole() -> None:
    """Vectors and losses agree at the start; what the gate learns would not."""
    model, part = model_of(BERT).eval(), part_of()
    for layer in model.encoder.layers:
        layer.__class__, layer.gate = OpenGate, nn.Parameter(torch.zeros(()))
    loss = PartLoss(model, pretraining_loss, skip_unread=True)
    got = losses_and_gradients(model, loss(part))
    torch.testing.assert_close(got, losses_and_gradients(model, pretraining_loss(model, part.batch)))
    assert loss.skips_unread is False


def test_the_trial_is_in_full_precision() -> None:
    """So that rounding in bf16 neither hides a difference nor makes one."""
    model, seen = model_of(BERT), []
    model.pooler.register_forward_hook(
        lambda module, *_: seen.append((module.training, torch.is_autocast_enabled("cpu")))
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):
        PartLoss(model, pretraining_loss, skip_unread=True)(part_of())
    assert seen == [(False, False)] * 8 + [(True, True)]


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # dynamo looks at it
def test_a_compiled_model_is_run_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled may not see hooks, or keep them: nothing is tried."""
    monkeypatch.setattr(where_read, "trials", lambda batch: pytest.fail("tried"))
    model, part = model_of(BERT).eval(), part_of()
    expected = tuple(pretraining_loss(model, part.batch))
    model.compile(backend="eager")
    loss = PartLoss(model, pretraining_loss, skip_unread=True)
    torch.testing.assert_close(tuple(loss(part)), expected)
    assert loss.skips_unread is False


def scored_everywhere(model: Any, batch: Any) -> PretrainingLoss:
    """A right loss that asks for the words at every place."""
    sequence_output, pooled = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
    logits = model.mlm_logits(sequence_output).flatten(0, 1)
    mlm = nn.functional.cross_entropy(logits, batch.mlm_labels.flatten())
    sentence = nn.functional.cross_entropy(model.sentence_logits(pooled), batch.sentence_labels)
    return PretrainingLoss(mlm + sentence, mlm, sentence)


def loss_one_place_off(model: Any, batch: Any) -> PretrainingLoss:
    """A wrong loss, which reads other places than the labelled ones."""
    sequence_output, pooled = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
    labels = batch.mlm_labels.flatten()
    positions = (labels != IGNORE_INDEX).nonzero().squeeze(1)
    logits = model.mlm_logits(sequence_output, positions - 1)
    mlm = nn.functional.cross_entropy(logits, labels[positions])
    sentence = nn.functional.cross_entropy(model.sentence_logits(pooled), batch.sentence_labels)
    return PretrainingLoss(mlm + sentence, mlm, sentence)


@pytest.mark.parametrize("other", [scored_everywhere, loss_one_place_off])
def test_a_loss_that_reads_elsewhere_gets_the_whole_model(
    other: Callable[[nn.Module, Batch], PretrainingLoss],
) -> None:
    """A right one stays right, and a wrong one is not made another."""
    model, part = model_of(BERT).eval(), part_of()
    loss = PartLoss(model, other, skip_unread=True)
    torch.testing.assert_close(tuple(loss(part)), tuple(other(model, part.batch)))
    assert loss.skips_unread is False


@pytest.mark.parametrize("other", [scored_everywhere, loss_one_place_off])
def test_what_shows_only_later_is_run_whole_from_then_on(
    other: Callable[[nn.Module, Batch], PretrainingLoss],
) -> None:
    """A loss may begin to read elsewhere after the first part."""
    later = False

    def changing(model: Any, batch: Batch) -> PretrainingLoss:
        return (other if later else pretraining_loss)(model, batch)

    model, part = model_of(BERT).eval(), part_of()
    loss = PartLoss(model, changing, skip_unread=True)
    loss(part)
    assert loss.skips_unread
    later = True
    torch.testing.assert_close(tuple(loss(part)), tuple(other(model, part.batch)))
    assert loss.skips_unread is False


def test_an_error_of_the_subject_is_raised_as_it_is() -> None:
    """The trial swallows it; the plain way does not."""

    def broken(model: nn.Module, batch: Batch) -> PretrainingLoss:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        PartLoss(model_of(BERT), broken, skip_unread=True)(part_of())


def held_out() -> engine.HeldOut:
    """Pairs of many lengths."""
    rng = np.random.default_rng(2)
    documents = [
        [rng.integers(5, 40, rng.integers(1, 9)).tolist() for _ in range(rng.integers(2, 5))]
        for _ in range(40)
    ]
    return engine.held_out_set(documents, 20, 0)


@pytest.mark.parametrize("layer", [TransformerLayer, *NOT_MADE_FOR_IT, Recomputed])
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_held_out_scores_are_those_of_the_whole_model(
    layer: type[TransformerLayer], config: ModelConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Losses, hits and logits, of models that can end early and of those that cannot."""
    model, pairs = model_of(config), held_out().swapped
    for each in model.encoder.layers:
        each.__class__ = layer
    got = [*token_losses(model, pairs), sentence_logits(model, pairs)]
    (losses, hits), sentences = scores(model, pairs)
    for in_one_pass, alone in zip((losses, hits, sentences), got, strict=True):
        np.testing.assert_allclose(in_one_pass, alone, rtol=1e-4, atol=1e-6)
    monkeypatch.setattr(groups, "ends_early", lambda model, batch: False)
    expected = [*token_losses(model, pairs), sentence_logits(model, pairs)]
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    assert not any(module._forward_hooks for module in model.modules())


@pytest.mark.parametrize("score", [sentence_logits, token_losses, scores])
def test_scoring_ends_the_last_layer_where_it_is_read(score: Callable[..., Any]) -> None:
    """After the trial's few rows; the two other layers see every token. A sentence task reads one of a pair."""
    model, pairs = model_of(BERT), held_out().true
    seen: list[list[int]] = [[] for _ in model.encoder.layers]
    for layer, tokens in zip(model.encoder.layers, seen, strict=True):
        layer.feed_forward.register_forward_hook(
            lambda _module, given, _out, tokens=tokens: tokens.append(given[0].shape[:2].numel())
        )
    score(model, pairs)
    trial = 6  # three inputs, both ways
    words = 0 if score is sentence_logits else sum((pair.labels != IGNORE_INDEX).sum() for pair in pairs)
    assert len(pairs) + words <= sum(seen[-1][trial:]) <= (sum(seen[0][trial:]) / 2 if words else len(pairs))
    assert sum(seen[0][trial:]) == sum(seen[1][trial:]) >= sum(len(pair.input_ids) for pair in pairs)


class AnotherPathForLongRows(TransformerLayer):
    """A right layer that norms by hand where the first, short groups of an evaluation do not show it."""

    def forward(self, hidden: Any, attention_mask: Any = None) -> Any:
        """As lesson 6 asks."""
        long = hidden.shape[1] > 15
        return (NormedByHand if long else TransformerLayer).forward(self, hidden, attention_mask)


def test_an_evaluation_goes_on_whole_where_a_later_group_cannot_end_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scores of every group are right, before and after it."""
    monkeypatch.setitem(groups.TOKENS, "cpu", 60)
    model, pairs = model_of(BERT), held_out().true
    expected = token_losses(model, pairs)
    for each in model.encoder.layers:
        each.__class__ = AnotherPathForLongRows
    for ours, theirs in zip(token_losses(model, pairs), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_groups_hold_each_pair_once_and_no_more_tokens_than_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a pair that is too long for any group."""
    monkeypatch.setitem(groups.TOKENS, "cpu", 30)
    model, pairs = model_of(BERT), held_out().true
    made = list(groups.groups(model, pairs))
    assert sorted(row for group in made for row in group.rows) == list(range(len(pairs)))
    sizes = [(len(group.rows), max(len(pairs[row].input_ids) for row in group.rows)) for group in made]
    assert all(rows * tokens <= 30 or rows == 1 for rows, tokens in sizes)
    assert any(rows > 1 for rows, _ in sizes)
    assert [tokens for _, tokens in sizes] == sorted(tokens for _, tokens in sizes)
