"""Checks of lesson 4."""

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import Wrong, check, equal, is_array, rejects, true
from checks.judge.expect import show
from checks.oracles import datasets as oracle
from checks.oracles import datasets_facts as world
from checks.oracles.pairs import Documents, Lookup, corpus, places, vocab_size
from checks.subject import Subject
from lessons.given.records import Batch, Example

SEEDS = st.integers(0, 2**31)
LENGTHS = st.lists(st.integers(0, 5), max_size=2).map(lambda rest: [4, 2, *rest])
RANGES = st.sampled_from([(1, 1), (1, 3), (2, 2)])
# Equal to 4 in its last three digits, in its last 16 bits and in its last 32.
LARGE = 4 + 1000 * 2**32
BATCHES = st.lists(st.integers(5, 9), min_size=1, max_size=4)


def expect_items(
    items: list[Any], documents: Documents, task: str, sentences: tuple[int, int], max_len: int, because: str
) -> None:
    """Item i is a pair of place i, packed to `max_len` tokens and masked."""
    due, lookup = list(places(documents)), Lookup(documents)
    true(
        len(items) == len(due),
        "one for every two neighbours",
        expected=f"{len(due)} items",
        got=f"{len(items)}",
    )
    for i, (item, place) in enumerate(zip(items, due, strict=True)):
        expect_example(item, because)
        ids = oracle.restored(item)
        if not len(ids):
            raise Wrong(f"item {i}: a packed pair", "no tokens", because)
        seen = (tuple(ids.tolist()), tuple(item.segment_ids.tolist()), item.sentence_label)
        head = int(ids[np.argmax(item.segment_ids)])
        if seen not in oracle.candidates(lookup, place, task, sentences, max_len, head):
            expected = f"item {i}: a pair that starts with sentence {place[1]} of document {place[0]}, packed"
            raise Wrong(expected, f"{seen} without its masks", because)


def expect_example(item: Any, because: str) -> None:
    """An `Example` of int64 arrays of one length, everything real, labels at masked words only."""
    if not isinstance(item, Example):
        raise Wrong("an Example", show(item), because)
    is_array(item.input_ids, (None,), "i", "the masked ids")
    shape = item.input_ids.shape
    for name in ("segment_ids", "mlm_labels"):
        is_array(getattr(item, name), shape, "i", f"{name} has an entry for each token")
    kinds = [str(getattr(item, name).dtype) for name in ("input_ids", "segment_ids", "mlm_labels")]
    equal(kinds, ["int64"] * 3, "ids, segments and labels are int64")
    equal(item.attention_mask, np.ones(shape, bool), "an example is not padded: every token is real")
    true(type(item.sentence_label) is int, "the pair's label", expected="an int", got=item.sentence_label)
    labelled = item.mlm_labels != oracle.IGNORE
    words = oracle.restored(item) > 4
    because = "special tokens are never selected, and outside of the labels nothing changes"
    true(not (labelled & ~words).any(), because, expected="labels at words only", got=item)


@check("BERTDataset", points=0.75)
@given(lengths=LENGTHS, sentences=RANGES, same_place=st.booleans(), max_len=st.integers(5, 14), seed=SEEDS)
@example(lengths=[6, 5, 5], sentences=(2, 2), same_place=False, max_len=14, seed=1)
@example(lengths=[6, 5, 5], sentences=(1, 1), same_place=True, max_len=14, seed=2)
def test_a_bert_item_is_a_packed_and_masked_nsp_pair(
    subject: Subject, lengths: list[int], sentences: Any, same_place: bool, max_len: int, seed: int
) -> None:
    """Item i, its masks undone, is the NSP pair of place i, packed to at most `max_len` tokens.

    `sentences` and `same_place` reach the pairs, `max_len` the packing.
    """
    documents = corpus(lengths, np.random.default_rng(seed), longest=2)
    settings = {"sentences": sentences, "same_place": same_place, "probability": 0.4}
    data = subject.dataset("BERTDataset", documents, vocab_size(documents), max_len, seed, **settings)
    because = "a pair, then pack_pair, then mask_tokens; the labels give the original ids back"
    expect_items(data.items(), documents, "same_place" if same_place else "nsp", sentences, max_len, because)


@check("BERTDataset", points=0.25)
def test_probability_and_vocabulary_reach_the_masking(subject: Subject) -> None:
    """At probability 0 nothing is selected, at 1 every word; random words come from the whole vocabulary.

    Each word is selected on its own, so a short item may have no label at all.
    """
    documents, size = world.WORLD, 3000
    seen = []
    for probability in (0.0, 1.0):
        data = subject.dataset("BERTDataset", documents, size, 40, 1, probability=probability)
        items = data.items()
        expect_items(items, documents, "nsp", (1, 1), 40, "masks undone, an item is a pair")
        for item in items:
            chosen = item.mlm_labels != oracle.IGNORE
            want = (oracle.restored(item) > 4) & (probability == 1.0)
            equal(chosen, want, f"at probability {probability:g}")
            seen += item.input_ids[chosen].tolist()
    changed = [word for word in seen if word >= world.VOCAB]
    # A tenth of 180 selected words is random, and 96 % of the vocabulary is in no document.
    because = "a random word is uniform below vocab_size, not below the largest id of the documents"
    true(
        bool(changed) and max(seen) < size, because, expected="random words up to 2999", got=sorted(seen)[-3:]
    )
    short = subject.dataset("BERTDataset", world.SHORT, vocab_size(world.SHORT), 9, 1).items()
    expect_items(short, world.SHORT, "nsp", (1, 1), 9, "masks undone, an item is a pair")
    # Two words are both passed over with a chance of 0.72: that this happens in none of 30 items, below 1e-16.
    because = "a short item may have no label: each word is selected with its own draw"
    true(
        not world.masks(short).any(axis=1).all(), because, expected="items without a label", got="none of 30"
    )
    _expect_words_below(subject, 7)


def _expect_words_below(subject: Subject, size: int) -> None:
    """Of 600 selected words a tenth is random: every word of a vocabulary of so few comes, and no id beyond it."""
    sentence = [5] * 150
    data = subject.dataset("BERTDataset", 2 * [[sentence, sentence]], size, 303, 1, probability=1.0)
    seen = {int(word) for item in data.items() for word in item.input_ids[oracle.restored(item) > 4]}
    because = (
        f"random words are 5 to {size - 1}: the last word of the vocabulary too, and no id without a row"
    )
    equal(sorted(seen), list(range(4, size)), because)


@check("BERTDataset", points=0.5)
def test_an_item_depends_on_seed_epoch_and_index_only(subject: Subject) -> None:
    """Asked in order, in reverse, again, of a pickled copy or of a second dataset, an item is the same.

    Workers ask in an order of their own, each of a copy of its own. Another seed gives other pairs and masks.
    What the caller holds stays as it is: the documents, the global generators.
    """
    expect_determined(subject, "BERTDataset", "nsp")


@check("BERTDataset", points=0.5)
def test_each_epoch_draws_pairs_and_masks_anew(subject: Subject) -> None:
    """Another epoch has other pairs and other masks; back in an epoch, its items are the same again.

    Masks that never change are learnt by heart.
    """
    expect_epochs(subject, "BERTDataset")


@check("BERTDataset", points=0.25)
def test_every_item_has_masks_of_its_own(subject: Subject) -> None:
    """No two items share their masks: not in an epoch, not across epochs, not across neighbouring seeds.

    Seed, epoch and index are three numbers; added up, they are one.
    """
    patterns = []
    for seed in (4, 5):
        data = subject.dataset("BERTDataset", world.WORLD, world.VOCAB, 40, seed, probability=0.5)
        for epoch in range(3):
            data.set_epoch(epoch)
            items = data.items()
            expect_items(items, world.WORLD, "nsp", (1, 1), 40, "masks undone, an item is a pair")
            patterns += [row[1:].tobytes() for row in world.masks(items)]
    # 90 draws of 12 fair coins collide now and then; that half of them do has a chance below 1e-60.
    distinct = len(set(patterns))
    because = "each item's masks come from a generator of its own"
    true(distinct > 70, because, expected="hardly two alike among 90 masks", got=f"{distinct} different ones")
    _expect_masks_of_far_items(subject)


def _expect_masks_of_far_items(subject: Subject) -> None:
    """Items whose numbers look alike when seed, epoch and index are packed into one, or cut off."""
    data = subject.dataset("BERTDataset", world.FAR, 9, 50, 4, probability=0.5)
    places, patterns = [], []
    for epoch, indices in ((0, [0, 100, 256, 1000]), (1, [0, 1, 11]), (11, [1])):
        if epoch > 0:
            data.set_epoch(epoch)
        places += [f"item {index} of epoch {epoch}" for index in indices]
        patterns += world.masks(data.items(indices)).tolist()
    # 40 fair coins each: that any two of the eight agree has a chance below 1e-10.
    for (one, mine), (other, its) in combinations(zip(places, patterns, strict=True), 2):
        because = "three numbers that are packed into one number or text may meet those of another item"
        true(mine != its, because, expected=f"other masks in {one} than in {other}", got="equal masks")


@check("BERTDataset", points=0.25)
def test_the_masks_do_not_know_the_labels(subject: Subject) -> None:
    """What is masked in item 0 says nothing about the labels of the epoch's pairs, nor of the next epoch's.

    default_rng([s, e]) and default_rng([s, e, 0]) give the same numbers: one stream would serve for both.
    """
    documents = world.WORLD[:2]
    first = subject.seed * oracle.STREAM_SEEDS
    seeds = range(first, first + subject.draws(oracle.STREAM_SEEDS))
    whole = subject.dataset("BERTDataset", documents, world.VOCAB, 40, first, probability=0.5)
    expect_items(whole.items(), documents, "nsp", (1, 1), 40, "ten items, masks undone")
    drawn = subject.items_of_each(
        "BERTDataset",
        [[documents, world.VOCAB, 40, seed] for seed in seeds],
        [0, 1, 2],
        later=[1],
        probability=0.5,
    )
    agreed = np.zeros((2, len(oracle.STREAM_PLACES)), int)
    for items in drawn:
        for epoch, j in np.ndindex(agreed.shape):
            label, place = oracle.STREAM_PLACES[j]
            is_selected = items[0].mlm_labels[place] != oracle.IGNORE
            agreed[epoch, j] += is_selected == (items[3 * epoch + label - 1].sentence_label == 0)
    oracle.STREAMS.judge(agreed.ravel(), len(seeds), "pairs and masks are drawn from streams of their own")


@check("BERTDataset", points=0.25)
def test_an_index_outside_is_an_index_error(subject: Subject) -> None:
    """Indices run from 0 to len - 1; any other is an IndexError, by which a `for` loop ends."""
    data = subject.dataset("BERTDataset", world.MIXED, 99, 12, 2)
    expect_items(data.items(), world.MIXED, "nsp", (1, 1), 12, "documents of no or one sentence give no item")
    for index in (len(data), len(data) + 7, -1, -2, -len(data)):
        rejects(partial(data.items, [index]), "IndexError", f"there are {len(data)} items")
    because = "what nsp_pairs refuses is refused when the dataset is built"
    rejects(lambda: subject.dataset("BERTDataset", [[[5], [6]]], 9, 12, 2), "ValueError", because)


@check("ALBERTDataset", points=0.5)
@given(lengths=LENGTHS, sentences=RANGES, same_place=st.booleans(), max_len=st.integers(5, 14), seed=SEEDS)
@example(lengths=[6, 5], sentences=(2, 2), same_place=False, max_len=14, seed=1)
@example(lengths=[6], sentences=(1, 3), same_place=False, max_len=14, seed=2)
@example(lengths=[14, 12], sentences=(1, 1), same_place=True, max_len=14, seed=3)
def test_an_albert_item_is_a_packed_and_masked_sop_pair(
    subject: Subject, lengths: list[int], sentences: Any, same_place: bool, max_len: int, seed: int
) -> None:
    """Item i, its masks undone, is the SOP pair of place i, packed; it never leaves its document.

    So one document is enough, and `same_place` has no effect.
    """
    documents = corpus(lengths, np.random.default_rng(seed), longest=2)
    settings = {"sentences": sentences, "same_place": same_place, "probability": 0.4}
    data = subject.dataset("ALBERTDataset", documents, vocab_size(documents), max_len, seed, **settings)
    because = "a pair, then pack_pair, then mask_tokens; the labels give the original ids back"
    expect_items(data.items(), documents, "sop", sentences, max_len, because)


@check("ALBERTDataset", points=0.25)
def test_an_albert_item_depends_on_seed_epoch_and_index_only(subject: Subject) -> None:
    """As in BERTDataset: equal in any order and in any copy, other pairs and masks in another epoch."""
    expect_determined(subject, "ALBERTDataset", "sop")
    expect_epochs(subject, "ALBERTDataset")
    data = subject.dataset("ALBERTDataset", world.MIXED, 99, 12, 2)
    for index in (len(data), -1):
        rejects(partial(data.items, [index]), "IndexError", f"there are {len(data)} items, as in BERTDataset")


@check("collate", points=0.5)
@given(lengths=BATCHES, more=st.integers(0, 3), given_length=st.booleans(), seed=SEEDS)
@example(lengths=[8, 5, 9, 6, 5, 7], more=2, given_length=True, seed=1)
def test_examples_are_padded_on_the_right(
    subject: Subject, lengths: list[int], more: int, given_length: bool, seed: int
) -> None:
    """Rows are the examples, padded on the right to `length` or to the longest, each field with its own value."""
    case: dict[str, Any] = {
        "examples": oracle.examples(np.random.default_rng(seed), lengths),
        "length": max(lengths) + more if given_length else None,
    }
    got = oracle.COLLATE_PROBE(subject, case)
    want = oracle.collate(case["examples"], case["length"])
    if not isinstance(got, Batch):
        raise Wrong("a Batch", show(got), "a batch has five fields by name")
    fills = {"input_ids": "0 ([PAD])", "segment_ids": "0", "attention_mask": "False", "mlm_labels": "-100"}
    for name, fill in fills.items():
        equal(getattr(got, name), getattr(want, name), f"{name}: the examples' values, then {fill}")
    equal(got.sentence_labels, want.sentence_labels, "one label for each example")


@check("collate", points=0.25)
def test_a_batch_is_int64_and_bool_and_may_have_no_sentence_labels(subject: Subject) -> None:
    """Ids, segments and labels are int64, the mask is bool; no labels at all give None, some are a ValueError.

    The tensors are the batch's own: whoever writes into them leaves the examples alone.
    """
    rng = np.random.default_rng(3)
    with_labels, without = oracle.examples(rng, [5, 7]), oracle.examples(rng, [6, 5], labelled=False)
    narrow = [
        e._replace(
            **{name: getattr(e, name).astype(np.int32) for name in ("input_ids", "segment_ids", "mlm_labels")}
        )
        for e in with_labels
    ]
    got = subject.call("collate", examples=narrow)
    equal(got, oracle.collate(with_labels), "the longest example decides the length")
    kinds = ("int64", "int64", "bool", "int64", "int64")
    equal([str(field.dtype) for field in got], list(kinds), "one type a field, whatever the examples have")
    equal(subject.call("collate", without), oracle.collate(without), "sentence_labels is None")
    labelled, bare = with_labels[0], without[0]
    for mixed in ([labelled, bare], [bare, labelled], [labelled, bare, labelled]):
        because = "the labels are all there or none is"
        rejects(partial(subject.call, "collate", mixed), "ValueError", because)
    kept = subject.keep_module("collate", with_labels)
    others = oracle.examples(rng, [5, 7])
    equal(subject.call("collate", others), oracle.collate(others), "another batch of the same shape")
    because = "a batch has memory of its own: the next one leaves it alone"
    equal(subject.get(kept), oracle.collate(with_labels), because)
    got, after = subject.spoiled("collate", [labelled])
    equal(got, oracle.collate([labelled]), "one example is a batch, too")
    because = "all entries of the batch were overwritten, and the examples must not change with them"
    equal(after[0], [labelled], because)


@check("collate", points=0.25)
def test_what_does_not_fit_into_a_batch_is_refused(subject: Subject) -> None:
    """An example longer than `length`, or none at all, is a ValueError; one exactly that long fits."""
    made = oracle.examples(np.random.default_rng(4), [6, 8])
    equal(subject.call("collate", made, length=8), oracle.collate(made, 8), "eight tokens fit into eight")
    for length in (7, 5, 0, -1):
        because = f"eight tokens do not fit into {length}, in whichever row; cutting would lose a [SEP]"
        for some in (made, made[::-1]):
            rejects(partial(subject.call, "collate", some, length=length), "ValueError", because)
    rejects(lambda: subject.call("collate", []), "ValueError", "a batch has at least one row")


@check("collate", points=0.25)
def test_a_loader_serves_collated_batches(subject: Subject) -> None:
    """A DataLoader with this collate function serves every example once, each batch as long as its longest."""
    made = oracle.examples(np.random.default_rng(5), [6, 9, 5, 7, 5])
    got = subject.loader(made, batch_size=2)
    want = [oracle.collate(made[i : i + 2]) for i in (0, 2, 4)]
    equal(got, want, "batches of two in order, the last of one")


@check("BERTDataset", points=0.25, assembly=True, uses=("masking", "pairing"))
def test_the_dataset_works_on_your_own_masking_and_pairing(assembly: Subject) -> None:
    """Built from your own lessons 2 and 3, items are masked pairs, the same in any order, new in each epoch."""
    expect_determined(assembly, "BERTDataset", "nsp")
    expect_epochs(assembly, "BERTDataset")
    batch = assembly.dataset("BERTDataset", world.WORLD, world.VOCAB, 40, 1).batches(batch_size=4)
    true(len(batch) == 4, "15 items in batches of four", expected="4 batches", got=f"{len(batch)}")


def expect_determined(subject: Subject, kind: str, task: str) -> None:
    """Items are pairs, equal however they are asked for, and others for another seed."""

    def build(seed: int = 6) -> Any:
        settings = {"sentences": (1, 2), "probability": 0.5}
        return subject.dataset(kind, world.MIXED, vocab_size(world.MIXED), 16, seed, **settings)

    data = build()
    items = data.items()
    n = len(items)
    expect_items(items, world.MIXED, task, (1, 2), 16, "masks undone, an item is a pair")
    backward = list(range(n))[::-1]
    ways = {
        "asked again": data.items(),
        "of a pickled copy": data.pickled().items(),
        "in reverse": build().items(backward)[::-1],
        "the last one alone": [*items[:-1], *build().items([n - 1])],
        "of a second dataset": build().items(),
        "written over by its first caller": build().written_over(),
    }
    for way, other in ways.items():
        because = f"an item {way} is the same: it depends on seed, epoch and index only"
        true(world.same(other, items), because, expected="equal items", got=f"other items {way}")
    is_same = world.same(build(0).items(), build(0).items())
    true(is_same, "0 is a seed like any other", expected="equal items twice", got="others the second time")
    _expect_defaults(subject, kind)
    expect_nothing_touched(subject, kind)
    one, other, small, large = (
        subject.dataset(kind, world.WORLD, world.VOCAB, 40, seed, probability=0.5).items()
        for seed in (6, 7, 4, LARGE)
    )
    is_same, text = world.same(small, large), f"other items for seeds 4 and {LARGE}"
    true(not is_same, "the whole seed counts, however large", expected=text, got="equal items")
    differ = not np.array_equal(world.pairs(one), world.pairs(other))
    true(differ, "the seed decides the pairs", expected="another seed, other pairs", got="equal pairs")
    differ = world.differ(world.masks(one), world.masks(other))
    true(differ, "the seed decides the masks", expected="another seed, other masks", got="equal masks")


def _expect_defaults(subject: Subject, kind: str) -> None:
    """The last three arguments may be left out, in this order; all have the names of the signature."""
    size = vocab_size(world.MIXED)
    plain = subject.dataset(kind, documents=world.MIXED, vocab_size=size, max_len=16, seed=6).items()
    told = subject.dataset(kind, world.MIXED, size, 16, 6, (1, 1), 0.15, False).items()
    because = "sentences, probability and same_place come last, and are (1, 1), 0.15 and False where they are left out"
    text = "the items of a dataset that is told so"
    true(world.same(plain, told), because, expected=text, got="other items where they are left out")


def expect_nothing_touched(subject: Subject, kind: str) -> None:
    """The documents given and the global generators stay as they are."""
    settings = {"sentences": (1, 2), "probability": 0.5}
    rest = (vocab_size(world.MIXED), 16, 6)
    documents = subject.put(world.MIXED)
    subject.dataset(kind, documents, *rest, **settings).items()
    equal(subject.get(documents), world.MIXED, "the documents are the caller's, the empty ones too")
    moved = subject.disturbed_by_items(kind, world.MIXED, *rest, **settings)
    equal(moved, [], "a dataset makes its own generators; the global ones are left alone")


def expect_epochs(subject: Subject, kind: str) -> None:
    """Pairs and masks differ between epochs, and an epoch gives its items again."""

    def build() -> Any:
        return subject.dataset(kind, world.WORLD, world.VOCAB, 40, 8, probability=0.5)

    data = build()
    seen = {0: data.items()}
    task = "sop" if kind == "ALBERTDataset" else "nsp"
    expect_items(seen[0], world.WORLD, task, (1, 1), 40, "masks undone, an item is a pair")
    for epoch in (1, 2):
        data.set_epoch(epoch)
        seen[epoch] = data.items()
    for one, other in ((0, 1), (1, 2), (0, 2)):
        pairs = np.array_equal(world.pairs(seen[one]), world.pairs(seen[other]))
        masks = world.differ(world.masks(seen[one]), world.masks(seen[other]))
        text = f"epochs {one} and {other}"
        true(
            not pairs, "pairs are drawn anew each epoch", expected=f"other pairs in {text}", got="equal pairs"
        )
        true(masks, "masks are drawn anew each epoch", expected=f"other masks in {text}", got="equal masks")
    jumped = build()
    ways = {"while another dataset is in epoch 0": data, "in a pickled copy": data.pickled()}
    for way, other in ways.items():
        because = f"{way} an item belongs to the epoch that its own dataset was set to"
        is_same = world.same(other.items(), seen[2])
        true(is_same, because, expected="the items of epoch 2", got=f"other items {way}")
    for epoch in (2, 0, 1):
        jumped.set_epoch(epoch)
        because = "an epoch's items are the same, whichever epochs were set before"
        true(
            world.same(jumped.items(), seen[epoch]),
            because,
            expected=f"epoch {epoch} again",
            got="other items",
        )
