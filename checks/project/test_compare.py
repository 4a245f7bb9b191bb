"""`litebert compare`: the published counts, the configuration of a folder, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from checks.cli.compare import layout
from checks.huggingface.compare import Load, Numbers, Timing, count, measure, relations, rows
from checks.huggingface.configs import BUILT_IN, Spec, spec_from
from checks.project.calling import run
from lessons.given.config import ModelConfig
from solutions import counting, models
from solutions.counting import count_parameters

# name -> (embeddings, encoder and pooler, the whole pre-training model), counted on published models
PUBLISHED = {
    "bert-base-uncased": (109_482_240, 110_106_428),
    "bert-base-cased": (108_310_272, 108_932_934),
    "bert-large-uncased": (335_141_888, 336_226_108),
    "albert-base-v2": (11_683_584, 11_813_810),
    "albert-large-v2": (17_683_968, 17_847_474),
    "albert-xlarge-v2": (58_724_864, 59_021_490),
    "albert-xxlarge-v2": (222_595_584, 223_158_450),
}
BERT: dict[str, Any] = {
    "model_type": "bert",
    "architectures": ["BertForPreTraining"],
    "vocab_size": 60,
    "hidden_size": 12,
    "num_hidden_layers": 4,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 16,
}
ALBERT = {**BERT, "model_type": "albert", "architectures": ["AlbertForMaskedLM"], "embedding_size": 5}


def folder_with(config: object, path: Path) -> Path:
    path.mkdir()
    text = config if isinstance(config, str) else json.dumps(config)
    (path / "config.json").write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_built_in_models_have_the_published_counts(name: str) -> None:
    numbers = count(Spec(name, *BUILT_IN[name]), counting, Load())
    assert (numbers.without_heads, numbers.parameters["total"]) == PUBLISHED[name]


def test_every_published_count_is_of_a_built_in_model() -> None:
    assert PUBLISHED.keys() == BUILT_IN.keys()


def test_fewer_parameters_are_not_fewer_flops(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "compare", "bert-base-uncased", "albert-base-v2", "--subject", "solutions")
    assert code == 0
    # 12 layers of 128 tokens: 8 T D^2 + 4 T D F + 4 T^2 D = 1,862,270,976 each
    for part in (
        "110,106,428",
        "11,813,810",
        "440.4 MB",
        "23.6 MB",
        "0.107x the parameters",
        "0.97x its FLOPs",
    ):
        assert part in out, part
    assert "Fewer parameters are not fewer FLOPs" in out
    flops = count(Spec("b", *BUILT_IN["bert-base-uncased"]), counting, Load(masked=0)).flops
    assert flops == 12 * 1_862_270_976 + 2 * 768**2 + 4 * 768


def test_the_lesson_of_flops_is_drawn_only_where_the_numbers_show_it() -> None:
    large, base = (
        count(Spec(name, *BUILT_IN[name]), counting, Load())
        for name in ("bert-large-uncased", "bert-base-uncased")
    )
    assert len(relations([large, base])) == 1
    assert relations([large]) == []


@pytest.mark.parametrize("raw", [BERT, ALBERT, {**ALBERT, "num_hidden_groups": 2}])
def test_a_folder_counts_as_the_model_that_it_describes(
    raw: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with(raw, tmp_path / "mine")
    spec = spec_from(raw, "mine")
    model = (models.ALBERTModel if spec.factorized else models.BERTModel)(spec.config)
    call = ("compare", str(folder), "--tokens", "16", "--masked", "2", "--subject", "solutions")
    code, out, err = run(capsys, *call)
    assert (code, err) == (0, "")
    assert f"{count_parameters(model):,}" in out
    assert f"{counting.forward_flops(spec.config, 16, spec.factorized, 2) / 1e9:,.3f} G" in out


def test_their_class_has_as_many_parameters_and_its_config_file_is_read(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    theirs = transformers.AlbertForPreTraining(
        transformers.AlbertConfig(
            vocab_size=70,
            embedding_size=6,
            hidden_size=12,
            num_hidden_layers=4,
            num_hidden_groups=2,
            num_attention_heads=2,
            intermediate_size=18,
            max_position_embeddings=40,
        )
    )
    theirs.config.save_pretrained(tmp_path)
    spec = spec_from(json.loads((tmp_path / "config.json").read_text()), "theirs")
    numbers = count(spec, counting, Load(tokens=40, masked=6))
    assert numbers.parameters["total"] == sum(each.numel() for each in theirs.parameters())
    assert (spec.config.n_groups, spec.config.activation, spec.config.dropout) == (2, "gelu_tanh", 0.0)


def test_a_config_file_without_the_optional_keys_means_what_their_classes_mean() -> None:
    assert spec_from(BERT, "b").config == ModelConfig(
        vocab_size=60, max_len=16, d_model=12, n_layers=4, n_heads=3, d_ff=20, dropout=0.1
    )
    albert = spec_from(ALBERT, "a").config
    assert (albert.activation, albert.dropout, albert.sharing) == ("gelu_tanh", 0.0, "all")
    old = {key: value for key, value in BERT.items() if key != "model_type"}
    assert spec_from(old, "b").family == "bert"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "roberta"}, "model_type: got 'roberta', expected 'bert' or 'albert'"),
        ({"model_type": None, "architectures": None}, "model_type: got none"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type: got 'relative_key'"),
        ({"is_decoder": True}, "is_decoder: got True"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings: got False"),
        ({"pruned_heads": {"0": [1]}}, "pruned_heads: got {'0': [1]}"),
        ({"hidden_act": "relu"}, "hidden_act: got 'relu', expected one of gelu,"),
        ({"hidden_act": ["gelu"]}, "hidden_act: got ['gelu']"),
        (
            {"attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": 0.1},
            "attention_probs_dropout_prob: got",
        ),
        ({"hidden_dropout_prob": 1.0, "attention_probs_dropout_prob": 1.0}, "hidden_dropout_prob: got 1.0"),
        ({"num_attention_heads": 5}, "num_attention_heads: got 5 with hidden_size=12"),
        ({"hidden_size": "12"}, "hidden_size: got '12', expected an integer"),
        ({"model_type": "albert"}, "missing embedding_size"),
        ({"model_type": "albert", "embedding_size": 5, "inner_group_num": 2}, "inner_group_num: got 2"),
        (
            {"model_type": "albert", "embedding_size": 5, "num_hidden_groups": 3},
            "num_hidden_groups: got 3 with num_hidden_layers=4, expected a divisor",
        ),
    ],
)
def test_what_the_model_of_the_course_cannot_be_is_named(
    change: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with({**BERT, **change}, tmp_path / "other")
    code, _, err = run(capsys, "compare", str(folder))
    assert code == 2
    assert f"{folder / 'config.json'}: {said}" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give one model or more"),
        (("albret-base-v2",), "Did you mean 'albert-base-v2'?"),
        (("bert-base-uncased", "--tokens", "513"), "got 513 tokens"),
        (("bert-base-uncased", "--tokens", "9", "--masked", "10"), "no more masked than tokens"),
        (("bert-base-uncased", "--measure", "--device", "abacus"), "--device: got 'abacus'"),
        (("bert-base-uncased", "--subject", "sandbox:solutions"), "may run in this process"),
    ],
)
def test_a_mistake_in_the_call_is_one_clear_line(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "compare", *arguments)
    assert code == 2
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("content", ["{", "[1]", None])
def test_a_folder_without_a_readable_config_is_named(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        folder_with(content, tmp_path / "x")
    (tmp_path / "x").mkdir(exist_ok=True)
    code, _, err = run(capsys, "compare", str(tmp_path / "x"))
    assert code == 2
    assert str(tmp_path / "x" / "config.json") in err
    assert len(err.splitlines()) == 1


def test_models_are_timed_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bert, albert = folder_with(BERT, tmp_path / "b"), folder_with(ALBERT, tmp_path / "a")
    sizes = ("--tokens", "16", "--masked", "2", "--batch-size", "2", "--rounds", "1", "--device", "cpu")
    code, out, _ = run(capsys, "compare", str(bert), str(albert), "--measure", *sizes)
    assert code == 0
    for part in ("latency, one sequence", "throughput, batch of 2", "Timed on cpu", "x its time"):
        assert part in out, part


def test_a_timing_says_how_long_and_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0.0, 9.0, 0.0, 9.0, 0.0, 2.0, 0.0, 4.0])  # a round to warm up, then one that counts
    monkeypatch.setattr("checks.huggingface.compare.time.perf_counter", lambda: next(ticks))
    spec = spec_from(ALBERT, "a")
    (timing,) = measure([spec], models, Load(tokens=8, masked=1, batch_size=2, rounds=1))
    assert timing == Timing(latency=2.0, throughput=0.5)
    numbers = Numbers("a", counting.parameter_table(spec.config, True), 1000, timing)
    text = str(rows([numbers], Load(batch_size=2)))
    assert "2,000.0 ms" in text
    assert "0.5 /s" in text


def test_two_folders_of_one_name_are_told_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        folder_with(BERT, tmp_path / name / "model")
    places = [str(tmp_path / name / "model") for name in ("one", "two")]
    code, out, _ = run(capsys, "compare", *places, "--tokens", "16", "--masked", "2")
    assert code == 0
    assert all(place in out for place in places)


def test_a_wide_table_is_broken_into_blocks_that_fit() -> None:
    table = [["", "first", "second", "third"], ["row", "1", "22", "333"]]
    assert layout(table, width=80) == ["     first  second  third", "row      1      22    333"]
    assert layout(table, width=20) == [
        "     first  second",
        "row      1      22",
        "",
        "     third",
        "row    333",
    ]
    assert len(layout(table, width=1)) == 8


def test_only_the_hub_option_asks_the_hub(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    asked = []

    def snapshot_download(name: str, allow_patterns: list[str]) -> str:
        asked.append((name, allow_patterns))
        if name == "me/none":
            raise OSError("no such repository\nand much more")
        return str(folder_with(ALBERT, tmp_path / "fetched"))

    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    size = ("--tokens", "16", "--masked", "2")
    assert run(capsys, "compare", "bert-base-uncased", *size)[0] == 0
    assert asked == []
    code, out, _ = run(capsys, "compare", "--hub", "me/albert", *size)
    assert code == 0
    assert "me/albert" in out
    assert asked == [("me/albert", ["config.json"])]
    code, _, err = run(capsys, "compare", "--hub", "me/none", *size)
    assert code == 2
    assert "--hub me/none: could not be fetched (no such repository)" in err
    assert len(err.splitlines()) == 1
