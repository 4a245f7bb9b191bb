"""Checks of lesson 10."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import check, close, equal, rejects, true
from checks.oracles import models as oracle
from checks.oracles import models_start as start
from checks.oracles import weights as random_weights
from checks.oracles.models_expected import (
    CHAIN,
    expect_dropout,
    expect_each_call,
    expect_kept,
    expect_model,
    expect_outputs,
    expect_pair,
    expect_scores,
    expect_sentence,
    expect_start,
    expect_tied,
    expect_told_apart,
)
from checks.subject import Subject, TorchSeed

SEEDS = st.integers(0, 2**32 - 1)


@check("BERTModel", points=1)
@given(
    seed=SEEDS,
    rows=st.integers(1, 3),
    tokens=st.integers(2, 5),
    given=st.tuples(st.booleans(), st.booleans()),
)
@example(seed=1, rows=3, tokens=5, given=(True, True))
@example(seed=2, rows=2, tokens=4, given=(False, False))
def test_bert_embeds_encodes_and_pools(
    subject: Subject, seed: int, rows: int, tokens: int, given: tuple[bool, bool]
) -> None:
    """The outputs are the encoder's hidden states and the pooled first token.

    Segments and mask may be missing: then all tokens are of segment 0, and all are real.
    """
    c = oracle.case("BERTModel", seed, rows, tokens)
    c |= {} if given[0] else {"segments": None}
    c |= {} if given[1] else {"mask": None}
    expect_outputs(subject, "BERTModel", [c])


@check("BERTModel", points=0.5)
def test_bert_scores_words_at_flattened_positions(subject: Subject) -> None:
    """Scores at positions b * T + t equal those of row b, token t in the scores everywhere.

    They train the hidden states and the head through the chosen rows alone; with no positions backward still works.
    """
    expect_scores(subject, "BERTModel", oracle.case("BERTModel", 110))


@check("BERTModel", points=0.25)
def test_padding_and_company_change_nothing(subject: Subject) -> None:
    """A row gives the same alone as among others and padded, and the sentence logits belong to it.

    The sentence logits also train what was pooled. Segments and mask serve one call, and padding may stand anywhere.
    """
    c = oracle.case("BERTModel", 111, rows=3, tokens=6)
    model = oracle.build(subject, "BERTModel", c)
    want = oracle.forward(c["weights"], c["config"], c["ids"], c["segments"], c["mask"])
    for row, n in enumerate(c["mask"].sum(axis=1)):
        alone = model(c["ids"][row : row + 1, :n], segment_ids=c["segments"][row : row + 1, :n])
        expect_pair(
            alone, [want[0][row : row + 1, :n], want[1][row : row + 1]], "no mask, no padding, no company"
        )
    other = np.where(c["mask"], c["ids"], (c["ids"] + 3) % 29)
    got = model(other, c["segments"], attention_mask=c["mask"])
    expect_pair(oracle.sequence_at_real_tokens(got, c["mask"]), want, "what stands at padding is not read")
    expect_each_call(subject, "BERTModel", c)
    expect_sentence(subject, "BERTModel", c)


@check("BERTModel", points=0.5)
def test_bert_has_one_word_table_for_reading_and_scoring(subject: Subject) -> None:
    """Reading and scoring give their gradients to one table, and after a training step both use the new one.

    Two parameters over one storage agree in value for ever, and yet split gradients and optimiser state. The pooled
    vector has a gradient through the whole encoder.
    """
    expect_tied(
        subject, "BERTModel", oracle.case("BERTModel", 112), ["encoder.layers.1.attention.value.weight"]
    )


@check("BERTModel", points=0.25)
def test_bert_refuses_sharing_and_narrow_tables(subject: Subject) -> None:
    """`sharing` other than "none", or E that is not D, is a ValueError; otherwise the configuration is kept.

    The state of the model has the names of the interface, and no others.
    """
    c = oracle.case("BERTModel", 113)
    model = oracle.build(subject, "BERTModel", c)
    expect_pair(model(c["ids"]), oracle.forward(c["weights"], c["config"], c["ids"], None, None), CHAIN)
    other = oracle.case("BERTModel", 131)
    model.clone("deepcopy").load(other["weights"])
    expect_model(model, c, c["weights"], "a deep copy has a table and layers of its own")
    other = oracle.case("BERTModel", 113, n_groups=2)  # groups count only where layers are shared
    expect_kept([(model, c), (oracle.build(subject, "BERTModel", other), other)])
    for changes in ({"sharing": "all"}, {"sharing": "attention"}, {"sharing": "ffn"}, {"d_embedding": 6}):
        config = random_weights.config(**changes)
        rejects(partial(subject.module, "BERTModel", config), "ValueError", "that is ALBERT")


@check("BERTModel", points=0.25)
def test_bert_starts_knowing_nothing(subject: Subject) -> None:
    """A new BERT has N(0, init_std) matrices, biases 0, norms 1; its masked-word loss is about ln V.

    The global seed decides the numbers, and is not set here.
    """
    expect_start(subject, "BERTModel")


@check("BERTModel", points=0.25)
def test_bert_has_dropout_in_its_parts_only(subject: Subject) -> None:
    """In train mode two forwards differ; the output still has its norm, and nothing is dropped after it."""
    expect_dropout(subject, "BERTModel", oracle.case("BERTModel", 114, rows=4, dropout=0.5))


@check("ALBERTModel", points=0.5)
@given(
    seed=SEEDS,
    sharing=st.sampled_from(["all", "none", "attention", "ffn"]),
    size=st.sampled_from([3, 8, 11]),
    given=st.booleans(),
)
@example(seed=1, sharing="all", size=3, given=True)
@example(seed=2, sharing="all", size=8, given=False)
@example(seed=3, sharing="none", size=11, given=True)
@example(seed=4, sharing="attention", size=3, given=True)
@example(seed=5, sharing="ffn", size=3, given=True)
def test_albert_factorizes_and_shares_as_asked(
    subject: Subject, seed: int, sharing: str, size: int, given: bool
) -> None:
    """Tables of size E with a projection (also where E = D), and the encoder that `sharing` names."""
    groups = {"n_layers": 4, "n_groups": 2} if sharing == "all" and seed % 2 else {"n_layers": 3}
    groups |= {} if sharing == "all" else {"n_groups": 3}  # groups count only where layers are shared
    c = oracle.case("ALBERTModel", seed, 2, 4, sharing=sharing, d_embedding=size, **groups)
    expect_outputs(subject, "ALBERTModel", [c if given else c | {"segments": None, "mask": None}])


@check("ALBERTModel", points=0.25)
def test_albert_scores_words_and_order(subject: Subject) -> None:
    """Word scores at all places or at flattened positions, and two sentence logits, with their gradients."""
    c = oracle.case("ALBERTModel", 115, sharing="all", activation="gelu_tanh")
    expect_scores(subject, "ALBERTModel", c)
    expect_each_call(subject, "ALBERTModel", c)
    expect_sentence(subject, "ALBERTModel", c)


@check("ALBERTModel", points=0.5)
def test_albert_has_one_word_table_and_one_layer(subject: Subject) -> None:
    """Table and layer have the gradients of all their uses, and a training step moves each once.

    The pooled vector has a gradient through the whole encoder.
    """
    names = ["encoder.layers.0.attention.value.weight", "embeddings.projection.weight"]
    expect_tied(subject, "ALBERTModel", oracle.case("ALBERTModel", 116, sharing="all", n_layers=3), names)


@check("ALBERTModel", points=0.25)
def test_copies_of_a_model_stand_on_their_own(subject: Subject) -> None:
    """A deepcopy, a pickled and a reloaded model are tied and shared within, and not with the original."""
    c, other = (oracle.case("ALBERTModel", seed, sharing="all") for seed in (117, 118))
    for how in ("deepcopy", "pickle", "save_load"):
        model = oracle.build(subject, "ALBERTModel", c)
        twin = model.clone(how)
        expect_model(twin, c, c["weights"], f"the copy by {how} starts equal")
        there = set(twin.state()) - {oracle.DECODER}
        twin.load({name: x for name, x in other["weights"].items() if name in there})
        expect_model(model, c, c["weights"], f"the original does not follow a copy by {how}")
        expect_model(twin, c, other["weights"], f"a copy by {how} has one table and one layer of its own")


@check("ALBERTModel", points=0.25)
def test_depth_costs_albert_no_parameters(subject: Subject) -> None:
    """With everything shared the parameters are the same at any depth, with the tied table counted once.

    Each model keeps its configuration, and its state has the names of the interface, and no others.
    """
    cases = [oracle.case("ALBERTModel", 119, sharing="all", n_layers=n_layers) for n_layers in (1, 3)]
    models = [(oracle.build(subject, "ALBERTModel", c), c) for c in cases]
    expect_kept(models)
    for model, c in models:
        expect_model(model, c, c["weights"], CHAIN)
        found = {oracle.WORD if name == oracle.DECODER else name for name in model.parameters()}
        equal(
            sorted({oracle.DECODER, *found}),
            oracle.names_in_state(c),
            "each tensor has a name of the interface, and counts once",
        )


@check("ALBERTModel", points=0.25)
def test_albert_starts_knowing_nothing(subject: Subject) -> None:
    """A new ALBERT has N(0, init_std) matrices, biases 0, norms 1; its masked-word loss is about ln V.

    The global seed decides the numbers, and is not set here.
    """
    expect_start(subject, "ALBERTModel")


@check("ALBERTModel", points=0.25)
def test_albert_has_dropout_in_its_parts_only(subject: Subject) -> None:
    """In train mode embeddings and encoder drop as the configuration says, and the heads do not."""
    expect_dropout(
        subject, "ALBERTModel", oracle.case("ALBERTModel", 128, rows=4, dropout=0.5, sharing="all")
    )


@check("init_weights", points=0.75)
def test_matrices_are_drawn_biases_zero_and_norms_one(subject: Subject) -> None:
    """Every matrix is N(0, std), every bias 0, every norm's weight 1, whatever class holds it.

    Only a name that ends in `bias` is a bias, and a frozen parameter is started like the others.
    """
    got = start.INIT_PROBE(subject, start.INIT_PROBE.case)
    true(isinstance(got, dict), "the weights change in place", expected="statistics", got=got)
    equal(
        [got["biases"], got["norms"]], [0.0, 0.0], "[0, 0] says that all biases are 0 and all norm weights 1"
    )
    # With 576 numbers or more a standard deviation is known to 3 %; 20 % is nearly seven times that.
    for label in start.INIT_SPREADS:
        close(got[label], 1.0, f"the spread of the {label} matrix in units of std", atol=0.2)
    # 30,000 numbers: 0.4 %; a normal cut at two deviations is within 5 % once it is scaled back.
    close(got["linear"], 1.0, "the standard deviation is std", atol=0.05)
    # 0.683 of a normal, 0.651 of one that is cut; each known to 0.003.
    close(got["inside"], 0.665, "about two thirds of a normal lie within one std", atol=0.035)
    module = start.init_parts(subject)
    subject.call("init_weights", module)
    close(float(module.state()["0.weight"].std()), 0.02, "std is 0.02 unless said otherwise", atol=0.001)
    expect_told_apart(subject)


@check("init_weights", points=0.25)
def test_weights_are_changed_in_place(subject: Subject) -> None:
    """The parameters stay the same objects, ready to train: a tied table stays tied."""
    word = subject.embedding(19, 4)
    both = subject.torchs_own("Sequential", word, subject.torchs_own("Linear", 4, 3))
    before = word.state()["weight"]
    subject.call("init_weights", both, std=0.5, generator=TorchSeed(7))
    after = word.state()["weight"]
    equal(both.state()["0.weight"], after, "the module's parts are where they were")
    true(not np.isclose(before, after).any(), "each entry is drawn anew", expected="new numbers", got=after)
    # 76 numbers: a deviation of 8 %, and seven times that.
    close(float(after.std()), 0.5, "they come from N(0, std)", atol=0.3)
    got = both.backward(np.arange(6), cotangents=[np.ones((6, 3))])
    matrix = both.state()["1.weight"]
    close(got.outputs[0], after[:6] @ matrix.T, "biases are 0 now", atol=1e-12)
    want = np.where(np.arange(19)[:, None] < 6, matrix.sum(axis=0), 0.0)
    close(
        got.by_name["0.weight"],
        want,
        "autograd has not seen the start: gradients are those of the forward alone",
    )


@check("init_weights", points=0.5)
def test_a_generator_decides_the_start_and_globals_stay(subject: Subject) -> None:
    """Equal seeds give equal weights, a generator goes on from call to call; without one torch's global one is used.

    A tied tensor takes one draw, however many names it has.
    """
    first, again, other = (_drawn(subject, TorchSeed(seed)) for seed in (11, 11, 12))
    equal(first, again, "equal seeds give equal weights")
    true(
        not np.isclose(first, other).any(),
        "another seed gives other weights",
        expected="other numbers",
        got=other,
    )
    generator = subject.put(TorchSeed(11))
    equal(_drawn(subject, generator), first, "a generator that was made before works alike")
    true(
        not np.isclose(first, _drawn(subject, generator)).any(),
        "a generator goes on",
        expected="other numbers",
        got="the same",
    )
    module = subject.torchs_own("Linear", 40, 30)
    equal(
        subject.disturbed("init_weights", module, std=0.3, generator=TorchSeed(11)),
        [],
        "a call with a generator moves no global one",
    )
    equal(module.state()["weight"], first, "the draws are the generator's")
    equal(
        subject.disturbed("init_weights", module),
        ["torch"],
        "without a generator torch's global one is used, and no other",
    )
    one = module.state()["weight"]
    subject.disturbed("init_weights", module)
    equal(module.state()["weight"], one, "equal global seeds give equal weights")
    alone, tied = (_next_draw(subject, names) for names in (["a"], ["a", "b"]))
    equal(tied, alone, "the second name of a tied tensor takes no draw, so what follows is the same")


@check(
    "BERTModel",
    points=0.25,
    assembly=True,
    uses=("attention", "transformer", "embeddings", "encoders", "heads"),
)
def test_your_parts_make_both_models(assembly: Subject) -> None:
    """From your own embeddings, encoders and heads both models give what they should."""
    for kind, sharing in (("BERTModel", "none"), ("ALBERTModel", "all")):
        c = oracle.case(kind, 120, sharing=sharing, n_layers=3)
        expect_model(oracle.build(assembly, kind, c), c, c["weights"], CHAIN)


def _next_draw(subject: Subject, names: list[str]) -> np.ndarray:
    """What a generator gives next, after a matrix that goes by these names."""
    first, *others = names
    entries: list[tuple[str, str, Any]] = [(first, "parameter", [7, 3])]
    entries += [(name, "tie", first) for name in others]
    generator = subject.put(TorchSeed(11))
    subject.call("init_weights", subject.structure(entries), std=0.3, generator=generator)
    return _drawn(subject, generator)


def _drawn(subject: Subject, generator: Any) -> np.ndarray:
    module = subject.torchs_own("Linear", 40, 30)
    subject.call("init_weights", module, std=0.3, generator=generator)
    return module.state()["weight"]
