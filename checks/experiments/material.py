"""What the runs of one seed read: training documents, the held-out set, the best reader's scores, probe pairs."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from checks.cli.capstone_data import Data, encode_documents, prepare
from checks.experiments.spec import RunSpec
from checks.subject.world import World
from lessons.given import corpora
from lessons.given.corpora.scored import Scores
from lessons.given.engine import HeldOut, held_out_set
from lessons.given.engine.budgets import Budget

PROBE_SEED = 2_000_003  # documents that neither training nor the held-out set has


class Material(NamedTuple):
    """`ideal` scores the best reader on `data.held_out.true`; `probe` holds pairs to fit probes on."""

    data: Data
    ideal: Scores
    probe: HeldOut


def material(run: RunSpec, root: Path, probe_pairs: int) -> Material:
    """The material of a run; runs that read the same share it."""
    return _material(
        root,
        run.world,
        run.documents,
        run.held_out_pairs,
        run.sentences,
        run.config.max_len,
        run.seed,
        probe_pairs,
    )


@lru_cache(maxsize=4)
def _material(
    root: Path, world: str, documents: int, held_out_pairs: int, sentences: tuple[int, int], max_len: int,
    seed: int, probe_pairs: int,
) -> Material:  # fmt: skip
    budget = Budget(
        corpus="stories", world=world, documents=documents, held_out_pairs=held_out_pairs, sentences=sentences,
        batch_size=1, lr=1.0,
    )  # fmt: skip
    vocab = World(root, None).load("vocab")
    data = prepare(("stories",), budget, vocab, max_vocab=32_000, max_len=max_len, seed=seed)
    texts = corpora.stories(max(probe_pairs, 8), seed + PROBE_SEED, world=world)
    probe = held_out_set(
        encode_documents(list(texts), vocab, data.words, {}),
        max_len,
        seed,
        sentences=sentences,
        max_pairs=probe_pairs,
    )
    assert data.ideal is not None, "the form's pairs are longer than max_len"
    return Material(data, data.ideal, probe)
