"""Mutants of lesson 15."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Mutant

_ROW = "test_each_preset_has_the_sizes_of_its_row"
_PRESET = "test_a_vocabulary_is_passed_on_and_an_unknown_preset_refused"
_NAME = "test_each_name_gets_its_model_its_task_and_its_count"
_PLAN = "test_the_plan_is_one_for_all_and_carried_out"
_START = "test_every_model_starts_from_the_seed_and_leaves_no_trace"
_DATA = "test_training_documents_train_and_held_out_documents_score"
_NEGATIVES = "test_negatives_come_from_where_the_task_wants_them"
_OWN = "test_your_own_pieces_are_compared"
_COUNTS = "test_the_counts_stand_in_the_table"
_SCORES = "test_the_scores_are_those_of_the_last_evaluation"
_CURVES = "test_every_loss_has_its_curve_in_its_panel"
_TOLD = "test_curves_are_told_apart_and_named"
_LINES = "test_losses_stand_over_their_steps_and_beside_their_lines"
_ORDER = "test_whatever_differs_is_told_in_the_tables_order"
_COMPARED = "test_what_is_compared_is_no_fault"
_SILENCE = "test_silence_and_early_stops_count"
_RECORDED = "test_recorded_runs_are_understood"
_SETTING = "test_the_setting_of_a_run_is_read"
_END = "test_the_end_of_a_run_is_read_against_its_lines"
_UPPER = "test_of_two_signatures_the_upper_is_the_cause"


def _mutant(
    exercise: str,
    id: str,
    old: str,
    new: str,
    misconception: str,
    killed_by: str,
    mistake: str = "",
    source: str = "",
) -> Mutant:
    named = f"capstone.{mistake}" if mistake else None
    return Mutant(id, exercise, Edit(swap=((old, new),)), misconception, killed_by, named, source)


def _configs(
    id: str, old: str, new: str, misconception: str, killed_by: str = _ROW, mistake: str = ""
) -> Mutant:
    return _mutant("configurations", f"configurations_{id}", old, new, misconception, killed_by, mistake)


def _compare(
    id: str, old: str, new: str, misconception: str, killed_by: str, mistake: str = "", source: str = ""
) -> Mutant:
    return _mutant("compare", f"compare_{id}", old, new, misconception, killed_by, mistake, source)


def _table(
    id: str, old: str, new: str, misconception: str, killed_by: str = _SCORES, mistake: str = ""
) -> Mutant:
    return _mutant("summary_table", f"table_{id}", old, new, misconception, killed_by, mistake)


def _plot(id: str, old: str, new: str, misconception: str, killed_by: str) -> Mutant:
    return _mutant("plot_losses", f"plot_{id}", old, new, misconception, killed_by)


def _unfair(
    id: str,
    old: str,
    new: str,
    misconception: str,
    killed_by: str = _ORDER,
    mistake: str = "",
    source: str = "",
) -> Mutant:
    return _mutant("unfair", f"unfair_{id}", old, new, misconception, killed_by, mistake, source)


def _diagnose(
    id: str, old: str, new: str, misconception: str, killed_by: str = _END, mistake: str = ""
) -> Mutant:
    return _mutant("diagnose", f"diagnose_{id}", old, new, misconception, killed_by, mistake)


def _leaves_out(id: str, name: str, condition: str, killed_by: str) -> Mutant:
    old = f'    if {condition}:\n        return "{name}"\n'
    return _diagnose(f"no_{id}", old, "", f"{name} needs no rule of its own", killed_by, f"no_{id}")


def _sooner(id: str, name: str, condition: str) -> Mutant:
    start = '    if history.train_mlm[0] > 1.5 * lines["ln V"]:'
    old, new = start, f'    if {condition}:\n        return "{name}"\n{start}'
    return _diagnose(
        f"{id}_sooner", old, new, f"{name} is plain enough to be told first", _UPPER, f"{id}_sooner"
    )


_ALBERT = 'replace(bert, d_embedding=d_embedding, sharing="all")'
_BERT = "bert = ModelConfig(vocab_size=vocab_size, **sizes)"
_SEEDED = "        with torch.random.fork_rng():\n            torch.manual_seed(seed)\n            model = model_class(config)\n"
_HELD_OUT = "held_out = engine.held_out_set(held_out_documents, max_len, seed)"
_PLAN_CALL = (
    "engine.Plan(steps=steps, batch_size=batch_size, lr=lr, max_len=max_len, seed=seed, device=device)"
)
_DATASET = "dataset_class(train_documents, config.vocab_size, max_len, seed, same_place=True)"
_TRAIN = 'panel.plot(run.steps, getattr(run.history, loss), color=f"C{k}", label=f"{name}, training")'
_HELD = 'panel.plot(run.steps, held_out, "--", color=f"C{k}", label=f"{name}, held-out")'
_MISSING = "None in sides or sides[0] != sides[1]"
_DROPOUT = "history.held_out_mlm != history.held_out_again"
_EVERYWHERE = 'history.train_mlm[-1] < lines["floor"] - 0.1'
_FROZEN = 'min(history.moved["mlm_head"], history.moved["sentence_head"]) == 0'
_SWAPPED = "history.sentence_accuracy[-1] < 0.35"
_UNIGRAM = 'held_out > lines["unigram"] - 0.2'
_SLOT = 'held_out > lines["slot-unigram"] - 0.1'

MUTANTS = (
    _configs("both_narrow", _BERT, "bert = ModelConfig(vocab_size=vocab_size, d_embedding=d_embedding, **sizes)", "E belongs to the preset", mistake="both_narrow"),
    _configs("none_narrow", _ALBERT, 'replace(bert, sharing="all")', "sharing is what makes an ALBERT", mistake="none_narrow"),
    _configs("nothing_shared", _ALBERT, "replace(bert, d_embedding=d_embedding)", "the narrow table is what makes an ALBERT", mistake="nothing_shared"),
    _configs("both_shared", _BERT, 'bert = ModelConfig(vocab_size=vocab_size, sharing="all", **sizes)', "alike means alike in sharing", mistake="both_shared"),
    _configs("default_start", "d_embedding, sizes = presets[preset]", 'd_embedding, sizes = presets[preset]\n    sizes = {**sizes, "init_std": 0.02}', "0.02 is what BERT uses", mistake="default_start"),
    _configs("default_activation", '{"dropout": 0.0, "activation": "gelu_tanh"}', '{"dropout": 0.0}', "GELU is GELU", mistake="default_activation"),
    _configs("default_dropout", '{"dropout": 0.0, "activation": "gelu_tanh"}', '{"activation": "gelu_tanh"}', "a model has dropout", mistake="default_dropout"),
    _configs("default_max_len", '"max_len": 128, ', '"max_len": 64, ', "64 tokens are enough", mistake="default_max_len"),
    _configs("no_dropout", '"n_layers": 4, "dropout": 0.1', '"n_layers": 4, "dropout": 0.0', "no preset has dropout"),
    _configs("four_heads", '"n_heads": 8', '"n_heads": 4', "four heads are the default"),
    _configs("gpu_narrow", "            128,\n            {**large", "            64,\n            {**large", "ALBERT's E is 64"),
    _configs("quick_for_unknown", "        raise ValueError(f\"preset: got {preset!r}, expected one of {', '.join(presets)}\")", '        preset = "quick"', "an unknown preset gets the first", _PRESET),
    _configs("key_error", "    if preset not in presets:\n        raise ValueError(f\"preset: got {preset!r}, expected one of {', '.join(presets)}\")\n", "", "the dictionary complains by itself", _PRESET),
    _configs("silent_refusal", "f\"preset: got {preset!r}, expected one of {', '.join(presets)}\"", '"unknown preset"', "who mistypes will find the names in the text", _PRESET),
    _configs("fixed_vocabulary", _BERT, 'bert = ModelConfig(vocab_size=30_000 if preset == "gpu" else vocab_size, **sizes)', "a preset has its vocabulary", _PRESET),
    _configs("albert_first", '{"BERT": bert, "ALBERT": ' + _ALBERT + "}", '{"ALBERT": ' + _ALBERT + ', "BERT": bert}', "the order of keys does not matter"),
    _compare("seeded_once", _SEEDED, "        if not runs:\n            torch.manual_seed(seed)\n        model = model_class(config)\n", "a seed at the start is enough", _START, "one_start"),
    _compare("not_seeded", _SEEDED, "        model = model_class(config)\n", "the engine has the seed", _START, "one_start", "MosaicBERT: runs differ by seed"),
    _compare("forked_not_seeded", "            torch.manual_seed(seed)\n", "", "a fork starts anew", _START),
    _compare("not_forked", _SEEDED, "        torch.manual_seed(seed)\n        model = model_class(config)\n", "seeding leaves nothing behind", _START),
    _compare("fixed_seed", "torch.manual_seed(seed)", "torch.manual_seed(0)", "any fixed seed makes starts equal", _START),
    _compare("dataset_unseeded", _DATASET, _DATASET.replace("max_len, seed,", "max_len, 0,"), "the datasets have a seed of their own", _START),
    _compare("random_place", ", same_place=True", "", "a random negative comes from a random place", _NEGATIVES, "random_place"),
    _compare("bert_dataset_for_all", "(ALBERTDataset, ALBERTModel) if albert", "(BERTDataset, ALBERTModel) if albert", "pairs are pairs", _NEGATIVES),
    _compare("albert_dataset_for_all", "else (BERTDataset, BERTModel)", "else (ALBERTDataset, BERTModel)", "equal terms means equal pairs", _NEGATIVES),
    _compare("albert_model_for_all", "else (BERTDataset, BERTModel)", "else (BERTDataset, ALBERTModel)", "the configuration decides what is shared", _NAME),
    _compare("nsp_for_all", 'task="sop" if albert else "nsp"', 'task="nsp"', "models are compared on one task", _NAME, "nsp_for_all"),
    _compare("sop_for_all", 'task="sop" if albert else "nsp"', 'task="sop"', "order is the harder task", _NAME, "sop_for_all"),
    _compare("anywhere_in_name", 'name.startswith("ALBERT")', '"ALBERT" in name', "a name that mentions ALBERT is one", _NAME, "anywhere_in_name"),
    _compare("exact_name", 'name.startswith("ALBERT")', 'name == "ALBERT"', "there is one ALBERT", _NAME),
    _compare("any_case", 'name.startswith("ALBERT")', 'name.upper().startswith("ALBERT")', "names are told without case", _NAME),
    _compare("by_sharing", 'albert = name.startswith("ALBERT")', 'albert = config.sharing != "none"', "what shares is an ALBERT", _NAME),
    _compare("projection_everywhere", "factorized=albert", "factorized=True", "a table is a table", _NAME, "projection_everywhere"),
    _compare("count_by_width", "factorized=albert", "factorized=config.d_embedding != config.d_model", "a table that is not narrow needs no projection", _NAME),
    _compare("count_by_sharing", "factorized=albert", 'factorized=config.sharing != "none"', "what shares has a projection", _NAME),
    _compare("count_by_full_sharing", "factorized=albert", 'factorized=config.sharing == "all"', "what shares all has a projection", _NAME),
    _compare("documents_sorted", "    runs = {}\n    for name, config", "    train_documents.sort(key=len)\n    runs = {}\n    for name, config", "the order of documents is free", _START),
    _compare("sorted_names", "in configs.items():", "in sorted(configs.items()):", "runs come in the order of their names", _NAME),
    _compare("class_as_name", "            name=name,", '            name="ALBERT" if albert else "BERT",', "a run is named after its class", _NAME),
    _compare("set_for_each", "        # 4. Train it.\n", "        held_out = engine.held_out_set(held_out_documents, max_len, seed + len(runs))\n", "every run draws its own evaluation", _DATA, "set_for_each", "XLM#151"),
    _compare("scored_on_training", _HELD_OUT, "held_out = engine.held_out_set(train_documents, max_len, seed)", "the held-out set is for the end", _DATA),
    _compare("trained_on_held_out", _DATASET, _DATASET.replace("train_documents", "held_out_documents"), "documents are documents", _DATA),
    _compare("wrong_fingerprint", "training_data = engine.fingerprint(train_documents)", "training_data = engine.fingerprint(held_out_documents)", "the documents that compare are the held-out ones", _DATA),
    _compare("set_unseeded", _HELD_OUT, _HELD_OUT.replace("seed)", "0)"), "an evaluation set is fixed", _PLAN),
    _compare("set_of_config_length", _HELD_OUT, _HELD_OUT.replace("max_len", "next(iter(configs.values())).max_len"), "the model knows its length", _PLAN),
    _compare("dataset_of_config_length", _DATASET, _DATASET.replace("max_len", "config.max_len"), "the model knows its length", _PLAN),
    _compare("fixed_rate", _PLAN_CALL, _PLAN_CALL.replace("lr=lr", "lr=1e-3"), "1e-3 is a good rate", _PLAN, source="codertimo: lr option ignored"),
    _compare("no_seed_in_plan", _PLAN_CALL, _PLAN_CALL.replace(" seed=seed,", ""), "the model has the seed", _PLAN),
    _compare("no_device", _PLAN_CALL, _PLAN_CALL.replace(", device=device", ""), "the engine finds the device", _PLAN),
    _compare("fixed_batch", _PLAN_CALL, _PLAN_CALL.replace("batch_size=batch_size", "batch_size=4"), "the batch is small here", _PLAN),
    _compare("one_step_more", _PLAN_CALL, _PLAN_CALL.replace("steps=steps", "steps=steps + 1"), "the last step does not count", _PLAN),
    _compare("fixed_length", _PLAN_CALL, _PLAN_CALL.replace("max_len=max_len", "max_len=24"), "the plan's length is for the record", _PLAN),
    _compare("half_steps", "            plan,\n            PIECES,", "            plan if runs else engine.Plan(steps=(steps + 1) // 2, batch_size=batch_size, lr=lr, max_len=max_len, seed=seed, device=device),\n            PIECES,", "BERT learns faster and needs fewer steps", _PLAN),
    _compare("one_dataset", "        dataset_class, model_class = (ALBERTDataset, ALBERTModel) if albert else (BERTDataset, BERTModel)\n        dataset = dataset_class(train_documents, config.vocab_size, max_len, seed, same_place=True)\n", "        model_class = ALBERTModel if albert else BERTModel\n        dataset = ALBERTDataset(train_documents, config.vocab_size, max_len, seed) if not runs else dataset\n", "equal terms means one dataset", _START, "one_dataset"),
    _compare("no_learning", "            model,\n            dataset,", "            model.requires_grad_(len(runs) == 0),\n            dataset,", "only one model is trained", _OWN),
    _table("word_table_only", 'embedding = parameters["total"] - parameters["encoder"] - heads', 'embedding = parameters["word"]', "the embedding is the word table", _COUNTS, "word_table_only"),
    _table("no_projection", 'embedding = parameters["total"] - parameters["encoder"] - heads', 'embedding = sum(parameters[part] for part in ("word", "position", "segment", "embedding_norm"))', "the projection belongs to the encoder", _COUNTS, "no_projection"),
    _table("no_pooler", '("pooler", "mlm_head", "sentence_head")', '("mlm_head", "sentence_head")', "the pooler is no head", _COUNTS),
    _table("heads_without_pooler", '        embedding = parameters["total"] - parameters["encoder"] - heads', '        embedding = parameters["total"] - parameters["encoder"] - heads\n        heads -= parameters["pooler"]', "the pooler is no head, and no embedding", _COUNTS, "no_pooler"),
    _table("total_twice", '(parameters["total"], embedding,', "(sum(parameters.values()), embedding,", "the total is the sum of the table", _COUNTS),
    _table("no_commas", 'f"{n:,}" for n', 'f"{n}" for n', "numbers are numbers", _COUNTS),
    _table("no_commas_at_all", 'counts = [f"{n:,}" for n in (parameters["total"], embedding, parameters["encoder"], heads)]\n        scores = [last.mlm_loss, last.total_loss, last.mlm_accuracy, last.sentence_accuracy]\n        speed = [f"{run.tokens_per_second:,.0f}"', 'counts = [f"{n}" for n in (parameters["total"], embedding, parameters["encoder"], heads)]\n        scores = [last.mlm_loss, last.total_loss, last.mlm_accuracy, last.sentence_accuracy]\n        speed = [f"{run.tokens_per_second:.0f}"', "numbers are numbers", _COUNTS, "no_commas"),
    _table("encoder_and_heads", 'parameters["encoder"], heads)]', 'heads, parameters["encoder"])]', "the order of columns is free", _COUNTS),
    _table("first_run_only", '    return "\\n".join(lines)', '    return "\\n".join(lines[:3])', "one run is a table", _SCORES),
    _table("no_ruler", ', "|" + "---|" * 11]', "]", "a heading is ruler enough", _COUNTS),
    _table("first_evaluation", "run.evaluations[-1]", "run.evaluations[0]", "any evaluation will do", mistake="first_evaluation"),
    _table("best_evaluation", "run.evaluations[-1]", "min(run.evaluations)", "the best evaluation counts"),
    _table("training_losses", "scores = [last.mlm_loss, last.total_loss,", "scores = [run.history.mlm_loss[-1], run.history.total_loss[-1],", "the final loss is the training's", mistake="training_losses"),
    _table("sentence_loss", "last.mlm_loss, last.total_loss,", "last.mlm_loss, last.sentence_loss,", "two losses, two tasks", mistake="sentence_loss"),
    _table("accuracies_exchanged", "last.mlm_accuracy, last.sentence_accuracy", "last.sentence_accuracy, last.mlm_accuracy", "the order of accuracies is free", mistake="accuracies_exchanged"),
    _table("two_decimals", 'f"{score:.3f}"', 'f"{score:.2f}"', "two decimals are enough", mistake="two_decimals"),
    _table("three_digits", 'f"{score:.3f}"', 'f"{score:.3g}"', "three decimals are three digits"),
    _table("percent", "last.mlm_accuracy, last.sentence_accuracy]", "100 * last.mlm_accuracy, 100 * last.sentence_accuracy]", "accuracies are per cents", mistake="percent"),
    _table("tokens_cut", 'f"{run.tokens_per_second:,.0f}"', 'f"{int(run.tokens_per_second):,}"', "int rounds"),
    _table("whole_seconds", 'f"{run.seconds:.1f}"', 'f"{run.seconds:.0f}"', "seconds are whole"),
    _table("seconds_with_commas", 'f"{run.seconds:.1f}"', 'f"{run.seconds:,.1f}"', "commas make numbers readable"),
    _plot("ln_v_among_lines", 'lines = {"ln V": math.log(first.config.vocab_size), **first.settings.get("lines", {})}', 'lines = first.settings.setdefault("lines", {})\n    lines["ln V"] = math.log(first.config.vocab_size)', "ln V is one line more of the run", _CURVES),
    _plot("training_only", f"            {_HELD}\n", "", "the training loss tells all", _CURVES),
    _plot("held_out_only", f"            {_TRAIN}\n", "", "the held-out loss tells all", _CURVES),
    _plot("axis_from_one", "ylim=(0, None)", "ylim=(1, None)", "losses lie above 1", _CURVES),
    _plot("first_run_only", "enumerate(runs.items())", "enumerate(list(runs.items())[:1])", "one run is enough to see", _CURVES),
    _plot("panels_exchanged", '("mlm_loss", "total_loss"), strict', '("total_loss", "mlm_loss"), strict', "the total comes first", _CURVES),
    _plot("one_loss_twice", '("mlm_loss", "total_loss"), strict', '("mlm_loss", "mlm_loss"), strict', "the masked-token loss is the total", _CURVES),
    _plot("sentence_panel", '("mlm_loss", "total_loss"), strict', '("mlm_loss", "sentence_loss"), strict', "two tasks, two panels", _CURVES),
    _plot("suffix_decides", ', format="png", dpi', ", dpi", "a path ends in .png", _CURVES),
    _plot("as_pdf", 'format="png"', 'format="pdf"', "a picture for print is a PDF", _CURVES),
    _plot("all_solid", 'held_out, "--", color', "held_out, color", "colours tell curves apart", _TOLD),
    _plot("no_legend", "        panel.legend(frameon=False)\n", "", "colours explain themselves", _TOLD),
    _plot("unnamed_runs", 'label=f"{name}, training")', 'label="training")', "the order of runs is known", _TOLD),
    _plot("held_out_unnamed", ', label=f"{name}, held-out")', ")", "dashes explain themselves", _TOLD),
    _plot("no_titles", "title=title, ", "", "the label says it", _TOLD),
    _plot("no_axis_label", ', xlabel="step", ylabel="loss in nats"', ', ylabel="loss in nats"', "everyone knows that it is steps", _TOLD),
    _plot("legend_in_one", "        panel.legend(frameon=False)\n", "    panels[0].legend(frameon=False)\n", "one legend serves both panels", _TOLD),
    Mutant("plot_over_entries", "plot_losses", Edit(swap=tuple((x, x.replace("run.steps, ", "range(len(run.steps)), ")) for x in (_TRAIN, _HELD))), "entries are evenly spaced", _LINES),
    _plot("training_over_entries", _TRAIN, _TRAIN.replace("run.steps, ", ""), "a curve needs no x", _LINES),
    _plot("held_out_over_entries", _HELD, _HELD.replace("run.steps, ", ""), "evaluations are evenly spaced", _LINES),
    _plot("no_lines", '**first.settings.get("lines", {})', "**{}", "lines are in the text", _LINES),
    _plot("lines_required", 'first.settings.get("lines", {})', 'first.settings["lines"]', "every run has lines", _CURVES),
    _plot("no_ln_v", '{"ln V": math.log(first.config.vocab_size), **', "{**", "ln V is out of sight", _LINES),
    _plot("ln_d", "math.log(first.config.vocab_size)", "math.log(first.config.d_model)", "any size will do", _LINES),
    Mutant("plot_lines_at_the_right", "plot_losses", Edit(swap=tuple((f"panels[0].{x}(", f"panels[1].{x}(") for x in ("axhline", "annotate"))), "lines belong to the total", _LINES),
    _plot("lines_in_words", '        panels[0].axhline(nats, color="0.6", linewidth=0.8)\n', "", "a name beside the axis is enough", _LINES),
    _unfair("settings_used_up", "run.settings.get(key)", "run.settings.pop(key, None)", "what was compared is done with", _COMPARED),
    _unfair("nearly_as_long", _MISSING, 'None in sides or (abs(sides[0] - sides[1]) > 0.02 * sides[0] if word == "steps" else sides[0] != sides[1])', "two per cent are no difference", _SILENCE),
    _unfair("rates_rounded", "sorted(set(rates))", "sorted({round(rate, 4) for rate in rates})", "four places tell rates apart", _COMPARED),
    _unfair("empty_is_missing", _MISSING, "not all(sides) or sides[0] != sides[1]", "what is empty says nothing", _SILENCE),
    _unfair("missing_twice", _MISSING, "sides[0] != sides[1]", "None equals None", _SILENCE, "missing_twice"),
    _unfair("missing_skipped", _MISSING, "None not in sides and sides[0] != sides[1]", "what is not said is not compared", _SILENCE, "missing_skipped"),
    _unfair("early_unseen", " or early:", ":", "the plan says how long a run was", _SILENCE, "early_unseen", "T-19"),
    _unfair("early_by_length", "run_a.steps[-1:] != run_b.steps[-1:]", "len(run_a.steps) != len(run_b.steps)", "as many entries, as many steps", _SILENCE, "early_by_length"),
    _unfair("early_by_entries", "run_a.steps[-1:] != run_b.steps[-1:]", "run_a.steps != run_b.steps", "entries come at the same steps", _SILENCE),
    _unfair("shorter_only", "run_a.steps[-1:] != run_b.steps[-1:]", "run_a.steps[-1:] > run_b.steps[-1:]", "the second run is the suspect", _ORDER),
    _unfair("early_everywhere", 'word == "steps" and run_a', "run_a", "who stops early is unfair in everything", _ORDER),
    _unfair("rates_in_order", "[sorted(set(rates)) for rates in sides]", "[list(rates) for rates in sides]", "rates are a list", _COMPARED, "rates_in_order"),
    _unfair("rates_repeated", "sorted(set(rates))", "sorted(rates)", "trying twice is twice the help", _COMPARED, "rates_repeated"),
    _unfair("number_of_rates", "sorted(set(rates))", "len(rates)", "as many tries, as much help", _COMPARED, "number_of_rates", "T-19"),
    _unfair("number_of_different_rates", "sorted(set(rates))", "len(set(rates))", "as many tries, as much help", _COMPARED),
    _unfair("best_rate", "sorted(set(rates))", "max(rates)", "the largest rate decides", _ORDER),
    Mutant("unfair_rate_itself", "unfair", Edit(swap=(('"learning rate": "rates_tried"', '"learning rate": "lr"'), ("[sorted(set(rates)) for rates in sides]", "list(sides)"))), "equal terms means an equal rate", _COMPARED, "capstone.rate_itself"),
    _unfair("no_masks", '        "masks": "masks",\n', "", "masks are random anyway", _ORDER, "no_masks"),
    _unfair("no_held_out", '        "evaluation set": "held_out",\n', "", "an evaluation set is an evaluation set", _ORDER, "no_held_out"),
    _unfair("seed_too", '        "masks": "masks",\n', '        "masks": "masks",\n        "seed": "seed",\n', "another seed is another experiment", _COMPARED),
    _unfair("length_of_model", '"sequence length": "max_len"', '"sequence length": "lr"', "the rate stands for the length", _ORDER),
    _unfair("sorted_words", "    return found\n\n\ndef diagnose", "    return sorted(found)\n\n\ndef diagnose", "the order of words is free", _ORDER),
    _unfair("first_only", "    return found\n\n\ndef diagnose", "    return found[:1]\n\n\ndef diagnose", "one fault is enough", _ORDER, "first_only"),
    _unfair("keys_told", "found.append(word)", "found.append(key)", "the key is the word", _ORDER),
    _unfair("training_data_by_prefix", "            sides = [sorted(set(rates)) for rates in sides]", '            sides = [sorted(set(rates)) for rates in sides]\n        if None not in sides and word == "training data":\n            sides = [side[:2] for side in sides]', "two digits of a hash are enough", _ORDER),
    _leaves_out("start", "N(0,1) start", 'history.train_mlm[0] > 1.5 * lines["ln V"]', _SETTING),
    _leaves_out("dropout", "dropout in evaluation", _DROPOUT, _SETTING),
    _leaves_out("floor", "below the floor", 'held_out < lines["floor"] - 0.1', _END),
    _leaves_out("everywhere", "labels everywhere", _EVERYWHERE, _END),
    _leaves_out("frozen", "frozen head", _FROZEN, _RECORDED),
    _leaves_out("swapped", "swapped labels", _SWAPPED, _RECORDED),
    _leaves_out("rate", "rate too high", _UNIGRAM, _RECORDED),
    _leaves_out("plateau", "slot-unigram plateau", _SLOT, _END),
    _sooner("dropout", "dropout in evaluation", _DROPOUT),
    _sooner("everywhere", "labels everywhere", _EVERYWHERE),
    _sooner("frozen", "frozen head", _FROZEN),
    _sooner("swapped", "swapped labels", _SWAPPED),
    _sooner("rate", "rate too high", _UNIGRAM),
    _sooner("plateau", "slot-unigram plateau", _SLOT),
    _diagnose("fixed_lines", "lines, held_out = history.lines, history.held_out_mlm[-1]", 'lines, held_out = {"ln V": 5.02388, "unigram": 3.8652, "slot-unigram": 1.82201, "floor": 0.88686}, history.held_out_mlm[-1]', "the small world's lines are known", _RECORDED, "fixed_lines"),
    _diagnose("fixed_start", 'history.train_mlm[0] > 1.5 * lines["ln V"]', "history.train_mlm[0] > 7.5", "a good start is about 5", _END),
    _diagnose("last_again", _DROPOUT, "history.held_out_mlm[-1] != history.held_out_again[-1]", "the end of the run decides", _SETTING, "last_again"),
    _diagnose("later_again", _DROPOUT, "history.held_out_mlm[1:] != history.held_out_again[1:]", "the start does not count", _SETTING),
    _diagnose("sums_again", _DROPOUT, "sum(history.held_out_mlm) != sum(history.held_out_again)", "equal sums, equal losses", _SETTING),
    _diagnose("either_start", "history.train_mlm[0] >", "max(history.train_mlm[:2]) >", "the first losses are the start", _SETTING),
    _diagnose("sorted_losses", "    # 2. Try the signatures", "    history.held_out_again.sort()\n    history.held_out_mlm.sort()\n    # 2. Try the signatures", "sorted losses compare better", _RECORDED),
    _diagnose("first_again", _DROPOUT, "history.held_out_mlm[0] > history.held_out_again[0]", "dropout makes the first evaluation worse", _SETTING),
    _diagnose("far_again", _DROPOUT, "abs(history.held_out_mlm[0] - history.held_out_again[0]) > 0.05", "two evaluations differ by a little", _SETTING),
    _diagnose("both_frozen", _FROZEN, _FROZEN.replace("min", "max"), "a frozen model has frozen heads", _SETTING, "both_frozen"),
    _diagnose("any_frozen", _FROZEN, "min(history.moved.values()) == 0", "what does not move is frozen", _SETTING, "any_frozen"),
    _diagnose("little_moved", _FROZEN, _FROZEN.replace("== 0", "< 0.2"), "a head moves a lot", _SETTING),
    _diagnose("best_loss", "history.held_out_mlm[-1]\n", "min(history.held_out_mlm)\n", "the best loss is the result", _END, "best_loss"),
    _diagnose("lowest_accuracy", _SWAPPED, "min(history.sentence_accuracy) < 0.35", "an accuracy should never be low", _END, "lowest_accuracy"),
    _diagnose("half_is_swapped", _SWAPPED, "history.sentence_accuracy[-1] < 0.55", "one half is low", _END),
    _diagnose("held_out_start", "history.train_mlm[0] >", "history.held_out_mlm[0] >", "the first evaluation is the start", _END, "held_out_start"),
    _diagnose("training_judged", "history.held_out_mlm[-1]\n", "history.train_mlm[-1]\n", "a loss is a loss", _RECORDED, "training_judged"),
    _diagnose("worst_start", "history.train_mlm[0] >", "max(history.train_mlm) >", "a loss should never be high", _END),
    _diagnose("floor_without_room", 'held_out < lines["floor"] - 0.1', 'held_out < lines["floor"] + 0.04', "the floor is a sharp line", _END),
    _diagnose("plateau_without_room", _SLOT, 'held_out > lines["slot-unigram"] + 0.1', "a plateau lies above the line", _END, "no_plateau"),
    _diagnose("unigram_without_room", _UNIGRAM, 'held_out > lines["unigram"] + 0.2', "a diverged run lies above the line", _RECORDED),
    _diagnose("half_way", _SLOT, 'held_out > lines["floor"] + 0.25 * (lines["slot-unigram"] - lines["floor"])', "a healthy run comes near the floor", _RECORDED),
    _diagnose("ok", 'return "healthy"', 'return "ok"', "words are free", _RECORDED),
)  # fmt: skip
