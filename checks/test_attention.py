"""Checks of lesson 5."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import Probe, check, close, equal, expect_unchanged, is_array, rejects, true
from checks.oracles import attention as oracle
from checks.oracles import attention_dropout as experiment
from checks.oracles import weights as make
from checks.oracles.blocks import Weights
from checks.oracles.masked import expect_each_mask, expect_real, expect_single
from checks.oracles.modes import expect_slopes
from checks.oracles.slopes import expect_gradients
from checks.subject import Subject

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 4)
TORCHS_OWN = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
)
# Weights are at most 1 and a hidden key has one below 1e-6: so a mask of any strength passes, and no leak of e^-10.
HIDDEN_SHARE = 1e-6
# The root may be kept in float32, as by `torch.tensor(K) ** 0.5`: off by up to 6e-8 of itself, so that weights are
# off by less than 1e-6 where scores stay below 20. Checks with a closer tolerance, or larger scores, take this K.
EXACT_ROOT = 4

Case = dict[str, Any]


@st.composite
def attention_cases(draw: st.DrawFn) -> Case:
    """Query, key, value and a mask in one of the broadcastable shapes; every query sees a key."""
    rng = np.random.default_rng(draw(SEEDS))
    batch, heads = draw(SIZES), draw(SIZES)
    queries, keys, size, value_size = (draw(st.integers(1, 7)) for _ in range(4))
    full = (batch, heads, queries, keys)
    mask = rng.random(draw(st.sampled_from([full, (batch, 1, 1, keys), full[2:], full[3:]]))) < 0.6
    mask[..., draw(st.integers(0, keys - 1))] = True
    return {
        "query": rng.normal(size=(batch, heads, queries, size)) * 2,
        "key": rng.normal(size=(batch, heads, keys, size)),
        "value": rng.normal(size=(batch, heads, keys, value_size)),
        "mask": mask,
    }


@st.composite
def module_cases(draw: st.DrawFn) -> Case:
    """Weights, a hidden state and a padding mask (or None) for a module of any small size."""
    rng = np.random.default_rng(draw(SEEDS))
    n_heads, tokens, batch = draw(SIZES), draw(st.integers(1, 7)), draw(st.integers(1, 3))
    config = make.config(d_model=n_heads * draw(SIZES), n_heads=n_heads)
    mask = make.padding(rng, batch, tokens) if draw(st.booleans()) else None
    hidden = rng.normal(size=(batch, tokens, config.d_model))
    return {"weights": make.attention(rng, config), "n_heads": n_heads, "hidden": hidden, "mask": mask}


def _module(subject: Subject, case: Case, **settings: Any) -> Any:
    return subject.module("MultiHeadAttention", oracle.config(case), weights=case["weights"], **settings)


def _without_torchs_own(subject: Subject, probe: Probe, **arrays: np.ndarray) -> Any:
    """The result while torch's own attention is switched off; the case takes part in naming the mistake."""
    got = subject.call_without(TORCHS_OWN, probe.exercise, *arrays.values())
    subject.last_case = (probe, arrays | {"mask": None}, got)
    return got


def _case(batch: int, tokens: int, d_model: int, n_heads: int, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    weights = make.attention(rng, make.config(d_model=d_model, n_heads=n_heads))
    return {
        "weights": weights,
        "n_heads": n_heads,
        "hidden": rng.normal(size=(batch, tokens, d_model)),
        "mask": None,
    }


@check("attention_weights", points=1.25)
@given(case=attention_cases())
@example(case=oracle.WEIGHTS_PROBE.case)
def test_weights_are_the_softmax_of_scaled_scores_over_allowed_keys(subject: Subject, case: Case) -> None:
    """Weights are the softmax, over the allowed keys, of query . key / sqrt(K).

    The scale keeps scores near variance 1 whatever the head size, so that the softmax stays soft.
    """
    got = oracle.WEIGHTS_PROBE(subject, case)
    want = oracle.weights(case["query"], case["key"], case["mask"])
    because = "each row is exp(q . k / sqrt(K)) over the allowed keys, divided by its sum"
    close(got, want, because, atol=HIDDEN_SHARE)


@check("attention_weights", points=0.5)
def test_a_mask_is_optional_and_inputs_stay_as_they_are(subject: Subject) -> None:
    """Without a mask every key counts; any number of leading axes works; the inputs are left alone."""
    rng = np.random.default_rng(2)
    for lead in ((), (3,), (2, 3, 2)):
        query, key = (rng.normal(size=(*lead, n, EXACT_ROOT)) for n in (5, 6))
        got = oracle.WEIGHTS_PROBE(subject, {"query": query, "key": key, "mask": None})
        close(got, oracle.weights(query, key), "no mask: the softmax runs over all keys")
        mask = rng.random((5, 6)) < 0.5
        mask[:, 1] = True
        because = "the caller still needs what it gave: change a copy"
        expect_unchanged(
            subject, "attention_weights", query, key, mask, judge=_masked_weights, because=because
        )
        named = subject.call("attention_weights", query=query, key=key, mask=mask)
        _masked_weights(named, [query, key, mask])


def _masked_weights(got: Any, case: list[np.ndarray]) -> None:
    close(got, oracle.weights(*case), "a mask [T, S] serves every leading axis", atol=HIDDEN_SHARE)


@check("attention_weights", points=0.5)
def test_a_query_that_sees_no_key_gets_finite_values(subject: Subject) -> None:
    """A query that may look nowhere gets finite values and gradients, and its neighbours are as they should be.

    A batch is padded: rows of nothing but padding occur, and one NaN spoils every gradient.
    """
    rng = np.random.default_rng(3)
    query, key = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 5, 3))
    mask = rng.random((2, 4, 5)) < 0.7
    mask[:, :, 0] = True
    mask[1, 2] = False
    want, others = oracle.weights(query, key, mask), mask.any(axis=-1)
    # float32 keeps 7 digits, bfloat16 between 2 and 3.
    for dtype, atol in (("float64", HIDDEN_SHARE), ("float32", 1e-5), ("bfloat16", 0.03)):
        got = subject.call_in(dtype, "attention_weights", query, key, mask=mask)
        is_array(got, want.shape, "f", "one weight for each query and key")
        _expect_finite(got, f"the softmax of nothing is not a number, unless you see to it, in {dtype} too")
        close(got[others], want[others], "queries that see something are not disturbed", atol=atol)
    _expect_blind_gradients(subject, query, key, mask)


def _expect_finite(got: np.ndarray, because: str) -> None:
    bad = np.argwhere(~np.isfinite(got)).tolist()
    text = f"{len(bad)} that are not, at {bad[:3]}"
    true(not bad, because, expected="finite values everywhere", got=text)


def _expect_blind_gradients(subject: Subject, query: np.ndarray, key: np.ndarray, mask: np.ndarray) -> None:
    """Slopes of what the seeing queries get; a NaN in a blind row would spread to every key."""
    cotangent = np.random.default_rng(16).normal(size=mask.shape) * mask.any(axis=-1, keepdims=True)
    _, got = subject.gradients("attention_weights", query, key, mask=mask, wrt=(0, 1), cotangent=cotangent)
    for gradient in got:
        if isinstance(gradient, np.ndarray):
            _expect_finite(gradient, "a NaN that is mended after the softmax comes back in the gradients")

    def result(x: Case) -> float:
        return float((oracle.weights(x["query"], x["key"], mask) * cotangent).sum())

    at = {"query": query, "key": key}
    expect_gradients(dict(zip(at, got, strict=True)), result, at, seed=17)


@check("attention_weights", points=0.5)
def test_large_scores_neither_overflow_nor_unhide_a_key(subject: Subject) -> None:
    """With scores in the hundreds the weights are right, and a hidden key stays hidden.

    Hidden is hidden, however loud the key: a fill of -100 only beats scores above -100.
    """
    rng = np.random.default_rng(4)
    query, key = (rng.normal(size=(3, n, EXACT_ROOT)) * 30 for n in (4, 5))
    mask = rng.random((3, 4, 5)) < 0.5
    mask[..., 2] = True
    got = oracle.WEIGHTS_PROBE(subject, {"query": query, "key": key, "mask": None})
    close(got, oracle.weights(query, key), "the softmax of large scores")
    got = oracle.WEIGHTS_PROBE(subject, {"query": query, "key": key, "mask": mask})
    want = oracle.weights(query, key, mask)
    close(got, want, "a forbidden key has no weight left, even beside scores of -500", atol=HIDDEN_SHARE)


@check("attention_weights", points=0.25)
def test_weights_work_in_the_precision_of_their_inputs(subject: Subject) -> None:
    """float32 in, float32 out; and in bfloat16, on which GPUs run, masked weights are finite and right."""
    rng = np.random.default_rng(5)
    query, key = rng.normal(size=(3, 4, 6)), rng.normal(size=(3, 5, 6))
    mask = np.arange(5) < 3
    want = oracle.weights(query, key, mask)
    single = subject.call_in("float32", "attention_weights", query, key, mask=mask)
    # float32 keeps 7 digits, bfloat16 between 2 and 3.
    close(single, want, "the same weights in single precision", atol=1e-5)
    true(single.dtype == np.float32, "the inputs' dtype decides", expected="float32", got=str(single.dtype))
    half = subject.call_in("bfloat16", "attention_weights", query, key, mask=mask)
    close(half, want, "the same weights in half precision", atol=0.03)


@check("attention_weights", points=0.25)
def test_the_weights_are_computed_without_torchs_attention(subject: Subject) -> None:
    """The weights are right while torch's own attention is switched off."""
    rng = np.random.default_rng(6)
    query, key = (rng.normal(size=(2, n, EXACT_ROOT)) for n in (3, 5))
    got = _without_torchs_own(subject, oracle.WEIGHTS_PROBE, query=query, key=key)
    close(got, oracle.weights(query, key), "here you write the softmax over the keys yourself")


@check("scaled_dot_product_attention", points=1)
@given(case=attention_cases())
@example(case=oracle.ATTENTION_PROBE.case)
def test_attention_is_the_weighted_mean_of_the_values(subject: Subject, case: Case) -> None:
    """Each query gets the mean of the values, weighted by its attention weights."""
    got = oracle.ATTENTION_PROBE(subject, case)
    want = oracle.attention(case["query"], case["key"], case["value"], case["mask"])
    # Values lie within 5, so that hidden keys shift a result by less than 1e-5.
    close(got, want, "the result is the sum over keys of weight times value", atol=1e-5)


@check("scaled_dot_product_attention", points=0.5)
def test_gradients_reach_query_key_and_value(subject: Subject) -> None:
    """Gradients of query, key and value are the slopes of the formula."""
    rng = np.random.default_rng(4)
    names = ("query", "key", "value")
    at = {
        name: rng.normal(size=shape)
        for name, shape in zip(names, ((2, 3, 4), (2, 5, 4), (2, 5, 6)), strict=True)
    }
    cotangent = rng.normal(size=(2, 3, 6))
    for mask in (None, np.array([True, False, True, True, False])):
        _, got = subject.gradients(
            "scaled_dot_product_attention", *at.values(), mask=mask, wrt=(0, 1, 2), cotangent=cotangent
        )

        def result(x: Case, mask: np.ndarray | None = mask) -> float:
            return float((oracle.attention(x["query"], x["key"], x["value"], mask) * cotangent).sum())

        expect_gradients(dict(zip(names, got, strict=True)), result, at, seed=5)


@check("scaled_dot_product_attention", points=0.25)
def test_attention_works_in_half_precision_and_without_torchs_own(subject: Subject) -> None:
    """The result is right in float32 and bfloat16, with any leading axes, and without torch's own attention."""
    rng = np.random.default_rng(7)
    for lead in ((), (2, 3)):
        sizes = ((3, EXACT_ROOT), (5, EXACT_ROOT), (5, 2))
        query, key, value = (rng.normal(size=(*lead, *size)) for size in sizes)
        want = oracle.attention(query, key, value)
        got = _without_torchs_own(subject, oracle.ATTENTION_PROBE, query=query, key=key, value=value)
        close(got, want, "here you write the weighted mean yourself")
        mask = np.arange(5) < 3
        for dtype, atol, text in (("float32", 1e-5, "seven"), ("bfloat16", 0.06, "between two and three")):
            got = subject.call_in(dtype, "scaled_dot_product_attention", query, key, value, mask=mask)
            because = f"{dtype} keeps {text} digits of the result"
            close(got, oracle.attention(query, key, value, mask), because, atol=atol)
        named = subject.call("scaled_dot_product_attention", query=query, key=key, value=value, mask=mask)
        because = "query, key, value and mask are the names of the arguments"
        close(named, oracle.attention(query, key, value, mask), because, atol=1e-5)


@check("split_heads", points=0.5)
@given(sizes=st.tuples(SIZES, SIZES, SIZES, SIZES), seed=SEEDS)
def test_head_n_gets_its_own_columns(subject: Subject, sizes: tuple[int, ...], seed: int) -> None:
    """Head n holds columns n*K to (n+1)*K - 1 of every token."""
    batch, tokens, n_heads, size = sizes
    x = np.random.default_rng(seed).normal(size=(batch, tokens, n_heads * size))
    got = oracle.SPLIT_PROBE(subject, {"x": x, "n_heads": n_heads})
    equal(got, oracle.split(x, n_heads), "result[b, n, t] is x[b, t, n*K : (n+1)*K]")


@check("split_heads", points=0.25)
def test_a_width_that_the_heads_do_not_divide_is_refused(subject: Subject) -> None:
    """Heads that do not divide the width are a ValueError; those that do are served."""
    x = np.random.default_rng(8).normal(size=(2, 3, 6))
    for n_heads in (1, 3, 6):
        got = subject.call("split_heads", x, n_heads)
        equal(got, oracle.split(x, n_heads), f"{n_heads} divides 6")
    named = subject.call("split_heads", x=x, n_heads=3)
    equal(named, oracle.split(x, 3), "x and n_heads are the names of the arguments")
    _expect_moved_only(subject, "split_heads", x, oracle.split(x, 3), 3)
    for n_heads in (4, 5, 7, 12):
        refused = partial(subject.call, "split_heads", x, n_heads)
        rejects(refused, "ValueError", f"{n_heads} does not divide 6")


@check("merge_heads", points=0.75)
@given(sizes=st.tuples(SIZES, SIZES, SIZES, SIZES), seed=SEEDS)
@example(sizes=(2, 3, 4, 2), seed=1)
def test_merged_heads_stand_side_by_side(subject: Subject, sizes: tuple[int, ...], seed: int) -> None:
    """Columns n*K to (n+1)*K - 1 of every token are head n's."""
    x = np.random.default_rng(seed).normal(size=sizes)
    got = oracle.MERGE_PROBE(subject, x)
    equal(got, oracle.merge(x), "result[b, t, n*K : (n+1)*K] is x[b, n, t]")
    equal(subject.call("merge_heads", x=x), oracle.merge(x), "x is the name of the argument")
    _expect_moved_only(subject, "merge_heads", x, oracle.merge(x))


def _expect_moved_only(subject: Subject, function: str, x: np.ndarray, want: np.ndarray, *rest: int) -> None:
    """Entries are moved and no more: gradients go back with them, the precision stays, and so does `x`."""
    _, got = subject.gradients(function, x, *rest, wrt=(0,), cotangent=want)
    because = "the gradient of each entry comes back to where the entry was"
    equal(got[0], x, because)
    single = subject.call_in("float32", function, x, *rest)
    because = "what is moved keeps its dtype"
    equal(single, want.astype(np.float32), because)
    true(single.dtype == np.float32, because, expected="float32", got=str(single.dtype))
    because = "the tensor is the caller's: give another one"
    expect_unchanged(
        subject, function, x, *rest, judge=lambda got, _: equal(got, want, because), because=because
    )


@check("MultiHeadAttention", points=1)
@given(case=module_cases())
@example(case=oracle.MODULE_PROBE.case)
def test_the_module_is_attention_in_every_head_between_projections(subject: Subject, case: Case) -> None:
    """The module projects, attends in each head over the real tokens, merges, and projects again."""
    got = oracle.MODULE_PROBE(subject, case)
    want = oracle.real(
        oracle.multi_head(case["weights"], case["n_heads"], case["hidden"], case["mask"]), case["mask"]
    )
    close(got, want, "output(merge(attention of each head)), padding left out of the keys", atol=1e-5)


@check("MultiHeadAttention", points=0.5)
def test_what_stands_at_padding_changes_nothing(subject: Subject) -> None:
    """Garbage at padding leaves every real token alone; garbage at a real token does not.

    Else a sentence means something else in a batch than alone. A sequence of padding only stays finite, what
    the module gets stays as it is, and train mode hides padding as eval mode does.
    """
    case = _case(batch=3, tokens=6, d_model=6, n_heads=3, seed=9)
    mask = np.ones((3, 6), bool)
    mask[0, 4:] = mask[1, :2] = mask[2] = False
    noisy = np.where(mask[..., None], case["hidden"], 50 * case["hidden"] + 3)
    want = oracle.multi_head(case["weights"], case["n_heads"], case["hidden"], mask)
    for training in (False, True):
        module = _module(subject, case, training=training)
        for hidden in (case["hidden"], noisy):
            kept = subject.put(hidden)
            got = module(kept, attention_mask=mask)
            because = "real tokens see real tokens only, in train mode as in eval mode"
            expect_real(got, want, mask, because, atol=1e-4)
            equal(subject.get(kept), hidden, "the caller still needs what it gave: change a copy")


@check("MultiHeadAttention", points=0.5)
def test_gradients_reach_every_projection(subject: Subject) -> None:
    """Gradients of the four projections and of the input are the slopes of the formula, in both modes.

    One of the sequences is nothing but padding: it adds nothing to any gradient, and no NaN.
    """
    case = _case(batch=3, tokens=3, d_model=4, n_heads=2, seed=10)
    mask = np.array([[True, True, True], [True, True, False], [False, False, False]])
    cotangent = oracle.real(np.random.default_rng(11).normal(size=case["hidden"].shape), mask)

    def outputs(weights: Weights, hidden: np.ndarray) -> np.ndarray:
        return oracle.multi_head(weights, case["n_heads"], hidden, mask)

    build = partial(_module, subject, case)
    expect_slopes(build, (case["hidden"], mask), cotangent, outputs, case["weights"], 12)


@check("MultiHeadAttention", points=1)
def test_dropout_acts_on_the_weights_and_on_the_output(subject: Subject) -> None:
    """In train mode dropout acts on the attention weights and on the output; in eval mode nowhere.

    Every weight is 1/S here, so the values of a kept output tell how many of the S weights were kept.
    """
    case = _case(batch=2, tokens=5, d_model=2 * EXACT_ROOT, n_heads=2, seed=13)
    config = oracle.config(case, dropout=experiment.RATE)
    still = subject.module("MultiHeadAttention", config, weights=case["weights"])
    want = oracle.multi_head(case["weights"], case["n_heads"], case["hidden"])
    close(still(case["hidden"]), want, "in eval mode nothing is dropped")
    got = experiment.forward(subject)
    is_array(got, (experiment.BATCH, experiment.TOKENS, experiment.WIDTH), "f", "one vector for each token")
    _expect_both_dropouts(experiment.look(got))
    _expect_no_other_dropout(*experiment.own_looks(subject))


def _expect_no_other_dropout(one: Any, other: Any, slopes: Any) -> None:
    """Queries, keys and scores are whole, what `output` gives is dropped entry by entry, and every call drops anew."""
    is_array(one, experiment.OWN.shape, "f", "one vector for each token")
    because = "each token looks at itself here: only weights after the softmax and entries after `output` are dropped"
    close(one, experiment.nearest(one), because)
    kept = np.abs(one) > 1e-9
    for axis, name in enumerate(("sequences", "tokens", "columns")):
        alike = bool((kept == kept.take([0], axis)).all())
        because = f"every entry of the output draws for itself: no pattern serves all {name}"
        true(not alike, because, expected=f"{name} that differ in what is dropped", got="the same in all")
    anew = not np.array_equal(one, other)
    because = "each forward draws anew: the global generator is not reseeded, and no pattern is kept"
    true(anew, because, expected="other entries dropped in the next call", got="the same entries again")
    because = (
        "training goes through dropout: the bias of `output` counts once for each entry kept, over 1 - p"
    )
    close(slopes, (np.abs(other) > 1e-9).sum(axis=(0, 1)) / (1 - experiment.RATE), because)


def _expect_both_dropouts(seen: experiment.Seen) -> None:
    because = "dropout on `output`'s result sets single entries to 0"
    experiment.OUTPUTS.judge(seen.zeros, experiment.BATCH * experiment.TOKENS * experiment.WIDTH, because)
    because = "a weight that is dropped is missing from all K columns of its head"
    true(
        seen.uneven == 0,
        because,
        expected="kept entries of a head that are equal",
        got=f"{seen.uneven} unequal heads",
    )
    shown = ~np.isnan(seen.sums)
    whole = bool(np.allclose(seen.sums[shown], seen.sums[shown].round(), atol=1e-6))
    text = "sums of kept weights, each divided by 1 - p, and the output divided by 1 - p again"
    true(whole, "each of the two dropouts divides what it keeps by 1 - p", expected=text, got="other values")
    kept = seen.kept()
    draws = int(shown.sum()) * experiment.TOKENS
    experiment.WEIGHTS.judge(
        draws - int(kept[shown].sum()), draws, "dropout on the weights, at the configured rate"
    )
    for axis, name in enumerate(("sequence", "query", "head")):
        most, least = (np.where(shown, kept, bound) for bound in (-np.inf, np.inf))
        varies = bool((most.max(axis=axis) > least.min(axis=axis)).any())
        because = f"each {name} draws its own: one pattern for all drops the same keys everywhere"
        true(
            varies, because, expected=f"other weights dropped in each {name}", got=f"the same in each {name}"
        )


@check("MultiHeadAttention", points=0.25)
def test_the_four_projections_are_all_there_is(subject: Subject) -> None:
    """With the four projections given, nothing else decides the result: neither the seed nor the call before.

    A map made inside `forward` is new at every call, and never trained. A mask serves the call that it came with.
    """
    case = _case(batch=2, tokens=4, d_model=2 * EXACT_ROOT, n_heads=2, seed=14)
    others = _case(batch=2, tokens=4, d_model=2 * EXACT_ROOT, n_heads=2, seed=18)["weights"]
    outputs = partial(oracle.multi_head, case["weights"], case["n_heads"], case["hidden"])
    for seed in (1, 2):
        module = _module(subject, case, seed=seed)
        because = "the weights were given by name, so the seed plays no part"
        expect_real(module(case["hidden"]), outputs(None), None, because, atol=1e-9)
        # Values lie within 5: what a hidden key may weigh shifts a result by less than 1e-5.
        expect_each_mask(module, case["hidden"], outputs, atol=1e-5)
        shapes = {name: array.shape for name, array in case["weights"].items()}
        outputs_of = partial(oracle.multi_head, n_heads=case["n_heads"], hidden=case["hidden"])
        copy = module.clone("deepcopy").load(others)
        because = "a copy has projections of its own, and weights that are loaded later count at once"
        expect_real(copy(hidden=case["hidden"]), outputs_of(others), None, because, atol=1e-9)
        expect_real(module(hidden=case["hidden"]), outputs(None), None, because, atol=1e-9)
        got = module.load(others)(hidden=case["hidden"])
        expect_real(got, outputs_of(others), None, because, atol=1e-9)
        because = "query, key, value and output, a weight and a bias each"
        equal(dict(sorted(module.parameters().items())), dict(sorted(shapes.items())), because)
        equal(sorted(module.state()), sorted(shapes), "`state_dict()` holds these tensors and no others")


@check("MultiHeadAttention", points=0.25)
def test_the_module_works_in_bfloat16(subject: Subject) -> None:
    """In bfloat16, as on a GPU, and in float32, a masked forward is finite and close to the formula.

    Dropout waits for train mode in every dtype.
    """
    case = _case(batch=3, tokens=4, d_model=6, n_heads=3, seed=15)
    mask = np.array([[True] * 4, [True, True, False, False], [False] * 4])
    want = oracle.multi_head(case["weights"], case["n_heads"], case["hidden"], mask)
    settings = oracle.config(case, dropout=0.5)
    module = subject.module("MultiHeadAttention", settings, weights=case["weights"])
    single = expect_single(module, case["hidden"], mask, want)
    got = single.change("bfloat16")(case["hidden"], mask)
    # Four rounded products in a row, each good to 1/256 of values near 3.
    expect_real(got, want, mask, "half precision costs digits, not the result", atol=0.15)
