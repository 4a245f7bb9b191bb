"""Mutants of lesson 13."""
# ruff: noqa: E501

from checks.gate.edits import Edit, Mutant

_POSITIONS = "positions_M = (labels != IGNORE_INDEX).nonzero().squeeze(1)"
_FORWARD = "model(batch.input_ids, batch.segment_ids, batch.attention_mask)"
_LOGITS = "mlm_logits_MV = model.mlm_logits(sequence_output, positions_M)  # type: ignore[operator]"
_CALL = 'loss = nn.functional.cross_entropy(logits, labels, ignore_index=IGNORE_INDEX, reduction="sum")'
_MEAN = "return loss / n_labelled"
_MLM = "mlm = mean_cross_entropy(mlm_logits_MV, mlm_labels_M)"
_SENTENCE = "sentence = mean_cross_entropy(sentence_logits_B2, batch.sentence_labels)"
_TOTAL = "PretrainingLoss(total=mlm + sentence, mlm=mlm, sentence=sentence)"
_PARTS = "mlm_logits_MV, mlm_labels_M, sentence_logits_B2 = labelled_logits(model, batch)\n    # 2. Take"
_SHARE = "return (logits.argmax(dim=-1) == labels)[labelled].double().mean().item()"
_PAIRS = "return 0.0 if labels is None else mlm_accuracy(logits, labels)"
_INSIDE = "with left_as_found(model, dataloader, device), torch.no_grad():\n        model.eval()"
_LEFT = "with left_as_found(model, dataloader, device), torch.no_grad():"
_TOKENS = "token_sums += tokens * np.array([loss, mlm_accuracy(mlm_logits, mlm_labels)])\n            n_tokens += tokens"
_PAIR_SUMS = (
    "pair_sums += pairs * np.array([loss, sentence_accuracy(sentence_logits, labels)])\n"
    "                n_pairs += pairs"
)
_RESULT = "return Evaluation(mlm_loss, sentence_loss, mlm_loss + sentence_loss, mlm_share, sentence_share)"

_FORMULA = "test_the_loss_is_the_mean_over_labelled_tokens_plus_the_mean_over_pairs"
_SLOPES = "test_the_gradient_of_the_total_reaches_both_heads"
_NOTHING = "test_a_batch_without_labels_costs_nothing_and_can_be_trained_on"
_ONLY = "test_only_labelled_places_reach_the_vocabulary"
_SEES = "test_the_model_sees_the_segments_and_the_mask_of_the_batch"
_FAR = "test_losses_are_right_far_from_zero_and_in_half_precision"
_WORDS = "test_word_accuracy_is_the_share_of_labelled_places_guessed_right"
_NO_WORDS = "test_without_a_label_the_word_accuracy_is_zero"
_TOLD = "test_pair_accuracy_is_the_share_of_pairs_told_right"
_NO_PAIRS = "test_without_pair_labels_the_pair_accuracy_is_zero"
_WEIGHTED = "test_figures_are_weighted_by_labelled_tokens_and_by_pairs"
_EMPTY = "test_batches_without_labels_add_nothing"
_MODES = "test_every_module_is_in_its_own_mode_afterwards"
_LIE = "test_gradients_lie_on_the_model_as_before"
_RANDOM = "test_evaluation_moves_no_random_generator"
_UNTRAINED = "test_an_untrained_model_of_yours_knows_nothing"


def _mutant(
    exercise: str, id: str, swaps: tuple[str, ...], why: str, killed_by: str, mistake: str | None, source: str
) -> Mutant:
    pairs = tuple(zip(swaps[::2], swaps[1::2], strict=True))
    known = f"objective.{mistake}" if mistake else None
    return Mutant(id, exercise, Edit(swap=pairs), why, killed_by, known, source)


def _loss(
    id: str,
    swaps: tuple[str, ...],
    why: str,
    by: str = _FORMULA,
    mistake: str | None = None,
    source: str = "",
) -> Mutant:
    return _mutant("pretraining_loss", f"loss_{id}", swaps, why, by, mistake, source)


def _accuracy(
    id: str, swaps: tuple[str, ...], why: str, by: str = _WORDS, mistake: str | None = None, source: str = ""
) -> Mutant:
    return _mutant("mlm_accuracy", f"accuracy_{id}", swaps, why, by, mistake, source)


def _pairs(id: str, new: str, why: str, by: str = _TOLD, mistake: str | None = None) -> Mutant:
    return _mutant("sentence_accuracy", f"pairs_{id}", (_PAIRS, new), why, by, mistake, "")


def _evaluate(
    id: str,
    swaps: tuple[str, ...],
    why: str,
    by: str = _WEIGHTED,
    mistake: str | None = None,
    source: str = "",
) -> Mutant:
    return _mutant("evaluate", f"evaluate_{id}", swaps, why, by, mistake, source)


def _dense(before: str, then: str) -> tuple[str, str]:
    """`pretraining_loss` with the words' logits of all places, and another way to its `mlm`."""
    new = (
        "sequence_output, pooled = " + _FORWARD + "\n"
        "    logits = model.mlm_logits(sequence_output)\n"
        "    sentence_logits_B2 = model.sentence_logits(pooled)\n"
        f"    {before}\n"
        f"    mlm = {then}\n    # 2. Take"
    )
    return (_PARTS, new)


_CE = "nn.functional.cross_entropy"
LOSSES = (
    _loss("over_all_places",
          (_MLM, "mlm = mean_cross_entropy(mlm_logits_MV, mlm_labels_M) * len(mlm_labels_M) / batch.mlm_labels.numel()"),
          "the mean runs over the batch", mistake="mean_over_places", source="d2l-en: weights on a mean"),
    _loss("over_real_tokens",
          (_MLM, "mlm = mean_cross_entropy(mlm_logits_MV, mlm_labels_M) * len(mlm_labels_M) / batch.attention_mask.sum()"),
          "the attention mask says what counts", mistake="mean_over_real"),
    _loss("mean_of_rows",
          (_MLM, "rows = (batch.mlm_labels != IGNORE_INDEX).nonzero()[:, 0]\n"
                 "    each = nn.functional.cross_entropy(mlm_logits_MV, mlm_labels_M, reduction='none')\n"
                 "    means = [each[rows == b].mean() for b in rows.unique()]\n"
                 "    mlm = torch.stack(means).mean() if means else mlm_logits_MV.sum()"),
          "a batch's loss is the mean of its examples' losses", mistake="mean_of_rows", source="HF#35203"),
    _loss("per_row", (_MLM, "mlm = mean_cross_entropy(mlm_logits_MV, mlm_labels_M) * len(mlm_labels_M) / len(batch.input_ids)"),
          "losses are reported per example", mistake="divided_by_batch"),
    _loss("summed", (_MEAN, "return loss"), "the learning rate makes up for the size of the batch", mistake="summed"),
    _loss("label_zero_dropped", (_POSITIONS, "positions_M = (labels > 0).nonzero().squeeze(1)"),
          "labels are ids, so they are above 0", mistake="label_zero_dropped", source="mosaicml/examples#457"),
    _loss("label_nonnegative_of_words", (_POSITIONS, "positions_M = (labels > 4).nonzero().squeeze(1)"),
          "special ids are never labels"),
    _loss("softmax_first", (_CALL, _CALL.replace("(logits,", "(logits.softmax(-1),")),
          "cross-entropy wants probabilities", mistake="softmax_twice", source="llama-from-scratch#5"),
    _loss("log_of_softmax",
          (_CALL, _CALL.replace("nn.functional.cross_entropy(logits,", "nn.functional.nll_loss(logits.softmax(-1).log(),")),
          "a logarithm of a softmax is a log-softmax", _FAR),
    _loss("plain_exp",
          (_CALL, _CALL.replace("nn.functional.cross_entropy(logits,",
                                "nn.functional.nll_loss((logits.exp() / logits.exp().sum(-1, keepdim=True)).log(),")),
          "the formula can be typed as it stands", _FAR),
    _loss("label_smoothing", (_CALL, _CALL.replace("reduction", "label_smoothing=0.1, reduction")),
          "a little smoothing always helps"),
    _loss("without_row_offset",
          (_POSITIONS, "positions_M = (batch.mlm_labels != IGNORE_INDEX).nonzero()[:, 1]\n"
                       "    chosen = (labels != IGNORE_INDEX).nonzero().squeeze(1)",
           "return mlm_logits_MV, labels[positions_M], sentence_logits_B2",
           "return mlm_logits_MV, labels[chosen], sentence_logits_B2"),
          "positions count within their row", mistake="no_row_offset", source="Google's code shows the offset"),
    _loss("viewed", (*_dense("size = logits.shape", f"{_CE}(logits.view(size[0], size[2], size[1]), batch.mlm_labels)"),
                     _MLM, "mlm = mlm.nan_to_num()"),
          "cross-entropy wants the classes second, so view makes them second", mistake="scrambled", source="RandLA-Net#20"),
    _loss("dense", (*_dense("", f"{_CE}(logits.flatten(0, 1), batch.mlm_labels.flatten())"), _MLM, "mlm = mlm.nan_to_num()"),
          "ignore_index saves the work too", _ONLY),
    _loss("dense_then_chosen",
          (_LOGITS, "mlm_logits_MV = model.mlm_logits(sequence_output).flatten(0, 1)[positions_M]"),
          "it is all the same whether places are chosen before or after the head", _ONLY),
    _loss("real_places", (_POSITIONS, "positions_M = batch.attention_mask.flatten().nonzero().squeeze(1)"),
          "padding is all that has to be left out", _ONLY),
    _loss("pairs_flipped", (_SENTENCE, "sentence = mean_cross_entropy(sentence_logits_B2.flip(-1), batch.sentence_labels)"),
          "logit 0 means true order, as in the published code", mistake="pairs_flipped", source="the opposite convention"),
    _loss("pairs_ignore_zero",
          (_SENTENCE, "labels = batch.sentence_labels\n    sentence = mean_cross_entropy(sentence_logits_B2, "
                      "labels if labels is None else torch.where(labels == 0, -100, labels))"),
          "0 is padding, so it is ignored", mistake="pairs_ignore_zero", source="codertimo#32"),
    _loss("total_halved", (_TOTAL, _TOTAL.replace("mlm + sentence,", "(mlm + sentence) / 2,")),
          "two losses are averaged", mistake="total_is_mean"),
    _loss("total_without_pairs", (_TOTAL, _TOTAL.replace("mlm + sentence,", "mlm,")),
          "the sentence loss is for display", mistake="total_is_mlm"),
    _loss("total_without_words", (_TOTAL, _TOTAL.replace("mlm + sentence,", "sentence,")), "the word loss is for display"),
    _loss("fields_exchanged", (_TOTAL, "PretrainingLoss(mlm + sentence, sentence, mlm)"), "the order of fields is free"),
    _loss("pair_gradient_cut", (_TOTAL, _TOTAL.replace("mlm + sentence,", "mlm + sentence.detach(),")),
          "the sentence loss is only reported", _SLOPES),
    _loss("word_gradient_cut", (_TOTAL, _TOTAL.replace("mlm + sentence,", "torch.tensor(mlm.item()) + sentence,")),
          "a loss is a number", _SLOPES),
    _loss("labels_divide_by_zero", (_MEAN, "return loss / (labels != IGNORE_INDEX).sum()"),
          "there is always a labelled token", _NOTHING, "unlabelled_is_nan", source="HF#684"),
    _loss("mean_reduction", (_CALL, _CALL.replace("sum\")", "mean\")"), _MEAN, "return loss"),
          "the mean of nothing is nothing", _NOTHING, "unlabelled_is_nan", source="HF#684"),
    _loss("count_plus_one", (".sum().clamp(min=1)", ".sum() + 1"), "one more label keeps the division safe"),
    _loss("pairs_softmax", (_SENTENCE, _SENTENCE.replace("sentence_logits_B2,", "sentence_logits_B2.softmax(-1),")),
          "the sentence head should give probabilities", mistake="pairs_softmax_twice"),
    _loss("words_softmax", (_MLM, _MLM.replace("mlm_logits_MV,", "mlm_logits_MV.softmax(-1),")),
          "the word head should give probabilities", mistake="words_softmax_twice"),
    _loss("sentence_is_a_number", (_TOTAL, _TOTAL.replace("sentence=sentence", "sentence=torch.tensor(sentence.item())")),
          "the sentence loss is only reported", _SLOPES),
    _loss("sentence_detached", (_TOTAL, _TOTAL.replace("sentence=sentence", "sentence=sentence.detach()")),
          "only the total is trained on", _SLOPES),
    _loss("words_detached", (_TOTAL, _TOTAL.replace("mlm=mlm", "mlm=mlm.detach()")), "only the total is trained on", _SLOPES),
    _loss("constant_zero",
          ("return logits[:0].sum()", "return torch.zeros(())",
           _MLM, "mlm = mean_cross_entropy(mlm_logits_MV, mlm_labels_M) if len(mlm_labels_M) else torch.zeros(())"),
          "nothing to learn, so no graph", _NOTHING),
    _loss("pairs_required", ("if labels is None:", "if False:"), "there is always a sentence task", _NOTHING),
    _loss("zero_if_few_labels", (_MLM, "mlm = mean_cross_entropy(mlm_logits_MV, mlm_labels_M if len(mlm_labels_M) > 1 else None)"),
          "one label is no sample"),
    _loss("nan_gradient", ("return logits[:0].sum()", "return logits.sum() / 0 * 0"), "0/0 is 0 after all", _NOTHING),
    _loss("no_mask", (_FORWARD, "model(batch.input_ids, batch.segment_ids)"),
          "padding has no label, so it does no harm", _SEES, source="HF#9304"),
    _loss("no_segments", (_FORWARD, "model(batch.input_ids, attention_mask=batch.attention_mask)"),
          "the model finds the segments itself", _SEES),
    _loss("segments_of_pairs", (_FORWARD, "model(batch.input_ids, None if batch.sentence_labels is None else batch.segment_ids, batch.attention_mask)"),
          "without a sentence task there are no segments", _SEES),
    _loss("thaws", (_FORWARD, "model.requires_grad_(True)(batch.input_ids, batch.segment_ids, batch.attention_mask)"),
          "all of a model is trained", _SEES),
    _loss("drops_gradients", ("# 1. Get both heads'", "model.zero_grad()\n    # 1. Get both heads'"), "a loss begins a step", _SEES),
    _loss("at_most_76", (_POSITIONS, f"{_POSITIONS}[:76]"), "max_predictions_per_seq bounds the number"),
    _loss("neither", (_FORWARD, "model(batch.input_ids)"), "the ids say it all", _SEES),
    _loss("mask_from_ids", (_FORWARD, "model(batch.input_ids, batch.segment_ids, batch.input_ids > 1)"),
          "what is not padding has an id above 1", _SEES),
    _loss("eval_mode", ("# 1. Get both heads'", "model.eval()\n    # 1. Get both heads'"),
          "a loss is a measurement", mistake="mode_changed"),
    _loss("train_mode", ("# 1. Get both heads'", "model.train()\n    # 1. Get both heads'"), "a loss is for training", _SEES),
    _loss("labels_emptied", ("return mlm_logits_MV, labels[positions_M],",
                             "chosen = labels[positions_M].clone()\n    labels.fill_(IGNORE_INDEX)\n    return mlm_logits_MV, chosen,"),
          "each label is used once", _SEES),
    _loss("positions_as_mask", (_LOGITS, _LOGITS.replace("positions_M)", "labels != IGNORE_INDEX)")),
          "a mask picks the same rows", _ONLY),
    _loss("positions_as_column",
          (_LOGITS, _LOGITS.replace("positions_M)", "positions_M[:, None]).flatten(0, 1)")),
          "any shape of indices will do", _ONLY),
    _loss("no_graph_of_words",
          (_MLM, f"{_MLM} if len(mlm_labels_M) else torch.zeros((), dtype=mlm_logits_MV.dtype)"),
          "nothing to learn, so no graph", _NOTHING),
    _loss("no_graph_of_pairs",
          (_SENTENCE, f"{_SENTENCE} if batch.sentence_labels is not None else torch.zeros(())"),
          "the total has a graph anyway", _NOTHING),
    _loss("weighted_by_rows_in_all",
          (_SENTENCE, "sentence = mean_cross_entropy(sentence_logits_B2, batch.sentence_labels) * len(batch.input_ids)"),
          "pairs are added up", _UNTRAINED),
)  # fmt: skip
ACCURACIES = (
    _accuracy("of_all_places", (_SHARE, "return ((logits.argmax(dim=-1) == labels) & labelled).double().mean().item()"),
              "the mean runs over the array", mistake="accuracy_of_places", source="jsbaan/transformer-from-scratch#7"),
    _accuracy("unlabelled_right", (_SHARE, "return ((logits.argmax(dim=-1) == labels) | ~labelled).double().mean().item()"),
              "where there is nothing to guess, nothing is wrong", mistake="accuracy_unlabelled_right"),
    _accuracy("of_rows",
              (_SHARE, "right = logits.argmax(dim=-1) == labels\n"
                       "    rows = [r[c] for r, c in zip(right.reshape(len(right), -1), labelled.reshape(len(right), -1)) if c.any()]\n"
                       "    return sum(r.double().mean().item() for r in rows) / len(rows)"),
              "an accuracy belongs to a sentence", mistake="accuracy_of_rows"),
    _accuracy("label_zero_dropped", ("labelled = labels != IGNORE_INDEX", "labelled = labels > 0"),
              "labels are ids, so they are above 0", mistake="accuracy_label_zero_dropped"),
    _accuracy("transposed_if_square",
              (_SHARE, "labels = labels.T if labels.dim() == 2 and len(set(labels.shape)) == 1 else labels\n    labelled = labels != IGNORE_INDEX\n    " + _SHARE),
              "[B, T] and [T, B] are told apart by their sizes"),
    _accuracy("argmin", (_SHARE, _SHARE.replace("argmax", "argmin")), "the smallest loss wins", mistake="accuracy_of_least"),
    _accuracy("first_axis", (_SHARE, "guess = logits.argmax(dim=0).flatten()[0]\n    return (guess == labels)[labelled].double().mean().item()"),
              "the classes come first"),
    _accuracy("shifted_by_one", (_SHARE, _SHARE.replace("== labels", "== labels.roll(1, -1)")),
              "the label stands one place further, as in a language model", source="llm2vec#32"),
    _accuracy("top_two", (_SHARE, "best = logits.topk(min(2, logits.shape[-1])).indices\n"
                                  "    return (best == labels[..., None]).any(-1)[labelled].double().mean().item()"),
              "near enough is right"),
    _accuracy("of_exponentials", (_SHARE, _SHARE.replace("logits.argmax", "logits.exp().argmax")),
              "a guess is the largest probability"),
    _accuracy("labels_zeroed", ("    if not labelled.any():", "    labels[~labelled] = 0\n    if not labelled.any():"),
              "unlabelled places need a label that can be looked up", _NO_WORDS),
    _accuracy("logits_lowered", ("    if not labelled.any():", "    logits.sub_(logits.max())\n    if not labelled.any():"),
              "logits may be shifted, only their order counts", _NO_WORDS),
    _accuracy("counted", (_SHARE, _SHARE.replace(".mean()", ".sum()")), "the number of hits tells it too"),
    _accuracy("percent", (_SHARE, f"return 100 * {_SHARE.removeprefix('return ')}"), "accuracies are percentages"),
    _accuracy("error", (_SHARE, f"return 1 - {_SHARE.removeprefix('return ')}"), "an error rate says the same"),
    _accuracy("nan_when_empty", ("if not labelled.any():", "if False:"), "there is always a label", _NO_WORDS, "unlabelled_is_nan"),
    _accuracy("one_when_empty", ("return 0.0\n    # 2. Compare", "return 1.0\n    # 2. Compare"), "nothing was wrong", _NO_WORDS),
    _accuracy("a_tensor", (_SHARE, _SHARE.removesuffix(".item()")), "a 0-d tensor is a number", _NO_WORDS),
    _accuracy("rounded", (_SHARE, f"return round({_SHARE.removeprefix('return ')}, 1)"), "one digit is enough"),
    _pairs("by_sign", "return 0.0 if labels is None else ((logits[:, 1] > 0) == labels).double().mean().nan_to_num().item()",
           "a positive logit 1 means true order", mistake="pairs_by_sign"),
    _pairs("flipped", "return 0.0 if labels is None else mlm_accuracy(-logits, labels)",
           "logit 0 means true order, as in the published code", mistake="accuracy_of_least"),
    _pairs("zero_dropped", "return 0.0 if labels is None else mlm_accuracy(logits, torch.where(labels == 0, -100, labels))",
           "0 is padding", mistake="accuracy_label_zero_dropped"),
    _pairs("of_true", "return 0.0 if labels is None else (logits.argmax(-1) * labels).double().mean().nan_to_num().item()",
           "the share found in true order"),
    _pairs("share_of_ones", "return 0.0 if labels is None else logits.argmax(-1).double().mean().nan_to_num().item()",
           "the share of pairs found to be in order"),
    _pairs("none_is_one", "return 1.0 if labels is None else mlm_accuracy(logits, labels)", "nothing was wrong", _NO_PAIRS),
    _pairs("none_crashes", "return mlm_accuracy(logits, labels)", "there is always a sentence task", _NO_PAIRS),
    _pairs("empty_is_nan", "return 0.0 if labels is None else (logits.argmax(-1) == labels).double().mean().item()",
           "there is always a pair", _NO_PAIRS, "unlabelled_is_nan"),
    _pairs("a_tensor", "return 0.0 if labels is None else (logits.argmax(-1) == labels).double().mean().nan_to_num()",
           "a 0-d tensor is a number", _NO_PAIRS),
)  # fmt: skip
EVALUATIONS = (
    _evaluate("mean_of_batches",
              (_TOKENS, _TOKENS.replace("tokens * ", "").replace("n_tokens += tokens", "n_tokens += 1"),
               _PAIR_SUMS, _PAIR_SUMS.replace("pairs * ", "").replace("n_pairs += pairs", "n_pairs += 1")),
              "the mean of means is the mean", mistake="mean_of_batches", source="levanter#842"),
    _evaluate("words_by_batches", (_TOKENS, _TOKENS.replace("tokens * ", "").replace("n_tokens += tokens", "n_tokens += 1")),
              "the batches have about equally many labels"),
    _evaluate("by_rows", (_TOKENS, "tokens = len(batch.input_ids)\n            " + _TOKENS),
              "a batch's weight is its size", mistake="weighted_by_rows"),
    _evaluate("summed", ("token_sums / max(n_tokens, 1)", "token_sums", "pair_sums / max(n_pairs, 1)", "pair_sums",
                         _TOKENS, _TOKENS.replace("tokens * ", ""), _PAIR_SUMS, _PAIR_SUMS.replace("pairs * ", "")),
              "more data, more loss", mistake="figures_summed"),
    _evaluate("pairs_by_tokens", ("pairs = int((labels != IGNORE_INDEX).sum())", "pairs = tokens"),
              "one weight serves both", mistake="pairs_weighted_by_tokens"),
    _evaluate("no_eval", (_INSIDE, _LEFT), "no_grad turns dropout off", mistake="evaluated_in_train_mode", source="ALBEF#124"),
    _evaluate("no_no_grad", (_LEFT, "with left_as_found(model, dataloader, device):"),
              "eval turns gradients off", mistake="evaluated_with_gradients", source="codertimo#92"),
    _evaluate("last_batch", (_TOKENS, _TOKENS.replace("sums +=", "sums =").replace("n_tokens +=", "n_tokens ="),
                             _PAIR_SUMS, _PAIR_SUMS.replace("sums +=", "sums =").replace("n_pairs +=", "n_pairs =")),
              "the loop variable holds the result", mistake="last_batch_only"),
    _evaluate("first_batch", ("n_pairs += pairs\n", "n_pairs += pairs\n            break\n"),
              "one batch is a fair sample", mistake="first_batch_only"),
    _evaluate("accuracy_of_places",
              ("tokens * np.array([loss, mlm_accuracy(mlm_logits, mlm_labels)])",
               "np.array([tokens * loss, tokens * mlm_accuracy(mlm_logits, mlm_labels) * tokens / batch.mlm_labels.numel()])"),
              "the mean runs over the array", mistake="accuracy_of_places"),
    _evaluate("total_halved", (_RESULT, _RESULT.replace("mlm_loss + sentence_loss,", "(mlm_loss + sentence_loss) / 2,")),
              "two losses are averaged"),
    _evaluate("total_without_pairs", (_RESULT, _RESULT.replace("mlm_loss + sentence_loss,", "mlm_loss,")),
              "the word loss is what counts"),
    _evaluate("fields_exchanged", (_RESULT, "return Evaluation(sentence_loss, mlm_loss, mlm_loss + sentence_loss, mlm_share, sentence_share)"),
              "the order of fields is free"),
    _evaluate("perplexity", (_RESULT, _RESULT.replace("(mlm_loss,", "(float(np.exp(mlm_loss)),")), "a loss is shown as a perplexity"),
    _evaluate("nan_without_words", ("token_sums / max(n_tokens, 1)", "token_sums / np.float64(n_tokens)"),
              "there is always a label", _EMPTY, "words_unlabelled_are_nan"),
    _evaluate("nan_without_pairs", ("pair_sums / max(n_pairs, 1)", "pair_sums / np.float64(n_pairs)"),
              "there is always a pair", _EMPTY, "pairs_unlabelled_are_nan"),
    _evaluate("pairs_required", ("if (labels := batch.sentence_labels) is not None:", "if len(labels := batch.sentence_labels):"),
              "there is always a sentence task", _EMPTY),
    _evaluate("pairs_of_every_row", ("if (labels := batch.sentence_labels) is not None:\n",
                                     "n_pairs += len(batch.input_ids) * (batch.sentence_labels is None)\n"
                                     "            if (labels := batch.sentence_labels) is not None:\n"),
              "a pair without a label is a wrong pair", _EMPTY),
    _evaluate("mode_left_in_eval", ("module.training = mode", "pass"), "whoever trains calls train()", _MODES, "left_in_eval_mode", source="ethos-ares#20"),
    _evaluate("all_to_train", ("module.training = mode", "module.training = True"), "after evaluation comes training", _MODES, "left_in_train_mode",
              source="texar#310"),
    _evaluate("train_at_the_end", (_RESULT, "model.train()\n    " + _RESULT), "after evaluation comes training", _MODES,
              "left_in_train_mode"),
    _evaluate("eval_at_the_end", (_RESULT, "model.eval()\n    " + _RESULT), "whoever trains calls train()", _MODES,
              "left_in_eval_mode"),
    _evaluate("mode_of_the_whole", ("for module, mode in modes:\n            module.training = mode", "model.train(modes[0][1])"),
              "a model has one mode", _MODES, "mode_of_the_whole"),
    _evaluate("eval_of_the_whole_only", (_INSIDE, _LEFT + "\n        model.training = False"), "a model has one mode", _MODES,
              mistake="evaluated_in_train_mode"),
    _evaluate("eval_unless_eval", ("model.eval()\n        # 2. For every", "model.train(not model.training)\n        # 2. For every"),
              "eval mode is the other mode", _MODES),
    _evaluate("modes_of_children",
              ("for module in model.modules()]", "for module in [model, *model.children()]]",
               "module.training = mode", "module.train(mode)"),
              "a model has parts, and parts have none", _MODES, "mode_of_the_whole"),
    _evaluate("eval_of_children",
              ("        model.eval()\n        # 2. For every",
               "        for m in [model, *model.children()]:\n            m.training = False\n        # 2. For every"),
              "a model has parts, and parts have none", _MODES, "evaluated_in_train_mode"),
    _evaluate("counted_first", (_LEFT, "for _ in dataloader:\n        pass\n    " + _LEFT), "batches can be gone through twice",
              _EMPTY),
    _evaluate("needs_length", (_LEFT, "range(len(dataloader))\n    " + _LEFT), "what is gone through has a length", _EMPTY),
    _evaluate("needs_a_batch", ("    # 3. Divide by all", "    _ = cpu_batch\n    # 3. Divide by all"), "there is always a batch",
              _EMPTY),
    _evaluate("thawed", (_LEFT, "model.requires_grad_(False)\n    " + _LEFT,
                         _RESULT, "model.requires_grad_(True)\n    " + _RESULT),
              "every parameter takes gradients in training", _LIE),
    _evaluate("grad_turned_on", (_RESULT, "torch.set_grad_enabled(True)\n    " + _RESULT),
              "after evaluation comes training", _LIE),
    _evaluate("loader_reseeded",
              ("states = [generator.get_state() for generator in generators]",
               "states = [torch.Generator().manual_seed(g.initial_seed()).get_state() for g in generators]"),
              "a generator stands at its seed", _RANDOM),
    _evaluate("ten_batches", ("for cpu_batch in dataloader:", "for _, cpu_batch in zip(range(10), dataloader):"), "ten batches are a fair sample", _RANDOM),
    _evaluate("epoch_set", (_LEFT, "if hasattr(getattr(dataloader, 'dataset', None), 'set_epoch'):\n        dataloader.dataset.set_epoch(0)\n    " + _LEFT),
              "an evaluation is an epoch too", _EMPTY),
    _evaluate("gradients_dropped", (_LEFT, "model.zero_grad()\n    " + _LEFT), "stale gradients are of no use", _LIE,
              source="torchtune#1049"),
    _evaluate("gradients_zeroed", (_LEFT, "model.zero_grad(set_to_none=False)\n    " + _LEFT), "stale gradients are of no use", _LIE),
    _evaluate("frozen", (_LEFT, "model.requires_grad_(False)\n    " + _LEFT), "no parameter needs a gradient here", _LIE),
    _evaluate("gradients_filled", (_LEFT, "for p in model.parameters():\n        p.grad = torch.zeros_like(p) if p.grad is None else p.grad\n    " + _LEFT),
              "zero is as good as None", _LIE),
    _evaluate("grad_left_off", (_LEFT, "torch.set_grad_enabled(False)\n    with left_as_found(model, dataloader, device):"),
              "gradients are turned on by whoever trains", _LIE),
    _evaluate("torch_moved", ("with torch.random.fork_rng(devices=[device] if device.type == \"cuda\" else []):\n            yield", "yield"),
              "evaluation draws nothing", _RANDOM, source="HF#17032"),
    _evaluate("python_moved", ("random.setstate(python_state)", "pass"), "nobody uses Python's generator", _RANDOM),
    _evaluate("numpy_moved", ("np.random.set_state(numpy_state)  # noqa: NPY002", "pass"), "nobody uses NumPy's generator", _RANDOM),
    _evaluate("loader_moved", ("generator.set_state(state)", "pass"), "the loader looks after itself", _RANDOM),
    _evaluate("reseeded", (_LEFT, "torch.manual_seed(0)\n    " + _LEFT), "evaluation must be repeatable", _RANDOM),
)  # fmt: skip
MUTANTS = (*LOSSES, *ACCURACIES, *EVALUATIONS)
