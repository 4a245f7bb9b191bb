"""Checks of lesson 3."""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import Wrong, check, equal, expect_unchanged, is_array, rejects, true
from checks.judge.expect import show
from checks.judge.statistics import Share
from checks.oracles import pairing as oracle
from checks.oracles import pairing_draws as draws
from checks.oracles.pairs import Lookup, Run, corpus, places
from checks.subject import Seed, Subject
from lessons.given.records import SentencePair

SEEDS = st.integers(0, 2**32 - 1)
RANGES = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda t: (t[0], t[0] + t[1]))
LENGTHS = st.lists(st.integers(0, 7), min_size=1, max_size=5).map(lambda rest: [6, 2, *rest])
WORDS = st.lists(st.integers(5, 60), min_size=1, max_size=9)
DRAWN = (2, 4)
# More ids than calls that Python lets stand open; ids of special tokens, and larger ones than 16 bits hold.
MANY = 2000
IDS = [1, 300_000, 4, 70_000, 1]


def expect_pairs(got: Any, documents: list, sentences: tuple[int, int], task: str, because: str) -> None:
    """Every pair that is due is there, in order, and is what its label says, by look-up in the documents."""
    due, lookup = list(places(documents)), Lookup(documents)
    if not isinstance(got, list) or len(got) != len(due):
        came = f"{len(got)} pairs" if isinstance(got, list) else show(got)
        raise Wrong(f"{len(due)} pairs, one for each sentence but a document's last", came, because)
    for pair, place in zip(got, due, strict=True):
        fault = lookup.fault(pair, place, sentences, task)
        if fault:
            raise Wrong(f"for sentence {place[1]} of document {place[0]}: {fault[0]}", fault[1], because)


@check("nsp_pairs", points=0.75)
@given(lengths=LENGTHS, sentences=RANGES, same_place=st.booleans(), seed=SEEDS)
@example(lengths=[6, 5, 5], sentences=(2, 2), same_place=False, seed=1)
@example(lengths=[6, 5, 5], sentences=(1, 3), same_place=True, seed=2)
@example(lengths=[12, 17], sentences=(6, 8), same_place=False, seed=3)
def test_every_nsp_pair_is_what_its_label_says(
    subject: Subject, lengths: list[int], sentences: tuple[int, int], same_place: bool, seed: int
) -> None:
    """Looked up in the documents, a second segment follows the first (1) or comes from another document (0).

    A random segment that is the true one after all, or a label that does not fit, teaches the model noise.
    """
    documents = corpus(lengths, np.random.default_rng(seed))
    got = subject.call("nsp_pairs", documents, Seed(seed), sentences=sentences, same_place=same_place)
    task = "same_place" if same_place else "nsp"
    expect_pairs(got, documents, sentences, task, "every id stands in one document only, so a look-up tells")


@check("nsp_pairs", points=0.5)
def test_half_of_the_nsp_pairs_are_true_and_chance_decides(subject: Subject) -> None:
    """About half of NSP's labels are 1, and a label says nothing about the next one."""
    expect_coin(oracle.NSP_COIN, _draw(subject, "nsp_pairs"))


@check("nsp_pairs", points=0.5)
def test_a_negative_comes_from_any_other_document_and_any_place(subject: Subject) -> None:
    """Every other document that holds a sentence is as likely, and so is every start in it.

    Else the model learns which document, or which place, negatives come from. An equal document is another one, too.
    """
    pairs = _draw(subject, "nsp_pairs")
    negatives = [(first, second) for first, second, label in pairs if label == 0]
    ranks, starts = np.zeros(4, int), np.zeros(5, int)
    for first, second in negatives:
        others = [d for d in draws.LOOKUP.filled if d != first.document]
        because = "label 0 leaves the document"
        true(
            second.document in others,
            because,
            expected="negatives from other documents",
            got="one of its own",
        )
        ranks[others.index(second.document)] += 1
        if len(draws.WORLD[second.document]) == len(starts):
            starts[second.start] += 1
    oracle.OTHERS.judge(ranks, ranks.sum(), "the other documents are drawn uniformly")
    oracle.STARTS.judge(starts, starts.sum(), "the start is uniform, the last sentence included")
    expect_drawn_anew([None if label else second.document for _, second, label in pairs], "another document")
    expect_drawn_anew([_start_in_a_long_document(pair) for pair in pairs], "a start")
    because = "documents are told apart by their place, not by what they hold, and the label follows the coin"
    expect_all_outcomes(subject, "nsp_pairs", draws.TWINS, draws.TRIES, because)
    expect_all_outcomes(subject, "nsp_pairs", draws.ONLY_TWINS, draws.FEW_TRIES, because)


@check("nsp_pairs", points=0.5)
def test_the_lengths_of_an_nsp_pair_tell_nothing_of_its_label(subject: Subject) -> None:
    """Both lengths are uniform on the range and independent, under label 0 as under label 1."""
    expect_lengths(oracle.NSP_LENGTHS, _draw(subject, "nsp_pairs"))


@check("nsp_pairs", points=0.25)
def test_nsp_needs_two_documents_and_a_range_that_can_be(subject: Subject) -> None:
    """One document with sentences, or a range below 1 or upside down, is a ValueError; two documents serve."""
    documents = [[[5], [6, 7]], [], [[8]]]
    because = "two documents hold a sentence; the empty one is never drawn"
    for seed in range(12):
        got = subject.call("nsp_pairs", documents=documents, rng=Seed(seed))
        expect_pairs(got, documents, (1, 1), "nsp", because)
    for alone in ([[[5], [6]]], [[[5], [6]], []], []):
        rejects(
            partial(subject.call, "nsp_pairs", alone, Seed(1)),
            "ValueError",
            "there is no other document",
        )
    equal(subject.call("nsp_pairs", [[[5]], [[6]]], Seed(1)), [], "a document of one sentence gives no pair")
    expect_bad_ranges_refused(subject, "nsp_pairs", documents)


@check("nsp_pairs", points=0.25)
def test_nsp_draws_from_its_generator_only_and_leaves_the_documents(subject: Subject) -> None:
    """Equal seeds give equal pairs, other seeds others; the documents and the global generators stay as they are."""
    expect_own_generator(subject, "nsp_pairs", "nsp")


@check("sop_pairs", points=0.75)
@given(lengths=LENGTHS, sentences=RANGES, seed=SEEDS)
@example(lengths=[6, 5], sentences=(1, 3), seed=1)
@example(lengths=[12, 17], sentences=(6, 8), seed=3)
def test_every_sop_pair_is_what_its_label_says(
    subject: Subject, lengths: list[int], sentences: tuple[int, int], seed: int
) -> None:
    """Looked up in the documents, the two segments are neighbours in true order (1) or exchanged (0)."""
    documents = corpus(lengths, np.random.default_rng(seed))
    got = subject.call("sop_pairs", documents, Seed(seed), sentences=sentences)
    expect_pairs(got, documents, sentences, "sop", "every id stands in one document only, so a look-up tells")


@check("sop_pairs", points=0.5)
def test_half_of_the_sop_pairs_are_true_and_chance_decides(subject: Subject) -> None:
    """About half of SOP's labels are 1, and a label says nothing about the next one, nor do equal sentences."""
    expect_coin(oracle.SOP_COIN, _draw(subject, "sop_pairs"))
    because = "a sentence that stands twice begins two pairs, and the coin is tossed for equal neighbours too"
    expect_all_outcomes(subject, "sop_pairs", draws.REPEATED, draws.FEW_TRIES, because)


@check("sop_pairs", points=0.25)
def test_the_lengths_of_an_sop_pair_tell_nothing_of_its_label(subject: Subject) -> None:
    """Both lengths are uniform on the range and independent, under label 0 as under label 1."""
    expect_lengths(oracle.SOP_LENGTHS, _draw(subject, "sop_pairs"))


@check("sop_pairs", points=0.25)
def test_sop_needs_one_document_and_its_own_generator(subject: Subject) -> None:
    """One document is enough for SOP, and none gives no pair; bad ranges are a ValueError.

    Only the generator given is used.
    """
    documents = [[[5], [6, 7], [8], [9]]]
    got = subject.call("sop_pairs", documents=documents, rng=Seed(3), sentences=(1, 2))
    expect_pairs(got, documents, (1, 2), "sop", "SOP never leaves its document")
    for empty in ([], [[], [[5]]], [[[5]], [[6]]]):
        because = "documents of no or one sentence give no pair, and that is no error"
        equal(subject.call("sop_pairs", empty, Seed(1)), [], because)
    expect_bad_ranges_refused(subject, "sop_pairs", documents)
    expect_own_generator(subject, "sop_pairs", "sop")


@check("truncate_pair", points=0.75)
@given(first=WORDS, second=WORDS)
def test_the_longer_segment_loses_its_end_first(
    subject: Subject, first: list[int], second: list[int]
) -> None:
    """The longer segment loses its last token, the second one on a tie, until both fit.

    So a short segment stays whole beside a long one, and neither ends up empty.
    """
    for limit in range(2, len(first) + len(second) + 2):
        got = oracle.TRUNCATE_PROBE(subject, [[first, second, limit]])
        want = oracle.truncate(first, second, limit)
        equal(got[0], want, "one token after the other goes from the end of the longer")


@check("truncate_pair", points=0.25)
def test_truncation_gives_new_lists(subject: Subject) -> None:
    """The results are new lists, also where nothing had to go; the arguments stay as they are.

    Any ids do, special ones and large ones, and any number of them.
    """
    for first, second, limit in (([5, 6, 7, 8], [9, 10], 4), ([5, 6], [7], 8)):
        got, after = subject.spoiled("truncate_pair", first, second, limit)
        equal(got, oracle.truncate(first, second, limit), "the longer gives way")
        because = "all entries of the result were overwritten, and the arguments must not change with them"
        equal(after[:2], [first, second], because)
    for first, second, limit in ((IDS, IDS[::-1], 7), (list(range(5, MANY)), IDS, 9)):
        got = subject.call("truncate_pair", first=first, second=second, max_tokens=limit)
        because = "ids go from the ends one after the other, whatever ids these are, until so many are left"
        equal(got, oracle.truncate(first, second, limit), because)


@check("truncate_pair", points=0.25)
def test_what_cannot_be_truncated_is_refused(subject: Subject) -> None:
    """Two tokens are the least that two segments can keep; fewer, or an empty segment, is a ValueError."""
    equal(subject.call("truncate_pair", [5, 6, 7], [8, 9], 2), [[5], [8]], "one token of each is left")
    for first, second, limit in (
        ([5, 6], [7], 1),
        ([5, 6], [7], 0),
        ([5, 6], [7], -3),
        ([], [7], 5),
        ([5], [], 5),
    ):
        rejects(
            partial(subject.call, "truncate_pair", first, second, limit),
            "ValueError",
            "no two non-empty segments can come of it",
        )


@check("pack_pair", points=0.5)
@given(first=WORDS, second=WORDS, room=st.integers(0, 5))
def test_a_pair_is_packed_between_special_tokens(
    subject: Subject, first: list[int], second: list[int], room: int
) -> None:
    """`[CLS] first [SEP]` is segment 0 and `second [SEP]` segment 1, nothing before, between or after."""
    max_len = len(first) + len(second) + 3 + room
    got = oracle.PACK_PROBE(subject, [[first, second, max_len]])
    equal(got[0], oracle.pack(first, second, max_len), "[CLS] is 2, [SEP] is 3; nothing is padded")


@check("pack_pair", points=0.5)
@given(first=WORDS, second=WORDS)
def test_a_pair_that_is_too_long_is_truncated_before_it_is_packed(
    subject: Subject, first: list[int], second: list[int]
) -> None:
    """The result has at most `max_len` tokens, both [SEP] among them, and the segments are cut as by truncation.

    One token more, and the position table has no row for it.
    """
    for max_len in range(5, len(first) + len(second) + 4):
        got = oracle.PACK_PROBE(subject, [[first, second, max_len]])
        because = "three places are kept for the special tokens"
        equal(got[0], oracle.pack(first, second, max_len), because)


@check("pack_pair", points=0.25)
def test_packing_gives_int64_arrays_or_refuses(subject: Subject) -> None:
    """Both arrays are int64, as later lessons expect; fewer than 5 places, or an empty segment, is a ValueError."""
    got = expect_unchanged(
        subject,
        "pack_pair",
        [5, 6, 7],
        [8],
        5,
        judge=_as_packed,
        because="the caller still needs its segments",
        again={2: 7},
    )
    _expect_arrays_of_its_own(subject)
    for name, array in zip(("input_ids", "segment_ids"), got, strict=True):
        is_array(array, (5,), "i", name)
        because = "one integer type throughout"
        true(array.dtype == np.int64, because, expected=f"{name} of int64", got=str(array.dtype))
    for first, second, limit in (([5], [6], 4), ([5], [6], -2), ([], [6], 9), ([5], [], 9)):
        rejects(
            partial(subject.call, "pack_pair", first, second, limit),
            "ValueError",
            "[CLS] a [SEP] b [SEP] needs five places and two segments",
        )


def _expect_arrays_of_its_own(subject: Subject) -> None:
    """Any ids do, special ones and large ones, and what one call gave is not the next one's to use."""
    case, other = [IDS, [9, 1], 12], [[5] * 5, [6, 7], 12]
    _as_packed(subject.call("pack_pair", *case), case)
    kept = subject.keep_module("pack_pair", *case)
    _as_packed(subject.call("pack_pair", first=other[0], second=other[1], max_len=12), other)
    subject.record("pack_pair", case, {})
    _as_packed(subject.get(kept), case)
    subject.spoiled("pack_pair", *case)
    _as_packed(subject.call("pack_pair", *case), case)


def _as_packed(got: Any, case: list[Any]) -> None:
    because = (
        "three special tokens, and of the segments what fits into the rest, in two arrays of this call's own"
    )
    equal(got, oracle.pack(*case), because)


def _draw(subject: Subject, function: str) -> list[tuple]:
    """(first, second, label) of many pairs of one world as runs in the documents, drawn once for all checks."""
    if function not in subject.cache:
        seeds = range(subject.seed * draws.CALLS, subject.seed * draws.CALLS + subject.draws(draws.CALLS))
        calls = [[draws.WORLD, Seed(seed)] for seed in seeds]
        results = subject.call_each(function, calls, sentences=DRAWN)
        subject.cache[function] = [_as_runs(pairs) for pairs in results]
    found: list[tuple] = []
    for pairs in subject.cache[function]:
        if isinstance(pairs, Wrong):
            raise pairs
        found += pairs
    return found


def _as_runs(pairs: Any) -> list[tuple] | Wrong:
    """One call's pairs as runs, or what is wrong with them."""
    because = "every sentence but a document's last begins a pair of whole sentences"
    if not isinstance(pairs, list) or len(pairs) != len(draws.DUE):
        return Wrong(f"{len(draws.DUE)} pairs", show(pairs), because)
    found = []
    for pair in pairs:
        whole = isinstance(pair, SentencePair) and (
            draws.LOOKUP.run(pair.first),
            draws.LOOKUP.run(pair.second),
        )
        if not whole or None in whole or type(pair.label) not in (int, bool):
            return Wrong("a SentencePair of whole sentences and a label", show(pair), because)
        found.append((*whole, int(pair.label)))
    return found


def expect_coin(coin: Share, pairs: list[tuple]) -> None:
    """Labels are tosses of a fair coin: half are 1, and half are like the one before in the call."""
    labels = np.array([label for _, _, label in pairs]).reshape(-1, len(draws.DUE))
    alike = labels[:, 1:] == labels[:, :-1]
    because = "a fair coin, tossed anew for every pair"
    coin.judge([int((labels == 1).sum()), int(alike.sum())], [labels.size, alike.size], because)


def expect_lengths(share: Share, pairs: list[tuple]) -> None:
    """Where nothing is clipped both lengths are uniform on DRAWN, whatever the label, and independent."""
    hits, trials = np.zeros(13, int), np.zeros(13, int)
    for pair in pairs:
        earlier, later = _in_order(pair)
        label = pair[2]
        room, more = _unclipped(earlier, later)
        for run, wide, column in ((earlier, room, 0), (later, more, 3)):
            cell = 6 * label + column + run.size - DRAWN[0]
            if wide and 0 <= run.size - DRAWN[0] <= 2:
                hits[cell] += 1
                trials[6 * label + column : 6 * label + column + 3] += 1
        if room and more:
            hits[12] += earlier.size == later.size
            trials[12] += 1
    share.judge(hits, trials, f"each length is uniform on {DRAWN[0]} to {DRAWN[1]}, whatever the label")
    sizes = [_sizes(pair) for pair in pairs]
    missing = sorted(set(product(range(DRAWN[0], DRAWN[1] + 1), repeat=2)) - set(sizes))
    because = "the two lengths are drawn apart: any two of the range come together"
    text = f"of {len(pairs)} pairs some of each two lengths"
    true(not missing, because, expected=text, got=f"none of {missing}")
    expect_drawn_anew(sizes, "both lengths")


def expect_drawn_anew(values: list[Any], what: str) -> None:
    """In some call, two pairs of one document differ in their entries of `values`, one a pair; None does not count."""
    seen: dict[tuple[int, int], set] = defaultdict(set)
    for n, value in enumerate(values):
        call, place = divmod(n, len(draws.DUE))
        seen[call, draws.DUE[place][0]].add(value)
    varies = any(len(found - {None}) > 1 for found in seen.values())
    because = f"every pair draws {what} of its own: one draw for all pairs of a document is one draw only"
    true(varies, because, expected="different ones within a document", got="the same all through a document")


def _start_in_a_long_document(pair: tuple) -> int | None:
    """Where a negative begins in the document that is longest, or in the next where it is of that one itself."""
    first, second, label = pair
    longest = 3 if first.document == 4 else 4
    return second.start if label == 0 and second.document == longest else None


def _sizes(pair: tuple) -> tuple[int, int] | None:
    """The lengths of both segments in the order in which they were drawn; None where one may be clipped."""
    earlier, later = _in_order(pair)
    return (earlier.size, later.size) if all(_unclipped(earlier, later)) else None


def _unclipped(earlier: Run, later: Run) -> tuple[bool, bool]:
    """Whether there is room for the longest segment of DRAWN at both places."""
    room = len(draws.WORLD[earlier.document]) - 1 - earlier.start
    more = len(draws.WORLD[later.document]) - later.start
    return room >= DRAWN[1], more >= DRAWN[1]


def _in_order(pair: tuple) -> tuple[Run, Run]:
    """The segment whose length is drawn first, and the other: for a swapped pair the second and the first."""
    first, second, label = pair
    is_swapped = first.document == second.document and label == 0 and second[:2] < first[:2]
    return (second, first) if is_swapped else (first, second)


def expect_all_outcomes(subject: Subject, function: str, documents: list, tries: int, because: str) -> None:
    """In many calls each pair that can come of a place does come, and no other."""
    due = draws.outcomes(documents, function.partition("_")[0])
    seeds = range(subject.seed * tries, (subject.seed + 1) * tries)
    results = subject.call_each(function, [[documents, Seed(seed)] for seed in seeds])
    seen: list[set[str]] = [set() for _ in due]
    for pairs in results:
        if not isinstance(pairs, list) or len(pairs) != len(due):
            raise Wrong(f"{len(due)} pairs", show(pairs), because)
        for texts, pair in zip(seen, pairs, strict=True):
            texts.add(_as_text(pair))
    for place, want, got in zip(places(documents), due, seen, strict=True):
        pairs_of = f"for sentence {place[1]} of document {place[0]}, in {tries} calls: "
        true(got == set(want), because, expected=pairs_of + _listed(want), got=_listed(got))


def _as_text(pair: Any) -> str:
    if not isinstance(pair, SentencePair) or type(pair.label) not in (int, bool):
        return show(pair)
    return repr((pair.first, pair.second, int(pair.label)))


def _listed(texts: Iterable[str]) -> str:
    return " and ".join(sorted(texts))


def _is_written_over(pair: Any) -> bool:
    """Whether both segments took the negative numbers that lists are filled with; a tuple keeps its ids."""
    return isinstance(pair, SentencePair) and all(
        isinstance(segment, list) and all(type(word) is int and word < 0 for word in segment)
        for segment in pair[:2]
    )


def expect_bad_ranges_refused(subject: Subject, function: str, documents: list) -> None:
    """Ranges that begin below 1 or are upside down are ValueErrors, also where there is no pair to draw."""
    because = (
        "a segment has at least one sentence, and a range its least end first, whatever the documents hold"
    )
    for sentences in ((0, 1), (2, 1), (5, 2), (-1, 2)):
        for some in (documents, [[[5]], [[6]]]):
            refused = partial(subject.call, function, some, Seed(1), sentences=sentences)
            rejects(refused, "ValueError", because)


def expect_own_generator(subject: Subject, function: str, task: str) -> None:
    """The seed alone decides; documents and global generators stay as they are, and segments are new lists."""
    documents = corpus((9, 7, 0, 1, 8), np.random.default_rng(4))
    first, again, other = (
        subject.call(function, documents, Seed(seed), sentences=(1, 3)) for seed in (1, 1, 2)
    )
    expect_pairs(first, documents, (1, 3), task, "a pair is what its label says")
    equal(again, first, "equal generators, equal pairs")
    true(other != first, "another seed draws other pairs", expected="other pairs", got="equal pairs")
    kept = subject.put(Seed(1))
    one, more = (subject.call(function, documents, kept, sentences=(1, 3)) for _ in range(2))
    subject.record(function, (documents, Seed(1)), {"sentences": (1, 3)})
    equal(one, first, "equal generators, equal pairs")
    because = "a call moves its generator on, so the next call draws other pairs with it"
    true(more != one, because, expected="other pairs from a second call", got="equal pairs")
    _, after = subject.spoiled(function, documents, Seed(1))
    because = "the caller's documents stay as they are, also when the segments, which are new lists, are written over"
    equal(after[0], documents, because)
    written = subject.overwritten(function, documents, Seed(1), sentences=(1, 3))
    lists = isinstance(written, list) and all(map(_is_written_over, written))
    true(
        lists,
        "a segment is a list of ids",
        expected="segments that are lists",
        got="another kind of sequence",
    )
    moved = subject.disturbed(function, documents, Seed(1), sentences=(1, 3))
    equal(moved, [], "randomness comes in as an argument; global generators are left alone")
