"""The best reader of a world is exact: it agrees with the enumeration of everything that can be said."""

import itertools
from collections import defaultdict
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from lessons.given.corpora import WORLDS, World
from lessons.given.corpora.ideal import ideal
from lessons.given.corpora.optimum import optimum
from lessons.given.corpora.pairs import Pairing, Pairs, cut_law, sample_pairs

TINY = WORLDS["tiny"]
TWIG = replace(
    TINY,
    name="twig",
    places=1,
    stages=2,
    start=1,
    classes=2,
    adjectives=1,
    prepositions=1,
    names=3,
    tied=False,
)
CASES = [
    (TINY, Pairing(kind="true", sentences=(1, 1))),
    (TINY, Pairing(kind="sop", sentences=(1, 1))),
    (TINY, Pairing(kind="nsp", sentences=(1, 1))),
    (TWIG, Pairing(kind="true", sentences=(1, 2))),
    (TWIG, Pairing(kind="sop", sentences=(1, 2), clipped=True)),
    (TWIG, Pairing(kind="nsp", sentences=(1, 2))),
    (TWIG, Pairing(kind="nsp", sentences=(1, 2), same_place=False, clipped=True)),
]
NAMES = [
    f"{world.name}-{pairing.kind}-{'clipped' if pairing.clipped else 'inside'}" for world, pairing in CASES
]


def sentence_law(world: World, topic: int, name: int, stage: int) -> dict[tuple[int, ...], float]:
    """Every sentence that can be written, and how often, by the rules in words."""
    at = world.offsets
    law: dict[tuple[int, ...], float] = defaultdict(float)
    for by_name, verb, noun, adjective, preposition, place in itertools.product(
        (True, False),
        range(world.stages * world.verbs),
        range(world.nouns),
        range(world.adjectives),
        range(world.prepositions),
        range(world.places),
    ):
        words: tuple[int, ...] = (
            at["name"] + name if by_name else at["pronoun"] + name % 2,
            at["verb"] + verb,
            at["the"],
            at["adjective"] + (noun % world.classes) * world.adjectives + adjective,
            at["noun"] + topic * world.nouns + noun,
            at["preposition"] + preposition,
            at["the"],
            at["place"] + topic * world.places + place,
            at["."],
        )
        probability = 0.5 / (world.nouns * world.adjectives * world.prepositions * world.places)
        is_own = verb // world.verbs == stage
        probability *= world.noise / (world.stages * world.verbs) + is_own * (1 - world.noise) / world.verbs
        law[words] += probability
    return dict(law)


def stage_paths(world: World) -> dict[tuple[int, ...], float]:
    """Every course of stages through a document."""
    paths: dict[tuple[int, ...], float] = {(stage,): 1 / world.start for stage in range(world.start)}
    for _ in range(world.sentences - 1):
        longer: dict[tuple[int, ...], float] = defaultdict(float)
        for path, probability in paths.items():
            for step, chance in world.moves:
                longer[(*path, min(max(path[-1] + step, 0), world.stages - 1))] += probability * chance
        paths = longer
    return dict(paths)


@cache
def everything(case: int, lengths: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of these lengths: texts [M, sentences * 9], labels [M], probabilities [M]."""
    world, pairing = CASES[case]
    a, b = lengths
    stages: dict[tuple[int, tuple[int, ...], tuple[int, ...]], float] = defaultdict(float)
    for cut, chance in cut_law(world, pairing).items():
        if (cut.length_a, cut.length_b) != lengths:
            continue
        for one, other in itertools.product(stage_paths(world).items(), repeat=2):
            second = other[0] if pairing.kind == "nsp" and cut.label == 0 else one[0]
            key = (cut.label, one[0][cut.start_a : cut.start_a + a], second[cut.start_b : cut.start_b + b])
            stages[key] += chance * one[1] * other[1]
    people = [(t, t) for t in range(world.topics)] if world.tied else None
    people = people or list(itertools.product(range(world.topics), range(world.names)))
    laws = {(p, s): list(sentence_law(world, *p, s).items()) for p in people for s in range(world.stages)}
    total: dict[tuple[int, tuple[int, ...]], float] = defaultdict(float)
    for (label, first, second), chance in stages.items():
        strangers = pairing.kind == "nsp" and label == 0
        casts = list(itertools.product(people, people)) if strangers else [(p, p) for p in people]
        share = chance / len(people) ** (2 if strangers else 1)
        for teller, stranger in casts:
            parts = [laws[teller, s] for s in first] + [laws[stranger, s] for s in second]
            for written in itertools.product(*parts):
                probability = share
                for _, factor in written:
                    probability *= factor
                total[label, sum((words for words, _ in written), ())] += probability
    texts = np.array([text for _, text in total])
    return texts, np.array([label for label, _ in total]), np.array(list(total.values()))


def lengths_of(case: int) -> list[tuple[int, int]]:
    law = cut_law(*CASES[case])
    small = [lengths for lengths in {(cut.length_a, cut.length_b) for cut in law} if sum(lengths) <= 3]
    return sorted(small)


@pytest.mark.parametrize("case", range(len(CASES)), ids=NAMES)
def test_the_best_reader_agrees_with_enumeration(case: int) -> None:
    world, pairing = CASES[case]
    rng = np.random.default_rng(case)
    for a, b in lengths_of(case):
        texts, labels, probabilities = everything(case, (a, b))
        for hidden in (0.0, 0.15, 0.5, 0.5, 0.9, 1.0):
            row = rng.choice(len(texts), p=probabilities / probabilities.sum())
            text = texts[row].reshape(1, a + b, 9)
            pairs = Pairs(text[:, :a], text[:, a:], labels[[row]])
            masked = rng.random(text.shape) < hidden
            best = ideal(world, pairing, pairs, masked)
            fits = ((texts == texts[row]) | masked.reshape(-1)).all(axis=1)
            weight = probabilities * fits / probabilities[fits].sum()
            assert best.true_order[0] == pytest.approx((weight * labels).sum(), abs=1e-12)
            words = (weight[:, None] * (texts == texts[row])).sum(axis=0).reshape(text.shape)
            np.testing.assert_allclose(best.words[masked], words[masked], atol=1e-12)


@pytest.mark.parametrize("case", range(len(CASES)), ids=NAMES)
def test_all_that_can_be_said_has_probability_one_half_a_label(case: int) -> None:
    world, pairing = CASES[case]
    law = cut_law(world, pairing)
    shares = [sum(p for cut, p in law.items() if cut.label == label) for label in (0, 1)]
    assert shares == pytest.approx([0, 1] if pairing.kind == "true" else [0.5, 0.5])


@pytest.mark.parametrize("case", [1, 2])
def test_sampled_pairs_and_bayes_accuracy_agree_with_enumeration(case: int) -> None:
    world, pairing = CASES[case]
    texts, labels, probabilities = everything(case, (1, 1))
    law = {
        (label, tuple(text)): p for label, text, p in zip(labels, texts.tolist(), probabilities, strict=True)
    }
    assert sum(law.values()) == pytest.approx(1)
    (pairs,) = sample_pairs(world, pairing, 20_000, seed=5)
    both = np.concatenate([pairs.first, pairs.second], axis=1).reshape(20_000, -1)
    seen = np.log([law[label, tuple(text)] for label, text in zip(pairs.labels, both.tolist(), strict=True)])
    entropy = (probabilities * np.log(probabilities)).sum()
    assert abs(seen.mean() - entropy) < 5 * seen.std() / np.sqrt(len(seen))

    best: dict[tuple[int, ...], float] = defaultdict(float)
    for (_, text), probability in law.items():
        best[text] = max(best[text], probability)
    found = optimum(world, pairing, n=20_000).bayes_clean
    assert found is not None
    assert abs(found.mean - sum(best.values())) < 5 * found.error
