"""The words of a world: real ones for the small worlds, made by a rule for the large ones.

Made words are pronounceable, lower case, and end by kind: verbs in -ed, adjectives in -y, places in -ery,
names in -a, -o or -is. No word occurs twice in a world.
"""

from collections.abc import Iterator
from itertools import count, islice

PRONOUNS = ("she", "he")
ARTICLE, STOP = "the", "."

PREPOSITIONS = tuple(
    "near beside behind under above below inside beyond along around opposite against over within beneath "
    "towards amid underneath across outside by before past".split()
)
NAMES = tuple("anna ben clara david emma felix greta henry".split())
NOUNS = (
    "carrot onion potato pepper tomato bean mushroom pumpkin",  # a kitchen
    "hammer saw plank nail drill chisel ladder hinge",  # a workshop
    "rose tulip fern daisy lily shrub ivy orchid",  # a garden
    "violin flute drum trumpet cello harp guitar organ",  # a concert
    "rope anchor sail net oar compass lantern barrel",  # a harbour
    "book map letter diary atlas scroll notebook album",  # a library
    "coat scarf glove boot hat shawl ribbon jacket",  # a tailor
    "wheel tyre chain bell pedal saddle brake pump",  # a bicycle shop
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

_ONSETS = (
    "b bl br c cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sl sm sn sp st t tr tw v w z".split()
)
_VOWELS = "a e i o u".split()
_CODAS = "b d ck ff g l ll lt m mp n nd nt p r rn rt sh sk sp ss st t x".split()
_ENDINGS = {"noun": ("",), "place": ("ery",), "name": ("a", "o", "is"), "verb": ("ed",), "adjective": ("y",)}


def made_words(kind: str) -> Iterator[str]:
    """An endless run of distinct made words of a kind ("noun", "place", "name", "verb" or "adjective").

    A stem is one or two open syllables and a closed one, taken by steps that share no factor with the number
    of choices, so that neighbours look unlike each other.
    """
    endings = _ENDINGS[kind]
    open_syllables = [onset + vowel for onset in _ONSETS for vowel in _VOWELS]
    closed_syllables = [syllable + coda for syllable in open_syllables for coda in _CODAS]
    total = len(open_syllables) * len(closed_syllables)
    for index in count():
        place = (index * 100_003 + 31_337) % total
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
