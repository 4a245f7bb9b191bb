"""Mutants of lesson 1."""

from checks.gate.edits import Edit, Mutant

_RUNS = "test_runs_of_letters_digits_and_underscores_are_tokens_and_so_is_each_mark"
_SPECIAL = "test_special_tokens_stay_whole_wherever_they_stand"
_SCRIPTS = "test_letters_of_every_script_are_letters"
_STRETCH = "test_a_stretch_is_lowered_before_it_is_split"
_FREQUENCY = "test_words_stand_by_falling_frequency"
_TIES = "test_neither_hash_seed_nor_order_of_the_texts_changes_a_vocabulary"
_SIZE = "test_max_size_includes_the_specials_and_min_count_is_inclusive"
_CORPUS = "test_special_tokens_of_the_corpus_are_no_words_and_the_corpus_may_be_a_generator"
_ENCODE = "test_each_token_gets_its_id_and_an_unknown_one_that_of_unk"
_DECODE = "test_each_id_gets_its_token"
_OUTSIDE = "test_an_id_outside_the_vocabulary_is_an_error_at_both_ends"

_FIND = 're.findall(r"\\w+|[^\\w\\s]", piece.lower())'
_KEY = "key=lambda word: (-counts[word], word)"
_COUNT = (
    "counts = Counter(token for text in corpus for token in tokenize(text) if token not in SPECIAL_TOKENS)"
)
_TOKENS = "tokens = (*SPECIAL_TOKENS, *words)[:max_size]"
_VOCAB = "return Vocab(tokens, {token: i for i, token in enumerate(tokens)})"
_PIECES = 'pieces = re.split(f"({special})", text)'
_INSIDE = "if not 0 <= i < len(vocab.tokens):"
_ENCODED = "return [vocab.ids.get(token, UNK_ID) for token in tokens]"

_REFUSE = "if max_size is not None and max_size < len(SPECIAL_TOKENS):"
_REFUSAL = """
    if max_size is not None and max_size < len(SPECIAL_TOKENS):
        raise ValueError(f"max_size: got {max_size}, expected {len(SPECIAL_TOKENS)} or more, or None")
""".lstrip("\n")
_REFUSAL_LATE = """
    if words and max_size is not None and max_size < len(SPECIAL_TOKENS):
        raise ValueError(f"max_size: got {max_size}, expected {len(SPECIAL_TOKENS)} or more, or None")
""".lstrip("\n")
_CUT = "    # 4. Put the special tokens in front, cut to max_size, and number what is left.\n"
_ANY = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    if any(not 0 <= i < len(vocab.tokens) for i in ids):
        raise ValueError("id outside")
    return [vocab.tokens[i] for i in ids]
"""
_COUNTED = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    tokens = [""] * len(ids)
    for place, i in enumerate(ids):
        if not 0 <= i < len(vocab.tokens):
            raise ValueError("id outside")
        tokens[place] = vocab.tokens[i]
    return tokens
"""
_ENDS = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    ids = list(ids)
    if not (0 <= min(ids) and max(ids) < len(vocab.tokens)):
        raise ValueError("id outside")
    return [vocab.tokens[i] for i in ids]
"""
_ARRAY = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    ids = list(ids)
    if any(not 0 <= i < len(vocab.tokens) for i in ids):
        raise ValueError("id outside")
    return np.array(vocab.tokens)[np.array(ids)].tolist()
"""
_GETTER = """
def encode(tokens: Sequence[str], vocab: Vocab) -> list[int]:
    ids = {token: UNK_ID for token in tokens} | vocab.ids
    return list(itemgetter(*tokens)(ids))
"""
_TWICE = """
    counts = Counter({word: 0 for text in corpus for word in tokenize(text)})
    for text in corpus:
        counts.update(token for token in tokenize(text) if token not in SPECIAL_TOKENS)
""".strip()
_OFFSETS = """
def tokenize(text: str) -> list[str]:
    special = "|".join(re.escape(token) for token in SPECIAL_TOKENS)
    lower, tokens, at = text.lower(), [], 0
    for found in re.finditer(special, text):
        tokens += [*re.findall(r"\\w+|[^\\w\\s]", lower[at : found.start()]), found.group()]
        at = found.end()
    return tokens + re.findall(r"\\w+|[^\\w\\s]", lower[at:])
"""
_RECURSIVE = """
def tokenize(text: str) -> list[str]:
    found = re.search("|".join(re.escape(token) for token in SPECIAL_TOKENS), text)
    if found is None:
        return re.findall(r"\\w+|[^\\w\\s]", text.lower())
    before = re.findall(r"\\w+|[^\\w\\s]", text[: found.start()].lower())
    return [*before, found.group(), *tokenize(text[found.end() :])]
"""
_PLACEHOLDERS = """
def tokenize(text: str) -> list[str]:
    names = {f"__{token[1:-1].lower()}__": token for token in SPECIAL_TOKENS}
    for name, token in names.items():
        text = text.replace(token, f" {name} ")
    return [names.get(token, token) for token in re.findall(r"\\w+|[^\\w\\s]", text.lower())]
"""
_POPPED = """
def encode(tokens: Sequence[str], vocab: Vocab) -> list[int]:
    ids = []
    while tokens:
        ids.append(vocab.ids.get(tokens.pop(0), UNK_ID))
    return ids
"""
_IN_PLACE = """
def encode(tokens: Sequence[str], vocab: Vocab) -> list[int]:
    for place, token in enumerate(tokens):
        tokens[place] = vocab.ids.get(token, UNK_ID)
    return tokens
"""
_DECODED_IN_PLACE = _COUNTED.replace(
    'tokens = [""] * len(ids)', "tokens = ids = ids if isinstance(ids, list) else list(ids)"
)
_LAST_ONLY = _ENDS.replace(
    "not (0 <= min(ids) and max(ids) < len(vocab.tokens))", "ids and not 0 <= ids[-1] < len(vocab.tokens)"
)
_LENIENT = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    size = len(vocab.tokens)
    return [vocab.tokens[i] if 0 <= i < size else "[UNK]" for i in ids]
"""
_LIST = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    try:
        return [vocab.tokens[i] for i in ids]
    except IndexError:
        raise ValueError("id outside") from None
"""


def _swap(old: str, new: str) -> Edit:
    return Edit(swap=((old, new),))


def _mutants(
    exercise: str, *rows: tuple[str, Edit, str, str, str | None] | tuple[str, Edit, str, str]
) -> list[Mutant]:
    return [
        Mutant(row[0], exercise, row[1], row[2], row[3], f"vocab.{row[4]}" if len(row) > 4 else None)
        for row in rows
    ]


MUTANTS = (
    *_mutants(
        "tokenize",
        (
            "tokenize_special_spaced",
            _swap(
                'special = "|".join(re.escape(token) for token in SPECIAL_TOKENS)',
                'special = "|".join(rf"(?<!\\S){re.escape(token)}(?!\\S)" for token in SPECIAL_TOKENS)',
            ),
            "special tokens always stand between spaces",
            _SPECIAL,
            "special_spaced",
        ),
        (
            "tokenize_special_split",
            _swap(_PIECES, "pieces = [text]"),
            "special tokens need no treatment of their own",
            _SPECIAL,
            "special_split",
        ),
        (
            "tokenize_special_any_case",
            Edit(
                swap=(
                    (_PIECES, 'pieces = re.split(f"({special})", text, flags=re.IGNORECASE)'),
                    (
                        "[piece] if piece in SPECIAL_TOKENS",
                        "[piece.upper()] if piece.upper() in SPECIAL_TOKENS",
                    ),
                )
            ),
            "[mask] means [MASK]",
            _SPECIAL,
            "special_any_case",
        ),
        (
            "tokenize_lower_everything",
            _swap(_PIECES, 'pieces = re.split(f"({special})", text.lower())'),
            "lower the text, then look for special tokens",
            _SPECIAL,
            "special_split",
        ),
        (
            "tokenize_unescaped",
            _swap("re.escape(token) for", "token for"),
            "the brackets of [MASK] mean themselves in a pattern",
            _SPECIAL,
        ),
        (
            "tokenize_dropped_special",
            _swap('re.split(f"({special})", text)', "re.split(special, text)"),
            "re.split keeps what it splits at",
            _SPECIAL,
        ),
        (
            "tokenize_case_kept",
            _swap("piece.lower())", "piece)"),
            "case carries meaning",
            _RUNS,
            "case_kept",
        ),
        (
            "tokenize_lower_late",
            _swap(_FIND, '[t.lower() for t in re.findall(r"\\w+|[^\\w\\s]", piece)]'),
            "split first and lower each token: it is the same",
            _STRETCH,
            "lower_late",
        ),
        (
            "tokenize_lower_each_character",
            _swap(_FIND, 're.findall(r"\\w+|[^\\w\\s]", "".join(c.lower() for c in piece))'),
            "lower case is made letter by letter",
            _STRETCH,
        ),
        (
            "tokenize_casefold",
            _swap("piece.lower()", "piece.casefold()"),
            "casefold is the modern lower",
            _SCRIPTS,
            "casefold",
        ),
        (
            "tokenize_ascii",
            _swap(_FIND, 're.findall(r"[a-z0-9_]+|[^a-z0-9_\\s]", piece.lower())'),
            "letters are a-z",
            _SCRIPTS,
            "ascii",
        ),
        (
            "tokenize_letters_only",
            _swap('r"\\w+|[^\\w\\s]"', 'r"[^\\W\\d]+|\\d|[^\\w\\s]"'),
            "a word is a run of letters",
            _RUNS,
            "digits_apart",
        ),
        (
            "tokenize_no_underscore",
            _swap('r"\\w+|[^\\w\\s]"', 'r"[^\\W_]+|_|[^\\w\\s]"'),
            "an underscore is punctuation",
            _RUNS,
            "underscore_apart",
        ),
        (
            "tokenize_spaces",
            _swap(_FIND, "piece.lower().split()"),
            "words stand between spaces",
            _RUNS,
            "spaces",
        ),
        (
            "tokenize_mark_runs",
            _swap('|[^\\w\\s]"', '|[^\\w\\s]+"'),
            "... is one token",
            _RUNS,
            "mark_runs",
        ),
        (
            "tokenize_marks_dropped",
            _swap('r"\\w+|[^\\w\\s]"', 'r"\\w+"'),
            "punctuation carries no meaning",
            _RUNS,
            "marks_dropped",
        ),
        (
            "tokenize_spaces_kept",
            _swap('|[^\\w\\s]"', '|[^\\w]"'),
            "a space is a character like any other",
            _RUNS,
        ),
        (
            "tokenize_apostrophe_joins",
            _swap('r"\\w+|[^\\w\\s]"', "r\"[\\w']+|[^\\w\\s']\""),
            "it's is one word",
            _RUNS,
        ),
        (
            "tokenize_only_ascii_space",
            _swap('r"\\w+|[^\\w\\s]"', 'r"\\w+|[^\\w \\t\\n]"'),
            "white space is space, tab and line end",
            _SCRIPTS,
        ),
        (
            "tokenize_controls_dropped",
            Edit(
                swap=((_FIND, f'[t for t in {_FIND} if unicodedata.category(t[0]) not in ("Cc", "Cf")]'),),
                extra="import unicodedata",
            ),
            "what nobody sees is no token",
            _SCRIPTS,
        ),
        (
            "tokenize_zero_width_space",
            _swap("piece.lower())", r'piece.lower().replace("\u200b", " ").replace("\ufeff", ""))'),
            "a space of no width is a space",
            _SCRIPTS,
        ),
        (
            "tokenize_space_by_category",
            Edit(
                swap=(
                    (
                        _FIND,
                        r"""[
                t
                for t in re.findall(r"\w+|\W", piece.lower())
                if unicodedata.category(t[0])[0] != "Z" and t not in "\t\n\r"
            ]""",
                    ),
                ),
                extra="import unicodedata",
            ),
            "white space is what Unicode calls a separator",
            _SCRIPTS,
        ),
        (
            "tokenize_straight_apostrophe",
            _swap("piece.lower())", r"""piece.lower().replace("\u2019", "'"))"""),
            "an apostrophe is an apostrophe",
            _SCRIPTS,
        ),
        (
            "tokenize_cached",
            Edit(
                swap=(("def tokenize(", "@functools.cache\ndef tokenize("),),
                extra="import functools",
            ),
            "equal texts have equal tokens, so one list is enough",
            _STRETCH,
        ),
        (
            "tokenize_composed",
            Edit(
                swap=(("piece.lower())", 'unicodedata.normalize("NFC", piece.lower()))'),),
                extra="import unicodedata",
            ),
            "a letter and its accent are one character",
            _SCRIPTS,
        ),
        (
            "tokenize_places_of_the_lowered",
            Edit(functions={"tokenize": _OFFSETS}),
            "lower case is as long as the text",
            _STRETCH,
        ),
        (
            "tokenize_recursive",
            Edit(functions={"tokenize": _RECURSIVE}),
            "a text has few special tokens, so a call for each is no harm",
            _STRETCH,
        ),
        (
            "tokenize_twenty_specials",
            _swap('re.split(f"({special})", text)', 're.split(f"({special})", text, maxsplit=20)'),
            "a text has few special tokens",
            _STRETCH,
        ),
        (
            "tokenize_placeholders",
            Edit(functions={"tokenize": _PLACEHOLDERS}),
            "no text holds the word that stands in for [MASK]",
            _SPECIAL,
        ),
        (
            "tokenize_nothing_is_unknown",
            _swap("    # 1. Cut", '    if not text.strip():\n        return ["[UNK]"]\n    # 1. Cut'),
            "a text has at least one token",
            _RUNS,
        ),
        (
            "tokenize_empty_refused",
            _swap("    # 1. Cut", '    if not text:\n        raise ValueError("no text")\n    # 1. Cut'),
            "a text has at least one character",
            _RUNS,
        ),
        (
            "tokenize_decimals_whole",
            _swap('r"\\w+|[^\\w\\s]"', 'r"\\d+\\.\\d+|\\w+|[^\\w\\s]"'),
            "3.14 is one number, so one token",
            _RUNS,
        ),
        (
            "tokenize_renamed",
            Edit(
                swap=(
                    ("def tokenize(text: str)", "def tokenize(sentence: str)"),
                    (_PIECES, 'pieces = re.split(f"({special})", sentence)'),
                )
            ),
            "arguments may have any name",
            _STRETCH,
        ),
    ),
    *_mutants(
        "build_vocab",
        (
            "build_rising",
            _swap("(-counts[word], word)", "(counts[word], word)"),
            "sort sorts by count",
            _FREQUENCY,
            "rising",
        ),
        (
            "build_alphabet",
            _swap(_KEY, "key=lambda word: word"),
            "a vocabulary is a dictionary",
            _FREQUENCY,
            "alphabet",
        ),
        (
            "build_ties_first_seen",
            _swap(_KEY, "key=lambda word: -counts[word]"),
            "Counter.most_common is order enough",
            _TIES,
            "ties_first_seen",
        ),
        (
            "build_ties_reversed",
            _swap(_KEY, "key=lambda word: (counts[word], word), reverse=True"),
            "reverse=True turns the count only",
            _TIES,
            "ties_reversed",
        ),
        (
            "build_hash_order",
            _swap(
                "(word for word in counts if counts[word] >= min_count), " + _KEY,
                "{w for w in counts if counts[w] >= min_count}, key=lambda word: (-counts[word], hash(word))",
            ),
            "a set has an order of its own that is good enough",
            _TIES,
        ),
        (
            "build_ties_folded",
            _swap("(-counts[word], word)", "(-counts[word], word.strip('_~!').rjust(4), word)"),
            "ties in an order pleasant to read",
            _TIES,
        ),
        (
            "build_ties_by_length",
            _swap("(-counts[word], word)", "(-counts[word], len(word), word)"),
            "short words first",
            _TIES,
        ),
        (
            "build_ties_utf16",
            _swap("(-counts[word], word)", "(-counts[word], word.encode('utf-16-be'))"),
            "bytes sort like text",
            _TIES,
        ),
        (
            "build_size_of_words",
            _swap(_TOKENS, "tokens = (*SPECIAL_TOKENS, *words[:max_size])"),
            "max_size is the number of words",
            _SIZE,
            "size_of_words",
        ),
        ("build_size_ignored", _swap("*words)[:max_size]", "*words)"), "max_size is advice", _SIZE),
        (
            "build_size_off_by_one",
            _swap("*words)[:max_size]", "*words)[: max_size and max_size - 1]"),
            "the last index is max_size - 1",
            _SIZE,
        ),
        (
            "build_size_floor",
            _swap("max_size < len(SPECIAL_TOKENS)", "max_size < len(SPECIAL_TOKENS) - 1"),
            "four is enough for [MASK]",
            _SIZE,
        ),
        (
            "build_size_clipped",
            _swap(
                'raise ValueError(f"max_size: got {max_size}, expected {len(SPECIAL_TOKENS)} or more, or None")',
                "max_size = len(SPECIAL_TOKENS)",
            ),
            "a size that is too small is helped up",
            _SIZE,
        ),
        (
            "build_size_strict",
            _swap("max_size < len(SPECIAL_TOKENS)", "max_size <= len(SPECIAL_TOKENS)"),
            "a vocabulary needs a word",
            _SIZE,
        ),
        (
            "build_size_zero",
            _swap(_REFUSE, "if max_size and max_size < len(SPECIAL_TOKENS):"),
            "`if max_size` asks whether there is a limit",
            _SIZE,
        ),
        (
            "build_size_zero_no_limit",
            Edit(
                swap=(
                    (_REFUSE, "if max_size and max_size < len(SPECIAL_TOKENS):"),
                    ("*words)[:max_size]", "*words)[: max_size or None]"),
                )
            ),
            "0 means no limit",
            _SIZE,
        ),
        (
            "build_size_one_less",
            _swap(_REFUSE, "if max_size == len(SPECIAL_TOKENS) - 1:"),
            "4 is the size that is too small",
            _SIZE,
        ),
        (
            "build_size_negative",
            _swap(_REFUSE, "if max_size is not None and 0 <= max_size < len(SPECIAL_TOKENS):"),
            "a negative size counts from the end, as slices do",
            _SIZE,
        ),
        (
            "build_size_with_words",
            Edit(swap=((_REFUSAL, ""), (_CUT, _REFUSAL_LATE + _CUT))),
            "without words there is nothing to cut",
            _SIZE,
        ),
        (
            "build_empty_corpus",
            _swap(_TOKENS, "most = max(counts.values())\n    " + _TOKENS),
            "a corpus has a most frequent word",
            _SIZE,
        ),
        (
            "build_min_count_more",
            _swap("counts[word] >= min_count", "counts[word] > min_count"),
            "more often than min_count",
            _SIZE,
            "min_count_more",
        ),
        (
            "build_min_count_ignored",
            _swap("counts[word] >= min_count", "counts[word] >= 1"),
            "rare words are welcome",
            _SIZE,
        ),
        (
            "build_texts_counted",
            _swap("for token in tokenize(text) if", "for token in set(tokenize(text)) if"),
            "count the texts that hold a word",
            _FREQUENCY,
            "texts_counted",
        ),
        (
            "build_specials_counted",
            _swap(" if token not in SPECIAL_TOKENS)", ")"),
            "special tokens of the corpus are words",
            _CORPUS,
            "specials_counted",
        ),
        (
            "build_reads_twice",
            _swap(_COUNT, _TWICE),
            "a corpus can be read as often as one likes",
            _CORPUS,
        ),
        (
            "build_last_text_only",
            _swap("for text in corpus for token", "for text in list(corpus)[-1:] for token"),
            "the counter starts anew with each text",
            _FREQUENCY,
        ),
        (
            "build_sorts_the_corpus",
            _swap(
                "    # 2. Count", "    if isinstance(corpus, list):\n        corpus.sort()\n    # 2. Count"
            ),
            "sorting the texts makes the order fixed",
            _TIES,
        ),
        (
            "build_words_from_four",
            _swap(_VOCAB, "return Vocab(tokens, {token: i - (i > 4) for i, token in enumerate(tokens)})"),
            "words start at 4",
            _FREQUENCY,
        ),
        (
            "build_specials_last",
            _swap("(*SPECIAL_TOKENS, *words)", "(*words, *SPECIAL_TOKENS)"),
            "special tokens go to the end",
            _FREQUENCY,
        ),
        (
            "build_ids_of_words_only",
            _swap(_VOCAB, "return Vocab(tokens, {token: i for i, token in enumerate(tokens) if i > 4})"),
            "special tokens need no entry in ids",
            _FREQUENCY,
        ),
        (
            "build_cut_before_the_sort",
            _swap(
                "(word for word in counts if counts[word] >= min_count)",
                "(w for w, n in counts.most_common(max_size and max_size - 5) if n >= min_count)",
            ),
            "most_common keeps the right ones among equals",
            _SIZE,
        ),
        (
            "build_specials_take_room",
            Edit(
                swap=(
                    (" if token not in SPECIAL_TOKENS)", ")"),
                    (
                        _TOKENS,
                        "words = [w for w in words[: max_size and max_size - 5] if w not in SPECIAL_TOKENS]\n"
                        "    tokens = (*SPECIAL_TOKENS, *words)",
                    ),
                )
            ),
            "cut first, then leave the special tokens out",
            _SIZE,
        ),
        (
            "build_pad_is_a_word",
            _swap("if token not in SPECIAL_TOKENS)", "if token not in SPECIAL_TOKENS[1:])"),
            "[PAD] is never in a text",
            _CORPUS,
        ),
        (
            "build_none_at_all",
            _swap("*words)[:max_size]", "*words[: (max_size and max_size - 5) or None])"),
            "`or None` asks whether there is a limit",
            _SIZE,
        ),
        (
            "build_min_count_0_is_unset",
            _swap("counts[word] >= min_count", "counts[word] >= (min_count or 2)"),
            "0 means that none was given",
            _CORPUS,
        ),
        (
            "build_default_size",
            _swap("max_size: int | None = None", "max_size: int | None = 1000"),
            "a thousand words are enough",
            _CORPUS,
        ),
        (
            "build_first_thousand_texts",
            Edit(
                swap=(("for text in corpus for", "for text in itertools.islice(corpus, 1000) for"),),
                extra="import itertools",
            ),
            "a thousand texts show what is frequent",
            _CORPUS,
        ),
    ),
    *_mutants(
        "encode",
        (
            "encode_unknown_dropped",
            _swap(_ENCODED, "return [vocab.ids[token] for token in tokens if token in vocab.ids]"),
            "what is unknown is skipped",
            _ENCODE,
            "unknown_dropped",
        ),
        (
            "encode_unknown_pad",
            _swap("vocab.ids.get(token, UNK_ID)", "vocab.ids.get(token, 0)"),
            "0 stands for nothing",
            _ENCODE,
            "unknown_pad",
        ),
        (
            "encode_unknown_mask",
            _swap("vocab.ids.get(token, UNK_ID)", "vocab.ids.get(token, 4)"),
            "[MASK] stands for what is unknown",
            _ENCODE,
            "unknown_mask",
        ),
        (
            "encode_unknown_raises",
            _swap("vocab.ids.get(token, UNK_ID)", "vocab.ids[token]"),
            "every token is known",
            _ENCODE,
        ),
        (
            "encode_lowers",
            _swap("vocab.ids.get(token, UNK_ID)", "vocab.ids.get(token.lower(), UNK_ID)"),
            "encode lowers its tokens",
            _ENCODE,
        ),
        (
            "encode_words_only",
            _swap("vocab.ids.get(token, UNK_ID)", "max(UNK_ID, vocab.ids.get(token, UNK_ID))"),
            "[PAD] is never in a text",
            _ENCODE,
        ),
        (
            "encode_adds_cls",
            _swap(_ENCODED, "return [2, *(vocab.ids.get(token, UNK_ID) for token in tokens), 3]"),
            "encode adds [CLS] and [SEP]",
            _ENCODE,
        ),
        (
            "encode_forgets_doubles",
            _swap(_ENCODED, "return [vocab.ids.get(token, UNK_ID) for token in dict.fromkeys(tokens)]"),
            "each token once",
            _ENCODE,
        ),
        (
            "encode_one_getter",
            Edit(functions={"encode": _GETTER}, extra="from operator import itemgetter"),
            "itemgetter gives a tuple",
            _ENCODE,
        ),
        (
            "encode_adds_unknown",
            _swap("vocab.ids.get(token, UNK_ID)", "vocab.ids.setdefault(token, UNK_ID)"),
            "setdefault is a get with a default",
            _ENCODE,
        ),
        (
            "encode_lowers_words",
            _swap(
                "vocab.ids.get(token, UNK_ID)",
                'vocab.ids.get(token if token.startswith("[") else token.lower(), UNK_ID)',
            ),
            "encode lowers its words",
            _ENCODE,
        ),
        ("encode_pops", Edit(functions={"encode": _POPPED}), "the tokens are not needed again", _ENCODE),
        (
            "encode_in_place",
            Edit(functions={"encode": _IN_PLACE}),
            "an id can stand where its token stood",
            _ENCODE,
        ),
    ),
    *_mutants(
        "decode",
        (
            "decode_wraps",
            _swap(_INSIDE, "if not i < len(vocab.tokens):"),
            "an id is never negative",
            _OUTSIDE,
            "outside_wraps",
        ),
        (
            "decode_unknown",
            Edit(functions={"decode": _LENIENT}),
            "an id outside is [UNK]",
            _OUTSIDE,
            "outside_unknown",
        ),
        (
            "decode_wraps_or_fails",
            Edit(functions={"decode": _LIST}),
            "Python's lists check the range",
            _OUTSIDE,
            "outside_wraps",
        ),
        (
            "decode_last_allowed",
            _swap(_INSIDE, "if not 0 <= i <= len(vocab.tokens):"),
            "the last id is the length",
            _OUTSIDE,
        ),
        (
            "decode_last_refused",
            _swap(_INSIDE, "if not 0 <= i < len(vocab.tokens) - 1:"),
            "the last id is one less",
            _DECODE,
        ),
        (
            "decode_zero_refused",
            _swap(_INSIDE, "if not 0 < i < len(vocab.tokens):"),
            "0 is no token",
            _DECODE,
        ),
        (
            "decode_index_error",
            _swap('raise ValueError(f"id', 'raise IndexError(f"id'),
            "an IndexError says it too",
            _OUTSIDE,
        ),
        (
            "decode_skips_specials",
            _swap(
                "        tokens.append(vocab.tokens[i])",
                "        if i > 4:\n            tokens.append(vocab.tokens[i])",
            ),
            "special tokens are of no interest to a reader",
            _DECODE,
        ),
        (
            "decode_joins",
            _swap("    return tokens\n", "    return ' '.join(tokens)\n"),
            "decode gives a text",
            _DECODE,
        ),
        (
            "decode_reads_twice",
            Edit(functions={"decode": _ANY}),
            "ids can be read as often as one likes",
            _DECODE,
        ),
        ("decode_counts_first", Edit(functions={"decode": _COUNTED}), "ids have a length", _DECODE),
        (
            "decode_least_and_most",
            Edit(functions={"decode": _ENDS}),
            "there is a least and a greatest id",
            _DECODE,
        ),
        (
            "decode_by_array",
            Edit(functions={"decode": _ARRAY}, extra="import numpy as np"),
            "a list of ids is an integer array",
            _DECODE,
        ),
        (
            "decode_in_place",
            Edit(functions={"decode": _DECODED_IN_PLACE}),
            "a token can stand where its id stood",
            _DECODE,
        ),
        (
            "decode_last_only",
            Edit(functions={"decode": _LAST_ONLY}),
            "the last id is the largest",
            _OUTSIDE,
        ),
    ),
)
