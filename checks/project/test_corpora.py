"""The toy corpus and the stories are what their pages say."""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.given.corpora import (
    WORLDS,
    CorpusError,
    split,
    stories,
    story_words,
    toy,
    words_to_documents,
)
from lessons.given.corpora.world import SLOTS


def tokens(documents: list[list[str]]) -> list[str]:
    """Lesson 1's rule for plain text, written down a second time."""
    return re.findall(r"\w+|[^\w\s]", " ".join(" ".join(document) for document in documents).lower())


def test_the_toy_corpus_has_the_figures_that_its_page_states() -> None:
    documents = toy()
    counts = Counter(tokens(documents))
    assert len(documents) >= 120
    assert {len(document) for document in documents} <= {2, 3, 4, 5}
    assert 450 <= len(counts) <= 600
    assert sum(count >= 3 for count in counts.values()) >= 0.98 * len(counts)
    assert max(len(tokens([[sentence]])) for document in documents for sentence in document) <= 20


def test_the_toy_documents_are_truly_distinct() -> None:
    documents = toy()
    assert len({tuple(document) for document in documents}) == len(documents)
    sentences = Counter(sentence for document in documents for sentence in document)
    assert sum(count > 1 for count in sentences.values()) <= 0.01 * len(sentences)
    bags = [set(tokens([document])) for document in documents]
    closest = max(len(a & b) / len(a | b) for i, a in enumerate(bags) for b in bags[:i])
    assert closest < 0.6


@pytest.mark.parametrize("seed", range(5))
def test_held_out_toy_documents_have_few_unknown_words(seed: int) -> None:
    train, held_out = split(toy(), seed=seed)
    known = set(tokens(train))
    unknown = [word for word in tokens(held_out) if word not in known]
    assert len(held_out) == round(0.1 * len(toy()))
    assert len(unknown) < 0.05 * len(tokens(held_out))


@given(st.integers(2, 60), st.floats(0.01, 0.99), st.integers(0, 5))
def test_a_split_keeps_every_document_once_and_in_order(n: int, held_out: float, seed: int) -> None:
    train, rest = split(list(range(n)), held_out, seed)
    assert sorted(train + rest) == list(range(n))
    assert train == sorted(train)
    assert rest == sorted(rest)
    assert train
    assert rest
    assert (train, rest) == split(list(range(n)), held_out, seed)


def test_a_split_that_cannot_be_is_refused() -> None:
    with pytest.raises(CorpusError, match="got 1 document"):
        split([["a"]])
    with pytest.raises(ValueError, match="held_out: got 1"):
        split([["a"], ["b"]], held_out=1)


def test_every_world_has_the_vocabulary_it_states() -> None:
    sizes = {name: world.vocab_size for name, world in WORLDS.items()}
    assert sizes == {
        "tiny": 28, "small": 152, "control": 152, "medium": 959, "large": 2641, "huge": 8192, "full": 30000,
    }  # fmt: skip
    for world in WORLDS.values():
        assert len(set(world.words)) == len(world.words) == world.vocab_size - 5


@pytest.mark.parametrize("name", WORLDS)
def test_every_word_of_a_world_is_one_lower_case_token(name: str) -> None:
    assert all(re.fullmatch(r"[a-z]+|\.", word) for word in WORLDS[name].words)


@pytest.mark.parametrize("name", ["tiny", "small", "large"])
def test_stories_are_the_same_whatever_is_asked_for_with_them(name: str) -> None:
    all_of_them = stories(40, 3, name)
    assert all_of_them[:10] == stories(10, 3, name)
    assert all_of_them[10:] == stories(30, 3, name, first=10)
    assert all_of_them != stories(40, 4, name)


def test_chunks_of_stories_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stories(20, 0), story_words(20, 0)
    monkeypatch.setattr(sys.modules["lessons.given.corpora.stories"], "CHUNK", 7)
    assert stories(20, 0) == whole[0]
    assert (story_words(20, 0) == whole[1]).all()


@pytest.mark.parametrize("name", WORLDS)
def test_stories_as_integers_are_the_same_stories(name: str) -> None:
    world = WORLDS[name]
    words = story_words(30, 1, name)
    assert words.shape == (30, world.sentences, len(SLOTS))
    assert words_to_documents(words, name) == stories(30, 1, world)


def test_a_story_keeps_to_its_topic_and_its_protagonist() -> None:
    world = WORLDS["small"]
    words = story_words(500, 0, world)
    topic = (words[..., 4] - world.offsets["noun"]) // world.nouns
    assert (topic == topic[:, :1]).all()
    assert ((words[..., 7] - world.offsets["place"]) // world.places == topic).all()
    by_name = words[..., 0] >= world.offsets["name"]
    protagonist = np.where(by_name, words[..., 0] - world.offsets["name"], topic)
    gender = np.where(by_name, protagonist % 2, words[..., 0] - world.offsets["pronoun"])
    assert (protagonist == topic).all()
    assert (gender == topic % 2).all()


def test_adjective_and_noun_agree_in_class() -> None:
    world = WORLDS["small"]
    words = story_words(500, 0, world)
    noun_class = (words[..., 4] - world.offsets["noun"]) % world.nouns % world.classes
    assert ((words[..., 3] - world.offsets["adjective"]) // world.adjectives == noun_class).all()


def test_stories_leave_the_global_random_state_alone() -> None:
    before = str(np.random.get_state())  # noqa: NPY002
    stories(5, 0)
    assert str(np.random.get_state()) == before  # noqa: NPY002


def test_a_story_that_cannot_be_told_is_refused() -> None:
    with pytest.raises(ValueError, match="world: got 'smal', expected one of tiny, small"):
        stories(1, 0, "smal")
    with pytest.raises(ValueError, match="seed=-1"):
        stories(1, -1)
    with pytest.raises(ValueError, match="names: got 7 tied to 8 topics"):
        replace(WORLDS["small"], names=7)
    with pytest.raises(ValueError, match="got 0 words of kind verb"):
        replace(WORLDS["small"], stages=0)


def test_the_corpora_never_import_torch() -> None:
    program = (
        "import sys, lessons.given.corpora as c; c.stories(3, 0); c.toy(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
