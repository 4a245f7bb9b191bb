"""Lesson 4: datasets.

Pairs, packing and masking become a dataset that a PyTorch `DataLoader` can serve, and a list of examples
becomes a padded batch. The point is where the randomness comes from: an item may depend on the seed, the
epoch and its number, and on nothing else.

Minutes: 60. Before: masking, pairing.
Check:   pytest checks/test_datasets.py
Page:    docs/lessons/04-datasets.md

Shape letters: B batch, T tokens.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch.utils.data import Dataset

from lessons.given.records import IGNORE_INDEX, PAD_ID, Batch, Example, SentencePair

from .masking import mask_tokens
from .pairing import nsp_pairs, pack_pair, sop_pairs


class BERTDataset(Dataset[Example]):
    """Masked language modelling with next sentence prediction: pairs drawn once an epoch, masks once an item.

    Item i is a function of (seed, epoch, i), whatever was asked before, in whatever order, and in whichever
    process. Two kinds of generator give that, and neither is ever kept for a second use:

    - one for all pairs of an epoch, made from (seed, epoch);
    - one for the masks of one item, made from (seed, epoch, i).

    Keep the two apart in every epoch: `default_rng([s, e])` gives the same numbers as
    `default_rng([s, e, 0])`, so pairs and the masks of item 0 would be drawn from one stream.
    `np.random.SeedSequence(seed, spawn_key=...)` with a first number in the key that says what the stream is
    for does it.

    The global generators (of NumPy, torch, `random`) are left alone, and so are the documents. A caller who
    writes into the arrays of an item changes no later answer.

    Example:
        >>> dataset = BERTDataset([[[5, 6], [7]], [[8], [9, 10, 11]]], vocab_size=12, max_len=9, seed=0)
        >>> len(dataset)
        2
        >>> example = dataset[0]
        >>> example.segment_ids[:4].tolist(), example.attention_mask.all().item()
        ([0, 0, 0, 0], True)
        >>> example.sentence_label in (0, 1)
        True

    Source: Devlin et al. 2019, section 3.1. Masks drawn anew each epoch: Liu et al. 2019, section 4.1.
    """

    def __init__(
        self,
        documents: list[list[list[int]]],
        vocab_size: int,
        max_len: int,
        seed: int,
        sentences: tuple[int, int] = (1, 1),
        probability: float = 0.15,
        same_place: bool = False,
    ) -> None:
        """Keep the arguments and draw the pairs of epoch 0.

        Args:
            documents: lists of sentences, each a non-empty list of ids.
            vocab_size: V; random replacement words are drawn below it.
            max_len: the most tokens in an example, 5 or more.
            seed: 0 or more; equal seeds give equal datasets.
            sentences: least and largest number of sentences in a segment.
            probability: chance of a maskable token to be selected.
            same_place: as in `nsp_pairs`.

        Raises:
            ValueError: what `nsp_pairs` or `sop_pairs` refuses.
        """
        # 1. Keep what the items need.
        # 2. Draw the pairs of epoch 0.
        raise NotImplementedError("lesson datasets: BERTDataset.__init__ is still to do")

    def draw_pairs(self, rng: np.random.Generator) -> list[SentencePair]:
        """One epoch's pairs for next sentence prediction, with the dataset's `sentences` and `same_place`."""
        # 1. Let lesson 3 draw them.
        raise NotImplementedError("lesson datasets: BERTDataset.draw_pairs is still to do")

    def set_epoch(self, epoch: int) -> None:
        """Draw the pairs anew for this epoch (0 or more); from now on masks belong to it too.

        Going back to an earlier epoch gives its items again, equal in every value.

        Example:
            >>> dataset = BERTDataset([[[5, 6], [7]], [[8], [9, 10, 11]]], vocab_size=12, max_len=9, seed=0)
            >>> before = dataset[1].input_ids.tolist()
            >>> dataset.set_epoch(3)
            >>> dataset.set_epoch(0)
            >>> dataset[1].input_ids.tolist() == before
            True
        """
        # 1. Make the epoch's generator from seed and epoch, and draw the pairs with it.
        raise NotImplementedError("lesson datasets: BERTDataset.set_epoch is still to do")

    def __len__(self) -> int:
        """The number of pairs in an epoch: one for every two neighbouring sentences of a document."""
        # 1. Count the pairs.
        raise NotImplementedError("lesson datasets: BERTDataset.__len__ is still to do")

    def __getitem__(self, index: int) -> Example:
        """Example number `index`: the pair packed to at most `max_len` tokens, then masked.

        Returns:
            The example, unpadded: `attention_mask` is True throughout, and `sentence_label` is the pair's
            label as an int. Ids, segments and labels are int64.

        Raises:
            IndexError: `index` is not in 0..len - 1. (A `for` loop over the dataset ends by it.)
        """
        # 1. Refuse an index outside; negative ones are outside.
        # 2. Pack the pair.
        # 3. Make the item's own generator from seed, epoch and index, and mask with it.
        raise NotImplementedError("lesson datasets: BERTDataset.__getitem__ is still to do")


class ALBERTDataset(BERTDataset):
    """The same with sentence order prediction: only the pairs differ. `same_place` has no effect.

    Example:
        >>> dataset = ALBERTDataset([[[5, 6], [7], [8]]], vocab_size=12, max_len=9, seed=0, probability=0.0)
        >>> [sorted(example.input_ids.tolist()) for example in dataset]
        [[2, 3, 3, 5, 6, 7], [2, 3, 3, 7, 8]]

    Source: Lan et al. 2020, section 3.1.
    """

    def draw_pairs(self, rng: np.random.Generator) -> list[SentencePair]:
        """One epoch's pairs for sentence order prediction, with the dataset's `sentences`."""
        # 1. Let lesson 3 draw them.
        raise NotImplementedError("lesson datasets: ALBERTDataset.draw_pairs is still to do")


def collate(examples: Sequence[Example], length: int | None = None) -> Batch:
    """Pad examples on the right to one length and stack them into tensors.

    Padding is `[PAD]` (0) in `input_ids`, 0 in `segment_ids`, False in `attention_mask` and -100 in
    `mlm_labels`. Ids, segments and labels are int64, the mask is bool.

    Args:
        examples: B examples, at least one.
        length: T of the batch; None: the longest example's.

    Returns:
        A `Batch` of B rows in the examples' order, in memory of its own. `sentence_labels` is int64 [B], or
        None when every example's label is None.

    Raises:
        ValueError: there are no examples; one is longer than `length`; or some have a sentence label
            and some have none.

    Example:
        >>> short = Example(
        ...     np.array([2, 4, 3, 8, 3]), np.array([0, 0, 0, 1, 1]), np.ones(5, dtype=bool),
        ...     np.array([-100, 9, -100, -100, -100]), 1,
        ... )
        >>> tall = Example(
        ...     np.array([2, 7, 8, 3, 9, 3]), np.array([0, 0, 0, 0, 1, 1]), np.ones(6, dtype=bool),
        ...     np.full(6, -100), 0,
        ... )
        >>> batch = collate([short, tall], length=7)
        >>> batch.input_ids.tolist()
        [[2, 4, 3, 8, 3, 0, 0], [2, 7, 8, 3, 9, 3, 0]]
        >>> batch.attention_mask.sum(dim=1).tolist(), batch.mlm_labels[0].tolist()
        ([5, 6], [-100, 9, -100, -100, -100, -100, -100])
        >>> batch.sentence_labels.tolist()
        [1, 0]
    """
    # 1. Refuse no examples, and find the batch's length; refuse an example that is longer.
    # 2. Set everything to the fill value, then write the values of all rows in one go.
    # 3. Take the sentence labels, if there are any, and pad each field.
    raise NotImplementedError("lesson datasets: collate is still to do")
