"""A lesson's dataset with one thing changed: no sentence task, masks that stay, or masks in spans."""

from typing import Any

import numpy as np

from checks.experiments.spec import RunSpec
from lessons.given.records import IGNORE_INDEX, Example


class Shaped:
    """The examples of `dataset`, as a run wants them. `masking` is the subject's lesson 2."""

    def __init__(self, dataset: Any, run: RunSpec, vocab_size: int, masking: Any) -> None:
        self.dataset, self.run, self.vocab_size, self.masking = dataset, run, vocab_size, masking
        self.epoch = 0

    def __len__(self) -> int:
        return len(self.dataset)

    def set_epoch(self, epoch: int) -> None:
        """Static masks stay in epoch 0."""
        if not self.run.static:
            self.epoch = epoch
            self.dataset.set_epoch(epoch)

    def __getitem__(self, index: int) -> Example:
        example = Example(*self.dataset[index])
        if self.run.ngrams:
            example = self._in_spans(example, index)
        return example._replace(sentence_label=None) if self.run.objective == "none" else example

    def _in_spans(self, example: Example, index: int) -> Example:
        """The same words with spans hidden: a function of (seed, epoch, index) like the example itself."""
        ids = np.where(example.mlm_labels == IGNORE_INDEX, example.input_ids, example.mlm_labels)
        rng = np.random.default_rng(
            np.random.SeedSequence(self.run.seed, spawn_key=(2, self.epoch, int(index)))
        )
        selected = self.masking.select_spans(ids, rng, self.run.probability)
        masked, labels = self.masking.mask_tokens(ids, self.vocab_size, rng, selected=selected)
        return example._replace(input_ids=masked, mlm_labels=labels)
