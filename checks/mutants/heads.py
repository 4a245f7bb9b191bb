"""Mutants of lesson 9."""

from checks.gate.edits import Edit, Mutant

_POOL = "torch.tanh(self.dense(sequence_output[:, 0]))"
_FEATURES = "features_E = self.norm(gelu(self.dense(hidden), self.approximate))"
_TIE = "self.decoder.weight = word.weight"
_DECODE = "return self.decoder(features_E)"
_APPROXIMATE = '"tanh" if config.activation == "gelu_tanh" else "none"'
_NORM = "nn.LayerNorm(config.d_embedding, eps=config.layer_norm_eps)"
_CLASSIFY = "return self.classifier(pooled_output)"
_MAKE_POOLER = "self.dense = nn.Linear(config.d_model, config.d_model)"
_MAKE_CLASSIFIER = "self.classifier = nn.Linear(config.d_model, 2)"
_POOLER = "test_the_first_token_is_mapped_and_squashed"
_POOLER_QUIET = "test_the_pooler_has_no_dropout_and_leaves_its_input"
_MLM = "test_every_word_gets_its_score"
_CONFIG = "test_activation_and_epsilon_come_from_the_configuration"
_TABLE = "test_the_head_takes_the_word_table_as_it_is"
_TIED = "test_the_word_table_gets_the_gradient_of_both_uses"
_TIED_STEP = "test_a_training_step_moves_the_word_table_once"
_MLM_QUIET = "test_the_masked_word_head_has_no_dropout_and_refuses_another_table"
_SENTENCE = "test_two_logits_a_pair"
_SENTENCE_QUIET = "test_the_sentence_head_learns_and_has_no_dropout"


def _swap(old: str, new: str) -> Edit:
    return Edit(swap=((old, new),))


def _entries(exercise: str, *rows: tuple[str, Edit, str, str, str | None]) -> tuple[Mutant, ...]:
    return tuple(
        Mutant(name, exercise, edit, why, killer, mistake) for name, edit, why, killer, mistake in rows
    )


MUTANTS = (
    *_entries(
        "Pooler",
        (
            "pools_last_token",
            _swap(_POOL, _POOL.replace("[:, 0]", "[:, -1]")),
            "the last token has seen all",
            _POOLER,
            "heads.pooler_last",
        ),
        (
            "pools_mean",
            _swap(_POOL, _POOL.replace("[:, 0]", ".mean(1)")),
            "pooling means averaging",
            _POOLER,
            "heads.pooler_mean",
        ),
        (
            "pools_max",
            _swap(_POOL, _POOL.replace("[:, 0]", ".amax(1)")),
            "pooling means the maximum",
            _POOLER,
            "heads.pooler_max",
        ),
        (
            "pools_first_row",
            _swap(_POOL, _POOL.replace("[:, 0]", "[0]")),
            "index 0 is the first token",
            _POOLER,
            "heads.pooler_first_row",
        ),
        (
            "pooler_linear",
            _swap(_POOL, "self.dense(sequence_output[:, 0])"),
            "tanh only slows training",
            _POOLER,
            "heads.pooler_no_tanh",
        ),
        (
            "pooler_relu",
            _swap(_POOL, "torch.relu(self.dense(sequence_output[:, 0]))"),
            "any activation will do",
            _POOLER,
            "heads.pooler_relu",
        ),
        (
            "pooler_gelu",
            _swap(_POOL, "gelu(self.dense(sequence_output[:, 0]))"),
            "BERT uses GELU everywhere",
            _POOLER,
            "heads.pooler_gelu",
        ),
        (
            "pooler_without_dense",
            _swap(_POOL, "torch.tanh(sequence_output[:, 0])"),
            "the encoder's output needs no map",
            _POOLER,
            "heads.pooler_no_dense",
        ),
        (
            "pooler_maps_all_tokens",
            _swap(_POOL, "torch.tanh(self.dense(sequence_output))"),
            "the caller picks the token",
            _POOLER,
            None,
        ),
        (
            "pooler_keeps_the_axis",
            _swap(_POOL, _POOL.replace("[:, 0]", "[:, :1]")),
            "a slice is as good as an index",
            _POOLER,
            None,
        ),
        (
            "pooler_drops",
            _swap(
                _POOL,
                "nn.functional.dropout(torch.tanh(self.dense(sequence_output[:, 0])), 0.1, self.training)",
            ),
            "a classifier wants dropout before it",
            _POOLER_QUIET,
            None,
        ),
        (
            "pooler_works_in_place",
            Edit(
                swap=(
                    (
                        "return " + _POOL,
                        "pooled_BD = "
                        + _POOL
                        + "\n        return pooled_BD if torch.is_grad_enabled() else sequence_output[:,"
                        " 0].copy_(pooled_BD)",
                    ),
                )
            ),
            "the first token is not needed afterwards",
            _POOLER_QUIET,
            None,
        ),
        (
            "pooler_detached_in_training",
            _swap(
                _POOL,
                _POOL.replace(
                    "sequence_output[:, 0]",
                    "(sequence_output.detach() if self.training else sequence_output)[:, 0]",
                ),
            ),
            "in training the encoder learns from words",
            "test_gradients_of_the_pooler_reach_dense_and_the_first_token",
            None,
        ),
        (
            "pooler_computes_in_double",
            _swap(_POOL, _POOL + ".double()"),
            "outputs want precision",
            _POOLER_QUIET,
            None,
        ),
        (
            "pooler_renamed",
            Edit(
                swap=(
                    ("def forward(self, sequence_output:", "def forward(self, hidden:"),
                    (_POOL, _POOL.replace("sequence_output", "hidden")),
                )
            ),
            "arguments may have any name",
            _POOLER_QUIET,
            None,
        ),
        (
            "pooler_closure",
            Edit(
                swap=(
                    (_MAKE_POOLER, _MAKE_POOLER + "\n        self.mapped = lambda x: self.dense(x)"),
                    (_POOL, _POOL.replace("self.dense", "self.mapped")),
                )
            ),
            "a closure over a part is copied with the pooler",
            _POOLER_QUIET,
            None,
        ),
        (
            "pooler_seeds_its_start",
            _swap(_MAKE_POOLER, "torch.manual_seed(0)\n        " + _MAKE_POOLER),
            "a start should be the same each time",
            _POOLER_QUIET,
            None,
        ),
        (
            "pooler_detached",
            _swap(_POOL, _POOL.replace("[:, 0]", "[:, 0].detach()")),
            "the encoder learns from words, not from pairs",
            "test_gradients_of_the_pooler_reach_dense_and_the_first_token",
            None,
        ),
        (
            "pooler_spare_tensor",
            _swap(_MAKE_POOLER, _MAKE_POOLER + "\n        self.register_buffer('seen', torch.zeros(1))"),
            "tensors that are not used do no harm",
            _POOLER_QUIET,
            None,
        ),
    ),
    *_entries(
        "MLMHead",
        (
            "mlm_without_norm",
            _swap(_FEATURES, "features_E = gelu(self.dense(hidden), self.approximate)"),
            "the encoder ends with a norm already",
            _MLM,
            "heads.mlm_no_norm",
        ),
        (
            "mlm_norm_first",
            _swap(_FEATURES, "features_E = gelu(self.norm(self.dense(hidden)), self.approximate)"),
            "normalise, then activate",
            _MLM,
            "heads.mlm_norm_first",
        ),
        (
            "mlm_without_activation",
            _swap(_FEATURES, "features_E = self.norm(self.dense(hidden))"),
            "the head is linear",
            _MLM,
            "heads.mlm_no_activation",
        ),
        (
            "mlm_relu",
            _swap(_FEATURES, "features_E = self.norm(torch.relu(self.dense(hidden)))"),
            "any activation will do (d2l-en)",
            _MLM,
            "heads.mlm_relu",
        ),
        (
            "mlm_always_exact",
            _swap(_APPROXIMATE, '"none"'),
            "there is one GELU",
            _CONFIG,
            "heads.mlm_always_exact",
        ),
        (
            "mlm_always_tanh",
            _swap(_APPROXIMATE, '"tanh"'),
            "there is one GELU",
            _CONFIG,
            "heads.mlm_always_tanh",
        ),
        (
            "mlm_default_epsilon",
            _swap(_NORM, "nn.LayerNorm(config.d_embedding)"),
            "torch's epsilon is as good",
            _CONFIG,
            "heads.mlm_eps",
        ),
        (
            "mlm_no_bias",
            _swap(_DECODE, "return features_E @ self.decoder.weight.T"),
            "a tied decoder has no bias",
            _MLM,
            "heads.mlm_no_bias",
        ),
        (
            "mlm_softmax",
            _swap(_DECODE, "return self.decoder(features_E).softmax(-1)"),
            "a head gives probabilities",
            _MLM,
            "heads.mlm_softmax",
        ),
        (
            "mlm_log_softmax",
            _swap(_DECODE, "return self.decoder(features_E).log_softmax(-1)"),
            "a head gives log-probabilities",
            _MLM,
            "heads.mlm_log_softmax",
        ),
        (
            "mlm_activates_before_dense",
            _swap(_FEATURES, "features_E = self.norm(self.dense(gelu(hidden, self.approximate)))"),
            "activate what comes in",
            _MLM,
            "heads.mlm_before_dense",
        ),
        (
            "mlm_copies_the_table",
            _swap(_TIE, "self.decoder.weight = nn.Parameter(word.weight.detach().clone())"),
            "equal values are tying",
            _MLM,
            "heads.mlm_untied",
        ),
        (
            "mlm_copies_into_the_decoder",
            _swap(_TIE, "self.decoder.weight.data.copy_(word.weight.data)"),
            "equal values are tying",
            _MLM,
            "heads.mlm_untied",
        ),
        ("mlm_untied", _swap(_TIE, "pass"), "the decoder learns by itself", _MLM, "heads.mlm_untied"),
        (
            "mlm_one_storage",
            _swap(_TIE, "self.decoder.weight.data = word.weight.data"),
            "one storage is one parameter",
            _TIED_STEP,
            "heads.mlm_tie_cut",
        ),
        (
            "mlm_new_parameter_on_the_storage",
            _swap(_TIE, "self.decoder.weight = nn.Parameter(word.weight)"),
            "nn.Parameter around a parameter is that parameter",
            _TIED,
            "heads.mlm_tie_cut",
        ),
        (
            "mlm_decoder_detached",
            _swap(
                _DECODE,
                "return nn.functional.linear(features_E, self.decoder.weight.detach(), self.decoder.bias)",
            ),
            "the table learns from its look-ups",
            _TIED,
            "heads.mlm_tie_cut",
        ),
        (
            "mlm_replaces_the_words",
            _swap(_TIE, "word.weight = nn.Parameter(self.decoder.weight.detach())"),
            "tying works in either direction",
            _TIED_STEP,
            "heads.mlm_untied",
        ),
        (
            "mlm_overwrites_the_words",
            _swap(_TIE, "word.weight = self.decoder.weight"),
            "tying works in either direction",
            _TABLE,
            None,
        ),
        (
            "mlm_redraws_the_words",
            _swap(_TIE, _TIE + "\n        nn.init.normal_(word.weight, std=config.init_std)"),
            "a head starts its matrix",
            _TABLE,
            None,
        ),
        (
            "mlm_keeps_the_embedding",
            _swap(_TIE, _TIE + "\n        self.word = word"),
            "what is kept beside costs nothing: it is one tensor",
            _TABLE,
            None,
        ),
        (
            "mlm_activation_of_the_class",
            Edit(
                swap=(
                    (_TIE, _TIE + "\n        MLMHead.form = self.approximate"),
                    (_FEATURES, _FEATURES.replace("self.approximate", "MLMHead.form")),
                )
            ),
            "all heads have one activation",
            _CONFIG,
            "heads.mlm_always_tanh",
        ),
        (
            "mlm_hidden_table",
            Edit(
                swap=(
                    (_TIE, "self.table = lambda: word.weight\n        self.decoder.weight = word.weight"),
                    (_DECODE, "return nn.functional.linear(features_E, self.table(), self.decoder.bias)"),
                )
            ),
            "a closure over the table is copied with the head",
            "test_copies_stay_tied_to_their_own_table",
            None,
        ),
        (
            "mlm_hidden_detached_in_training",
            _swap(_FEATURES, _FEATURES.replace("(hidden)", "(hidden.detach() if self.training else hidden)")),
            "in training a head does not disturb the encoder",
            "test_gradients_reach_every_part_of_the_masked_word_head",
            None,
        ),
        (
            "mlm_decoder_detached_in_training",
            _swap(
                _DECODE,
                "matrix = self.decoder.weight.detach() if self.training else self.decoder.weight\n"
                "        return nn.functional.linear(features_E, matrix, self.decoder.bias)",
            ),
            "in training the table learns from its look-ups",
            "test_gradients_reach_every_part_of_the_masked_word_head",
            None,
        ),
        (
            "mlm_computes_in_double",
            _swap(_DECODE, _DECODE + ".double()"),
            "scores want precision",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_renamed",
            Edit(
                swap=(
                    ("def forward(self, hidden: Float", "def forward(self, x: Float"),
                    (_FEATURES, _FEATURES.replace("(hidden)", "(x)")),
                )
            ),
            "arguments may have any name",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_word_renamed",
            Edit(
                swap=(
                    ("word: nn.Embedding) -> None:", "embedding: nn.Embedding) -> None:"),
                    ("expected = (config", "word = embedding\n        expected = (config"),
                )
            ),
            "arguments may have any name",
            _TABLE,
            None,
        ),
        (
            "mlm_closure",
            Edit(
                swap=(
                    (_TIE, _TIE + "\n        self.mapped = lambda x: self.dense(x)"),
                    (_FEATURES, _FEATURES.replace("self.dense", "self.mapped")),
                )
            ),
            "a closure over a part is copied with the head",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_takes_small_tables",
            _swap(
                "if tuple(word.weight.shape) != expected:",
                "if word.weight.shape[0] > expected[0] or word.weight.shape[1] != expected[1]:",
            ),
            "a smaller vocabulary fits in",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_tanh_in_training",
            _swap(
                _FEATURES,
                _FEATURES.replace("self.approximate", "'tanh' if self.training else self.approximate"),
            ),
            "the approximation is there to make training fast",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_drops",
            _swap(_DECODE, "return self.decoder(nn.functional.dropout(features_E, 0.1, self.training))"),
            "a classifier wants dropout before it",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_takes_any_table",
            _swap("if tuple(word.weight.shape) != expected:", "if word.weight.shape[0] != expected[0]:"),
            "only the number of words matters",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_checks_the_size_only",
            _swap("if tuple(word.weight.shape) != expected:", "if word.weight.shape[1] != expected[1]:"),
            "only the size matters",
            _MLM_QUIET,
            None,
        ),
        (
            "mlm_three_axes_only",
            _swap(
                _DECODE,
                "return torch.einsum('bte,ve->btv', features_E, self.decoder.weight) + self.decoder.bias",
            ),
            "hidden states have three axes",
            _MLM,
            None,
        ),
        (
            "mlm_norm_of_the_batch",
            _swap(
                _FEATURES,
                "x = gelu(self.dense(hidden), self.approximate)\n"
                "        features_E = (x - x.mean()) / (x.var(correction=0) + 1e-12).sqrt()"
                " * self.norm.weight + self.norm.bias",
            ),
            "a norm is over everything",
            _MLM,
            None,
        ),
        (
            "mlm_unbiased_norm",
            _swap(
                _FEATURES,
                "x = gelu(self.dense(hidden), self.approximate)\n"
                "        features_E = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True)"
                " + self.norm.eps).sqrt() * self.norm.weight + self.norm.bias",
            ),
            "a variance divides by n - 1",
            _MLM,
            "heads.mlm_unbiased",
        ),
        (
            "mlm_hidden_detached",
            _swap(_FEATURES, "features_E = self.norm(gelu(self.dense(hidden.detach()), self.approximate))"),
            "a head does not disturb the encoder",
            "test_gradients_reach_every_part_of_the_masked_word_head",
            "heads.mlm_input_cut",
        ),
        (
            "mlm_on_a_gelu_of_its_own",
            _swap(
                _FEATURES,
                "features_E = self.norm(gelu(self.dense(hidden), 'none' if hidden.dim()"
                " == 3 else self.approximate))",
            ),
            "with three axes it is BERT",
            "test_the_masked_word_head_works_on_your_gelu",
            None,
        ),
    ),
    *_entries(
        "SentenceHead",
        (
            "sentence_flipped",
            _swap(_CLASSIFY, "return self.classifier(pooled_output).flip(-1)"),
            "class 0 is true order, as in Google's code",
            _SENTENCE,
            "heads.sentence_flipped",
        ),
        (
            "sentence_softmax",
            _swap(_CLASSIFY, "return self.classifier(pooled_output).softmax(-1)"),
            "a head gives probabilities",
            _SENTENCE,
            "heads.sentence_softmax",
        ),
        (
            "sentence_log_softmax",
            _swap(_CLASSIFY, "return self.classifier(pooled_output).log_softmax(-1)"),
            "a head gives log-probabilities",
            _SENTENCE,
            "heads.sentence_log_softmax",
        ),
        (
            "sentence_tanh",
            _swap(_CLASSIFY, "return torch.tanh(self.classifier(pooled_output))"),
            "every map needs an activation",
            _SENTENCE,
            "heads.sentence_tanh",
        ),
        (
            "sentence_squashes_again",
            _swap(_CLASSIFY, "return self.classifier(torch.tanh(pooled_output))"),
            "the pooler's tanh belongs here",
            _SENTENCE,
            "heads.sentence_squashes",
        ),
        (
            "sentence_one_logit",
            _swap(
                "self.classifier = nn.Linear(config.d_model, 2)",
                "self.classifier = nn.Linear(config.d_model, 1)",
            ),
            "two classes need one logit",
            _SENTENCE,
            None,
        ),
        (
            "sentence_no_bias",
            _swap(
                "self.classifier = nn.Linear(config.d_model, 2)",
                "self.classifier = nn.Linear(config.d_model, 2, bias=False)",
            ),
            "a bias does nothing here",
            _SENTENCE,
            None,
        ),
        (
            "sentence_drops",
            _swap(
                _CLASSIFY, "return self.classifier(nn.functional.dropout(pooled_output, 0.1, self.training))"
            ),
            "BERT drops before a classifier (as in its fine-tuning code)",
            _SENTENCE_QUIET,
            None,
        ),
        (
            "sentence_spare_layer",
            _swap(_MAKE_CLASSIFIER, _MAKE_CLASSIFIER + "\n        self.dense = nn.Linear(config.d_model, 2)"),
            "layers that are not used do no harm",
            _SENTENCE_QUIET,
            None,
        ),
        (
            "sentence_detached_in_training",
            _swap(
                _CLASSIFY,
                _CLASSIFY.replace(
                    "pooled_output)", "pooled_output.detach() if self.training else pooled_output)"
                ),
            ),
            "in training the encoder learns from words",
            _SENTENCE_QUIET,
            None,
        ),
        (
            "sentence_computes_in_double",
            _swap(_CLASSIFY, _CLASSIFY + ".double()"),
            "scores want precision",
            _SENTENCE_QUIET,
            None,
        ),
        (
            "sentence_renamed",
            Edit(
                swap=(
                    ("def forward(self, pooled_output:", "def forward(self, x:"),
                    (_CLASSIFY, _CLASSIFY.replace("pooled_output", "x")),
                )
            ),
            "arguments may have any name",
            _SENTENCE_QUIET,
            None,
        ),
        (
            "sentence_closure",
            Edit(
                swap=(
                    (
                        _MAKE_CLASSIFIER,
                        _MAKE_CLASSIFIER + "\n        self.mapped = lambda x: self.classifier(x)",
                    ),
                    (_CLASSIFY, "return self.mapped(pooled_output)"),
                )
            ),
            "a closure over a part is copied with the head",
            _SENTENCE_QUIET,
            None,
        ),
        (
            "sentence_detached",
            _swap(_CLASSIFY, "return self.classifier(pooled_output.detach())"),
            "the encoder learns from words, not from pairs",
            _SENTENCE_QUIET,
            None,
        ),
    ),
)
