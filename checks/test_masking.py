"""Checks of lesson 2."""

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from checks.judge import check, equal, expect_unchanged, true
from checks.judge.expect import Wrong, in_kind, show
from checks.oracles import masking as oracle
from checks.oracles import masking_draws as draws
from checks.subject import Seed, Subject

Array = np.ndarray
RNG = "rng"  # stands for the generator among a call's arguments
SEEDS = st.integers(0, 2**32 - 1)
# Words that 8, 16 and 32 bits, or a float, would cut down to special ids or to other words.
LARGE_IDS = np.array([2, 258, 4, 32_770, 65_537, 65_600, 0, 16_777_217, 2**32 + 3])
SHAPES = st.sampled_from([(1,), (7,), (30,), (3, 7), (1, 5), (4, 20), (5, 1)])


@st.composite
def rows_of_ids(draw: st.DrawFn) -> dict[str, Any]:
    """Ids with special ones among them, a vocabulary size and places."""
    rng = np.random.default_rng(draw(SEEDS))
    size = draw(st.integers(6, 40))
    shape = draw(SHAPES)
    ids = np.where(rng.random(shape) < 0.3, rng.integers(0, 5, shape), rng.integers(5, size, shape))
    return {
        "ids": ids,
        "size": size,
        "selected": rng.random(shape) < 0.6,
        "seed": Seed(int(rng.integers(2**31))),
    }


def pairs(array: Array) -> tuple[tuple[Array, Array], ...]:
    """Disjoint neighbours in a row, and in a column."""
    return (array[:, ::2], array[:, 1::2]), (array[::2], array[1::2])


def a_choice(got: Any, shape: tuple[int, ...]) -> Array:
    """`got`, a bool array of this shape."""
    if not draws.is_choice(got, shape):
        raise Wrong(f"a bool array of shape {shape}", show(got), "one True or False for each place")
    return got


def a_pair(
    got: Any, shape: tuple[int, ...], because: str = "the result is (masked_ids, mlm_labels)"
) -> tuple[Array, Array]:
    """`got`, two int64 arrays of this shape."""
    whole = draws.is_pair(got, shape) and all(x.dtype == np.int64 for x in got)
    if not whole:
        raise Wrong(f"two int64 arrays of shape {shape}", in_kind(got), because)
    return got[0], got[1]


def repeatable(subject: Subject, function: str, *args: Any) -> None:
    """Equal seeds agree, other seeds and a second call on the same generator do not, global state is left alone."""
    one, equal_seed, other = (
        subject.call(function, *[Seed(s) if a is RNG else a for a in args]) for s in (3, 3, 4)
    )
    equal(equal_seed, one, "equal generators give equal results: all chance comes from `rng`")
    generator = subject.put(Seed(3))
    first, second = (subject.call(function, *[generator if a is RNG else a for a in args]) for _ in range(2))
    equal(first, one, "the generator that is handed in is the one that is used")
    for name, result in (("another seed", other), ("a second call on one generator", second)):
        true(
            not _same(result, one),
            "each call draws anew",
            expected=f"another result for {name}",
            got="the same one",
        )
    moved = subject.disturbed(function, *[Seed(3) if a is RNG else a for a in args])
    true(
        not moved,
        "global random state belongs to the caller",
        expected="it is left alone",
        got=f"{moved} moved",
    )


def _same(one: Any, other: Any) -> bool:
    both = zip(one, other, strict=True) if isinstance(one, list) else [(one, other)]
    return all(np.array_equal(a, b) for a, b in both)


@check("select_positions", points=0.75)
def test_each_word_is_chosen_with_the_probability_and_no_special_id(subject: Subject) -> None:
    """Each word is chosen with probability 0.15, in every column and whichever word it is; special ids never.

    224,000 words are drawn; the limits allow one false alarm in a hundred million draws.
    """
    ids = draws.plain_ids(subject)
    chosen = a_choice(draws.positions(subject), ids.shape)
    words = ids >= 5
    oracle.RATE.judge(chosen[words].sum(), words.sum(), "each word is chosen with probability 0.15")
    because = "ids 0-4 are special and never chosen"
    true(not chosen[~words].any(), because, expected="no special id", got=f"{chosen[~words].sum()} of them")
    oracle.COLUMNS.judge((chosen & words).sum(0), words.sum(0), "the place in the row does not matter")
    by_word = [[(part & (ids == word)).sum() for word in range(5, 12)] for part in (chosen, words)]
    oracle.WORDS.judge(by_word[0], by_word[1], "which word stands there does not matter")


@check("select_positions", points=0.5)
def test_each_word_has_a_draw_of_its_own(subject: Subject) -> None:
    """Words are chosen independently: a row's number is left to chance, neighbours know nothing of each other."""
    ids = draws.plain_ids(subject)
    chosen = a_choice(draws.positions(subject), ids.shape)
    rows = np.bincount(chosen.sum(axis=1), minlength=29)[:29]
    oracle.ROW_COUNTS.judge(
        rows, len(ids), "28 independent draws make a binomial number, none and nine among them"
    )
    both = [(a & b).sum() for a, b in pairs(chosen)]
    possible = [(a & b).sum() for a, b in pairs(ids >= 5)]
    oracle.NEIGHBOURS.judge(both, possible, "two neighbours are both chosen with 0.15 * 0.15")
    solid = np.full((2, 3, 50), 7)
    layers = a_choice(subject.call("select_positions", solid, draws.seed(subject, 15), 0.5), solid.shape)
    because = "ids may have any shape, and every place has its own draw, along each axis"
    alike = np.array_equal(layers[0], layers[1])
    true(not alike, because, expected="two layers of 150 words that differ", got="the same choice in both")
    short = np.array([2, *[7] * 10, 3, *[8] * 10, 3])
    results = subject.call_each(
        "select_positions", [[short, draws.seed(subject, 100 + i)] for i in range(subject.draws(400))]
    )
    counts = [int(a_choice(result, short.shape).sum()) for result in results]
    oracle.FEW_COUNTS.judge(
        np.bincount(counts, minlength=21)[:21], len(counts), "the number varies from call to call"
    )


@check("select_positions", points=0.5)
@given(case=rows_of_ids())
def test_probability_0_chooses_nothing_and_1_every_word(subject: Subject, case: dict[str, Any]) -> None:
    """At probability 0 nothing is chosen, at 1 every word, at 0.5 half; the shape is kept."""
    ids = np.append(case["ids"], np.full((*case["ids"].shape[:-1], 2), 5), axis=-1)
    expect_unchanged(
        subject,
        "select_positions",
        ids,
        case["seed"],
        1.0,
        judge=lambda got, _: equal(got, ids >= 5, "at probability 1 every word is chosen and nothing else"),
        because="the ids are left as they are",
    )
    nothing = subject.call("select_positions", ids, case["seed"], probability=0.0)
    equal(nothing, np.zeros(ids.shape, bool), "at probability 0 nothing is chosen")
    if "half and seldom" not in subject.cache:
        _chosen_in_any_size_and_dtype(subject)
        shares = []
        for shape, stream, probability in (((40, 100), 7, 0.5), ((100, 400), 8, 0.004)):
            got = subject.call(
                "select_positions", np.full(shape, 6), draws.seed(subject, stream), probability
            )
            shares.append(a_choice(got, shape).sum())
        subject.cache["half and seldom"] = shares
    half, seldom = subject.cache["half and seldom"]
    oracle.HALF.judge(half, 4000, "the probability is the caller's")
    oracle.SELDOM.judge(seldom, 40_000, "a probability may be finer than a per cent")


def _chosen_in_any_size_and_dtype(subject: Subject) -> None:
    """Long rows, no places at all, a single one; ids in few bits, and ids that need many."""
    for shape in ((700,), (2, 700), (0,), (2, 0)):
        got = subject.call("select_positions", np.full(shape, 7), Seed(1), 1.0)
        equal(got, np.ones(shape, bool), f"at probability 1 every word is chosen, in ids of shape {shape}")
    one = np.array([7])
    results = subject.call_each("select_positions", [[one, Seed(i), 0.5] for i in range(60)])
    chosen = sum(int(a_choice(result, (1,)).sum()) for result in results)
    because = "a sequence of one word has a draw too, with two ways to end"
    true(
        0 < chosen < 60,
        because,
        expected="some of 60 such words chosen, and some not",
        got=f"{chosen} chosen",
    )
    for ids in (np.arange(9, dtype=np.uint8), np.arange(9, dtype=np.int16), LARGE_IDS):
        got = subject.call("select_positions", ids, Seed(1), 1.0)
        equal(got, ids >= 5, f"ids from 5 on are words, whatever their dtype: here {ids.dtype}")


@check("select_positions", points=0.25)
def test_positions_come_from_the_generator_only(subject: Subject) -> None:
    """All chance comes from `rng`: equal generators agree, and the next draw is another one."""
    ids = draws.plain_ids(subject)[:20]
    repeatable(subject, "select_positions", ids, RNG, 0.3)


@check("mask_tokens", points=1.0)
@given(case=rows_of_ids())
def test_labels_are_the_originals_at_selected_words_and_minus_100_elsewhere(
    subject: Subject, case: dict[str, Any]
) -> None:
    """Labels hold the original id at every selected word, changed or not, and -100 elsewhere.

    A special id is never labelled, even where `selected` says so.
    """
    ids, selected = (
        np.append(case["ids"], case["ids"], axis=-1),
        np.append(case["selected"], ~case["selected"], axis=-1),
    )
    ids[..., -1], selected[..., -1] = 5, True
    got = subject.call("mask_tokens", ids, case["size"], case["seed"], selected=selected)
    _, labels = a_pair(got, ids.shape)
    want = np.array([i if s and i >= 5 else -100 for i, s in zip(ids.flat, selected.flat, strict=True)])
    equal(
        labels,
        want.reshape(ids.shape),
        "a selected word is labelled whatever became of it, a special id (0-4) never; -100 means: skip",
    )
    if "single cases" not in subject.cache:
        _labelled_in_any_dtype(subject)
        _labelled_in_any_layout(subject)
        _labelled_without_tokens(subject)
        _labelled_where_asked(subject)
        subject.cache["single cases"] = "right"


def _labelled_in_any_dtype(subject: Subject) -> None:
    ids = np.array([2, 5, 6, 7, 3, 0])
    for longer in (LARGE_IDS[:7], np.full((2, 700), 7)):
        got = subject.call("mask_tokens", longer, 70_000, Seed(1), selected=np.ones(longer.shape, bool))
        because = (
            "the results are int64 and hold every id, however large it is, and every place of a long row"
        )
        masked, labels = a_pair(got, longer.shape, because)
        equal(labels, np.where(longer >= 5, longer, -100), because)
        equal(masked[longer < 5], longer[longer < 5], because)
    for dtype in (np.int32, np.uint8):
        got = subject.call("mask_tokens", ids.astype(dtype), 12, Seed(1), selected=np.ones(6, bool))
        because = f"the results are int64 and hold every id, also where the ids are {np.dtype(dtype).name}"
        masked, labels = a_pair(got, ids.shape, because)
        equal(labels, np.where(ids >= 5, ids, -100), because)
        equal(masked[ids < 5], ids[ids < 5], because)


def _labelled_in_any_layout(subject: Subject) -> None:
    ids = np.array([[2, *[word] * 9, 3] for word in (5, 6, 7, 8)])
    everywhere = np.ones(ids.shape, bool)
    got = subject.call_transposed("mask_tokens", ids, 12, Seed(2), 0.15, everywhere)
    masked, labels = a_pair(got, ids.shape)
    because = "how the ids lie in memory does not matter: here column by column, as those of a transpose do"
    equal(labels, np.where(ids >= 5, ids, -100), because)
    equal(masked[ids < 5], ids[ids < 5], because)
    hidden = bool((masked == 4).any())
    true(hidden, because, expected="[MASK] at some of the 36 selected words", got=masked)


def _labelled_without_tokens(subject: Subject) -> None:
    for shape in ((0,), (2, 0)):
        for places in (None, np.zeros(shape, bool)):
            got = subject.call("mask_tokens", np.zeros(shape, np.int64), 12, Seed(1), selected=places)
            because = "ids without any tokens give results of their shape"
            a_pair(got, shape, because)


def _labelled_where_asked(subject: Subject) -> None:
    """Probability 0, with places given and without, and places given of which none is True."""
    ids = np.full((20, 20), 7)
    nowhere, everywhere = np.zeros(ids.shape, bool), np.ones(ids.shape, bool)
    cases = (
        (0.0, None, nowhere, "at probability 0 no word is chosen, so nothing is labelled"),
        (0.0, everywhere, everywhere, "`probability` is not used where `selected` is given"),
        (1.0, nowhere, nowhere, "`selected` says which words to predict, also where that is none of them"),
    )
    for probability, selected, places, because in cases:
        got = subject.call("mask_tokens", ids, 12, Seed(5), probability, selected)
        masked, labels = a_pair(got, ids.shape)
        equal(labels, np.where(places, ids, -100), because)
        equal(masked[~places], ids[~places], because)


@check("mask_tokens", points=0.75)
@given(case=rows_of_ids())
def test_selected_words_become_mask_a_word_or_stay_and_the_rest_is_untouched(
    subject: Subject, case: dict[str, Any]
) -> None:
    """A selected word becomes [MASK], a word of the vocabulary, or stays; every other place is as it was."""
    ids, selected = case["ids"], case["selected"]
    ids = np.append(ids, np.full((*ids.shape[:-1], 60), 5), axis=-1)
    selected = np.append(selected, np.ones((*ids.shape[:-1], 60), bool), axis=-1)
    masked, _ = a_pair(
        subject.call("mask_tokens", ids, case["size"], case["seed"], selected=selected), ids.shape
    )
    open_to_change = selected & (ids >= 5)
    equal(masked[~open_to_change], ids[~open_to_change], "only selected words are changed, and no special id")
    seen = masked[open_to_change]
    allowed = (seen >= 4) & (seen < case["size"])
    expected = f"4, or ids from 5 to {case['size'] - 1}, at selected words"
    because = f"a random word is one of the {case['size']} ids in the vocabulary, and never a special one"
    true(bool(allowed.all()), because, expected=expected, got=seen[~allowed][:5])
    hidden = int((seen == 4).sum())
    # 60 words: all of them spared by [MASK], or all hit, has a chance below 1e-5 in a right one only at the top.
    true(
        hidden > 0,
        "eight of ten selected words are hidden",
        expected="some [MASK] among 60 words",
        got="none",
    )


@check("mask_tokens", points=1.25)
def test_selected_words_become_mask_random_or_stay_by_80_10_10(subject: Subject) -> None:
    """80 % of the selected words become [MASK], 10 % a random word, 10 % stay.

    205,000 selected words are drawn; the limits allow one false alarm in a hundred million draws.
    """
    masked, _ = a_pair(draws.fates(subject), draws.CHOSEN.shape)
    new, old = masked[draws.CHOSEN], draws.IDS[draws.CHOSEN]
    oracle.HIDDEN.judge((new == 4).sum(), new.size, "80 % become [MASK]")
    because = "10 % stay, and one random word in seven is the original: 10 % + 1.43 %"
    oracle.UNCHANGED.judge((new == old).sum(), new.size, because)


@check("mask_tokens", points=0.5)
def test_random_words_are_uniform_over_the_words_the_original_included(subject: Subject) -> None:
    """A random word is any of 5..V-1 with equal chance, the original included, and never a special id.

    The originals are only four of the seven words here, in unequal shares: the draw must not follow them.
    """
    masked, _ = a_pair(draws.fates(subject), draws.CHOSEN.shape)
    new, old = masked[draws.CHOSEN], draws.IDS[draws.CHOSEN]
    random = (new != old) & (new != 4)
    oracle.SPECIAL_WORDS.judge((new[random] < 5).sum(), random.sum(), "words start at 5")
    hits = [(random & (new == word)).sum() for word in range(5, 12)]
    chances = [(random & (old != word)).sum() for word in range(5, 12)]
    oracle.NEW_WORDS.judge(hits, chances, "each word that is not the original replaces it equally often")
    because = "10 % stay, and one random word in seven is the original: 10 % + 1.43 %"
    oracle.UNCHANGED.judge((new == old).sum(), new.size, because)
    large, _ = a_pair(draws.large_vocabulary(subject), (1_000, 40))
    because = "all words are equally likely, in a vocabulary of 40,000 as in one of 12"
    counts = draws.groups(large)
    oracle.LARGE_WORDS.judge(counts, counts.sum(), because)
    new = large[large > 5]
    # Of 4,000 draws from 40,006 words about 200 repeat an earlier one; that none does has a chance below 1e-80.
    because = "each place draws from all words anew, so that two places may get the same one"
    true(len(np.unique(new)) < len(new), because, expected="some word drawn twice", got="each word once")


@check("mask_tokens", points=0.5)
def test_without_selected_it_chooses_as_select_positions_does(subject: Subject) -> None:
    """Without `selected`, each word is labelled with the given probability, and the fates keep their shares."""
    ids = draws.plain_ids(subject)
    masked, labels = a_pair(draws.whole(subject), ids.shape)
    words, labelled = ids >= 5, labels != -100
    true(
        not labelled[~words].any(),
        "special ids are never chosen",
        expected="-100 there",
        got=labels[~words & labelled][:5],
    )
    oracle.OWN_RATE.judge(labelled.sum(), words.sum(), "each word is chosen with probability 0.15")
    new, old = masked[labelled], ids[labelled]
    oracle.OWN_HIDDEN.judge(
        (new == 4).sum(), new.size, "the fate does not depend on how the place was chosen"
    )
    oracle.OWN_UNCHANGED.judge(
        (new == old).sum(), new.size, "10 % stay, and one random word in seven is the original"
    )
    half = np.full((40, 100), 6)
    _, half_labels = a_pair(subject.call("mask_tokens", half, 12, draws.seed(subject, 6), 0.5), half.shape)
    oracle.OWN_HALF.judge((half_labels == 6).sum(), 4000, "the probability is the caller's")


@check("mask_tokens", points=0.5)
def test_each_selected_word_meets_a_fate_of_its_own(subject: Subject) -> None:
    """Fates and random words are drawn anew for every place, and shares are left to chance."""
    ids, chosen = draws.IDS, draws.CHOSEN
    masked, _ = a_pair(draws.fates(subject), ids.shape)
    hidden, changed = chosen & (masked == 4), chosen & (masked != 4) & (masked != ids)
    both_chosen = [(a & b).sum() for a, b in pairs(chosen)]
    oracle.BOTH_HIDDEN.judge(
        [(a & b).sum() for a, b in pairs(hidden)], both_chosen, "0.8 * 0.8 for two neighbours"
    )
    alike = [a & b & (i == j) for (a, b), (i, j) in zip(pairs(changed), pairs(ids), strict=True)]
    hits = [(both & (i == j)).sum() for both, (i, j) in zip(alike, pairs(masked), strict=True)]
    oracle.SAME_WORD.judge(
        hits, [both.sum() for both in alike], "each place draws its own word, one in six alike"
    )
    short, everything = np.array([2, *[7] * 10, 3]), np.ones(12, bool)
    n = subject.draws(400)
    calls = [[short, 12, draws.seed(subject, 600 + i), 0.15, everything] for i in range(n)]
    results = np.array([a_pair(r, short.shape)[0] for r in subject.call_each("mask_tokens", calls)])
    counts = (results == 4).sum(axis=1)
    oracle.FEW_FATES.judge(
        np.bincount(counts, minlength=11)[:11], n, "80 % of ten words are not always eight"
    )
    because = "10 % stay in a single sequence too, and one random word in seven is the original"
    oracle.FEW_UNCHANGED.judge((results == 7).sum(), 10 * n, because)
    two, both = np.array([2, 7, 7, 3]), np.ones(4, bool)
    n = subject.draws(200)
    calls = [[two, 12, draws.seed(subject, 1_100 + i), 0.15, both] for i in range(n)]
    counts = [int((a_pair(r, two.shape)[0] == 4).sum()) for r in subject.call_each("mask_tokens", calls)]
    because = "two words have a fate each, so that both are hidden in 64 % of the calls only"
    oracle.TWO_FATES.judge(np.bincount(counts, minlength=3)[:3], n, because)
    one = np.array([2, 7, 3])
    calls = [[one, 12, Seed(1_300 + i), 0.15, np.ones(3, bool)] for i in range(120)]
    counts = [int(a_pair(r, one.shape)[0][1] == 4) for r in subject.call_each("mask_tokens", calls)]
    # 0.8 ** 120 is 2e-12: these seeds are fixed, and another way to draw fails once in as many programs.
    because = "a single word has a fate too, so that it is not hidden in each call"
    true(0 < sum(counts) < 120, because, expected="[MASK] in some of 120 calls", got=f"in {sum(counts)}")


@check("mask_tokens", points=0.25)
def test_the_arguments_are_left_as_they_are(subject: Subject) -> None:
    """Labels hold the ids from before the call, and neither `input_ids` nor `selected` is changed.

    The same ids are masked again in the next epoch.
    """
    case = oracle.UNTOUCHED_CASE
    oracle.UNTOUCHED_PROBE(subject, case)
    ids, selected = case["ids"], case["selected"]
    # The same ids once more show a change to them; other ids, with words everywhere, a change to `selected`.
    for again in (None, {0: np.where(ids < 5, 6, ids)}):
        expect_unchanged(
            subject,
            "mask_tokens",
            ids,
            draws.VOCAB_SIZE,
            draws.seed(subject, 9),
            0.15,
            selected,
            judge=_labels_from_before,
            because="the result is new, `input_ids` and `selected` stay as they were",
            again=again,
        )
    because = "the results are new arrays, also where nothing is chosen: whoever writes into them changes no argument"
    kept = subject.keep_module("mask_tokens", ids, 12, Seed(1), 1.0)
    first = subject.get(kept)
    subject.call("mask_tokens", np.full(ids.shape, 11), 12, Seed(2), 1.0)
    equal(subject.get(kept), first, "the results are new arrays: a later call does not change them")
    for probability, places in ((0.0, None), (1.0, np.zeros(ids.shape, bool))):
        _, after = subject.spoiled("mask_tokens", ids, 12, Seed(1), probability, places)
        equal(after[0], ids, because)


def _labels_from_before(got: Any, case: list[Any]) -> None:
    ids, selected = case[0], case[4]
    masked, labels = a_pair(got, ids.shape)
    true(
        bool((masked == 4).any()),
        "most of the 56 selected words are hidden",
        expected="[MASK] somewhere",
        got=masked,
    )
    want = np.where(selected & (ids >= 5), ids, -100)
    equal(labels, want, "labels hold the ids as they were before")


@check("mask_tokens", points=0.25)
def test_masks_come_from_the_generator_only(subject: Subject) -> None:
    """All chance comes from `rng`: equal generators agree, and the next draw is another one."""
    ids = draws.plain_ids(subject)[:20]
    repeatable(subject, "mask_tokens", ids, 12, RNG, 0.5)
    repeatable(subject, "mask_tokens", ids, 12, RNG, 0.5, ids > 6)


@check("select_spans", points=0.5, bonus=True)
@given(
    case=rows_of_ids(),
    probability=st.sampled_from([0.1, 0.15, 0.3, 0.5, 0.9, 1.0, 0.0]),
    longest=st.integers(1, 4),
)
def test_the_budget_of_each_row_is_met_exactly(
    subject: Subject, case: dict[str, Any], probability: float, longest: int
) -> None:
    """Each row gets exactly max(1, round(probability * words)) places, all of them words."""
    equal(
        oracle.BUDGET_PROBE(subject, oracle.BUDGET_CASE),
        oracle.budgets(oracle.BUDGET_CASE),
        "places in each row",
    )
    equal(
        oracle.BUDGET_PROBE(subject, oracle.TIES_CASE),
        oracle.budgets(oracle.TIES_CASE),
        "Python's `round` takes a half to the even number: 2.5 places are 2, and 3.5 are 4",
    )
    ids = case["ids"]
    if "usual budgets" not in subject.cache:
        _usual_budgets(subject)
        subject.cache["usual budgets"] = "right"
    nothing = subject.call("select_spans", np.append(ids, ids + 5, axis=-1), case["seed"], 0.0)
    equal(nothing, np.zeros((*ids.shape[:-1], 2 * ids.shape[-1]), bool), "at probability 0 nothing is chosen")
    expect_unchanged(
        subject,
        "select_spans",
        ids,
        case["seed"],
        probability,
        judge=_budget_met,
        because="the ids are left as they are",
        max_ngram=longest,
    )


def _usual_budgets(subject: Subject) -> None:
    """By default 15 %, in long rows as in short ones; and a probability finer than a per cent."""
    cases: tuple[tuple[tuple[int, ...], dict[str, float], list[int], str], ...] = (
        ((2, 20), {}, [3, 3], "15 % of 20 words unless told otherwise"),
        ((1, 700), {}, [105], "15 % of 700 words unless told otherwise"),
        ((2, 600), {"probability": 0.004}, [2, 2], "0.4 % of 600 words are 2.4, so 2"),
        ((2, 20), {"probability": 0.004}, [1, 1], "one place at least, however small the probability"),
    )
    for shape, options, wanted, because in cases:
        got = subject.call("select_spans", np.full(shape, 7), Seed(3), **options)
        equal(a_choice(got, shape).sum(axis=1).tolist(), wanted, because)
    got = subject.call("select_spans", LARGE_IDS, Seed(3), 1.0)
    equal(got, LARGE_IDS >= 5, "every word, however large its id")


def _budget_met(got: Any, case: list[Any]) -> None:
    ids, _, probability = case
    chosen = a_choice(got, ids.shape)
    true(
        not chosen[ids < 5].any(),
        "special ids are never chosen",
        expected="words only",
        got=ids[chosen & (ids < 5)],
    )
    wanted = oracle.budgets({"ids": ids, "probability": probability})
    counts = [int(row.sum()) for row in np.atleast_2d(chosen)]
    equal(counts, wanted, "the last span is cut to what is left, and no place counts twice")


@check("select_spans", points=0.75, bonus=True)
def test_span_lengths_are_drawn_in_proportion_to_one_over_n(subject: Subject) -> None:
    """A row's first span has length n with a chance proportional to 1/n.

    Islands of k words, a budget of k and max_ngram k: an island is covered whole when the first span has length k
    (1/3 for 2, 2/11 for 3), and now and then by shorter ones.
    """
    for size, share in ((2, oracle.SPANS_OF_TWO), (3, oracle.SPANS_OF_THREE)):
        chosen = a_choice(draws.spans(subject, size), draws.island_ids(subject, size).shape)
        counts = chosen.sum(axis=1)
        true(
            bool((counts == size).all()),
            f"the budget is {size}",
            expected=f"{size} places a row",
            got=counts[counts != size][:5],
        )
        hits = draws.covered_whole(chosen, size)
        share.judge(hits, len(chosen), "P(n) is proportional to 1/n")
    ids = draws.cut_ids(subject)
    got = subject.call("select_spans", ids, draws.seed(subject, 13), 3 / (2 * draws.CUT_ISLANDS))
    hits = draws.covered_whole(a_choice(got, ids.shape), 2)
    oracle.SPANS_CUT.judge(
        hits, len(ids), "a span that does not fit is cut to the longest stretch that is free"
    )
    ids = ids[: subject.draws(draws.LONG_CUT_ROWS)]
    got = subject.call(
        "select_spans", ids, draws.seed(subject, 19), 3 / (2 * draws.CUT_ISLANDS), max_ngram=100
    )
    hits = draws.covered_whole(a_choice(got, ids.shape), 2)
    because = "a length that does not fit is cut to what fits, not drawn again"
    oracle.LONG_SPANS_CUT.judge(hits, len(ids), because)
    ids = draws.fives(subject)
    got = subject.call("select_spans", ids, draws.seed(subject, 16), 0.4, max_ngram=1_000)
    chosen = a_choice(got, ids.shape)
    because = "a length is drawn from 1..max_ngram first, however short the row is, and cut afterwards"
    oracle.LONGEST.judge((chosen[:, 1:] & chosen[:, :-1]).sum(), len(ids), because)


@check("select_spans", points=0.5, bonus=True)
def test_a_span_starts_anywhere_with_equal_chance(subject: Subject) -> None:
    """A span's start is uniform, rows differ, and long spans are whole stretches of neighbours."""
    row = [2, *[7] * 5, 3, *[8] * 7, 3, 0]
    ids = np.array([row] * subject.draws(draws.SPAN_ROWS))
    got = subject.call("select_spans", ids, draws.seed(subject, 10), 0.05)
    chosen = a_choice(got, ids.shape)
    by_place = chosen.sum(axis=0)[np.array(row) >= 5]
    oracle.STARTS.judge(by_place, len(ids), "a budget of 1 falls on each of 12 words equally often")
    alone = np.array([[2, *[7] * 9, 3]] * 40)
    pair = a_choice(
        subject.call("select_spans", alone, draws.seed(subject, 12), 0.2, max_ngram=2), alone.shape
    )
    runs = (np.diff(pair.astype(int), axis=1) == 1).sum(axis=1)
    true(
        bool(((runs >= 1) & (pair.sum(axis=1) == 2)).all()),
        "two places in each row",
        expected="two",
        got=pair.sum(axis=1),
    )
    true(
        {1, 2} == set(runs.tolist()),
        "one span of two, or two spans of one",
        expected="both kinds in 40 rows",
        got=runs,
    )
    ids = draws.two_pairs(subject)
    got = subject.call("select_spans", ids, draws.seed(subject, 17), 0.2, max_ngram=2)
    chosen = a_choice(got, ids.shape)
    first, second = chosen[:, 1:3].all(axis=1).sum(), chosen[:, 4:6].all(axis=1).sum()
    because = "a span of two starts with equal chance wherever two free words stand side by side"
    oracle.LONG_STARTS.judge(first, first + second, because)
    ids = draws.fives(subject)
    got = subject.call("select_spans", ids, draws.seed(subject, 18), 0.4, max_ngram=1)
    places = a_choice(got, ids.shape)[:, 1:6]
    hits = [(places[:, i] & places[:, j]).sum() for i, j in combinations(range(5), 2)]
    because = "a span may touch another one, so that each two of five words are chosen equally often"
    oracle.TOUCHING.judge(hits, len(ids), because)


@check("select_spans", points=0.25, bonus=True)
def test_spans_come_from_the_generator_only(subject: Subject) -> None:
    """All chance comes from `rng`, for a single row as for many."""
    repeatable(subject, "select_spans", draws.plain_ids(subject)[:20], RNG, 0.3)
    repeatable(subject, "select_spans", np.array([2, *[7] * 60, 3]), RNG, 0.3)


def judged_faults(subject: Subject, faults: dict[str, dict[str, Any]]) -> None:
    """A right implementation is accepted, and each of the faulty ones is found out."""
    seed = subject.seed + 77
    if "accepts" not in subject.cache:
        subject.cache["accepts"] = subject.faults_found("find_faults", {}, 50, seed)
    because = "a right implementation must be accepted"
    true(
        subject.cache["accepts"] == 0,
        because,
        expected="an empty list",
        got=f"{subject.cache['accepts']} faults",
    )
    for number, (words, description) in enumerate(faults.items()):
        found = subject.faults_found("find_faults", description, 50, seed + number)
        true(
            found > 0,
            f"this implementation is wrong: {words}",
            expected="at least one fault",
            got="an empty list",
        )


@check("find_faults", points=0.25, bonus=True)
def test_right_implementations_are_accepted(subject: Subject) -> None:
    """Right implementations are accepted, however they draw; one that labels everything is not."""
    judged_faults(subject, {"every place is labelled": {"labels": "everywhere"}})
    for form in ("loop", "one draw"):
        found = subject.faults_found("find_faults", {"form": form}, 50, subject.seed + 5)
        true(found == 0, "other draws, the same rules", expected="an empty list", got=f"{found} faults")


@check("find_faults", points=0.25, bonus=True)
def test_broken_rules_are_found(subject: Subject) -> None:
    """Faults that one call can show are found, and an implementation that raises is reported, not passed on."""
    judged_faults(
        subject,
        {
            "labels are read after the words were hidden": {"labels": "masked"},
            "unchanged places are not labelled": {"labels": "changed"},
            "`input_ids` is changed in place": {"in_place": "ids"},
            "it raises for a single row": {"raises": "row"},
            "it raises where `selected` is given": {"raises": "selected"},
        },
    )


@check("find_faults", points=0.25, bonus=True)
def test_wrong_shares_are_found(subject: Subject) -> None:
    """Shares that are some per cent off are found."""
    judged_faults(
        subject,
        {
            "80 % [MASK], 2 % random": {"fates": [0.8, 0.02]},
            "a random word is never the original": {"word": "others"},
            "a random word may be a special id": {"lowest": 0},
        },
    )


@check("find_faults", points=0.25, bonus=True)
def test_subtle_faults_are_found(subject: Subject) -> None:
    """Faults that hide in one share, in dependence or in the source of chance are found."""
    judged_faults(
        subject,
        {
            "81 % [MASK], 9 % random": {"fates": [0.81, 0.09]},
            "exactly 15 % are chosen in each call": {"choice": "exact"},
            "all random words of a call are the same": {"word": "one"},
        },
    )
