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
        for kind, size in self.sizes.items():
            if size < 1:
                raise ValueError(f"world {self.name!r}: got {size} words of kind {kind}, expected 1 or more")
        if self.tied and self.names != self.topics:
            raise ValueError(f"names: got {self.names} tied to {self.topics} topics, expected as many")
        if not 1 <= self.start <= self.stages:
            raise ValueError(f"start: got {self.start}, expected 1 to {self.stages} (the stages)")
        if self.sentences < 2:
            raise ValueError(f"sentences: got {self.sentences}, expected 2 or more, for a pair")
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
            "preposition": lexicon.split_rows(lexicon.PREPOSITIONS),
            "adjective": lexicon.table(lexicon.ADJECTIVES, self.classes, self.adjectives),
            "verb": lexicon.table(lexicon.VERBS, self.stages, self.verbs),
            "name": lexicon.split_rows(lexicon.NAMES),
            "place": lexicon.table(lexicon.PLACES, self.topics, self.places),
            "noun": lexicon.table(lexicon.NOUNS, self.topics, self.nouns),
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
