"""Mutants of lesson 10. Most stand in the base class, which both models use."""

from checks.gate.edits import Edit, Mutant

_OUT = "sequence_output = self.encoder(self.embeddings(input_ids, segment_ids), attention_mask)"
_RETURN = "return sequence_output, self.pooler(sequence_output)"
_ZEROS = "segment_ids = torch.zeros_like(input_ids)"
_GATHER = "sequence_output = sequence_output.flatten(0, 1).index_select(0, positions)"
_MLM = "return self.mlm_head(sequence_output)"
_SENTENCE = "return self.sentence_head(pooled_output)"
_HEAD = "self.mlm_head = MLMHead(config, embeddings.word)"
_INIT = "        init_weights(self, config.init_std)"
_PICK = "encoder = encoders.get(config.sharing, PartlySharedEncoder)(config)"
_NORMAL = "nn.init.normal_(parameter, std=std, generator=generator)"
_BODY = """    for name, parameter in module.named_parameters():
        if parameter.dim() >= 2:
            nn.init.normal_(parameter, std=std, generator=generator)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
        else:
            nn.init.ones_(parameter)
"""
_SUPER = "super().__init__(config, FactorizedEmbeddings(config), encoder)"
_NO_DROPOUT = """
        for part in self.{part}.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0"""
_SIGNATURE = (
    "def init_weights(module: nn.Module, std: float = 0.02, "
    "generator: torch.Generator | None = None) -> None:\n"
)
_BERT = "test_bert_embeds_encodes_and_pools"
_POSITIONS = "test_bert_scores_words_at_flattened_positions"
_COMPANY = "test_padding_and_company_change_nothing"
_TIED = "test_bert_has_one_word_table_for_reading_and_scoring"
_REFUSES = "test_bert_refuses_sharing_and_narrow_tables"
_START = "test_bert_starts_knowing_nothing"
_DROPOUT = "test_bert_has_dropout_in_its_parts_only"
_ALBERT = "test_albert_factorizes_and_shares_as_asked"
_ALBERT_DROPOUT = "test_albert_has_dropout_in_its_parts_only"
_ALBERT_TIED = "test_albert_has_one_word_table_and_one_layer"
_ALBERT_DEPTH = "test_depth_costs_albert_no_parameters"
_ALBERT_SCORES = "test_albert_scores_words_and_order"
_ALBERT_START = "test_albert_starts_knowing_nothing"
_KINDS = "test_matrices_are_drawn_biases_zero_and_norms_one"
_PLACE = "test_weights_are_changed_in_place"
_GENERATOR = "test_a_generator_decides_the_start_and_globals_stay"


def _swap(*pairs: tuple[str, str], extra: str = "") -> Edit:
    return Edit(swap=pairs, extra=extra)


def _before(lines: str) -> Edit:
    """Lines at the start of `forward`."""
    return _swap(("if segment_ids is None:", f"{lines}\n        if segment_ids is None:"))


_DETACHED_ROWS = _swap(
    (_GATHER, _GATHER.replace("sequence_output.flatten", "sequence_output.detach().flatten"))
)
_DETACHED_FIRST = _swap((_RETURN, _RETURN.replace("(sequence_output)", "(sequence_output.detach())")))


def _init(body: str, extra: str = "") -> Edit:
    return Edit(functions={"init_weights": _SIGNATURE + body}, extra=extra)


def _entries(exercise: str, *rows: tuple[str, Edit, str, str, str | None]) -> tuple[Mutant, ...]:
    return tuple(
        Mutant(name, exercise, edit, why, killer, mistake) for name, edit, why, killer, mistake in rows
    )


MUTANTS = (
    *_entries(
        "BERTModel",
        (
            "mask_dropped",
            _swap((_OUT, _OUT.replace(", attention_mask)", ")"))),
            "the loss ignores padding, so attention may too",
            _BERT,
            "models.mask_dropped",
        ),
        (
            "mask_from_ids",
            _swap(
                (
                    _OUT,
                    "attention_mask = input_ids != 0 if attention_mask is None else attention_mask\n        "
                    + _OUT,
                )
            ),
            "id 0 is padding wherever it stands",
            _BERT,
            "models.mask_from_ids",
        ),
        (
            "segments_ignored",
            _swap(
                (_ZEROS, "pass"), ("if segment_ids is None:", _ZEROS + "\n        if segment_ids is None:")
            ),
            "one sentence is the usual case",
            _BERT,
            "models.segments_ignored",
        ),
        (
            "segments_from_1",
            _swap((_ZEROS, "segment_ids = torch.ones_like(input_ids)")),
            "segments are numbered from 1",
            _BERT,
            "models.segments_from_1",
        ),
        (
            "segments_exchanged",
            _swap((_OUT, _OUT.replace("input_ids, segment_ids", "input_ids, 1 - segment_ids"))),
            "1 is the first segment",
            _BERT,
            "models.segments_exchanged",
        ),
        (
            "pooled_too_early",
            _swap((_RETURN, "return sequence_output, self.pooler(self.embeddings(input_ids, segment_ids))")),
            "the first token is the same anywhere",
            _BERT,
            "models.pooled_too_early",
        ),
        (
            "outputs_exchanged",
            _swap((_RETURN, "return self.pooler(sequence_output), sequence_output")),
            "the summary comes first",
            _BERT,
            None,
        ),
        (
            "outputs_sequence_only",
            _swap((_RETURN, "return sequence_output")),
            "who wants the pooled vector can pool",
            _BERT,
            None,
        ),
        (
            "needs_segments",
            _swap(("if segment_ids is None:", "if False:")),
            "segments are always given",
            _BERT,
            None,
        ),
        (
            "no_offset",
            _swap(
                (
                    _GATHER,
                    "sequence_output = sequence_output[0].index_select(0,"
                    " positions % sequence_output.shape[1])",
                )
            ),
            "a position is a place in a row",
            _POSITIONS,
            "models.no_offset",
        ),
        (
            "tokens_first",
            _swap(
                (
                    _GATHER,
                    "sequence_output = sequence_output.transpose(0, 1).flatten(0, 1).index_select(0,"
                    " positions)",
                )
            ),
            "tokens come before rows",
            _POSITIONS,
            "models.tokens_first",
        ),
        (
            "positions_ignored",
            _swap((_GATHER, "pass")),
            "the loss picks the positions later",
            _POSITIONS,
            None,
        ),
        (
            "positions_sorted",
            _swap((_GATHER, _GATHER.replace("positions)", "positions.unique())"))),
            "each position once and in order",
            _POSITIONS,
            None,
        ),
        (
            "positions_nonzero",
            _swap(("if positions is not None:", "if positions is not None and positions.numel():")),
            "no positions means all positions",
            _POSITIONS,
            None,
        ),
        (
            "positions_detached",
            _DETACHED_ROWS,
            "to pick rows is no part of learning",
            _POSITIONS,
            None,
        ),
        (
            "positions_after_the_head",
            _swap((_GATHER, "return self.mlm_head(sequence_output).flatten(0, 1)[positions]")),
            "scores everywhere, then a choice: the numbers are the same",
            _POSITIONS,
            None,
        ),
        (
            "no_positions_no_graph",
            _swap(
                (
                    "if positions is not None:",
                    "if positions is not None and len(positions) == 0:\n"
                    "            return torch.zeros(0, self.config.vocab_size, dtype=sequence_output.dtype)\n"
                    "        if positions is not None:",
                )
            ),
            "without labels nothing is learned",
            _POSITIONS,
            None,
        ),
        (
            "mask_by_lengths",
            _before(
                "if attention_mask is not None:\n"
                "            attention_mask = attention_mask.sort(1, descending=True).values"
            ),
            "padding stands at the end of a row",
            _COMPANY,
            None,
        ),
        (
            "mask_in_eval_only",
            _before("attention_mask = None if self.training else attention_mask"),
            "training learns by itself to leave padding out",
            _COMPANY,
            None,
        ),
        (
            "mask_kept_for_later",
            _before(
                "self.m = attention_mask if attention_mask is not None else getattr(self, 'm', None)\n"
                "        if self.m is not None and self.m.shape == input_ids.shape:\n"
                "            attention_mask = self.m"
            ),
            "no mask means: the mask of the call before",
            _COMPANY,
            None,
        ),
        (
            "mask_in_double_precision_only",
            _before(
                "attention_mask = attention_mask if self.pooler.dense.weight.dtype.itemsize == 8 else None"
            ),
            "a program that is right in float64 is right in float32",
            _COMPANY,
            None,
        ),
        (
            "first_token_always_seen",
            _before("if attention_mask is not None:\n            attention_mask[:, 0] = True"),
            "the first token is never padding",
            _COMPANY,
            None,
        ),
        (
            "segments_in_eval_only",
            _before("segment_ids = None if self.training else segment_ids"),
            "one segment is enough to learn from",
            _COMPANY,
            None,
        ),
        (
            "segments_padded_in_place",
            _before(
                "if segment_ids is not None and attention_mask is not None:\n"
                "            segment_ids.masked_fill_(~attention_mask, 0)"
            ),
            "padding is in segment 0, and the segments are mine",
            _COMPANY,
            None,
        ),
        (
            "zeros_of_the_first_call",
            _swap(
                (
                    _ZEROS,
                    "self.zeros = getattr(self, 'zeros', torch.zeros_like(input_ids))\n"
                    "            segment_ids = self.zeros",
                )
            ),
            "batches have one shape, so the zeros can be kept",
            _COMPANY,
            None,
        ),
        (
            "positions_divided_in_place",
            _swap(
                (
                    _GATHER,
                    "tokens = positions % sequence_output.shape[1]\n"
                    "            rows = positions.div_(sequence_output.shape[1], rounding_mode='floor')\n"
                    "            sequence_output = sequence_output[rows, tokens]",
                )
            ),
            "the positions are mine",
            _POSITIONS,
            None,
        ),
        (
            "positions_in_eval_only",
            _swap(("if positions is not None:", "if positions is not None and not self.training:")),
            "training wants all scores",
            _POSITIONS,
            None,
        ),
        (
            "scores_cut_in_training",
            _swap(
                (
                    _MLM,
                    _MLM.replace(
                        "(sequence_output)",
                        "(sequence_output.detach() if self.training else sequence_output)",
                    ),
                )
            ),
            "in training a head does not disturb the encoder",
            _POSITIONS,
            None,
        ),
        (
            "pooled_cut_in_training",
            _swap(
                (
                    _RETURN,
                    _RETURN.replace(
                        "(sequence_output)",
                        "(sequence_output.detach() if self.training else sequence_output)",
                    ),
                )
            ),
            "in training the encoder learns from words alone",
            _TIED,
            None,
        ),
        (
            "sentence_cut_in_training",
            _swap(
                (
                    _SENTENCE,
                    _SENTENCE.replace(
                        "(pooled_output)", "(pooled_output.detach() if self.training else pooled_output)"
                    ),
                )
            ),
            "in training the encoder learns from words alone",
            _COMPANY,
            None,
        ),
        (
            "frozen_positions",
            _swap((_INIT, _INIT + "\n        self.embeddings.position.requires_grad_(False)")),
            "this part is good enough as it starts",
            _TIED,
            None,
        ),
        (
            "frozen_word_bias",
            _swap((_INIT, _INIT + "\n        self.mlm_head.decoder.bias.requires_grad_(False)")),
            "this part is good enough as it starts",
            _TIED,
            None,
        ),
        (
            "frozen_sentence_head",
            _swap((_INIT, _INIT + "\n        self.sentence_head.requires_grad_(False)")),
            "this part is good enough as it starts",
            _COMPANY,
            None,
        ),
        (
            "sequence_renamed",
            _swap(
                (
                    'self, sequence_output: Float[Tensor, "B T D"], positions',
                    'self, hidden: Float[Tensor, "B T D"], positions',
                ),
                ("if positions is not None:", "sequence_output = hidden\n        if positions is not None:"),
            ),
            "arguments may have any name",
            _POSITIONS,
            None,
        ),
        (
            "refuses_groups",
            _swap(
                (
                    "# 2. Build with BERT's",
                    "if config.n_groups > 1:\n            raise ValueError('n_groups')\n        # 2. Build with BERT's",
                )
            ),
            "groups are ALBERT's, so they are a mistake here",
            _REFUSES,
            None,
        ),
        (
            "pads_not_hidden_for_pairs",
            _swap(
                (
                    _OUT,
                    _OUT.replace(
                        "attention_mask)",
                        "attention_mask if len(input_ids) > 1 or attention_mask is None else None)",
                    ),
                )
            ),
            "a single row has no padding",
            _BERT,
            None,
        ),
        (
            "batch_mean_removed",
            _swap(
                (
                    _RETURN,
                    "sequence_output = sequence_output - sequence_output.mean(0, keepdim=True)\n        "
                    + _RETURN,
                )
            ),
            "outputs are centred over the batch",
            _COMPANY,
            None,
        ),
        (
            "sentence_flipped",
            _swap((_SENTENCE, "return self.sentence_head(pooled_output).flip(-1)")),
            "class 0 is true order, as in Google's code",
            _COMPANY,
            "models.sentence_flipped",
        ),
        (
            "sentence_detached",
            _swap((_SENTENCE, "return self.sentence_head(pooled_output.detach())")),
            "the order of the sentences is the head's task alone",
            _COMPANY,
            None,
        ),
        (
            "sentence_softmax",
            _swap((_SENTENCE, "return self.sentence_head(pooled_output).softmax(-1)")),
            "a model gives probabilities",
            _COMPANY,
            "models.sentence_softmax",
        ),
        (
            "sentence_squashes",
            _swap((_SENTENCE, "return self.sentence_head(torch.tanh(pooled_output))")),
            "the pooler's tanh belongs here",
            _COMPANY,
            "models.sentence_squashes",
        ),
        (
            "untied",
            _swap(
                (
                    _HEAD,
                    "self.mlm_head = MLMHead(config, nn.Embedding(config.vocab_size, config.d_embedding))",
                )
            ),
            "the head wants some table of this shape",
            _TIED,
            "models.untied",
        ),
        (
            "ties_a_copy",
            Edit(
                swap=((_HEAD, "self.mlm_head = MLMHead(config, copy.deepcopy(embeddings.word))"),),
                extra="import copy",
            ),
            "a copy of the table is the table",
            _TIED,
            "models.untied",
        ),
        (
            "one_storage_at_each_use",
            _swap(
                (
                    _HEAD,
                    "self.mlm_head = MLMHead(config, nn.Embedding(config.vocab_size, config.d_embedding))",
                ),
                (
                    _MLM,
                    "self.mlm_head.decoder.weight.data = self.embeddings.word.weight.data\n        " + _MLM,
                ),
            ),
            "one storage is one table (P-9)",
            _TIED,
            None,
        ),
        (
            "scores_detached",
            _swap(
                (
                    _MLM,
                    "head = self.mlm_head\n"
                    "        return torch.func.functional_call(head,"
                    " {'decoder.weight': head.decoder.weight.detach()}, (sequence_output,))",
                )
            ),
            "reading is enough to train the table",
            _TIED,
            None,
        ),
        (
            "pooled_detached",
            _DETACHED_FIRST,
            "the encoder learns from words alone",
            _TIED,
            None,
        ),
        (
            "accepts_sharing",
            _swap(('if config.sharing != "none":', 'if config.sharing == "all":')),
            "only all is sharing",
            _REFUSES,
            None,
        ),
        (
            "accepts_narrow_tables",
            Edit(
                functions={
                    "BERTModel.__init__": """
def __init__(self, config: ModelConfig) -> None:
    if config.sharing != "none":
        raise ValueError("sharing")
    embeddings = BERTEmbeddings if config.d_embedding == config.d_model else FactorizedEmbeddings
    super().__init__(config, embeddings(config), BERTEncoder(config))
"""
                }
            ),
            "with E below D the embeddings are factorized",
            _REFUSES,
            None,
        ),
        (
            "forgets_the_config",
            _swap(("self.config = config", "self.settings = config")),
            "nobody asks a model for its configuration",
            _REFUSES,
            None,
        ),
        (
            "config_of_the_class",
            _swap(("self.config = config", "type(self).config = config")),
            "all models have one configuration",
            _REFUSES,
            None,
        ),
        (
            "keeps_the_words_beside",
            _swap((_HEAD, _HEAD + "\n        self.word = embeddings.word")),
            "what is kept beside costs nothing: it is one tensor",
            _REFUSES,
            None,
        ),
        (
            "every_start_the_same",
            _swap(
                (_INIT, "        init_weights(self, config.init_std, torch.Generator().manual_seed(0))"),
            ),
            "a start should be the same each time",
            _START,
            None,
        ),
        (
            "seeds_the_start",
            _swap((_INIT, "        torch.manual_seed(0)\n" + _INIT)),
            "a start should be the same each time",
            _START,
            None,
        ),
        (
            "seeds_what_follows",
            _swap((_INIT, _INIT + "\n        torch.manual_seed(0)")),
            "a run should be the same each time",
            _START,
            None,
        ),
        (
            "padding_starts_at_zero",
            _swap(
                (
                    _INIT,
                    _INIT
                    + "\n        with torch.no_grad():\n            self.embeddings.word.weight[0].zero_()",
                )
            ),
            "padding means nothing",
            _START,
            None,
        ),
        (
            "torchs_start",
            _swap((_INIT, "        pass")),
            "torch's start is good enough",
            _START,
            "models.torchs_start",
        ),
        (
            "starts_too_early",
            _swap(
                (_INIT, "        pass"), ("self.encoder = encoder\n", f"self.encoder = encoder\n{_INIT}\n")
            ),
            "the heads start by themselves",
            _START,
            "models.heads_torchs_start",
        ),
        (
            "starts_at_the_default",
            _swap((_INIT, "        init_weights(self)")),
            "0.02 is 0.02",
            _START,
            "models.init_fixed",
        ),
        (
            "drops_the_output",
            _swap(
                (
                    _RETURN,
                    "sequence_output = nn.functional.dropout(sequence_output, self.config.dropout,"
                    " self.training)\n        " + _RETURN,
                )
            ),
            "dropout belongs after the encoder too",
            _DROPOUT,
            None,
        ),
        (
            "drops_before_pooling",
            _swap(
                (
                    _RETURN,
                    "return sequence_output, self.pooler(nn.functional.dropout(sequence_output, 0.1,"
                    " self.training))",
                )
            ),
            "a classifier wants dropout before it",
            _DROPOUT,
            None,
        ),
        (
            "drops_before_scores",
            _swap((_MLM, "return self.mlm_head(nn.functional.dropout(sequence_output, 0.1, self.training))")),
            "a classifier wants dropout before it",
            _DROPOUT,
            None,
        ),
        (
            "drops_before_the_sentence_head",
            _swap(
                (
                    _SENTENCE,
                    "return self.sentence_head(nn.functional.dropout(pooled_output, 0.1, self.training))",
                )
            ),
            "BERT drops before a classifier (as in its fine-tuning code)",
            _DROPOUT,
            None,
        ),
        (
            "always_evaluates",
            _swap((_OUT, "self.encoder.eval()\n        self.embeddings.eval()\n        " + _OUT)),
            "a forward pass is an evaluation",
            _DROPOUT,
            None,
        ),
        (
            "encoder_without_dropout",
            _swap((_INIT, _INIT + _NO_DROPOUT.format(part="encoder"))),
            "dropping words is enough",
            _DROPOUT,
            None,
        ),
        (
            "embeddings_without_dropout",
            _swap((_INIT, _INIT + _NO_DROPOUT.format(part="embeddings"))),
            "layers drop, tables do not",
            _DROPOUT,
            None,
        ),
        (
            "bert_computes_in_double",
            _swap((_RETURN, "return sequence_output.double(), self.pooler(sequence_output).double()")),
            "outputs want precision",
            _START,
            None,
        ),
        (
            "your_parts_unmasked",
            _swap((_OUT, _OUT.replace("attention_mask)", "None)"))),
            "the loss ignores padding, so attention may too",
            "test_your_parts_make_both_models",
            None,
        ),
    ),
    *_entries(
        "ALBERTModel",
        (
            "albert_always_shares",
            _swap((_PICK, "encoder = ALBERTEncoder(config)")),
            "ALBERT shares everything",
            _ALBERT,
            "models.always_shared",
        ),
        (
            "albert_never_shares",
            _swap((_PICK, "encoder = BERTEncoder(config)")),
            "factorizing is what makes it ALBERT",
            _ALBERT,
            "models.never_shared",
        ),
        (
            "albert_shares_or_not",
            _swap((_PICK, "encoder = encoders.get(config.sharing, ALBERTEncoder)(config)")),
            "sharing is yes or no",
            _ALBERT,
            None,
        ),
        (
            "albert_plain_embeddings",
            _swap(
                (
                    _SUPER,
                    "embeddings = BERTEmbeddings if config.d_embedding == config.d_model else"
                    " FactorizedEmbeddings\n        super().__init__(config, embeddings(config), encoder)",
                )
            ),
            "with E = D there is nothing to project (as in Google's code)",
            _ALBERT,
            None,
        ),
        (
            "albert_without_dropout",
            _swap(
                (_PICK, "config = replace(config, dropout=0.0)\n        " + _PICK),
                extra="from dataclasses import replace",
            ),
            "a model that shares is small enough (as in ALBERT's largest runs)",
            _ALBERT_DROPOUT,
            None,
        ),
        (
            "albert_drops_its_config",
            _swap((_SUPER, _SUPER + "\n        del self.config")),
            "the configuration has served",
            _ALBERT_DEPTH,
            None,
        ),
        (
            "albert_every_start_the_same",
            _swap(("        " + _SUPER, "        torch.manual_seed(0)\n        " + _SUPER)),
            "a start should be the same each time",
            _ALBERT_START,
            None,
        ),
        (
            "albert_pooled_detached",
            _DETACHED_FIRST,
            "the encoder learns from words alone",
            _ALBERT_TIED,
            None,
        ),
        (
            "albert_positions_detached",
            _DETACHED_ROWS,
            "to pick rows is no part of learning",
            _ALBERT_SCORES,
            None,
        ),
        (
            "albert_positions_no_offset",
            _swap((_GATHER, "sequence_output = sequence_output[0, positions % sequence_output.shape[1]]")),
            "a position is a place in a row",
            _ALBERT_SCORES,
            "models.no_offset",
        ),
        (
            "albert_sentence_flipped",
            _swap((_SENTENCE, "return self.sentence_head(pooled_output)[:, [1, 0]]")),
            "class 0 is true order, as in Google's code",
            _ALBERT_SCORES,
            "models.sentence_flipped",
        ),
        (
            "albert_untied",
            _swap(
                (
                    _HEAD,
                    "words = embeddings.word.weight.detach()\n        "
                    "self.mlm_head = MLMHead(config, nn.Embedding.from_pretrained(words, freeze=False))",
                )
            ),
            "a table with equal values is the table",
            "test_albert_has_one_word_table_and_one_layer",
            "models.untied",
        ),
        (
            "albert_closure",
            _swap(
                (_HEAD, _HEAD + "\n        self.read = lambda ids, segments: embeddings(ids, segments)"),
                (_OUT, _OUT.replace("self.embeddings(", "self.read(")),
            ),
            "a closure over a part is copied with the model",
            "test_copies_of_a_model_stand_on_their_own",
            None,
        ),
        (
            "albert_spare_layers",
            _swap((_PICK, _PICK + "\n        encoder.spare = BERTEncoder(config)")),
            "layers that are not used do not count",
            "test_depth_costs_albert_no_parameters",
            None,
        ),
        (
            "albert_starts_at_the_default",
            _swap((_INIT, "        init_weights(self, 0.02)")),
            "0.02 is 0.02",
            _ALBERT_START,
            "models.init_fixed",
        ),
        (
            "albert_torchs_start",
            _swap((_INIT, "        pass")),
            "torch's start is good enough",
            _ALBERT_START,
            "models.torchs_start",
        ),
        (
            "albert_heads_start_alone",
            _swap(
                (
                    _INIT,
                    "        init_weights(self.embeddings, config.init_std)\n"
                    "        init_weights(self.encoder, config.init_std)",
                )
            ),
            "the heads start by themselves",
            _ALBERT_START,
            "models.heads_torchs_start",
        ),
    ),
    *_entries(
        "init_weights",
        (
            "init_fixed",
            _swap((_NORMAL, "nn.init.normal_(parameter, std=0.02, generator=generator)")),
            "0.02 is 0.02",
            _KINDS,
            "models.init_fixed",
        ),
        (
            "init_bias_anywhere",
            _swap(('elif name.endswith("bias"):', 'elif "bias" in name:')),
            "a bias has bias in its name",
            _KINDS,
            None,
        ),
        (
            "init_biases_by_name_first",
            _swap(
                ("if parameter.dim() >= 2:", "if parameter.dim() >= 2 and not name.endswith('bias'):"),
            ),
            "the name tells a bias, whatever its shape",
            _KINDS,
            None,
        ),
        (
            "init_bias_after_a_dot",
            _swap(('elif name.endswith("bias"):', 'elif name.endswith((".bias", "_bias")):')),
            "a bias lies in a part",
            _KINDS,
            None,
        ),
        (
            "init_weights_are_norms",
            _swap(
                ('elif name.endswith("bias"):', 'elif not name.endswith("weight"):'),
            ),
            "what is no weight is a bias",
            _KINDS,
            None,
        ),
        (
            "init_frozen_left",
            _init(
                _BODY.replace(
                    "        if parameter.dim",
                    "        if not parameter.requires_grad:\n            continue\n        if parameter.dim",
                )
            ),
            "what is frozen stays",
            _KINDS,
            None,
        ),
        (
            "init_variance",
            _swap((_NORMAL, "nn.init.normal_(parameter, std=std**2, generator=generator)")),
            "the second number of N(0, s) is a variance",
            _KINDS,
            None,
        ),
        (
            "init_biases_left",
            _swap(("nn.init.zeros_(parameter)", "pass")),
            "torch starts biases small",
            _KINDS,
            "models.init_biases",
        ),
        (
            "init_biases_drawn",
            _swap(("nn.init.zeros_(parameter)", "nn.init.normal_(parameter, std=std, generator=generator)")),
            "all but norms are drawn",
            _KINDS,
            "models.init_biases",
        ),
        (
            "init_norms_zero",
            _swap(("nn.init.ones_(parameter)", "nn.init.zeros_(parameter)")),
            "what is not a matrix starts at 0",
            _KINDS,
            "models.init_norms_zero",
        ),
        (
            "init_norms_drawn",
            _swap(("nn.init.ones_(parameter)", "nn.init.normal_(parameter, std=std, generator=generator)")),
            "all but biases are drawn",
            _KINDS,
            "models.init_norms_drawn",
        ),
        (
            "init_uniform",
            _swap((_NORMAL, "nn.init.uniform_(parameter, -std * 3**0.5, std * 3**0.5, generator=generator)")),
            "any distribution of this spread will do",
            _KINDS,
            "models.init_uniform",
        ),
        (
            "init_xavier",
            _swap((_NORMAL, "nn.init.xavier_normal_(parameter, generator=generator)")),
            "the spread belongs to the shape",
            _KINDS,
            None,
        ),
        (
            "init_by_class",
            _init("""    for part in module.modules():
        if isinstance(part, (nn.Linear, nn.Embedding)):
            nn.init.normal_(part.weight, std=std, generator=generator)
            if isinstance(part, nn.Linear):
                nn.init.zeros_(part.bias)
        elif isinstance(part, nn.LayerNorm):
            nn.init.ones_(part.weight)
            nn.init.zeros_(part.bias)
"""),
            "linear, embedding and norm are all there is (P-17)",
            _KINDS,
            "models.init_by_class",
        ),
        (
            "init_embeddings_left",
            _swap(("if parameter.dim() >= 2:", "if parameter.dim() >= 2 and parameter.shape[0] != 97:")),
            "embeddings start by themselves",
            _KINDS,
            None,
        ),
        (
            "init_two_axes_only",
            _swap(
                (
                    "if parameter.dim() >= 2:",
                    "if parameter.dim() > 2:\n            pass\n        elif parameter.dim() == 2:",
                )
            ),
            "matrices have two axes",
            _KINDS,
            None,
        ),
        (
            "init_children_only",
            _swap(
                (
                    "module.named_parameters():",
                    "((n, p) for n, p in module.named_parameters() if n.count('.') < 2):",
                )
            ),
            "parts do not lie deeper",
            _KINDS,
            None,
        ),
        (
            "init_truncated",
            _swap(
                (
                    _NORMAL,
                    "nn.init.trunc_normal_(parameter, std=std, a=-2 * std, b=2 * std, generator=generator)",
                )
            ),
            "cutting at two deviations leaves the deviation alone",
            _KINDS,
            None,
        ),
        (
            "init_new_parameters",
            _init("""    for part in module.modules():
        for name, parameter in list(part._parameters.items()):
            if parameter is None:
                continue
            fresh = torch.zeros_like(parameter) if name.endswith("bias") else torch.ones_like(parameter)
            if parameter.dim() >= 2:
                fresh = torch.empty_like(parameter).normal_(std=std, generator=generator)
            part._parameters[name] = nn.Parameter(fresh.detach())
"""),
            "new parameters are as good as new values",
            "test_bert_has_one_word_table_for_reading_and_scoring",
            "models.untied",
        ),
        (
            "init_frozen",
            _init(_BODY + "        parameter.requires_grad_(False)\n"),
            "what is initialised must not be tracked",
            _PLACE,
            None,
        ),
        (
            "init_adds",
            _swap(
                (
                    _NORMAL,
                    "parameter.data.add_(torch.empty_like(parameter).normal_(std=std, generator=generator))",
                )
            ),
            "some noise on the old weights",
            _KINDS,
            None,
        ),
        (
            "init_each_name",
            _swap(("module.named_parameters():", "module.named_parameters(remove_duplicate=False):")),
            "each name is a parameter",
            _GENERATOR,
            None,
        ),
        (
            "init_ignores_the_generator",
            _swap((_NORMAL, "nn.init.normal_(parameter, std=std)")),
            "torch has a generator already",
            _GENERATOR,
            None,
        ),
        (
            "init_seeds_anew",
            _init(
                "    if generator is not None:\n        generator.manual_seed(generator.initial_seed())\n"
                + _BODY
            ),
            "a generator is a seed",
            _GENERATOR,
            None,
        ),
        (
            "init_seeds_the_global",
            _init(
                "    torch.manual_seed(0 if generator is None else generator.initial_seed())\n"
                + _BODY.replace(", generator=generator", "")
            ),
            "a start should be the same each time",
            _GENERATOR,
            None,
        ),
        (
            "init_numpy",
            _init(
                _BODY.replace(
                    "nn.init.normal_(parameter, std=std, generator=generator)",
                    "draws = np.random.default_rng(0 if generator is None else"
                    " generator.initial_seed()).normal(0, std, tuple(parameter.shape))\n"
                    "            parameter.data.copy_(torch.from_numpy(draws))",
                ),
                "import numpy as np",
            ),
            "a generator is a seed",
            _GENERATOR,
            None,
        ),
    ),
)
