"""Checks of lesson 9."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from checks.judge import check, close, equal, rejects
from checks.oracles import heads as oracle
from checks.oracles.sharing import expect_moves_as_one
from checks.oracles.slopes import expect_gradients
from checks.oracles.transformer_own import expect_own_weights, expect_unseeded
from checks.subject import ModuleHandle, Subject

Case = dict[str, Any]
SEEDS = st.integers(0, 2**32 - 1)
LEADS = st.sampled_from([(3, 5), (4,), (1, 1), (2, 1, 3), (), (0,), (0, 5)])
POOLED = "tanh of the dense map of each row's first token"
SCORED = "decoder(norm(activation(dense(hidden)))), with the word table as the decoder's matrix"
NAMED = "the state holds the tensors of the interface and no others: checkpoints are read by these names"


@check("Pooler", points=1)
@given(seed=SEEDS, rows=st.integers(1, 4), tokens=st.integers(1, 5), size=st.sampled_from([3, 4, 8]))
def test_the_first_token_is_mapped_and_squashed(
    subject: Subject, seed: int, rows: int, tokens: int, size: int
) -> None:
    """Each row's pooled vector is tanh(dense(its first token)), whatever the other tokens are."""
    c = oracle.pooler_case(np.random.default_rng(seed), rows, tokens, size)
    close(oracle.POOLER_PROBE(subject, c), oracle.pooler(c["weights"], c["hidden"]), POOLED, atol=1e-9)


@check("Pooler", points=0.5)
def test_gradients_of_the_pooler_reach_dense_and_the_first_token(subject: Subject) -> None:
    """Training reaches the dense map, and through it the first token alone."""
    c = oracle.pooler_case(np.random.default_rng(91))
    cotangent = np.random.default_rng(92).normal(size=(3, 8))
    at = c["weights"] | {"hidden": c["hidden"]}

    def value(at: dict[str, np.ndarray]) -> float:
        return float((oracle.pooler(at, at["hidden"]) * cotangent).sum())

    module = subject.module("Pooler", c["config"], weights=c["weights"])
    expect_slopes_in_both_modes(module, c["hidden"], cotangent, value, at, 93)


@check("Pooler", points=0.5)
def test_the_pooler_has_no_dropout_and_leaves_its_input(subject: Subject) -> None:
    """In train mode the pooler gives the same, and the hidden states given stay as they are.

    The masked-word head still needs them. The state holds dense, and nothing else. It works in float32 too, and a
    copy has its own weights.
    """
    c = oracle.pooler_case(np.random.default_rng(94), rows=7, tokens=3, dropout=0.5)
    expect_quiet(subject, "Pooler", "sequence_output", c, oracle.pooler, POOLED)


@check("MLMHead", points=1)
@given(seed=SEEDS, lead=LEADS, sizes=st.sampled_from([(8, 6, 11), (4, 4, 7), (3, 5, 9)]))
def test_every_word_gets_its_score(
    subject: Subject, seed: int, lead: tuple[int, ...], sizes: tuple[int, int, int]
) -> None:
    """The scores are decoder(norm(activation(dense(hidden)))) over the word table, with any leading axes.

    A row of none is allowed: a batch may have nothing to predict.
    """
    d_model, size, words = sizes
    changes = {"d_model": d_model, "d_embedding": size, "vocab_size": words, "n_heads": 1}
    c = oracle.mlm_case(np.random.default_rng(seed), lead, **changes)
    (got,) = oracle.MLM_PROBE(subject, [c])
    close(got, oracle.mlm(c["weights"], c["table"], c["config"], c["hidden"]), SCORED, atol=1e-7, rtol=1e-7)


@check("MLMHead", points=0.5)
def test_activation_and_epsilon_come_from_the_configuration(subject: Subject) -> None:
    """`config.activation` decides between the two GELUs, `config.layer_norm_eps` enters the norm.

    Each head goes by its own configuration, also when other heads are made before it runs.
    """
    rng = np.random.default_rng(95)
    settings = [(a, eps) for a in ("gelu", "gelu_tanh") for eps in (1e-12, 0.3)]
    cases = [oracle.mlm_case(rng, activation=a, layer_norm_eps=eps) for a, eps in settings]
    for (activation, eps), c, got in zip(settings, cases, oracle.MLM_PROBE(subject, cases), strict=True):
        want = oracle.mlm(c["weights"], c["table"], c["config"], c["hidden"])
        # The two GELUs differ by 5e-4 at most, in float64 far above rounding.
        close(got, want, f"with activation {activation!r} and layer_norm_eps {eps}", atol=1e-8, rtol=1e-8)


@check("MLMHead", points=0.25)
def test_the_head_takes_the_word_table_as_it_is(subject: Subject) -> None:
    """Making and using a head leaves the table's numbers alone, and the scores use these.

    The embeddings go on looking words up in this table. The state has no tensors but those of the interface.
    """
    c = oracle.mlm_case(np.random.default_rng(110))
    word = subject.embedding(*c["table"].shape).load({"weight": c["table"]})
    own = {name: x for name, x in c["weights"].items() if name != "decoder.weight"}
    head = subject.module("MLMHead", c["config"], word=word, weights=own)
    because = "the head shares the table; it neither replaces nor redraws it"
    equal(word.state()["weight"], c["table"], because)
    want = oracle.mlm(c["weights"], c["table"], c["config"], c["hidden"])
    close(head(c["hidden"]), want, SCORED, atol=1e-8, rtol=1e-8)
    equal(word.state()["weight"], c["table"], because)
    equal(sorted(head.state()), sorted(c["weights"]), NAMED)


@check("MLMHead", points=0.25)
def test_gradients_reach_every_part_of_the_masked_word_head(subject: Subject) -> None:
    """Dense, norm, the decoder's matrix and bias, and the hidden states get their gradients."""
    c = oracle.mlm_case(np.random.default_rng(96))
    head, _ = oracle.build_mlm(subject, c)
    cotangent = np.random.default_rng(97).normal(size=(3, 5, 11))
    at = c["weights"] | {"decoder.weight": c["table"], "hidden": c["hidden"]}

    def value(at: dict[str, np.ndarray]) -> float:
        return float((oracle.mlm(at, at["decoder.weight"], c["config"], at["hidden"]) * cotangent).sum())

    expect_slopes_in_both_modes(head, c["hidden"], cotangent, value, at, 98)


@check("MLMHead", points=0.5)
def test_the_word_table_gets_the_gradient_of_both_uses(subject: Subject) -> None:
    """The table's gradient is the sum of its two uses: rows looked up, and rows scored against."""
    c = oracle.tied_case(np.random.default_rng(99))
    chain = oracle.tied_chain(subject, c)
    got = chain.backward(c["ids"], cotangents=[c["cotangent"]])
    close(
        got.outputs[0],
        oracle.tied_scores(c["weights"], c["table"], c["table"], c),
        SCORED,
        atol=1e-7,
        rtol=1e-7,
    )

    def value(at: dict[str, np.ndarray]) -> float:
        return float(
            (oracle.tied_scores(c["weights"], at["0.weight"], at["0.weight"], c) * c["cotangent"]).sum()
        )

    expect_gradients(got.by_name, value, {"0.weight": c["table"]}, 100)
    named = {"1.decoder.weight": c["table"]}
    expect_gradients(
        got.by_name,
        lambda at: value({"0.weight": at["1.decoder.weight"]}),
        named,
        101,
    )


@check("MLMHead", points=0.5)
def test_a_training_step_moves_the_word_table_once(subject: Subject) -> None:
    """After a step of SGD with weight decay, look-up and scores use one table, moved once.

    Two parameters over one storage keep equal values for ever, and decay twice.
    """
    c = oracle.tied_case(np.random.default_rng(102))
    at = {f"1.{name}": x for name, x in c["weights"].items() if name != "decoder.weight"} | {
        "0.weight": c["table"]
    }

    def outputs(at: dict[str, np.ndarray]) -> np.ndarray:
        w = {name.removeprefix("1."): x for name, x in at.items()}
        return oracle.tied_scores(w, at["0.weight"], at["0.weight"], c)

    because = "one step moves the one table once"
    expect_moves_as_one(
        oracle.tied_chain(subject, c), (c["ids"],), outputs, at, ["0.weight", "1.decoder.bias"], because, 103
    )


@check("MLMHead", points=0.25)
def test_copies_stay_tied_to_their_own_table(subject: Subject) -> None:
    """A deepcopy or a pickled copy of table and head is tied within, and not to the original."""
    for how in ("deepcopy", "pickle"):
        c = oracle.tied_case(np.random.default_rng(104))
        chain = oracle.tied_chain(subject, c)
        twin = chain.clone(how)
        new = c["table"][::-1] * 0.7
        twin.load({"0.weight": new})
        for module, table in ((chain, c["table"]), (twin, new)):
            want = oracle.tied_scores(c["weights"], table, table, c)
            close(module(c["ids"]), want, f"after {how} each pair has its own table", atol=1e-7, rtol=1e-7)


@check("MLMHead", points=0.25)
def test_the_masked_word_head_has_no_dropout_and_refuses_another_table(subject: Subject) -> None:
    """In train mode the scores are the same, and in float32; a table that is not V x E is a ValueError."""
    c = oracle.mlm_case(np.random.default_rng(105), dropout=0.5)
    head, _ = oracle.build_mlm(subject, c, training=True)
    hidden = subject.put(c["hidden"])
    want = oracle.mlm(c["weights"], c["table"], c["config"], c["hidden"])
    for _ in range(2):
        close(head(hidden=hidden), want, "no head has dropout", atol=1e-8, rtol=1e-8)
    equal(subject.get(hidden), c["hidden"], "the caller still needs its hidden states")
    expect_float32(head, c["hidden"], want)
    still, _ = oracle.build_mlm(subject, c)
    weights = c["weights"] | {"decoder.weight": c["table"]}

    def outputs(w: dict[str, np.ndarray]) -> np.ndarray:
        return oracle.mlm(w, w["decoder.weight"], c["config"], c["hidden"])

    expect_own_weights(still, (c["hidden"],), outputs, weights, atol=1e-7)
    expect_unseeded(subject, "MLMHead", c["config"], subject.embedding(*c["table"].shape))
    for rows, columns in ((11, 8), (12, 6), (6, 11), (10, 6), (11, 5)):
        word = subject.embedding(rows, columns)
        rejects(
            partial(subject.module, "MLMHead", c["config"], word),
            "ValueError",
            f"V is 11 and E is 6, but the table is {rows} x {columns}",
        )


@check("SentenceHead", points=0.75)
@given(seed=SEEDS, rows=st.integers(1, 4), size=st.sampled_from([3, 4, 8]))
def test_two_logits_a_pair(subject: Subject, seed: int, rows: int, size: int) -> None:
    """Logit 0 and logit 1 are the two rows of the classifier applied to the pooled vector."""
    c = oracle.sentence_case(np.random.default_rng(seed), rows, size)
    want = oracle.sentence(c["weights"], c["hidden"])
    close(
        oracle.SENTENCE_PROBE(subject, c),
        want,
        "one linear map, no softmax: logit 1 is true order",
        atol=1e-9,
    )


@check("SentenceHead", points=0.5)
def test_the_sentence_head_learns_and_has_no_dropout(subject: Subject) -> None:
    """Gradients reach classifier and pooled vector; train mode gives the same; the input stays.

    The state holds the classifier, and nothing else.
    """
    c = oracle.sentence_case(np.random.default_rng(106), rows=7, dropout=0.5)
    want = oracle.sentence(c["weights"], c["hidden"])
    expect_quiet(subject, "SentenceHead", "pooled_output", c, oracle.sentence, "no head has dropout")
    cotangent = np.random.default_rng(107).normal(size=want.shape)

    def value(at: dict[str, np.ndarray]) -> float:
        return float((oracle.sentence(at, at["hidden"]) * cotangent).sum())

    module = subject.module("SentenceHead", c["config"], weights=c["weights"])
    at = c["weights"] | {"hidden": c["hidden"]}
    expect_slopes_in_both_modes(module, c["hidden"], cotangent, value, at, 108)


@check("MLMHead", points=0.25, assembly=True, uses=("transformer",))
def test_the_masked_word_head_works_on_your_gelu(assembly: Subject) -> None:
    """With your own gelu the scores are right for both activations."""
    for activation in ("gelu", "gelu_tanh"):
        c = oracle.mlm_case(np.random.default_rng(109), activation=activation)
        head, _ = oracle.build_mlm(assembly, c)
        want = oracle.mlm(c["weights"], c["table"], c["config"], c["hidden"])
        # Your gelu may keep its constants in float32: off by 3e-8 of themselves, which the norm enlarges.
        close(head(c["hidden"]), want, SCORED, atol=1e-6)


def expect_slopes_in_both_modes(
    module: ModuleHandle,
    hidden: np.ndarray,
    cotangent: np.ndarray,
    value: Callable[[dict[str, np.ndarray]], float],
    at: dict[str, np.ndarray],
    seed: int,
) -> None:
    for mode in ("eval", "train"):
        got = module.change(mode).backward(hidden, cotangents=[cotangent], wrt=(0,))
        expect_gradients(got.by_name | {"hidden": got.by_input[0]}, value, at, seed)


def expect_float32(module: ModuleHandle, hidden: np.ndarray, want: np.ndarray) -> None:
    got = module.change("float")(hidden.astype(np.float32))
    # float32 keeps 7 digits of scores near 10.
    close(got, want, "float32 is the precision of training", atol=1e-4)
    equal(str(got.dtype), "float32", "a head computes in the dtype of its parameters")


def expect_quiet(
    subject: Subject, kind: str, name: str, c: Case, outputs: Callable[..., np.ndarray], because: str
) -> None:
    want = outputs(c["weights"], c["hidden"])
    module = subject.module(kind, c["config"], weights=c["weights"], training=True)
    hidden = subject.put(c["hidden"])
    named: dict[str, Any] = {name: hidden}
    for _ in range(2):
        close(module(**named), want, because, atol=1e-9)
    equal(subject.get(hidden), c["hidden"], "the caller still needs what it handed in")
    equal(sorted(module.state()), sorted(c["weights"]), NAMED)
    expect_float32(module, c["hidden"], want)
    still = subject.module(kind, c["config"], weights=c["weights"])
    expect_own_weights(still, (c["hidden"],), lambda w: outputs(w, c["hidden"]), c["weights"], atol=1e-9)
    expect_unseeded(subject, kind, c["config"])
