"""Small checkpoints as Hugging Face saves them, for the tests of `litebert fill-mask`.

Whoever imports this is skipped where transformers, tokenizers or safetensors is not installed.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from checks.huggingface.configs import read_spec
from checks.huggingface.predict import encode, mask_logits
from checks.huggingface.tokenizer import open_tokenizer
from checks.huggingface.weights import load_model
from checks.project.calling import run
from solutions.checkpoint import from_huggingface

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
safetensors = pytest.importorskip("safetensors.torch")

LINES = [
    "The capital of France is Paris .",
    "the river of the capital runs to the sea",
    "a bright café stands by the river, and a boat runs to Paris",
    "Paris is bright; the sea is far",
]
TEXT = "the capital of France is [MASK] ."
SPECIAL = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]  # [MASK] is not 4 with them either
SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "max_position_embeddings": 20,
    "initializer_range": 0.3,
}
# the command with the reference, which a release for learners may lack but these tests need
CALL = ("fill-mask", "--subject", "solutions")


def word_pieces() -> Any:
    """A tokenizer trained on LINES."""
    trained = tokenizers.BertWordPieceTokenizer(lowercase=True)
    trained.train_from_iterator(LINES, vocab_size=90, special_tokens=SPECIAL, show_progress=False)
    ends = [(token, trained.token_to_id(token)) for token in ("[SEP]", "[CLS]")]
    trained.post_processor = tokenizers.processors.BertProcessing(*ends)
    return trained


def save_model(kind: str, folder: Path, vocab_size: int) -> Any:
    """A model of theirs with random weights, norms and biases too, in a folder."""
    torch.manual_seed(len(kind))
    prefix, _, task = kind.partition("-")
    config: Any = transformers.BertConfig(vocab_size=vocab_size, **SIZES)
    if prefix == "Albert":
        config = transformers.AlbertConfig(
            vocab_size=vocab_size, embedding_size=10, num_hidden_groups=3, **SIZES
        )
    model = getattr(transformers, prefix + task)(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model.save_pretrained(folder)
    return model


def saved(kind: str, folder: Path) -> tuple[Path, Any]:
    """A folder with a model and its tokenizer, in every form that is read; and their model."""
    trained = word_pieces()
    model = save_model(kind, folder, trained.get_vocab_size())
    trained.save(str(folder / "tokenizer.json"))
    trained.save_model(str(folder))
    return folder, model


def our_scores(folder: Path, text: str = TEXT, warnings: list[str] | None = None) -> Tensor:
    """The scores of our model at the [MASK]s of a text."""
    spec = read_spec(folder)
    model = load_model(folder, spec, from_huggingface, (warnings if warnings is not None else []).append)
    encoded = encode(open_tokenizer(folder), text, spec.config.max_len, spec.config.vocab_size)
    return mask_logits(model, encoded)


def their_scores(folder: Path, model: Any, text: str = TEXT) -> Tensor:
    """The scores of their model at the same places, through their tokenizer."""
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    inputs = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        out = model(**inputs)
    logits = out.prediction_logits if "prediction_logits" in out else out.logits
    return logits[inputs["input_ids"] == tokenizer.convert_tokens_to_ids("[MASK]")]


def said_in_one_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The error of a call that must fail, after what it warned of."""
    code, _, err = run(capsys, *CALL, *arguments)
    lines = [line for line in err.splitlines() if not line.startswith("warning: ")]
    assert code == 2
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    return lines[0]


def as_parts(folder: Path) -> None:
    """The weights in two files with an index."""
    state = safetensors.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    halves = [dict(list(state.items())[i::2]) for i in range(2)]
    files = [f"model-0000{i + 1}-of-00002.safetensors" for i in range(2)]
    for half, file in zip(halves, files, strict=True):
        safetensors.save_file(half, folder / file)
    where = {name: file for half, file in zip(halves, files, strict=True) for name in half}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))


def as_pickle(folder: Path) -> None:
    """The weights as a pickle."""
    torch.save(safetensors.load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def rewrite(folder: Path, change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> None:
    """Change the tensors of the weights\' file."""
    state = safetensors.load_file(folder / "model.safetensors")
    safetensors.save_file(change(state), folder / "model.safetensors")
