"""Right variants of lesson 4."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Variant

_PAIR_RNG = "np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(0, epoch)))"
_MASK_RNG = "np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(1, self.epoch, int(index))))"
_SOP = "        return sop_pairs(self.documents, rng, self.sentences)"

VARIANTS = (
    Variant(
        "lists_as_seeds",
        "BERTDataset",
        Edit(
            swap=(
                (_PAIR_RNG, "np.random.default_rng([self.seed, epoch, 1, 0])"),
                (_MASK_RNG, "np.random.default_rng([self.seed, self.epoch, 2, int(index) + 1])"),
            )
        ),
        "lists of numbers as seeds, told apart by a third number",
    ),
    Variant(
        "items_of_an_epoch_at_once",
        "BERTDataset",
        Edit(
            swap=(
                (
                    "    def __len__(self) -> int:\n",
                    "    def example(self, index):\n"
                    "        first, second, label = self.pairs[index]\n"
                    "        ids, segments = pack_pair(first, second, self.max_len)\n"
                    "        rng = np.random.default_rng([index, self.epoch, self.seed, 77])\n"
                    "        masked, labels = mask_tokens(ids, self.vocab_size, rng, self.probability)\n"
                    "        return Example(masked, segments, np.full(len(ids), True), labels, label)\n\n"
                    "    def __len__(self) -> int:\n",
                ),
                (
                    "        first, second, label = self.pairs[index]\n"
                    "        input_ids, segment_ids = pack_pair(first, second, self.max_len)\n"
                    "        # 3. Make the item's own generator from seed, epoch and index, and mask with it.\n"
                    f"        rng = {_MASK_RNG}\n"
                    "        masked_ids, mlm_labels = mask_tokens(input_ids, self.vocab_size, rng, self.probability)\n"
                    "        return Example(masked_ids, segment_ids, np.ones(len(input_ids), dtype=bool), mlm_labels, int(label))",
                    "        return [self.example(i) for i in range(len(self))][index]",
                ),
            )
        ),
        "makes all items of the epoch and gives one",
    ),
    Variant(
        "items_kept_and_copied",
        "BERTDataset",
        Edit(
            swap=(
                (
                    "    def __getitem__(self, index: int) -> Example:\n",
                    "    def __getitem__(self, index: int) -> Example:\n"
                    '        kept = self.__dict__.setdefault("kept", {})\n'
                    "        if (self.epoch, index) not in kept:\n"
                    "            kept[self.epoch, index] = self.make(index)\n"
                    "        *arrays, label = kept[self.epoch, index]\n"
                    "        return Example(*[array.copy() for array in arrays], label)\n\n"
                    "    def make(self, index: int) -> Example:\n",
                ),
            )
        ),
        "keeps the items it made, and gives copies away",
    ),
    Variant(
        "spawned_generators",
        "BERTDataset",
        Edit(
            swap=(
                (_PAIR_RNG, "np.random.default_rng(np.random.SeedSequence([self.seed, epoch]).spawn(1)[0])"),
                (
                    _MASK_RNG,
                    "np.random.Generator(np.random.Philox(key=[self.seed * 1000003 + self.epoch, int(index)]))",
                ),
            )
        ),
        "a spawned sequence for the pairs, a keyed counter for the masks",
    ),
    Variant(
        "albert_on_its_own",
        "ALBERTDataset",
        Edit(
            swap=(
                (
                    _SOP,
                    "        documents = [document for document in self.documents if len(document) > 1]\n"
                    "        return sop_pairs(documents, np.random.default_rng(rng.integers(2**60)), self.sentences)",
                ),
            )
        ),
        "leaves out documents that give no pair, and draws from a generator of the generator",
    ),
    Variant(
        "albert_pairs_by_document",
        "ALBERTDataset",
        Edit(
            swap=(
                (
                    _SOP,
                    "        return [pair for document in self.documents for pair in sop_pairs([document], rng, self.sentences)]",
                ),
            )
        ),
        "asks for the pairs of one document after the other",
    ),
    Variant(
        "collate_row_by_row",
        "collate",
        Edit(
            functions={
                "collate": """
def collate(examples, length=None):
    if not examples:
        raise ValueError("examples")
    width = max(len(e.input_ids) for e in examples)
    if length is not None:
        if length < width:
            raise ValueError("length")
        width = length
    has = {e.sentence_label is None for e in examples}
    if len(has) > 1:
        raise ValueError("labels")
    shape = (len(examples), width)
    ids = torch.zeros(shape, dtype=torch.long)
    segments = torch.zeros_like(ids)
    mask = torch.zeros(shape, dtype=torch.bool)
    labels = torch.full(shape, -100)
    for row, e in enumerate(examples):
        n = len(e.input_ids)
        ids[row, :n] = torch.as_tensor(e.input_ids)
        segments[row, :n] = torch.as_tensor(e.segment_ids)
        mask[row, :n] = True
        labels[row, :n] = torch.as_tensor(e.mlm_labels)
    sentence = None if True in has else torch.tensor([e.sentence_label for e in examples])
    return Batch(ids, segments, mask, labels, sentence)
"""
            }
        ),
        "rows filled in a loop",
    ),
    Variant(
        "collate_by_pad_sequence",
        "collate",
        Edit(
            functions={
                "collate": """
def collate(examples, length=None):
    longest = max((len(e.input_ids) for e in examples), default=0)
    if longest == 0 or (length is not None and longest > length):
        raise ValueError("examples")
    width = longest if length is None else length
    labels = [e.sentence_label for e in examples]
    if None in labels and any(label is not None for label in labels):
        raise ValueError("labels")

    def stack(name, value):
        rows = [torch.as_tensor(np.asarray(getattr(e, name))) for e in examples]
        rows = [row if row.dtype == torch.bool else row.long() for row in rows]
        return torch.stack([torch.nn.functional.pad(row, (0, width - len(row)), value=value) for row in rows])

    return Batch(
        stack("input_ids", 0),
        stack("segment_ids", 0),
        stack("attention_mask", False),
        stack("mlm_labels", -100),
        None if None in labels else torch.as_tensor(labels),
    )
"""
            }
        ),
        "each row padded by torch, then stacked",
    ),
)
