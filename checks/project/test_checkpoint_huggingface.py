"""On equal weights Hugging Face's models and ours agree, and weights come back bit for bit."""

import math
from typing import Any

import pytest
import torch

from lessons.given.config import ModelConfig
from solutions.checkpoint import from_huggingface, to_huggingface
from solutions.models import ALBERTModel

transformers = pytest.importorskip("transformers")


def random_config(number: int) -> tuple[str, ModelConfig]:
    """One of many small configurations; `number` settles all."""
    draw = torch.Generator().manual_seed(number)

    def pick(*choices: Any) -> Any:
        return choices[int(torch.randint(len(choices), (), generator=draw))]

    family = ("bert", "albert")[number % 2]
    n_heads, d_head, n_groups = pick(1, 2, 3), pick(3, 4, 5, 8), pick(1, 1, 2, 3) if family == "albert" else 1
    d_model = n_heads * d_head
    return family, ModelConfig(
        vocab_size=pick(11, 29, 64),
        max_len=pick(9, 16, 23),
        n_segments=pick(2, 2, 3),
        d_model=d_model,
        d_embedding=pick(d_model, 3, 5, 17) if family == "albert" else d_model,
        n_layers=n_groups * pick(1, 2, 3),
        n_heads=n_heads,
        d_ff=pick(7, 12, 33),
        dropout=0.1,
        sharing="all" if family == "albert" else "none",
        n_groups=n_groups,
        activation=pick("gelu", "gelu_tanh"),
        layer_norm_eps=pick(1e-12, 1e-5),
    )


def their_model(family: str, config: ModelConfig) -> Any:
    """Their model of the same sizes, every tensor (norms and biases too) away from its start."""
    torch.manual_seed(config.vocab_size * 1000 + config.d_model)
    sizes = {
        "vocab_size": config.vocab_size,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.d_ff,
        "hidden_act": {"gelu": "gelu", "gelu_tanh": "gelu_new"}[config.activation],
        "max_position_embeddings": config.max_len,
        "type_vocab_size": config.n_segments,
        "layer_norm_eps": config.layer_norm_eps,
    }
    if family == "bert":
        model = transformers.BertForPreTraining(transformers.BertConfig(**sizes))
    else:
        sizes |= {"embedding_size": config.d_embedding, "num_hidden_groups": config.n_groups}
        model = transformers.AlbertForPreTraining(transformers.AlbertConfig(**sizes))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3 / math.sqrt(config.d_model))
    return model.eval()


def random_batch(config: ModelConfig) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    lengths = torch.tensor([config.max_len, 1, config.max_len - 3, 5])
    mask = torch.arange(config.max_len) < lengths[:, None]
    input_ids = torch.randint(config.vocab_size, mask.shape) * mask
    return input_ids, torch.randint(config.n_segments, mask.shape) * mask, mask


@pytest.mark.parametrize("number", range(28))
def test_outputs_agree_and_weights_come_back_bit_for_bit(number: int) -> None:
    family, config = random_config(number)
    theirs = their_model(family, config)
    state = theirs.state_dict()
    ours = from_huggingface(state, config).eval()
    input_ids, segment_ids, mask = random_batch(config)
    with torch.no_grad():
        expected = theirs(
            input_ids=input_ids,
            token_type_ids=segment_ids,
            attention_mask=mask.long(),
            output_hidden_states=True,
        )
        sequence_output, pooled_output = ours(input_ids, segment_ids, mask)
        mlm, sentence = ours.mlm_logits(sequence_output), ours.sentence_logits(pooled_output)
    their_sentence = expected.seq_relationship_logits if family == "bert" else expected.sop_logits
    for got, wanted in (
        (sequence_output[mask], expected.hidden_states[-1][mask]),
        (mlm[mask], expected.prediction_logits[mask]),
        (sentence, their_sentence.flip(-1)),
    ):
        # fp32 round-off through a few layers; a wrong convention shows from 1e-4 on
        torch.testing.assert_close(got, wanted, rtol=0.0, atol=1e-5)

    back = to_huggingface(ours)
    assert back.keys() == state.keys()
    assert all(torch.equal(back[name], state[name]) for name in state)
    theirs.load_state_dict(back, strict=True)


def test_the_random_configurations_cover_what_matters() -> None:
    drawn = [random_config(number) for number in range(28)]
    albert = [config for family, config in drawn if family == "albert"]
    assert {config.activation for _, config in drawn} == {"gelu", "gelu_tanh"}
    assert {config.n_groups for config in albert} >= {1, 2, 3}
    assert any(config.d_embedding == config.d_model for config in albert)
    assert any(config.d_embedding > config.d_model for config in albert)
    assert any(config.d_model % 2 and config.d_ff % 2 for _, config in drawn)


@pytest.mark.parametrize("number", [0, 1])
def test_every_dtype_is_kept_and_no_memory_is_shared(number: int) -> None:
    family, config = random_config(number)
    for dtype in (torch.float64, torch.bfloat16):
        state = their_model(family, config).to(dtype).state_dict()
        before = {name: tensor.clone() for name, tensor in state.items()}
        ours = from_huggingface(state, config)
        back = to_huggingface(ours)
        assert {parameter.dtype for parameter in ours.parameters()} == {dtype}
        assert ours.mlm_head.decoder.weight is ours.embeddings.word.weight
        with torch.no_grad():
            for parameter in ours.parameters():
                parameter.fill_(7.0)
        assert all(torch.equal(tensor, before[name]) for name, tensor in state.items())
        assert all(torch.equal(tensor, before[name]) for name, tensor in back.items())
        assert len({tensor.data_ptr() for tensor in back.values()}) == len(back)


@pytest.mark.parametrize("number", [0, 1])
def test_copies_and_position_ids_may_be_missing_but_must_agree(number: int) -> None:
    family, config = random_config(number)
    state = their_model(family, config).state_dict()
    copies = [name for name in state if ".decoder." in name or name.startswith("predictions.decoder.")]
    position_ids = f"{family}.embeddings.position_ids"
    full = {**state, position_ids: torch.arange(config.max_len)[None]}
    expected = to_huggingface(from_huggingface(full, config))
    assert len(copies) == 2
    for name in (*copies, position_ids):
        less = {key: tensor for key, tensor in full.items() if key != name}
        back = to_huggingface(from_huggingface(less, config))
        assert all(torch.equal(back[key], expected[key]) for key in expected)
        with pytest.raises(ValueError, match=name):
            from_huggingface({**full, name: full[name] + 1}, config)


@pytest.mark.parametrize("number", [0, 1])
def test_what_does_not_fit_is_named(number: int) -> None:
    family, config = random_config(number)
    state = their_model(family, config).state_dict()
    copies = {name for name in state if "decoder" in name}
    for name in state.keys() - copies:
        with pytest.raises(ValueError, match=name):
            from_huggingface({key: tensor for key, tensor in state.items() if key != name}, config)
        with pytest.raises(ValueError, match=r"shape|copy"):
            from_huggingface({**state, name: torch.zeros(2, 3, 4)}, config)
    with pytest.raises(ValueError, match=r"extra\.weight"):
        from_huggingface({**state, "extra.weight": torch.zeros(1)}, config)
    with pytest.raises(ValueError, match="prefixes"):
        from_huggingface({}, config)
    other = random_config(1 - number)[1]
    with pytest.raises(ValueError, match="sharing"):
        from_huggingface(state, other)


@pytest.mark.parametrize("sharing", ["none", "attention", "ffn"])
def test_an_albert_that_does_not_share_all_is_refused(sharing: Any) -> None:
    config = ModelConfig(vocab_size=9, d_model=4, n_heads=2, d_embedding=3, n_layers=2, sharing=sharing)
    with pytest.raises(ValueError, match="sharing"):
        to_huggingface(ALBERTModel(config))
