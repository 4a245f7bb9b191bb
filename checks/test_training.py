"""Checks of lesson 14."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checks.judge import check, close, equal, rejects, true
from checks.oracles import scripted
from checks.oracles import training as oracle
from checks.oracles import training_cases as cases
from checks.oracles.objective_cases import three
from checks.subject import Subject, props

SEEDS = st.integers(0, 2**32 - 1)

Case = dict[str, Any]


@st.composite
def schedules(draw: st.DrawFn) -> Case:
    """A peak and any warm-up within 1 to 15 steps."""
    total = draw(st.integers(1, 15))
    return {"peak": draw(st.floats(1e-4, 10)), "warmup": draw(st.integers(0, total)), "total": total}


def _train(subject: Subject, handle: props.ModuleHandle, batches: Any, case: Case, **settings: Any) -> Any:
    given = {key: case[key] for key in ("lr", "weight_decay", "warmup", "max_norm")} | settings
    return subject.call("train_model", handle, batches, case["n_epochs"], **given)


def _same_every_epoch(case: Case) -> Case:
    return case | {"epochs": [case["epochs"][0]] * (case["n_epochs"] + 1)}


@check("parameter_groups", points=0.75)
def test_matrices_decay_and_biases_and_norms_do_not(subject: Subject) -> None:
    """The first group holds what has two dimensions or more, the second the rest, which does not decay.

    Decay pulls towards 0. That keeps matrices small; it would take the scale out of a norm. A single number has no
    dimension, a matrix of one row has two, and what is frozen now may be thawed later.
    """
    case = cases.groups_case(layers=False)
    case["same"] = {}
    case["shapes"][f"{props.DECODER}.weight"] = (scripted.VOCAB, scripted.WIDTH)
    got = oracle.run_groups(subject, case)
    cases.expect_groups(got, oracle.groups(case), "matrices first, then biases and norm weights")
    case = cases.matrices_case()
    because = "two groups, also of a model in which the second one is empty"
    cases.expect_groups(oracle.run_groups(subject, case), oracle.groups(case), because)


@check("parameter_groups", points=0.5)
def test_a_shared_or_tied_parameter_is_listed_once(subject: Subject) -> None:
    """Every parameter is in one group, once, however many names it has."""
    case = cases.groups_case()
    got = oracle.GROUPS_PROBE(subject, case)
    cases.expect_groups(got, oracle.groups(case), "the decoder is the word table, and layer 1 is layer 0")


@check("parameter_groups", points=0.5)
def test_the_groups_steer_the_decay_of_an_optimiser(subject: Subject) -> None:
    """AdamW over the groups decays matrices at `weight_decay`, by default 0.01, and nothing else."""
    rng = np.random.default_rng(1)
    weights = scripted.weights(rng)
    gradients = {name: rng.normal(size=array.shape) for name, array in weights.items()}
    for choice in ({}, {"weight_decay": 0.2}, {"weight_decay": 0.0}):
        want = oracle.Descent(weights, choice.get("weight_decay", 0.01))
        want.step(gradients, lr=0.1)
        model = props.scripted_model(subject, weights)
        got = props.step_by_groups(subject, "parameter_groups", model, gradients, {"lr": 0.1}, **choice)
        cases.expect_weights(got, want.w, "matrices lose lr * weight_decay of themselves, the rest nothing")


@check("learning_rate", points=1)
@given(case=schedules())
@example(case={"peak": 1.0, "warmup": 4, "total": 9})
def test_the_rate_rises_to_the_peak_and_falls_to_zero(subject: Subject, case: Case) -> None:
    """The rate rises in a straight line over the warm-up, and falls in a straight line to 0 at the last step's end.

    Step 0 is not wasted at 0, the last step of the warm-up is at the peak, and so is the one after it.
    """
    got = oracle.RATE_PROBE(subject, case)
    equal([type(rate) for rate in got], [float] * (case["total"] + 3), "a rate is a plain number")
    because = "rates of steps 0, 1, ..., total_steps + 2: up to the peak, down to 0, and 0 from there on"
    close(np.array(got), np.array(oracle.rates(case)), because)


@check("learning_rate", points=0.25)
def test_a_schedule_may_be_all_warm_up_or_none_of_it(subject: Subject) -> None:
    """Without warm-up the first step runs at the peak; with nothing else the last step does.

    A schedule of no steps is over before its first one.
    """
    for warmup in (0, 5, 1):
        case = {"peak": 2.0, "warmup": warmup, "total": 5}
        got = oracle.run_rates(subject, case)
        close(np.array(got), np.array(oracle.rates(case)), f"{warmup} of 5 steps are warm-up")
    short = subject.call("learning_rate", 0, peak=3.0, warmup_steps=0, total_steps=1)
    close(short, 3.0, "the only step runs at the peak")
    close(
        subject.call("learning_rate", 0, 3.0, 0, 0), 0.0, "from total_steps on the rate is 0, also from 0 on"
    )


@check("learning_rate", points=0.25)
def test_a_schedule_that_cannot_be_is_refused(subject: Subject) -> None:
    """A negative step, or a warm-up outside 0 to total_steps, is a ValueError; the ends of the range are served."""
    close(subject.call("learning_rate", 0, 1.0, 4, 4), 0.25, "the warm-up may be all there is")
    close(subject.call("learning_rate", 3, 1.0, 0, 4), 0.25, "the last of four steps")
    for step, warmup, total in (
        (-1, 2, 4),
        (0, 5, 4),
        (0, -1, 4),
        (4, 5, 4),
        (9, -1, 4),
        (9, 5, 4),
        (0, 1, 0),
        (0, 0, -1),
    ):
        because = f"step {step} of {total}, {warmup} of them warm-up: there is no such schedule, at any step"
        rejects(partial(subject.call, "learning_rate", step, 1.0, warmup, total), "ValueError", because)


@check("train_step", points=0.75)
@settings(max_examples=8)
@given(seed=SEEDS)
def test_a_step_moves_the_weights_down_the_gradient_of_its_batch(subject: Subject, seed: int) -> None:
    """Each step takes the weights down the gradient of its own batch, and gives the losses before the move.

    Four steps of plain gradient descent, with a norm too large to clip, must end where the arithmetic ends.
    """
    case = cases.steps_case(seed, max_norm=1e6) | {"lr": 0.02}
    case["held"], case["stale"] = list(case["weights"]), {}
    losses, weights = oracle.STEP_PROBE(subject, case)
    want, moved = oracle.steps(case)
    cases.expect_losses(losses, want, "before its update")
    cases.expect_weights(weights, moved, "w - lr * gradient, four times")


@check("train_step", points=0.75)
def test_all_gradients_together_are_clipped_to_the_norm(subject: Subject) -> None:
    """The gradients of all parameters, as one vector, are shortened to `max_norm`, and short ones are left alone."""
    for max_norm in (0.3, 1.2, 1e3):
        case = cases.steps_case(141, max_norm)
        case["held"], case["stale"] = list(case["weights"]), {}
        losses, weights = oracle.STEP_PROBE(subject, case)
        want, moved = oracle.steps(case)
        cases.expect_losses(losses[:1], want[:1], "before its update")
        cases.expect_weights(
            weights, moved, f"the step's length is at most lr * {max_norm:g}, its direction the same"
        )
    case = cases.steps_case(141, 1.0)
    model = cases.model(subject, case, training=True)
    optimizer = props.optimizer(model, "SGD", lr=0.3)
    three(subject.call("train_step", model, case["batches"][1], optimizer))
    case["held"], case["stale"], case["batches"] = list(case["weights"]), {}, case["batches"][1:2]
    cases.expect_weights(
        cases.state(model, case["held"]), oracle.steps(case)[1], "max_norm is 1 unless given"
    )


@check("train_step", points=0.5)
def test_gradients_left_on_the_model_do_not_count(subject: Subject) -> None:
    """Gradients that were on the model before do not count, nor on parameters that the optimiser does not hold.

    These would not move a weight, but they would enter the norm, and shorten every step. Nor do they count on frozen
    parameters, where they would move what is to stay.
    """
    for held, frozen in ((True, ()), (False, ()), (True, ("pooler.dense.weight", "pooler.dense.bias"))):
        case = cases.steps_case(141) | {"frozen": frozen}
        if held:
            case["held"] = list(case["weights"])
        losses, weights = oracle.STEP_PROBE(subject, case)
        want, moved = oracle.steps(case)
        cases.expect_losses(losses[:1], want[:1], "before its update")
        cases.expect_weights(weights, moved, "only the gradient of this batch, over this batch's norm")


@check("train_step", points=0.25)
def test_the_losses_come_without_their_graph_and_the_mode_stays(subject: Subject) -> None:
    """The losses are detached, so that keeping them keeps no graph alive; the model stays in its mode."""
    for training in (True, False):
        case = cases.steps_case(142) | {"training": training}
        case["held"], case["stale"] = list(case["weights"]), {}
        model = cases.model(subject, case, training)
        optimizer = props.optimizer(model, "SGD", lr=case["lr"])
        want, _ = oracle.steps(case)
        for batch, losses in zip(case["batches"][:2], want[:2], strict=True):
            loss, graphs = props.recorded(subject, "train_step", model, batch, optimizer, case["max_norm"])
            because = f"the model is in {'train' if training else 'eval'} mode, and stays there"
            close(np.array(three(loss)), np.array(losses), because, atol=1e-6)
            equal(graphs, [False] * 3, "a loss that hangs on its graph keeps all activations in memory")
        equal(model.training(), training, "the caller chose the mode")


@check("train_model", points=1)
def test_training_is_adamw_with_clipping_decay_and_a_schedule(subject: Subject) -> None:
    """The weights end where AdamW ends: clipped gradients, decay of matrices, and the rate of each step.

    A tenth of three steps is no step: there is no warm-up then, nor at a fraction of 0; at 1 it is all there is. A
    model that is trained twice gets a new AdamW.
    """
    for seed, changes in (
        (142, {}),
        (143, {"warmup": 0.0, "weight_decay": 0.0, "n_epochs": 4}),
        (144, {"warmup": 0.5, "n_epochs": 2}),
        (144, {"warmup": 1.0, "n_epochs": 1}),
    ):
        case = _same_every_epoch(cases.training_case(seed) | changes)
        model = cases.model(subject, case, training=True)
        _expect_trained(subject, model, case, "AdamW over the groups, step by step")
    case = _same_every_epoch(cases.training_case(151) | {"warmup": 0.1, "n_epochs": 1})
    model = cases.model(subject, case, training=True)
    case |= {"weights": _expect_trained(subject, model, case, "3 steps, and int(0.1 * 3) = 0 are warm-up")}
    _expect_trained(subject, model, case, "trained again: AdamW starts anew in every call")


def _expect_trained(subject: Subject, model: props.ModuleHandle, case: Case, because: str) -> Any:
    """The weights after training `model`, which has the case's weights, are the replayed ones."""
    history = _train(subject, model, case["epochs"][0], case)
    cases.expect_epochs(history, case["n_epochs"])
    want = oracle.train(case)[1]
    cases.expect_weights(cases.state(model, want), want, because)
    return want


@check("train_model", points=0.75)
def test_the_history_weighs_every_label_of_an_epoch_alike(subject: Subject) -> None:
    """The history holds the means over all labelled tokens and over all pairs of an epoch, before each update.

    At a rate of 0 the weights stay, so every epoch must show the same means.
    """
    case = _same_every_epoch(cases.training_case(145) | {"lr": 0.0})
    batches = case["epochs"][0]
    for chosen in (batches, batches[1:2], [batches[1]._replace(mlm_labels=batches[1].mlm_labels * 0 - 100)]):
        case["epochs"] = [chosen] * 4
        history = _train(subject, cases.model(subject, case, training=True), chosen, case)
        cases.expect_history(
            history, oracle.train(case)[0], "each label has the same weight; without labels it is 0"
        )
    model = cases.model(subject, case, training=True)
    for n_epochs, chosen, why in (
        (0, batches, "no epoch has no losses"),
        (2, [], "an epoch without batches has no labels"),
    ):
        history = _train(subject, model, chosen, case | {"n_epochs": n_epochs})
        cases.expect_history(history, [[0.0] * n_epochs] * 3, f"{why}, and is no error")
    case |= {"epochs": [batches[:1]] * 2, "n_epochs": 1, "lr": 0.5}
    history = _train(subject, cases.model(subject, case, training=True), batches[:1], case)
    cases.expect_history(history, oracle.train(case)[0], "the losses are those before the update")


@check("train_model", points=0.5)
def test_the_dataset_is_told_every_epoch_from_zero(subject: Subject) -> None:
    """`set_epoch` is called with 0, 1, ... before each epoch, where the dataset has it.

    Else every epoch repeats the same pairs under the same masks. This dataset gives other batches in each. A loader
    that shuffles gives others in each pass: an epoch is one pass.
    """
    case = cases.training_case(146) | {"lr": 0.0}
    loader = props.loader(subject, case["epochs"], epochs=True)
    history = _train(subject, cases.model(subject, case, training=True), loader, case)
    want = oracle.train(case)[0]
    cases.expect_history(history, want, "epoch e trains on the batches of epoch e")
    loader = props.passes(subject, case["epochs"])
    history = _train(subject, cases.model(subject, case, training=True), loader, case)
    cases.expect_history(history, want, "epoch e trains on the batches of pass e: there is one pass an epoch")
    plain = props.loader(subject, case["epochs"][0])
    history = _train(subject, cases.model(subject, case, training=True), plain, case)
    want = oracle.train(_same_every_epoch(case))[0]
    cases.expect_history(history, want, "a dataset without set_epoch is told nothing")


@check("train_model", points=0.25)
def test_the_model_is_trained_in_train_mode_and_left_so(subject: Subject) -> None:
    """A model that comes in eval mode, or in parts, is trained with dropout, and is in train mode afterwards.

    Nothing else is switched: what is frozen stays frozen, and no global generator is seeded.
    """
    case = _same_every_epoch(cases.training_case(147) | {"lr": 0.0})
    for part in ("eval", "train"):
        model = cases.model(subject, case)
        props.change_part(model, cases.SHIFT_PART, part)
        history = _train(subject, model, case["epochs"][0], case)
        cases.expect_history(history, oracle.train(case)[0], "the losses are those of train mode")
        equal(model.training(), True, "train mode is where it is left")
        batch = case["epochs"][0][0]
        sequence, _ = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
        words = model(sequence, method="mlm_logits")
        want, _ = scripted.forward(case["weights"], batch, shift=cases.SHIFT)
        close(words, want, "every part is in train mode afterwards")
    batches = case["epochs"][0]
    moved = subject.disturbed("train_model", model, batches, 1, lr=0.0)
    equal(moved, [], "this model and this list draw nothing, so every generator stands where it stood")
    props.freeze(model, "pooler.dense.weight")
    subject.call("train_model", model, batches, 0)
    ones: list[Any] = [np.ones(array.shape) for array in model(batch.input_ids)]
    seen = model.backward(batch.input_ids, cotangents=ones).by_name
    true(seen["pooler.dense.bias"] is not None, "this was not frozen", expected="a gradient", got="None")
    frozen = seen["pooler.dense.weight"]
    true(frozen is None, "this was frozen before", expected="no gradient", got=frozen)
    case = _same_every_epoch(cases.training_case(147) | {"n_epochs": 1, "frozen": ("pooler.dense.weight",)})
    model = cases.model(subject, case, training=True)
    props.freeze(model, *case["frozen"])
    _expect_trained(subject, model, case, "a frozen matrix keeps its values and does not decay")


@check("train_model", points=0.5)
def test_the_defaults_are_those_of_the_lesson(subject: Subject) -> None:
    """Unless told otherwise: a peak of 5e-4, a decay of 0.01, a tenth of the steps as warm-up, and a norm of 1."""
    case = cases.training_case(148) | {"lr": 5e-4, "weight_decay": 0.01, "warmup": 0.1, "max_norm": 1.0}
    batches = [*case["epochs"][0], *case["epochs"][1]]
    case |= {"epochs": [batches] * 3, "n_epochs": 2}
    want = oracle.train(case)[1]
    choices: list[Case] = [{}, {"device": "cpu"}]
    for choice in choices:
        model = cases.model(subject, case, training=True)
        history = subject.call("train_model", model, batches, 2, **choice)
        cases.expect_epochs(history, 2)
        cases.expect_weights(
            cases.state(model, want), want, "12 steps with the defaults, one of them warm-up"
        )


@check("train_model", points=0.5, assembly=True, uses=("objective",))
def test_training_on_your_own_objective_ends_where_it_should(assembly: Subject) -> None:
    """With your own objective, a step and a training of two epochs end where the arithmetic ends."""
    case = cases.steps_case(149)
    case["held"], case["stale"] = list(case["weights"]), {}
    losses, weights = oracle.run_steps(assembly, case)
    want, moved = oracle.steps(case)
    close(
        np.array(losses), np.array(want), "[total, mlm, sentence] of each step, before its update", atol=1e-6
    )
    cases.expect_weights(weights, moved, "your loss gives the gradient")
    # Without labels a loss of yours may have a gradient of 0 or none at all; AdamW tells the two apart.
    case = _same_every_epoch(cases.training_case(150, unpaired=False) | {"n_epochs": 2})
    model = cases.model(assembly, case, training=True)
    history = _train(assembly, model, case["epochs"][0], case)
    figures, final = oracle.train(case)
    cases.expect_history(history, figures, "your losses, weighted by their labels")
    cases.expect_weights(cases.state(model, final), final, "AdamW on your loss")
