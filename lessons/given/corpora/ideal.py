"""The best possible reader of a world: exact probabilities of masked words and of the order of a pair.

Given the visible words, what is unknown is the topic and protagonist of each segment, the stage of each
sentence, and whether the pair is in true order. For each answer to the last question:

* the topics and protagonists that fit all visible words are equally likely (every fitting one gives the same
  words the same probability), so a set of fitting ones is all there is to know;
* the stages form a chain, solved by the forward-backward recursion;
* adjective, noun and preposition depend on nothing outside their sentence but the topic.

The answers are then weighed by how probable they make what is visible.

Source: Rabiner 1989, section III (forward-backward); Bayes' rule for the rest.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from lessons.given.corpora.pairs import Cut, Pairing, Pairs, cut_law, place_weights
from lessons.given.corpora.world import ADJECTIVE, NOUN, PLACE, PREPOSITION, SLOTS, SUBJECT, VERB, World


class Ideal(NamedTuple):
    """What the best reader says of P pairs.

    `words[p, k, s]` is the probability it gives to the true word at slot s of sentence k, from the visible words
    (meaningful at masked places); `true_order[p]` the probability of label 1.
    """

    words: Float[np.ndarray, "P sentences 9"]
    true_order: Float[np.ndarray, "P"]


class Belief(NamedTuple):
    """What follows from one answer to "is it the true order?": its evidence and what is left open."""

    log_evidence: Float[np.ndarray, "P"]
    topics: Float[np.ndarray, "P sentences topics"]
    names: Float[np.ndarray, "P sentences names"]
    stages: Float[np.ndarray, "P sentences stages"]


def ideal(
    world: World,
    pairing: Pairing,
    pairs: Pairs,
    masked: Bool[np.ndarray, "P sentences 9"],
    agreement: bool = True,
    law: dict[Cut, float] | None = None,
) -> Ideal:
    """The best reader's probabilities for pairs drawn by `pairing`, with `[MASK]` where `masked`.

    With `agreement=False` it does not know that adjective and noun of a sentence agree: the line that a model
    reaches which has learnt all but that. `law` is `cut_law(world, pairing)`, if at hand.
    """
    law = cut_law(world, pairing) if law is None else law
    words = np.concatenate([pairs.first, pairs.second], axis=1).astype(np.int64)
    lengths = (pairs.first.shape[1], pairs.second.shape[1])
    beliefs = []
    for label in (1, 0):
        weights = place_weights(law, lengths, label, world.sentences)
        if weights.any():
            beliefs.append((label, _belief(world, pairing.kind, label, weights, words, masked, lengths)))
    log_evidence = np.stack([belief.log_evidence for _, belief in beliefs])
    weight = np.exp(log_evidence - log_evidence.max(axis=0))
    weight /= weight.sum(axis=0)
    probability = np.zeros(words.shape)
    true_order = np.zeros(len(words))
    for (label, belief), share in zip(beliefs, weight, strict=True):
        probability += share[:, None, None] * _word_probabilities(world, belief, words, masked, agreement)
        true_order += share * label
    return Ideal(probability, true_order)


def _belief(
    world: World,
    kind: str,
    label: int,
    weights: Float[np.ndarray, "n n"],
    words: Float[np.ndarray, "P sentences 9"],
    masked: Bool[np.ndarray, "P sentences 9"],
    lengths: tuple[int, int],
) -> Belief:
    a, b = lengths
    fits_topic, fits_name = _fits(world, words, masked)
    strangers = kind == "nsp" and label == 0
    segments = [slice(0, a), slice(a, a + b)] if strangers else [slice(0, a + b)]
    log_evidence = np.zeros(len(words))
    topics, names = np.empty(fits_topic.shape), np.empty(fits_name.shape)
    for segment in segments:
        for fits, posterior in [(fits_topic, topics)] + [(fits_name, names)] * (not world.tied):
            possible = fits[:, segment].all(axis=1)
            count = possible.sum(axis=1)
            with np.errstate(divide="ignore"):
                log_evidence += np.log(count / possible.shape[1])
            posterior[:, segment] = (possible / np.maximum(count, 1)[:, None])[:, None]

    emissions = np.where(
        masked[:, :, VERB, None], 1.0, verb_law(world)[words[:, :, VERB] - world.offsets["verb"]]
    )
    stage_law, onward = world.stage_law, world.transition
    if strangers:  # A backwards from its first sentence, then B onwards from its own
        order = [*range(a - 1, -1, -1), *range(a, a + b)]
        joint = stage_law.T @ weights @ stage_law
        start, links = np.ones(world.stages), [onward.T] * (a - 1) + [joint] + [onward] * (b - 1)
    else:
        order = [*range(a + b)] if label == 1 else [*range(a, a + b), *range(a)]
        start = weights.sum(axis=1 - (label == 0)) @ stage_law
        links = [onward] * (a + b - 1)
    log_chain, posterior = forward_backward(emissions[:, order], start, links)
    stages = np.empty_like(posterior)
    stages[:, order] = posterior
    return Belief(log_evidence + log_chain, topics, topics if world.tied else names, stages)


def _fits(
    world: World, words: Float[np.ndarray, "P sentences 9"], masked: Bool[np.ndarray, "P sentences 9"]
) -> tuple[Bool[np.ndarray, "P sentences topics"], Bool[np.ndarray, "P sentences names"]]:
    """Which topics and which protagonists can have written the visible words of each sentence."""
    at, topic, name = world.offsets, np.arange(world.topics), np.arange(world.names)
    noun_topic = (words[:, :, NOUN] - at["noun"]) // world.nouns
    place_topic = (words[:, :, PLACE] - at["place"]) // world.places
    subject = words[:, :, SUBJECT, None]
    is_pronoun = subject < at["pronoun"] + 2
    fits_name = np.where(is_pronoun, name % 2 == subject - at["pronoun"], name == subject - at["name"])
    fits_name |= masked[:, :, SUBJECT, None]
    fits_topic = (masked[:, :, NOUN, None] | (noun_topic[:, :, None] == topic)) & (
        masked[:, :, PLACE, None] | (place_topic[:, :, None] == topic)
    )
    return (fits_topic & fits_name if world.tied else fits_topic), fits_name


def verb_law(world: World) -> Float[np.ndarray, "verbs stages"]:
    """`[v, s]`: the probability of verb v in stage s."""
    own = np.repeat(np.eye(world.stages), world.verbs, axis=0)
    return (1 - world.noise) / world.verbs * own + world.noise / (world.stages * world.verbs)


def forward_backward(
    emissions: Float[np.ndarray, "P sentences stages"],
    start: Float[np.ndarray, "stages"],
    links: list[Float[np.ndarray, "stages stages"]],
) -> tuple[Float[np.ndarray, "P"], Float[np.ndarray, "P sentences stages"]]:
    """Log evidence and posterior of a chain with these weights at its start and between neighbours.

    The weights need not be probabilities: the evidence is the sum of their products over all paths.
    """
    forward, backward = emissions * start, np.ones_like(emissions)
    log_evidence = np.zeros(len(emissions))
    for k in range(len(links) + 1):
        if k:
            forward[:, k] = (forward[:, k - 1] @ links[k - 1]) * emissions[:, k]
        scale = forward[:, k].sum(axis=1, keepdims=True)
        forward[:, k] /= scale
        log_evidence += np.log(scale[:, 0])
    for k in range(len(links) - 1, -1, -1):
        backward[:, k] = (backward[:, k + 1] * emissions[:, k + 1]) @ links[k].T
        backward[:, k] /= backward[:, k].sum(axis=1, keepdims=True)
    posterior = forward * backward
    return log_evidence, posterior / posterior.sum(axis=2, keepdims=True)


def _word_probabilities(
    world: World,
    belief: Belief,
    words: Float[np.ndarray, "P sentences 9"],
    masked: Bool[np.ndarray, "P sentences 9"],
    agreement: bool,
) -> Float[np.ndarray, "P sentences 9"]:
    """The probability of the true word at every slot, under one belief."""
    at = world.offsets
    probability = np.ones((*words.shape[:2], len(SLOTS)))

    def of(posterior: Float[np.ndarray, "P sentences choices"], index: np.ndarray) -> np.ndarray:
        return np.take_along_axis(posterior, np.clip(index, 0, posterior.shape[2] - 1)[..., None], axis=2)[
            ..., 0
        ]

    subject = words[:, :, SUBJECT]
    genders = np.stack([belief.names[:, :, gender::2].sum(axis=2) for gender in (0, 1)], axis=2)
    pronoun, name = of(genders, subject - at["pronoun"]), of(belief.names, subject - at["name"])
    probability[:, :, SUBJECT] = np.where(subject < at["pronoun"] + 2, pronoun, name) / 2
    verbs = verb_law(world)[words[:, :, VERB] - at["verb"]]
    probability[:, :, VERB] = (belief.stages * verbs).sum(axis=2)
    probability[:, :, PREPOSITION] = 1 / world.prepositions
    probability[:, :, PLACE] = (
        of(belief.topics, (words[:, :, PLACE] - at["place"]) // world.places) / world.places
    )

    noun = words[:, :, NOUN] - at["noun"]
    nouns_of_class = np.bincount(world.noun_classes, minlength=world.classes)
    nouns_alike = nouns_of_class[world.noun_classes[noun % world.nouns]]
    sees_noun = ~masked[:, :, NOUN] if agreement else np.zeros(noun.shape, dtype=bool)
    sees_adjective = ~masked[:, :, ADJECTIVE] if agreement else np.zeros(noun.shape, dtype=bool)
    share_of_class = np.where(sees_noun, 1.0, nouns_alike / world.nouns)
    probability[:, :, ADJECTIVE] = share_of_class / world.adjectives
    choices = np.where(sees_adjective, nouns_alike, world.nouns)
    probability[:, :, NOUN] = of(belief.topics, noun // world.nouns) / choices
    return probability
