"""Checks of lesson 1."""

import random
from functools import partial

from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import check, equal, expect_unchanged, rejects, true
from checks.oracles import vocab as oracle
from checks.subject import Subject
from lessons.given.records import SPECIAL_TOKENS

WORDS = ("tea", "Milk", "snake_case", "R2D2", "7", "_x", "NO")
MARKS = (",", "!", "'", "(", "-", "...", "?!", "$")
SPACES = (" ", "  ", "\n", "\t", "")
LOOKALIKES = ("[mask]", "[Sep]", "[MASK", "PAD]", "[[CLS]]", "[XYZ]", "[ CLS ]", "MASK")
SCRIPTS = (
    "été",
    "ÀB",
    "мир",
    "ΛΌΓΟΣ",
    "日本",
    "ß",
    "ñ1",
    "٣",
    "x²",
    "ﬁn",
    "İI",
    "e\u0301",
    "½",
    "\u00a0",
    "\u3000",
    "€",
    "“",
    "😀",
)
# More than the calls that Python lets stand open, and more than a limit that somebody thought large.
MANY = 2000
EDGES = (
    *("\u200b", "\u200d", "\ufeff", "\x00", "\u2019"),  # no white space, so tokens
    *("\x0b", "\x0c", "\x1c", "\x85"),  # white space
)

texts = st.lists(st.sampled_from(WORDS + MARKS + SPACES), min_size=1, max_size=8).map(
    lambda parts: "R2's a_b... " + "".join(parts)
)
special_texts = st.lists(
    st.sampled_from(SPECIAL_TOKENS + LOOKALIKES + ("tea", "A", "_", ".", " ")), max_size=6
).map("".join)
foreign_texts = st.lists(st.sampled_from((*SCRIPTS, " ", "a", ".")), max_size=6).map("".join)
names = st.lists(st.text("abcxyzäß", min_size=1, max_size=3), min_size=1, max_size=8, unique=True)


@check("tokenize", points=0.75)
@given(text=texts)
@example(text="")
@example(text=" \n\t ")
@example(text="pi is 3.14, not 1,000; mail a.b@c.de #tag x=-1 50%")
def test_runs_of_letters_digits_and_underscores_are_tokens_and_so_is_each_mark(
    subject: Subject, text: str
) -> None:
    """A run of letters, digits and `_` is one token in lower case, every mark is a token of its own.

    `tea,` and `Tea` must not be two words beside `tea`: the vocabulary would fill with doubles.
    """
    got = oracle.TOKENIZE_PROBE(subject, text)
    equal(got, oracle.tokenize(text), "letters, digits and _ join; marks stand alone; white space is dropped")


@check("tokenize", points=0.5)
@given(text=special_texts)
@example(text="__mask__ __MASK__ <mask> ")
def test_special_tokens_stay_whole_wherever_they_stand(subject: Subject, text: str) -> None:
    """A special token in capitals stays whole, also inside a word; its lookalikes do not."""
    text = f"{text}x[SEP]Y[MASK] [PAD]"
    got = oracle.TOKENIZE_PROBE(subject, text)
    equal(
        got,
        oracle.tokenize(text),
        "[PAD] [UNK] [CLS] [SEP] [MASK] in capitals are tokens, wherever they stand",
    )


@check("tokenize", points=0.5)
@given(text=foreign_texts)
@example(text="cafe\u0301 E\u0301t")
def test_letters_of_every_script_are_letters(subject: Subject, text: str) -> None:
    """Letters and digits of every script join, as Python's `\\w` has it, and marks that nobody sees are marks."""
    text = f"{text} Été2 日本"
    got = oracle.TOKENIZE_PROBE(subject, text)
    equal(got, oracle.tokenize(text), "a letter is what Python's \\w calls one, in any script")
    edges = "".join(f"a{mark}" for mark in EDGES)
    because = "white space is what Python's \\s calls so; every other character that is no letter is a token"
    equal(oracle.TOKENIZE_PROBE(subject, edges), oracle.tokenize(edges), because)


@check("tokenize", points=0.25)
def test_a_stretch_is_lowered_before_it_is_split(subject: Subject) -> None:
    """Lower case comes first and sees the whole stretch, then the split.

    It matters where lower case depends on the neighbours (the Greek sigma) or gives two characters.
    """
    cases = {
        "İx": ["i", "\u0307", "x"],
        "ΟΔΟΣ ΟΔΟΣ'Λ": ["οδος", "οδοσ", "'", "λ"],
        "ΛΣ[SEP]Λ": ["λς", "[SEP]", "λ"],
        "STRAẞE Straße": ["straße", "straße"],
        "İ[SEP]Xy": ["i", "\u0307", "[SEP]", "xy"],
        MANY * "[MASK]": MANY * ["[MASK]"],
    }
    for text, tokens in cases.items():
        equal(
            oracle.TOKENIZE_PROBE(subject, text),
            tokens,
            "str.lower is applied to each stretch between special tokens",
        )
    text, tokens = "İx", cases["İx"]
    subject.spoiled("tokenize", text)
    because = "each call gives a list of its own, which its caller may change"
    equal(subject.call("tokenize", text), tokens, because)
    equal(subject.call("tokenize", text=text), tokens, "text is the name of the argument")


@check("build_vocab", points=0.5)
@given(counts=st.lists(st.integers(1, 6), min_size=2, max_size=8), seed=st.integers(0, 999))
def test_words_stand_by_falling_frequency(subject: Subject, counts: list[int], seed: int) -> None:
    """After the five special tokens come the words, the most frequent first.

    Every occurrence counts, in whichever text it stands.
    """
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(len(counts))]
    stream = [word for word, count in zip(words, counts, strict=True) for _ in range(count)] + [words[-1]] * 7
    rng.shuffle(stream)
    cut = rng.randrange(len(stream))
    corpus = [" ".join(stream[:cut]), " ".join(stream[cut:])]
    case = {"corpus": corpus}
    got = oracle.ORDER_PROBE(subject, case)
    equal(
        got,
        oracle.plain_vocab(corpus),
        "words are sorted by falling count over the whole corpus, ties by code point",
    )


@check("build_vocab", points=0.5)
@given(seed=st.integers(0, 999))
def test_neither_hash_seed_nor_order_of_the_texts_changes_a_vocabulary(subject: Subject, seed: int) -> None:
    """Words seen equally often stand in the order of their code points, whatever the order of the texts.

    Two runs that number words differently cannot share a model: its rows would belong to other words.
    """
    rng = random.Random(seed)
    words = ["z", "é", "ß", "10", "9", "_", "aa", "a", "b", "!", "~", "ﬁ", "😀", "я", "x1", "x10", "x2"]
    words += [f"{rng.randrange(10**6):x}" for _ in range(9)]
    rng.shuffle(words)
    corpus = [" ".join(words[i::4]) for i in range(4)]
    got = oracle.ORDER_PROBE(subject, {"corpus": corpus})
    want = oracle.plain_vocab(corpus)
    equal(got, want, "among equals the order of code points decides, as Python sorts strings")
    equal(
        oracle.ORDER_PROBE(subject, {"corpus": corpus[::-1]}), want, "the order of the texts changes nothing"
    )
    expect_unchanged(
        subject,
        "build_vocab",
        corpus,
        judge=lambda got, case: equal(oracle.plain(got), want, "a second vocabulary of the same corpus"),
        because="the corpus is left as it is",
    )


@check("build_vocab", points=0.5)
@given(max_size=st.integers(5, 14), min_count=st.integers(1, 4))
@example(max_size=5, min_count=1)
@example(max_size=8, min_count=1)
def test_max_size_includes_the_specials_and_min_count_is_inclusive(
    subject: Subject, max_size: int, min_count: int
) -> None:
    """`max_size` counts the special tokens too, and a word seen `min_count` times is kept.

    Of equally frequent words the first by code point are kept. Fewer than five cannot be.
    """
    corpus = ["h g f e d c b a [MASK]" + 9 * "[MASK]", "a a e d d c b", "d b b e a d", "a d e"]
    case = {"corpus": corpus, "max_size": max_size, "min_count": min_count}
    want = oracle.plain_vocab(corpus, max_size, min_count)
    equal(
        oracle.BUILD_PROBE(subject, case),
        want,
        "max_size is the length of tokens; words below min_count are left out",
    )
    equal(
        oracle.ORDER_PROBE(subject, {"corpus": []}), oracle.plain_vocab([]), "no text, the five tokens alone"
    )
    for texts, size in ((corpus, 4), (corpus, 1), (corpus, 0), (corpus, -1), ([], 4)):
        because = (
            f"the special tokens need 5 places, and max_size={size} gives fewer, whatever the corpus holds"
        )
        rejects(partial(subject.call, "build_vocab", texts, max_size=size), "ValueError", because)


@check("build_vocab", points=0.25)
def test_special_tokens_of_the_corpus_are_no_words_and_the_corpus_may_be_a_generator(
    subject: Subject,
) -> None:
    """Special tokens in the corpus keep their ids and are not listed again; the corpus is read once.

    A corpus larger than memory comes as a generator: the second time nothing is left of it.
    """
    corpus = ["[MASK] a [MASK] b[CLS]b", "[MASK] [mask] a b[PAD]"]
    want = oracle.plain_vocab(corpus)
    equal(oracle.ORDER_PROBE(subject, {"corpus": corpus}), want, "[MASK] is no word, [mask] is three tokens")
    case = {"corpus": corpus, "max_size": None, "min_count": 0}
    equal(oracle.BUILD_PROBE(subject, case), want, "None is no limit, and no word is seen fewer than 0 times")
    got = oracle.plain(subject.call_streamed("build_vocab", corpus, min_count=2))
    equal(got, oracle.plain_vocab(corpus, None, 2), "the corpus is gone through once")
    numbers = [str(i) for i in range(MANY, 2 * MANY)]
    got = oracle.plain(subject.call("build_vocab", corpus=numbers))
    equal(
        got, oracle.plain(oracle.small_vocab(numbers)), "without max_size there is no limit, of texts neither"
    )


@check("encode", points=0.5)
@given(words=names, seed=st.integers(0, 999))
def test_each_token_gets_its_id_and_an_unknown_one_that_of_unk(
    subject: Subject, words: list[str], seed: int
) -> None:
    """Each token gives one id: its own, or 1 where the vocabulary does not hold it."""
    vocab = oracle.small_vocab([*words, "tea"])
    tokens = [*vocab.tokens, *SPECIAL_TOKENS, "never", "Tea", "[mask]", words[0]]
    random.Random(seed).shuffle(tokens)
    for some in (tokens, [], ["tea"]):
        got = oracle.ENCODE_PROBE(subject, {"tokens": some, "vocab": vocab})
        equal(got, oracle.encode(some, vocab), "a token's id is its place in vocab.tokens; [UNK] has 1")
    kept, given = subject.put(vocab), subject.put(tokens)
    got = subject.call("encode", tokens=given, vocab=kept)
    subject.record("encode", (tokens, vocab), {})
    equal(got, oracle.encode(tokens, vocab), "tokens and vocab are the names of the arguments")
    because = "the vocabulary is the caller's: an unknown token does not become a part of it"
    equal(oracle.plain(subject.get(kept)), oracle.plain(vocab), because)
    equal(
        subject.get(given), tokens, "the list of tokens is the caller's: the ids go into a list of their own"
    )


@check("decode", points=0.5)
@given(words=names, seed=st.integers(0, 999))
def test_each_id_gets_its_token(subject: Subject, words: list[str], seed: int) -> None:
    """Each id gives one token, the special ones included."""
    vocab = oracle.small_vocab(words)
    ids = [*range(len(vocab.tokens)), 0, len(vocab.tokens) - 1]
    random.Random(seed).shuffle(ids)
    for some in (ids, [], [5]):
        got = oracle.DECODE_PROBE(subject, {"ids": some, "vocab": vocab})
        equal(got, oracle.decode(some, vocab), "the token of id i is vocab.tokens[i]")
    got = subject.call_streamed("decode", ids, vocab)
    equal(got, oracle.decode(ids, vocab), "the ids may come as a generator, and are gone through once")
    given = subject.put(ids)
    subject.call("decode", ids=given, vocab=vocab)
    subject.record("decode", (ids, vocab), {})
    because = "the list of ids is the caller's: the tokens go into a list of their own"
    equal(subject.get(given), ids, because)


@check("decode", points=0.25)
def test_an_id_outside_the_vocabulary_is_an_error_at_both_ends(subject: Subject) -> None:
    """An id that the vocabulary does not have is a ValueError, a negative one too.

    -1 would silently give the last word.
    """
    vocab = oracle.small_vocab(["tea", "milk"])
    equal(subject.call("decode", [0, 6], vocab), ["[PAD]", "milk"], "ids from 0 to the last one are inside")
    for i in (7, -1, -7, 100):
        for ids in ([5, i], [i, 5], [5, i, 6]):
            got = oracle.DECODE_PROBE(subject, {"ids": ids, "vocab": vocab})
            because = f"ids go from 0 to 6, and {i} is outside, wherever it stands"
            true(got == "ValueError", because, expected="ValueError", got=got)
