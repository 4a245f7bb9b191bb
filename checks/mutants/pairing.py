"""Mutants of lesson 3."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Mutant

_NSP_LAW = "test_every_nsp_pair_is_what_its_label_says"
_NSP_COIN = "test_half_of_the_nsp_pairs_are_true_and_chance_decides"
_NSP_PLACE = "test_a_negative_comes_from_any_other_document_and_any_place"
_NSP_LENGTHS = "test_the_lengths_of_an_nsp_pair_tell_nothing_of_its_label"
_NSP_REFUSES = "test_nsp_needs_two_documents_and_a_range_that_can_be"
_NSP_OWN = "test_nsp_draws_from_its_generator_only_and_leaves_the_documents"
_SOP_LAW = "test_every_sop_pair_is_what_its_label_says"
_SOP_COIN = "test_half_of_the_sop_pairs_are_true_and_chance_decides"
_SOP_LENGTHS = "test_the_lengths_of_an_sop_pair_tell_nothing_of_its_label"
_SOP_OWN = "test_sop_needs_one_document_and_its_own_generator"

_FIRST = "            first = list(chain.from_iterable(document[i : i + a]))"
_SECOND = "            second = list(chain.from_iterable(source[start : start + b]))"
_PICK = "                source = documents[filled[pick] if filled[pick] < d else filled[pick + 1]]"
_COIN = "            if rng.random() < 0.5:"
_SWAP = "            swapped = rng.random() < 0.5"
_RETURN = "            pairs.append(SentencePair(later, earlier, 0) if swapped else SentencePair(earlier, later, 1))"
_NSP_PLACES = """            # 2. Draw both lengths; clip the first so that something is left to follow it.
            a, b = rng.integers(low, high + 1, size=2).tolist()
            a = min(a, len(document) - 1 - i)"""
_SOP_PLACES = """            # 2. Draw both lengths and clip them; then cut the two segments out as new lists.
            a, b = rng.integers(low, high + 1, size=2).tolist()
            a = min(a, len(document) - 1 - i)"""
_NSP_LOOP = """    for d, document in enumerate(documents):
        for i in range(len(document) - 1):"""
_SOP_LOOP = """    for document in documents:
        for i in range(len(document) - 1):"""
_RANGE = """    if not 1 <= low <= high:
        raise ValueError(f"sentences: got {sentences}, expected (low, high) with 1 <= low <= high")
"""
_LAX_RANGE = (
    _RANGE.replace("not 1 <= low <= high:", "low < 1 or high == low - 1:")
    + "    low, high = min(low, high), max(low, high)\n"
)
_INDENTED = "".join(f"        {line}\n" for line in _RANGE.splitlines())
_UNPACKED = "    low, high = sentences\n"
_NSP_RANGE = (
    "    # 1. Refuse a range that cannot be, and fewer than two documents to draw from.\n"
    + _UNPACKED
    + _RANGE
)
_SOP_RANGE = "    # 1. Refuse a range that cannot be.\n" + _UNPACKED + _RANGE
_NSP_HEAD = """    documents: list[list[list[int]]],
    rng: np.random.Generator,
    sentences: tuple[int, int] = (1, 1),
    same_place"""
_SOP_CHECKED = """    pairs = []
    for document in documents:"""


def _nsp(
    id: str, old: str, new: str, misconception: str, killed_by: str, mistake: str = "", source: str = ""
) -> Mutant:
    edit = Edit(swap=((old, new),))
    return Mutant(
        id, "nsp_pairs", edit, misconception, killed_by, (mistake and f"pairing.{mistake}") or None, source
    )


def _sop(
    id: str, old: str, new: str, misconception: str, killed_by: str, mistake: str = "", source: str = ""
) -> Mutant:
    edit = Edit(swap=((old, new),))
    return Mutant(
        id, "sop_pairs", edit, misconception, killed_by, (mistake and f"pairing.{mistake}") or None, source
    )


def _lengths(places: str, new: str) -> tuple[str, str]:
    return places, places.replace("rng.integers(low, high + 1, size=2).tolist()", new)


def _once_a_document(loop: str, line: str) -> str:
    """What each pair should draw anew is drawn when its document begins."""
    return loop.replace("        for i", f"        {line}\n        for i")


def _several(
    id: str, exercise: str, swap: tuple[tuple[str, str], ...], misconception: str, killed_by: str
) -> Mutant:
    return Mutant(id, exercise, Edit(swap=swap), misconception, killed_by)


def _only_exact(places: str) -> str:
    """No pair where a segment would have to be clipped."""
    skip = "            if i + a + b > len(document):\n                continue\n"
    return places.replace("            a = min(", skip + "            a = min(")


def _side_by_side(loop: str, places: str) -> str:
    """The next pair begins after both segments of the last."""
    first, _, rest = loop.partition("\n")
    skip = "            if i < free:\n                continue\n"
    moved = places.replace("            a = min(", "            free = i + a + b\n            a = min(")
    return f"{first}\n        free = 0\n{rest}\n{skip}{moved}"


NSP = (
    _nsp(
        "nsp_label_google",
        "                label = 0",
        "                label = 1",
        "only the second segment matters; the label is right as it is",
        _NSP_LAW,
    ),
    _nsp(
        "nsp_labels_reversed",
        "pairs.append(SentencePair(first, second, label))",
        "pairs.append(SentencePair(first, second, 1 - label))",
        "label 0 is `is next`, as in Google's code",
        _NSP_LAW,
        "label_google",
        "google-research/bert",
    ),
    _nsp(
        "nsp_any_document",
        _PICK,
        "                source = documents[filled[int(rng.integers(len(filled)))]]",
        "a random document is hardly ever the own one",
        _NSP_LAW,
        "any_document",
        "codertimo#86",
    ),
    _nsp(
        "nsp_own_document",
        _PICK,
        "                source = document",
        "any other sentence is a negative, of the same document too",
        _NSP_LAW,
        "own_document",
        "d2l-en",
    ),
    _nsp(
        "nsp_next_document",
        _PICK,
        "                place = filled.index(d)\n                source = documents[filled[(place + 1) % len(filled)]]",
        "the next document is as good as any other",
        _NSP_PLACE,
        "next_document",
    ),
    _nsp(
        "nsp_by_length",
        _PICK,
        "                pool = [o for o in filled if o != d for _ in documents[o]]\n                source = documents[pool[int(rng.integers(len(pool)))]]",
        "all sentences of other documents go into one pot",
        _NSP_PLACE,
        "by_length",
    ),
    _nsp(
        "nsp_skips_a_document",
        "int(rng.integers(others))",
        "int(rng.integers(max(others - 1, 1)))",
        "the last index is len - 1, so the bound is one less",
        _NSP_PLACE,
    ),
    _nsp(
        "nsp_sop_built",
        _SECOND,
        "            second = list(chain.from_iterable(source[start : start + b]))\n            if label == 0:\n                second = list(chain.from_iterable(document[i + a : i + a + b]))\n                first, second = second, first",
        "a negative is the pair the other way round",
        _NSP_LAW,
        "sop_built",
        "google-research/albert#102",
    ),
    _nsp(
        "nsp_starts_at_first",
        "else int(rng.integers(len(source)))",
        "else 0",
        "a document is read from its beginning",
        _NSP_PLACE,
        "starts_at_first",
    ),
    _nsp(
        "nsp_starts_where_it_fits",
        "else int(rng.integers(len(source)))",
        "else int(rng.integers(max(len(source) - b, 0) + 1))",
        "a segment needs all its b sentences",
        _NSP_PLACE,
        "starts_where_it_fits",
    ),
    _nsp(
        "nsp_never_the_last",
        "else int(rng.integers(len(source)))",
        "else int(rng.integers(max(len(source) - 1, 1)))",
        "the last sentence has no successor, so no segment starts there",
        _NSP_PLACE,
    ),
    _nsp(
        "nsp_same_place_ignored",
        " if same_place else int(rng.integers(len(source)))",
        " if False else int(rng.integers(len(source)))",
        "a random start is good enough",
        _NSP_LAW,
        "same_place_ignored",
    ),
    _nsp(
        "nsp_same_place_at_first",
        "start = min(i + a, len(source) - 1) if",
        "start = min(i, len(source) - 1) if",
        "the same place is where the first segment begins",
        _NSP_LAW,
        "same_place_at_first",
    ),
    _nsp(
        "nsp_no_negatives",
        _COIN,
        "            if rng.random() < 0.0:",
        "negatives come by themselves",
        _NSP_COIN,
        "no_negatives",
        "google-research/bert#125",
    ),
    _nsp(
        "nsp_only_negatives",
        _COIN,
        "            if rng.random() < 1.5:",
        "random() is between 0 and 2",
        _NSP_COIN,
        "only_negatives",
    ),
    _nsp(
        "nsp_45_percent",
        _COIN,
        "            if rng.random() < 0.55:",
        "a little more than half does no harm",
        _NSP_COIN,
    ),
    _nsp(
        "nsp_alternates",
        _COIN,
        "            if len(pairs) % 2:",
        "every second pair is a negative, that is half of them",
        _NSP_COIN,
        "label_alternates",
    ),
    _nsp(
        "nsp_label_noise",
        "pairs.append(SentencePair(first, second, label))",
        "pairs.append(SentencePair(first, second, int(rng.random() < 0.5)))",
        "the label is a coin toss of its own",
        _NSP_LAW,
        "label_noise",
    ),
    _nsp(
        "nsp_range_exclusive",
        *_lengths(_NSP_PLACES, "rng.integers(low, high, size=2).tolist()"),
        "integers includes its upper bound, as randint does",
        _NSP_LENGTHS,
        "range_exclusive",
    ),
    _nsp(
        "nsp_one_length",
        *_lengths(_NSP_PLACES, "(int(rng.integers(low, high + 1)),) * 2"),
        "both segments are equally long",
        _NSP_LENGTHS,
        "one_length",
    ),
    _nsp(
        "nsp_most",
        *_lengths(_NSP_PLACES, "(high, high)"),
        "`sentences` says how long a segment is",
        _NSP_LENGTHS,
        "most_sentences",
    ),
    _nsp(
        "nsp_short_negatives",
        _SECOND,
        "            b = b if label else low\n            second = list(chain.from_iterable(source[start : start + b]))",
        "a negative needs no length of its own",
        _NSP_LENGTHS,
    ),
    _nsp(
        "nsp_second_empty",
        "            a = min(a, len(document) - 1 - i)\n            # 3. Toss the coin: the true",
        "            a = min(a, len(document) - i)\n            # 3. Toss the coin: the true",
        "the first segment may go to the end of the document",
        _NSP_LAW,
        "second_empty",
        "HF#272",
    ),
    _nsp(
        "nsp_last_pair_missing",
        _NSP_LOOP,
        _NSP_LOOP.replace("len(document) - 1", "len(document) - 2"),
        "the last index is one less, and so is the last pair",
        _NSP_LAW,
        "last_pair_missing",
    ),
    _nsp(
        "nsp_exact_only",
        _NSP_PLACES,
        _only_exact(_NSP_PLACES),
        "a segment that is cut short is no good",
        _NSP_LAW,
        "exact_only",
    ),
    _nsp(
        "nsp_no_overlap",
        _NSP_LOOP + "\n" + _NSP_PLACES,
        _side_by_side(_NSP_LOOP, _NSP_PLACES),
        "a sentence is read once",
        _NSP_LAW,
        "no_overlap",
    ),
    _nsp(
        "nsp_reads_on",
        "            first = list(chain.from_iterable(document[i : i + a]))\n            second = list(chain.from_iterable(source[start : start + b]))",
        "            first = list(chain.from_iterable(document[i : i + a]))\n            b = max(b, low)\n            second = list(chain.from_iterable(source[start : start + b + 1]))",
        "a slice includes its end",
        _NSP_LAW,
    ),
    _nsp(
        "nsp_overlaps",
        "            source, start, label = document, i + a, 1",
        "            source, start, label = document, i + 1, 1",
        "the next sentence follows, however long the first segment is",
        _NSP_LAW,
    ),
    _nsp(
        "nsp_one_document",
        "    if len(filled) < 2:",
        "    if len(filled) < 1:",
        "one document is a corpus too",
        _NSP_REFUSES,
        "",
        "DeepLearningExamples#421",
    ),
    _nsp(
        "nsp_counts_empty_documents",
        "    if len(filled) < 2:",
        "    if len(documents) < 2:",
        "every entry of the list is a document",
        _NSP_REFUSES,
    ),
    _nsp(
        "nsp_range_from_0",
        _RANGE + "    filled",
        "    low, high = max(1, min(low, high)), max(1, high, low)\n    filled",
        "a wrong range can be mended silently",
        _NSP_REFUSES,
    ),
    _nsp(
        "nsp_own_randomness",
        "    low, high = sentences\n" + _RANGE + "    filled",
        "    rng = np.random.default_rng(len(documents))\n    low, high = sentences\n"
        + _RANGE
        + "    filled",
        "a fixed seed makes it reproducible",
        _NSP_OWN,
    ),
    _nsp(
        "nsp_global_randomness",
        _COIN,
        "            if np.random.random() < 0.5:",
        "all random numbers are alike",
        _NSP_OWN,
    ),
    _nsp(
        "nsp_gives_the_sentences_themselves",
        _FIRST + "\n" + _SECOND,
        "            first = document[i] if a == 1 else list(chain.from_iterable(document[i : i + a]))\n"
        + _SECOND,
        "one sentence needs no copy",
        _NSP_OWN,
    ),
    _nsp(
        "nsp_equal_is_the_same",
        _PICK,
        "                pool = [other for other in documents if other and other != document]\n                source = pool[int(rng.integers(len(pool)))]",
        "another document is one that does not equal this one",
        _NSP_PLACE,
    ),
    _nsp(
        "nsp_equal_is_the_same_where_it_can_be",
        _PICK,
        "                pool = [other for other in documents if other and other != document]\n                pool = pool or [other for o, other in enumerate(documents) if other and o != d]\n                source = pool[int(rng.integers(len(pool)))]",
        "an equal document is a last resort",
        _NSP_PLACE,
    ),
    _nsp(
        "nsp_labels_by_content",
        "            # 4. Flatten both",
        "                if source[start : start + b] == document[i + a : i + a + b]:\n                    label = 1\n            # 4. Flatten both",
        "a segment that reads like the true one is true",
        _NSP_PLACE,
    ),
    _nsp(
        "nsp_place_by_content",
        _NSP_LOOP,
        "    for d, document in enumerate(documents):\n        for sentence in document[:-1]:\n            i = document.index(sentence)",
        "a sentence stands once in its document",
        _NSP_PLACE,
    ),
    _nsp(
        "nsp_needs_a_pair",
        "    if len(filled) < 2:",
        "    if len(filled) < 2 or not any(len(document) > 1 for document in documents):",
        "documents that give no pair are an error",
        _NSP_REFUSES,
    ),
    _nsp(
        "nsp_upside_down_by_one",
        _RANGE + "    filled",
        _LAX_RANGE + "    filled",
        "upside down is one less",
        _NSP_REFUSES,
    ),
    _nsp(
        "nsp_at_most_5",
        "    filled = [d for",
        "    low, high = min(low, 5), min(high, 5)\n    filled = [d for",
        "five sentences are enough for a segment",
        _NSP_LAW,
    ),
    _nsp(
        "nsp_drops_empty_documents",
        "    filled = [d for",
        "    documents[:] = [document for document in documents if document]\n    filled = [d for",
        "nobody misses an empty document",
        _NSP_OWN,
    ),
    _nsp(
        "nsp_tuples",
        _FIRST,
        "            first = tuple(chain.from_iterable(document[i : i + a]))",
        "a tuple is as good as a list",
        _NSP_OWN,
    ),
    _nsp(
        "nsp_lengths_mirrored",
        *_lengths(_NSP_PLACES, "(one := rng.integers(low, high + 1).item(), low + high - one)"),
        "a long first segment has a short second one, so that pairs are equally long",
        _NSP_LENGTHS,
    ),
    _nsp(
        "nsp_generator_copied",
        "    filled = [",
        "    rng = np.random.default_rng(rng.bit_generator.seed_seq)\n    filled = [",
        "a call starts its generator anew, so that it can be repeated",
        _NSP_OWN,
    ),
    _several(
        "nsp_range_checked_at_a_pair",
        "nsp_pairs",
        ((_NSP_RANGE, _UNPACKED), (_NSP_PLACES, _INDENTED + _NSP_PLACES)),
        "a range that is not used need not be right",
        _NSP_REFUSES,
    ),
    _several(
        "nsp_one_other_for_a_document",
        "nsp_pairs",
        (
            (_NSP_LOOP, _once_a_document(_NSP_LOOP, "pick = int(rng.integers(len(filled) - 1))")),
            ("                pick = int(rng.integers(others))\n", ""),
        ),
        "one random document serves all pairs of a document",
        _NSP_PLACE,
    ),
    _several(
        "nsp_one_start_for_a_document",
        "nsp_pairs",
        (
            (_NSP_LOOP, _once_a_document(_NSP_LOOP, "where = rng.random()")),
            ("else int(rng.integers(len(source)))", "else int(where * len(source))"),
        ),
        "one random place serves all pairs of a document",
        _NSP_PLACE,
    ),
    _several(
        "nsp_renamed",
        "nsp_pairs",
        (
            (_NSP_HEAD, _NSP_HEAD.replace("documents", "texts")),
            (_NSP_RANGE, "    documents = texts\n" + _NSP_RANGE),
        ),
        "arguments may have any name",
        _NSP_REFUSES,
    ),
)
SOP = (
    _sop("sop_labels_reversed", _RETURN, _RETURN.replace("earlier, 0)", "earlier, 1)").replace("later, 1)", "later, 0)"), "label 0 is the true order, as in Google's code", _SOP_LAW, "label_google", "google-research/albert"),
    _sop("sop_label_only", _RETURN, "            pairs.append(SentencePair(earlier, later, int(not swapped)))", "the label tells the model which order is meant", _SOP_LAW),
    _sop("sop_order_only", _RETURN, "            pairs.append(SentencePair(later, earlier, 1) if swapped else SentencePair(earlier, later, 1))", "both segments are of one document, so the label is 1", _SOP_LAW),
    _sop("sop_label_noise", _RETURN, "            first, second = (later, earlier) if swapped else (earlier, later)\n            pairs.append(SentencePair(first, second, int(rng.random() < 0.5)))", "the label is a coin toss of its own", _SOP_LAW, "label_noise"),
    _sop("sop_nsp_built", _RETURN, "            if swapped:\n                filled = [other for other in documents if other and other is not document] or [document]\n                other = filled[int(rng.integers(len(filled)))]\n                start = int(rng.integers(len(other)))\n                later = list(chain.from_iterable(other[start : start + b]))\n            pairs.append(SentencePair(earlier, later, int(not swapped)))", "a negative comes from elsewhere", _SOP_LAW, "nsp_built", "google-research/albert#102"),
    _sop("sop_backward", _RETURN, "            if swapped:\n                later = list(chain.from_iterable(document[max(0, i - b) : i])) or later\n            pairs.append(SentencePair(earlier, later, int(not swapped)))", "a negative is the sentence before", _SOP_LAW, "backward"),
    _sop("sop_no_negatives", _SWAP, "            swapped = rng.random() < 0.0", "the order comes by itself", _SOP_COIN, "no_negatives"),
    _sop("sop_only_negatives", _SWAP, "            swapped = rng.random() < 1.5", "random() is between 0 and 2", _SOP_COIN, "only_negatives"),
    _sop("sop_45_percent", _SWAP, "            swapped = rng.random() < 0.55", "a little more than half does no harm", _SOP_COIN),
    _sop("sop_alternates", _SWAP, "            swapped = len(pairs) % 2 == 1", "every second pair is swapped, that is half of them", _SOP_COIN, "label_alternates"),
    _sop("sop_range_exclusive", *_lengths(_SOP_PLACES, "rng.integers(low, high, size=2).tolist()"), "integers includes its upper bound, as randint does", _SOP_LENGTHS, "range_exclusive"),
    _sop("sop_one_length", *_lengths(_SOP_PLACES, "(int(rng.integers(low, high + 1)),) * 2"), "both segments are equally long", _SOP_LENGTHS, "one_length"),
    _sop("sop_most", *_lengths(_SOP_PLACES, "(high, high)"), "`sentences` says how long a segment is", _SOP_LENGTHS, "most_sentences"),
    _sop("sop_short_when_swapped", _SWAP, "            swapped = rng.random() < 0.5\n            if swapped:\n                later = list(document[i + a])", "one sentence is enough for a negative", _SOP_LENGTHS),
    _sop("sop_second_empty", "            a = min(a, len(document) - 1 - i)\n            earlier", "            a = min(a, len(document) - i)\n            earlier", "the first segment may go to the end of the document", _SOP_LAW, "second_empty", "HF#452"),
    _sop("sop_no_overlap", _SOP_LOOP, "    for document in documents:\n        for i in range(0, len(document) - 1, 2):", "pairs do not overlap", _SOP_LAW),
    _sop("sop_side_by_side", _SOP_LOOP + "\n" + _SOP_PLACES, _side_by_side(_SOP_LOOP, _SOP_PLACES), "a sentence is read once", _SOP_LAW, "no_overlap"),
    _sop("sop_exact_only", _SOP_PLACES, _only_exact(_SOP_PLACES), "a segment that is cut short is no good", _SOP_LAW, "exact_only"),
    _sop("sop_last_pair_missing", _SOP_LOOP, _SOP_LOOP.replace("len(document) - 1", "len(document) - 2"), "the last index is one less, and so is the last pair", _SOP_LAW, "last_pair_missing"),
    _sop("sop_two_documents", _SOP_CHECKED, "    if len(documents) < 2:\n        raise ValueError(\"documents: expected 2 or more\")\n" + _SOP_CHECKED, "SOP needs another document, as NSP does", _SOP_OWN),
    _sop("sop_range_from_0", _RANGE + "    pairs = []\n    for document", "    low, high = max(1, min(low, high)), max(1, high, low)\n    pairs = []\n    for document", "a wrong range can be mended silently", _SOP_OWN),
    _sop("sop_global_randomness", _SWAP, "            swapped = np.random.random() < 0.5", "all random numbers are alike", _SOP_OWN),
    _sop("sop_place_by_content", _SOP_LOOP, "    for document in documents:\n        for sentence in document[:-1]:\n            i = document.index(sentence)", "a sentence stands once in its document", _SOP_COIN),
    _sop("sop_labels_by_content", _SWAP, "            swapped = rng.random() < 0.5 and earlier != later", "equal segments are in true order, however they stand", _SOP_COIN),
    _sop("sop_needs_a_document", _SOP_CHECKED, "    if not any(documents):\n        raise ValueError(\"documents: expected a sentence\")\n" + _SOP_CHECKED, "a corpus without a sentence is an error", _SOP_OWN),
    _sop("sop_needs_a_pair", _SOP_CHECKED, "    if not any(len(document) > 1 for document in documents):\n        raise ValueError(\"documents: expected two sentences\")\n" + _SOP_CHECKED, "documents that give no pair are an error", _SOP_OWN),
    _sop("sop_upside_down_by_one", _RANGE + "    pairs = []\n    for document", _LAX_RANGE + "    pairs = []\n    for document", "upside down is one less", _SOP_OWN),
    _sop("sop_at_most_5", _SOP_CHECKED, "    low, high = min(low, 5), min(high, 5)\n" + _SOP_CHECKED, "five sentences are enough for a segment", _SOP_LAW),
    _sop("sop_drops_empty_documents", _SOP_CHECKED, "    documents[:] = [document for document in documents if document]\n" + _SOP_CHECKED, "nobody misses an empty document", _SOP_OWN),
    _sop("sop_tuples", "            earlier = list(chain.from_iterable(document[i : i + a]))", "            earlier = tuple(chain.from_iterable(document[i : i + a]))", "a tuple is as good as a list", _SOP_OWN),
    _sop("sop_lengths_mirrored", *_lengths(_SOP_PLACES, "(one := rng.integers(low, high + 1).item(), low + high - one)"), "a long first segment has a short second one, so that pairs are equally long", _SOP_LENGTHS),
    _sop("sop_generator_copied", _SOP_CHECKED, "    rng = np.random.default_rng(rng.bit_generator.seed_seq)\n" + _SOP_CHECKED, "a call starts its generator anew, so that it can be repeated", _SOP_OWN),
    _several("sop_range_checked_at_a_pair", "sop_pairs", ((_SOP_RANGE, _UNPACKED), (_SOP_PLACES, _INDENTED + _SOP_PLACES)), "a range that is not used need not be right", _SOP_OWN),
    _several("sop_lengths_of_a_document", "sop_pairs", ((_SOP_LOOP, _once_a_document(_SOP_LOOP, "both = rng.integers(low, high + 1, size=2).tolist()")), _lengths(_SOP_PLACES, "both")), "two lengths serve all pairs of a document", _SOP_LENGTHS),
)  # fmt: skip


def _truncate(
    id: str, old: str, new: str, misconception: str, mistake: str = "", killed_by: str = "", source: str = ""
) -> Mutant:
    edit = Edit(swap=((old, new),))
    killed_by = killed_by or "test_the_longer_segment_loses_its_end_first"
    return Mutant(
        id,
        "truncate_pair",
        edit,
        misconception,
        killed_by,
        (mistake and f"pairing.{mistake}") or None,
        source,
    )


def _pack(
    id: str, old: str, new: str, misconception: str, mistake: str = "", killed_by: str = "", source: str = ""
) -> Mutant:
    edit = Edit(swap=((old, new),))
    killed_by = killed_by or "test_a_pair_is_packed_between_special_tokens"
    return Mutant(
        id, "pack_pair", edit, misconception, killed_by, (mistake and f"pairing.{mistake}") or None, source
    )


_POP = "        (first if len(first) > len(second) else second).pop()"
_WHILE = "    while len(first) + len(second) > max_tokens:\n"
_CUT = "    first, second = truncate_pair(first, second, max_len - 3)"
_IDS = "    input_ids = np.array([CLS_ID, *first, SEP_ID, *second, SEP_ID], dtype=np.int64)"
_SEGMENTS = "np.repeat(np.array([0, 1]), [len(first) + 2, len(second) + 1])"
_TOO_LONG = "test_a_pair_that_is_too_long_is_truncated_before_it_is_packed"

TRUNCATE = (
    _truncate(
        "truncate_tie_first",
        "len(first) > len(second) else",
        "len(first) >= len(second) else",
        "on a tie either may go",
        "tie_first",
    ),
    _truncate(
        "truncate_shorter",
        "len(first) > len(second) else",
        "len(first) < len(second) else",
        "the shorter one is the less important",
    ),
    _truncate(
        "truncate_shorter_to_one",
        _POP,
        "        shorter, longer = (first, second) if len(first) < len(second) else (second, first)\n        (shorter if len(shorter) > 1 else longer).pop()",
        "the shorter one is the less important, as long as it has a token to spare",
        "cuts_shorter",
    ),
    _truncate(
        "truncate_head",
        _POP,
        _POP.replace(".pop()", ".pop(0)"),
        "the tokens next to the border matter most",
        "drops_head",
        source="google-research/bert",
    ),
    _truncate(
        "truncate_second_only",
        _WHILE + _POP,
        "    while len(first) + len(second) > max_tokens:\n        (second if len(second) > 1 else first).pop()",
        "the second segment is the one that gives way",
        "cuts_second_only",
    ),
    _truncate(
        "truncate_first_only",
        _WHILE + _POP,
        "    while len(first) + len(second) > max_tokens:\n        (first if len(first) > 1 else second).pop()",
        "the first segment is the one that gives way",
        "cuts_first_only",
    ),
    _truncate(
        "truncate_halves",
        _WHILE + _POP,
        "    if len(first) + len(second) > max_tokens:\n        first, second = first[: max_tokens - max_tokens // 2], second[: max_tokens // 2]",
        "each segment has a right to half",
        "halves",
    ),
    _truncate(
        "truncate_one_too_many",
        _WHILE,
        "    while len(first) + len(second) > max_tokens + 1:\n",
        "the loop ends one before",
        "one_too_many",
    ),
    _truncate(
        "truncate_one_too_few",
        _WHILE + _POP,
        "    while len(first) + len(second) >= max_tokens and len(first) + len(second) > 2:\n" + _POP,
        "less than max_tokens is asked for",
        "one_too_few",
    ),
    _truncate(
        "truncate_once",
        "    while len(first) + len(second) > max_tokens:",
        "    if len(first) + len(second) > max_tokens:",
        "one token is what is too much",
    ),
    _truncate(
        "truncate_in_place",
        "    first, second = list(first), list(second)\n",
        "",
        "the lists are the function's own",
        "",
        "test_truncation_gives_new_lists",
    ),
    _truncate(
        "truncate_same_lists",
        "    first, second = list(first), list(second)\n",
        "    if len(first) + len(second) <= max_tokens:\n        return first, second\n    first, second = list(first), list(second)\n",
        "where nothing goes, nothing need be copied",
        "",
        "test_truncation_gives_new_lists",
    ),
    _truncate(
        "truncate_to_nothing",
        "    if max_tokens < 2:\n",
        "    if max_tokens < 0:\n",
        "a segment may become empty",
        "",
        "test_what_cannot_be_truncated_is_refused",
    ),
    _truncate(
        "truncate_empty_side",
        "    if len(first) == 0 or len(second) == 0:\n",
        "    if len(first) == 0 and len(second) == 0:\n",
        "one segment is enough",
        "",
        "test_what_cannot_be_truncated_is_refused",
        "FARM#154",
    ),
    _truncate(
        "truncate_below_0",
        "    if max_tokens < 2:\n",
        "    if max_tokens in (0, 1):\n",
        "a limit is not negative",
        "",
        "test_what_cannot_be_truncated_is_refused",
    ),
    _truncate(
        "truncate_recursive",
        _WHILE + _POP,
        _WHILE.replace("while", "if") + _POP + "\n        return truncate_pair(first, second, max_tokens)",
        "a call for each id that goes is no harm",
        "",
        "test_truncation_gives_new_lists",
    ),
    _truncate(
        "truncate_words_only",
        "    first, second = list(first), list(second)\n",
        "    first, second = ([w for w in ids if w > 4] or ids[:1] for ids in (first, second))\n",
        "special tokens are no words",
        "",
        "test_truncation_gives_new_lists",
    ),
    _truncate(
        "truncate_by_value",
        _POP,
        "        longer = first if len(first) > len(second) else second\n        longer.remove(longer[-1])",
        "an id stands once in its segment",
        "",
        "test_truncation_gives_new_lists",
    ),
    Mutant(
        "truncate_renamed",
        "truncate_pair",
        Edit(
            functions={
                "truncate_pair": """
def truncate_pair(first: list[int], second: list[int], limit: int) -> tuple[list[int], list[int]]:
    if limit < 2 or not first or not second:
        raise ValueError("too short")
    first, second = list(first), list(second)
    while len(first) + len(second) > limit:
        (first if len(first) > len(second) else second).pop()
    return first, second
"""
            }
        ),
        "arguments may have any name",
        "test_truncation_gives_new_lists",
    ),
)
PACK = (
    _pack("pack_no_room", _CUT, _CUT.replace("max_len - 3", "max_len"), "max_len is for the words", "no_room_for_specials", _TOO_LONG, "facebookresearch/mmf#383"),
    _pack("pack_room_for_two", _CUT, _CUT.replace("max_len - 3", "max_len - 2"), "there is a [CLS] and a [SEP]", "room_for_two", _TOO_LONG),
    _pack("pack_room_for_four", _CUT, _CUT.replace("max_len - 3", "max(2, max_len - 4)"), "each segment has two special tokens", "room_for_four", _TOO_LONG, "HF#11275"),
    _pack("pack_cuts_the_whole", _CUT + "\n    # 3. Join; number the segments to match.\n" + _IDS + "\n    segment_ids = " + _SEGMENTS, _IDS + "[:max_len]\n    segment_ids = " + _SEGMENTS + "[:max_len]", "what is too long is cut at the end", "cuts_the_whole", _TOO_LONG),
    _pack("pack_never_cut", _CUT + "\n", "", "the caller has seen to the length", "never_cut", _TOO_LONG, "HF#12188"),
    _pack("pack_segments_before_truncation", _CUT, "    full = len(first)\n" + _CUT + "\n    whole = [0] * (full + 2) + [1] * (max_len + full)\n    if len(first) < full:\n        ids = np.array([CLS_ID, *first, SEP_ID, *second, SEP_ID], dtype=np.int64)\n        return ids, np.array(whole[: len(ids)])", "segments are numbered when they come in", "segments_before_truncation", _TOO_LONG),
    _pack("pack_sep_in_segment_1", _SEGMENTS, _SEGMENTS.replace("+ 2", "+ 1").replace("(second) + 1", "(second) + 2"), "a [SEP] opens the second segment", "sep_in_segment_1"),
    _pack("pack_one_segment", "np.array([0, 1])", "np.array([0, 0])", "the [SEP] is enough to tell them apart", "one_segment"),
    _pack("pack_segments_from_1", "np.array([0, 1])", "np.array([1, 2])", "counting starts at 1", "segments_from_1"),
    _pack("pack_segments_exchanged", "np.array([0, 1])", "np.array([1, 0])", "1 stands for the first segment"),
    _pack("pack_not_closed", _IDS + "\n    segment_ids = " + _SEGMENTS, _IDS.replace("*second, SEP_ID", "*second") + "\n    segment_ids = " + _SEGMENTS.replace("(second) + 1", "(second)"), "a [SEP] stands between, not after", "not_closed"),
    _pack("pack_no_separator", _IDS + "\n    segment_ids = " + _SEGMENTS, _IDS.replace("*first, SEP_ID", "*first") + "\n    segment_ids = " + _SEGMENTS.replace("+ 2", "+ 1"), "segment numbers are enough to tell them apart", "no_separator"),
    _pack("pack_sep_for_cls", "[CLS_ID, *first", "[SEP_ID, *first", "every border is a [SEP]", "sep_for_cls"),
    _pack("pack_padded", _SEGMENTS, _SEGMENTS + "\n    more = (0, max_len - len(input_ids))\n    input_ids, segment_ids = np.pad(input_ids, more), np.pad(segment_ids, more)", "every sequence has max_len tokens", "padded"),
    _pack("pack_int32", "dtype=np.int64)", "dtype=np.int32)", "ids fit into 32 bits", "", "test_packing_gives_int64_arrays_or_refuses"),
    _pack("pack_min_4", "    if max_len < 5:\n", "    max_len = max(max_len, 5)\n    if max_len < 5:\n", "a length that is too small can be mended", "", "test_packing_gives_int64_arrays_or_refuses"),
    _pack("pack_16_bits", "*second, SEP_ID], dtype=np.int64)", "*second, SEP_ID]).astype(np.int16).astype(np.int64)", "ids fit into 16 bits", "", "test_packing_gives_int64_arrays_or_refuses"),
    _pack("pack_words_only", _CUT, "    first, second = ([w for w in ids if w > 4] or ids for ids in (first, second))\n" + _CUT, "special tokens are no words", "", "test_packing_gives_int64_arrays_or_refuses"),
    _pack("pack_into_one_array", _IDS, "    kept = pack_pair.__dict__.setdefault(len(first) + len(second), np.empty(len(first) + len(second) + 3, np.int64))\n" + _IDS.replace("input_ids =", "kept[:] =") + "\n    input_ids = kept", "arrays of one length can be used again", "", "test_packing_gives_int64_arrays_or_refuses"),
    _pack("pack_segments_kept", "    segment_ids = " + _SEGMENTS, "    border = (len(first), len(second))\n    segment_ids = pack_pair.__dict__.setdefault(border, " + _SEGMENTS + ")", "equal lengths have equal segment ids, so one array is enough", "", "test_packing_gives_int64_arrays_or_refuses"),
)  # fmt: skip
MUTANTS = NSP + SOP + TRUNCATE + PACK
