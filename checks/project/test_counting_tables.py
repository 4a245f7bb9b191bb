"""The counts of the published models and of the paper's tables come out, by formula and from built models."""

from typing import Any

import pytest
import torch

from lessons.given.config import ModelConfig
from solutions.counting import count_parameters, forward_flops, parameter_table
from solutions.models import ALBERTModel, BERTModel

COLUMNS = ("word", "position", "segment", "embedding_norm", "projection", "encoder", "pooler")


def published(
    vocab_size: int, d_model: int, n_layers: int, d_embedding: int | None = None, sharing: Any = "none"
) -> ModelConfig:
    """A configuration with the papers' habits: 512 positions, heads of size 64, F = 4 D."""
    return ModelConfig(
        vocab_size=vocab_size,
        max_len=512,
        d_model=d_model,
        d_embedding=d_embedding or d_model,
        n_layers=n_layers,
        n_heads=d_model // 64,
        sharing=sharing,
    )


BASE, LARGE = (85_054_464, 590_592), (302_309_376, 1_049_600)
# name: vocabulary, D, L, E, sharing | the seven components in the order of COLUMNS
# | their sum, the sum without the pooler, and with both heads (None: no figure recorded)
ROWS: dict[str, tuple[Any, ...]] = {
    "bert-base-uncased": (
        (30_522, 768, 12),
        (23_440_896, 393_216, 1_536, 1_536, 0, *BASE),
        (109_482_240, 108_891_648, 110_106_428),
    ),
    "bert-base-cased": (
        (28_996, 768, 12),
        (22_268_928, 393_216, 1_536, 1_536, 0, *BASE),
        (108_310_272, 107_719_680, None),
    ),
    "bert-large-uncased": (
        (30_522, 1024, 24),
        (31_254_528, 524_288, 2_048, 2_048, 0, *LARGE),
        (335_141_888, 334_092_288, 336_226_108),
    ),
    "BERT-base of the ALBERT paper": (
        (30_000, 768, 12),
        (23_040_000, 393_216, 1_536, 1_536, 0, *BASE),
        (109_081_344, 108_490_752, None),
    ),
    "BERT-large of the ALBERT paper": (
        (30_000, 1024, 24),
        (30_720_000, 524_288, 2_048, 2_048, 0, *LARGE),
        (334_607_360, 333_557_760, None),
    ),
    "albert-base-v2": (
        (30_000, 768, 12, 128, "all"),
        (3_840_000, 65_536, 256, 256, 99_072, 7_087_872, 590_592),
        (11_683_584, 11_092_992, 11_813_810),
    ),
    "albert-large-v2": (
        (30_000, 1024, 24, 128, "all"),
        (3_840_000, 65_536, 256, 256, 132_096, 12_596_224, 1_049_600),
        (17_683_968, 16_634_368, 17_847_474),
    ),
    "albert-xlarge-v2": (
        (30_000, 2048, 24, 128, "all"),
        (3_840_000, 65_536, 256, 256, 264_192, 50_358_272, 4_196_352),
        (58_724_864, 54_528_512, 59_021_490),
    ),
    "albert-xxlarge-v2": (
        (30_000, 4096, 12, 128, "all"),
        (3_840_000, 65_536, 256, 256, 528_384, 201_379_840, 16_781_312),
        (222_595_584, 205_814_272, 223_158_450),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_published_model_has_its_published_counts(name: str) -> None:
    sizes, components, (base, without_pooler, whole) = ROWS[name]
    table = parameter_table(published(*sizes), factorized=len(sizes) > 3)
    assert tuple(table[column] for column in COLUMNS) == components
    assert table["total"] - table["mlm_head"] - table["sentence_head"] == sum(components) == base
    assert base - table["pooler"] == without_pooler
    assert whole is None or table["total"] == whole


@pytest.mark.parametrize("name", ROWS)
def test_the_built_model_has_as_many_parameters_as_the_formula_says(name: str) -> None:
    sizes, *_ = ROWS[name]
    config, factorized = published(*sizes), len(sizes) > 3
    with torch.device("meta"):
        model = ALBERTModel(config) if factorized else BERTModel(config)
    assert_counts_agree(model, config, factorized)


@pytest.mark.parametrize("sharing", ["none", "attention", "ffn", "all"])
@pytest.mark.parametrize("n_groups", [1, 2, 6])
@pytest.mark.parametrize("d_embedding", [5, 12])
def test_formula_and_built_model_agree_at_odd_sizes(sharing: Any, n_groups: int, d_embedding: int) -> None:
    config = ModelConfig(
        vocab_size=31,
        max_len=9,
        n_segments=3,
        d_model=12,
        d_embedding=d_embedding,
        n_layers=6,
        n_heads=3,
        d_ff=7,
        sharing=sharing,
        n_groups=n_groups,
    )
    assert_counts_agree(ALBERTModel(config), config, factorized=True)
    if sharing == "none" and d_embedding == 12:
        assert_counts_agree(BERTModel(config), config, factorized=False)


def assert_counts_agree(model: ALBERTModel | BERTModel, config: ModelConfig, factorized: bool) -> None:
    table = parameter_table(config, factorized)
    embeddings = ("word", "position", "segment", "embedding_norm", "projection")
    assert count_parameters(model) == table["total"] == sum(table.values()) - table["total"]
    assert count_parameters(model.embeddings) == sum(table[part] for part in embeddings)
    assert count_parameters(model.encoder) == table["encoder"]
    assert count_parameters(model.pooler) == table["pooler"]
    assert count_parameters(model.mlm_head) == table["mlm_head"] + table["word"]  # the tied decoder
    assert count_parameters(model.sentence_head) == table["sentence_head"]


def millions(d_model: int, n_layers: int, d_embedding: int, sharing: str, pooler: bool = True) -> float:
    """A model of the ALBERT paper without its heads. At E = D the paper has no projection."""
    table = parameter_table(
        published(30_000, d_model, n_layers, d_embedding, sharing), d_embedding != d_model
    )
    heads = table["mlm_head"] + table["sentence_head"] + (0 if pooler else table["pooler"])
    return (table["total"] - heads) / 1e6


def test_table_1_comes_out_to_its_rounding() -> None:
    assert round(millions(768, 12, 768, "none", pooler=False)) == 108
    assert int(millions(1024, 24, 1024, "none")) == 334  # 334.6; without the pooler 333.6
    assert round(millions(768, 12, 128, "all")) == 12
    assert round(millions(1024, 24, 128, "all")) == 18
    # The paper prints 60 for 58.7, and 235, 233 and 225 for one count, 222.6.
    assert round(millions(2048, 24, 128, "all"), -1) == 60
    assert round(millions(4096, 12, 128, "all"), 1) == 222.6


@pytest.mark.parametrize(
    ("d_embedding", "separate", "shared"), [(64, 87, 10), (128, 89, 12), (256, 93, 16), (768, 108, 31)]
)
def test_table_3_comes_out_to_its_rounding(d_embedding: int, separate: int, shared: int) -> None:
    # The paper's separate column leaves the pooler out, its shared column has it in.
    assert round(millions(768, 12, d_embedding, "none", pooler=False)) == separate
    assert round(millions(768, 12, d_embedding, "all")) == shared


@pytest.mark.parametrize(
    ("d_embedding", "counts"),
    [(768, {"all": 31, "attention": 83, "ffn": 57}), (128, {"all": 12, "attention": 64, "ffn": 38})],
)
def test_table_4_comes_out_to_its_rounding(d_embedding: int, counts: dict[str, int]) -> None:
    assert {sharing: round(millions(768, 12, d_embedding, sharing)) for sharing in counts} == counts


def test_sharing_saves_parameters_and_no_arithmetic() -> None:
    own, shared = (published(30_000, 768, 12, 128, sharing) for sharing in ("none", "all"))
    assert parameter_table(own, True)["encoder"] == 12 * parameter_table(shared, True)["encoder"]
    assert forward_flops(own, 512, True, masked=76) == forward_flops(shared, 512, True, masked=76)
