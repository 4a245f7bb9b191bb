"""Checks of lesson 5."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from checks.judge import check, close, equal, rejects, true
from checks.oracles import attention as oracle
from checks.subject import Subject

SIZES = st.integers(1, 4)
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def attention_cases(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """Query, key, value and a mask in one of the broadcastable shapes; every query sees a key."""
    rng = np.random.default_rng(draw(SEEDS))
    batch, heads = draw(SIZES), draw(SIZES)
    queries, keys, size, value_size = (draw(st.integers(1, 7)) for _ in range(4))
    mask = rng.random({0: (batch, heads, queries, keys), 1: (batch, 1, 1, keys), 2: (queries, keys), 3: (keys,)}[draw(st.integers(0, 3))]) < 0.6
    mask[..., draw(st.integers(0, keys - 1))] = True
    return {
        "query": rng.normal(size=(batch, heads, queries, size)) * 2,
        "key": rng.normal(size=(batch, heads, keys, size)),
        "value": rng.normal(size=(batch, heads, keys, value_size)),
        "mask": mask,
    }


@check("attention_weights", points=1.5)
@given(case=attention_cases())
def test_weights_are_the_softmax_of_scaled_scores_over_allowed_keys(subject: Subject, case: dict[str, np.ndarray]) -> None:
    """Weights are softmax over the allowed keys of query . key / sqrt(K).

    The scale keeps scores near variance 1 whatever the head size, so that the softmax stays soft.
    """
    got = oracle.WEIGHTS_PROBE(subject, case)
    want = oracle.weights(case["query"], case["key"], case["mask"])
    close(got, want, "each row is exp(q . k / sqrt(K)) over the allowed keys, divided by its sum", atol=1e-8)


@check("attention_weights", points=0.75)
def test_a_mask_is_optional_and_leading_axes_are_free(subject: Subject) -> None:
    """Without a mask every key counts; any number of leading axes works."""
    rng = np.random.default_rng(2)
    for lead in ((), (3,), (2, 3, 2)):
        query, key = rng.normal(size=(*lead, 4, 5)), rng.normal(size=(*lead, 6, 5))
        got = subject.call("attention_weights", query, key)
        close(got, oracle.weights(query, key), "no mask: the softmax runs over all keys", atol=1e-8)


@check("attention_weights", points=0.75)
def test_a_query_that_sees_no_key_gets_finite_values(subject: Subject) -> None:
    """A query that may look nowhere gets finite values, and its neighbours are as they should be.

    A batch is padded: rows of nothing but padding occur, and one NaN spoils every gradient.
    """
    rng = np.random.default_rng(3)
    query, key = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 5, 3))
    mask = rng.random((2, 4, 5)) < 0.7
    mask[:, :, 0] = True
    mask[1, 2] = False
    got = subject.call("attention_weights", query, key, mask=mask)
    want = oracle.weights(query, key, mask)
    true(isinstance(got, np.ndarray) and bool(np.isfinite(got).all()), "the softmax of nothing is not a number", expected="finite values everywhere", got=got)
    others = np.arange(8).reshape(2, 4) != 6
    close(got[others], want[others], "queries that see something are not disturbed", atol=1e-8)


@check("scaled_dot_product_attention", points=1.5)
@given(case=attention_cases())
def test_attention_is_the_weighted_mean_of_the_values(subject: Subject, case: dict[str, np.ndarray]) -> None:
    """Each query gets the mean of the values, weighted by its attention weights."""
    got = oracle.ATTENTION_PROBE(subject, case)
    want = oracle.attention(case["query"], case["key"], case["value"], case["mask"])
    close(got, want, "the result is the sum over keys of weight times value", atol=1e-8)


@check("scaled_dot_product_attention", points=0.75)
def test_gradients_reach_query_key_and_value(subject: Subject) -> None:
    """Gradients of query, key and value are those of the formula."""
    rng = np.random.default_rng(4)
    inputs = [rng.normal(size=shape) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 6))]
    cotangent = rng.normal(size=(2, 3, 6))
    _, got = subject.gradients("scaled_dot_product_attention", *inputs, wrt=(0, 1, 2), cotangent=cotangent)
    for index, name in enumerate(("query", "key", "value")):
        direction = rng.normal(size=inputs[index].shape)
        moved = [[x + sign * 1e-6 * direction if i == index else x for i, x in enumerate(inputs)] for sign in (1, -1)]
        ahead, behind = (float((oracle.attention(*m) * cotangent).sum()) for m in moved)
        gradient = got[index]
        true(gradient is not None, f"{name} takes part in the result", expected=f"a gradient of {name}", got="none")
        # Central differences at 1e-6 are good to about 1e-9 of values near 1.
        close(float((gradient * direction).sum()), (ahead - behind) / 2e-6, f"the gradient of {name} is the slope of the result", atol=1e-6, rtol=1e-6)
