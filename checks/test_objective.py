"""Checks of lesson 13."""

import math
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import check, close, equal, expect_unchanged, true
from checks.oracles import objective as oracle
from checks.oracles import objective_cases as cases
from checks.oracles import scripted
from checks.oracles import weights as make
from checks.oracles.slopes import expect_gradients
from checks.subject import Subject, props
from lessons.given.records import Batch, Evaluation

SEEDS = st.integers(0, 2**32 - 1)
MODELS = ("attention", "transformer", "embeddings", "encoders", "heads", "models")

PAIR_PARTS = ("pooler", "sentence_head")
WORD_PARTS = ("mlm_head",)

Case = dict[str, Any]


@st.composite
def loss_cases(draw: st.DrawFn) -> Case:
    """A batch of up to four rows with any numbers of labelled places, with or without pair labels."""
    tokens = draw(st.integers(2, 6))
    labelled = draw(st.lists(st.integers(0, tokens), min_size=1, max_size=4))
    return cases.loss_case(np.random.default_rng(draw(SEEDS)), labelled, tokens, draw(st.booleans()))


@st.composite
def evaluation_cases(draw: st.DrawFn) -> Case:
    """Up to four batches of up to three rows each."""
    tokens = draw(st.integers(2, 6))
    rows = st.lists(st.integers(0, tokens), min_size=1, max_size=3)
    labelled = draw(st.lists(rows, min_size=1, max_size=4))
    return cases.evaluation_case(np.random.default_rng(draw(SEEDS)), labelled, tokens)


@st.composite
def labelled_logits(draw: st.DrawFn) -> Case:
    """Logits [..., V] and labels, a share of them without a label."""
    rng = np.random.default_rng(draw(SEEDS))
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=2)))
    logits = rng.normal(size=(*shape, draw(st.integers(2, 5))))
    labels = np.where(rng.random(shape) < 0.5, logits.argmax(-1), rng.integers(0, logits.shape[-1], shape))
    return {"logits": logits, "labels": np.where(rng.random(shape) < draw(st.floats(0, 1)), labels, -100)}


# One labelled place in the first row, guessed right; three in the second, all guessed wrong.
UNEVEN: Case = {
    "logits": np.tile([2.0, 0.5, 1.0, -1.0], (2, 3, 1)),
    "labels": np.array([[-100, 0, -100], [1, 2, 3]]),
}


# As many rows as places in each: four of seven labels are found, of the labels transposed three.
SQUARE: Case = {
    "logits": np.eye(3)[[[0, 1, 2], [0, 0, 1], [2, 1, 1]]],
    "labels": np.array([[0, 1, -100], [2, 0, 1], [0, -100, 0]]),
}


# Far from zero, and a thousandth apart: the exponentials overflow, the logits still differ.
FAR: Case = {"logits": np.array([[1000.0, 1000.001], [1000.001, 1000.0]]), "labels": np.array([1, 1])}


def _expect_share(got: Any, case: list[Any]) -> None:
    """The accuracy of these logits and labels, as a plain number."""
    true(type(got) is float, "an accuracy is a plain number", expected="a float", got=got)
    # A share kept in float32 has seven digits.
    close(got, oracle.accuracy(*case), "right places over labelled places", atol=1e-6)


def _loss(subject: Subject, model: Any, batch: Any) -> list[float]:
    return cases.three(subject.call("pretraining_loss", model, batch))


def _three(case: Case, batch: Batch, words: Any = None, pairs: Any = None) -> list[float]:
    found = oracle.losses(
        case["words"] if words is None else words, case["pairs"] if pairs is None else pairs, batch
    )
    return [float(loss) for loss in found]


@check("pretraining_loss", points=0.75)
@given(case=loss_cases())
@example(case=cases.loss_case(np.random.default_rng(1), [0, 1], 3))
@example(case=cases.loss_case(np.random.default_rng(16), [61, 70], 90))
def test_the_loss_is_the_mean_over_labelled_tokens_plus_the_mean_over_pairs(
    subject: Subject, case: Case
) -> None:
    """The total is the mean loss over all labelled tokens plus the mean loss over the pairs.

    A place is labelled unless its label is IGNORE_INDEX; a label of 0 is a label.
    """
    subject.last_case = None
    model = cases.model(subject, case, training=True)
    got = _loss(subject, model, case["batch"])
    subject.last_case = (oracle.LOSS_PROBE, case, got)
    words, pairs = cases.shifted(case, in_train=True)
    cases.expect_losses(got, _three(case, case["batch"], words, pairs), "every label counts once")


@check("pretraining_loss", points=0.5)
def test_the_gradient_of_the_total_reaches_both_heads(subject: Subject) -> None:
    """The gradient of `total` is the slope of both losses, in the word table, the pooler and both heads.

    `mlm` and `sentence` by themselves reach what they depend on: a loss that is a mere number trains nothing.
    """
    rng = np.random.default_rng(2)
    weights, batch = scripted.weights(rng), scripted.batch(rng, [1, 0, 3], 5)
    model = props.scripted_model(subject, weights)
    for at, (field, apart) in enumerate((("total", ()), ("mlm", PAIR_PARTS), ("sentence", WORD_PARTS))):
        parts = [name for name in weights if not name.startswith(apart)]

        def loss(w: Case, at: int = at) -> float:
            return float(oracle.losses(*scripted.forward(w, batch), batch)[at])

        result, got = props.loss_gradients(subject, "pretraining_loss", model, batch, field=field)
        because = f"{field}, of the model run on the batch's ids, segments and mask"
        close(cases.three(result)[at], loss(weights), because)
        expect_gradients(got, loss, weights, seed=3, names=parts)


@check("pretraining_loss", points=0.5)
def test_a_batch_without_labels_costs_nothing_and_can_be_trained_on(subject: Subject) -> None:
    """Without labelled tokens `mlm` is 0, without pair labels `sentence` is 0, and `backward` gives no NaN.

    Short texts often have no masked token at all: one 0/0 among a million batches ends the training. Each of the
    three losses allows `backward`, also the one that is 0.
    """
    for labelled, pairs in (([0, 0], True), ([2, 1], False), ([0, 0], False), ([2, 1], True)):
        case = cases.loss_case(np.random.default_rng(4), labelled, 4, pairs)
        batch, model = case["batch"], cases.model(subject, case)
        for field, heads in (("total", ("words", "pairs")), ("mlm", ("words",)), ("sentence", ("pairs",))):
            result, got = props.loss_gradients(subject, "pretraining_loss", model, batch, field=field)
            cases.expect_losses(cases.three(result), _three(case, batch), "what has no label costs 0")
            for name, has_labels in (("words", sum(labelled) > 0), ("pairs", pairs)):
                _expect_pull(case, name, got[name], has_labels and name in heads, field)


def _expect_pull(case: Case, name: str, found: Any, pulls: bool, field: str) -> None:
    """Finite gradients on the logits of that name, all 0 where nothing pulls at them."""
    gradient = np.zeros(case[name].shape) + (0 if found is None else found)
    because = f"`{field}` {'depends on' if pulls else 'does not depend on'} the labels of the {name}"
    true(bool(np.isfinite(gradient).all()), because, expected="finite gradients", got=gradient)
    text = "a gradient" if pulls else "a gradient of 0"
    true(bool(gradient.any()) == pulls, because, expected=text, got=gradient)


@check("pretraining_loss", points=0.25)
def test_only_labelled_places_reach_the_vocabulary(subject: Subject) -> None:
    """The head is asked for the labelled places and no others.

    The product with the word table is the dearest of the model, and six of seven places have no label. This
    model's logits tell how many places were asked for.
    """
    case = cases.loss_case(np.random.default_rng(5), [1, 4, 0, 2], 7) | {"crowd": 0.01, "in_train": 0.0}
    got = _loss(subject, cases.model(subject, case), case["batch"])
    words = case["words"] + 0.01 * 7 * np.arange(case["words"].shape[-1])
    cases.expect_losses(
        got, _three(case, case["batch"], words), "1 + 4 + 0 + 2 = 7 places go through the head"
    )


@check("pretraining_loss", points=0.25)
def test_the_model_sees_the_segments_and_the_mask_of_the_batch(subject: Subject) -> None:
    """The model runs on the batch's ids, segments and mask, in the mode it is in, and the batch stays as it is.

    So it is without a sentence task. Gradients that lie on the model stay, and what is frozen stays frozen.
    """
    rng = np.random.default_rng(6)
    weights, batch = scripted.weights(rng), scripted.batch(rng, [2, 1, 0], 6)
    for training in (True, False):
        model = props.scripted_model(subject, weights, shift=0.5, training=training)
        for _ in range(2):
            words, pairs = scripted.forward(weights, batch, shift=0.5 * training)
            because = "ids, segments and attention mask belong together, and the mode is the caller's"
            cases.expect_losses(_loss(subject, model, batch), _three({}, batch, words, pairs), because)
    kept = subject.put(batch)
    for _ in range(2):
        cases.expect_losses(
            _loss(subject, model, kept), _three({}, batch, words, pairs), "equal batches, equal losses"
        )
    alone = batch._replace(sentence_labels=None)
    because = "the segments belong to the input, also where there is no sentence task"
    cases.expect_losses(_loss(subject, model, alone), _three({}, alone, words, pairs), because)
    _expect_untouched(subject, model, batch, weights)


def _expect_untouched(subject: Subject, model: Any, batch: Batch, weights: Case) -> None:
    """A loss leaves the gradients that lie on a model, and its frozen parameters."""
    frozen, trained = "pooler.dense.weight", "pooler.dense.bias"
    left = np.ones_like(weights[trained])
    props.freeze(model, frozen)
    props.leave_gradients(model, {trained: left})
    _loss(subject, model, batch)
    lies = props.gradients_now(model)[trained]
    because = "gradients that lie on the model are the caller's: a step may be made of several batches"
    true(lies is not None and np.array_equal(lies, left), because, expected=left, got=lies)
    _, found = props.loss_gradients(subject, "pretraining_loss", model, batch)
    seen = found[frozen]
    true(seen is None, "this parameter was frozen before", expected="no gradient", got=seen)


@check("pretraining_loss", points=0.25)
def test_losses_are_right_far_from_zero_and_in_half_precision(subject: Subject) -> None:
    """Large logits give large and finite losses, a model that is sure and right loses nothing; so in bfloat16."""
    case = cases.loss_case(np.random.default_rng(7), [2, 3], 5) | {"in_train": 0.0}
    loud = case | {"words": case["words"] * 400, "pairs": case["pairs"] * 400}
    got = _loss(subject, cases.model(subject, loud), case["batch"])
    cases.expect_losses(got, _three(loud, case["batch"]), "log and exp belong together: neither overflows")
    words, pairs = np.zeros_like(case["words"]), np.zeros_like(case["pairs"])
    for b, t in np.argwhere(case["batch"].mlm_labels >= 0):
        words[b, t, case["batch"].mlm_labels[b, t]] = 50
    pairs[np.arange(2), case["batch"].sentence_labels] = 50
    sure = case | {"words": words, "pairs": pairs}
    got = _loss(subject, cases.model(subject, sure), case["batch"])
    cases.expect_losses(got, [0.0, 0.0, 0.0], "the right answers have all the probability")
    got = _loss(subject, cases.model(subject, case).change("bfloat16"), case["batch"])
    cases.expect_losses(
        got, _three(case, case["batch"]), "bfloat16 keeps between two and three digits", atol=0.1
    )


@check("mlm_accuracy", points=0.25)
@given(case=labelled_logits())
@example(case=UNEVEN)
@example(case=SQUARE)
@example(case=FAR)
def test_word_accuracy_is_the_share_of_labelled_places_guessed_right(subject: Subject, case: Case) -> None:
    """The accuracy is the share of labelled places whose largest logit is the label's, for [B, T, V] and [M, V]."""
    got = oracle.WORDS_PROBE(subject, case)
    want = oracle.accuracy(case["logits"], case["labels"])
    # A share kept in float32 has seven digits.
    close(got, want, "right labelled places over all labelled places", atol=1e-6)


@check("mlm_accuracy", points=0.25)
def test_without_a_label_the_word_accuracy_is_zero(subject: Subject) -> None:
    """Where nothing is labelled the accuracy is 0.0, a plain number and not NaN; one right label makes it 1.0.

    Logits and labels are left as they are: whoever counts does not write.
    """
    logits, labels = np.random.default_rng(8).normal(size=(2, 3, 4)), np.full((2, 3), -100)
    equal(subject.call("mlm_accuracy", logits, labels), 0.0, "nothing was guessed, so nothing was right")
    labels[1, 2] = logits[1, 2].argmax()
    equal(subject.call("mlm_accuracy", logits, labels), 1.0, "the one labelled place is right")
    because = "logits and labels are left as they are"
    expect_unchanged(subject, "mlm_accuracy", logits, labels, judge=_expect_share, because=because)


@check("sentence_accuracy", points=0.25)
@given(seed=SEEDS, pairs=st.integers(1, 7))
def test_pair_accuracy_is_the_share_of_pairs_told_right(subject: Subject, seed: int, pairs: int) -> None:
    """The accuracy is the share of pairs whose larger logit is the label's; both labels count."""
    rng = np.random.default_rng(seed)
    case = {
        "logits": rng.normal(size=(pairs, 2)) + rng.normal(size=(pairs, 1)) * 2,
        "labels": rng.integers(0, 2, pairs),
    }
    got = oracle.PAIRS_PROBE(subject, case)
    want = oracle.accuracy(case["logits"], case["labels"])
    close(got, want, "pairs told right over all pairs", atol=1e-6)


@check("sentence_accuracy", points=0.25)
def test_without_pair_labels_the_pair_accuracy_is_zero(subject: Subject) -> None:
    """Without labels, or without pairs, the accuracy is 0.0 as a plain number; all right is 1.0."""
    logits = np.random.default_rng(9).normal(size=(3, 2))
    equal(subject.call("sentence_accuracy", logits, None), 0.0, "there is no sentence task")
    empty = subject.call("sentence_accuracy", logits[:0], np.zeros(0, np.int64))
    equal(empty, 0.0, "there is no pair")
    truth = logits.argmax(-1)
    equal(subject.call("sentence_accuracy", logits, truth), 1.0, "every pair is told right")
    because = "logits and labels are left as they are"
    expect_unchanged(subject, "sentence_accuracy", logits, truth, judge=_expect_share, because=because)


@check("evaluate", points=0.75)
@given(case=evaluation_cases())
@example(case=oracle.EVALUATE_PROBE.case)
def test_figures_are_weighted_by_labelled_tokens_and_by_pairs(subject: Subject, case: Case) -> None:
    """Word figures are means over all labelled tokens of all batches, pair figures over all pairs.

    So the split into batches does not matter. Dropout is off, and no gradients are recorded.
    """
    got = oracle.EVALUATE_PROBE(subject, case)
    cases.expect_figures(got, oracle.figures(case), "every label weighs the same, whatever batch it came in")


@check("evaluate", points=0.25)
def test_batches_without_labels_add_nothing(subject: Subject) -> None:
    """Batches without labelled tokens or pair labels leave the figures alone; with nothing to score all are 0.0.

    So it is without any batch. The batches may come from an iterator, which can be gone through once.
    """
    case = cases.evaluation_case(np.random.default_rng(10), [[0, 0], [2, 1], [3], [0]], 4)
    batches = case["batches"]
    mixed = [batches[0]._replace(sentence_labels=None), batches[1], batches[2]._replace(sentence_labels=None)]
    for chosen in (mixed, [*mixed, batches[3]], mixed[:1], mixed[2:], batches[3:], []):
        case["batches"] = chosen
        got = subject.call("evaluate", cases.model(subject, case), chosen)
        cases.expect_figures(got, oracle.figures(case), "what has no label has no weight")
    case["batches"] = batches
    got = subject.call("evaluate", cases.model(subject, case), props.stream(subject, batches))
    cases.expect_figures(got, oracle.figures(case), "an iterator's batches come once, and have no length")
    loader = props.loader(subject, [batches[:2], batches[2:]], epochs=True)
    case["batches"] = batches[2:]
    got = subject.call("evaluate", cases.model(subject, case), loader)
    because = "the dataset is in the epoch that it is in, and stays there"
    cases.expect_figures(got, oracle.figures(case), because)


@check("evaluate", points=0.5)
def test_every_module_is_in_its_own_mode_afterwards(subject: Subject) -> None:
    """Evaluation runs in eval mode; afterwards every module is in the mode it was in, also where parts differ.

    Parts can be frozen in eval mode while the rest is trained. `model.train()` would wake them.
    """
    case = cases.evaluation_case(np.random.default_rng(11), [[2, 1], [3]], 4) | {"with_grad": 0.0}
    ids = np.arange(3)[:, None]
    for whole, part in (("train", "eval"), ("eval", "train"), ("train", "train"), ("eval", "eval")):
        model = cases.model(subject, case).change(whole)
        props.change_part(model, cases.PAIR_PART, part)
        for _ in range(2):
            got = subject.call("evaluate", model, case["batches"])
            cases.expect_figures(got, oracle.figures(case), "dropout is off, in every part")
        equal(model.training(), whole == "train", f"the model was in {whole} mode")
        words, pairs = model(ids)
        for name, mode, seen in (("words", whole, words), ("pairs", part, pairs)):
            shifted = cases.shifted(case, mode == "train")[name == "pairs"]
            want = shifted[:, :1] if name == "words" else shifted
            close(seen, want, f"the part behind the {name} was in {mode} mode before")


@check("evaluate", points=0.25)
def test_gradients_lie_on_the_model_as_before(subject: Subject) -> None:
    """Gradients keep their values, None stays None, and the next backward works.

    Between two micro-batches of one step the gradients on the model are half of the work. What was frozen stays
    frozen, and a caller that records no gradients records none afterwards.
    """
    case = cases.evaluation_case(np.random.default_rng(12), [[2, 1], [3]], 4)
    model = cases.model(subject, case, training=True)
    left = np.random.default_rng(13).normal(size=case["words"].shape)
    props.leave_gradients(model, {"words": left, "pairs": None})
    got = subject.call("evaluate", model, case["batches"])
    cases.expect_figures(got, oracle.figures(case), "the figures are those of the batches")
    after = props.gradients_now(model)
    close(after["words"], left, "these gradients were there before")
    true(after["pairs"] is None, "there was no gradient here", expected="None", got=after["pairs"])
    seen = model.backward(np.arange(3)[:, None], cotangents=[None, np.ones((3, 2))]).by_name["pairs"]
    close(seen, np.ones((3, 2)), "training goes on: the parameters still take gradients")
    props.freeze(model, "pairs")
    subject.call("evaluate", model, case["batches"])
    ids, ones = np.arange(3)[:, None], np.ones((3, 1, case["words"].shape[-1]))
    found = model.backward(ids, cotangents=[ones, np.ones((3, 2))]).by_name
    true(found["words"] is not None, "this parameter was not frozen", expected="a gradient", got="None")
    frozen = found["pairs"]
    true(frozen is None, "this parameter was frozen before", expected="no gradient", got=frozen)
    model = cases.model(subject, case)
    got, logits = props.called_under_no_grad(subject, "evaluate", model, case["batches"], inputs=[ids])
    cases.expect_figures(got, oracle.figures(case), "the figures are those of the batches")
    because = "the caller records no gradients, and evaluate does not turn that on"
    close(logits[1], case["pairs"], because)


@check("evaluate", points=0.5)
def test_evaluation_moves_no_random_generator(subject: Subject) -> None:
    """Python's, NumPy's and torch's global generators and the loader's own stand where they stood.

    Else a run that is evaluated now and then is another run than one that is not.
    """
    case = cases.evaluation_case(np.random.default_rng(14), [[1]] * 12, 4)
    model = cases.model(subject, case)
    for shuffle, seed in ((False, None), (True, 3), (True, None)):
        loader = props.loader(subject, case["batches"], shuffle=shuffle, seed=seed, draws=True)
        got = subject.call("evaluate", model, loader)
        cases.expect_figures(got, oracle.figures(case), "the order of the batches does not matter")
        moved = subject.disturbed("evaluate", model, loader)
        equal(moved, [], "training after an evaluation draws what it would have drawn without")
    one, other = (props.loader(subject, case["batches"], shuffle=True, seed=5) for _ in range(2))
    for loader in (one, other):  # an epoch was trained: the generator is not at its seed any more
        props.loaded(loader)
    got = subject.call("evaluate", model, one)
    cases.expect_figures(got, oracle.figures(case), "the order of the batches does not matter")
    orders = [[int(batch.input_ids[0, 0]) for batch in props.loaded(loader)] for loader in (one, other)]
    equal(orders[0], orders[1], "the next epoch's order is what it would have been without the evaluation")


@check("pretraining_loss", points=0.25, assembly=True, uses=MODELS)
def test_an_untrained_model_of_yours_knows_nothing(assembly: Subject) -> None:
    """Your own untrained model loses about ln V a word and ln 2 a pair, and evaluates to the same figures."""
    config = make.config(vocab_size=29)
    batch = scripted.batch(np.random.default_rng(15), [3, 5, 4], 9, vocab_size=29)
    for kind in ("models.BERTModel", "models.ALBERTModel"):
        model = assembly.module(kind, config, seed=1)
        total, mlm, sentence = cases.three(assembly.call("pretraining_loss", model, batch))
        # Logits of standard deviation 0.02 * sqrt(D) = 0.06 move a mean over 12 labels by about 0.02.
        close(mlm, math.log(29), "all 29 words are about equally likely", atol=0.1)
        close(sentence, math.log(2), "both orders are about equally likely", atol=0.1)
        found = assembly.call("evaluate", model, [batch])
        true(isinstance(found, Evaluation), "five figures", expected="an Evaluation", got=found)
        close(np.array(found[:3]), np.array([mlm, sentence, total]), "one batch, the same losses", atol=1e-6)
