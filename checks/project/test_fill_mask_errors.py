"""What is wrong with a checkpoint, a text or a call of `litebert fill-mask` is said in one line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checks.project.small_checkpoints import TEXT, as_parts, rewrite, said_in_one_line, saved


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A BERT's folder of the test's own."""
    return saved("Bert-ForPreTraining", tmp_path / "model")[0]


def damage(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def remove(*names: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return change


def with_config(**changes: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


def without_a_part(folder: Path) -> None:
    as_parts(folder)
    (folder / "model-00002-of-00002.safetensors").unlink()


def with_an_index_that_leads_out(folder: Path) -> None:
    as_parts(folder)
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../model.safetensors"}}')


def half_the_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:2000])


def as_an_albert(folder: Path) -> None:
    with_config(model_type="albert", embedding_size=24)(folder)


def without_mask(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace("[MASK]", "[MISK]"))


def as_a_classifier(folder: Path) -> None:
    with_config(architectures=["BertForSequenceClassification"])(folder)
    rewrite(folder, lambda state: {n: t for n, t in state.items() if n.startswith("bert.")})


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
WRONG: list[tuple[Callable[[Path], object], str]] = [
    (remove("config.json"), "config.json is missing"),
    (remove("model.safetensors"), "got no weights, expected model.safetensors or pytorch_model.bin"),
    (remove("tokenizer.json", "vocab.txt"), "got no tokenizer, expected one of tokenizer.json, vocab.txt"),
    (without_a_part, "model-00002-of-00002.safetensors is missing"),
    (with_an_index_that_leads_out, "expected files beside the index"),
    (half_the_weights, "model.safetensors is damaged"),
    (damage("model.safetensors", LFS), "is a Git LFS pointer"),
    (damage("config.json", b'{"model_type": '), "config.json is damaged"),
    (damage("config.json", b"\xff\xfe"), "config.json is damaged"),
    (damage("tokenizer.json", b"{}"), "tokenizer.json is damaged"),
    (without_mask, "got no [MASK]"),
    (as_a_classifier, "got BertForSequenceClassification without a masked-word head"),
    (as_an_albert, "got the weights of bert, expected albert"),
    (with_config(model_type="roberta"), "model_type: got 'roberta'"),
    (with_config(hidden_size=48, num_attention_heads=3), "got shape"),
    (with_config(num_hidden_layers=4), "missing bert.encoder.layer.3."),
    (with_config(vocab_size=7), "expected ids below the model's vocab_size, 7"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_what_is_wrong_with_a_folder_is_one_clear_line(
    wrong: Callable[[Path], object], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong(folder)
    assert said in said_in_one_line(capsys, "--checkpoint", str(folder), TEXT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the capital of france is paris .", "expected a [MASK] in it"),
        ("the capital of france is [mask] .", "expected a [MASK] in it"),
        ("", "expected a [MASK] in it"),
        ("the " * 18 + "[MASK]", "got 21 tokens with [CLS] and [SEP], expected 20 or fewer"),
    ],
)
def test_what_is_wrong_with_a_text_is_one_clear_line(
    text: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in said_in_one_line(capsys, "--checkpoint", str(folder), text)


def test_mistakes_in_the_call_are_one_clear_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "one of them" in said_in_one_line(capsys, TEXT)
    assert "one of them" in said_in_one_line(capsys, "--checkpoint", str(folder), "--hub", "a/b", TEXT)
    assert "got nothing, expected the folder" in said_in_one_line(capsys, "--checkpoint", "no/where", TEXT)
    file = str(folder / "config.json")
    assert "got a file, expected the folder" in said_in_one_line(capsys, "--checkpoint", file, TEXT)


@pytest.mark.parametrize("package", ["safetensors", "tokenizers"])
def test_a_missing_package_is_named_with_what_to_install(
    package: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = said_in_one_line(capsys, "--checkpoint", str(folder), TEXT)
    assert f"needs the package {package}" in said
    assert 'pip install -e ".[huggingface,tokenizers]"' in said
