"""Checks of lesson 15."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import Wrong, check, equal, rejects, true
from checks.judge.expect import show
from checks.oracles import capstone as oracle
from checks.oracles import capstone_pictures as pictures
from checks.oracles import capstone_records as records
from checks.oracles import capstone_terms as terms
from checks.subject import Raised, Subject
from lessons.given.records import Run

SEEDS = st.integers(0, 2**32 - 1)
VOCABULARIES = st.integers(60, 30_000)
ENTRIES = st.integers(2, 14)
PRESETS = list(oracle.PRESETS)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Run, Run]:
    """A run, and another model's whose settings differ in any of the table's rows, each in any way."""
    ways = [draw(st.sampled_from([None, None, *found])) for found in records.WAYS.values()]
    a = records.run("A", draw(SEEDS))
    return a, records.changed(records.other_model(a), [way for way in ways if way])


def each_way_alone(function: Any) -> Any:
    """A pair for every way to break one rule of the table: none is left to chance."""
    a = records.run("A", 1)
    for way in (way for ways in records.WAYS.values() for way in ways):
        function = example(pair=(a, records.changed(records.other_model(a), [way])))(function)
    return function


@check("configurations", points=0.25)
def test_each_preset_has_the_sizes_of_its_row(subject: Subject) -> None:
    """Every preset gives BERT and ALBERT with the sizes of its row, alike but for ALBERT's E and its sharing."""
    got = oracle.CONFIGURATIONS_PROBE(subject, [[preset, 123] for preset in PRESETS])
    for preset, configs in zip(PRESETS, got, strict=True):
        equal(
            configs,
            oracle.configs(preset, 123),
            f"the row of {preset}; d_ff and the rest are ModelConfig's defaults",
        )


@check("configurations", points=0.25)
def test_a_vocabulary_is_passed_on_and_an_unknown_preset_refused(subject: Subject) -> None:
    """Both models get the vocabulary's size; an unknown preset is a ValueError that names the four there are."""
    for vocab_size in (151, 30_000):
        got = subject.call("configurations", "gpu", vocab_size)
        equal(got, oracle.configs("gpu", vocab_size), "both models read the same words")
    for preset in ("tiny", "", "Quick"):
        rejects(
            partial(subject.call, "configurations", preset, 151),
            "ValueError",
            f"there is no preset {preset!r}",
        )
    said = ""
    try:
        subject.call("configurations", "tiny", 151)
    except Raised as raised:
        said = raised.message
    true(
        all(name in said for name in PRESETS),
        "who mistypes wants to see them",
        expected="the four names",
        got=said,
    )


@check("compare", points=0.25)
def test_each_name_gets_its_model_its_task_and_its_count(subject: Subject) -> None:
    """A name that starts with ALBERT is an ALBERT with sentence order, every other a BERT with next sentences.

    The parameters are lesson 12's table, with a projection for an ALBERT only, also where E = D and nothing is shared,
    and the runs stand in the order given.
    """
    got = terms.seen(subject)
    want = terms.expected(terms.TERMS)
    for fact in ("names", "tasks", "configs", "parameters"):
        equal(got[fact], want[fact], f"{fact} of {', '.join(terms.TERMS['configs'])}")
    for name in ("BERT", "my ALBERT", "albert"):
        asked = terms.case({name: replace(terms.BERT, sharing="all")}, steps=1)
        because = f"{name!r} does not start with ALBERT, and a BERT shares nothing"
        rejects(partial(terms.compared, subject, asked), "ValueError", because)


@check("compare", points=0.25)
def test_the_plan_is_one_for_all_and_carried_out(subject: Subject) -> None:
    """Steps, batch, rate, length, seed and device are those asked for, and so many tokens are read.

    Sentences are longer than `max_len` here: every pair is cut to it, in training as in scoring.
    """
    long = {"train": terms.documents(12, 20, 20), "held_out": terms.documents(4, 20, 20)}
    asked = terms.case(
        {"BERT": terms.BERT, "ALBERT": terms.ALBERT}, **long, max_len=17, steps=6, batch_size=3
    )
    asked |= {"lr": 0.02, "seed": 9, "device": "cpu:0"}
    for name, run in terms.compared(subject, asked).items():
        plan = {
            key: run.settings.get(key) for key in ("steps", "batch_size", "lr", "max_len", "seed", "device")
        }
        equal(plan, {key: asked[key] for key in plan}, f"the settings of {name}")
        equal(run.steps[-1:], [6], f"the last step of {name}")
        equal(
            terms.tokens(run),
            6 * 3 * 17,
            "tokens read: steps x batch x max_len, as every pair is cut to max_len",
        )
        held_out = terms.digest(asked["held_out"], 17, 9)
        equal(
            run.settings.get("held_out"),
            held_out,
            "the held-out set of these documents, this length and this seed",
        )
    for lr, learns in ((1e-12, False), (0.05, True)):
        asked = terms.case({"BERT": terms.BERT}, steps=12, lr=lr, seed=2)
        [run] = terms.compared(subject, asked).values()
        fall = run.evaluations[0].mlm_loss - run.evaluations[-1].mlm_loss
        true(
            (fall > 0.05) == learns,
            f"12 steps at a rate of {lr:g}",
            expected="a loss that " + ("falls" if learns else "stays"),
            got=f"a fall of {fall:.3f}",
        )


@check("compare", points=0.25)
def test_every_model_starts_from_the_seed_and_leaves_no_trace(subject: Subject) -> None:
    """Equal configurations give equal losses, in one comparison and in two; another seed gives others.

    What torch's global generator was before makes no difference, and it is left as it was. So are the documents.
    """
    got = terms.seen(subject)
    equal(got["starts"], True, "ALBERT and ALBERT again are one configuration: they start from equal weights")
    equal(got["pairs"], True, "ALBERT and ALBERT again are one configuration: they train on equal pairs")
    learning = terms.case({"ALBERT": terms.ALBERT, "BERT": terms.BERT}, lr=0.02)
    one, two = (terms.compared(subject, learning, under=seed) for seed in (1, 2))
    for name, run in one.items():
        equal(terms.figures(two[name]), terms.figures(run), f"{name}: only the arguments decide")
    first = {seed: _started(subject, seed) for seed in range(4)}
    losses = [round(run.evaluations[0].mlm_loss, 9) for run in first.values()]
    because = "each seed is another start, and this loss depends on the start alone"
    true(len(set(losses)) == 4, because, expected="4 different losses", got=losses)
    lengths = [terms.tokens(run) for run in first.values()]
    true(
        len(set(lengths)) > 1,
        "each seed draws other pairs, of other lengths",
        expected="other counts of tokens",
        got=lengths,
    )
    asked = terms.case({"BERT": terms.BERT}, steps=1)
    documents = [[[5 + k] * 3] * length for k, length in enumerate((4, 2, 5, 3))]
    kept = [subject.put(documents), subject.put(asked["held_out"])]
    args = (asked["configs"], *kept)
    plan = {key: asked[key] for key in ("steps", "batch_size", "lr", "max_len", "seed")}
    equal(
        subject.disturbed("compare", *args, **plan),
        [],
        "a seed that comes as an argument leaves no trace elsewhere",
    )
    given = [documents, asked["held_out"]]
    subject.record("compare", (asked["configs"], *given), plan)
    equal([subject.get(ref) for ref in kept], given, "the documents are left as they are, order and all")


@check("compare", points=0.25)
def test_training_documents_train_and_held_out_documents_score(subject: Subject) -> None:
    """The models learn the training documents, and all are scored on one set drawn from the held-out ones.

    Here the first have one word and the second have others: who learns the word does badly on them.
    """
    got = terms.seen(subject)
    equal(got["training data"], True, "the fingerprint of the training documents")
    equal(got["held-out"], "right", "one held-out set for all, of the held-out documents")
    configs = {"BERT": terms.BERT, "ALBERT": terms.ALBERT}
    asked = terms.case(
        configs, train=terms.documents(16, word=7), held_out=terms.documents(8, word=9), steps=20, lr=0.05
    )
    for name, run in terms.compared(subject, asked).items():
        start, learned = run.history.mlm_loss[0], run.history.mlm_loss[-1]
        true(
            abs(start - np.log(40)) < 0.25,
            "40 words, all alike at the start",
            expected="about ln 40 = 3.69",
            got=start,
        )
        true(
            learned < 2.5,
            f"{name} sees one word only",
            expected="a training loss that falls below 2.5",
            got=learned,
        )
        scored = run.evaluations[-1].mlm_loss
        true(
            scored > 4,
            f"{name} has never seen the word it is asked for",
            expected="a held-out loss above 4",
            got=scored,
        )


@check("compare", points=0.25)
def test_negatives_come_from_where_the_task_wants_them(subject: Subject) -> None:
    """BERT's negatives come from the same place of another document, ALBERT's from the document itself.

    With any place, the moment in the story would give NSP away. And one document is enough for ALBERT, not for BERT.
    """
    got = terms.seen(subject)
    because = "the same place means the same length here, so that all pairs are equally long"
    equal(got["tokens"], terms.expected(terms.TERMS)["tokens"], because)
    asked = terms.case({"ALBERT": terms.ALBERT}, train=[[[5, 6]] * 17])
    [run] = terms.compared(subject, asked).values()
    equal(terms.tokens(run), 8 * 4 * 7, "ALBERT finds its pairs within one document: 2 + 2 + 3 tokens each")
    alone = asked | {"configs": {"BERT": terms.BERT}}
    rejects(partial(terms.compared, subject, alone), "ValueError", "BERT's negatives need a second document")


@check("summary_table", points=0.25)
def test_the_counts_stand_in_the_table(subject: Subject) -> None:
    """Each run's line has its name and its parameters: in all, of the embeddings, the encoder and the heads."""
    for runs in (records.RUNS, {"a": records.run("a", 11)}):
        got = oracle.TABLE_PROBE(subject, runs)
        _expect_columns(
            got, oracle.cells(runs), slice(0, 5), "five parts make the embeddings, three the heads"
        )
    big = records.run("b", 12)
    big = big._replace(parameters=dict.fromkeys(big.parameters, 1_234_567) | {"total": 9 * 1_234_567})
    small = records.run("c", 13)
    small = small._replace(parameters=dict.fromkeys(small.parameters, 7) | {"total": 63})
    runs = {"b": big, "c": small}
    got = oracle.TABLE_PROBE(subject, runs)
    _expect_columns(got, oracle.cells(runs), slice(0, 5), "a comma at each thousand, as in 11,111,103")


@check("summary_table", points=0.25)
@given(seeds=st.lists(SEEDS, min_size=1, max_size=4, unique=True))
def test_the_scores_are_those_of_the_last_evaluation(subject: Subject, seeds: list[int]) -> None:
    """Losses and accuracies are the last evaluation's with three decimals, then tokens per second and seconds."""
    runs = {f"run {seed}": records.run(f"run {seed}", seed) for seed in seeds}
    got = oracle.TABLE_PROBE(subject, runs)
    _expect_columns(
        got,
        oracle.cells(runs),
        slice(5, 11),
        "the last evaluation's figures compare, those of training do not",
    )


@check("plot_losses", points=0.25)
def test_every_loss_has_its_curve_in_its_panel(subject: Subject) -> None:
    """The left panel shows the masked-token loss and the right one the total, of every run, in training and held out.

    One point of one curve is moved, and the picture must change in that panel and nowhere else. The training losses
    are below 1 there: all of a curve shows.
    """
    base = pictures.drawn(subject, "base", pictures.runs(), as_text=True)
    for curve, said in enumerate(("training", "held-out")):
        moved = pictures.drawn(subject, f"curve {curve}", pictures.runs(curve=curve))
        because = f"the second run's {said} masked-token loss moved at one step"
        only_left = pictures.changed_halves(base, moved) == (True, False)
        true(only_left, because, expected="a change at the left", got=_places(base, moved))
    for curve, said in enumerate(("training", "held-out"), 2):
        moved = pictures.drawn(subject, f"curve {curve}", _other_total(curve))
        because = f"the second run's {said} total loss moved at one step"
        right = pictures.changed_halves(base, moved)[1]
        true(right, because, expected="a change at the right", got=_places(base, moved))


@check("plot_losses", points=0.25)
def test_curves_are_told_apart_and_named(subject: Subject) -> None:
    """Each panel has a title, both axes' labels and a legend with every run; training and held-out look different."""
    base = pictures.drawn(subject, "base", pictures.runs(), as_text=True)
    exchanged = pictures.drawn(subject, "exchanged", pictures.runs(exchanged=True))
    because = "training and held-out losses took each other's place: a dashed curve is where a solid one was"
    true(
        pictures.changed_halves(base, exchanged) == (True, True),
        because,
        expected="a change in both panels",
        got=_places(base, exchanged),
    )
    for words, half in zip(base.words, ("left", "right"), strict=True):
        named = all(any(name in text for text in words) for name in pictures.CURVES)
        true(named, f"the {half} legend names the runs", expected="Bern and Alba", got=sorted(words))
        told = [text for text in words if any(letter.isalpha() for letter in text)]
        because = f"words in the {half} panel: a title, two labels, and a legend that tells four curves apart"
        true(len(told) >= 7, because, expected="7 texts or more", got=sorted(told))


@check("plot_losses", points=0.25)
def test_losses_stand_over_their_steps_and_beside_their_lines(subject: Subject) -> None:
    """Every curve is drawn over the steps; the left panel has a line at ln V and one for each entry of `lines`."""
    base = pictures.drawn(subject, "base", pictures.runs(), as_text=True)
    steps = pictures.drawn(subject, "steps", pictures.runs(steps=[1, 20, 80, 100]))
    true(
        pictures.changed_halves(base, steps) == (True, True),
        "evaluations came at other steps",
        expected="a change in both panels",
        got=_places(base, steps),
    )
    for curve in range(4):
        change = pictures.runs(curve=curve) if curve < 2 else _other_total(curve)
        place = pictures.place_of_change(base, pictures.drawn(subject, f"curve {curve}", change), curve // 2)
        because = "the third of the steps 1, 40, 60, 100 moved, so the curve changed between 40 and 100"
        true(
            place > 0.4,
            because,
            expected="a change in the panel's right part",
            got=f"one at {place:.2f} of its width",
        )
    lines = pictures.drawn(subject, "curve 2", _other_total(2))
    true(
        pictures.has_line(base, lines),
        "two lines are asked for in `settings`",
        expected="lines across the left panel",
        got=_places(base, lines),
    )
    fewer = pictures.drawn(subject, "curve 3", _other_total(3))
    true(
        pictures.has_line(base, fewer),
        "60 words instead of 151: ln V is lower",
        expected="another line across the left panel",
        got=_places(base, fewer),
    )


@check("unfair", points=0.25)
@given(pair=pairs())
@each_way_alone
def test_whatever_differs_is_told_in_the_tables_order(subject: Subject, pair: tuple[Run, Run]) -> None:
    """Every rule of the table that a pair breaks is named once, in the table's order, whichever run is first."""
    a, b = pair
    want = oracle.differences(a, b)
    masked = records.changed(a, [records.WAYS["masks"][0]])
    because = f"what differs in the first two pairs: {', '.join(want) or 'nothing of the table'}"
    got = oracle.UNFAIR_PROBE(subject, [(a, b), (b, a), (a, a), (a, masked)])
    equal(got, [want, want, [], ["masks"]], because)


@check("unfair", points=0.25)
def test_what_is_compared_is_no_fault(subject: Subject) -> None:
    """Other architectures, tasks, rates out of the same tried, seeds and speeds are fair; other data is not.

    Which rates were tried counts, not in which order or how often.
    """
    a = records.run("A", 3)
    b = records.other_model(a)
    stranger = records.with_settings(b, training_data="other")
    got = oracle.UNFAIR_PROBE(subject, [(a, b), (b, a), (a, stranger)])
    equal(got, [[], [], ["training data"]], "architecture, task, seed, rate and speed are what is compared")
    cases = [
        ([1e-3, 5e-4], [5e-4, 1e-3]),
        ([1e-3, 1e-3], [1e-3]),
        ([1e-3, 5e-4], [1e-3, 2e-4]),
        ([1e-3], [5e-4]),
        ([1e-5], [2e-5]),
    ]
    pairs = [
        (records.with_settings(a, rates_tried=x), records.with_settings(b, rates_tried=y)) for x, y in cases
    ]
    because = f"the rates tried: {cases}"
    equal(oracle.UNFAIR_PROBE(subject, pairs), [[], [], *[["learning rate"]] * 3], because)
    _expect_left(subject, "unfair", a, b, want=[], because="the two runs are left as they are")


def _expect_left(subject: Subject, function: str, *given: Any, want: Any, because: str) -> None:
    """Two calls on the same records give what is wanted, and leave the records as they are."""
    kept = [subject.put(record) for record in given]
    for _ in range(2):
        subject.record(function, given, {})
        equal(subject.execute("call", function, kept, {}), want, because)
    equal([subject.get(ref) for ref in kept], list(given), because)


@check("unfair", points=0.25)
def test_silence_and_early_stops_count(subject: Subject) -> None:
    """A key that is missing in one run or in both is a difference, and so is a run that stopped before the other.

    One step in a thousand is a difference too. An empty value is a value, and not missing.
    """
    a, b = records.run("A", 4), records.run("B", 5)
    for word, key in oracle.TERMS.items():
        silent_a, silent_b = (records.with_settings(run, drop=(key,)) for run in (a, b))
        got = oracle.UNFAIR_PROBE(subject, [(silent_a, b), (a, silent_b), (silent_a, silent_b), (a, b)])
        equal(
            got,
            [[word], [word], [word], []],
            f"settings[{key!r}] is missing in the first, the second, both, neither",
        )
    early, often = b._replace(steps=[10, 30, 39]), b._replace(steps=[20, 40])
    got = oracle.UNFAIR_PROBE(subject, [(a, early), (a, often), (early, early)])
    equal(got, [["steps"], [], []], "the last entry of `steps` is 40 and 39; 40 and 40; 39 and 39")
    long, short = records.with_settings(a, steps=1000), records.with_settings(b, steps=999)
    none = [records.with_settings(run, masks="") for run in (a, b)]
    got = oracle.UNFAIR_PROBE(subject, [(long, short), (none[0], none[1]), (none[0], b)])
    because = "1000 and 999 steps; masks that are '' in both; masks that are '' in one"
    equal(got, [["steps"], [], ["masks"]], because)


@check("diagnose", points=0.25)
def test_recorded_runs_are_understood(subject: Subject) -> None:
    """The recorded runs get their fault's name, and so do copies from another vocabulary, with a little noise.

    A copy has losses and lines multiplied by one number, and every second entry left out. A recording that is read
    twice says the same twice.
    """
    for name, recordings in records.RECORDED.items():
        for k, recording in enumerate(recordings):
            copies = [records.rescaled(recording, factor, k) for factor in (0.8, 1.0, 1.3)]
            asked = [recording, *copies, records.thinned(copies[0])]
            equal(oracle.DIAGNOSE_PROBE(subject, asked), [name] * 5, f"a run recorded with this: {name}")
    _expect_left(
        subject, "diagnose", records.made(3), want="healthy", because="the recording is left as it is"
    )


@check("diagnose", points=0.25)
@given(seed=SEEDS, vocab_size=VOCABULARIES, entries=ENTRIES)
@example(seed=1, vocab_size=151, entries=7)
def test_the_setting_of_a_run_is_read(subject: Subject, seed: int, vocab_size: int, entries: int) -> None:
    """A bad start, an evaluation with dropout and a head that never moved are told from a healthy run."""
    size: dict[str, Any] = {"vocab_size": vocab_size, "entries": entries}
    stories: list[tuple[str, records.Story]] = [
        ("N(0,1) start", {"start": "far"}),
        ("dropout in evaluation", {"twice": "other"}),
        ("dropout in evaluation", {"twice": "other at the start"}),
        ("dropout in evaluation", {"twice": "exchanged"}),
        ("healthy", {"spike": True}),
        ("frozen head", {"still": "mlm_head"}),
        ("frozen head", {"still": "sentence_head"}),
        ("frozen head", {"still": "mlm_head sentence_head"}),
        ("healthy", {"still": "embeddings"}),
        ("healthy", {}),
    ]
    _expect_told(subject, [(name, records.made(seed, **size, **story)) for name, story in stories])
    if entries > 2:
        partly = records.made(seed, **size, twice="other but at the end")
        _expect_told(subject, [("dropout in evaluation", partly), ("healthy", records.made(seed, **size))])


@check("diagnose", points=0.25)
@given(seed=SEEDS, vocab_size=VOCABULARIES, entries=ENTRIES)
def test_the_end_of_a_run_is_read_against_its_lines(
    subject: Subject, seed: int, vocab_size: int, entries: int
) -> None:
    """Where losses and accuracy end says what was wrong: at the run's own lines, whatever happened on the way."""
    stories: list[tuple[str, records.Story]] = [
        ("below the floor", {"end": "below"}),
        ("labels everywhere", {"training": "below"}),
        ("swapped labels", {"sentences": "swapped"}),
        ("rate too high", {"end": "unigram", "sentences": "chance"}),
        ("slot-unigram plateau", {"end": "plateau", "sentences": "chance"}),
        ("healthy", {"end": "at the floor"}),
        ("healthy", {"sentences": "chance"}),
        ("healthy", {}),
    ]
    size: dict[str, Any] = {"vocab_size": vocab_size, "entries": entries}
    _expect_told(subject, [(name, records.made(seed, **size, **story)) for name, story in stories])


@check("diagnose", points=0.25)
@given(seed=SEEDS, vocab_size=VOCABULARIES, entries=ENTRIES)
@example(seed=1, vocab_size=151, entries=11)
def test_of_two_signatures_the_upper_is_the_cause(
    subject: Subject, seed: int, vocab_size: int, entries: int
) -> None:
    """Where several signatures fit, the upper row of the table is named: the rest follows from it."""
    size: dict[str, Any] = {"vocab_size": vocab_size, "entries": max(entries, 3)}
    _expect_told(subject, [(name, records.made(seed, **size, **story)) for name, story in records.MIXED])


@check(
    "compare", points=0.25, assembly=True, uses=("datasets", "models", "counting", "objective", "training")
)
def test_your_own_pieces_are_compared(assembly: Subject) -> None:
    """With your own datasets, models, counts, losses and training, both models learn what the documents say."""
    configs = {"BERT": replace(terms.BERT, dropout=0.0), "ALBERT": replace(terms.ALBERT, dropout=0.0)}
    alike = {"train": terms.documents(16, word=7), "held_out": terms.documents(8, word=7)}
    asked = terms.case(configs, **alike, steps=20, lr=0.05)
    runs = terms.compared(assembly, asked)
    for name, run in runs.items():
        counted = oracle_table(name)
        equal(run.parameters, counted, f"the parameters of {name}")
        first, last = run.evaluations[0].mlm_loss, run.evaluations[-1].mlm_loss
        true(
            last < 1 < first,
            "all documents have one word: it is learned",
            expected="a loss from 3 to below 1",
            got=[first, last],
        )
    again = terms.compared(assembly, asked)
    for name, run in runs.items():
        equal(terms.figures(again[name]), terms.figures(run), f"{name}: equal arguments give equal losses")


def oracle_table(name: str) -> dict[str, int]:
    """The parameters of the two small models."""
    return terms.table(terms.ALBERT if name == "ALBERT" else terms.BERT, name == "ALBERT")


def _started(subject: Subject, seed: int) -> Any:
    """A BERT's run of one epoch over pairs of many lengths."""
    spread = [[[5 + k], [6 + k] * length] for k, length in enumerate((1, 2, 4, 7, 11, 16, 22, 27))]
    asked = terms.case(
        {"BERT": terms.BERT}, train=spread * 2, steps=2, batch_size=8, max_len=32, **terms.STILL
    )
    asked["seed"] = seed
    return terms.compared(subject, asked)["BERT"]


def _other_total(curve: int) -> Any:
    """A total loss that moved, the training's with two lines to draw, the held-out one's with a smaller vocabulary."""
    if curve == 2:
        return pictures.runs(curve=2, lines={"unigram": 3.9, "floor": 0.4})
    return pictures.runs(curve=3, vocab_size=60)


def _places(one: pictures.Picture, other: pictures.Picture) -> str:
    left, right = pictures.changed_halves(one, other)
    return {(True, True): "both panels changed", (True, False): "only the left changed",
            (False, True): "only the right changed"}.get((left, right), "the same picture")  # fmt: skip


def _expect_columns(got: Any, want: list[list[str]], columns: slice, because: str) -> None:
    """The table has the heading and, in these columns, the cells expected."""
    if type(got) is not list or any(len(row) != len(want[0]) for row in got):
        raise Wrong("a Markdown table of 11 columns: heading, ruler, a line a run", show(got), because)
    equal(got[0], want[0], "the heading")
    equal([row[columns] for row in got[1:]], [row[columns] for row in want[1:]], because)


def _expect_told(subject: Subject, stories: list[tuple[str, Any]]) -> None:
    """Each recording gets its name."""
    got = oracle.DIAGNOSE_PROBE(subject, [recording for _, recording in stories])
    for told, (name, recording) in zip(got, stories, strict=True):
        ends = {
            key: round(getattr(recording, key)[-1], 2)
            for key in ("train_mlm", "held_out_mlm", "sentence_accuracy")
        }
        lines = {key: round(nats, 2) for key, nats in recording.lines.items()}
        equal(told, name, f"it starts at {recording.train_mlm[0]:.2f} and ends at {ends}; lines {lines}")
