"""Mutants of lesson 11."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Mutant

_BERT = "test_a_bert_of_hugging_face_gives_the_same_outputs_here"
_ALBERT = "test_an_albert_of_hugging_face_gives_the_same_outputs_here"
_CLASSES = "test_the_sentence_classes_change_places"
_COPIES = "test_tied_copies_may_be_missing_and_must_agree"
_IDS = "test_position_ids_may_be_there_and_must_be_right"
_LISTED = "test_missing_and_unknown_names_are_all_listed"
_FITS = "test_a_checkpoint_that_does_not_fit_the_configuration_is_refused"
_DTYPE = "test_the_model_has_the_checkpoints_dtype_and_its_own_memory"
_NAMES = "test_weights_go_out_under_their_names"
_BACK = "test_the_sentence_classes_change_back"
_WRITTEN = "test_the_decoders_copies_are_written"
_THERE = "test_there_and_back_is_bit_for_bit"
_MEMORY = "test_what_is_written_has_its_own_memory"
_ONLY = "test_only_what_hugging_face_has_can_be_written"
_ASSEMBLY = "test_your_own_models_give_hugging_faces_outputs"

_SWAP = """    for part in ("weight", "bias"):
        weights[f"sentence_head.classifier.{part}"] = weights[f"sentence_head.classifier.{part}"].flip(0)
"""
_COLLECT = "    weights = {ours: state_dict[copies.get(theirs, theirs)] for theirs, ours in names.items()}\n"
_LOAD = "    model.load_state_dict(weights)\n    return model"
_MISSING = "    missing = sorted(names.keys() - state_dict.keys() - copies.keys())"
_UNKNOWN = "    unknown = sorted(state_dict.keys() - names.keys() - {position_ids})"
_LISTS = "f\"{what} {', '.join(which)}\" for what"
_GIVE = 'theirs: weights[ours].flip(0) if ours.startswith("sentence_head.") else weights[ours].clone()'
_STATE = "    weights = model.state_dict()\n"
_AGREES = "        if copy in state_dict and not torch.equal(state_dict[copy], state_dict[original]):"
_SHAPES = "        if weights[name].shape != tensor.shape:"
_TO_DTYPE = '    model.to(weights["embeddings.word.weight"])\n'
_END = "    return model\n\n\ndef to_huggingface"
_TIE = "    model.mlm_head.decoder.weight = torch.nn.Parameter({})\n" + _END
_EQUAL = "not torch.equal(state_dict[copy], state_dict[original]):"
_SAME_IDS = "not torch.equal(state_dict[position_ids].cpu(), expected_ids):"
_RAISE = "    if missing or unknown:\n"
_COMPARE = """    for name, tensor in model.state_dict().items():
        if weights[name].shape != tensor.shape:
            got, expected = tuple(weights[name].shape), tuple(tensor.shape)
            raise ValueError(f"{name}: got shape {got}, expected {expected}")
"""
_ONE_BY_ONE = """    try:
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(weights[name]{})
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    return model"""
_FAMILIES = '    families = {name.split(".")[0] for name in state_dict} & {"bert", "albert"}\n'
_MODEL = "    model = ALBERTModel(config) if family"
_MENDED = '    if family == "bert":\n        config = replace(config, {})\n' + _MODEL
_BIAS = 'weights["sentence_head.classifier.bias"]'


def _from(
    id: str, old: str, new: str, misconception: str, killed_by: str, mistake: str = "", source: str = ""
) -> Mutant:
    named = f"checkpoint.{mistake}" if mistake else None
    return Mutant(
        f"from_{id}", "from_huggingface", Edit(swap=((old, new),)), misconception, killed_by, named, source
    )


def _to(
    id: str, old: str, new: str, misconception: str, killed_by: str, mistake: str = "", source: str = ""
) -> Mutant:
    named = f"checkpoint.{mistake}" if mistake else None
    return Mutant(
        f"to_{id}", "to_huggingface", Edit(swap=((old, new),)), misconception, killed_by, named, source
    )


def _exchange(one: str, other: str, indent: int = 4) -> str:
    space = " " * indent
    return (
        f'{space}def other(name):\n{space}    return name.replace("{one}", "@").replace("{other}", "{one}").replace("@", "{other}")\n\n'
        f"{space}weights = {{other(name): tensor for name, tensor in weights.items()}}\n"
    )


_ORIGINALS = """    state_dict = dict(state_dict)
    start = "cls.predictions" if families == {"bert"} else "predictions"
    word = f"{min(families, default='')}.embeddings.word_embeddings.weight"
    for original, copy in ((word, f"{start}.decoder.weight"), (f"{start}.bias", f"{start}.decoder.bias")):
        if original not in state_dict and copy in state_dict:
            state_dict[original] = state_dict[copy]
"""
_BY_TEXT = """    layers = sorted({name.split(".")[2] for name in weights if name.startswith("encoder.")})
    weights = {
        ".".join([*name.split(".")[:2], str(layers.index(name.split(".")[2])), *name.split(".")[3:]])
        if name.startswith("encoder.")
        else name: tensor
        for name, tensor in weights.items()
    }
"""

FROM = (
    _from("classes_kept", _SWAP, "", "two classes are two classes", _CLASSES, "classes_kept"),
    _from("classes_weight_only", '    for part in ("weight", "bias"):', '    for part in ("weight",):', "a bias belongs to no class", _CLASSES, "classes_weight_only"),
    _from("classes_bias_only", '    for part in ("weight", "bias"):', '    for part in ("bias",):', "the bias tells the classes apart", _CLASSES, "classes_bias_only"),
    _from("key_is_query", _COLLECT, _COLLECT + _exchange(".key.", ".query."), "queries and keys are the same by symmetry", _BERT, "key_is_query"),
    _from("norms_exchanged", _COLLECT, _COLLECT + _exchange(".attention_norm.", ".feed_forward_norm."), "the order of two norms does not matter", _ALBERT, "norms_exchanged"),
    _from("transposed", _COLLECT, _COLLECT + "    weights = {\n        name: w.T if w.dim() == 2 and len(w) == w.shape[1] else w for name, w in weights.items()\n    }\n", "their matrices are [in, out], as in TensorFlow", _BERT, "transposed"),
    _from("bias_lost", _COLLECT, _COLLECT + '    weights["mlm_head.decoder.bias"] = torch.zeros_like(weights["mlm_head.decoder.bias"])\n', "a tied decoder has no bias", _BERT, "bias_lost"),
    _from("not_strict", _MISSING + "\n" + _UNKNOWN, _MISSING.replace("sorted(names.keys() - state_dict.keys() - copies.keys())", "[]") + "\n" + _UNKNOWN, "missing weights start anew", _LISTED),
    _from("unknown_ignored", _UNKNOWN, "    unknown = []", "what is not needed is skipped", _LISTED),
    _from("first_missing_only", _MISSING, _MISSING + "[:1]", "one name is enough for a message", _LISTED),
    _from("copies_needed", _MISSING, _MISSING.replace(" - copies.keys()", ""), "every name of the table must be there", _COPIES),
    _from("copies_unchecked", _AGREES, "        if False:", "copies are copies", _COPIES),
    _from("decoder_unchecked", _AGREES, '        if copy.endswith("bias") and copy in state_dict and not torch.equal(state_dict[copy], state_dict[original]):', "only the bias has two names", _COPIES),
    _from("copy_rules", _COLLECT, "    weights = {ours: state_dict[theirs] for theirs, ours in names.items() if theirs in state_dict}\n    weights.setdefault(\"mlm_head.decoder.weight\", torch.zeros_like(weights[\"embeddings.word.weight\"]))\n", "a missing copy is zero until training", _COPIES),
    _from("ids_unknown", _UNKNOWN, _UNKNOWN.replace(" - {position_ids}", ""), "today's models have no position ids", _IDS),
    _from("ids_unchecked", _SAME_IDS, "len(state_dict[position_ids]) != 1:", "position ids are always the same", _IDS),
    _from("ids_any_order", _SAME_IDS, "state_dict[position_ids].sum() != expected_ids.sum():", "their sum tells enough", _IDS),
    _from("shapes_unchecked", _SHAPES, "        if False:", "load_state_dict looks at the shapes", _FITS),
    _from("any_sharing", '    if family == "albert" and config.sharing != "all":\n', "    if False:\n", "any ALBERT takes the weights", _FITS),
    _from("numbers_cut", _SHAPES, "        weights[name] = weights[name][tuple(slice(n) for n in tensor.shape)]\n        if weights[name].dim() != tensor.dim():", "rows that are too many are left over", _FITS),
    _from("float32_always", _TO_DTYPE, "", "weights are float32", _DTYPE),
    _from("assigned", "    model.load_state_dict(weights)\n", "    model.load_state_dict(weights, assign=True)\n", "the tensors can be taken as they are", _DTYPE),
    _from("swapped_in_place", "weights[f\"sentence_head.classifier.{part}\"].flip(0)\n", "weights[f\"sentence_head.classifier.{part}\"].copy_(weights[f\"sentence_head.classifier.{part}\"].flip(0))\n", "the rows are swapped where they are", _DTYPE),
    _from("bert_only", 'ALBERTModel(config) if family == "albert" else BERTModel(config)', 'ALBERTModel(config) if family == "albert" and config.n_groups == 1 else BERTModel(config)', "groups are layers", _ALBERT),
    _from("one_group", 'tensor_names("albert", config.n_groups)\n        if', 'tensor_names("albert", 1)\n        if', "ALBERT has one layer", _ALBERT, "", "google-research/albert"),
    _from("clones_assigned", _LOAD, "    model.load_state_dict({name: tensor.clone() for name, tensor in weights.items()}, assign=True)\n    return model", "a model takes tensors as well as values", _COPIES),
    _from("parameters_assigned", _LOAD, "    model.load_state_dict({n: torch.nn.Parameter(t.clone()) for n, t in weights.items()}, assign=True)\n    return model", "a parameter of one's own is safest", _COPIES),
    _from("decoder_untied", _END, _TIE.format('weights["embeddings.word.weight"].clone()'), "the decoder needs a matrix", _COPIES),
    _from("decoder_over_one_memory", _END, _TIE.format("model.embeddings.word.weight.detach()"), "tensors over one memory are one", _COPIES),
    _from("copies_roughly_equal", _EQUAL, "not torch.allclose(state_dict[copy], state_dict[original]):", "floats are never compared exactly", _COPIES),
    _from("copies_of_equal_sum", _EQUAL, "state_dict[copy].double().sum().sub(state_dict[original].double().sum()).abs() > 1e-9:", "a sum is a fingerprint", _COPIES),
    _from("copies_compared_by_element", _EQUAL, "(state_dict[copy] != state_dict[original]).any():", "tensors are compared element by element", _COPIES),
    _from("ids_flattened", _SAME_IDS, "state_dict[position_ids].flatten().tolist() != list(range(config.max_len)):", "the numbers are what matters", _IDS),
    _from("ids_cut", _SAME_IDS, "not torch.equal(state_dict[position_ids][:, : config.max_len].cpu(), expected_ids):", "longer position ids hold ours", _IDS),
    _from("first_unknown_only", _UNKNOWN, _UNKNOWN + "[:1]", "one name is enough for a message", _LISTED),
    _from("missing_first", _RAISE, "    if missing:\n        raise ValueError(\"names: missing \" + \", \".join(missing))\n" + _RAISE, "what is missing is told first", _LISTED),
    Mutant("from_swapped_before_shapes", "from_huggingface", Edit(swap=((_SWAP, ""), (_COLLECT, _COLLECT + _SWAP.replace(".flip(0)", "[[1, 0]]")))), "there are two rows", _FITS),
    Mutant("from_copied_with_broadcasting", "from_huggingface", Edit(swap=((_COMPARE, ""), (_LOAD, _ONE_BY_ONE.format("")))), "copy_ looks at the shapes", _FITS),
    Mutant("from_reshaped", "from_huggingface", Edit(swap=((_COMPARE, ""), (_LOAD, _ONE_BY_ONE.format(".reshape(parameter.shape)")))), "as many numbers are the same numbers", _FITS),
    *(
        Mutant(f"from_bert_{what}_mended", "from_huggingface", Edit(swap=((_MODEL, _MENDED.format(change)),), extra="from dataclasses import replace"), "the checkpoint knows better than the config", _FITS)
        for what, change in (("sharing", 'sharing="none"'), ("width", "d_embedding=config.d_model"))
    ),
    _from("albert_sharing_none_only", 'if family == "albert" and config.sharing != "all":', 'if family == "albert" and config.sharing == "none":', "partly shared is shared", _FITS),
    _from("empty_crashes", _FAMILIES, "    next(iter(state_dict))\n" + _FAMILIES, "a checkpoint has a first name", _FITS),
    _from("family_of_the_first_name", _FAMILIES, '    families = {next(iter(state_dict), "").split(".")[0]} & {"bert", "albert"}\n', "the first name tells the family", _FITS),
    _from("dtype_of_the_first_tensor", _TO_DTYPE, "    model.to(next(iter(state_dict.values())).dtype)\n", "a checkpoint has one dtype", _DTYPE),
    _from("dtype_of_the_pooler", _TO_DTYPE, '    model.to(weights["pooler.dense.weight"])\n', "a checkpoint has one dtype", _DTYPE),
    _from("dtype_of_the_first_float", _TO_DTYPE, "    model.to(next(tensor.dtype for tensor in state_dict.values() if tensor.is_floating_point()))\n", "a checkpoint has one dtype of floats", _DTYPE),
    _from("ids_taken_out", _COLLECT, _COLLECT + "    state_dict.pop(position_ids, None)\n", "what is not needed may go", _DTYPE),
    _from("copies_put_in", _COLLECT, "    for copy, original in copies.items():\n        state_dict.setdefault(copy, state_dict[original])\n" + _COLLECT, "a complete checkpoint does nobody harm", _DTYPE),
    _from("frozen", _END, _END.replace("model", "model.requires_grad_(False)"), "what is trained is trained", _DTYPE),
    _from("embeddings_frozen", _END, "    model.embeddings.requires_grad_(False)\n" + _END, "embeddings are done", _DTYPE),
    _from("groups_reversed", _COLLECT, _COLLECT + _exchange("layers.0.", "layers.1."), "the order of the layers does not matter", _ASSEMBLY),
    _from("five_names_at_most", _LISTS, "f\"{what} {', '.join(which[:5])}\" for what", "the first names are enough for a message", _LISTED),
    _from("four_missing_at_most", _MISSING, _MISSING + "[:4]", "the first names are enough for a message", _LISTED),
    _from("any_position_ids", _UNKNOWN, _UNKNOWN.replace("- names.keys() - {position_ids})", "- names.keys() - {n for n in state_dict if n.endswith(\"position_ids\")})"), "whatever ends so is a buffer", _LISTED),
    _from("gamma_is_weight", _FAMILIES, '    state_dict = {name.replace("gamma", "weight"): tensor for name, tensor in state_dict.items()}\n' + _FAMILIES, "old names are names too", _LISTED, "", "pytorch-pretrained-BERT"),
    _from("module_taken_off", _FAMILIES, '    state_dict = {name.removeprefix("module."): tensor for name, tensor in state_dict.items()}\n' + _FAMILIES, "a prefix does no harm", _LISTED),
    _from("ids_first_row", _SAME_IDS, "not torch.equal(state_dict[position_ids][0].cpu(), expected_ids[0]):", "the first row tells enough", _IDS),
    _from("copies_in_float32", _EQUAL, "not torch.equal(state_dict[copy].float(), state_dict[original].float()):", "weights are float32", _COPIES),
    _from("doubled_only", _TO_DTYPE, '    if weights["embeddings.word.weight"].dtype == torch.float64:\n        model.double()\n', "there are two dtypes", _DTYPE),
    _from("half_made_single", _TO_DTYPE, _TO_DTYPE.replace('weights["embeddings.word.weight"]', 'torch.promote_types(weights["embeddings.word.weight"].dtype, torch.float32)'), "half precision is for storing", _DTYPE),
    Mutant("from_original_from_its_copy", "from_huggingface", Edit(swap=((_FAMILIES, _FAMILIES + _ORIGINALS),)), "a copy is as good as its original", _COPIES),
    Mutant("from_model_kept", "from_huggingface", Edit(swap=((_MODEL, "    model = _KEPT[config] if config in _KEPT else ALBERTModel(config) if family"), (_LOAD, "    _KEPT[config] = model\n" + _LOAD)), extra="_KEPT: dict = {}"), "a model of one configuration is built once", _DTYPE),
    Mutant("from_other_layers_left_out", "from_huggingface", Edit(swap=((_UNKNOWN, _UNKNOWN.replace("{position_ids})", "{position_ids} - {n for n in state_dict if \".layer.\" in n or \"_groups.\" in n})")),)), "what the model has no layer for is skipped", _FITS),
    _from("layers_in_order_of_their_names", _COLLECT, _COLLECT + _BY_TEXT, "names sort as their numbers do", _FITS),
    _from("vocabulary_cut", _COMPARE, "    for name in (\"embeddings.word.weight\", \"mlm_head.decoder.weight\", \"mlm_head.decoder.bias\"):\n        weights[name] = weights[name][: config.vocab_size]\n" + _COMPARE, "a smaller vocabulary is the first part of a larger one", _FITS),
    _from("positions_cut", _COMPARE, "    weights[\"embeddings.position.weight\"] = weights[\"embeddings.position.weight\"][: config.max_len]\n" + _COMPARE, "a model may be shorter than its checkpoint", _FITS),
    _from("segments_cut", _COMPARE, "    weights[\"embeddings.segment.weight\"] = weights[\"embeddings.segment.weight\"][: config.n_segments]\n" + _COMPARE, "segments too many are not used", _FITS),
    _from("norms_unchecked", _SHAPES, "        if \"norm\" not in name and weights[name].shape != tensor.shape:", "norms fit where matrices do", _FITS),
)  # fmt: skip
TO = (
    _to("classes_kept", _GIVE, "theirs: weights[ours].clone()", "two classes are two classes", _BACK, "classes_kept"),
    _to("classes_weight_only", '.flip(0) if ours.startswith("sentence_head.") else', '.flip(0) if ours == "sentence_head.classifier.weight" else', "a bias belongs to no class", _BACK, "classes_weight_only"),
    _to("classes_bias_only", '.flip(0) if ours.startswith("sentence_head.") else', '.flip(0) if ours == "sentence_head.classifier.bias" else', "the bias tells the classes apart", _BACK, "classes_bias_only"),
    _to("columns_exchanged", '.flip(0) if ours.startswith("sentence_head.") else', '.flip(-1) if ours.startswith("sentence_head.") else', "flip turns the last axis", _BACK),
    _to("key_is_query", _STATE, _STATE + _exchange(".key.", ".query."), "queries and keys are the same by symmetry", _NAMES, "key_is_query"),
    _to("norms_exchanged", _STATE, _STATE + _exchange(".attention_norm.", ".feed_forward_norm."), "the order of two norms does not matter", _NAMES, "norms_exchanged"),
    _to("transposed", _STATE, _STATE + "    weights = {n: w.T if w.dim() == 2 and len(w) == w.shape[1] else w for n, w in weights.items()}\n", "their matrices are [in, out]", _NAMES, "transposed"),
    _to("no_copies", "for theirs, ours in names.items()\n    }", 'for theirs, ours in names.items() if "decoder." not in theirs\n    }', "tied tensors are stored once", _WRITTEN, "no_copies"),
    _to("no_decoder_weight", "for theirs, ours in names.items()\n    }", 'for theirs, ours in names.items() if "decoder.weight" not in theirs\n    }', "the word table is there already", _WRITTEN, "no_decoder_weight"),
    _to("no_decoder_bias", "for theirs, ours in names.items()\n    }", 'for theirs, ours in names.items() if "decoder.bias" not in theirs\n    }', "a bias has one name", _WRITTEN, "no_decoder_bias"),
    _to("position_ids_written", f"    return {{\n        {_GIVE}\n        for theirs, ours in names.items()\n    }}", f"    found = {{\n        {_GIVE}\n        for theirs, ours in names.items()\n    }}\n    prefix = next(iter(names)).split(\".\")[0]\n    return {{**found, f\"{{prefix}}.embeddings.position_ids\": torch.arange(config.max_len)[None]}}", "checkpoints hold position ids", _NAMES, "position_ids_written"),
    _to("our_names", "        theirs: weights[ours].flip(0) if", "        ours: weights[ours].flip(0) if", "the names are right as they are", _NAMES),
    _to("half_precision", "else weights[ours].clone()", "else weights[ours].half().float()", "published weights are half precision", _NAMES),
    _to("rounded", "else weights[ours].clone()", "else weights[ours] * (1 + 2**-23)", "a little rounding does no harm", _THERE),
    _to("the_models_own", "else weights[ours].clone()", "else weights[ours]", "the state is a copy already", _MEMORY),
    Mutant("to_copies_share_memory", "to_huggingface", Edit(swap=((_STATE, "    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}\n"), ("else weights[ours].clone()", "else weights[ours]"))), "one clone serves both names", _MEMORY),
    _to("swapped_in_the_model", _STATE, _STATE + f"    {_BIAS}.copy_({_BIAS}.flip(0))\n    {_BIAS} = {_BIAS}.flip(0)\n", "state_dict is a copy", _MEMORY),
    _to("eval_left", _STATE, "    weights = model.eval().state_dict()\n", "a model that is saved is done with training", _MEMORY),
    _to("train_left", _STATE, "    weights = model.train().state_dict()\n", "a model that is saved goes on training", _MEMORY),
    _to("on_the_graph", _STATE, "    weights = dict(model.named_parameters(remove_duplicate=False))\n", "a clone is a tensor of its own", _MEMORY),
    _to("float32_always", "else weights[ours].clone()", "else weights[ours].float().clone()", "weights are float32", _THERE),
    _to("any_sharing", '        if config.sharing != "all":\n            raise ValueError(f"sharing: got {config.sharing!r}, expected \'all\' for an ALBERT checkpoint")\n        names = tensor_names("albert", config.n_groups)\n    else:', '        names = tensor_names("albert", config.n_groups)\n    else:', "any ALBERT has an AlbertForPreTraining", _ONLY),
    _to("one_group_only", 'names = tensor_names("albert", config.n_groups)\n    else:', 'names = tensor_names("albert", 1)\n    else:', "ALBERT has one layer", _ONLY),
    _to("single_at_least", "else weights[ours].clone()", "else weights[ours].to(torch.promote_types(weights[ours].dtype, torch.float32), copy=True)", "half precision is for computing", _THERE),
    _to("thawed", _STATE, "    weights = model.requires_grad_(True).state_dict()\n", "all of a model is trained", _MEMORY),
    _to("gradients_dropped", _STATE, "    model.zero_grad()\n" + _STATE, "who saves does not need the gradients", _MEMORY),
    _to("albert_by_its_width", "    if isinstance(model, ALBERTModel):\n", "    if config.sharing == \"all\" or config.d_embedding != config.d_model:\n", "an ALBERT is narrow or shared", _ONLY),
)  # fmt: skip
MUTANTS = FROM + TO
