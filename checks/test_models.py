"""Checks of lesson 10."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import check, close, equal, rejects, true
from checks.oracles import heads
from checks.oracles import models as oracle
from checks.oracles import weights as random_weights
from checks.oracles.blocks import part
from checks.oracles.sharing import expect_moves_as_one
from checks.oracles.slopes import expect_gradients
from checks.subject import ModuleHandle, Subject, TorchSeed, props

Case = dict[str, Any]
Weights = dict[str, np.ndarray]
SEEDS = st.integers(0, 2**32 - 1)
CHAIN = "ids and segments are embedded, encoded under the mask, and the first token of the result is pooled"
SCORES = "the masked-word head scores against the word table of the embeddings"


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

    The sentence logits also train what was pooled.
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
    other = oracle.case("BERTModel", 113, n_layers=1)
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
    size=st.sampled_from([3, 8]),
    given=st.booleans(),
)
@example(seed=1, sharing="all", size=3, given=True)
@example(seed=2, sharing="all", size=8, given=False)
@example(seed=3, sharing="none", size=3, given=True)
@example(seed=4, sharing="attention", size=3, given=True)
@example(seed=5, sharing="ffn", size=3, given=True)
def test_albert_factorizes_and_shares_as_asked(
    subject: Subject, seed: int, sharing: str, size: int, given: bool
) -> None:
    """Tables of size E with a projection (also where E = D), and the encoder that `sharing` names."""
    groups = {"n_layers": 4, "n_groups": 2} if sharing == "all" and seed % 2 else {"n_layers": 3}
    c = oracle.case("ALBERTModel", seed, 2, 4, sharing=sharing, d_embedding=size, **groups)
    expect_outputs(subject, "ALBERTModel", [c if given else c | {"segments": None, "mask": None}])


@check("ALBERTModel", points=0.25)
def test_albert_scores_words_and_order(subject: Subject) -> None:
    """Word scores at all places or at flattened positions, and two sentence logits, with their gradients."""
    c = oracle.case("ALBERTModel", 115, sharing="all", activation="gelu_tanh")
    expect_scores(subject, "ALBERTModel", c)
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
    got = oracle.INIT_PROBE(subject, oracle.INIT_PROBE.case)
    true(isinstance(got, dict), "the weights change in place", expected="statistics", got=got)
    equal(
        [got["biases"], got["norms"]], [0.0, 0.0], "[0, 0] says that all biases are 0 and all norm weights 1"
    )
    # With 576 numbers or more a standard deviation is known to 3 %; 20 % is nearly seven times that.
    for label in oracle.INIT_SPREADS:
        close(got[label], 1.0, f"the spread of the {label} matrix in units of std", atol=0.2)
    # 30,000 numbers: 0.4 %; a normal cut at two deviations is within 5 % once it is scaled back.
    close(got["linear"], 1.0, "the standard deviation is std", atol=0.05)
    # 0.683 of a normal, 0.651 of one that is cut; each known to 0.003.
    close(got["inside"], 0.665, "about two thirds of a normal lie within one std", atol=0.035)
    module = oracle.init_parts(subject)
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


def expect_two(result: Any) -> tuple[np.ndarray, np.ndarray]:
    fits = isinstance(result, list) and len(result) == 2 and all(isinstance(x, np.ndarray) for x in result)
    true(fits, "the model returns (sequence_output, pooled_output)", expected="two tensors", got=result)
    return result[0], result[1]


def expect_pair(got: Any, want: list[np.ndarray], because: str) -> None:
    for one, other in zip(expect_two(got), want, strict=True):
        # A few layers deep, each norm may enlarge rounding a little.
        close(one, other, because, atol=1e-8, rtol=1e-7)


def expect_outputs(subject: Subject, kind: str, cases: list[Case]) -> None:
    for c, got in zip(cases, oracle.FORWARD_PROBES[kind](subject, cases), strict=True):
        expect_pair(got, oracle.forward(c["weights"], c["config"], c["ids"], c["segments"], c["mask"]), CHAIN)


def expect_scores(subject: Subject, kind: str, c: Case) -> None:
    everywhere, chosen = oracle.MLM_PROBES[kind](subject, c)
    want = oracle.mlm_logits(c["weights"], c["config"], c["hidden"], None)
    close(everywhere, want, SCORES, atol=1e-7, rtol=1e-7)
    picked = oracle.mlm_logits(c["weights"], c["config"], c["hidden"], c["positions"])
    close(
        chosen,
        picked,
        "token t of row b has position b * T + t; order and repeats are kept",
        atol=1e-7,
        rtol=1e-7,
    )
    model = oracle.build(subject, kind, c)
    none = model(c["hidden"], positions=np.zeros(0, np.int64), method="mlm_logits")
    close(none, picked[:0], "no positions, no scores", atol=1e-7)
    expect_chosen_rows_train(model, c)


def expect_chosen_rows_train(model: ModuleHandle, c: Case) -> None:
    hidden, positions = c["hidden"], c["positions"]
    cotangent = np.random.default_rng(124).normal(size=(len(positions), c["config"].vocab_size))
    how: dict[str, Any] = {"method": "mlm_logits", "wrt": (0,)}
    got = model.backward(hidden, positions, cotangents=[cotangent], **how)
    at = {name: c["weights"][name] for name in (oracle.WORD, "mlm_head.dense.weight")} | {"hidden": hidden}

    def value(at: Weights) -> float:
        scores = oracle.mlm_logits(c["weights"] | at, c["config"], at["hidden"], positions)
        return float((scores * cotangent).sum())

    expect_gradients(got.by_name | {"hidden": got.by_input[0]}, value, at, 125)
    spoiled = model.backward(oracle.spoil_the_others(c), positions, cotangents=[cotangent], **how)
    name = "mlm_head.dense.weight"
    close(
        spoiled.by_name[name],
        got.by_name[name],
        "only the chosen rows go through the head: what stands in the others changes no gradient",
        atol=1e-7,
        rtol=1e-7,
    )
    nothing = np.zeros((0, c["config"].vocab_size))
    failure = Subject.outcome(
        lambda: model.backward(hidden, np.zeros(0, np.int64), cotangents=[nothing], **how)
    )
    true(
        not failure,
        "a batch without labels goes backward like any other: its [0, V] scores hang on the graph",
        expected="gradients of 0 for no positions",
        got=failure,
    )


def expect_sentence(subject: Subject, kind: str, c: Case) -> None:
    want = heads.sentence(part(c["weights"], "sentence_head"), c["pooled"])
    close(
        oracle.SENTENCE_PROBES[kind](subject, c),
        want,
        "two logits a pair by the sentence head, logit 1 is true order",
        atol=1e-8,
    )
    cotangent = np.random.default_rng(126).normal(size=want.shape)
    model = oracle.build(subject, kind, c)
    got = model.backward(c["pooled"], cotangents=[cotangent], method="sentence_logits", wrt=(0,))

    def value(at: Weights) -> float:
        return float((heads.sentence(part(c["weights"], "sentence_head"), at["pooled"]) * cotangent).sum())

    expect_gradients({"pooled": got.by_input[0]}, value, {"pooled": c["pooled"]}, 127)


def expect_model(model: ModuleHandle, c: Case, w: Weights, because: str) -> None:
    got = oracle.sequence_at_real_tokens(model(c["ids"], c["segments"], c["mask"]), c["mask"])
    expect_pair(got, oracle.forward(w, c["config"], c["ids"], c["segments"], c["mask"]), because)
    want = oracle.mlm_logits(w, c["config"], c["hidden"], c["positions"])
    close(model(c["hidden"], c["positions"], method="mlm_logits"), want, because, atol=1e-7, rtol=1e-7)
    want = heads.sentence(part(w, "sentence_head"), c["pooled"])
    close(model(c["pooled"], method="sentence_logits"), want, because, atol=1e-8)


def expect_tied(subject: Subject, kind: str, c: Case, names: list[str]) -> None:
    model = oracle.build(subject, kind, c)
    shape = (*c["ids"].shape, c["config"].vocab_size)
    cotangent = np.random.default_rng(121).normal(size=shape)
    scored = model.backward(c["hidden"], method="mlm_logits", cotangents=[cotangent])

    def value(at: Weights) -> float:
        return float((oracle.mlm_logits(c["weights"] | at, c["config"], c["hidden"], None) * cotangent).sum())

    expect_gradients(scored.by_name, value, {oracle.WORD: c["weights"][oracle.WORD]}, 122)
    names_there = {oracle.WORD, *model.parameters()} - {oracle.DECODER}
    at = {name: x for name, x in c["weights"].items() if name in names_there}
    expect_pooled_trains(model, c, at, [oracle.WORD, *names, "pooler.dense.weight"])

    def outputs(at: Weights) -> np.ndarray:
        return oracle.forward(c["weights"] | at, c["config"], c["ids"], c["segments"], None)[0]

    because = "one step moves every tensor once"
    args = (c["ids"], c["segments"])
    moved = expect_moves_as_one(model, args, outputs, at, [oracle.WORD, *names], because, 123)
    want = oracle.mlm_logits(c["weights"] | moved, c["config"], c["hidden"], None)
    close(
        model(c["hidden"], method="mlm_logits"),
        want,
        "after the step the new table scores too",
        atol=1e-7,
        rtol=1e-7,
    )


def expect_pooled_trains(model: ModuleHandle, c: Case, at: Weights, names: list[str]) -> None:
    cotangent = np.random.default_rng(129).normal(size=c["pooled"].shape)
    got = model.backward(c["ids"], c["segments"], cotangents=[None, cotangent])

    def value(at: Weights) -> float:
        pooled = oracle.forward(c["weights"] | at, c["config"], c["ids"], c["segments"], None)[1]
        return float((pooled * cotangent).sum())

    expect_gradients(got.by_name, value, at, 130, names)


def expect_kept(models: list[tuple[ModuleHandle, Case]]) -> None:
    for model, c in models:
        config = model("config", method="__getattribute__")
        equal(config, c["config"], "a model keeps its own configuration as .config")
        because = "checkpoints are read by these names: the state has all of them, and no others"
        equal(sorted(model.state()), oracle.names_in_state(c), because)


def expect_dropout(subject: Subject, kind: str, c: Case) -> None:
    plain = {n: np.sign(x * 0 + 1) for n, x in c["weights"].items() if n.endswith("feed_forward_norm.weight")}
    plain |= {n: x * 0 for n, x in c["weights"].items() if n.endswith("feed_forward_norm.bias")}
    c = c | {"weights": c["weights"] | plain}
    model = oracle.build(subject, kind, c, training=True)
    sequence, pooled = expect_two(model(c["ids"], c["segments"]))
    again, _ = expect_two(model(c["ids"], c["segments"]))
    true(
        not np.array_equal(sequence, again),
        "dropout is at work in train mode",
        expected="two different forwards",
        got="equal ones",
    )
    close(
        sequence.mean(-1),
        np.zeros(sequence.shape[:2]),
        "the last norm's mean is 0: nothing comes after it",
        atol=1e-8,
    )
    close((sequence**2).mean(-1), np.ones(sequence.shape[:2]), "the last norm's variance is 1", atol=1e-8)
    close(
        pooled, heads.pooler(part(c["weights"], "pooler"), sequence), "the pooler has no dropout", atol=1e-8
    )
    want = oracle.mlm_logits(c["weights"], c["config"], c["hidden"], None)
    close(model(c["hidden"], method="mlm_logits"), want, "the masked-word head has no dropout", atol=1e-7)
    want = heads.sentence(part(c["weights"], "sentence_head"), c["pooled"])
    close(model(c["pooled"], method="sentence_logits"), want, "the sentence head has no dropout", atol=1e-8)
    for name in ("embeddings", "encoder"):
        props.change_part(model.change("eval"), name, "train")
        one, two = (expect_two(model(c["ids"], c["segments"]))[0] for _ in range(2))
        because = f"dropout in the {name} alone, with the rest in eval mode, makes two forwards differ"
        true(not np.array_equal(one, two), because, expected="two different forwards", got="equal ones")


def expect_start(subject: Subject, kind: str) -> None:
    config = oracle.start_config(kind)
    model = subject.module(kind, config, seed=subject.seed, double=False)
    state = model.state()
    kinds = oracle.kinds_of(state)
    for matrix in kinds["matrices"]:
        # Seven deviations of an estimate from n numbers, whose relative deviation is 1 / sqrt(2 n).
        close(
            float(matrix.std()) / oracle.START_STD,
            1.0,
            "matrices start as N(0, init_std)",
            atol=7 / (2 * matrix.size) ** 0.5,
        )
        true(
            bool(matrix.any(axis=-1).all()),
            "every row of a matrix is drawn, that of padding too",
            expected="no row of zeros",
            got=f"zeros in row {int(matrix.any(axis=-1).argmin())}",
        )
    true(
        all((x == 0).all() for x in kinds["biases"]),
        "biases start at 0",
        expected="biases 0",
        got=kinds["biases"][0],
    )
    true(
        all((x == 1).all() for x in kinds["norms"]),
        "norms start as the plain norm",
        expected="norm weights 1",
        got=kinds["norms"][0],
    )
    ids = np.arange(12).reshape(2, 6) * 7
    sequence, pooled = expect_two(model(ids))
    equal(str(sequence.dtype), "float32", "a model computes in the dtype of its parameters")
    exact = {name: x.astype(float) for name, x in state.items()}
    for got, want in zip((sequence, pooled), oracle.forward(exact, config, ids, None, None), strict=True):
        # float32 through two layers.
        close(got.astype(float), want, "what it gives is what its weights say", atol=1e-4, rtol=1e-4)
    scores = model(sequence, method="mlm_logits").astype(float)
    loss = float((np.log(np.exp(scores).sum(-1)) - scores.mean(-1)).mean())
    # E std^2 / 2 = 0.03 above ln V is what logits of that size cost.
    close(loss, float(np.log(config.vocab_size)), "an untrained model guesses: ln V", atol=0.15)
    expect_start_by_the_global_seed(subject, kind)


def expect_start_by_the_global_seed(subject: Subject, kind: str) -> None:
    config = oracle.start_config(kind)
    states = [subject.module(kind, config, seed=seed, double=False).state() for seed in (5, 5, 6)]
    one, again, other = (oracle.kinds_of(state)["matrices"] for state in states)
    for a, b, c in zip(one, again, other, strict=True):
        equal(b, a, "two models made under equal global seeds are equal")
        differ = not np.array_equal(a, c)
        true(differ, "another global seed gives another model", expected="other numbers", got="the same ones")
    moved = subject.disturbed(kind, config)
    equal(moved, ["torch"], "a model draws its start from torch's global generator, and from no other")
    draws = [oracle.draw_after(subject, seed, kind, config) for seed in (5, 6)]
    because = "making a model sets no seed: what is drawn after it still depends on the seed before it"
    true(draws[0] != draws[1], because, expected="two different draws", got=draws)


def expect_told_apart(subject: Subject) -> None:
    module = oracle.odd_parts(subject)
    subject.call("init_weights", module, std=0.3, generator=TorchSeed(subject.seed))
    state = module.state()
    for name, value in oracle.ODD_NAMES.items():
        because = (
            f"a name that ends in bias becomes 0, and {name} {'ends' if value == 0 else 'does not end'} so"
        )
        equal(state[name], np.full(5, value), because)
    # 1,200 numbers: a deviation of 2 %, and seven times that.
    close(float(state["frozen"].std()) / 0.3, 1.0, "a frozen matrix is started too", atol=0.15)


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
