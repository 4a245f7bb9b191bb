"""Endless seeded stories from a world, as integers or as text."""

import numpy as np
from jaxtyping import Float, Int

from lessons.given.corpora.world import SLOTS, World
from lessons.given.corpora.worlds import find_world

CHUNK = 8192


def stories(n: int, seed: int, world: str | World = "small", first: int = 0) -> list[list[str]]:
    """`n` documents of a world, each a list of sentence texts (`world.sentences` of them, of nine words).

    Document k of a seed is always the same: `stories(10, seed)` starts `stories(20, seed)`, and
    `stories(10, seed, first=10)` continues `stories(10, seed)`. All words are lower case, and each is one
    token for `tokenize`.

    Args:
        n: how many documents (0 or more).
        seed: which endless run of documents (0 or more); held-out documents want another seed.
        world: a `World`, or the name of one in `WORLDS`.
        first: the number of the first document.

    Raises:
        ValueError: an unknown world, or a negative number.

    Example:
        >>> stories(1, seed=0)[0][0].split()[2], len(stories(3, seed=0))
        ('the', 3)
    """
    world = find_world(world)
    documents: list[list[str]] = []
    for start in range(0, n, CHUNK):
        words = story_words(min(CHUNK, n - start), seed, world, first + start)
        documents += words_to_documents(words, world)
    return documents


def words_to_documents(words: Int[np.ndarray, "n sentences 9"], world: str | World) -> list[list[str]]:
    """Stories as integers into documents of sentence texts."""
    table = np.array(find_world(world).words, dtype=object)
    return [[" ".join(sentence) for sentence in document] for document in table[words].tolist()]


def story_words(
    n: int, seed: int, world: str | World = "small", first: int = 0
) -> Int[np.ndarray, "n sentences 9"]:
    """The same documents as `stories`, as indices into `world.words` (int16, int32 for the largest worlds).

    The fast way to training data: with `ids = np.array([vocab.ids[word] for word in world.words])` the token
    ids of all documents are `ids[story_words(...)]`.
    """
    world = find_world(world)
    if min(n, seed, first) < 0:
        raise ValueError(f"stories: got n={n}, seed={seed}, first={first}, expected none below 0")
    dtype = np.int16 if sum(world.sizes.values()) < 2**15 else np.int32
    words = np.empty((n, world.sentences, len(SLOTS)), dtype=dtype)
    for start in range(0, n, CHUNK):
        part = words[start : start + CHUNK]
        part[:] = _tell(_draws(len(part), seed, world, first + start), world)
    return words


DOCUMENT_DRAWS, SENTENCE_DRAWS = 3, 8  # topic, name, start; move, subject, noise, verb, adjective, noun, ...


def _draws(n: int, seed: int, world: World, first: int) -> Float[np.ndarray, "n draws"]:
    """Uniform numbers in [0, 1), one row a document; row k is the same whatever is asked for with it."""
    a_document = DOCUMENT_DRAWS + SENTENCE_DRAWS * world.sentences
    bits = np.random.PCG64(seed)
    bits.advance(first * a_document)  # `random` takes one step a number
    return np.random.Generator(bits).random((n, a_document))


def _tell(draws: Float[np.ndarray, "n draws"], world: World) -> Int[np.ndarray, "n sentences 9"]:
    """The documents that these draws tell."""
    of_document = draws[:, :DOCUMENT_DRAWS]
    of_sentence = draws[:, DOCUMENT_DRAWS:].reshape(len(draws), world.sentences, SENTENCE_DRAWS)
    move, subject, noise, verb, adjective, noun, preposition, place = np.moveaxis(of_sentence, -1, 0)
    at = world.offsets

    topic = _choice(of_document[:, :1], world.topics)
    name = topic if world.tied else _choice(of_document[:, 1:2], world.names)
    stage = _walk(_choice(of_document[:, 2], world.start), move, world)
    own_verb = stage * world.verbs + _choice(verb, world.verbs)
    any_verb = _choice(verb, world.stages * world.verbs)
    which_noun = _choice(noun, world.nouns)
    which_class = world.noun_classes[which_noun]

    slots = (
        np.where(subject < 0.5, at["name"] + name, at["pronoun"] + name % 2),
        at["verb"] + np.where(noise < world.noise, any_verb, own_verb),
        at["the"],
        at["adjective"] + which_class * world.adjectives + _choice(adjective, world.adjectives),
        at["noun"] + topic * world.nouns + which_noun,
        at["preposition"] + _choice(preposition, world.prepositions),
        at["the"],
        at["place"] + topic * world.places + _choice(place, world.places),
        at["."],
    )
    return np.stack([np.broadcast_to(slot, stage.shape) for slot in slots], axis=-1)


def _walk(
    start: Int[np.ndarray, "n"], draws: Float[np.ndarray, "n sentences"], world: World
) -> Int[np.ndarray, "n sentences"]:
    """The stage of each sentence: the start, then steps by `world.moves`, clipped to the stages."""
    steps, probabilities = zip(*world.moves, strict=True)
    edges = np.cumsum(probabilities)[:-1]
    step = np.array(steps)[np.searchsorted(edges, draws, side="right")]
    stage = np.empty(draws.shape, dtype=np.int64)
    stage[:, 0] = start
    for i in range(1, world.sentences):
        stage[:, i] = np.clip(stage[:, i - 1] + step[:, i], 0, world.stages - 1)
    return stage


def _choice(draws: Float[np.ndarray, "*shape"], choices: int) -> Int[np.ndarray, "*shape"]:
    """Uniform numbers in [0, 1) as uniform choices 0..choices-1."""
    return (draws * choices).astype(np.int64)
