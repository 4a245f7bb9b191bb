"""The optimum of a world and the lines above it have their known figures, and nothing beats it."""

from collections import Counter
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from lessons.given.corpora import WORLDS, stories
from lessons.given.corpora.ideal import ideal
from lessons.given.corpora.lines import lines
from lessons.given.corpora.optimum import optimum
from lessons.given.corpora.pairs import Pairing, cut_law, evaluation_mask, sample_pairs
from lessons.given.corpora.scored import ideal_scores
from lessons.given.engine import HeldOut, held_out_set
from lessons.given.records import IGNORE_INDEX
from solutions.pairing import nsp_pairs, sop_pairs
from solutions.vocab import build_vocab, encode, tokenize


@pytest.mark.parametrize("same_place", [True, False])
@pytest.mark.parametrize("kind", ["sop", "nsp"])
def test_clipped_cuts_are_those_of_lesson_3(kind: Literal["sop", "nsp"], same_place: bool) -> None:
    world = replace(WORLDS["tiny"], sentences=6)
    law = cut_law(world, Pairing(kind=kind, sentences=(1, 3), same_place=same_place, clipped=True))
    documents = [[[10 * d + i] for i in range(world.sentences)] for d in range(1, 4001)]
    rng = np.random.default_rng(0)
    pairs = (
        sop_pairs(documents, rng, (1, 3)) if kind == "sop" else nsp_pairs(documents, rng, (1, 3), same_place)
    )
    seen = Counter((p.label, len(p.first), len(p.second), p.first[0] % 10, p.second[0] % 10) for p in pairs)
    assert set(seen) == set(law)
    for cut, probability in law.items():
        spread = np.sqrt(probability * (1 - probability) / len(pairs))
        assert abs(seen[cut] / len(pairs) - probability) < 6 * spread


def test_the_small_world_has_its_known_lines() -> None:
    kinds: tuple[Literal["true", "sop", "nsp"], ...] = ("true", "sop", "nsp")
    found = {kind: optimum("small", Pairing(kind=kind), n=16_384) for kind in kinds}
    floor = found["true"].floor
    assert abs(floor.mean - 0.867) < 3 * floor.error
    assert abs(found["true"].without_agreement.mean - 1.129) < 3 * floor.error
    assert found["sop"].bayes_masked is not None
    assert abs(found["sop"].bayes_masked.mean - 0.927) < 0.004
    assert found["nsp"].bayes_masked is not None
    assert found["nsp"].bayes_clean is not None
    assert 0.94 < found["nsp"].bayes_masked.mean < found["nsp"].bayes_clean.mean < 0.953
    above = lines("small")
    assert above["unigram"] == pytest.approx(3.867, abs=0.003)
    assert above["slot unigram"] == pytest.approx(1.823, abs=0.003)
    assert above["ln V"] == pytest.approx(np.log(152))


@pytest.mark.parametrize("name", WORLDS)
def test_the_lines_stand_in_order(name: str) -> None:
    world = WORLDS[name]
    pairing = Pairing(sentences=(1, 2))
    found, above = optimum(world, pairing, n=512), lines(world, pairing)
    assert (
        found.floor.mean
        < found.without_agreement.mean
        < above["slot unigram"]
        < above["unigram"]
        < above["ln V"]
    )
    assert found.floor.mean < above["bigram"] < above["unigram"]
    assert found.slots["the"].mean == found.slots["."].mean == 0


@pytest.mark.parametrize("name", ["small", "control"])
def test_the_unigram_line_is_the_entropy_of_the_words_that_pairs_hold(name: str) -> None:
    counts = np.zeros(len(WORLDS[name].words))
    for pairs in sample_pairs(WORLDS[name], Pairing(), 20_000, seed=1):
        for part in (pairs.first, pairs.second):
            counts += np.bincount(part.reshape(-1), minlength=len(counts))
    share = counts[counts > 0] / counts.sum()
    assert -(share * np.log(share)).sum() == pytest.approx(lines(name)["unigram"], abs=0.003)


@pytest.mark.parametrize("sentences", [(1, 1), (2, 3), (1, 4)])
def test_the_control_world_says_nothing_of_order(sentences: tuple[int, int]) -> None:
    found = optimum("control", Pairing(kind="sop", sentences=sentences), n=1024)
    assert found.bayes_clean is not None
    assert found.bayes_masked is not None
    assert found.bayes_clean.mean == pytest.approx(0.5, abs=1e-12)
    assert found.bayes_masked.mean == pytest.approx(0.5, abs=1e-12)


def test_a_walk_that_looks_the_same_backwards_hides_the_order_of_single_sentences_only() -> None:
    # Swapped segments are not a document read backwards: inside each, the sentences keep their order.
    walk = replace(WORLDS["control"], moves=((-1, 0.25), (0, 0.5), (1, 0.25)))
    single = optimum(walk, Pairing(kind="sop", sentences=(1, 1)), n=512).bayes_clean
    several = optimum(walk, Pairing(kind="sop", sentences=(2, 3)), n=512).bayes_clean
    assert single is not None
    assert several is not None
    assert single.mean == pytest.approx(0.5, abs=1e-12)
    assert several.mean > 0.6


def test_clipped_lengths_tell_the_order_even_where_the_words_do_not() -> None:
    found = optimum("control", Pairing(kind="sop", sentences=(2, 3), clipped=True), n=2048).bayes_clean
    assert found is not None
    assert found.mean > 0.55


def test_no_other_reader_beats_the_best_one() -> None:
    world, pairing = WORLDS["small"], Pairing(kind="true")
    other = replace(world, noise=0.3, start=5)  # reads the same words by another world's rules
    rng = np.random.default_rng(0)
    gain, count = 0.0, 0
    for pairs in sample_pairs(world, pairing, 4096, seed=2):
        masked = evaluation_mask(pairs, rng)
        best, rival = (np.log(ideal(reader, pairing, pairs, masked).words) for reader in (world, other))
        gain += ((best - rival) * masked).sum()
        count += masked.sum()
    assert gain / count > 0.003


def held_out(max_len: int = 64) -> tuple[HeldOut, tuple[str, ...]]:
    """The capstone's held-out pairs of the small world, and the vocabulary."""
    vocab = build_vocab(WORLDS["small"].words)
    documents = [[encode(tokenize(sentence), vocab) for sentence in story] for story in stories(1500, 11)]
    return held_out_set(documents, max_len, 0, sentences=(2, 3), max_pairs=2048), vocab.tokens


def test_the_best_reader_scores_the_capstones_held_out_pairs() -> None:
    pairs, tokens = held_out()
    in_order = ideal_scores("small", Pairing(kind="true", clipped=False), pairs.true, tokens)
    places = [(pair.labels != IGNORE_INDEX).sum() for pair in pairs.true]
    assert in_order.hidden.sum(axis=1).tolist() == places
    best = optimum("small", Pairing(kind="true", clipped=False), n=8192)
    assert abs(in_order.floor - best.floor.mean) < 0.03
    unaware = ideal_scores("small", Pairing(kind="true", clipped=False), pairs.true, tokens, agreement=False)
    assert unaware.floor > in_order.floor + 0.2


@pytest.mark.parametrize("kind", ["sop", "nsp"])
def test_the_best_reader_is_as_often_right_on_held_out_pairs_as_it_should_be(
    kind: Literal["sop", "nsp"],
) -> None:
    pairs, tokens = held_out()
    pairing = Pairing(kind=kind, clipped=False)  # the held-out set leaves clipped pairs out
    yes = ideal_scores("small", pairing, pairs.true, tokens).true_order
    no = ideal_scores("small", pairing, pairs.negatives(kind), tokens).true_order
    right = np.concatenate([np.sign(yes - 0.5), np.sign(0.5 - no)]) / 2 + 0.5  # a tie is half right
    bayes = optimum("small", pairing, n=8192).bayes_masked
    assert bayes is not None
    assert abs(right.mean() - bayes.mean) < 0.025


def test_a_truncated_pair_or_a_foreign_word_is_refused() -> None:
    pairs, tokens = held_out()
    with pytest.raises(ValueError, match="expected the words of this world only"):
        ideal_scores("medium", Pairing(), pairs.true[:1], tokens)
    with pytest.raises(ValueError, match="was the pair truncated"):
        ideal_scores("small", Pairing(clipped=True), held_out(max_len=30)[0].true, tokens)
