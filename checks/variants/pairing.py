"""Right variants of lesson 3."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Variant

_NSP_HEAD = """
def nsp_pairs(documents, rng, sentences=(1, 1), same_place=False):
    low, high = sentences
    if low < 1 or high < low:
        raise ValueError("sentences")
    if sum(map(bool, documents)) < 2:
        raise ValueError("documents")
"""

VARIANTS = (
    Variant(
        "nsp_coin_first",
        "nsp_pairs",
        Edit(
            functions={
                "nsp_pairs": _NSP_HEAD
                + """
    pairs = []
    for d in range(len(documents)):
        others = [other for o, other in enumerate(documents) if o != d and len(other) > 0]
        for i in range(len(documents[d]) - 1):
            is_next = rng.integers(2)
            b = rng.integers(low, high, endpoint=True)
            a = min(rng.integers(low, high, endpoint=True), len(documents[d]) - i - 1)
            source, start = documents[d], i + a
            if not is_next:
                source = others[rng.integers(len(others))]
                start = rng.integers(len(source))
                if same_place:
                    start = i + a if i + a < len(source) else len(source) - 1
            first, second = [], []
            for sentence in documents[d][i : i + a]:
                first += sentence
            for sentence in source[start : min(start + b, len(source))]:
                second.extend(sentence)
            pairs.append(SentencePair(first, second, int(is_next)))
    return pairs
"""
            }
        ),
        "the coin first, lengths in another order, loops instead of chains",
    ),
    Variant(
        "nsp_all_draws_at_once",
        "nsp_pairs",
        Edit(
            functions={
                "nsp_pairs": _NSP_HEAD
                + """
    places = [(d, i) for d, document in enumerate(documents) for i in range(len(document) - 1)]
    draws = rng.random((len(places), 5))
    pairs = []
    for (d, i), (u, v, w, x, y) in zip(places, draws):
        document = documents[d]
        a = min(low + int(u * (high - low + 1)), len(document) - 1 - i)
        b = low + int(v * (high - low + 1))
        if w >= 0.5:
            others = [other for o, other in enumerate(documents) if o != d and other]
            other = others[int(x * len(others))]
            start = min(i + a, len(other) - 1) if same_place else int(y * len(other))
            second = sum(other[start : start + b], [])
        else:
            second = sum(document[i + a : i + a + b], [])
        pairs.append(SentencePair(sum(document[i : i + a], []), second, int(w < 0.5)))
    return pairs
"""
            }
        ),
        "all random numbers drawn as one array",
    ),
    Variant(
        "nsp_redraws_the_own_document",
        "nsp_pairs",
        Edit(
            swap=(
                (
                    "                others = len(filled) - 1\n                pick = int(rng.integers(others))\n"
                    "                source = documents[filled[pick] if filled[pick] < d else filled[pick + 1]]",
                    "                pick = d\n                while pick == d:\n                    pick = rng.choice(filled)\n"
                    "                source = documents[pick]",
                ),
            )
        ),
        "draws documents until one is another",
    ),
    Variant(
        "sop_shuffles",
        "sop_pairs",
        Edit(
            swap=(
                (
                    "            swapped = rng.random() < 0.5\n            pairs.append(SentencePair(later, earlier, 0)"
                    " if swapped else SentencePair(earlier, later, 1))",
                    "            order = rng.permutation(2)\n            both = [earlier, later]\n"
                    "            pairs.append(SentencePair(both[order[0]], both[order[1]], int(order[0] == 0)))",
                ),
            )
        ),
        "a permutation of the two instead of a coin",
    ),
    Variant(
        "sop_labels_drawn_first",
        "sop_pairs",
        Edit(
            functions={
                "sop_pairs": """
def sop_pairs(documents, rng, sentences=(1, 1)):
    low, high = sentences
    if not 0 < low <= high:
        raise ValueError("sentences")
    places = [(document, i) for document in documents for i in range(len(document) - 1)]
    labels = rng.integers(0, 2, len(places))
    pairs = []
    for (document, i), label in zip(places, labels):
        a = min(int(rng.integers(low, high + 1)), len(document) - 1 - i)
        b = min(int(rng.integers(low, high + 1)), len(document) - i - a)
        segments = [sum(document[i : i + a], []), sum(document[i + a : i + a + b], [])]
        if label == 0:
            segments.reverse()
        pairs.append(SentencePair(*segments, label.item()))
    return pairs
"""
            }
        ),
        "all coins first, then the lengths",
    ),
    Variant(
        "truncate_in_closed_form",
        "truncate_pair",
        Edit(
            swap=(
                (
                    "    first, second = list(first), list(second)\n    while len(first) + len(second) > max_tokens:\n"
                    "        (first if len(first) > len(second) else second).pop()\n    return first, second",
                    "    n = min(len(second), max(max_tokens // 2, max_tokens - len(first)))\n"
                    "    return first[: max_tokens - n], second[:n]",
                ),
            )
        ),
        "both lengths by arithmetic, no loop",
    ),
    Variant(
        "truncate_by_counting",
        "truncate_pair",
        Edit(
            swap=(
                (
                    "    first, second = list(first), list(second)\n    while len(first) + len(second) > max_tokens:\n"
                    "        (first if len(first) > len(second) else second).pop()\n    return first, second",
                    "    m, n = len(first), len(second)\n    while m + n > max_tokens:\n"
                    "        if n >= m:\n            n -= 1\n        else:\n            m -= 1\n"
                    "    return [*first[:m]], [*second[:n]]",
                ),
            )
        ),
        "counts first and cuts once",
    ),
    Variant(
        "pack_by_parts",
        "pack_pair",
        Edit(
            swap=(
                (
                    "    segment_ids = np.repeat(np.array([0, 1]), [len(first) + 2, len(second) + 1])",
                    "    segment_ids = np.zeros(len(input_ids), dtype=np.int64)\n    segment_ids[len(first) + 2 :] = 1",
                ),
            )
        ),
        "zeros, then ones from the first [SEP] on",
    ),
    Variant(
        "pack_by_cumulative_sum",
        "pack_pair",
        Edit(
            functions={
                "pack_pair": """
def pack_pair(first, second, max_len):
    if max_len <= 4:
        raise ValueError("max_len")
    a, b = truncate_pair(first, second, max_len - 3)
    input_ids = np.concatenate([[CLS_ID], a, [SEP_ID], b, [SEP_ID]]).astype(np.int64)
    segment_ids = (np.arange(len(input_ids)) > len(a) + 1).astype(np.int64)
    return input_ids, segment_ids
"""
            }
        ),
        "concatenation, and a comparison of positions",
    ),
)
