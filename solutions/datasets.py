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
        self.documents = documents
        self.vocab_size = vocab_size
        self.max_len = max_len
        self.seed = seed
        self.sentences = sentences
        self.probability = probability
        self.same_place = same_place
        # 2. Draw the pairs of epoch 0.
        self.set_epoch(0)

    def draw_pairs(self, rng: np.random.Generator) -> list[SentencePair]:
        """One epoch's pairs for next sentence prediction, with the dataset's `sentences` and `same_place`."""
        # 1. Let lesson 3 draw them.
        return nsp_pairs(self.documents, rng, self.sentences, self.same_place)

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
        self.epoch = epoch
        self.pairs = self.draw_pairs(
            np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(0, epoch)))
        )

    def __len__(self) -> int:
        """The number of pairs in an epoch: one for every two neighbouring sentences of a document."""
        # 1. Count the pairs.
        return len(self.pairs)

    def __getitem__(self, index: int) -> Example:
        """Example number `index`: the pair packed to at most `max_len` tokens, then masked.

        Returns:
            The example, unpadded: `attention_mask` is True throughout, and `sentence_label` is the pair's
            label as an int. Ids, segments and labels are int64.

        Raises:
            IndexError: `index` is not in 0..len - 1. (A `for` loop over the dataset ends by it.)
        """
        # 1. Refuse an index outside; negative ones are outside.
        if not 0 <= index < len(self):
            raise IndexError(f"index: got {index}, expected 0 to {len(self) - 1}")
        # 2. Pack the pair.
        first, second, label = self.pairs[index]
        input_ids, segment_ids = pack_pair(first, second, self.max_len)
        # 3. Make the item's own generator from seed, epoch and index, and mask with it.
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(1, self.epoch, int(index))))
        masked_ids, mlm_labels = mask_tokens(input_ids, self.vocab_size, rng, self.probability)
        return Example(masked_ids, segment_ids, np.ones(len(input_ids), dtype=bool), mlm_labels, int(label))


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
        return sop_pairs(self.documents, rng, self.sentences)


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
    if len(examples) == 0:
        raise ValueError("examples: got none, expected 1 or more")
    lengths_B = np.array([len(example.input_ids) for example in examples])
    longest = int(lengths_B.max())
    if length is not None and longest > length:
        raise ValueError(f"length: got {length}, expected at least {longest}, the longest example's")
    real_BT = np.arange(longest if length is None else length) < lengths_B[:, None]

    def pad(rows: list[np.ndarray], fill: int, dtype: type = np.int64) -> torch.Tensor:
        # 2. Set everything to the fill value, then write the values of all rows in one go.
        padded_BT: np.ndarray = np.full(real_BT.shape, fill, dtype=dtype)
        padded_BT[real_BT] = np.concatenate(rows)
        return torch.from_numpy(padded_BT)

    # 3. Take the sentence labels, if there are any, and pad each field.
    labels = [example.sentence_label for example in examples if example.sentence_label is not None]
    if labels and len(labels) < len(examples):
        raise ValueError(
            f"sentence labels: got {len(labels)} for {len(examples)} examples, expected all or none"
        )
    return Batch(
        input_ids=pad([example.input_ids for example in examples], PAD_ID),
        segment_ids=pad([example.segment_ids for example in examples], 0),
        attention_mask=pad([example.attention_mask for example in examples], False, np.bool_),
        mlm_labels=pad([example.mlm_labels for example in examples], IGNORE_INDEX),
        sentence_labels=torch.tensor(labels, dtype=torch.int64) if labels else None,
    )
