"""The lines above the floor: what ever simpler readers of a world reach, exactly."""

import numpy as np
from jaxtyping import Float

from lessons.given.corpora.ideal import verb_law
from lessons.given.corpora.pairs import Pairing, cut_law
from lessons.given.corpora.world import ADJECTIVE, NOUN, PLACE, PREPOSITION, SLOTS, SUBJECT, VERB, World
from lessons.given.corpora.worlds import find_world


def lines(world: str | World, pairing: Pairing | None = None) -> dict[str, float]:
    """Expected losses, in nats a word, of readers that know less and less.

    * "bigram": the word to the left, never masked, is all that it sees;
    * "slot unigram": it knows the slot, nothing else: the template is learnt, no content;
    * "unigram": it knows how often each word occurs;
    * "ln V": it knows nothing, the loss of a fresh model.

    `pairing` says which sentences of the documents are read (late sentences have late stages).

    Example:
        >>> {name: round(nats, 2) for name, nats in lines("small").items()}["ln V"]
        5.02
    """
    world = find_world(world)
    laws = slot_laws(world, pairing or Pairing())
    entropies = [_entropy(law) for law in laws]
    anything = np.mean(laws, axis=0)
    after_the = _entropy((laws[ADJECTIVE] + laws[PLACE]) / 2)
    return {
        "ln V": float(np.log(world.vocab_size)),
        "unigram": _entropy(anything),
        "slot unigram": float(np.mean(entropies)),
        "bigram": float(
            entropies[SUBJECT]
            + entropies[VERB]
            + 2 * after_the
            + _noun_given_adjective(world)
            + entropies[PREPOSITION]
        )
        / len(SLOTS),
    }


def slot_laws(world: World, pairing: Pairing) -> Float[np.ndarray, "9 words"]:
    """`[s, w]`: how often word w stands at slot s in the sentences that pairs in true order are made of."""
    at, sizes = world.offsets, world.sizes
    laws = np.zeros((len(SLOTS), sum(sizes.values())))
    for slot, kind in (
        ("the", "the"),
        (".", "."),
        ("preposition", "preposition"),
        ("place", "place"),
        ("noun", "noun"),
    ):
        for row in np.flatnonzero(np.array(SLOTS) == slot):
            laws[row, at[kind] : at[kind] + sizes[kind]] = 1 / sizes[kind]
    laws[SUBJECT, at["name"] : at["name"] + world.names] = 0.5 / world.names
    laws[SUBJECT, at["pronoun"] : at["pronoun"] + 2] = (
        np.bincount(np.arange(world.names) % 2, minlength=2) * 0.5 / world.names
    )
    laws[VERB, at["verb"] : at["verb"] + sizes["verb"]] = verb_law(world) @ _stages_read(world, pairing)
    share = np.bincount(world.noun_classes, minlength=world.classes) / world.nouns
    laws[ADJECTIVE, at["adjective"] : at["adjective"] + sizes["adjective"]] = np.repeat(
        share / world.adjectives, world.adjectives
    )
    return laws


def _stages_read(world: World, pairing: Pairing) -> Float[np.ndarray, "stages"]:
    """How often each stage occurs in the sentences of pairs in true order."""
    law = cut_law(world, Pairing(sentences=pairing.sentences, clipped=pairing.clipped))
    read = np.zeros(world.sentences)
    for cut, probability in law.items():
        read[cut.start_a : cut.start_b + cut.length_b] += probability
    return read / read.sum() @ world.stage_law


def _noun_given_adjective(world: World) -> float:
    alike = np.bincount(world.noun_classes, minlength=world.classes)
    alike = alike[alike > 0]
    return float((alike / world.nouns * np.log(world.topics * alike)).sum())


def _entropy(law: Float[np.ndarray, "words"]) -> float:
    law = law[law > 0]
    return float(-(law * np.log(law)).sum())
