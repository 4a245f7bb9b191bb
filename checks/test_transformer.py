"""Checks of lesson 6."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import check, close, equal, expect_unchanged, is_array, rejects, true
from checks.oracles import transformer as oracle
from checks.oracles import weights as make
from checks.oracles.blocks import Weights, layer_norm
from checks.oracles.dropout import RATE, expect_dropped_once
from checks.oracles.masked import expect_each_mask, expect_real, expect_single
from checks.oracles.modes import expect_slopes
from checks.oracles.slopes import expect_gradients
from checks.oracles.transformer_own import (
    expect_arguments_kept,
    expect_drawn_anew,
    expect_own_weights,
    expect_unseeded,
)
from checks.subject import ModuleHandle, Subject
from lessons.given.config import ModelConfig

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 4)
TORCHS_OWN = ("torch.nn.functional.gelu", "torch.nn.GELU.forward", "torch._C._nn.gelu")
# The constants of GELU may be kept in float32, as by `torch.sqrt(torch.tensor(2.0))`: off by 3e-8 of themselves.
ROUNDED = 1e-7

Case = dict[str, Any]


@st.composite
def block_cases(draw: st.DrawFn) -> Case:
    """Weights of a feed-forward block, and a hidden state with one to three axes."""
    rng = np.random.default_rng(draw(SEEDS))
    config = make.config(d_model=draw(st.integers(2, 6)), n_heads=1, d_ff=draw(st.integers(1, 9)))
    lead = draw(st.lists(SIZES, max_size=2))
    hidden = rng.normal(size=(*lead, config.d_model)) * 2
    return {"config": config, "weights": make.feed_forward(rng, config), "hidden": hidden}


@st.composite
def layer_cases(draw: st.DrawFn) -> Case:
    """A configuration, weights, a hidden state and a padding mask (or None)."""
    rng = np.random.default_rng(draw(SEEDS))
    n_heads, batch, tokens = draw(SIZES), draw(st.integers(1, 3)), draw(st.integers(1, 6))
    config = make.config(
        d_model=n_heads * draw(st.integers(2, 4)),
        n_heads=n_heads,
        d_ff=draw(st.integers(1, 9)),
        activation=draw(st.sampled_from(["gelu", "gelu_tanh"])),
        layer_norm_eps=draw(st.sampled_from([1e-12, 1e-3, 0.3])),
    )
    mask = make.padding(rng, batch, tokens) if draw(st.booleans()) else None
    hidden = rng.normal(size=(batch, tokens, config.d_model)) * 2
    return {"config": config, "weights": make.layer(rng, config), "hidden": hidden, "mask": mask}


@check("gelu", points=0.75)
@given(values=st.lists(st.floats(-30, 30), min_size=1, max_size=12))
@example(values=[-1e4, -200.0, -41.0, 41.0, 200.0, 1e4])
def test_gelu_is_x_times_the_normal_share_below_x(subject: Subject, values: list[float]) -> None:
    """GELU is x times the share of a normal variable below x; "tanh" is the approximation with its constants.

    The two differ by up to 4.7e-4: a checkpoint trained with one is a little off with the other.
    """
    x = np.array(values)
    exact, tanh = oracle.GELU_PROBE(subject, x)
    because = "{} at every x, however large"
    close(exact, oracle.gelu(x), because.format("x/2 * (1 + erf(x / sqrt(2)))"), atol=ROUNDED)
    formula = "x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))"
    close(tanh, oracle.gelu(x, "tanh"), because.format(formula), atol=ROUNDED)


@check("gelu", points=0.25)
def test_gelu_has_the_slopes_of_its_formula(subject: Subject) -> None:
    """Gradients of both forms are their slopes, in any shape, and the input stays as it is."""
    x = np.random.default_rng(1).normal(size=(2, 3, 4)) * 2
    for form in ("none", "tanh"):
        cotangent = np.random.default_rng(2).normal(size=x.shape)
        judge, because = partial(_each_entry, form), "the caller still needs its input"
        expect_unchanged(subject, "gelu", x, judge=judge, because=because, approximate=form)
        _, (gradient,) = subject.gradients("gelu", x, wrt=(0,), cotangent=cotangent, approximate=form)
        expect_gradients({"x": gradient}, partial(_gelu_sum, form, cotangent), {"x": x}, 3)
        _expect_any_shape(subject, form)
        far = np.array([-300.0, -20.0, 20.0, 300.0])
        _, (gradient,) = subject.gradients("gelu", far, wrt=(0,), cotangent=np.ones(4), approximate=form)
        close(
            gradient, (far > 0) * 1.0, "far from 0 the slope is 0 on the left and 1 on the right", atol=1e-6
        )


def _expect_any_shape(subject: Subject, form: str) -> None:
    for shape in ((), (1,), (1, 1), (0, 3)):
        at = np.full(shape, 0.7)
        got, because = subject.call("gelu", at, form), "any shape goes: a single number, and no number at all"
        close(np.asarray(got), np.asarray(oracle.gelu(at, form)), because, atol=ROUNDED)


def _each_entry(form: str, got: Any, case: list[np.ndarray]) -> None:
    close(got, oracle.gelu(case[0], form), "every entry by itself", atol=ROUNDED)


def _gelu_sum(form: str, cotangent: np.ndarray, at: Case) -> float:
    return float((oracle.gelu(at["x"], form) * cotangent).sum())


@check("gelu", points=0.25)
def test_gelu_is_written_without_torchs_own_and_refuses_other_forms(subject: Subject) -> None:
    """Both forms work without torch's own GELU and in float32, float16 and bfloat16; any other form is a ValueError."""
    x = np.linspace(-3, 3, 7)
    for form in ("none", "tanh"):
        want = oracle.gelu(x, form)
        got = subject.call_without(TORCHS_OWN[:1], "gelu", x, form)
        close(got, want, "here you write the formula yourself", atol=ROUNDED)
        named = subject.call("gelu", x=x, approximate=form)
        close(named, want, "x and approximate are the names of the arguments", atol=ROUNDED)
        # float32 keeps 7 digits, float16 three, bfloat16 between two and three, of values up to 3.
        for dtype, atol in (("float32", 1e-5), ("float16", 0.005), ("bfloat16", 0.015)):
            got = subject.call_in(dtype, "gelu", x, form)
            close(got, want, f"the same curve in {dtype}", atol=atol)
            seen = dtype.replace("bfloat16", "float32")  # NumPy has no bfloat16: it crosses as float32
            equal(str(got.dtype), seen, f"what comes in as {dtype} goes out as {dtype}")
    for other in ("erf", "tan", "", "Tanh", "tanh2", None):
        rejects(partial(subject.call, "gelu", x, other), "ValueError", 'only "none" and "tanh" are known')


@check("FeedForward", points=0.75)
@given(case=block_cases())
@example(case=oracle.BLOCK_PROBE.case)
def test_the_block_expands_activates_and_contracts(subject: Subject, case: Case) -> None:
    """The block is contract(gelu(expand(x))), with the GELU that the configuration names."""
    exact, tanh = oracle.BLOCK_PROBE(subject, case)
    for got, want, name in zip((exact, tanh), oracle.blocks_of(case), ("gelu", "gelu_tanh"), strict=True):
        # Up to nine terms of a `gelu` whose constants may be rounded to float32.
        close(got, want, f'contract(gelu(expand(x))) with activation "{name}"', atol=1e-6)


@check("FeedForward", points=0.5)
def test_the_block_drops_its_output_once(subject: Subject) -> None:
    """In train mode dropout acts on the block's output, and nowhere else; in eval mode nowhere.

    Each call draws anew. Hidden states may have any number of leading axes, and a copy has its own weights.
    """
    config = make.config(d_ff=8, dropout=RATE)
    for weights in (oracle.even_weights(), make.feed_forward(np.random.default_rng(4), config)):
        module = subject.module("FeedForward", config, weights=weights)
        hidden = np.ones((20, 50, 8))
        whole = oracle.block(weights, config, hidden)
        # Eight terms of a `gelu` whose constants may be rounded to float32.
        close(module(hidden=hidden), whole, "in eval mode nothing is dropped", atol=1e-6)
        dropped = module.change("train")(hidden)
        expect_dropped_once(
            dropped, whole, oracle.DROPS, "in train mode dropout acts once, on `contract`'s result"
        )
        expect_drawn_anew(module, (hidden,), dropped)
    module.change("eval")
    for lead in ((2, 1, 3, 2), (0,), (0, 3)):
        hidden = np.random.default_rng(13).normal(size=(*lead, 8))
        because = "one leading axis or more, of any size, 0 included"
        close(module(hidden), oracle.block(weights, config, hidden), because, atol=1e-6)
    hidden = np.random.default_rng(14).normal(size=(3, 8))
    expect_own_weights(module, (hidden,), lambda w: oracle.block(w, config, hidden), weights, atol=1e-6)


@check("FeedForward", points=0.25)
def test_gradients_reach_both_maps_of_the_block(subject: Subject) -> None:
    """Gradients of both maps and of the input are slopes, in both modes, and nothing else is trained.

    They are slopes of the GELU that the configuration names: train mode uses the same one as eval mode.
    """
    rng = np.random.default_rng(5)
    hidden, cotangent = rng.normal(size=(2, 2, 3, 4))
    for activation in ("gelu", "gelu_tanh"):
        config = make.config(d_model=4, d_ff=5, activation=activation)
        weights = make.feed_forward(rng, config)
        build = partial(subject.module, "FeedForward", config, weights=weights)
        expect_tensors(build(), weights, "expand and contract, with biases, are all there is")
        expect_unseeded(subject, "FeedForward", config)

        def outputs(w: Weights, x: np.ndarray, config: ModelConfig = config) -> np.ndarray:
            return oracle.block(w, config, x)

        expect_slopes(build, (hidden,), cotangent, outputs, weights, 6)


@check("TransformerLayer", points=1)
@given(case=layer_cases())
@example(case=oracle.LAYER_PROBE.case)
def test_the_layer_adds_and_normalises_after_each_part(subject: Subject, case: Case) -> None:
    """The layer is attention, sum, norm, feed-forward, sum, norm, with the configuration's epsilon."""
    got = oracle.LAYER_PROBE(subject, case)
    want = oracle.real(
        oracle.layer(case["weights"], case["config"], case["hidden"], case["mask"]), case["mask"]
    )
    # A `gelu` with constants rounded to float32 is off by 1e-8; the norm of a token with two almost equal entries
    # enlarges that some hundred times, and in one example of many thousands a thousand times.
    close(got, want, "norm(h + feed_forward(h)) where h = norm(x + attention(x))", atol=1e-5, rtol=0)


@check("TransformerLayer", points=0.5)
def test_a_layer_of_silent_parts_is_two_norms(subject: Subject) -> None:
    """With zero weights in both parts the layer is two norms of its input, in train mode too.

    What a part does not say, the residual sum hands on. The layer itself drops nothing.
    """
    rng = np.random.default_rng(7)
    for training in (False, True):
        config = make.config(dropout=0.5, layer_norm_eps=0.1)
        weights = make.layer(rng, config)
        for name in weights:
            if name.startswith(("attention.output", "feed_forward.contract")):
                weights[name] = np.zeros_like(weights[name])
        hidden = rng.normal(size=(3, 5, 8)) * 3
        want = layer_norm(
            layer_norm(hidden, weights, "attention_norm", 0.1), weights, "feed_forward_norm", 0.1
        )
        module = subject.module("TransformerLayer", config, weights=weights, training=training)
        subject.module("TransformerLayer", make.config(layer_norm_eps=0.9))  # each has its own settings
        got = module(hidden)
        close(got, want, "x + 0 is normalised twice; the parts do their own dropout, the layer has none")


@check("TransformerLayer", points=0.5)
def test_the_parts_dropout_is_not_repeated(subject: Subject) -> None:
    """In train mode each part's output is dropped once: the parts do that themselves.

    The norms have so large an epsilon here that they hardly do more than subtract the mean.
    """
    config = make.config(dropout=RATE, layer_norm_eps=1e12)
    weights = make.layer(np.random.default_rng(8), config)
    # The norms divide by 1e6, and their weights undo that: what is left of them subtracts the mean.
    silent = {name: np.zeros_like(array) for name, array in weights.items()}
    silent |= {"attention_norm.weight": np.full(8, 1e6), "feed_forward_norm.weight": np.full(8, 1e6)}
    for part in ("attention.output", "feed_forward.contract"):
        module = subject.module(
            "TransformerLayer", config, weights=silent | {f"{part}.bias": np.ones(8)}, training=True
        )
        got = module(np.zeros((20, 5, 8)))
        is_array(got, (20, 5, 8), "f", "one vector for each token")
        gaps = got.max(axis=-1) - got.min(axis=-1)
        want = np.where(gaps > 1e-6, 1 / (1 - RATE), 0.0)
        close(
            gaps,
            want,
            "a kept 1 is 1 / (1 - p), a dropped one 0: twice dropped it would be 1 / (1 - p)^2",
            atol=1e-5,
        )
        because = "in train mode some entries are dropped and some are not"
        true(
            bool((gaps > 1e-6).mean() > 0.5),
            because,
            expected="most tokens with both",
            got=f"{(gaps > 1e-6).mean():.2f}",
        )


@check("TransformerLayer", points=0.5)
def test_what_the_layer_gets_stays_and_padding_changes_nothing(subject: Subject) -> None:
    """Garbage at padding leaves real tokens alone, and the layer's input is not changed in place.

    So it is in train mode, in float32 and bfloat16, and whatever mask the call before had.
    """
    rng = np.random.default_rng(9)
    config = make.config()
    weights, hidden = make.layer(rng, config), rng.normal(size=(3, 6, 8))
    mask = np.ones((3, 6), bool)
    mask[0, 4:] = mask[1, :2] = mask[2, 1:] = False
    noisy = np.where(mask[..., None], hidden, 30 * hidden + 3)
    outputs = partial(oracle.layer, weights, config, hidden)
    want = outputs(mask)
    for training in (False, True):
        module = subject.module("TransformerLayer", config, weights=weights, training=training)
        for given_hidden in (hidden, noisy):
            kept = subject.put(given_hidden)
            for _ in range(2):
                got = module(kept, mask)
                because = "real tokens see real tokens only, in train mode as in eval mode"
                expect_real(got, want, mask, because, atol=1e-6)
            because = "the caller still needs its input: h += ... changes it in place"
            equal(subject.get(kept), given_hidden, because)
    expect_each_mask(module, hidden, outputs, atol=1e-6)
    empty = mask & (np.arange(3) < 2)[:, None]
    for given_mask in (empty, np.zeros_like(mask)):
        because = "the mask is the caller's: the layer above gets it too"
        got = expect_arguments_kept(module, (hidden,), {"attention_mask": given_mask}, because)
        expect_real(got, outputs(given_mask), given_mask, "a row of padding only is served", atol=1e-6)
    want = outputs(empty)
    single = expect_single(module, hidden, empty, want)
    got = single(hidden.astype(np.float32), mask)
    equal(str(got.dtype), "float32", "a module computes in the dtype of its parameters")
    half = single.change("bfloat16")
    # Two norms and four products, each good to 1/256 of values near 3.
    because = "half precision costs digits, not the result"
    expect_real(half(hidden, empty), want, empty, because, atol=0.15)


@check("TransformerLayer", points=0.5)
def test_gradients_reach_every_part_of_the_layer(subject: Subject) -> None:
    """Gradients of all sixteen tensors and of the input are slopes, in both modes, and these tensors are all."""
    rng = np.random.default_rng(10)
    config = make.config(d_model=4, d_ff=5, layer_norm_eps=0.1)
    weights, hidden = make.layer(rng, config), rng.normal(size=(2, 3, 4))
    mask = np.array([[True, True, True], [True, True, False]])
    cotangent = oracle.real(rng.normal(size=hidden.shape), mask)
    build = partial(subject.module, "TransformerLayer", config, weights=weights)
    expect_tensors(build(), weights, "two parts and two norms are all there is")
    expect_unseeded(subject, "TransformerLayer", config)

    def outputs(w: Weights, x: np.ndarray) -> np.ndarray:
        return oracle.layer(w, config, x, mask)

    # Two norms in a row bend the slopes more than one product: differences are good to about 1e-7.
    expect_slopes(build, (hidden, mask), cotangent, outputs, weights, 11)
    expect_own_weights(build(), (hidden,), lambda w: oracle.layer(w, config, hidden), weights, atol=1e-6)


def expect_tensors(module: ModuleHandle, weights: Case, because: str) -> None:
    """The module has the tensors of `weights`, and no others, to train and in its state."""
    shapes = {name: array.shape for name, array in weights.items()}
    equal(dict(sorted(module.parameters().items())), dict(sorted(shapes.items())), because)
    equal(sorted(module.state()), sorted(shapes), "`state_dict()` holds these tensors and no others")


@check("TransformerLayer", points=0.25, assembly=True, uses=("attention",))
def test_a_layer_from_your_own_attention_is_right(assembly: Subject) -> None:
    """The layer, with your own attention inside, gives what the formulas give."""
    rng = np.random.default_rng(12)
    config = make.config(d_model=12, n_heads=3)
    weights, hidden, mask = make.layer(rng, config), rng.normal(size=(3, 5, 12)), make.padding(rng, 3, 5)
    got = assembly.module("TransformerLayer", config, weights=weights)(hidden, mask)
    want = oracle.layer(weights, config, hidden, mask)
    is_array(got, want.shape, "f", "one vector of size D for each token")
    close(
        got[mask],
        want[mask],
        "the parts were right one by one: their seams are the names and the mask",
        atol=1e-6,
    )
