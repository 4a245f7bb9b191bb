"""Right variants of lesson 1."""

from checks.gate.edits import Edit, Variant

_TOKENIZE_BY_HAND = """
def tokenize(text: str) -> list[str]:
    tokens: list[str] = []
    start = 0
    for match in re.finditer(r"\\[(?:PAD|UNK|CLS|SEP|MASK)\\]", text):
        tokens += _split(text[start : match.start()])
        tokens.append(match.group())
        start = match.end()
    return tokens + _split(text[start:])


def _split(stretch: str) -> list[str]:
    tokens: list[str] = []
    inside = False
    for character in stretch.lower():
        word = character.isalnum() or character == "_"
        if word and inside:
            tokens[-1] += character
        elif not character.isspace():
            tokens.append(character)
        inside = word
    return tokens
"""
_TOKENIZE_ONE_PATTERN = """
def tokenize(text: str) -> list[str]:
    tokens: list[str] = []
    special_token = r"\\[(?:PAD|UNK|CLS|SEP|MASK)\\]"
    for special, stretch in re.findall(rf"({special_token})|((?:(?!{special_token})[\\s\\S])+)", text):
        tokens.extend([special] if special else [t for t in re.split(r"(\\W)", stretch.lower()) if t.strip()])
    return tokens
"""
_TOKENIZE_MARKERS = """
def tokenize(text: str) -> list[str]:
    pieces = [text]
    for special in SPECIAL_TOKENS:
        parts: list[str] = []
        for piece in pieces:
            if piece in SPECIAL_TOKENS:
                parts.append(piece)
                continue
            first, *others = piece.split(special)
            parts.append(first)
            for other in others:
                parts += [special, other]
        pieces = parts
    found: list[str] = []
    for piece in pieces:
        found += [piece] if piece in SPECIAL_TOKENS else re.compile(r"[^\\W]+|[^\\s\\w]").findall(piece.lower())
    return found
"""
_BUILD_TWO_SORTS = """
def build_vocab(corpus: Iterable[str], max_size: int | None = None, min_count: int = 1) -> Vocab:
    if max_size is not None and max_size < 5:
        raise ValueError(max_size)
    counts: dict[str, int] = {}
    for text in corpus:
        for token in tokenize(text):
            counts[token] = counts.get(token, 0) + 1
    for special in SPECIAL_TOKENS:
        counts.pop(special, None)
    words = sorted(word for word, count in counts.items() if not count < min_count)
    words.sort(key=counts.__getitem__, reverse=True)
    tokens = list(SPECIAL_TOKENS) + words
    if max_size is not None:
        del tokens[max_size:]
    return Vocab(tuple(tokens), dict(zip(tokens, range(len(tokens)))))
"""
_BUILD_UPDATE = """
def build_vocab(corpus: Iterable[str], max_size: int | None = None, min_count: int = 1) -> Vocab:
    if max_size is not None and max_size < len(SPECIAL_TOKENS):
        raise ValueError(f"max_size: got {max_size}, expected 5 or more")
    counter: Counter[str] = Counter()
    for text in list(corpus):
        counter.update(tokenize(text))
    ranked = sorted(counter.items(), key=lambda item: (-item[1], [ord(c) for c in item[0]]))
    words = [w for w, n in ranked if n >= min_count and w not in SPECIAL_TOKENS]
    size = len(words) + 5 if max_size is None else max_size
    tokens = SPECIAL_TOKENS + tuple(words[: size - 5])
    ids = {token: tokens.index(token) for token in reversed(tokens)}
    return Vocab(tokens, ids)
"""
_ENCODE_LOOP = """
def encode(tokens: Sequence[str], vocab: Vocab) -> list[int]:
    ids = []
    for token in tokens:
        if token in vocab.ids:
            ids.append(vocab.ids[token])
        else:
            ids.append(vocab.ids["[UNK]"])
    return ids
"""
_ENCODE_TRY = """
def encode(tokens: Sequence[str], vocab: Vocab) -> list[int]:
    def one(token: str) -> int:
        try:
            return vocab.tokens.index(token)
        except ValueError:
            return 1

    return list(map(one, tokens))
"""
_DECODE_CHECK_FIRST = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    ids = list(ids)
    size = len(vocab.tokens)
    if any(i < 0 or i >= size for i in ids):
        raise ValueError(f"ids: got {ids}, expected 0 to {size - 1}")
    return [vocab.tokens[i] for i in ids]
"""
_DECODE_TABLE = """
def decode(ids: Iterable[int], vocab: Vocab) -> list[str]:
    token_of = {i: token for token, i in vocab.ids.items()}
    try:
        return [token_of[i] for i in ids]
    except KeyError as error:
        raise ValueError(f"no such id: {error}") from None
"""


def _whole(name: str, text: str) -> Edit:
    return Edit(functions={name: text})


VARIANTS = (
    Variant(
        "tokenize_by_hand", "tokenize", _whole("tokenize", _TOKENIZE_BY_HAND), "goes character by character"
    ),
    Variant(
        "tokenize_one_pattern", "tokenize", _whole("tokenize", _TOKENIZE_ONE_PATTERN), "splits at the marks"
    ),
    Variant(
        "tokenize_markers",
        "tokenize",
        _whole("tokenize", _TOKENIZE_MARKERS),
        "cuts at one special token after the other",
    ),
    Variant(
        "build_two_sorts",
        "build_vocab",
        _whole("build_vocab", _BUILD_TWO_SORTS),
        "sorts by name, then stably by count",
    ),
    Variant(
        "build_update",
        "build_vocab",
        _whole("build_vocab", _BUILD_UPDATE),
        "counts text by text; ids in another order",
    ),
    Variant("encode_loop", "encode", _whole("encode", _ENCODE_LOOP), "asks first whether a token is known"),
    Variant("encode_try", "encode", _whole("encode", _ENCODE_TRY), "searches the tuple of tokens"),
    Variant(
        "decode_check_first",
        "decode",
        _whole("decode", _DECODE_CHECK_FIRST),
        "looks at all ids before the first lookup",
    ),
    Variant("decode_table", "decode", _whole("decode", _DECODE_TABLE), "turns the table of ids round"),
)
