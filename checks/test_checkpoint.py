"""Checks of lesson 11."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from checks.fixtures.checkpoint import Recorded, recorded
from checks.judge import Wrong, check, close, equal, is_array, rejects, true
from checks.judge.expect import show
from checks.oracles import checkpoint as oracle
from checks.subject import ModuleHandle, Raised, Subject, props
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

    A copy that differs was not tied when it was stored: such a model is another one. In the model that comes, word
    table and decoder are one tensor.
    """
    for family in FAMILIES:
        state, config = _made(family, 1)
        want = oracle.ours(state, family, config)
        for name in oracle.copies(family):
            less = {key: array for key, array in state.items() if key != name}
            expect_loads(subject, less, config, want, f"without {name} everything is there")
            for other, because in oracle.no_copies(state[name]):
                expect_refused(subject, state | {name: other}, config, f"{name} {because}")
        double = oracle.doubled(state)
        for name, original in oracle.copies(family).items():
            less = {key: array for key, array in state.items() if key != original}
            because = "a copy does not stand in for its original"
            expect_refused(subject, less, config, because, (original,))
            nudged, because = oracle.no_copies(double[name])[1]
            expect_refused(subject, double | {name: nudged}, config, f"in float64, {name} {because}")
        bare = oracle.without_copies(state, family)
        expect_loads(subject, bare, config, want, "without both copies everything is there")
        expect_one_word_table(subject, state, config)


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
        more = np.arange(config.max_len + 1)[None]
        expect_refused(subject, state | {name: more}, config, "there is a position more than max_len")
        expect_refused(subject, state | {name: ids[0]}, config, "position ids have shape [1, max_len]")
        twice = np.concatenate([ids, ids])
        expect_refused(subject, state | {name: twice}, config, "position ids have one row")


@check("from_huggingface", points=0.25)
def test_missing_and_unknown_names_are_all_listed(subject: Subject) -> None:
    """A missing and an unknown name are a ValueError that lists them all; with the right names the weights are loaded.

    A tensor that is silently left at its random start still trains, only worse. The longest list here is of twelve
    short names.
    """
    many = {f"x{i}.w": np.ones(1, np.float32) for i in range(12)}
    for family, lost, also_lost in (
        (
            "bert",
            ("bert.pooler.dense.bias", "cls.predictions.bias"),
            ("bert.pooler.dense.weight", "cls.seq_relationship.bias", "cls.seq_relationship.weight"),
        ),
        (
            "albert",
            ("albert.pooler.bias", "predictions.bias"),
            ("albert.pooler.weight", "predictions.dense.bias", "predictions.LayerNorm.bias"),
        ),
    ):
        state, config = _made(family, 3)
        expect_loads(subject, state, config, oracle.ours(state, family, config), "every name is known")
        less = {key: array for key, array in state.items() if key not in lost}
        expect_refused(subject, less, config, "two names are missing", lost)
        two = {"extra.w": np.ones(1, np.float32), "more.position_ids": np.ones(2, np.float32)}
        because = "names are missing, and others are unknown: a learner who mends one kind wants to see both"
        expect_refused(subject, less | two, config, because, (*lost, *two))
        expect_refused(subject, state | many, config, "twelve are unknown", tuple(many))
        least = {key: array for key, array in less.items() if key not in also_lost}
        expect_refused(subject, least, config, "five are missing", (*lost, *also_lost))
        for renamed, because in oracle.other_names(state, family):
            expect_refused(subject, renamed, config, because)


@check("from_huggingface", points=0.25)
def test_a_checkpoint_that_does_not_fit_the_configuration_is_refused(subject: Subject) -> None:
    """Wrong shapes, neither family or both, an ALBERT that does not share all: ValueError; what fits is loaded."""
    for family in FAMILIES:
        state, config = _made(family, 4)
        backwards = dict(reversed(state.items()))
        expect_loads(subject, backwards, config, oracle.ours(state, family, config), "sizes fit in any order")
        for changed, because in oracle.other_shapes(state, family, config):
            expect_refused(subject, state | changed, config, because)
        other = oracle.config_of(family, vocab_size=10)
        expect_refused(subject, state, other, "the configuration has another vocabulary")
        other = oracle.config_of(family, **{"n_layers" if family == "bert" else "n_groups": 1})
        expect_refused(subject, state, other, "the checkpoint has more sets of layer weights")
    both = _made("bert", 4)[0] | _made("albert", 4)[0]
    expect_refused(subject, both, oracle.config_of("bert"), "names of both families")
    plain = {"word": np.ones((2, 2), np.float32)}
    expect_refused(subject, plain, oracle.config_of("bert"), "names of neither family")
    expect_refused(subject, {}, oracle.config_of("bert"), "no names at all")
    state, config = _made("bert", 4)
    expect_refused(subject, state, replace(config, sharing="all"), "a BERT checkpoint shares nothing")
    expect_refused(subject, state, replace(config, d_embedding=5), "a BERT checkpoint has no projection")
    deep = oracle.config_of("bert", n_layers=11)
    state = oracle.made("bert", deep, np.random.default_rng(4))
    expect_loads(subject, state, deep, oracle.ours(state, "bert", deep), "layer 10 comes after layer 9")
    single = oracle.config_of("albert", n_layers=1, n_groups=1)
    state = oracle.made("albert", single, np.random.default_rng(4))
    expect_loads(subject, state, single, oracle.ours(state, "albert", single), "one layer, shared by itself")
    for sharing in ("none", "attention", "ffn"):
        expect_refused(subject, state, replace(single, sharing=sharing), "an ALBERT checkpoint shares all")


@check("from_huggingface", points=0.25)
def test_the_model_has_the_checkpoints_dtype_and_its_own_memory(subject: Subject) -> None:
    """A float64 checkpoint gives a float64 model, bit for bit, and so in float16; training leaves the checkpoint alone.

    Where dtypes differ, that of the word table decides. Every weight can be trained, and the dictionary that was
    given has the entries it had.
    """
    for family in FAMILIES:
        state, config = _made(family, 5)
        for given in (oracle.doubled(state), oracle.halved(state)):
            want = oracle.ours(given, family, config)
            expect_loads(subject, given, config, want, "values and dtype are the checkpoint's")
        wide = oracle.doubled(oracle.ours(state, family, config), 0.0)
        mixed = oracle.word_table_doubled(state, family)
        expect_loads(subject, mixed, config, wide, "only the word table is in float64: its dtype decides")
        expect_trainable(subject, state, config)
        old = {f"{family}.embeddings.position_ids": np.arange(config.max_len)[None]} | state
        for given in (state, old, oracle.without_copies(state, family)):
            expect_apart(subject, given, config, oracle.ours(state, family, config))
    first = subject.keep_module("from_huggingface", state, config)
    subject.keep_module("from_huggingface", oracle.doubled(state, 1.0), config)
    because = "another checkpoint was read meanwhile: each call gives a model of its own"
    expect_state(first.state(), oracle.ours(state, family, config), because)


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
    """A checkpoint that is read and written again is the same in every bit, in float32, float64 or float16."""
    for name in oracle.NAMES:
        case = recorded(name)
        model = subject.keep_module("from_huggingface", case.state, case.config)
        because = "names, copies and rows go there and back"
        expect_state(model.state(), oracle.ours(case.state, case.family, case.config), "read under our names")
        expect_state(subject.call("to_huggingface", model), case.state, because)
    for family in FAMILIES:
        state, config = _made(family, 10)
        for other in (oracle.doubled(state), oracle.halved(state)):
            model = subject.keep_module("from_huggingface", other, config)
            because = "other dtypes go there and back too"
            expect_state(subject.call("to_huggingface", model), other, because)


@check("to_huggingface", points=0.25)
def test_what_is_written_has_its_own_memory(subject: Subject) -> None:
    """No two entries share memory, nor any with the model: whoever changes one changes nothing else.

    No entry hangs on the model's graph, and the model is left as it was, with its mode.
    """
    for family, how in (("bert", "train"), ("albert", "eval")):
        state, config = _made(family, 8)
        model = oracle.ours_model(subject, family, config, state).change(how)
        expect_left(subject, model, state, oracle.ours(state, family, config), how)
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
    for sharing, width in (("none", 5), ("none", 6), ("attention", 5), ("ffn", 5)):
        other = oracle.config_of("albert", sharing=sharing, n_groups=1, d_embedding=width)
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
    messages = []

    def attempt() -> Any:
        try:
            return subject.keep_module("from_huggingface", state, config)
        except Raised as raised:
            messages.append(raised.message)
            raise

    rejects(attempt, "ValueError", because)
    missed = [name for name in names if name not in messages[0]]
    text = f"a message that names {', '.join(names)}"
    true(not missed, because, expected=text, got=messages[0] or "no message")


def expect_one_word_table(subject: Subject, state: dict[str, np.ndarray], config: ModelConfig) -> None:
    """The logits change with the word table that is loaded, at the slope that is their gradient by it.

    Two tensors of equal values would agree until the first step of training.
    """
    model = subject.keep_module("from_huggingface", oracle.doubled(state), config)
    rng = np.random.default_rng(config.d_embedding)
    hidden = rng.normal(size=(2, 3, config.d_model))
    because = "decoder and word table are one tensor: its gradient and its new values are those of both"
    before = model(hidden, method="mlm_logits")
    is_array(before, (2, 3, config.vocab_size), "f", because)
    cotangent = rng.normal(size=before.shape)
    slopes: Any = model.backward(hidden, method="mlm_logits", cotangents=[cotangent]).by_name[oracle.WORD]
    word = model.state()[oracle.WORD]
    is_array(slopes, word.shape, "f", because)
    move = rng.normal(size=word.shape)
    changed = model.load({oracle.WORD: word + move})(hidden, method="mlm_logits") - before
    largest = float(np.abs(changed).max())
    true(largest > 0.1, because, expected="logits of the new word table", got="those of the old one")
    # The logits are linear in the table: float64 and two sums of some sixty terms.
    close(float((changed * cotangent).sum()), float((slopes * move).sum()), because, atol=1e-8)


def expect_trainable(subject: Subject, state: dict[str, np.ndarray], config: ModelConfig) -> None:
    """Every tensor of the model has a gradient from its hidden states, its word logits or its sentence logits."""
    model = subject.keep_module("from_huggingface", state, config)
    because = "whoever loads a checkpoint wants to train it further"
    ids = np.arange(config.max_len)[None]
    hidden, pooled = np.ones((1, 2, config.d_model), np.float32), np.ones((1, config.d_model), np.float32)
    words, pairs = np.ones((1, 2, config.vocab_size)), np.ones((1, 2))
    states = [np.ones((1, config.max_len, config.d_model)), np.ones((1, config.d_model))]
    try:
        passes = [
            model.backward(ids, cotangents=[*states]),
            model.backward(hidden, method="mlm_logits", cotangents=[words]),
            model.backward(pooled, method="sentence_logits", cotangents=[pairs]),
        ]
    except Raised as raised:
        raise Wrong("a model that can be trained", str(raised), because) from None
    reached = {name for found in passes for name, slope in found.by_name.items() if slope is not None}
    equal(sorted(set(model.state()) - reached), [], f"the names without a gradient: {because}")


def expect_apart(
    subject: Subject, state: dict[str, np.ndarray], config: ModelConfig, want: dict[str, np.ndarray]
) -> None:
    """The dictionary that was given is as it was, also after the model's weights changed."""
    ref = subject.put(state)
    model = subject.keep_module("from_huggingface", ref, config)
    expect_state(model.state(), want, "the weights of the checkpoint")
    expect_state(subject.get(ref), state, "`from_huggingface` leaves its argument as it is")
    model.load({name: array * 0 - 7 for name, array in want.items()})
    expect_state(subject.get(ref), state, "the model's weights were changed, not the checkpoint's")


def expect_left(
    subject: Subject, model: ModuleHandle, state: dict[str, np.ndarray], ours: dict[str, np.ndarray], how: str
) -> None:
    """One call writes `state` without a graph; the model still holds `ours`, in the mode `how`, its gradients too."""
    frozen, trained = "pooler.dense.weight", "pooler.dense.bias"
    props.freeze(model, frozen)
    left = np.ones_like(ours[trained])
    props.leave_gradients(model, {trained: left})
    got, graphs = props.recorded(subject, "to_huggingface", model)
    expect_state(got, state, "the checkpoint that the model holds")
    expect_state(model.state(), ours, "`to_huggingface` leaves the model as it is")
    because = "`to_huggingface` leaves the model in the mode it finds"
    got_mode = "train" if model.training() else "eval"
    true(got_mode == how, because, expected=f"a model in {how} mode", got=f"{got_mode} mode")
    lies = props.gradients_now(model)[trained]
    because = "gradients that lie on the model stay there"
    true(lies is not None and np.array_equal(lies, left), because, expected=left, got=lies)
    ids, width = np.zeros((1, 2), np.int64), len(left)
    found = model.backward(ids, cotangents=[np.ones((1, 2, width)), np.ones((1, width))]).by_name
    true(found[frozen] is None, "this was frozen before", expected="no gradient", got=found[frozen])
    hanging = sum(graphs)
    because = "what is written needs no gradient: it is not part of the model's graph"
    true(not hanging, because, expected="tensors without a gradient", got=f"{hanging} that ask for one")
