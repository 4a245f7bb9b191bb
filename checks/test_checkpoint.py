"""Checks of lesson 11."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from checks.fixtures.checkpoint import Recorded, recorded
from checks.judge import Wrong, check, close, equal, is_array, rejects, true
from checks.judge.expect import show
from checks.oracles import checkpoint as oracle
from checks.subject import Raised, Subject
from lessons.given.config import ModelConfig

# Float32 through a few layers of width 15: rounding stays below 3e-6, a wrong convention shows from 1e-4 on.
SINGLE = 1e-5
FAMILIES = ("bert", "albert")
MODELS = ("attention", "transformer", "embeddings", "encoders", "heads", "models")


def expect_state(got: Any, want: dict[str, np.ndarray], because: str) -> None:
    """The same names, and under each the same values bit for bit, in the same dtype."""
    if not isinstance(got, dict):
        raise Wrong("a dict of arrays by name", show(got), because)
    equal(sorted(got), sorted(want), because)
    for name, array in want.items():
        equal(got[name], array, f"{name}: {because}")
        true(
            got[name].dtype == array.dtype,
            because,
            expected=f"{name} in {array.dtype}",
            got=str(got[name].dtype),
        )


def expect_words(subject: Subject, name: str) -> None:
    """Hidden states and MLM logits at real tokens are the recorded ones."""
    case = recorded(name)
    hidden, _, model = _outputs(subject, case)
    mask = case.attention_mask
    because = "recorded with Hugging Face's model on the same weights and the same padded batch"
    close(hidden[mask], case.hidden[mask], because, atol=SINGLE)
    logits = model(hidden, method="mlm_logits")
    is_array(logits, case.mlm_logits.shape, "f", because)
    close(logits[mask], case.mlm_logits[mask], because, atol=5 * SINGLE)


@check("from_huggingface", points=0.5)
def test_a_bert_of_hugging_face_gives_the_same_outputs_here(subject: Subject) -> None:
    """With the weights of a BertForPreTraining our model gives its hidden states and word logits."""
    for name in ("bert", "bert_tanh"):
        expect_words(subject, name)


@check("from_huggingface", points=0.5)
def test_an_albert_of_hugging_face_gives_the_same_outputs_here(subject: Subject) -> None:
    """With the weights of an AlbertForPreTraining our model gives its hidden states and word logits.

    One has two groups of layers, the other E = D.
    """
    for name in ("albert", "albert_square"):
        expect_words(subject, name)


@check("from_huggingface", points=0.5)
def test_the_sentence_classes_change_places(subject: Subject) -> None:
    """Their logit of class 0, the true order, is our logit 1.

    Nothing breaks when this is forgotten: the model only says the opposite.
    """
    for name in oracle.NAMES:
        case = recorded(name)
        _, pooled, model = _outputs(subject, case)
        got = model(pooled, method="sentence_logits")
        because = "the weight's rows and the bias's entries change places"
        close(got, case.sentence_logits[:, ::-1].copy(), because, atol=SINGLE)
        oracle.FROM_PROBE(subject, case)


@check("from_huggingface", points=0.25)
def test_tied_copies_may_be_missing_and_must_agree(subject: Subject) -> None:
    """The decoder's copies of word table and bias may be missing; one that differs from its original is a ValueError.

    A copy that differs was not tied when it was stored: such a model is another one.
    """
    for family in FAMILIES:
        state, config = _made(family, 1)
        want = oracle.ours(state, family, config)
        for name in oracle.copies(family):
            less = {key: array for key, array in state.items() if key != name}
            expect_loads(subject, less, config, want, f"without {name} everything is there")
            other = state | {name: state[name] + 1}
            expect_refused(subject, other, config, f"{name} is another tensor than what it should copy")
        bare = {key: array for key, array in state.items() if key not in oracle.copies(family)}
        expect_loads(subject, bare, config, want, "without both copies everything is there")


@check("from_huggingface", points=0.25)
def test_position_ids_may_be_there_and_must_be_right(subject: Subject) -> None:
    """Old checkpoints hold the numbers 0 to max_len - 1 as position ids; other numbers are a ValueError."""
    for family in FAMILIES:
        state, config = _made(family, 2)
        name, ids = f"{family}.embeddings.position_ids", np.arange(config.max_len)[None]
        want = oracle.ours(state, family, config)
        expect_loads(subject, state | {name: ids}, config, want, "position ids say nothing new")
        expect_refused(subject, state | {name: ids[:, ::-1].copy()}, config, "positions in another order")
        expect_refused(subject, state | {name: ids[:, :-1].copy()}, config, "one position is missing")


@check("from_huggingface", points=0.25)
def test_missing_and_unknown_names_are_all_listed(subject: Subject) -> None:
    """A missing and an unknown name are a ValueError that lists them all; with the right names the weights are loaded.

    A tensor that is silently left at its random start still trains, only worse.
    """
    for family, lost in (
        ("bert", ("bert.pooler.dense.bias", "cls.predictions.bias")),
        ("albert", ("albert.pooler.bias", "predictions.bias")),
    ):
        state, config = _made(family, 3)
        expect_loads(subject, state, config, oracle.ours(state, family, config), "every name is known")
        less = {key: array for key, array in state.items() if key not in lost}
        expect_refused(subject, less, config, "two names are missing", lost)
        expect_refused(
            subject, state | {"extra.w": np.ones(1, np.float32)}, config, "one is unknown", ("extra.w",)
        )


@check("from_huggingface", points=0.25)
def test_a_checkpoint_that_does_not_fit_the_configuration_is_refused(subject: Subject) -> None:
    """Wrong shapes, neither family or both, an ALBERT that does not share all: ValueError; what fits is loaded."""
    for family in FAMILIES:
        state, config = _made(family, 4)
        expect_loads(subject, state, config, oracle.ours(state, family, config), "sizes fit")
        name = f"{family}.embeddings.position_embeddings.weight"
        expect_refused(subject, state | {name: state[name][:-1].copy()}, config, "a position too few")
        other = oracle.config_of(family, vocab_size=12)
        expect_refused(subject, state, other, "the configuration has another vocabulary")
    both = _made("bert", 4)[0] | _made("albert", 4)[0]
    expect_refused(subject, both, oracle.config_of("bert"), "names of both families")
    plain = {"word": np.ones((2, 2), np.float32)}
    expect_refused(subject, plain, oracle.config_of("bert"), "names of neither family")
    single = oracle.config_of("albert", n_layers=1, n_groups=1)
    state = oracle.made("albert", single, np.random.default_rng(4))
    expect_loads(subject, state, single, oracle.ours(state, "albert", single), "one layer, shared by itself")
    expect_refused(subject, state, replace(single, sharing="none"), "an ALBERT checkpoint shares all")


@check("from_huggingface", points=0.25)
def test_the_model_has_the_checkpoints_dtype_and_its_own_memory(subject: Subject) -> None:
    """A float64 checkpoint gives a float64 model, bit for bit; training it leaves the checkpoint as it was."""
    for family in FAMILIES:
        state, config = _made(family, 5)
        double = {name: array.astype(np.float64) + 1e-12 for name, array in state.items()}
        for given in (state, double):
            want = oracle.ours(given, family, config)
            expect_loads(subject, given, config, want, "values and dtype are the checkpoint's")
        ref = subject.put(state)
        model = subject.keep_module("from_huggingface", ref, config)
        expect_state(model.state(), oracle.ours(state, family, config), "the weights of the checkpoint")
        model.load({name: array * 0 - 7 for name, array in oracle.ours(state, family, config).items()})
        expect_state(subject.get(ref), state, "the model's weights were changed, not the checkpoint's")


@check("to_huggingface", points=0.75)
def test_weights_go_out_under_their_names(subject: Subject) -> None:
    """Every tensor comes under Hugging Face's name, bit for bit, and no other name is there.

    The sentence classifier and the decoder's copies are left to other checks.
    """
    for name in oracle.NAMES:
        case = recorded(name)
        got = subject.call("to_huggingface", oracle.ours_model(subject, case.family, case.config, case.state))
        aside = {key for key in case.state if key in oracle.copies(case.family) or _of_classifier(key)}
        want = {key: array for key, array in case.state.items() if key not in aside}
        rest = (
            {key: array for key, array in got.items() if key not in aside} if isinstance(got, dict) else got
        )
        expect_state(rest, want, "as in the recorded checkpoint")


@check("to_huggingface", points=0.25)
def test_the_sentence_classes_change_back(subject: Subject) -> None:
    """Our row 1, the true order, is their row 0, in the weight and in the bias."""
    for family in FAMILIES:
        state, config = _made(family, 6)
        got = subject.call("to_huggingface", oracle.ours_model(subject, family, config, state))
        want = {key: array for key, array in state.items() if _of_classifier(key)}
        rest = {key: array for key, array in got.items() if key in want} if isinstance(got, dict) else got
        expect_state(rest, want, "the rows change places")


@check("to_huggingface", points=0.25)
def test_the_decoders_copies_are_written(subject: Subject) -> None:
    """The decoder's weight is the word table once more, its bias the head's bias: strict loading asks for both."""
    for family in FAMILIES:
        state, config = _made(family, 7)
        got = subject.call("to_huggingface", oracle.ours_model(subject, family, config, state))
        want = {name: state[original] for name, original in oracle.copies(family).items()}
        rest = {key: array for key, array in got.items() if key in want} if isinstance(got, dict) else got
        expect_state(rest, want, "a copy of what it is tied to")


@check("to_huggingface", points=0.25)
def test_there_and_back_is_bit_for_bit(subject: Subject) -> None:
    """A recorded checkpoint that is read and written again is the same in every bit."""
    for name in oracle.NAMES:
        case = recorded(name)
        model = subject.keep_module("from_huggingface", case.state, case.config)
        because = "names, copies and rows go there and back"
        expect_state(model.state(), oracle.ours(case.state, case.family, case.config), "read under our names")
        expect_state(subject.call("to_huggingface", model), case.state, because)


@check("to_huggingface", points=0.25)
def test_what_is_written_has_its_own_memory(subject: Subject) -> None:
    """No two entries share memory, nor any with the model: whoever changes one changes nothing else."""
    for family in FAMILIES:
        state, config = _made(family, 8)
        model = oracle.ours_model(subject, family, config, state)
        expect_state(subject.call("to_huggingface", model), state, "the checkpoint that the model holds")
        got = subject.overwritten("to_huggingface", model)
        expect_state(
            model.state(),
            oracle.ours(state, family, config),
            "what was written was overwritten, not the model",
        )
        if not isinstance(got, dict) or sorted(got) != sorted(state):
            raise Wrong("every tensor by its name", show(got), "the names of the checkpoint")
        marks = [float(array.flat[0]) for array in got.values()]
        because = "each entry was filled with a number of its own: those that share memory show one number"
        true(
            len(set(marks)) == len(marks),
            because,
            expected="a tensor of its own for each name",
            got=f"{marks}",
        )


@check("to_huggingface", points=0.25)
def test_only_what_hugging_face_has_can_be_written(subject: Subject) -> None:
    """An ALBERT whose sharing is not "all" is a ValueError; one of two groups is written."""
    state, config = _made("albert", 9)
    got = subject.call("to_huggingface", oracle.ours_model(subject, "albert", config, state))
    expect_state(got, state, "two groups that share all")
    for sharing in ("none", "attention", "ffn"):
        other = oracle.config_of("albert", sharing=sharing, n_groups=1)
        model = subject.module("models.ALBERTModel", other, double=False)
        because = f"there is no AlbertForPreTraining with sharing {sharing!r}"
        rejects(partial(subject.call, "to_huggingface", model), "ValueError", because)


@check("from_huggingface", points=0.25, assembly=True, uses=MODELS)
def test_your_own_models_give_hugging_faces_outputs(assembly: Subject) -> None:
    """Your own BERT and ALBERT, from attention to heads, give Hugging Face's outputs on Hugging Face's weights."""
    for name in oracle.NAMES:
        expect_words(assembly, name)


def _made(family: str, seed: int) -> tuple[dict[str, np.ndarray], ModelConfig]:
    config = oracle.config_of(family)
    return oracle.made(family, config, np.random.default_rng(seed)), config


def _of_classifier(name: str) -> bool:
    return name.startswith(("cls.seq_relationship", "sop_classifier"))


def _outputs(subject: Subject, case: Recorded) -> tuple[Any, Any, Any]:
    """Sequence output, pooled output and the model, in eval mode."""
    model = subject.keep_module("from_huggingface", case.state, case.config).change("eval")
    outputs = model(case.input_ids, case.segment_ids, case.attention_mask)
    if not isinstance(outputs, list) or len(outputs) != 2:
        raise Wrong(
            "(sequence_output, pooled_output)", show(outputs), "what comes is one of lesson 10's models"
        )
    is_array(outputs[0], case.hidden.shape, "f", "a vector for each token")
    return outputs[0], outputs[1], model


def expect_loads(
    subject: Subject,
    state: dict[str, np.ndarray],
    config: ModelConfig,
    want: dict[str, np.ndarray],
    because: str,
) -> None:
    """The checkpoint is read, and the model holds `want`."""
    model = subject.keep_module("from_huggingface", state, config)
    expect_state(model.state(), want, because)


def expect_refused(
    subject: Subject,
    state: dict[str, np.ndarray],
    config: ModelConfig,
    because: str,
    names: tuple[str, ...] = (),
) -> None:
    """A ValueError, whose message has all of `names` in it."""
    rejects(lambda: subject.keep_module("from_huggingface", state, config), "ValueError", because)
    try:
        subject.keep_module("from_huggingface", state, config)
    except Raised as raised:
        missed = [name for name in names if name not in raised.message]
        text = f"a message that names {', '.join(names)}"
        true(not missed, because, expected=text, got=raised.message or "no message")
