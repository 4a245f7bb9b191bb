"""Two worker processes serve the same batches as none, in every epoch."""

import pytest
import torch
from torch.utils.data import DataLoader

from checks.oracles.datasets_facts import VOCAB, WORLD
from solutions.datasets import ALBERTDataset, BERTDataset, collate


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("kind", [BERTDataset, ALBERTDataset])
def test_two_workers_serve_what_none_serves(kind: type[BERTDataset]) -> None:
    dataset = kind(WORLD, VOCAB, 12, seed=3)
    seen = []
    for epoch in (0, 1):
        dataset.set_epoch(epoch)
        alone, together = (list(DataLoader(dataset, 4, num_workers=n, collate_fn=collate)) for n in (0, 2))
        assert len(alone) == len(together) == 4
        for one, other in zip(alone, together, strict=True):
            assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
        seen.append(torch.cat([batch.input_ids for batch in alone]))
    assert not torch.equal(*seen)
