"""Mutants of lesson 14."""
# ruff: noqa: E501

from checks.gate.edits import Edit, Mutant

_MATRICES = '{"params": [p for p in parameters if p.dim() >= 2], "weight_decay": weight_decay},'
_REST = '{"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},'
_LIST = "parameters = list(model.parameters())"
_NEGATIVE = "if step < 0:"
_OUTSIDE = "if not 0 <= warmup_steps <= total_steps:"
_RISING = "if step < warmup_steps:"
_RISE = "return peak * (step + 1) / warmup_steps"
_FALLING = "if step < total_steps:"
_FALL = "return peak * (total_steps - step) / (total_steps - warmup_steps)"
_DROP = "model.zero_grad(set_to_none=True)\n    # 2."
_LOSS = "loss = pretraining_loss(model, batch)\n    loss.total.backward()"
_CLIP = "nn.utils.clip_grad_norm_(model.parameters(), max_norm)"
_STEP = "optimizer.step()"
_RETURN = "return PretrainingLoss(*(part.detach() for part in loss))"
_ADAMW = 'torch.optim.AdamW(parameter_groups(model, weight_decay), lr=lr, fused=device.type == "cuda")'
_TRAIN = "model.to(device).train()"
_TOTAL = "total_steps = epochs * len(dataloader)"
_WARMUP = "warmup_steps = int(warmup * total_steps)"
_TELLS = "dataset.set_epoch(epoch)\n        # 3."
_HAS = 'if hasattr(dataset, "set_epoch"):'
_SET = (
    "for group in optimizer.param_groups:\n"
    '                group["lr"] = learning_rate(step, lr, warmup_steps, total_steps)'
)
_TAKEN = "loss = train_step(model, batch, optimizer, max_norm)"
_COUNT = "counts.append(torch.stack(label_counts(batch)))"
_MEANS = "((losses_S2 * counts_S2).sum(0) / counts_S2.sum(0).clamp(min=1)).tolist()"
_VALUES = "(mlm, sentence, mlm + sentence), strict=True)"

_DECAY = "test_matrices_decay_and_biases_and_norms_do_not"
_ONCE = "test_a_shared_or_tied_parameter_is_listed_once"
_STEER = "test_the_groups_steer_the_decay_of_an_optimiser"
_LINE = "test_the_rate_rises_to_the_peak_and_falls_to_zero"
_ALL = "test_a_schedule_may_be_all_warm_up_or_none_of_it"
_REFUSED = "test_a_schedule_that_cannot_be_is_refused"
_DOWN = "test_a_step_moves_the_weights_down_the_gradient_of_its_batch"
_CLIPPED = "test_all_gradients_together_are_clipped_to_the_norm"
_LEFT = "test_gradients_left_on_the_model_do_not_count"
_GRAPH = "test_the_losses_come_without_their_graph_and_the_mode_stays"
_ADAM = "test_training_is_adamw_with_clipping_decay_and_a_schedule"
_HISTORY = "test_the_history_weighs_every_label_of_an_epoch_alike"
_TOLD = "test_the_dataset_is_told_every_epoch_from_zero"
_MODE = "test_the_model_is_trained_in_train_mode_and_left_so"
_DEFAULTS = "test_the_defaults_are_those_of_the_lesson"
_OWN = "test_training_on_your_own_objective_ends_where_it_should"


def _mutant(
    exercise: str, id: str, swaps: tuple[str, ...], why: str, killed_by: str, mistake: str | None, source: str
) -> Mutant:
    pairs = tuple(zip(swaps[::2], swaps[1::2], strict=True))
    known = f"training.{mistake}" if mistake else None
    return Mutant(id, exercise, Edit(swap=pairs), why, killed_by, known, source)


def _groups(
    id: str, swaps: tuple[str, ...], why: str, by: str = _ONCE, mistake: str | None = None, source: str = ""
) -> Mutant:
    return _mutant("parameter_groups", f"groups_{id}", swaps, why, by, mistake, source)


def _rate(
    id: str, swaps: tuple[str, ...], why: str, by: str = _LINE, mistake: str | None = None, source: str = ""
) -> Mutant:
    return _mutant("learning_rate", f"rate_{id}", swaps, why, by, mistake, source)


def _step(
    id: str, swaps: tuple[str, ...], why: str, by: str = _DOWN, mistake: str | None = None, source: str = ""
) -> Mutant:
    return _mutant("train_step", f"step_{id}", swaps, why, by, mistake, source)


def _model(
    id: str, swaps: tuple[str, ...], why: str, by: str = _ADAM, mistake: str | None = None, source: str = ""
) -> Mutant:
    return _mutant("train_model", f"model_{id}", swaps, why, by, mistake, source)


def _by_name(test: str) -> tuple[str, ...]:
    """Groups by a test of the parameter's name instead of its dimension."""
    return (
        _LIST, "parameters = list(model.named_parameters())",
        _MATRICES, f'{{"params": [p for name, p in parameters if not ({test})], "weight_decay": weight_decay}},',
        _REST, f'{{"params": [p for name, p in parameters if {test}], "weight_decay": 0.0}},',
    )  # fmt: skip


_ZEROS = "for p in model.parameters():\n        p.grad = torch.zeros_like(p)\n    # 2."
_UNFROZEN = "for p in model.parameters():\n        if p.requires_grad:\n            p.grad = None\n    # 2."
_GROUPS = f"return [\n        {_MATRICES}\n        {_REST}\n    ]"

GROUPS = (
    _groups("all_decay", ("if p.dim() >= 2]", "]", "if p.dim() < 2]", "if False]"), "decay is good for every weight", _DECAY,
            "decay_all", "HF#4360"),
    _groups("norms_decay", _by_name('name.endswith("bias")'), "what is not a bias is a weight", mistake="decay_norms"),
    _groups("names_do_not_match", _by_name('name.endswith("bias") or "LayerNorm" in name'),
            "norms are called LayerNorm, as in the published code", mistake="decay_norms", source="HF#4360"),
    _groups("tables_do_not_decay", _by_name('"embeddings" in name or p.dim() < 2'), "rare words would decay away",
            mistake="decay_no_tables"),
    _groups("listed_by_name", (_LIST, "parameters = [p for _, p in model.named_parameters(remove_duplicate=False)]"),
            "each name stands for a parameter", mistake="twice"),
    _groups("listed_by_module",
            (_LIST, "parameters = [p for m in model.modules() for p in m.parameters(recurse=False)]"),
            "each module has its own parameters", source="a tied table belongs to two modules"),
    _groups("listed_from_state", (_LIST, "parameters = list(model.state_dict(keep_vars=True).values())"),
            "the state holds every parameter", mistake="twice"),
    _groups("exchanged", (_MATRICES, _MATRICES.replace(">= 2", "< 2"), _REST, _REST.replace("< 2", ">= 2")),
            "the first group is the special one", mistake="groups_exchanged"),
    _groups("three_dimensions", (">= 2]", "> 2]", "< 2]", "<= 2]"), "matrices have more than two dimensions"),
    _groups("rest_forgotten", ("if p.dim() < 2]", "if False]"), "what does not decay need not be listed"),
    _groups("tied_left_out",
            (_LIST, "parameters = [p for name, p in model.named_parameters() if 'word' not in name]"),
            "a tied table belongs to the decoder"),
    _groups("rest_decays", (_REST, _REST.replace("0.0", "weight_decay / 10")), "a little decay cannot hurt", _DECAY),
    _groups("default", ("weight_decay: float = 0.01) -> list", "weight_decay: float = 0.1) -> list"),
            "0.1 is the usual decay", _STEER),
    _groups("fixed", ('"weight_decay": weight_decay},', '"weight_decay": 0.01},'), "0.01 is the value of the paper", _STEER),
    _groups("frozen_left_out", (_LIST, "parameters = [p for p in model.parameters() if p.requires_grad]"),
            "what is frozen is not trained", _DECAY),
    _groups("only_matrices_decay", (">= 2]", "== 2]", "< 2]", "!= 2]"), "a matrix has two dimensions", _DECAY),
    _groups("only_matrices", (">= 2]", "== 2]"), "no parameter has more than two dimensions", _DECAY),
    _groups("only_vectors", ("< 2]", "== 1]"), "every parameter has a dimension", _DECAY),
    _groups("one_row_is_a_vector",
            (">= 2]", ">= 2 and min(p.shape) > 1]", "< 2]", "< 2 or min(p.shape) == 1]"), "a matrix of one row is a vector", _DECAY),
    _groups("named", ('"weight_decay": 0.0},', '"weight_decay": 0.0, "name": "rest"},'), "a group may have a name", _ONCE),
    _groups("with_betas", ('"weight_decay": 0.0},', '"weight_decay": 0.0, "betas": (0.9, 0.999)},'),
            "a group may set what the optimiser takes", _ONCE),
    _groups("empty_left_out", (_GROUPS, _GROUPS.replace("return [", "found = [") + '\n    return [g for g in found if g["params"]]'),
            "a group without parameters is no group", _DECAY),
    _groups("three_dimensions_at_most", ("if p.dim() >= 2]", "if 2 <= p.dim() <= 3]", "if p.dim() < 2]", "if not 2 <= p.dim() <= 3]"),
            "no parameter has four dimensions", _DECAY),
    _groups("by_short_name", (_LIST, 'parameters = list({".".join(n.split(".")[-3:]): p for n, p in model.named_parameters()}.values())'),
            "the end of a name tells which parameter it is"),
)  # fmt: skip
RATES = (
    _rate("from_zero", (_RISE, "return peak * step / warmup_steps"), "the rate starts at 0", mistake="rise_from_zero"),
    _rate("too_long", (_RISING, "if step <= warmup_steps and warmup_steps:"), "the warm-up includes its last step",
          mistake="rise_too_long"),
    _rate("no_rise", (_RISING, "if False:"), "AdamW needs no warm-up", mistake="no_rise"),
    _rate("from_start", (_FALL, "return peak * (total_steps - step) / total_steps"),
          "the fall is a share of all steps, as in the published code", mistake="fall_from_start", source="google-research/bert"),
    _rate("too_early", (_FALL, "return peak * (total_steps - step - 1) / (total_steps - warmup_steps)"),
          "the last step is at 0", mistake="fall_too_early"),
    _rate("no_fall", (_FALL, "return peak", "return 0.0", "return peak"), "after the warm-up the rate stays", mistake="no_fall"),
    _rate("cosine", ("from collections.abc import Collection", "import math\nfrom collections.abc import Collection",
                     _FALL, "return peak * (1 + math.cos(math.pi * (step - warmup_steps) / (total_steps - warmup_steps))) / 2"),
          "a cosine is what everybody uses", mistake="cosine"),
    _rate("below_zero", (_FALLING, "if total_steps > warmup_steps:"), "the line goes on", mistake="below_zero"),
    _rate("root", (_FALL, "return peak * (max(warmup_steps, 1) / (step + 1)) ** 0.5"), "the Transformer's schedule",
          source="codertimo: Noam"),
    _rate("floor", ("return 0.0", "return peak / 100"), "a little rate is left for later"),
    _rate("peak_ignored", (_RISE, "return 1e-4 * (step + 1) / warmup_steps"), "the peak is 1e-4", source="codertimo: lr option"),
    _rate("squared", (_FALL, f"{_FALL} ** 2".replace("peak * (", "peak * ((").replace("steps) **", "steps)) **")),
          "the fall may be steeper"),
    _rate("from_one", (_RISING, "step += 1\n    if step < warmup_steps:"), "steps count from 1"),
    _rate("divides_by_zero", (_RISING, "if step < warmup_steps or warmup_steps == 0:"), "there is always a warm-up", _ALL),
    _rate("one_step_at_least", (_RISING, "warmup_steps = max(warmup_steps, 2)\n    if step < warmup_steps:"),
          "a warm-up has at least two steps", _ALL),
    _rate("all_warm_up", (_OUTSIDE, "if not 0 <= warmup_steps < total_steps:"), "there must be a fall", _ALL),
    _rate("some_steps", (_NEGATIVE, "if total_steps < 1:\n        raise ValueError('no steps')\n    if step < 0:"),
          "there is always a step", _ALL),
    _rate("negative_step", (_NEGATIVE, "if False:"), "a step is never negative", _REFUSED),
    _rate("step_zero_refused", (_NEGATIVE, "if step <= 0:"), "steps count from 1", _REFUSED),
    _rate("long_warm_up", (_OUTSIDE, "if not 0 <= warmup_steps:"), "a long warm-up only never ends", _REFUSED),
    _rate("negative_warm_up", (_OUTSIDE, "if warmup_steps > total_steps:"), "a negative warm-up is none", _REFUSED),
    _rate("asserts", (_OUTSIDE, "assert 0 <= warmup_steps <= total_steps\n    if False:"), "an assert checks it", _REFUSED),
    _rate("no_steps_unchecked", (_OUTSIDE, "if total_steps and not 0 <= warmup_steps <= total_steps:"),
          "without steps there is nothing to check", _REFUSED),
    _rate("negative_total", (_OUTSIDE, "if not 0 <= warmup_steps <= max(total_steps, 0):"), "a negative total is none", _REFUSED),
    _rate("checked_before_the_end", (_NEGATIVE, "if step >= total_steps >= warmup_steps and total_steps > 0:\n        return 0.0\n    if step < 0:"),
          "after the end the rest does not matter", _REFUSED),
)  # fmt: skip
STEPS = (
    _step("no_zero_grad", (_DROP, "# 2."), "backward overwrites gradients", _LEFT, "stale", "pytorch_warmup#12"),
    _step("optimizer_zero_grad", (_DROP, "optimizer.zero_grad()\n    # 2."), "the optimiser drops all gradients", _LEFT,
          "stale_unheld"),
    _step("zero_grad_after_backward", (_LOSS, f"{_LOSS}\n    optimizer.zero_grad()"), "gradients are dropped before the step",
          mistake="no_update", source="pytorch_warmup#12"),
    _step("no_step", (_STEP, "pass"), "backward changes the weights", mistake="no_update"),
    _step("no_backward", (_LOSS, "loss = pretraining_loss(model, batch)"), "the step computes the gradient", mistake="no_update"),
    _step("loss_after", (_RETURN, "loss = pretraining_loss(model, batch)\n    " + _RETURN), "the loss of a step is what it led to",
          mistake="loss_after"),
    _step("two_steps", (_STEP, "optimizer.step()\n    optimizer.step()"), "twice as fast"),
    _step("uphill", ("loss.total.backward()", "(-loss.total).backward()"), "the optimiser adds the gradient"),
    _step("mlm_only", ("loss.total.backward()", "loss.mlm.backward()"), "the word loss is what counts",
          source="only one loss back-propagated"),
    _step("mean_of_losses", ("loss.total.backward()", "(loss.total / 2).backward()"), "two losses are averaged"),
    _step("each_clipped", (_CLIP, "for p in model.parameters():\n        nn.utils.clip_grad_norm_([p], max_norm)"),
          "each tensor has a norm", _CLIPPED, "clip_each"),
    _step("value_clipped", (_CLIP, "nn.utils.clip_grad_value_(model.parameters(), max_norm)"), "clipping cuts values", _CLIPPED,
          "clip_value"),
    _step("no_clip", (_CLIP, "pass"), "AdamW needs no clipping", _CLIPPED, "no_clip"),
    _step("clip_after_step", (f"{_CLIP}\n    {_STEP}", f"{_STEP}\n    {_CLIP}"), "clipping keeps gradients small", _CLIPPED,
          "no_clip"),
    _step("clip_before_backward", (_LOSS, f"loss = pretraining_loss(model, batch)\n    {_CLIP}\n    loss.total.backward()",
                                   f"{_CLIP}\n    {_STEP}", _STEP), "clipping comes first", _CLIPPED, "no_clip"),
    _step("always_scaled",
          (_CLIP, "norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()\n"
                  "    for p in model.parameters():\n        p.grad *= max_norm / (norm + 1e-6)"),
          "every step has the same length", _CLIPPED, "clip_always"),
    _step("norm_of_held",
          (_CLIP, "nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g['params']], max_norm)"),
          "only what moves has a norm", _LEFT),
    _step("infinity_norm", (_CLIP, "nn.utils.clip_grad_norm_(model.parameters(), max_norm, norm_type=float('inf'))"),
          "the largest number is the norm", _CLIPPED),
    _step("one_norm", (_CLIP, "nn.utils.clip_grad_norm_(model.parameters(), max_norm, norm_type=1)"),
          "a norm is a sum", _CLIPPED),
    _step("loss_clipped", (_CLIP, "pass", "loss.total.backward()", "(loss.total / max(1.0, loss.total.item() / max_norm)).backward()"),
          "a small loss has small gradients", _CLIPPED),
    _step("norm_fixed", (_CLIP, "nn.utils.clip_grad_norm_(model.parameters(), 1.0)"), "the norm is 1", _CLIPPED),
    _step("default", ("optimizer: torch.optim.Optimizer, max_norm: float = 1.0", "optimizer: torch.optim.Optimizer, max_norm: float = 5.0"),
          "5 is a usual norm", _CLIPPED),
    _step("with_graph", (_RETURN, "return loss"), "the caller takes .item()", _GRAPH),
    _step("total_with_graph", (_RETURN, "return PretrainingLoss(loss.total, loss.mlm.detach(), loss.sentence.detach())"),
          "the total was needed for backward", _GRAPH),
    _step("train_mode", (_DROP, "model.train()\n    " + _DROP), "a step is training", _GRAPH),
    _step("eval_mode_after", (_RETURN, "model.eval()\n    " + _RETURN), "after the step comes the evaluation", _GRAPH),
    _step("floats", (_RETURN, "return PretrainingLoss(*(part.item() for part in loss))"), "a loss is a number"),
    _step("total_only", (_RETURN, "return loss.total.detach()"), "the total is what is minimised"),
    _step("own_loss_twice", (_LOSS, "for _ in range(2):\n        loss = pretraining_loss(model, batch)\n        loss.total.backward()"),
          "two backwards make a better gradient", _OWN),
    _step("frozen_keep_gradients", (_DROP, _UNFROZEN), "what is frozen has no gradient", _LEFT),
    _step("zeros_everywhere", (_DROP, _ZEROS), "zero is as good as None", _MODE),
    _step("thawed", (_LOSS, f"model.requires_grad_(True)\n    {_LOSS}"),
          "every parameter takes part in a step", _LEFT),
)  # fmt: skip
MODELS = (
    _model("adam", (_ADAMW, "torch.optim.Adam(parameter_groups(model, weight_decay), lr=lr)"), "Adam has a weight_decay too",
           mistake="coupled_decay", source="Loshchilov and Hutter"),
    _model("sgd", (_ADAMW, "torch.optim.SGD(parameter_groups(model, weight_decay), lr=lr)"), "plain descent is enough"),
    _model("all_decay", (_ADAMW, "torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=weight_decay)"),
           "AdamW takes the decay itself", mistake="decay_all", source="HF#4360"),
    _model("no_decay", (_ADAMW, "torch.optim.AdamW(parameter_groups(model, 0.0), lr=lr)"), "AdamW decays by default",
           mistake="no_decay"),
    _model("default_decay", (_ADAMW, "torch.optim.AdamW(parameter_groups(model), lr=lr)"), "0.01 is the decay"),
    _model("betas", (_ADAMW, _ADAMW.replace("lr=lr", "lr=lr, betas=(0.9, 0.98)")), "the Transformer's betas"),
    _model("eps", (_ADAMW, _ADAMW.replace("lr=lr", "lr=lr, eps=1e-3")), "a larger eps is safer"),
    _model("amsgrad", (_ADAMW, _ADAMW.replace("lr=lr", "lr=lr, amsgrad=True")), "AMSGrad is better"),
    _model("constant_rate", (_SET, "pass"), "AdamW finds its own rate", mistake="constant_rate"),
    _model("first_group_only", (_SET, 'optimizer.param_groups[0]["lr"] = learning_rate(step, lr, warmup_steps, total_steps)'),
           "there is one group that matters"),
    _model("rate_per_epoch", (_SET, _SET.replace("(step, lr, warmup_steps, total_steps)",
                                                 "(epoch, lr, warmup_steps // len(dataloader), epochs)")),
           "the schedule moves once an epoch", mistake="rate_per_epoch"),
    _model("rate_ahead", (_SET, _SET.replace("(step,", "(step + 1,")), "steps count from 1", mistake="rate_ahead"),
    _model("rate_after_step", (_SET, "pass", "step += 1", f"step += 1\n            {_SET}"),
           "the rate is set for the next step"),
    _model("no_rise", (_WARMUP, "warmup_steps = 0"), "AdamW needs no warm-up", mistake="no_warmup"),
    _model("warmup_rounded", (_WARMUP, "warmup_steps = -int(-warmup * total_steps // 1)"), "part of a step is a step",
           mistake="warmup_rounded"),
    _model("warmup_in_steps", (_WARMUP, "warmup_steps = int(warmup)"), "warm-up is a number of steps", mistake="no_warmup"),
    _model("warmup_of_epoch", (_WARMUP, "warmup_steps = int(warmup * len(dataloader))"), "the first epoch has a warm-up"),
    _model("total_of_epoch", (_TOTAL, "total_steps = len(dataloader)"), "the schedule belongs to an epoch"),
    _model("step_restarts", ("for epoch in range(epochs):", "for epoch in range(epochs):\n        step = 0"),
           "each epoch counts from 0"),
    _model("optimizer_per_epoch", ("for epoch in range(epochs):", f"for epoch in range(epochs):\n        optimizer = {_ADAMW}"),
           "each epoch starts afresh"),
    _model("no_clip", (_TAKEN, "loss = train_step(model, batch, optimizer, float('inf'))"), "the step clips by itself",
           mistake="no_clip"),
    _model("norm_fixed", (_TAKEN, "loss = train_step(model, batch, optimizer)"), "the step knows its norm"),
    _model("last_batch_dropped", ("for cpu_batch in dataloader:", "for cpu_batch in list(dataloader)[: len(dataloader) - 1]:"),
           "the last batch is often short"),
    _model("epochs_off_by_one", ("for epoch in range(epochs):", "for epoch in range(1, epochs):"), "epochs count from 1"),
    _model("never_told", (_HAS, "if False:"), "the loader tells the dataset", _TOLD, "epoch_never_told"),
    _model("told_from_one", (_TELLS, _TELLS.replace("(epoch)", "(epoch + 1)")), "the first epoch is 1", _TOLD, "epoch_from_one"),
    _model("told_zero", (_TELLS, _TELLS.replace("(epoch)", "(0)")), "the dataset is reset", _TOLD, "epoch_stuck"),
    _model("told_step", (_TELLS, _TELLS.replace("(epoch)", "(min(step, 3))")), "the dataset wants to know the step", _TOLD),
    _model("loader_told", (_HAS, "dataset = dataloader\n        if hasattr(dataset, 'set_epoch'):"), "the loader has set_epoch",
           _TOLD, "epoch_never_told"),
    _model("always_told", (_HAS, "if dataset is not None:"), "every dataset has set_epoch", _TOLD),
    _model("told_after", (_HAS, "if False:", "values.append(value)", "values.append(value)\n"
                          "        if hasattr(dataset, 'set_epoch'):\n            dataset.set_epoch(epoch)"),
           "an epoch is announced when it is done", _TOLD),
    _model("mean_of_batches", (_COUNT, "counts.append(torch.stack([(n > 0).long() for n in label_counts(batch)]))"),
           "the mean of means is the mean", _HISTORY, None, "levanter#842"),
    _model("mean_of_all_batches", (_COUNT, "counts.append(torch.ones(2))"), "an epoch's loss is its batches' mean", _HISTORY,
           "history_of_batches"),
    _model("by_rows", (_COUNT, "counts.append(torch.full((2,), len(batch.input_ids)))"), "a batch's weight is its size", _HISTORY,
           "history_by_rows"),
    _model("last_loss", (_MEANS, "losses_S2[-1].tolist()"), "the last loss is the newest", _HISTORY, "history_last"),
    _model("summed", (_MEANS, "losses_S2.sum(0).tolist()"), "a loss is added up", _HISTORY, "history_sum"),
    _model("nan_without_labels", (_MEANS, _MEANS.replace(".clamp(min=1)", "")), "there is always a label", _HISTORY),
    _model("words_weigh_pairs", (_COUNT, "counts.append(torch.stack([label_counts(batch)[0]] * 2))"), "one weight serves both",
           _HISTORY),
    _model("total_halved", (_VALUES, "(mlm, sentence, (mlm + sentence) / 2), strict=True)"), "two losses are averaged", _HISTORY),
    _model("fields_exchanged", (_VALUES, "(sentence, mlm, mlm + sentence), strict=True)"), "the order of fields is free", _HISTORY),
    _model("not_reset", ("losses, counts = [torch.zeros(2, device=device)], [torch.zeros(2, device=device)]",
                         "losses, counts = (losses, counts) if epoch else ([torch.zeros(2)], [torch.zeros(2)])"),
           "the mean goes on", _TOLD),
    _model("loss_after", (_TAKEN, f"{_TAKEN}\n            loss = pretraining_loss(model, batch)"),
           "the loss of a step is what it led to", _HISTORY),
    _model("eval_mode", (_TRAIN, "model.to(device)"), "a model is made for training", _MODE, "trained_in_eval"),
    _model("left_in_eval", ("return history", "model.eval()\n    return history"), "after training comes the evaluation", _MODE),
    _model("mode_put_back", (_TRAIN, "was = model.training\n    model.to(device).train()",
                             "return history", "model.train(was)\n    return history"), "the mode is the caller's", _MODE),
    _model("eval_after_epoch", ("values.append(value)\n    return", "values.append(value)\n        model.eval()\n    return"),
           "between epochs the model is evaluated", _MODE),
    _model("optimizer_kept", (_ADAMW, f"model.__dict__.setdefault('kept', {_ADAMW})"), "training goes on where it stopped"),
    _model("warmup_at_least_one", (_WARMUP, "warmup_steps = max(1, int(warmup * total_steps)) if warmup else 0"),
           "a warm-up has a step"),
    _model("seeded", (_TRAIN, "torch.manual_seed(0)\n    " + _TRAIN), "training must be repeatable", _MODE),
    _model("thawed", (_TRAIN, "model.requires_grad_(True)\n    " + _TRAIN), "all parameters are trained", _MODE),
    _model("mode_of_children", (_TRAIN, "model.to(device)\n    for m in [model, *model.children()]:\n        m.training = True"),
           "a model has parts, and parts have none", _MODE, "trained_in_eval"),
    _model("batches_counted", (_HAS, "n = sum(1 for _ in dataloader)\n        if hasattr(dataset, 'set_epoch'):"),
           "a loader can be gone through at any time", _TOLD),
    _model("default_rate", ("lr: float = 5e-4", "lr: float = 1e-4"), "1e-4 is BERT's rate", _DEFAULTS),
    _model("default_decay_value", ("weight_decay: float = 0.01,\n", "weight_decay: float = 0.1,\n"), "0.1 is the usual decay", _DEFAULTS),
    _model("default_warmup", ("warmup: float = 0.1", "warmup: float = 0.0"), "no warm-up unless asked for", _DEFAULTS),
    _model("default_norm", ("max_norm: float = 1.0,\n    device", "max_norm: float = 10.0,\n    device"), "10 is a safe norm", _DEFAULTS),
    _model("zero_warmup_is_default", (_WARMUP, "warmup_steps = int((warmup or 0.1) * total_steps)"), "`or` fills in a default"),
    _model("zero_decay_is_default", ("parameter_groups(model, weight_decay), lr", "parameter_groups(model, weight_decay or 0.01), lr"),
           "`or` fills in a default"),
    _model("whole_warmup_in_steps", (_WARMUP, "warmup_steps = int(warmup) if warmup >= 1 else int(warmup * total_steps)"),
           "from 1 on it is a number of steps"),
    _model("warmup_ends_before_the_end", (_WARMUP, "warmup_steps = min(int(warmup * total_steps), total_steps - 1)"),
           "there must be a fall"),
    _model("needs_a_batch", ("losses, counts = [torch.zeros(2, device=device)], [torch.zeros(2, device=device)]", "losses, counts = [], []"),
           "there is always a batch", _HISTORY),
    _model("no_steps_no_history", (_TOTAL, f"{_TOTAL}\n    if not total_steps:\n        return History([], [], [])"),
           "without steps there is nothing to tell", _HISTORY),
    _model("one_epoch_at_least", ("for epoch in range(epochs):", "for epoch in range(max(epochs, 1)):"), "there is always an epoch", _HISTORY),
    _model("thawed_while_training", (_TRAIN, "kept = [(p, p.requires_grad) for p in model.parameters()]\n    model.requires_grad_(True)\n    " + _TRAIN,
                                     "return history", "for p, flag in kept:\n        p.requires_grad_(flag)\n    return history"),
           "frozen means frozen afterwards", _MODE),
)  # fmt: skip
MUTANTS = (*GROUPS, *RATES, *STEPS, *MODELS)
