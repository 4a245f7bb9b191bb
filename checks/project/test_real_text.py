"""Real text in the capstone: a WordPiece vocabulary, the split by document, and how little padding costs."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from checks.cli.capstone import POOL_OF_TEXT, capstone
from lessons.given.corpora import toy
from lessons.given.engine import Plan, Pools
from lessons.given.records import SPECIAL_TOKENS
from solutions.datasets import BERTDataset, collate

pytest.importorskip("tokenizers", reason="WordPiece needs the tokenizers library")


def test_a_wordpiece_vocabulary_has_the_courses_special_ids_and_its_bound(tmp_path: Path) -> None:
    from checks.cli.capstone_wordpiece import WordPiece

    pieces = WordPiece(tmp_path / "wordpiece.json")
    sentences = [sentence for document in toy() for sentence in document]
    vocab = pieces.build_vocab(iter(sentences), max_size=200)
    assert vocab.tokens[:5] == SPECIAL_TOKENS
    assert len(vocab.tokens) == len(vocab.ids) <= 200
    assert all(vocab.ids[token] == i for i, token in enumerate(vocab.tokens))
    cut = pieces.tokenize("Anna washed the CARROTS.")
    assert "".join(piece.removeprefix("##") for piece in cut) == "annawashedthecarrots."
    ids = pieces.encode(cut, vocab)
    assert 1 not in ids
    assert min(ids) >= 5
    assert (tmp_path / "wordpiece.json").exists()


def test_the_capstone_trains_on_a_text_file_in_word_pieces(tmp_path: Path) -> None:
    text = "\n\n".join("\n".join(document) for document in toy())
    (tmp_path / "my.txt").write_text(text, encoding="utf-8")
    arguments = ["--preset", "classic", "--steps", "2", "--batch-size", "4", "--max-len", "24",
                 "--subject", "solutions",
                 "--corpus", str(tmp_path / "my.txt"), "--tokenizer", "wordpiece", "--vocab-size", "150",
                 "--at-once", "0", "--out", str(tmp_path / "run")]  # fmt: skip
    result = CliRunner().invoke(capstone, arguments, standalone_mode=False)
    assert result.exception is None, result.output
    assert result.return_value == 0, result.output
    assert "V = 150" in result.output
    assert (tmp_path / "run" / "report.html").exists()


def test_batches_of_nearly_one_length_waste_few_places() -> None:
    """Sentences as long as those of abstracts: 23 tokens in the mean, with a long tail, cut at 128."""
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.lognormal(3.0, 0.5, size=(500, 6)).astype(int), 3, 80)
    documents = [[[5] * int(n) for n in document] for document in lengths]

    def waste(pool: int) -> float:
        plan = Plan(steps=64, batch_size=32, lr=1e-3, max_len=128, pool=pool, micro_batch=32)
        pools = Pools(BERTDataset(documents, 50, 128, 0), collate, plan)
        parts = [part for k in range(64 // pool) for step in pools[k] for part in step]
        places = sum(part.batch.input_ids.numel() for part in parts)
        return 1 - sum(part.tokens for part in parts) / places

    assert waste(pool=1) > 0.35
    assert waste(POOL_OF_TEXT) < 0.03
