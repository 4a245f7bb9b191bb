"""The worlds that stories come from: small languages whose best possible predictor can be computed.

A document of a world has a **topic** (own nouns and places), a **protagonist**, and a **stage** of an event
that moves on from sentence to sentence. Every sentence has the same nine words:

    subject verb the adjective noun preposition the place .

* the subject is the protagonist's name or pronoun, each with probability 1/2;
* the verb belongs to the stage, or, with probability `noise`, is any verb at all;
* noun and place belong to the topic, the adjective to the class of the noun, the preposition is any.

So the topic tells whether two segments belong together (NSP), and only the stages tell which of them comes
first (SOP). Within a sentence, adjective and noun agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from lessons.given.corpora import lexicon

SLOTS = ("subject", "verb", "the", "adjective", "noun", "preposition", "the", "place", ".")
SUBJECT, VERB, _, ADJECTIVE, NOUN, PREPOSITION, _, PLACE, _ = range(len(SLOTS))
KINDS = ("subject", "verb", "the", "adjective", "noun", "preposition", "place", ".")

# How far the stage moves from one sentence to the next, clipped to the first and last stage, and how often.
ONWARD = ((0, 0.25), (1, 0.5), (2, 0.25))
EITHER_WAY = ((-1, 0.25), (0, 0.5), (1, 0.25))


@dataclass(frozen=True, kw_only=True)
class World:
    """A world, by its numbers; all draws are uniform where no probability is named.

    Args:
        name: what `stories(world=...)` calls it.
        topics: topics, each with its own `nouns` nouns and `places` places.
        names: protagonists; even ones are "she", odd ones "he".
        tied: whether topic t always has protagonist t (then `names == topics`).
        stages: stages of an event, each with its own `verbs` verbs.
        noise: the probability that a verb is drawn from all verbs instead of the stage's own.
        moves: pairs (step, probability) of the stage from sentence to sentence, clipped at both ends.
        start: the first sentence's stage is one of the first `start` stages.
        classes: classes of nouns and adjectives; noun j of a topic has class `j % classes`.
        adjectives: adjectives of a class.
        prepositions: prepositions.
        sentences: sentences of a document.
    """

    name: str
    topics: int
    nouns: int
    places: int
    names: int
    tied: bool = True
    stages: int
    verbs: int
    noise: float = 0.15
    moves: tuple[tuple[int, float], ...] = ONWARD
    start: int = 3
    classes: int
    adjectives: int
    prepositions: int
    sentences: int

    def __post_init__(self) -> None:
        for size in ("topics", "nouns", "places", "names", "stages", "verbs", "classes", "adjectives"):
            if getattr(self, size) < 1:
                raise ValueError(f"{size}: got {getattr(self, size)}, expected 1 or more")
        if self.tied and self.names != self.topics:
            raise ValueError(f"names: got {self.names} tied to {self.topics} topics, expected as many")
        if not 1 <= self.start <= self.stages:
            raise ValueError(f"start: got {self.start}, expected 1 to {self.stages} (the stages)")
        if not 1 <= self.prepositions <= len(lexicon.PREPOSITIONS):
            raise ValueError(
                f"prepositions: got {self.prepositions}, expected 1 to {len(lexicon.PREPOSITIONS)}"
            )
        if self.sentences < 2:
            raise ValueError(
                f"sentences: got {self.sentences}, expected 2 or more (a pair is two neighbours)"
            )
        if not 0 <= self.noise <= 1:
            raise ValueError(f"noise: got {self.noise}, expected a probability")
        if not np.isclose(sum(probability for _, probability in self.moves), 1):
            raise ValueError(f"moves: got {self.moves}, expected probabilities that sum to 1")

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many words each kind has, in the order of `words`."""
        return {
            "the": 1,
            ".": 1,
            "pronoun": 2,
            "preposition": self.prepositions,
            "adjective": self.classes * self.adjectives,
            "verb": self.stages * self.verbs,
            "name": self.names,
            "place": self.topics * self.places,
            "noun": self.topics * self.nouns,
        }

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Where each kind of word starts in `words`; within a kind, words stand by class, stage or topic."""
        starts = np.cumsum([0, *self.sizes.values()])[:-1]
        return {kind: int(start) for kind, start in zip(self.sizes, starts, strict=True)}

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of the world; a story as integers holds indices into this tuple."""
        real = {
            "preposition": lexicon.PREPOSITIONS,
            "adjective": _real(lexicon.ADJECTIVES, self.classes, self.adjectives),
            "verb": _real(lexicon.VERBS, self.stages, self.verbs),
            "name": lexicon.NAMES,
            "place": _real(lexicon.PLACES, self.topics, self.places),
            "noun": _real(lexicon.NOUNS, self.topics, self.nouns),
        }
        words = [lexicon.ARTICLE, lexicon.STOP, *lexicon.PRONOUNS]
        taken = set(words)
        for kind, candidates in real.items():
            words += lexicon.block(kind, self.sizes[kind], candidates, taken)
        return tuple(words)

    @property
    def vocab_size(self) -> int:
        """V: the words and the five special tokens."""
        return sum(self.sizes.values()) + 5

    @cached_property
    def transition(self) -> Float[np.ndarray, "stages stages"]:
        """`transition[s, r]`: the probability that stage r follows stage s."""
        matrix = np.zeros((self.stages, self.stages))
        stage = np.arange(self.stages)
        for step, probability in self.moves:
            matrix[stage, np.clip(stage + step, 0, self.stages - 1)] += probability
        return matrix

    @cached_property
    def stage_law(self) -> Float[np.ndarray, "sentences stages"]:
        """`stage_law[i, s]`: the probability that sentence i of a document has stage s."""
        law = np.zeros((self.sentences, self.stages))
        law[0, : self.start] = 1 / self.start
        for i in range(1, self.sentences):
            law[i] = law[i - 1] @ self.transition
        return law

    @cached_property
    def noun_classes(self) -> Int[np.ndarray, "nouns"]:
        """The class of each noun of a topic."""
        return np.arange(self.nouns) % self.classes


def find_world(world: str | World) -> World:
    """The world of that name; a `World` is returned as it is. Unknown name: ValueError."""
    if isinstance(world, World):
        return world
    if world not in WORLDS:
        raise ValueError(f"world: got {world!r}, expected one of {', '.join(WORLDS)}")
    return WORLDS[world]


def _real(table: Sequence[str], groups: int, a_group: int) -> tuple[str, ...]:
    """The hand-picked words for `groups` groups of `a_group` words; none if the table is too small."""
    rows = [row.split()[:a_group] for row in table[:groups]]
    return tuple(word for row in rows for word in row) if min(map(len, rows)) == a_group else ()


_SMALL = World(
    name="small", topics=8, nouns=8, places=4, names=8, stages=8, verbs=3,
    classes=4, adjectives=3, prepositions=3, sentences=8,
)  # fmt: skip
_CONTROL = World(
    name="control", topics=8, nouns=8, places=4, names=8, stages=8, verbs=3, moves=EITHER_WAY, start=8,
    classes=4, adjectives=3, prepositions=3, sentences=8,
)  # fmt: skip
_TINY = World(
    name="tiny", topics=2, nouns=2, places=2, names=2, stages=3, verbs=1, start=2,
    classes=2, adjectives=2, prepositions=2, sentences=4,
)  # fmt: skip
_MEDIUM = World(
    name="medium", topics=32, nouns=16, places=8, names=32, stages=16, verbs=6,
    classes=6, adjectives=8, prepositions=6, sentences=16,
)  # fmt: skip
_LARGE = World(
    name="large", topics=64, nouns=24, places=12, names=64, stages=24, verbs=8,
    classes=8, adjectives=8, prepositions=8, sentences=24,
)  # fmt: skip
_HUGE = World(
    name="huge", topics=128, nouns=41, places=16, names=128, stages=32, verbs=14,
    classes=16, adjectives=18, prepositions=23, sentences=24,
)  # fmt: skip
_FULL = World(
    name="full", topics=256, nouns=80, places=32, names=256, stages=48, verbs=16,
    classes=16, adjectives=17, prepositions=23, sentences=24,
)  # fmt: skip

# V: tiny 32, small and control 152, medium 959, large 2,641, huge 8,192, full 30,000. In "control" the stage
# walks both ways from a uniform start: a document read backwards is as likely, so order carries no information.
WORLDS: dict[str, World] = {
    world.name: world for world in (_TINY, _SMALL, _CONTROL, _MEDIUM, _LARGE, _HUGE, _FULL)
}
