"""Checks of lesson 7."""

import itertools
from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import Probe, check, close, equal, is_array, rejects, true
from checks.oracles import embeddings as oracle
from checks.oracles import weights as make
from checks.oracles.dropout import expect_dropped_once
from checks.oracles.slopes import expect_gradients
from checks.oracles.transformer_own import (
    expect_arguments_kept,
    expect_drawn_anew,
    expect_own_weights,
    expect_unseeded,
)
from checks.subject import Subject

SEEDS = st.integers(0, 2**32 - 1)
BERT, FACTORIZED = "BERTEmbeddings", "FactorizedEmbeddings"

Case = dict[str, Any]


@st.composite
def cases(draw: st.DrawFn, factorized: bool) -> Case:
    """A configuration, weights, ids (padding and other special ones included) and segments."""
    rng = np.random.default_rng(draw(SEEDS))
    batch, tokens, size = draw(st.integers(1, 3)), draw(st.integers(1, 8)), draw(st.integers(2, 6))
    config = make.config(
        vocab_size=draw(st.integers(5, 30)),
        max_len=tokens + draw(st.integers(0, 3)),
        n_segments=draw(st.integers(1, 3)),
        d_model=draw(st.integers(2, 7)) if factorized else size,
        d_embedding=size,
        n_heads=1,
        layer_norm_eps=draw(st.sampled_from([1e-12, 1e-3, 0.3])),
    )
    ids = rng.integers(0, config.vocab_size, (batch, tokens))
    ids[0, draw(st.integers(1, 8)) :] = 0
    segments = rng.integers(0, config.n_segments, (batch, tokens))
    weights = make.embeddings(rng, config, factorized)
    return {"config": config, "weights": weights, "ids": ids, "segments": segments}


def _right(case: Case) -> np.ndarray:
    return oracle.embeddings(case["weights"], case["config"], case["ids"], case["segments"])


def _expect_formula(subject: Subject, probe: Probe, case: Case, because: str) -> None:
    # Two entries with epsilon 1e-12 can lie close together: a rounding error of 1e-16 grows by their distance.
    close(probe(subject, case), _right(case), because, atol=1e-7, rtol=1e-7)


@check(BERT, points=1.25)
@given(case=cases(factorized=False))
@example(case=oracle.BERT_PROBE.case)
def test_a_token_is_the_normed_sum_of_three_rows(subject: Subject, case: Case) -> None:
    """Each token's vector is norm(word row + position row + segment row), positions from 0.

    It does not depend on the other tokens of the batch, and an id of 0 is an id like any other.
    """
    _expect_formula(
        subject, oracle.BERT_PROBE, case, "norm(word[id] + position[t] + segment[s]) with the config's eps"
    )


@check(FACTORIZED, points=1.25)
@given(case=cases(factorized=True))
@example(case=oracle.FACTORIZED_PROBE.case)
def test_the_normed_sum_of_size_e_is_widened_to_d(subject: Subject, case: Case) -> None:
    """Each token's vector is projection(norm(word row + position row + segment row)), the rows of size E."""
    because = "three rows of size E are added and normalised at size E; then the projection widens them to D"
    _expect_formula(subject, oracle.FACTORIZED_PROBE, case, because)


@check(BERT, points=0.75)
def test_every_row_in_use_is_trained(subject: Subject) -> None:
    """Every row in use, that of padding included, gets the gradient of the formula; other rows get none.

    A table that is read through `.data`, and a row that `padding_idx` freezes, stay as they were made.
    """
    _expect_trained(subject, BERT, factorized=False)


@check(FACTORIZED, points=0.75)
def test_every_row_in_use_and_the_projection_are_trained(subject: Subject) -> None:
    """Every row in use, that of padding included, and the projection get the gradients of the formula."""
    _expect_trained(subject, FACTORIZED, factorized=True)


def _expect_trained(subject: Subject, kind: str, factorized: bool) -> None:
    case = oracle.case_of(factorized, 20)
    ids, segments, config = case["ids"], case["segments"], case["config"]
    cotangent = np.random.default_rng(21).normal(size=(*ids.shape, config.d_model))

    def result(w: Case) -> float:
        return float((oracle.embeddings(w, config, ids, segments) * cotangent).sum())

    for training in (False, True):
        module = subject.module(kind, config, weights=case["weights"], training=training)
        got = module.backward(ids, segments, cotangents=[cotangent])
        expect_gradients(got.by_name, result, case["weights"], 22)
        for name, used in oracle.trained_rows(case).items():
            gradient = got.by_name[f"{name}.weight"]
            assert gradient is not None
            moved = np.abs(gradient).max(axis=1) > 1e-9
            equal(moved, used, f"the rows of {name} that stand in the batch are the ones that it trains")


@check(BERT, points=0.5)
def test_dropout_comes_after_the_norm(subject: Subject) -> None:
    """In train mode dropout acts once, on the normed sum; in eval mode nowhere."""
    _expect_dropout(subject, BERT, oracle.dropout_case(factorized=False))


@check(FACTORIZED, points=0.5)
def test_dropout_comes_between_norm_and_projection(subject: Subject) -> None:
    """In train mode dropout acts once, on the normed sum of size E; in eval mode nowhere.

    The projection of this check can be undone, so what went into it can be seen.
    """
    _expect_dropout(subject, FACTORIZED, oracle.dropout_case(factorized=True))


def _expect_dropout(subject: Subject, kind: str, case: Case) -> None:
    module = subject.module(kind, case["config"], weights=case["weights"])
    close(module(case["ids"], case["segments"]), _right(case), "in eval mode nothing is dropped")
    got = module.change("train")(case["ids"], case["segments"])
    is_array(got, (*oracle.TOKENS, 8), "f", "one vector for each token")
    whole = oracle.before_projection(case["weights"], _right(case))
    dropped = oracle.before_projection(case["weights"], got)
    expect_dropped_once(dropped, whole, oracle.DROPS, "in train mode dropout acts once, on the normed sum")
    expect_drawn_anew(module, (case["ids"], case["segments"]), got)


@check(BERT, points=0.5)
def test_a_sequence_fits_the_position_table_or_is_refused(subject: Subject) -> None:
    """Up to max_len tokens are served, one more is a ValueError, in train mode too and for a single row."""
    _expect_limit(subject, BERT, factorized=False)


@check(FACTORIZED, points=0.5)
def test_a_sequence_fits_the_narrow_position_table_or_is_refused(subject: Subject) -> None:
    """Up to max_len tokens are served, one more is a ValueError; the width of the tables plays no part."""
    _expect_limit(subject, FACTORIZED, factorized=True)


def _expect_limit(subject: Subject, kind: str, factorized: bool) -> None:
    rng = np.random.default_rng(23)
    made = []  # all before the first runs: each has a limit of its own
    for max_len, training in itertools.product((3, 9), (False, True)):
        config = make.config(max_len=max_len, **({"d_embedding": 4} if factorized else {}))
        weights = make.embeddings(rng, config, factorized)
        made.append((config, weights, subject.module(kind, config, weights=weights, training=training)))
    for config, weights, module in made:
        max_len = config.max_len
        for tokens in (1, max_len):
            ids, segments = rng.integers(0, 29, (2, tokens)), rng.integers(0, 2, (2, tokens))
            want = oracle.embeddings(weights, config, ids, segments)
            got = module(input_ids=ids, segment_ids=segments)
            close(got, want, f"max_len is {max_len}, so {tokens} fit", atol=1e-8)
        for rows, tokens in itertools.product((1, 3), (max_len + 1, max_len + 3)):
            because = f"max_len is {max_len}, so there is no row of `position` for the last of {tokens}"
            for ids in (
                np.full((rows, tokens), 7),
                7 * (np.arange(tokens) < max_len) + np.zeros((rows, 1), int),
            ):
                refused = partial(module, ids, np.zeros((rows, tokens), np.int64))
                rejects(refused, "ValueError", f"{because}, be it padding or not")


@check(BERT, points=0.25)
def test_bert_has_no_narrow_tables(subject: Subject) -> None:
    """A configuration whose E is not D is a ValueError; with E = D a lone sentence is as in a batch."""
    case = oracle.case_of(factorized=False, seed=24)
    want = _right(case)
    module = subject.module(BERT, case["config"], weights=case["weights"])
    for b, length in enumerate((7, 6, 4)):
        alone = module(case["ids"][b : b + 1, :length], case["segments"][b : b + 1, :length])
        close(
            alone,
            want[b : b + 1, :length],
            "a sentence alone is the same as beside others and padded",
            atol=1e-8,
        )
    for narrow in (4, 7, 9, 16):
        refused = partial(subject.module, BERT, make.config(d_embedding=narrow))
        rejects(refused, "ValueError", f"d_embedding={narrow} asks for factorized tables, d_model is 8")


@check(BERT, points=0.25)
def test_three_tables_and_a_norm_are_all_there_is(subject: Subject) -> None:
    """With three tables and a norm given by name, the seed plays no part; float32 and bfloat16 work as well."""
    _expect_complete(subject, BERT, oracle.case_of(factorized=False, seed=25))


@check(FACTORIZED, points=0.5)
def test_the_projection_exists_even_where_e_is_d(subject: Subject) -> None:
    """Tables and norm have size E, and the projection with its bias exists at any E, E = D included."""
    _expect_complete(subject, FACTORIZED, oracle.case_of(factorized=True, seed=26))
    rng = np.random.default_rng(27)
    same = oracle.case_of(factorized=True, seed=28) | {"config": make.config()}
    same["weights"] = make.embeddings(rng, same["config"], factorized=True)
    _expect_complete(subject, FACTORIZED, same)


def _expect_complete(subject: Subject, kind: str, case: Case) -> None:
    want = _right(case)
    shapes = {name: array.shape for name, array in case["weights"].items()}
    for seed in (1, 2):
        module = subject.module(kind, case["config"], weights=case["weights"], seed=seed)
        close(module(case["ids"], case["segments"]), want, "the weights were given by name", atol=1e-8)
        equal(
            dict(sorted(module.parameters().items())),
            dict(sorted(shapes.items())),
            "these tensors and no others",
        )
        equal(sorted(module.state()), sorted(shapes), "`state_dict()` holds these tensors and no others")
    given = {"input_ids": case["ids"], "segment_ids": case["segments"]}
    got = expect_arguments_kept(module, (), given, "ids and segments are the caller's: the module only reads")
    close(got, want, "the weights were given by name", atol=1e-8)
    single = module.change("float")(case["ids"], case["segments"])
    equal(str(single.dtype), "float32", "a module computes in the dtype of its parameters")
    _expect_independent(subject, kind, case)
    # float32 keeps 7 digits of sums near 5.
    close(single, want, "float32 is the precision of training", atol=1e-5)
    half = module.change("bfloat16")(case["ids"], case["segments"])
    true(
        isinstance(half, np.ndarray),
        "a module computes in the dtype of its parameters",
        expected="vectors",
        got=half,
    )
    # bfloat16 keeps between two and three digits of sums near 5.
    close(half.astype(float), want, "half precision costs digits, not the result", atol=0.2)


def _expect_independent(subject: Subject, kind: str, case: Case) -> None:
    """Copies and loaded weights count, and the module's making leaves the global seed alone."""
    config, args = case["config"], (case["ids"], case["segments"])
    module = subject.module(kind, config, weights=case["weights"])
    expect_own_weights(
        module, args, lambda w: oracle.embeddings(w, config, *args), case["weights"], atol=1e-8
    )
    expect_unseeded(subject, kind, config)
