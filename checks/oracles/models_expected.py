"""What a model of lesson 10 must give: outputs, scores, gradients, one step of training, and a start."""

from typing import Any

import numpy as np

from checks.judge import close, equal, true
from checks.oracles import heads
from checks.oracles import models as oracle
from checks.oracles import models_start as start
from checks.oracles.blocks import Weights, part
from checks.oracles.sharing import expect_moves_as_one
from checks.oracles.slopes import expect_gradients
from checks.oracles.transformer_own import expect_arguments_kept
from checks.subject import ModuleHandle, Subject, TorchSeed, props

Case = dict[str, Any]
CHAIN = "ids and segments are embedded, encoded under the mask, and the first token of the result is pooled"
SCORES = "the masked-word head scores against the word table of the embeddings"


def expect_two(result: Any) -> tuple[np.ndarray, np.ndarray]:
    """The two outputs, if there are two tensors."""
    fits = isinstance(result, list) and len(result) == 2 and all(isinstance(x, np.ndarray) for x in result)
    true(fits, "the model returns (sequence_output, pooled_output)", expected="two tensors", got=result)
    return result[0], result[1]


def expect_pair(got: Any, want: list[np.ndarray], because: str) -> None:
    """Both outputs as wanted."""
    for one, other in zip(expect_two(got), want, strict=True):
        # A few layers deep, each norm may enlarge rounding a little.
        close(one, other, because, atol=1e-8, rtol=1e-7)


def expect_outputs(subject: Subject, kind: str, cases: list[Case]) -> None:
    """The outputs for each case, from the oracle of the whole model."""
    for c, got in zip(cases, oracle.FORWARD_PROBES[kind](subject, cases), strict=True):
        expect_pair(got, oracle.forward(c["weights"], c["config"], c["ids"], c["segments"], c["mask"]), CHAIN)


def expect_scores(subject: Subject, kind: str, c: Case) -> None:
    """Word scores everywhere, at flattened positions and at none, and what trains by them."""
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
    model = oracle.build(subject, kind, c, training=True)
    none = model(sequence_output=c["hidden"], positions=np.zeros(0, np.int64), method="mlm_logits")
    close(none, picked[:0], "no positions, no scores", atol=1e-7)
    kept = {"sequence_output": c["hidden"], "positions": c["positions"]}
    because = "what the model is given is the caller's: it stays as it was"
    got = expect_arguments_kept(model, (), kept, because, method="mlm_logits")
    close(
        got, picked, "in train mode the head gives the same scores: it has no dropout", atol=1e-7, rtol=1e-7
    )
    expect_chosen_rows_train(model, c)


def expect_chosen_rows_train(model: ModuleHandle, c: Case) -> None:
    """Scores at positions train the hidden states and the head through the chosen rows alone."""
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
    """Two sentence logits a pair, and their gradient."""
    want = heads.sentence(part(c["weights"], "sentence_head"), c["pooled"])
    close(
        oracle.SENTENCE_PROBES[kind](subject, c),
        want,
        "two logits a pair by the sentence head, logit 1 is true order",
        atol=1e-8,
    )
    cotangent = np.random.default_rng(126).normal(size=want.shape)
    model = oracle.build(subject, kind, c, training=True)
    close(
        model(pooled_output=c["pooled"], method="sentence_logits"),
        want,
        "two logits a pair in train mode too, from the argument of this name",
        atol=1e-8,
    )
    got = model.backward(c["pooled"], cotangents=[cotangent], method="sentence_logits", wrt=(0,))
    expect_all_trained(got.by_name, ("sentence_head.",))

    def value(at: Weights) -> float:
        return float((heads.sentence(part(c["weights"], "sentence_head"), at["pooled"]) * cotangent).sum())

    expect_gradients({"pooled": got.by_input[0]}, value, {"pooled": c["pooled"]}, 127)


def expect_model(model: ModuleHandle, c: Case, w: Weights, because: str) -> None:
    """All that a model with the weights `w` gives."""
    got = oracle.sequence_at_real_tokens(model(c["ids"], c["segments"], c["mask"]), c["mask"])
    expect_pair(got, oracle.forward(w, c["config"], c["ids"], c["segments"], c["mask"]), because)
    want = oracle.mlm_logits(w, c["config"], c["hidden"], c["positions"])
    close(model(c["hidden"], c["positions"], method="mlm_logits"), want, because, atol=1e-7, rtol=1e-7)
    want = heads.sentence(part(w, "sentence_head"), c["pooled"])
    close(model(c["pooled"], method="sentence_logits"), want, because, atol=1e-8)


def expect_tied(subject: Subject, kind: str, c: Case, names: list[str]) -> None:
    """One word table, and one tensor for each of `names`: by gradients, and by a step that moves each once."""
    model = oracle.build(subject, kind, c)
    shape = (*c["ids"].shape, c["config"].vocab_size)
    cotangent = np.random.default_rng(121).normal(size=shape)
    scored = model.backward(c["hidden"], method="mlm_logits", cotangents=[cotangent])

    def value(at: Weights) -> float:
        return float((oracle.mlm_logits(c["weights"] | at, c["config"], c["hidden"], None) * cotangent).sum())

    expect_gradients(scored.by_name, value, {oracle.WORD: c["weights"][oracle.WORD]}, 122)
    expect_all_trained(scored.by_name, ("mlm_head.",))
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
    """The pooled output has the gradients of the oracle's slopes in `names`."""
    cotangent = np.random.default_rng(129).normal(size=c["pooled"].shape)
    got = model.change("train").backward(c["ids"], c["segments"], cotangents=[None, cotangent])
    model.change("eval")
    expect_all_trained(got.by_name, ("embeddings.", "encoder.", "pooler."))

    def value(at: Weights) -> float:
        pooled = oracle.forward(c["weights"] | at, c["config"], c["ids"], c["segments"], None)[1]
        return float((pooled * cotangent).sum())

    expect_gradients(got.by_name, value, at, 130, names)


def expect_all_trained(gradients: dict[str, Any], parts: tuple[str, ...]) -> None:
    """Every parameter of the named parts has a gradient: nothing in the model is frozen."""
    without = [name for name, gradient in gradients.items() if name.startswith(parts) and gradient is None]
    true(
        not without, "every parameter is trained: none is frozen", expected="a gradient for each", got=without
    )


def expect_each_call(subject: Subject, kind: str, c: Case) -> None:
    """Segments and mask serve the call that they come with, in both modes, in float32, wherever padding stands."""
    left = np.arange(c["ids"].shape[1]) >= 1 + np.arange(len(c["ids"]))[:, None]
    calls = [(c["segments"], c["mask"]), (c["segments"], left), (None, c["mask"]), (c["segments"], None)]
    calls += [(None, None), (c["segments"], c["mask"])]
    model = oracle.build(subject, kind, c)
    model(c["ids"][:1, :2])  # a small batch first: what it leaves behind does not fit the next
    for mode, (segments, mask) in zip(("train", "eval") * 3, calls, strict=True):
        given = {"input_ids": c["ids"], "segment_ids": segments, "attention_mask": mask}
        given = {name: array for name, array in given.items() if array is not None}
        because = "ids, segments and mask are the caller's: they stay as they were"
        got = expect_arguments_kept(model.change(mode), (), given, because)
        want = oracle.forward(c["weights"], c["config"], c["ids"], segments, mask)
        because = f"in {mode} mode without dropout each call goes by its own segments and mask, and padding may stand"
        expect_pair(_visible(got, mask), _visible(want, mask), f"{because} anywhere")
    single = expect_two(model.change("float")(c["ids"], c["segments"], c["mask"]))
    want = oracle.forward(c["weights"], c["config"], c["ids"], c["segments"], c["mask"])
    for one, other in zip(_visible(list(single), c["mask"]), want, strict=True):
        # float32 through two layers.
        close(one, other, "float32 is the precision of training", atol=1e-4, rtol=1e-4)


def _visible(pair: Any, mask: np.ndarray | None) -> Any:
    """The pair with 0 at padding, and in the pooled vectors of rows whose first token is padding."""
    if mask is None or not isinstance(pair, list) or len(pair) != 2:
        return pair
    sequence, pooled = oracle.sequence_at_real_tokens(pair, mask)
    return [sequence, np.where(mask[:, :1], pooled, 0.0) if isinstance(pooled, np.ndarray) else pooled]


def expect_kept(models: list[tuple[ModuleHandle, Case]]) -> None:
    """Each model has its own configuration, and the names of the interface."""
    for model, c in models:
        config = model("config", method="__getattribute__")
        equal(config, c["config"], "a model keeps its own configuration as .config")
        because = "checkpoints are read by these names: the state has all of them, and no others"
        equal(sorted(model.state()), oracle.names_in_state(c), because)


def expect_dropout(subject: Subject, kind: str, c: Case) -> None:
    """Dropout is at work within embeddings and encoder, and nowhere after them."""
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
    """A new model has the spreads, biases and norms of `init_weights`, and guesses: its loss is ln V."""
    config = start.start_config(kind)
    model = subject.module(kind, config, seed=subject.seed, double=False)
    state = model.state()
    kinds = start.kinds_of(state)
    for matrix in kinds["matrices"]:
        # Seven deviations of an estimate from n numbers, whose relative deviation is 1 / sqrt(2 n).
        close(
            float(matrix.std()) / start.START_STD,
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
    """torch's global seed decides a start, and making a model does not set it."""
    config = start.start_config(kind)
    states = [subject.module(kind, config, seed=seed, double=False).state() for seed in (5, 5, 6)]
    one, again, other = (start.kinds_of(state)["matrices"] for state in states)
    for a, b, c in zip(one, again, other, strict=True):
        equal(b, a, "two models made under equal global seeds are equal")
        differ = not np.array_equal(a, c)
        true(differ, "another global seed gives another model", expected="other numbers", got="the same ones")
    moved = subject.disturbed(kind, config)
    equal(moved, ["torch"], "a model draws its start from torch's global generator, and from no other")
    draws = [start.draw_after(subject, seed, kind, config) for seed in (5, 6)]
    because = "making a model sets no seed: what is drawn after it still depends on the seed before it"
    true(draws[0] != draws[1], because, expected="two different draws", got=draws)


def expect_told_apart(subject: Subject) -> None:
    """`init_weights` tells biases by the end of their name, and starts what is frozen."""
    module = start.odd_parts(subject)
    subject.call("init_weights", module, std=0.3, generator=TorchSeed(subject.seed))
    state = module.state()
    for name, value in start.ODD_NAMES.items():
        because = (
            f"a name that ends in bias becomes 0, and {name} {'ends' if value == 0 else 'does not end'} so"
        )
        equal(state[name], np.full(5, value), because)
    # 1,200 numbers: a deviation of 2 %, and seven times that.
    close(float(state["frozen"].std()) / 0.3, 1.0, "a frozen matrix is started too", atol=0.15)
    because = "two dimensions make a matrix, whatever its name: relative.bias is drawn"
    close(float(state["relative.bias"].std()) / 0.3, 1.0, because, atol=0.15)
    bare = subject.torchs_own("Linear", 3, 5)
    subject.call("init_weights", module=bare, std=0.3)
    equal(
        bare.state()["bias"],
        np.zeros(5),
        "the bias of a bare linear layer has the name bias, with no dot before it",
    )
