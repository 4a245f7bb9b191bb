"""Checks of lesson 8."""

import itertools
from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import check, close, equal, rejects, true
from checks.oracles import encoders as oracle
from checks.oracles import weights as random_weights
from checks.oracles.masked import expect_each_mask, expect_real, expect_single
from checks.oracles.modes import expect_slopes
from checks.oracles.sharing import expect_moves_as_one
from checks.oracles.transformer_own import expect_arguments_kept, expect_own_weights, expect_unseeded
from checks.subject import Subject

Case = dict[str, Any]
LAYER_TENSORS = 16
DEPTHS = ((2, "none"), (3, "attention"), (4, "all"))
# Three rows of five tokens, each with padding, to the left or in the middle.
LEFT = np.array(
    [[False, False, True, True, True], [False, True, True, True, False], [True, False, False, False, True]]
)
STACK = "the output of one layer is the input of the next, all under the same mask"


@st.composite
def encoder_cases(draw: st.DrawFn, **changes: Any) -> Case:
    """Small sizes, one to four steps, with a mask or without one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    heads, size = draw(st.sampled_from([(1, 3), (2, 2), (2, 4), (3, 2)]))
    changes = {"d_model": heads * size, "n_heads": heads, "d_ff": draw(st.sampled_from([5, 11]))} | changes
    n_layers = changes.pop("n_layers", None) or draw(st.integers(1, 4))
    rows, tokens = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    return oracle.case(rng, rows, tokens, draw(st.booleans()), n_layers=n_layers, **changes)


@check("BERTEncoder", points=1.25)
@given(case=encoder_cases())
@example(case=oracle.padded_case(n_layers=3))
def test_layers_follow_each_other_with_their_own_weights(subject: Subject, case: Case) -> None:
    """Layer i + 1 works on what layer i gives, with weights of its own and under the same mask."""
    expect_output(subject, oracle.BERT_PROBE, "BERTEncoder", case)


@check("BERTEncoder", points=1)
def test_gradients_reach_every_layer(subject: Subject) -> None:
    """Every tensor of every layer, and the input, gets the gradient of the stack, in train mode as in eval mode.

    Where the graph is cut between layers the loss still falls, since the last layer learns.
    """
    c = _slope_case(3)
    expect_stack_slopes(subject, "BERTEncoder", c, c["weights"], 80)


@check("BERTEncoder", points=0.5)
def test_parameters_of_bert_grow_with_depth(subject: Subject) -> None:
    """n_layers layers are n_layers times sixteen tensors, named layers.0 and on, whatever `config.sharing` says.

    Groups are ALBERT's: BERT does not read `config.n_groups`.
    """
    for n_layers, sharing in DEPTHS:
        groups = 2 if n_layers == 4 else 1
        c = oracle.case(np.random.default_rng(n_layers), n_layers=n_layers, sharing=sharing, n_groups=groups)
        expect_names(subject, "BERTEncoder", c)


@check("BERTEncoder", points=0.5)
def test_layers_start_different(subject: Subject) -> None:
    """No two layers start with the same matrices.

    Copies of one layer are separate parameters, and would start with the same random numbers in each.
    """
    c = oracle.case(np.random.default_rng(81), n_layers=3)
    module = subject.module("BERTEncoder", c["config"])
    state = module.state()
    start = {name: state[name] for name in c["weights"] if name in state}
    shapes = {name: x.shape for name, x in c["weights"].items()}
    equal({name: x.shape for name, x in start.items()}, shapes, "the tensors of three layers")
    expect_stack(module(c["hidden"], c["mask"]), c | {"weights": state}, "BERTEncoder")
    expect_apart(start, 3, "each layer draws its own numbers")
    expect_unseeded(subject, "BERTEncoder", c["config"])

    def outputs(w: dict[str, np.ndarray]) -> np.ndarray:
        return oracle.encode("BERTEncoder", w, c["config"], c["hidden"], None)

    expect_own_weights(module, (c["hidden"],), outputs, dict(module.state()), atol=1e-8)


@check("BERTEncoder", points=0.25)
def test_bert_adds_no_dropout_of_its_own(subject: Subject) -> None:
    """In train mode, where attention and feed-forward give zero, the encoder is nothing but its norms.

    Dropout has its places inside the layer; one more between layers would hurt every token. Layers are not dropped
    either: all eight of a deep stack work, however little they change.
    """
    expect_no_dropout(subject, "BERTEncoder")


@check("BERTEncoder", points=0.5)
def test_the_mask_of_bert_is_optional_and_the_input_is_left_alone(subject: Subject) -> None:
    """Without a mask all tokens are read; the hidden states given are the caller's and stay as they are.

    A mask serves one call, in train mode as in eval mode, and in float32 as in float64.
    """
    expect_input_left(subject, "BERTEncoder")


@check("ALBERTEncoder", points=1.25)
@given(case=encoder_cases(sharing="all"))
@example(case=oracle.padded_case(n_layers=3, sharing="all"))
def test_one_layer_is_applied_n_layers_times(subject: Subject, case: Case) -> None:
    """The one layer works n_layers times, each time on its own last output and under the same mask."""
    expect_output(subject, oracle.ALBERT_PROBE, "ALBERTEncoder", case)


@check("ALBERTEncoder", points=1.25)
def test_the_gradient_of_the_shared_layer_is_the_sum_over_its_uses(subject: Subject) -> None:
    """Each shared tensor's gradient is the sum over all steps that use it, in train mode as in eval mode."""
    c = _slope_case(3, sharing="all")
    named = {name: x for name, x in c["weights"].items() if name.startswith("layers.0.")}
    expect_stack_slopes(subject, "ALBERTEncoder", c, named, 82)


@check("ALBERTEncoder", points=0.75)
def test_a_training_step_moves_the_shared_layer_once(subject: Subject) -> None:
    """After a step of SGD with weight decay the encoder gives what one layer, moved once, gives.

    Equal copies drift apart at the first step. Several parameters over one storage stay equal and shrink
    several times.
    """
    c = _slope_case(3, sharing="all")
    module = oracle.build(subject, "ALBERTEncoder", c)
    named = {name: x for name, x in c["weights"].items() if name.startswith("layers.0.")}
    names = [
        "layers.0.attention.value.weight",
        "layers.0.feed_forward.expand.weight",
        "layers.0.attention_norm.bias",
    ]

    def outputs(at: dict[str, np.ndarray]) -> np.ndarray:
        return oracle.encode("ALBERTEncoder", at, c["config"], c["hidden"], None)

    expect_moves_as_one(
        module, (c["hidden"],), outputs, named, names, "one step moves the one layer once", 83
    )


@check("ALBERTEncoder", points=0.5)
def test_parameters_of_albert_do_not_grow_with_depth(subject: Subject) -> None:
    """At any depth there are sixteen tensors, named layers.0, whatever `config.sharing` says."""
    for n_layers, sharing in DEPTHS:
        c = oracle.case(np.random.default_rng(n_layers), n_layers=n_layers, sharing=sharing)
        expect_names(subject, "ALBERTEncoder", c)


@check("ALBERTEncoder", points=0.5)
def test_copies_of_the_encoder_share_within_and_not_without(subject: Subject) -> None:
    """A deepcopy, a pickled and a reloaded encoder share as the original does, and nothing with it."""
    for how in ("deepcopy", "pickle", "save_load"):
        c = _slope_case(3, sharing="all")
        original = oracle.build(subject, "ALBERTEncoder", c)
        twin = original.clone(how)
        expect_stack(twin(c["hidden"], c["mask"]), c, "ALBERTEncoder")
        other = {
            name: x
            for name, x in _slope_case(4, sharing="all")["weights"].items()
            if name.startswith("layers.0.")
        }
        twin.load(other)
        expect_stack(original(c["hidden"], c["mask"]), c, "ALBERTEncoder")
        expect_stack(twin(c["hidden"], c["mask"]), c | {"weights": other}, "ALBERTEncoder")


@check("ALBERTEncoder", points=0.25)
def test_albert_adds_no_dropout_of_its_own(subject: Subject) -> None:
    """In train mode, where attention and feed-forward give zero, the encoder is nothing but its norms.

    No step is left out: all eight of a deep stack work, however little they change.
    """
    expect_no_dropout(subject, "ALBERTEncoder", sharing="all")


@check("ALBERTEncoder", points=0.25)
def test_the_mask_of_albert_is_optional_and_the_input_is_left_alone(subject: Subject) -> None:
    """Without a mask all tokens are read; the hidden states given are the caller's and stay as they are.

    A mask serves one call, in train mode as in eval mode, and in float32 as in float64.
    """
    expect_input_left(subject, "ALBERTEncoder", sharing="all")


@check("ALBERTEncoder", points=0.25, assembly=True, uses=("attention", "transformer"))
def test_your_layers_stack_to_both_encoders(assembly: Subject) -> None:
    """Your own attention and layers, stacked by your own encoders, give what they should."""
    for kind, sharing in (("BERTEncoder", "none"), ("ALBERTEncoder", "all")):
        c = oracle.case(np.random.default_rng(84), rows=3, tokens=7, n_layers=2, sharing=sharing)
        expect_stack(oracle.build(assembly, kind, c)(c["hidden"], c["mask"]), c, kind)


@check("ALBERTEncoder", points=0.75, bonus=True)
@given(shape=st.sampled_from([(2, 2), (4, 2), (6, 3), (6, 2), (5, 5)]), seed=st.integers(0, 2**32 - 1))
def test_neighbouring_steps_use_one_group(subject: Subject, shape: tuple[int, int], seed: int) -> None:
    """Step i uses group i * n_groups // n_layers."""
    n_layers, n_groups = shape
    rng = np.random.default_rng(seed)
    c = oracle.case(rng, 2, 3, d_ff=5, n_layers=n_layers, n_groups=n_groups, sharing="all")
    expect_output(subject, oracle.GROUPS_PROBE, "ALBERTEncoder", c)


@check("ALBERTEncoder", points=0.25, bonus=True)
def test_a_group_is_one_set_of_parameters(subject: Subject) -> None:
    """n_groups sets of parameters that start different, each moved once by a training step."""
    c = _slope_case(4, n_groups=2, sharing="all")
    expect_names(subject, "ALBERTEncoder", c)
    fresh = subject.module("ALBERTEncoder", c["config"]).state()
    expect_apart(fresh, 2, "each group draws its own numbers")
    expect_unseeded(subject, "ALBERTEncoder", c["config"])
    named = {name: x for name, x in c["weights"].items() if name.startswith(("layers.0.", "layers.1."))}
    names = [
        "layers.0.attention.value.weight",
        "layers.1.attention.value.weight",
        "layers.1.feed_forward_norm.bias",
    ]

    def outputs(at: dict[str, np.ndarray]) -> np.ndarray:
        return oracle.encode("ALBERTEncoder", at, c["config"], c["hidden"], None)

    module = oracle.build(subject, "ALBERTEncoder", c)
    expect_moves_as_one(module, (c["hidden"],), outputs, named, names, "one step moves each group once", 85)


@check("PartlySharedEncoder", points=0.5, bonus=True)
@given(case=st.one_of(encoder_cases(sharing="attention"), encoder_cases(sharing="ffn")))
@example(case=oracle.padded_case(n_layers=3, sharing="attention"))
@example(case=oracle.padded_case(n_layers=3, sharing="ffn"))
def test_layers_share_the_part_that_is_asked_for(subject: Subject, case: Case) -> None:
    """All layers hold one attention or one feed-forward part with its norm, and the rest is their own."""
    (got,) = oracle.PARTLY_PROBE(subject, [case])
    expect_stack(got, case, "PartlySharedEncoder")


@check("PartlySharedEncoder", points=0.25, bonus=True)
def test_a_training_step_moves_the_shared_part_once(subject: Subject) -> None:
    """In train mode the shared part's gradient is the sum over the layers, and a step moves it once."""
    for sharing, part, own in (
        ("attention", "attention", "feed_forward.expand"),
        ("ffn", "feed_forward", "attention.value"),
    ):
        c = _slope_case(3, sharing=sharing)
        shared = (f"{part}.", f"{part}_norm.")
        tied = {
            n: c["weights"][f"layers.2.{_end(n)}"] if _end(n).startswith(shared) else x
            for n, x in c["weights"].items()
        }
        kept = {n: x for n, x in tied.items() if n.startswith("layers.0.") or not _end(n).startswith(shared)}
        module = oracle.build(subject, "PartlySharedEncoder", c | {"weights": tied}, training=True)

        def outputs(at: dict[str, np.ndarray], c: Case = c, tied: dict[str, np.ndarray] = tied) -> np.ndarray:
            w = {name: at.get(name, at[f"layers.0.{_end(name)}"]) for name in tied}
            return oracle.encode("PartlySharedEncoder", w, c["config"], c["hidden"], None)

        names = [f"layers.0.{part}_norm.weight", f"layers.1.{own}.weight"]
        names += [f"layers.0.{'attention.query' if part == 'attention' else 'feed_forward.contract'}.weight"]
        expect_moves_as_one(
            module, (c["hidden"],), outputs, kept, names, "one step moves the shared part once", 86
        )


@check("PartlySharedEncoder", points=0.25, bonus=True)
def test_partly_shared_refuses_the_extremes_and_names_each_layer(subject: Subject) -> None:
    """The extremes are a ValueError; `layers` names n_layers layers, and parameters() the shared part once.

    Each layer's own part starts different. The encoder runs as BERT's does, and no part is shared by groups.
    """
    for sharing, tensors in (("attention", 10), ("ffn", 6)):
        c = oracle.case(np.random.default_rng(87), n_layers=3, n_groups=3, sharing=sharing)
        module = oracle.build(subject, "PartlySharedEncoder", c)
        count = LAYER_TENSORS + 2 * (LAYER_TENSORS - tensors)
        equal(len(module.parameters()), count, f"with {sharing!r} the {tensors} shared tensors count once")
        expect_stack(module(c["hidden"], c["mask"]), c, "PartlySharedEncoder")
        equal(sorted(module.state()), sorted(c["weights"]), "layers has an entry for every layer")
        expect_silent(subject, "PartlySharedEncoder", sharing=sharing)
    expect_input_left(subject, "PartlySharedEncoder", sharing="ffn")
    for sharing, own in (("attention", "feed_forward."), ("ffn", "attention.")):
        c = oracle.case(np.random.default_rng(87), n_layers=3, sharing=sharing)
        fresh = subject.module("PartlySharedEncoder", c["config"]).state()
        expect_apart(fresh, 3, "each layer's own part draws its own numbers", own)
    for extreme in ("none", "all"):
        config = random_weights.config(sharing=extreme)
        rejects(
            partial(subject.module, "PartlySharedEncoder", config),
            "ValueError",
            "another class does that",
        )


def expect_output(subject: Subject, probe: Any, kind: str, c: Case) -> None:
    expect_stack(probe(subject, c), c, kind)


def expect_stack(got: Any, c: Case, kind: str) -> None:
    want = oracle.encode(kind, c["weights"], c["config"], c["hidden"], c["mask"])
    # Up to six layers, each with two norms that may enlarge an error a little.
    close(oracle.at_real_tokens(got, c["mask"]), want, STACK, atol=1e-8, rtol=1e-7)


def expect_names(subject: Subject, kind: str, c: Case) -> None:
    n = c["config"].n_groups if kind == "ALBERTEncoder" else c["config"].n_layers
    module = oracle.build(subject, kind, c)
    names = sorted(name for name in c["weights"] if int(name.split(".")[1]) < n)
    shapes = {name: c["weights"][name].shape for name in names}
    found = module.parameters()
    because = f"{n} layers of {LAYER_TENSORS} tensors are all there is to train"
    equal(sorted(found), names, because)
    equal([found[name] for name in names], [shapes[name] for name in names], because)
    equal(sorted(module.state()), names, f"`layers` has {n} entries")
    expect_stack(module(c["hidden"], c["mask"]), c, kind)


def expect_stack_slopes(
    subject: Subject, kind: str, c: Case, weights: dict[str, np.ndarray], seed: int
) -> None:
    def outputs(w: dict[str, np.ndarray], hidden: np.ndarray) -> np.ndarray:
        return oracle.encode(kind, w, c["config"], hidden, c["mask"])

    build = partial(oracle.build, subject, kind, c)
    expect_slopes(build, (c["hidden"], c["mask"]), c["cotangent"], outputs, weights, seed)


def expect_apart(state: dict[str, np.ndarray], n: int, because: str, part: str = "") -> None:
    """No two of the `n` layers have an equal matrix, in the named part or anywhere."""
    start = {name: x for name, x in state.items() if x.ndim == 2 and _end(name).startswith(part)}
    equal(len({name.split(".")[1] for name in start}), n, f"`layers` has {n} entries")
    for i, j in itertools.combinations(range(n), 2):
        same = [name for name in start if name.startswith(f"layers.{i}.") and _equal_at(start, name, i, j)]
        true(not same, because, expected=f"layers {i} and {j} apart", got=f"equal {same[:3]}")


def expect_deep(subject: Subject, kind: str, **changes: Any) -> None:
    """Eight steps that change a hundred thousandth each: one less shows, and an early end.

    Where a step is left out one time in ten, 16 forwards of 8 steps show it but for a chance of 2e-6.
    """
    c = oracle.case(np.random.default_rng(90), rows=2, tokens=3, n_layers=8, d_ff=5, **changes)
    for name, x in c["weights"].items():
        if ".output." in name or ".contract." in name:
            c["weights"][name] = x * 1e-5
        elif "_norm." in name:
            c["weights"][name] = np.full_like(x, float(name.endswith("weight")))
    want = oracle.encode(kind, c["weights"], c["config"], c["hidden"], c["mask"])
    module = oracle.build(subject, kind, c)
    for mode in ("eval", *["train"] * 16):
        got = oracle.at_real_tokens(module.change(mode)(c["hidden"], c["mask"]), c["mask"])
        close(got, want, f"in {mode} mode each of the eight steps is made", atol=1e-8, rtol=1e-7)


def expect_no_dropout(subject: Subject, kind: str, **changes: Any) -> None:
    expect_silent(subject, kind, **changes)
    expect_deep(subject, kind, **changes)


def expect_silent(subject: Subject, kind: str, **changes: Any) -> None:
    c = oracle.case(np.random.default_rng(88), n_layers=3, dropout=0.5, **changes)
    silent = {n: x * 0 if ".output." in n or ".contract." in n else x for n, x in c["weights"].items()}
    c = c | {"weights": silent}
    got = oracle.build(subject, kind, c, training=True)(c["hidden"], c["mask"])
    expect_stack(got, c, kind)


def expect_input_left(subject: Subject, kind: str, **changes: Any) -> None:
    c = oracle.padded_case(n_layers=2, **changes)
    outputs = partial(oracle.encode, kind, c["weights"], c["config"], c["hidden"])
    for training in (False, True):
        module = oracle.build(subject, kind, c, training=training)
        # Three layers: each encoder has its own depth.
        subject.module(kind, random_weights.config(**({"sharing": "all"} | changes)))
        hidden = subject.put(c["hidden"])
        expect_stack(module(hidden=hidden), c | {"mask": None}, kind)
        expect_stack(module(hidden, attention_mask=c["mask"]), c, kind)
        equal(subject.get(hidden), c["hidden"], "the caller still needs its hidden states")
        expect_each_mask(module, c["hidden"], outputs, atol=1e-8)
    empty = c["mask"] & (np.arange(3) < 2)[:, None]
    for mask in (empty, LEFT):
        because = "the mask is the caller's: the next call gets it too"
        got = expect_arguments_kept(module, (c["hidden"],), {"attention_mask": mask}, because)
        expect_real(got, outputs(mask), mask, "padding may stand anywhere, to the left too", atol=1e-8)
    single = expect_single(module, c["hidden"], empty, outputs(empty))
    got = single(c["hidden"].astype(np.float32), LEFT)
    equal(str(got.dtype), "float32", "an encoder computes in the dtype of its parameters")


def _slope_case(n_layers: int, **changes: Any) -> Case:
    rng = np.random.default_rng(n_layers)
    c = oracle.case(rng, rows=2, tokens=3, n_layers=n_layers, **({"d_ff": 5} | changes))
    return c | {"cotangent": oracle.at_real_tokens(rng.normal(size=c["hidden"].shape), c["mask"])}


def _equal_at(state: dict[str, np.ndarray], name: str, i: int, j: int) -> bool:
    other = state.get(name.replace(f"layers.{i}.", f"layers.{j}.", 1))
    return other is not None and bool(np.array_equal(state[name], other))


def _end(name: str) -> str:
    return name.split(".", 2)[2]
