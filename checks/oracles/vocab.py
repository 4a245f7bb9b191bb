"""Oracle of lesson 1: one character at a time, and words ranked by comparing them pair by pair."""

from typing import Any

from checks.judge import Mistake, Probe
from checks.subject import Subject
from lessons.given.records import SPECIAL_TOKENS, UNK_ID, Vocab


def tokenize(
    text: str,
    *,
    special: str = "anywhere",
    lower: str = "stretch",
    words: str = "unicode",
    marks: str = "each",
) -> list[str]:
    """Tokens, found character by character.

    Options (the known mistakes): `special` "spaced" (only between spaces), "none" (split like the rest),
    "any_case"; `lower` "none", "token" (after the split), "fold"; `words` "ascii", "letters" (no digits), "plain"
    (no underscore), "spaces" (split at white space only); `marks` "runs" or "none".
    """
    tokens: list[str] = []
    stretch = ""
    position = 0
    while position <= len(text):
        found = _special_at(text, position, special)
        if found or position == len(text):
            tokens += _words(stretch, lower, words, marks)
            tokens += [found] if found else []
            stretch = ""
            position += len(found) or 1
        else:
            stretch += text[position]
            position += 1
    return tokens


def _special_at(text: str, position: int, how: str) -> str:
    for token in SPECIAL_TOKENS:
        end = position + len(token)
        piece = text[position:end]
        before, after = text[position - 1 : position] if position else "", text[end : end + 1]
        alone = (not before or before.isspace()) and (not after or after.isspace())
        wanted = how == "anywhere" or how == "any_case" or (how == "spaced" and alone)
        if wanted and (piece == token or (how == "any_case" and piece.upper() == token)):
            return token
    return ""


def _words(stretch: str, lower: str, words: str, marks: str) -> list[str]:
    text = {"stretch": stretch.lower(), "fold": stretch.casefold()}.get(lower, stretch)
    tokens: list[str] = []
    kind_before = ""
    for character in text:
        kind = _kind(character, words)
        joins = kind == "word" or (kind == "mark" and marks == "runs")
        if kind == kind_before and joins:
            tokens[-1] += character
        elif kind == "word" or (kind == "mark" and marks != "none"):
            tokens.append(character)
        kind_before = kind
    return [token.lower() for token in tokens] if lower == "token" else tokens


def _kind(character: str, words: str) -> str:
    if character.isspace():
        return "space"
    inside = character.isalnum() or character == "_"
    match words:
        case "ascii":
            inside = inside and character.isascii()
        case "letters":
            inside = inside and not character.isdecimal()
        case "plain":
            inside = character.isalnum()
        case "spaces":
            inside = True
    return "word" if inside else "mark"


def build_vocab(
    corpus: list[str],
    max_size: int | None = None,
    min_count: int = 1,
    *,
    order: str = "frequency",
    ties: str = "code point",
    size: str = "all",
    rare: str = "at least",
    count: str = "tokens",
    specials: str = "skipped",
) -> Vocab:
    """The vocabulary, by counting each word's betters.

    Options (the known mistakes): `order` "rising", "none" (frequency does not count); `ties` "first seen",
    "reversed"; `size` "words" (the five specials on top); `rare` "more" (than min_count); `count` "texts" (that
    hold the word); `specials` "counted" (a second time, as words).
    """
    counts: dict[str, int] = {}
    for text in corpus:
        tokens = tokenize(text)
        for token in dict.fromkeys(tokens) if count == "texts" else tokens:
            if token not in SPECIAL_TOKENS or specials == "counted":
                counts[token] = counts.get(token, 0) + 1
    least = min_count + (rare == "more")
    words = [word for word in counts if counts[word] >= least]
    places = {word: i for i, word in enumerate(counts)}
    sign = {"frequency": -1, "rising": 1, "none": 0}[order]

    def key(word: str) -> tuple[int, Any]:
        return sign * counts[word], places[word] if ties == "first seen" else [ord(c) for c in word]

    ranked: list[str] = []
    for word in words:
        betters = sum(_before(key(other), key(word), ties) for other in ranked)
        ranked.insert(betters, word)
    room = None if max_size is None else max_size - (5 if size == "all" else 0)
    tokens = [*SPECIAL_TOKENS, *ranked[:room]]
    return Vocab(tuple(tokens), {token: i for i, token in enumerate(tokens)})


def _before(one: tuple[int, Any], other: tuple[int, Any], ties: str) -> bool:
    if one[0] != other[0] or ties != "reversed":
        return one < other
    return one > other


def encode(tokens: list[str], vocab: Vocab, *, unknown: int | None = UNK_ID) -> list[int]:
    """Ids by searching the list. Option: `unknown`, another id, or None (left out)."""
    ids: list[int] = []
    for token in tokens:
        found: list[int | None] = [i for i, known in enumerate(vocab.tokens) if known == token] or [unknown]
        ids += [i for i in found if i is not None]
    return ids


def decode(ids: list[int], vocab: Vocab, *, outside: str = "error") -> list[str]:
    """Tokens; ValueError outside. Options: `outside` "unknown" ([UNK] instead), "wraps" (from the end)."""
    tokens = []
    for i in ids:
        inside = 0 <= i < len(vocab.tokens)
        wrapped = outside == "wraps" and -len(vocab.tokens) <= i < 0
        if not inside and not wrapped and outside != "unknown":
            raise ValueError(i)
        tokens.append(vocab.tokens[i] if inside or wrapped else "[UNK]")
    return tokens


def small_vocab(words: list[str]) -> Vocab:
    """A vocabulary of these words."""
    tokens = (*SPECIAL_TOKENS, *words)
    return Vocab(tokens, {token: i for i, token in enumerate(tokens)})


def outcome(action: Any) -> Any:
    """What comes, or the name of the error."""
    try:
        return action()
    except ValueError:
        return "ValueError"


def run_decode(subject: Subject, case: dict[str, Any]) -> Any:
    """Decode, with the name of the error as the value where one is raised."""
    failed = subject.outcome(lambda: subject.call("decode", case["ids"], case["vocab"]))
    return failed or (subject.last_call.result if subject.last_call else None)


def plain(vocab: Any) -> Any:
    """A vocabulary as it crosses the boundary, with its ids in one order, to be compared."""
    if not isinstance(vocab, Vocab) or type(vocab.ids) is not dict or type(vocab.tokens) not in (list, tuple):
        return vocab
    return Vocab(list(vocab.tokens), {key: vocab.ids[key] for key in sorted(vocab.ids, key=str)})  # type: ignore[arg-type]


def plain_vocab(corpus: list[str], max_size: int | None = None, min_count: int = 1, **options: Any) -> Vocab:
    """`build_vocab`, to be compared."""
    return plain(build_vocab(corpus, max_size, min_count, **options))


_VOCAB = small_vocab(["tea", "with", "milk"])
_CORPUS = ["b [MASK] d d d", "c b e [MASK]", "a a c [SEP] f g f", "e [MASK] zz"]

TOKENIZE_PROBE = Probe(
    "tokenize",
    "A snake_Case3, «Straße» ÉTÉ!? x[MASK]y [SEP] z [cls] İ",
    lambda subject, text: subject.call("tokenize", text),
    tokenize,
)
BUILD_PROBE = Probe(
    "build_vocab",
    {"corpus": _CORPUS, "max_size": 9, "min_count": 2},
    lambda subject, c: plain(
        subject.call("build_vocab", c["corpus"], max_size=c["max_size"], min_count=c["min_count"])
    ),
    lambda c, **options: plain_vocab(c["corpus"], c["max_size"], c["min_count"], **options),
)
ORDER_PROBE = Probe(
    "build_vocab",
    {"corpus": _CORPUS},
    lambda subject, c: plain(subject.call("build_vocab", c["corpus"])),
    lambda c, **options: plain_vocab(c["corpus"], **options),
)
ENCODE_PROBE = Probe(
    "encode",
    {"tokens": ["tea", "coffee", "[CLS]", "milk", "[UNK]"], "vocab": _VOCAB},
    lambda subject, c: subject.call("encode", c["tokens"], c["vocab"]),
    lambda c, **options: encode(c["tokens"], c["vocab"], **options),
)
DECODE_PROBE = Probe(
    "decode",
    {"ids": [6, -1, 2], "vocab": _VOCAB},
    run_decode,
    lambda c, **options: outcome(lambda: decode(c["ids"], c["vocab"], **options)),
)
PROBES = (TOKENIZE_PROBE, BUILD_PROBE, ORDER_PROBE, ENCODE_PROBE, DECODE_PROBE)


def _of(exercise: str, *rows: tuple[str, dict[str, Any], str, str]) -> list[Mistake]:
    return [Mistake(f"vocab.{name}", exercise, says, hint, options) for name, options, says, hint in rows]


MISTAKES = (
    *_of(
        "tokenize",
        (
            "special_spaced",
            {"special": "spaced"},
            "a special token is only seen where spaces stand around it",
            "Cut the text at the special tokens first, wherever they stand.",
        ),
        (
            "special_split",
            {"special": "none"},
            "special tokens are split and lowered like other text",
            "They must be out of the way before anything is lowered or split.",
        ),
        (
            "special_any_case",
            {"special": "any_case"},
            "a special token is also seen in small letters",
            "Only capitals make a special token. Look for them before you lower the text.",
        ),
        (
            "case_kept",
            {"lower": "none"},
            "capitals are kept",
            "Should `The` and `the` be two words?",
        ),
        (
            "lower_late",
            {"lower": "token"},
            "tokens are lowered after the split instead of the text before it",
            "A capital can become two characters in lower case, one of which is no letter. Which step is first?",
        ),
        (
            "casefold",
            {"lower": "fold"},
            "`casefold` is used where `lower` is asked for",
            "`casefold` does more than lower case: look at what it makes of ß.",
        ),
        (
            "ascii",
            {"words": "ascii"},
            "only the letters a-z count as letters",
            "Which class of characters in `re` knows the letters of every script?",
        ),
        (
            "digits_apart",
            {"words": "letters"},
            "digits do not count as parts of a word",
            "A token is a run of letters, digits and underscores.",
        ),
        (
            "underscore_apart",
            {"words": "plain"},
            "the underscore does not count as part of a word",
            "A token is a run of letters, digits and underscores.",
        ),
        (
            "spaces",
            {"words": "spaces"},
            "the text is only split at white space, so that `tea,` and `tea` are two words",
            "Each mark is a token of its own.",
        ),
        (
            "mark_runs",
            {"marks": "runs"},
            "neighbouring marks are put into one token",
            "Letters join, marks do not.",
        ),
        (
            "marks_dropped",
            {"marks": "none"},
            "punctuation is thrown away",
            "Every character that is not white space belongs to a token.",
        ),
    ),
    *_of(
        "build_vocab",
        (
            "rising",
            {"order": "rising"},
            "the rarest words come first",
            "Which sign does the count need in the sort key?",
        ),
        (
            "alphabet",
            {"order": "none"},
            "words are sorted by name only",
            "The count decides first, the name only among equals.",
        ),
        (
            "ties_first_seen",
            {"ties": "first seen"},
            "equally frequent words stay in the order in which they were met",
            "Shuffle the texts: the vocabulary must not change. What decides between equals?",
        ),
        (
            "ties_reversed",
            {"ties": "reversed"},
            "equally frequent words are sorted from the last to the first",
            "One key falls, the other rises: `reverse=True` turns both.",
        ),
        (
            "size_of_words",
            {"size": "words"},
            "`max_size` counts the words only, without the five special tokens",
            "How long may `tokens` be in all?",
        ),
        (
            "min_count_more",
            {"rare": "more"},
            "a word must be seen more often than `min_count`",
            "Exactly `min_count` times is enough.",
        ),
        (
            "texts_counted",
            {"count": "texts"},
            "texts that hold a word are counted instead of the word's occurrences",
            "A word that stands twice in one text was seen twice.",
        ),
        (
            "specials_counted",
            {"specials": "counted"},
            "special tokens of the corpus are counted as words and listed a second time",
            "They have their ids already.",
        ),
    ),
    *_of(
        "encode",
        (
            "unknown_dropped",
            {"unknown": None},
            "unknown tokens are left out, so that places shift",
            "One id for each token.",
        ),
        (
            "unknown_pad",
            {"unknown": 0},
            "unknown tokens get id 0, which is [PAD]",
            "Which special token stands for what is unknown?",
        ),
        (
            "unknown_mask",
            {"unknown": 4},
            "unknown tokens get id 4, which is [MASK]",
            "Which special token stands for what is unknown?",
        ),
    ),
    *_of(
        "decode",
        (
            "outside_unknown",
            {"outside": "unknown"},
            "an id outside the vocabulary gives [UNK] instead of an error",
            "An id that no vocabulary gave is a fault in the program, and should be heard.",
        ),
        (
            "outside_wraps",
            {"outside": "wraps"},
            "a negative id counts from the end, as Python's lists do",
            "Both ends need a look before the list is asked.",
        ),
    ),
)
