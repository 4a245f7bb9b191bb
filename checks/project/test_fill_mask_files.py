"""`litebert fill-mask` reads every form of checkpoint: parts, pickles, old names, and three kinds of tokenizer."""

import json
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from checks.huggingface.pieces import read_pieces
from checks.huggingface.tokenizer import open_tokenizer
from checks.project.calling import run
from checks.project.small_checkpoints import (
    CALL,
    TEXT,
    as_parts,
    as_pickle,
    our_scores,
    rewrite,
    said_in_one_line,
    saved,
    tokenizers,
    transformers,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A BERT's folder of the test's own."""
    return saved("Bert-ForPreTraining", tmp_path / "model")[0]


def with_old_names(folder: Path) -> None:
    def old(name: str) -> str:
        return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")

    rewrite(folder, lambda state: {old(name): tensor for name, tensor in state.items()})


def with_the_other_bias(folder: Path) -> None:
    def other(state: dict[str, Tensor]) -> dict[str, Tensor]:
        bias = state.pop("cls.predictions.bias")
        return {**state, "cls.predictions.decoder.bias": bias}

    rewrite(folder, other)


def with_position_ids(folder: Path) -> None:
    rewrite(folder, lambda state: {**state, "bert.embeddings.position_ids": torch.arange(20)[None]})


FORMS = [as_parts, as_pickle, with_old_names, with_the_other_bias, with_position_ids]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_file_gives_the_same_scores(form: Callable[[Path], None], folder: Path) -> None:
    expected, warnings = our_scores(folder), list[str]()
    form(folder)
    assert torch.equal(our_scores(folder, warnings=warnings), expected)
    assert len(warnings) == (form is as_pickle)


def test_half_precision_weights_run_in_single_precision(folder: Path) -> None:
    expected = our_scores(folder)
    rewrite(folder, lambda state: {name: tensor.half() for name, tensor in state.items()})
    found = our_scores(folder)
    assert found.dtype == torch.float32
    # rounding each weight to 11 bits moves a score by some thousandths
    torch.testing.assert_close(found, expected, rtol=0.0, atol=0.05)


def test_missing_heads_are_zeros_and_told_of(tmp_path: Path) -> None:
    warnings: list[str] = []
    our_scores(saved("Bert-ForMaskedLM", tmp_path)[0], warnings=warnings)
    assert [warning.split(":")[0] for warning in warnings] == [
        "the checkpoint has no pooler",
        "the checkpoint has no sentence head",
    ]


def test_a_pickle_is_told_of_and_its_code_is_not_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    as_pickle(folder)
    code, _, err = run(capsys, *CALL, "--checkpoint", str(folder), TEXT)
    assert code == 0
    assert err.startswith("warning: pytorch_model.bin is a pickle, which can carry code")

    class Touch:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (folder / "was-here",))

    with (folder / "pytorch_model.bin").open("wb") as file:
        pickle.dump({"weight": Touch()}, file)
    assert "holds more than tensors" in said_in_one_line(capsys, "--checkpoint", str(folder), TEXT)
    assert not (folder / "was-here").exists()


@pytest.mark.parametrize("settings", [{}, {"do_lower_case": False}, {"strip_accents": False}])
def test_a_vocabulary_of_word_pieces_alone_is_enough(settings: dict[str, bool], folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    reference = transformers.BertTokenizer(vocab=str(folder / "vocab.txt"), **settings)
    for text in (TEXT, "A café, [MASK]! the\tBOAT xyz 中文", "un[MASK]able"):
        assert open_tokenizer(folder).encode(text).ids == reference(text)["input_ids"], text


def test_a_tokenizer_that_cuts_pads_or_adds_nothing_is_set_right(folder: Path) -> None:
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    expected = tokenizer.encode(TEXT).ids
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=30)
    tokenizer.save(str(folder / "tokenizer.json"))
    assert open_tokenizer(folder).encode(TEXT).ids == expected
    raw = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps({**raw, "post_processor": None}))
    assert open_tokenizer(folder).encode(TEXT).ids == expected


PIECES = [
    "<pad>",
    "<unk>",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "▁the",
    "▁capital",
    "▁is",
    "▁",
    "a",
    "e",
    "f",
    "c",
    ".",
]
PIECES += ["▁cafe", '"', "1", "1,", ","]


def pieces_file(pieces: list[str]) -> bytes:
    """A SentencePiece model, written by hand: piece i has the score -i."""

    def field(number: int, content: bytes) -> bytes:
        assert len(content) < 128
        return bytes([number << 3 | 2, len(content)]) + content

    def message(i: int, piece: str) -> bytes:
        return field(1, piece.encode()) + bytes([2 << 3 | 5]) + struct.pack("<f", -i) + bytes([3 << 3, 1])

    listed = b"".join(field(1, message(i, piece)) for i, piece in enumerate(pieces))
    return listed + field(2, bytes([1 << 3, 0xAC, 0x02])) + field(3, field(1, b"nmt_nfkc"))


def test_pieces_of_albert_alone_are_enough(folder: Path) -> None:
    for file in ("tokenizer.json", "vocab.txt"):
        (folder / file).unlink()
    (folder / "spiece.model").write_bytes(pieces_file(PIECES))
    assert read_pieces(pieces_file(PIECES)) == ([(piece, -i) for i, piece in enumerate(PIECES)], b"")
    scores = [(piece, float(-i - 100 * (piece == "1,"))) for i, piece in enumerate(PIECES)]
    reference = transformers.AlbertTokenizer(vocab=scores, unk_token="<unk>", pad_token="<pad>")
    ours = open_tokenizer(folder)
    for text in ("The capital  is [MASK] .", "the Café is ``[MASK]''", "the 1, is [MASK] 中"):
        assert ours.encode(text).ids == reference(text)["input_ids"], text
    assert ours.encode("The café [MASK].").tokens == ["[CLS]", "▁the", "▁cafe", "[MASK]", "▁", ".", "[SEP]"]
