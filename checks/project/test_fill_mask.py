"""`litebert fill-mask` on small folders: what Hugging Face predicts, from every form of file, and what is refused."""

import json
import pickle
import shutil
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from checks.curriculum import ROOT
from checks.huggingface.configs import read_spec
from checks.huggingface.pieces import read_pieces
from checks.huggingface.predict import best_guesses, encode, mask_logits
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


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Any]]:
    """kind -> its folder and their model, each made once. Tests that change files take a copy."""
    kept: dict[str, tuple[Path, Any]] = {}

    def get(kind: str) -> tuple[Path, Any]:
        if kind not in kept:
            folder = tmp_path_factory.mktemp(kind)
            trained = word_pieces()
            model = save_model(kind, folder, trained.get_vocab_size())
            trained.save(str(folder / "tokenizer.json"))
            trained.save_model(str(folder))
            kept[kind] = (folder, model)
        return kept[kind]

    return get


@pytest.fixture
def folder(made: Callable[[str], tuple[Path, Any]], tmp_path: Path) -> Path:
    """A BERT's folder of the test's own."""
    return Path(shutil.copytree(made("Bert-ForPreTraining")[0], tmp_path / "model"))


def ours(folder: Path, text: str = TEXT, warnings: list[str] | None = None) -> Tensor:
    """The scores of our model at the [MASK]s of a text."""
    spec = read_spec(folder)
    model = load_model(folder, spec, from_huggingface, (warnings if warnings is not None else []).append)
    encoded = encode(open_tokenizer(folder), text, spec.config.max_len, spec.config.vocab_size)
    return mask_logits(model, encoded)


def theirs(folder: Path, model: Any, text: str = TEXT) -> Tensor:
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


KINDS = ["Bert-ForPreTraining", "Albert-ForPreTraining", "Bert-ForMaskedLM", "Albert-ForMaskedLM"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_of_the_course_predicts_what_theirs_predicts(
    kind: str, made: Callable[[str], tuple[Path, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, model = made(kind)
    text = "[MASK] capital of [MASK] is Paris ."
    expected = theirs(folder, model, text)
    assert expected.shape[0] == 2
    assert expected.std() > 0.3  # scores that differ: the agreement says something
    # fp32 round-off through a few layers; a wrong convention shows from 1e-3 on
    torch.testing.assert_close(ours(folder, text), expected, rtol=0.0, atol=1e-5)

    code, out, _ = run(capsys, *CALL, "--checkpoint", str(folder), text)
    assert code == 0
    best = expected.softmax(-1).topk(5)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    shown = [tuple(line.split()) for line in out.splitlines() if line.startswith("  ")]
    assert [token for token, _ in shown] == [
        tokenizer.id_to_token(i) for i in best.indices.flatten().tolist()
    ]
    for (_, percent), probability in zip(shown, best.values.flatten().tolist(), strict=True):
        assert float(percent.rstrip("%")) == pytest.approx(100 * probability, abs=1e-3)
    assert out.count("[MASK]") == 2


def test_one_mask_and_fewer_words_on_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *CALL, "--checkpoint", str(folder), "--top", "2", TEXT)
    assert (code, err) == (0, "")
    first, *words = out.splitlines()
    assert "BERT, 3 layers of 24" in first
    assert len(words) == 2
    assert len(run(capsys, *CALL, "--checkpoint", str(folder), "--top", "10000", TEXT)[1].splitlines()) > 50


def test_an_id_without_a_token_is_shown_as_an_id() -> None:
    tokenizer = word_pieces()._tokenizer
    logits = torch.zeros(1, tokenizer.get_vocab_size() + 3)
    logits[0, -1] = 9.0
    ((guess,),) = best_guesses(logits, tokenizer, top=1)
    assert guess.token == f"[id {logits.shape[1] - 1}]"


def as_parts(folder: Path) -> None:
    state = safetensors.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    halves = [dict(list(state.items())[i::2]) for i in range(2)]
    files = [f"model-0000{i + 1}-of-00002.safetensors" for i in range(2)]
    for half, file in zip(halves, files, strict=True):
        safetensors.save_file(half, folder / file)
    where = {name: file for half, file in zip(halves, files, strict=True) for name in half}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))


def as_pickle(folder: Path) -> None:
    torch.save(safetensors.load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def rewrite(folder: Path, change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> None:
    state = safetensors.load_file(folder / "model.safetensors")
    safetensors.save_file(change(state), folder / "model.safetensors")


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
    expected, warnings = ours(folder), list[str]()
    form(folder)
    assert torch.equal(ours(folder, warnings=warnings), expected)
    assert len(warnings) == (form is as_pickle)


def test_half_precision_weights_run_in_single_precision(folder: Path) -> None:
    expected = ours(folder)
    rewrite(folder, lambda state: {name: tensor.half() for name, tensor in state.items()})
    found = ours(folder)
    assert found.dtype == torch.float32
    # rounding each weight to 11 bits moves a score by some thousandths
    torch.testing.assert_close(found, expected, rtol=0.0, atol=0.05)


def test_missing_heads_are_zeros_and_told_of(made: Callable[[str], tuple[Path, Any]]) -> None:
    warnings: list[str] = []
    ours(made("Bert-ForMaskedLM")[0], warnings=warnings)
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


def damage(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def remove(*names: str) -> Callable[[Path], object]:
    return lambda folder: [(folder / name).unlink() for name in names]


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


def test_a_text_of_just_the_longest_length_runs(folder: Path) -> None:
    assert ours(folder, "the " * 17 + "[MASK]").shape[0] == 1


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


def test_the_code_that_runs_is_the_subjects(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = Path(shutil.copytree(ROOT / "solutions", tmp_path / "mine"))
    call = ("fill-mask", "--subject", str(mine), "--checkpoint", str(folder), TEXT)
    code, out, _ = run(capsys, *call)
    assert code == 0
    assert str(mine) in out
    source = (mine / "heads.py").read_text()
    (mine / "heads.py").write_text(
        source + '\n\ndef _stop(self, hidden):\n    raise NotImplementedError("to do")\n'
    )
    with (mine / "heads.py").open("a") as file:
        file.write("\n\nMLMHead.forward = _stop\n")
    code, _, err = run(capsys, *call)
    assert code == 2
    assert err.startswith("error: to do (`litebert status`")


def test_the_hub_is_asked_only_by_name(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    asked: list[str] = []

    def snapshot_download(name: str, allow_patterns: list[str]) -> str:
        assert not any("bin" in pattern for pattern in allow_patterns)
        asked.append(name)
        if name == "me/offline":
            raise ConnectionError("no network")
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    assert run(capsys, *CALL, "--checkpoint", str(folder), TEXT)[0] == 0
    assert asked == []
    code, out, _ = run(capsys, *CALL, "--hub", "me/bert", TEXT)
    assert code == 0
    assert out.startswith("me/bert: BERT")
    assert "could not be fetched (no network)" in said_in_one_line(capsys, "--hub", "me/offline", TEXT)
