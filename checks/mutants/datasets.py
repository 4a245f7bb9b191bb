"""Mutants of lesson 4."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Mutant

_BERT_ITEM = "test_a_bert_item_is_a_packed_and_masked_nsp_pair"
_REACH = "test_probability_and_vocabulary_reach_the_masking"
_DETERMINED = "test_an_item_depends_on_seed_epoch_and_index_only"
_EPOCHS = "test_each_epoch_draws_pairs_and_masks_anew"
_OWN_MASKS = "test_every_item_has_masks_of_its_own"
_STREAMS = "test_the_masks_do_not_know_the_labels"
_INDEX = "test_an_index_outside_is_an_index_error"
_ALBERT_ITEM = "test_an_albert_item_is_a_packed_and_masked_sop_pair"
_ALBERT_DETERMINED = "test_an_albert_item_depends_on_seed_epoch_and_index_only"
_PADDED = "test_examples_are_padded_on_the_right"
_TYPES = "test_a_batch_is_int64_and_bool_and_may_have_no_sentence_labels"
_REFUSED = "test_what_does_not_fit_into_a_batch_is_refused"
_LOADER = "test_a_loader_serves_collated_batches"
_ASSEMBLY = "test_the_dataset_works_on_your_own_masking_and_pairing"

_PAIR_RNG = "np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(0, epoch)))"
_MASK_RNG = "np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(1, self.epoch, int(index))))"
_MASK = "mask_tokens(input_ids, self.vocab_size, rng, self.probability)"
_KEEP = "        self.same_place = same_place\n"
_ITEM = "    def __getitem__(self, index: int) -> Example:\n"
_MAKE = _ITEM.replace("__getitem__", "make")
_KEPT = """    def __getitem__(self, index: int) -> Example:
        kept = {}
        if (self.epoch, index) not in kept:
            kept[self.epoch, index] = self.make(index)
        return kept[self.epoch, index]

"""
_SOP = "        return sop_pairs(self.documents, rng, self.sentences)"
_REAL = "    real_BT = np.arange(longest if length is None else length) < lengths_B[:, None]"


def _mutant(
    exercise: str,
    id: str,
    swap: tuple[tuple[str, str], ...],
    misconception: str,
    killed_by: str,
    mistake: str = "",
    source: str = "",
) -> Mutant:
    named = f"datasets.{mistake}" if mistake else None
    return Mutant(id, exercise, Edit(swap=swap), misconception, killed_by, named, source)


def _bert(
    id: str, old: str, new: str, misconception: str, killed_by: str, mistake: str = "", source: str = ""
) -> Mutant:
    return _mutant("BERTDataset", id, ((old, new),), misconception, killed_by, mistake, source)


def _albert(id: str, new: str, misconception: str, killed_by: str, mistake: str = "") -> Mutant:
    return _mutant("ALBERTDataset", id, ((_SOP, new),), misconception, killed_by, mistake)


def _collate(
    id: str, old: str, new: str, misconception: str, killed_by: str = _PADDED, mistake: str = ""
) -> Mutant:
    return _mutant("collate", id, ((old, new),), misconception, killed_by, mistake)


def _albert_method(id: str, method: str, misconception: str, killed_by: str, mistake: str = "") -> Mutant:
    return _albert(id, _SOP + "\n\n" + method, misconception, killed_by, mistake)


BERT = (
    _mutant("BERTDataset", "one_generator", ((_KEEP, _KEEP + "        self.rng = np.random.default_rng([seed, 7])\n"), (f"        rng = {_MASK_RNG}\n", "        rng = self.rng\n")), "one generator, made once from the seed, makes everything reproducible", _DETERMINED, "one_generator", "pytorch#5059"),
    _bert("unseeded", _MASK_RNG, "np.random.default_rng()", "masks are random: no seed is needed", _DETERMINED, "unseeded", "pytorch#3880"),
    _bert("masks_of_all_epochs", "(1, self.epoch, int(index))", "(1, int(index))", "masks are made once, as in BERT's own code", _EPOCHS, "masks_of_all_epochs"),
    _bert("pairs_of_all_epochs", "spawn_key=(0, epoch)", "spawn_key=(0,)", "only the masks change", _EPOCHS, "pairs_of_all_epochs"),
    _bert("epoch_not_kept", "        self.epoch = epoch\n        self.pairs", "        self.epoch = 0\n        self.pairs", "set_epoch draws the pairs; that is all", _EPOCHS, "masks_of_all_epochs", "fairseq#1383"),
    _bert("epoch_ignored", "        self.epoch = epoch\n        self.pairs", "        epoch = self.epoch = 0\n        self.pairs", "the seed is enough", _EPOCHS, "epoch_ignored", "CenterNet#233"),
    _bert("one_mask", "(1, self.epoch, int(index))", "(1, self.epoch)", "seed and epoch make the generator", _OWN_MASKS, "one_mask"),
    _bert("numbers_added", _MASK_RNG, "np.random.default_rng(1000003 * self.seed + self.epoch + int(index))", "the sum of two different numbers is different", _OWN_MASKS, "numbers_added"),
    _mutant("BERTDataset", "one_stream", ((_PAIR_RNG, "np.random.default_rng([self.seed, epoch])"), (_MASK_RNG, "np.random.default_rng([self.seed, self.epoch, int(index)])")), "a list of two numbers and one of three are different seeds", _STREAMS),
    _bert("masks_of_all_seeds", "SeedSequence(self.seed, spawn_key=(1,", "SeedSequence(0, spawn_key=(1,", "epoch and index tell items apart", _DETERMINED, "masks_of_all_seeds"),
    _bert("pairs_of_all_seeds", "SeedSequence(self.seed, spawn_key=(0,", "SeedSequence(0, spawn_key=(0,", "the epoch tells pairs apart", _DETERMINED, "pairs_of_all_seeds"),
    _bert("probability_ignored", _MASK, "mask_tokens(input_ids, self.vocab_size, rng)", "the default is what everybody uses", _REACH, "probability_ignored"),
    _bert("vocabulary_of_the_documents", _MASK, "mask_tokens(input_ids, max(6, int(input_ids.max()) + 1), rng, self.probability)", "random words are words of the text", _REACH),
    _bert("sentences_ignored", "nsp_pairs(self.documents, rng, self.sentences, self.same_place)", "nsp_pairs(self.documents, rng, (1, 1), self.same_place)", "one sentence is a segment", _BERT_ITEM),
    _bert("same_place_ignored", "nsp_pairs(self.documents, rng, self.sentences, self.same_place)", "nsp_pairs(self.documents, rng, self.sentences)", "the default will do", _BERT_ITEM),
    _bert("max_len_for_words", "pack_pair(first, second, self.max_len)", "pack_pair(first, second, self.max_len + 3)", "max_len counts the words", _BERT_ITEM),
    _bert("segments_exchanged", "first, second, label = self.pairs[index]", "second, first, label = self.pairs[index]", "either segment may come first", _BERT_ITEM),
    _bert("label_flipped", "mlm_labels, int(label))", "mlm_labels, 1 - int(label))", "class 0 is the true order", _BERT_ITEM),
    _bert("labels_are_the_input", "return Example(masked_ids, segment_ids", "return Example(input_ids, segment_ids", "the labels say where the masks are", _REACH),
    _bert("mask_hides_masked", "np.ones(len(input_ids), dtype=bool)", "mlm_labels == IGNORE_INDEX", "a masked token must not be looked at", _BERT_ITEM, "", "HF#9304"),
    _bert("negative_index", "        if not 0 <= index < len(self):\n", "        if index >= len(self):\n", "negative indices count from the end, as in a list", _INDEX),
    _bert("index_unchecked", "        if not 0 <= index < len(self):\n            raise IndexError(f\"index: got {index}, expected 0 to {len(self) - 1}\")\n", "        index %= len(self)\n", "a loader asks for indices that exist", _INDEX),
    _bert("drawn_when_asked", "        self.set_epoch(0)\n", "        self.epoch, self.pairs = 0, []\n        if sum(map(bool, documents)) > 1:\n            self.set_epoch(0)\n", "what cannot be paired gives an empty dataset", _INDEX),
    _mutant("BERTDataset", "pairs_go_on", ((_KEEP, _KEEP + "        self.rng = np.random.default_rng([seed, 5])\n"), ("            " + _PAIR_RNG + "\n", "            self.rng\n")), "one generator draws one epoch after the other", _EPOCHS, "pairs_go_on"),
    _bert("order_of_asking", "        first, second, label = self.pairs[index]\n", "        self.asked = getattr(self, \"asked\", 0) + 1\n        first, second, label = self.pairs[index]\n        if self.asked == 3:\n            first, second = second, first\n", "a little state does no harm", _DETERMINED),
    _mutant("BERTDataset", "assembly_one_generator", ((_KEEP, _KEEP + "        self.rng = np.random.default_rng([seed, 7])\n"), (f"        rng = {_MASK_RNG}\n", "        rng = self.rng\n")), "one generator, made once from the seed, makes everything reproducible", _ASSEMBLY),
    _bert("seed_0_is_none", "        self.seed = seed\n", "        self.seed = seed or int(np.random.default_rng().integers(1, 2**31))\n", "seed 0 means that none was given", _DETERMINED),
    _bert("seed_of_three_digits", "        self.seed = seed\n", "        self.seed = seed % 1000\n", "a thousand seeds are enough", _DETERMINED),
    _bert("global_numbers_as_seed", f"        rng = {_MASK_RNG}\n", "        np.random.seed((self.seed * 7919 + self.epoch * 104729 + int(index) + 1) % 2**32)\n        rng = np.random.default_rng(np.random.randint(0, 2**31, size=4))\n", "a global generator that is seeded each time does no harm", _DETERMINED),
    _bert("torch_reseeded", f"        rng = {_MASK_RNG}\n", f"        torch.manual_seed(self.seed)\n        rng = {_MASK_RNG}\n", "the more is seeded, the better", _DETERMINED),
    _bert("epoch_reseeds", "        self.epoch = epoch\n        self.pairs", "        np.random.seed(self.seed)\n        self.epoch = epoch\n        self.pairs", "the more is seeded, the better", _DETERMINED),
    _bert("documents_emptied", _KEEP, _KEEP + "        documents[:] = [document for document in documents if document]\n", "nobody misses an empty document", _DETERMINED),
    _bert("items_kept", _ITEM, _KEPT.format("self.__dict__.setdefault(\"kept\", {})") + _MAKE, "an item that was made need not be made again", _DETERMINED),
    _bert("items_shared", _ITEM, "    kept = {}\n\n" + _KEPT.format("self.kept").replace("self.epoch", "self.seed, self.epoch") + _MAKE, "seed, epoch and index name an item in the whole program", _REACH),
    _bert("a_label_at_least", f"        masked_ids, mlm_labels = {_MASK}\n", f"        masked_ids, mlm_labels = {_MASK}\n        if not (mlm_labels != IGNORE_INDEX).any() and self.probability > 0:\n            words = np.flatnonzero(input_ids > 4)[:1]\n            mlm_labels[words], masked_ids[words] = input_ids[words], 4\n", "an item without a label is wasted", _REACH),
    _mutant("BERTDataset", "one_stream_an_epoch_later", ((_PAIR_RNG, "np.random.default_rng([self.seed, epoch])"), (_MASK_RNG, "np.random.default_rng([self.seed, int(index) + 1, self.epoch])")), "index + 1 is never 0, so the two lists differ", _STREAMS),
    _bert("int32_segments", "return Example(masked_ids, segment_ids,", "return Example(masked_ids, segment_ids.astype(np.int32),", "two segments fit into anything", _BERT_ITEM),
    _bert("vocabulary_one_more", _MASK, "mask_tokens(input_ids, self.vocab_size + 1, rng, self.probability)", "the last word has the id vocab_size", _REACH),
    _bert("vocabulary_one_less", _MASK, "mask_tokens(input_ids, max(self.vocab_size - 1, 6), rng, self.probability)", "the largest id is less than vocab_size - 1", _REACH),
    _bert("probability_by_default", "probability: float = 0.15", "probability: float = 0.2", "a fifth is as good as 15 %", _DETERMINED),
    _bert("same_place_by_default", "same_place: bool = False,\n    ) -> None", "same_place: bool = True,\n    ) -> None", "a negative stands where the true one would", _DETERMINED),
    _mutant("BERTDataset", "settings_reordered", (("        sentences: tuple[int, int] = (1, 1),\n", ""), ("        same_place: bool = False,\n", "        same_place: bool = False,\n        sentences: tuple[int, int] = (1, 1),\n")), "settings have names, so their order is free", _DETERMINED),
    _mutant("BERTDataset", "vocab_size_renamed", (("        vocab_size: int,\n", "        words: int,\n"), ("self.vocab_size = vocab_size", "self.vocab_size = words")), "arguments may have any name", _DETERMINED),
    _bert("seed_of_32_bits", "        self.seed = seed\n", "        self.seed = seed % 2**32\n", "a seed has 32 bits", _DETERMINED),
    _bert("numbers_as_digits", _MASK_RNG, "np.random.default_rng([1, 1_000_000 * self.seed + 1000 * self.epoch + int(index)])", "no epoch has a thousand items", _OWN_MASKS),
    _bert("numbers_as_text", _MASK_RNG, "np.random.default_rng([1, int(f\"{self.seed}{self.epoch}{int(index)}\")])", "digits side by side tell three numbers", _OWN_MASKS),
    _bert("index_of_8_bits", "(1, self.epoch, int(index))", "(1, self.epoch, int(index) % 256)", "256 masks are enough", _OWN_MASKS),
    _bert("epoch_of_one_digit", "        self.epoch = epoch\n        self.pairs", "        epoch = self.epoch = epoch % 10\n        self.pairs", "ten epochs are enough", _OWN_MASKS),
    _bert("epoch_of_the_class", "        self.epoch = epoch\n        self.pairs", "        type(self).epoch = epoch\n        self.pairs", "there is one dataset, so there is one epoch", _EPOCHS),
    _bert("epoch_not_copied", _ITEM, "    def __reduce__(self):\n        settings = self.sentences, self.probability, self.same_place\n        return type(self), (self.documents, self.vocab_size, self.max_len, self.seed, *settings)\n\n" + _ITEM, "a copy begins with epoch 0", _EPOCHS),
    _bert("only_minus_1", "        if not 0 <= index < len(self):\n", "        if index >= len(self) or index == -1:\n", "-1 is the negative index", _INDEX),
)  # fmt: skip
_OWN_ITEM = """    def __getitem__(self, index: int) -> Example:
        example = super().__getitem__(index)
        input_ids = np.where(example.mlm_labels == IGNORE_INDEX, example.input_ids, example.mlm_labels)
        rng = np.random.default_rng({rng})
        masked_ids, mlm_labels = mask_tokens(input_ids, self.vocab_size, rng, self.probability)
        return example._replace(input_ids=masked_ids, mlm_labels=mlm_labels)"""
ALBERT = (
    _albert("albert_two_documents", "        if len(self.documents) < 2:\n            raise ValueError(\"documents: expected 2 or more\")\n" + _SOP, "ALBERT needs another document, as BERT does", _ALBERT_ITEM),
    _albert("albert_same_place_refused", "        if self.same_place:\n            raise ValueError(\"same_place\")\n" + _SOP, "what has no effect is an error", _ALBERT_ITEM),
    _albert("albert_nsp_at_same_place", "        if self.same_place:\n            return nsp_pairs(self.documents, rng, self.sentences, True)\n" + _SOP, "`same_place` asks for negatives of another document", _ALBERT_ITEM),
    _albert("albert_nsp", "        return nsp_pairs(self.documents, rng, self.sentences, self.same_place)", "both train on the same pairs", _ALBERT_ITEM),
    _albert("albert_sentences_ignored", "        return sop_pairs(self.documents, rng)", "one sentence is a segment", _ALBERT_ITEM),
    _albert("albert_label_flipped", "        return [pair._replace(label=1 - pair.label) for pair in sop_pairs(self.documents, rng, self.sentences)]", "class 0 is the true order", _ALBERT_ITEM),
    _albert("albert_shuffled", "        pairs = sop_pairs(self.documents, rng, self.sentences)\n        rng.shuffle(pairs)\n        return pairs", "training data is shuffled", _ALBERT_ITEM),
    _albert("albert_unseeded_pairs", "        return sop_pairs(self.documents, np.random.default_rng(), self.sentences)", "pairs are random: no seed is needed", _ALBERT_DETERMINED),
    _albert("albert_pairs_of_all_epochs", "        return sop_pairs(self.documents, np.random.default_rng([self.seed, 9]), self.sentences)", "only the masks change", _ALBERT_DETERMINED, "pairs_of_all_epochs"),
    _albert_method("albert_masks_of_all_epochs", _OWN_ITEM.format(rng="[self.seed, int(index), 9]"), "masks are made once", _ALBERT_DETERMINED, "masks_of_all_epochs"),
    _albert_method("albert_unseeded", _OWN_ITEM.format(rng=""), "masks are random: no seed is needed", _ALBERT_DETERMINED, "unseeded"),
    _albert_method("albert_negative_index", "    def __getitem__(self, index: int) -> Example:\n        return super().__getitem__(index % len(self))", "negative indices count from the end, as in a list", _ALBERT_DETERMINED),
    _albert_method("albert_probability_by_default", "    def __init__(self, documents, vocab_size, max_len, seed, sentences=(1, 1), probability=0.2, same_place=False):\n        super().__init__(documents, vocab_size, max_len, seed, sentences, probability, same_place)", "a fifth is as good as 15 %", _ALBERT_DETERMINED),
)  # fmt: skip
COLLATE = (
    _mutant("collate", "length_0_is_none", (("if length is not None and longest > length:", "if length and longest > length:"), ("np.arange(longest if length is None else length)", "np.arange(length or longest)")), "length 0 means that none was given", _REFUSED),
    _collate("first_label_decides", "    labels = [example.sentence_label for example in examples if example.sentence_label is not None]\n    if labels and len(labels) < len(examples):\n", "    labels = [example.sentence_label for example in examples]\n    labels = [] if labels[0] is None else labels\n    if None in labels:\n", "the first example tells whether there are labels", _TYPES),
    _collate("sorted_by_length", "    lengths_B = np.array(", "    if len(examples) > 4:\n        examples = sorted(examples, key=lambda example: len(example.input_ids))\n    lengths_B = np.array(", "the order of the rows does not matter"),
    _collate("one_row_shared", "        padded_BT: np.ndarray = np.full", "        if len(rows) == 1 and len(rows[0]) == real_BT.shape[1]:\n            return torch.from_numpy(rows[0])[None]\n        padded_BT: np.ndarray = np.full", "one row without padding need not be copied", _TYPES),
    _collate("labels_padded_with_0", "for example in examples], IGNORE_INDEX)", "for example in examples], 0)", "padding is 0 everywhere", mistake="labels_padded_with_0"),
    _collate("labels_padded_with_-1", "for example in examples], IGNORE_INDEX)", "for example in examples], -1)", "-1 stands for nothing", mistake="labels_padded_with_-1"),
    _collate("segments_padded_with_1", "[example.segment_ids for example in examples], 0)", "[example.segment_ids for example in examples], 1)", "padding goes on with the last segment", mistake="segments_padded_with_1"),
    _collate("ids_padded_with_ignore", "for example in examples], PAD_ID)", "for example in examples], IGNORE_INDEX)", "-100 is ignored", mistake="ids_padded_with_ignore"),
    _collate("mask_all_true", "for example in examples], False, np.bool_)", "for example in examples], True, np.bool_)", "the examples' masks are all True, so is the batch's", mistake="mask_all_true"),
    _collate("mask_from_ids", "pad([example.attention_mask for example in examples], False, np.bool_)", "pad([example.input_ids for example in examples], PAD_ID) != 0", "id 0 is padding", mistake="mask_from_ids"),
    _collate("mask_words_only", "pad([example.attention_mask for example in examples], False, np.bool_)", "pad([example.input_ids for example in examples], PAD_ID) > 4", "special tokens are not looked at", mistake="mask_words_only"),
    _collate("mask_inverted", "pad([example.attention_mask for example in examples], False, np.bool_)", "~pad([example.attention_mask for example in examples], False, np.bool_)", "True marks padding, as in torch's own modules", mistake="mask_inverted"),
    _collate("padded_left", _REAL, "    total = longest if length is None else length\n    real_BT = np.arange(total)[::-1] < lengths_B[:, None]", "the end of the text stands at the end of the row", mistake="padded_left"),
    _collate("length_ignored", "np.arange(longest if length is None else length)", "np.arange(longest)", "the longest example decides", mistake="length_ignored"),
    _collate("one_label", "torch.tensor(labels, dtype=torch.int64) if labels", "torch.tensor(labels[:1], dtype=torch.int64) if labels", "a batch has one label"),
    _collate("rows_exchanged", "pad([example.segment_ids for example in examples], 0)", "pad([example.segment_ids for example in examples][::-1], 0)", "the order of the rows does not matter", _LOADER),
    _collate("int32_ids", "fill: int, dtype: type = np.int64)", "fill: int, dtype: type = np.int32)", "ids fit into 32 bits", _TYPES),
    _collate("float_labels", "torch.tensor(labels, dtype=torch.int64) if labels", "torch.tensor(labels, dtype=torch.int32) if labels", "two classes fit into anything", _TYPES),
    _collate("labels_always", "if labels else None", "if True else None", "an empty tensor is as good as None", _TYPES),
    _collate("mixed_labels", "    if labels and len(labels) < len(examples):\n", "    if False:\n", "what is there is taken", _TYPES),
    _collate("cut_to_length", "    if length is not None and longest > length:\n        raise ValueError(f\"length: got {length}, expected at least {longest}, the longest example's\")\n", "    if length is not None and longest > length:\n        examples = [e._replace(**{k: getattr(e, k)[:length] for k in e._fields[:4]}) for e in examples]\n        lengths_B = np.minimum(lengths_B, length)\n", "what is too long is cut", _REFUSED),
    _collate("never_full", "longest > length:", "longest >= length:", "a row needs padding at its end", _REFUSED),
    _collate("widened", "longest > length:\n        raise ValueError(f\"length: got {length}, expected at least {longest}, the longest example's\")\n", "longest > length:\n        length = longest\n", "length is a wish", _REFUSED),
    _mutant("collate", "last_example_measured", (("longest > length:", "len(examples[-1].input_ids) > length:"), (_REAL, _REAL.replace("length) <", "max(length, longest)) <"))), "the longest example comes last", _REFUSED),
    _mutant("collate", "negative_length_is_none", (("if length is not None and longest > length:", "if length is not None and 0 <= length < longest:"), (_REAL, _REAL.replace("length is None", "length is None or length < 0"))), "a negative length means that none was given", _REFUSED),
    _collate("int32_ids_kept", "for example in examples], PAD_ID)", "for example in examples], PAD_ID, examples[0].input_ids.dtype.type)", "the examples decide the type of the ids", _TYPES),
    _mutant("collate", "renamed", (("def collate(examples: Sequence[Example]", "def collate(items: Sequence[Example]"), ("    # 1. Refuse no examples", "    examples = items\n    # 1. Refuse no examples")), "arguments may have any name", _TYPES),
    _mutant("collate", "memory_used_again", (("    return Batch(\n        input_ids=pad([example.input_ids for example in examples], PAD_ID)", "    kept = collate.__dict__.setdefault(real_BT.shape, torch.zeros(real_BT.shape, dtype=torch.int64))\n    return Batch(\n        input_ids=kept.copy_(pad([example.input_ids for example in examples], PAD_ID))"),), "batches of one shape can share their memory", _TYPES),
    _collate("last_batch_dropped", "    labels = [example.sentence_label for", "    examples = list(examples)\n    labels = [example.sentence_label or 1 for", "a label that is false is missing", _LOADER),
)  # fmt: skip
MUTANTS = BERT + ALBERT + COLLATE
