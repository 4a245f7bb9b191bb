"""The words of a world: real ones for the small worlds, made by a rule for the large ones.

Made words are pronounceable, lower case, and end by kind: verbs in -ed, adjectives in -y, places in -ery,
names in -a, -o or -is. No word occurs twice in a world.
"""

from collections.abc import Iterator
from itertools import count, islice

PRONOUNS = ("she", "he")
ARTICLE, STOP = "the", "."

# One row a group: a topic's nouns and places, a stage's verbs, a class's adjectives.
PREPOSITIONS = (
    "near beside behind under above below inside beyond along around opposite against over within beneath",
    "towards amid underneath across outside by before past",
)
NAMES = ("anna ben clara david emma felix greta henry",)
NOUNS = (
    "carrot onion potato pepper tomato bean mushroom pumpkin",
    "hammer saw plank nail drill chisel ladder hinge",
    "rose tulip fern daisy lily shrub ivy orchid",
    "violin flute drum trumpet cello harp guitar organ",
    "rope anchor sail net oar compass lantern barrel",
    "book map letter diary atlas scroll notebook album",
    "coat scarf glove boot hat shawl ribbon jacket",
    "wheel tyre chain bell pedal saddle brake pump",
)
PLACES = (
    "stove sink pantry oven",
    "bench vice cellar shed",
    "fence pond path greenhouse",
    "stage balcony curtain piano",
    "pier lighthouse ferry beach",
    "shelf desk archive staircase",
    "mirror wardrobe counter window",
    "garage kerb bridge pavement",
)
VERBS = (
    "wanted imagined planned",
    "sought requested chased",
    "spotted noticed found",
    "bought collected borrowed",
    "carried dragged brought",
    "opened cleaned prepared",
    "used tested tried",
    "praised stored returned",
)
ADJECTIVES = ("red green yellow", "old new ancient", "large small tiny", "heavy light solid")

_VOWELS = "aeiou"
_ONSETS = (
    "b bl br c cl cr d dr f fl fr g gl gr h j k l m n p",
    "pl pr r s sc sl sm sn sp st t tr tw v w z",
)
_CODAS = ("b d ck ff g l ll lt m mp n nd nt p r rn rt sh sk sp ss st",)
_ENDINGS = {
    "noun": ("",),
    "place": ("ery",),
    "name": ("a", "o", "is"),
    "verb": ("ed",),
    "adjective": ("y",),
    "preposition": ("ward",),
}


def made_words(kind: str) -> Iterator[str]:
    """An endless run of distinct made words of a kind ("noun", "place", "name", "verb", "adjective", ...).

    A stem is an open syllable and a closed one, taken by steps that share no factor with the number of choices,
    so that neighbours look unlike each other; each kind starts elsewhere.
    """
    endings = _ENDINGS[kind]
    open_syllables = [onset + vowel for onset in split_rows(_ONSETS) for vowel in _VOWELS]
    closed_syllables = [syllable + coda for syllable in open_syllables for coda in split_rows(_CODAS)]
    total = len(open_syllables) * len(closed_syllables)
    shift = list(_ENDINGS).index(kind) * 157_061 + 31_337
    for index in count():
        place = (index * 100_003 + shift) % total
        stem = open_syllables[place % len(open_syllables)] + closed_syllables[place // len(open_syllables)]
        yield "".join(("ba" * (index // total), stem, endings[index % len(endings)]))


def block(kind: str, needed: int, real: tuple[str, ...], taken: set[str]) -> tuple[str, ...]:
    """`needed` words of a kind: the real ones where they suffice, else made ones; none from `taken`.

    The words are added to `taken`.
    """
    source = iter(real) if needed <= len(real) else (word for word in made_words(kind) if word not in taken)
    words = tuple(islice(source, needed))
    assert len(set(words)) == needed, f"a word of kind {kind} occurs twice"
    assert not taken.intersection(words), f"a word of kind {kind} is taken"
    taken.update(words)
    return words


def split_rows(rows: tuple[str, ...]) -> tuple[str, ...]:
    """All words of a table, row after row."""
    return tuple(word for row in rows for word in row.split())


def table(rows: tuple[str, ...], groups: int, a_group: int) -> tuple[str, ...]:
    """The words of the first `groups` rows, `a_group` of each; none where the table is too small."""
    if len(rows) < groups or min(len(row.split()) for row in rows) < a_group:
        return ()
    return tuple(word for row in rows[:groups] for word in row.split()[:a_group])
