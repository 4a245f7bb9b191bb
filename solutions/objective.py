"""Lesson 13: the objective.

What pretraining minimises: the loss at the masked words plus the loss of the sentence task. And how to
measure a model on held-out data without leaving a trace in it.

Minutes: 60. Before: nothing in code; works on any model with the interface of lesson 10 (models).
Check:   pytest checks/test_objective.py
Page:    docs/lessons/13-objective.md

Shape letters: B batch, T tokens, M labelled positions, V vocabulary.
"""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lessons.given.records import IGNORE_INDEX, Batch, Evaluation, PretrainingLoss


def labelled_logits(
    model: nn.Module, batch: Batch
) -> tuple[Float[Tensor, "M V"], Int[Tensor, "M"], Float[Tensor, "B 2"]]:
    """One forward pass: `(mlm_logits, mlm_labels, sentence_logits)`, the first two at labelled places only.

    A helper of `pretraining_loss` and `evaluate`; you may do without it. A place is labelled where
    `mlm_labels` is not `IGNORE_INDEX`; M of B * T are, perhaps none. Only they go through the product with
    the word table.
    """
    # 1. Find the labelled places as indices into the flattened B*T axis.
    labels = batch.mlm_labels.flatten()
    positions_M = (labels != IGNORE_INDEX).nonzero().squeeze(1)
    # 2. Run the model under the batch's segments and mask.
    sequence_output, pooled_output = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
    # 3. Ask for the logits of both heads, the words' at those places.
    mlm_logits_MV = model.mlm_logits(sequence_output, positions_M)  # type: ignore[operator]
    sentence_logits_B2 = model.sentence_logits(pooled_output)  # type: ignore[operator]
    return mlm_logits_MV, labels[positions_M], sentence_logits_B2


def mean_cross_entropy(logits: Float[Tensor, "M C"], labels: Int[Tensor, "M"] | None) -> Float[Tensor, ""]:
    """Mean of -log softmax(logits)[label] in nats over the labels that are not `IGNORE_INDEX`; 0 without any.

    A helper of `pretraining_loss` and `evaluate`; you may do without it. The zero still depends on the
    logits, so that `backward` gives zero gradients. In half precision the loss itself is computed in float32.

    Example: equal logits over 4 classes cost ln 4 = 1.3863 a label.

        >>> mean_cross_entropy(torch.zeros(2, 4), torch.tensor([3, -100]))
        tensor(1.3863)
        >>> mean_cross_entropy(torch.zeros(2, 4), None)
        tensor(0.)
    """
    # 1. Without labels: a zero that hangs on the logits whatever their values.
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if labels is None:
        return logits[:0].sum()
    # 2. Otherwise the sum of the losses over the number of labels, and take care not to divide by 0.
    n_labelled = (labels != IGNORE_INDEX).sum().clamp(min=1)
    loss = nn.functional.cross_entropy(logits, labels, ignore_index=IGNORE_INDEX, reduction="sum")
    return loss / n_labelled


def pretraining_loss(model: nn.Module, batch: Batch) -> PretrainingLoss:
    """The losses of one batch as 0-d tensors in nats, each ready for `backward`; `total = mlm + sentence`.

    `mlm` is the mean over all labelled tokens of the batch, taken together: a row with four labels counts
    four times as much as a row with one. It is 0 when nothing is labelled. `sentence` is the mean over the
    pairs, label 1 (true order) being logit 1; it is 0 when `batch.sentence_labels` is None. A loss of 0 for
    want of labels still allows `backward` and gives zero gradients. Only labelled positions reach the
    vocabulary: call `model.mlm_logits(sequence_output, positions)`, positions being lesson 10's: int64 `[M]`,
    indices into the flattened B*T axis. The batch is on the model's device; the model's mode, the gradients
    that lie on it and what is frozen are left as they are.

    Example: a model that finds all of its 4 words and both orders equally likely.

        >>> class Undecided(nn.Module):
        ...     def forward(self, input_ids, segment_ids=None, attention_mask=None):
        ...         return torch.zeros(*input_ids.shape, 8), torch.zeros(len(input_ids), 8)
        ...     def mlm_logits(self, sequence_output, positions=None):
        ...         return torch.zeros(len(positions), 4)
        ...     def sentence_logits(self, pooled_output):
        ...         return torch.zeros(len(pooled_output), 2)
        >>> ids = torch.tensor([[2, 3, 1, 3]])
        >>> labels = torch.tensor([[-100, 3, 1, -100]])  # two labelled places: each costs ln 4
        >>> batch = Batch(ids, torch.zeros_like(ids), ids > 0, labels, sentence_labels=torch.tensor([1]))
        >>> total, mlm, sentence = pretraining_loss(Undecided(), batch)
        >>> round(mlm.item(), 4), round(sentence.item(), 4), round(total.item(), 4)  # ln 4, ln 2, their sum
        (1.3863, 0.6931, 2.0794)
        >>> pretraining_loss(Undecided(), batch._replace(sentence_labels=None)).sentence
        tensor(0.)

    Source: Devlin et al. 2019, appendix A.2 (sum of the two mean likelihoods); Lan et al. 2020, section 3.1.
    """
    # 1. Get both heads' logits, the words' at labelled places only.
    mlm_logits_MV, mlm_labels_M, sentence_logits_B2 = labelled_logits(model, batch)
    # 2. Take the two means, and add them with equal weight.
    mlm = mean_cross_entropy(mlm_logits_MV, mlm_labels_M)
    sentence = mean_cross_entropy(sentence_logits_B2, batch.sentence_labels)
    return PretrainingLoss(total=mlm + sentence, mlm=mlm, sentence=sentence)


def mlm_accuracy(logits: Float[Tensor, "*places V"], labels: Int[Tensor, "*places"]) -> float:
    """The share, 0..1, of labelled places whose largest logit is the label's; 0.0 if nothing is labelled.

    Places with `IGNORE_INDEX` count neither as right nor as wrong. Logits and labels are left as they are.

    Example: three places, two labelled, one of them right.

        >>> logits = torch.tensor([[0.0, 5.0, 0.0], [0.0, 5.0, 0.0], [5.0, 0.0, 0.0]])
        >>> mlm_accuracy(logits, torch.tensor([1, 2, -100]))
        0.5

    Source: Lan et al. 2020, Table 5 (MLM accuracy).
    """
    # 1. Keep the labelled places; answer 0.0 when there are none.
    labelled = labels != IGNORE_INDEX
    if not labelled.any():
        return 0.0
    # 2. Compare the best guess with the label, and take the share.
    return (logits.argmax(dim=-1) == labels)[labelled].double().mean().item()


def sentence_accuracy(logits: Float[Tensor, "B 2"], labels: Int[Tensor, "B"] | None) -> float:
    """The share, in 0..1, of pairs whose larger logit is the label's; 0.0 without labels (None, or B = 0).

    Logits and labels are left as they are.

    Example: logit 1 is larger, a guess at true order (label 1), in both pairs.

        >>> sentence_accuracy(torch.tensor([[-1.0, 2.0], [0.0, 0.5]]), torch.tensor([1, 0]))
        0.5

    Source: Lan et al. 2020, Table 5 (NSP and SOP accuracy).
    """
    # 1. Without labels the answer is 0.0; otherwise count as for the words.
    return 0.0 if labels is None else mlm_accuracy(logits, labels)


@contextmanager
def left_as_found(model: nn.Module, dataloader: Iterable[Batch], device: torch.device) -> Iterator[None]:
    """Whatever happens inside, put back afterwards: every module's mode, and every random state.

    A helper of `evaluate`; you may do without it. Random states are Python's, NumPy's and torch's global
    ones, and the generators of the loader and of its sampler, where they have one.
    """
    # 1. Take down the mode of each module (a part may be in another mode than the whole) and the states.
    modes = [(module, module.training) for module in model.modules()]
    sources = (dataloader, getattr(dataloader, "sampler", None))
    generators = [g for s in sources if isinstance(g := getattr(s, "generator", None), torch.Generator)]
    states = [generator.get_state() for generator in generators]
    python_state, numpy_state = random.getstate(), np.random.get_state()  # noqa: NPY002
    # 2. Let the caller work; then put everything back, after an error too.
    try:
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            yield
    finally:
        for module, mode in modes:
            module.training = mode
        for generator, state in zip(generators, states, strict=True):
            generator.set_state(state)
        random.setstate(python_state)
        np.random.set_state(numpy_state)  # noqa: NPY002


def evaluate(model: nn.Module, dataloader: Iterable[Batch]) -> Evaluation:
    """Losses and accuracies over all batches: dropout off, no gradients recorded, and without a trace.

    `mlm_loss` and `mlm_accuracy` are means over all labelled tokens of all batches, `sentence_loss` and
    `sentence_accuracy` over all pairs with a label, so the split into batches does not matter; each is 0.0
    where there is nothing to score. `total_loss` is their losses' sum. Batches are moved to the model's
    device. `dataloader` may be any iterable, also one that is empty or can be gone through only once.

    Afterwards all is as it was: the mode of every module (also when parts differ), the gradients (None stays
    None, others keep their values, what is frozen stays frozen), whether torch records gradients, the global
    random states of Python, NumPy and torch, and the generator of the loader. So evaluating between two
    training steps changes nothing in the training.

    Example: how batches are weighted. Batch 1 has 3 labelled tokens with a mean loss of 2.0, batch 2 has 1
    token with loss 4.0: `mlm_loss` is (3 * 2.0 + 1 * 4.0) / 4 = 2.5, not 3.0.

    Source: Lan et al. 2020, section 4.6 and Table 5.
    """
    # 1. Remember what must not change; then turn dropout and gradients off.
    device = next(model.parameters()).device
    n_tokens = n_pairs = 0
    token_sums, pair_sums = np.zeros(2), np.zeros(2)  # loss, accuracy
    with left_as_found(model, dataloader, device), torch.no_grad():
        model.eval()
        # 2. For every batch, weight its means by the number of its labels.
        for cpu_batch in dataloader:
            batch = cpu_batch.to(device)
            mlm_logits, mlm_labels, sentence_logits = labelled_logits(model, batch)
            tokens = len(mlm_labels)
            loss = mean_cross_entropy(mlm_logits, mlm_labels).item()
            token_sums += tokens * np.array([loss, mlm_accuracy(mlm_logits, mlm_labels)])
            n_tokens += tokens
            if (labels := batch.sentence_labels) is not None:
                pairs = int((labels != IGNORE_INDEX).sum())
                loss = mean_cross_entropy(sentence_logits, labels).item()
                pair_sums += pairs * np.array([loss, sentence_accuracy(sentence_logits, labels)])
                n_pairs += pairs
    # 3. Divide by all labels, and put back what was there.
    mlm_loss, mlm_share = (token_sums / max(n_tokens, 1)).tolist()
    sentence_loss, sentence_share = (pair_sums / max(n_pairs, 1)).tolist()
    return Evaluation(mlm_loss, sentence_loss, mlm_loss + sentence_loss, mlm_share, sentence_share)
