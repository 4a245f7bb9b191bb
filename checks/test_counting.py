"""Checks of lesson 12."""

from dataclasses import replace
from functools import partial
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from checks.judge import Wrong, check, close, equal, rejects, true
from checks.judge.expect import show
from checks.oracles import counting as oracle
from checks.subject import Subject
from lessons.given.config import ModelConfig

SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=3)
KINDS = st.sampled_from(["parameter", "parameter", "frozen", "half", "meta", "buffer"])
USES = st.sampled_from(["decoder.weight", "head.table", "again.word.weight", "decoder.bias"])
SIZES = st.integers(1, 40)
# name: configuration, factorized | counts in the order of the keys
PUBLISHED = {
    "BERT-base": (
        (30_522, 768, 768, 12, "none"),
        False,
        (23_440_896, 393_216, 1_536, 1_536, 0, 85_054_464, 590_592, 622_650, 1_538, 110_106_428),
    ),
    "ALBERT-base": (
        (30_000, 768, 128, 12, "all"),
        True,
        (3_840_000, 65_536, 256, 256, 99_072, 7_087_872, 590_592, 128_688, 1_538, 11_813_810),
    ),
    "ALBERT-xlarge": (
        (30_000, 2048, 128, 24, "all"),
        True,
        (3_840_000, 65_536, 256, 256, 264_192, 50_358_272, 4_196_352, 292_528, 4_098, 59_021_490),
    ),
}


@st.composite
def structures(draw: st.DrawFn) -> list[oracle.Entry]:
    """A tree of named tensors, some of them used again, alone or with the module that holds them."""
    entries: list[oracle.Entry] = [("word.weight", "parameter", [draw(st.integers(2, 9)), 3])]
    for k in range(draw(st.integers(1, 4))):
        for leaf in ("weight", "bias")[: draw(st.integers(1, 2))]:
            entries.append((f"layers.{k}.inner.{leaf}", draw(KINDS), draw(SHAPES)))
    for k in range(draw(st.integers(0, 3))):
        entries.append((f"more.{k}", "tie", "layers.0"))
    for name in draw(st.lists(USES, max_size=2, unique=True)):
        entries.append((name, "tie", "word.weight"))
    return [*entries, ("own", "parameter", draw(SHAPES))]


@st.composite
def configs(draw: st.DrawFn) -> tuple[ModelConfig, bool]:
    """Any configuration of small sizes; without factorization E is D."""
    factorized = draw(st.booleans())
    n_heads, n_groups = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    d_model = n_heads * draw(st.integers(1, 9))
    config = ModelConfig(
        vocab_size=draw(st.integers(5, 99)),
        max_len=draw(SIZES),
        n_segments=draw(st.integers(1, 4)),
        d_model=d_model,
        d_embedding=draw(SIZES) if factorized else d_model,
        n_layers=n_groups * draw(st.integers(1, 4)),
        n_heads=n_heads,
        d_ff=draw(SIZES),
        sharing=draw(st.sampled_from(["none", "attention", "ffn", "all"])),
        n_groups=n_groups,
    )
    return config, factorized


def expect_columns(got: Any, want: dict[str, int], names: tuple[str, ...], because: str) -> None:
    """The table's entries under `names` are right: whole numbers."""
    if not isinstance(got, dict):
        raise Wrong("a dict of counts by component", show(got), because)
    equal({name: got.get(name) for name in names}, {name: want[name] for name in names}, because)


@check("count_parameters", points=0.5)
@given(entries=structures())
def test_every_number_counts_once_however_often_it_is_used(
    subject: Subject, entries: list[oracle.Entry]
) -> None:
    """All numbers of all parameters are counted, and a tensor that is used in several places once.

    ALBERT's twelve layers are one; a count that grows with their number counts uses, not parameters.
    """
    got = oracle.COUNT_PROBE(subject, entries)
    equal(got, oracle.count(entries), "the model was built from this list; a tie adds nothing")


@check("count_parameters", points=0.25)
def test_depth_adds_nothing_where_layers_are_shared(subject: Subject) -> None:
    """A stack of one shared layer counts alike at any depth; a stack of equal but separate layers does not.

    Nor does it matter under which name a tensor is used again, and a decoder need not be tied.
    """
    layer = [("layers.0.weight", "parameter", [4, 6]), ("layers.0.bias", "parameter", [4])]
    for depth in (1, 3, 12):
        shared = [*layer, *((f"layers.{k}", "tie", "layers.0") for k in range(1, depth))]
        got = subject.call("count_parameters", subject.structure(shared))
        equal(got, 28, f"{depth} uses of one layer of 4 x 6 + 4")
        separate = [
            (name.replace("0", str(k)), kind, shape) for k in range(depth) for name, kind, shape in layer
        ]
        got = subject.call("count_parameters", subject.structure(separate))
        equal(got, 28 * depth, f"{depth} layers of 4 x 6 + 4")
    word = ("embeddings.word.weight", "parameter", [7, 3])
    for name in ("decoder.weight", "decoder.table", "output.projection", "mlm_head.decoder.weight"):
        got = subject.call("count_parameters", subject.structure([word, (name, "tie", word[0])]))
        equal(got, 21, f"a table of 7 x 3, used again as {name}")
        got = subject.call("count_parameters", subject.structure([word, (name, "parameter", [7, 3])]))
        equal(got, 42, f"a table of 7 x 3, and {name}, another one of that size")


@check("count_parameters", points=0.25)
def test_frozen_parameters_count_and_buffers_do_not(subject: Subject) -> None:
    """Frozen parameters count like the others, buffers are no parameters; the result is an int.

    A parameter of no dimension is one number, and a module without parameters has 0.
    On the meta device tensors have a shape and no memory, and count as anywhere.
    """
    entries = [
        ("a", "frozen", [3, 4]),
        ("b.c", "parameter", [5]),
        ("b.ids", "buffer", [1, 9]),
        ("d", "half", [2, 2, 2]),
    ]
    got = subject.call("count_parameters", subject.structure(entries))
    equal(got, 25, "3 x 4 frozen, 5, and 8 in half precision; the buffer of 9 is not learned")
    got = subject.call("count_parameters", subject.structure([*entries, ("scale", "parameter", [])]))
    equal(got, 26, "a parameter of no dimension, such as a scale or a temperature, is one number more")
    got = subject.call("count_parameters", subject.structure([("ids", "buffer", [9])]))
    equal(got, 0, "a module without parameters learns nothing")
    got = subject.call("count_parameters", subject.torchs_own("LayerNorm", 7))
    equal(got, 14, "a norm has a weight and a bias")
    on_meta: list[oracle.Entry] = [
        ("word.weight", "meta", [5, 3]),
        ("layers.0", "meta", [4]),
        ("layers.1", "meta", [4]),
        ("decoder.weight", "tie", "word.weight"),
    ]
    got = subject.call("count_parameters", subject.structure(on_meta))
    equal(got, 23, "5 x 3 and twice 4 on the meta device; the decoder is the word table")
    large: list[oracle.Entry] = [("word.weight", "meta", [70_000, 40_000]), ("bias", "meta", [4])]
    got = subject.call("count_parameters", subject.structure(large))
    equal(got, 2_800_000_004, "70,000 x 40,000 and 4: more than 32 bits hold")


@check("parameter_table", points=0.5)
@given(case=configs())
def test_the_embeddings_are_counted(subject: Subject, case: tuple[ModelConfig, bool]) -> None:
    """The three tables and their norm have width E; a factorized embedding has its projection, also where E = D."""
    got = _table(subject, case)
    names = ("word", "position", "segment", "embedding_norm", "projection")
    expect_columns(got, oracle.table(*case), names, "tables V x E, P x E and segments x E, norm 2 E, E D + D")


@check("parameter_table", points=0.75)
@given(case=configs())
def test_the_encoder_is_counted_as_it_is_shared(subject: Subject, case: tuple[ModelConfig, bool]) -> None:
    """Each different half of a layer counts once, with its norm: what `sharing` and `n_groups` say."""
    config, factorized = case
    because = (
        "attention 4 (D D + D) + 2 D and feed-forward 2 D F + F + D + 2 D, each as often as it is stored"
    )
    for sharing in ("none", "attention", "ffn", "all"):
        other = (replace(config, sharing=sharing), factorized)
        expect_columns(_table(subject, other), oracle.table(*other), ("encoder",), because)


@check("parameter_table", points=0.25)
@given(case=configs())
def test_the_heads_are_counted(subject: Subject, case: tuple[ModelConfig, bool]) -> None:
    """Pooler, MLM head and sentence head: the decoder's matrix is the word table and counted there."""
    got = _table(subject, case)
    because = "pooler D D + D; head D E + E, norm 2 E, bias V; sentences 2 D + 2"
    expect_columns(got, oracle.table(*case), ("pooler", "mlm_head", "sentence_head"), because)


@check("parameter_table", points=0.5)
def test_published_models_have_their_published_counts(subject: Subject) -> None:
    """The table gives the counts of BERT-base and of two ALBERTs, in the order of the lesson, with their total."""
    for name, (sizes, factorized, counts) in PUBLISHED.items():
        got = subject.call("parameter_table", _published(*sizes), factorized)
        want = dict(zip(oracle.KEYS, counts, strict=True))
        equal(got, want, f"counted in the published weights of {name}")


@check("parameter_table", points=0.25)
def test_a_narrow_table_needs_a_projection(subject: Subject) -> None:
    """E other than D without factorization is a ValueError; E = D is served both ways, D parameters apart."""
    square = oracle.config(d_embedding=12)
    for factorized in (False, True):
        got = subject.call("parameter_table", square, factorized)
        equal(got, oracle.table(square, factorized), "E = D")
    because = "nothing would bring a vector of width E to width D"
    for width in (5, 13):
        narrow = oracle.config(d_embedding=width)
        rejects(partial(subject.call, "parameter_table", narrow, False), "ValueError", because)


@check("forward_flops", points=0.5)
@given(case=configs(), tokens=st.integers(1, 30))
@example(case=(oracle.config(d_embedding=12), True), tokens=7)
def test_the_work_is_that_of_the_matrix_products(
    subject: Subject, case: tuple[ModelConfig, bool], tokens: int
) -> None:
    """Two operations for each multiplication in the layers, the projection, the pooler and the sentence head.

    A factorized embedding projects also where E = D.
    """
    config, factorized = case
    got = oracle.FLOPS_PROBE(subject, [(config, tokens, factorized, 0)])
    equal(got, [oracle.flops(config, tokens, factorized)], "2 n k m for every product [n, k] x [k, m]")


@check("forward_flops", points=0.25)
@given(case=configs(), masked=st.integers(1, 9))
def test_each_masked_place_adds_the_decoders_work(
    subject: Subject, case: tuple[ModelConfig, bool], masked: int
) -> None:
    """Each predicted place costs a dense layer D -> E and a decoder E -> V, beside the rest."""
    config, factorized = case
    got = oracle.FLOPS_PROBE(subject, [(config, 9, factorized, m) for m in (0, masked)])
    want = [oracle.flops(config, 9, factorized, m) for m in (0, masked)]
    differences = [b - a for a, b in (got, want) if type(a) is type(b) is int]
    because = "2 D E + 2 E V a place: a difference of two calls"
    true(
        len(differences) == 2 and differences[0] == differences[1],
        because,
        expected=want[1] - want[0],
        got=got,
    )


@check("forward_flops", points=0.25)
def test_sharing_saves_no_work(subject: Subject) -> None:
    """A shared encoder does the work of one that shares nothing: 97 billion operations in BERT-base for 512 tokens."""
    got = [
        subject.call("forward_flops", oracle.config(sharing=sharing, n_groups=groups), 11, True, masked=2)
        for sharing, groups in (("none", 1), ("attention", 1), ("ffn", 1), ("all", 1), ("all", 3))
    ]
    equal(got, [oracle.flops(oracle.config(), 11, True, 2)] * 5, "every layer works, shared or not")
    bert = _published(30_522, 768, 768, 12, "none")
    # By hand: 12 (8*512*768^2 + 4*512*768*3072 + 4*512^2*768) + 2*768^2 + 4*768.
    equal(subject.call("forward_flops", bert, 512, False), 96_637_946_880, "BERT-base without its MLM head")


@check("break_even_embedding", points=0.5)
@given(vocab_size=st.integers(1, 100_000), d_model=st.integers(1, 5_000))
def test_at_the_break_even_width_both_tables_are_equally_large(
    subject: Subject, vocab_size: int, d_model: int
) -> None:
    """At the width that comes back, V E + E D equals V D: below it the factorization saves."""
    [got] = oracle.BREAK_EVEN_PROBE(subject, [[vocab_size, d_model]])
    true(type(got) is float, "a width between two whole numbers", expected="a float", got=got)
    # Bisection ends where doubles do.
    close(got, oracle.break_even(vocab_size, d_model), "V E + E D = V D, solved for E", rtol=1e-9)


@check("break_even_embedding", points=0.25)
def test_the_break_even_width_of_known_vocabularies(subject: Subject) -> None:
    """With 30,000 words and D = 768 it is 748.8; with 400 words and D = 128 only 97.0."""
    for vocab_size, d_model, width in ((30_000, 768, 748.83), (400, 128, 96.97), (64, 64, 32.0)):
        got = subject.call("break_even_embedding", vocab_size, d_model)
        because = "with a small vocabulary a narrow table hardly pays"
        # Two decimals were written down.
        close(got, width, because, atol=0.0051, rtol=0.0)


def _table(subject: Subject, case: tuple[ModelConfig, bool]) -> Any:
    return subject.call("parameter_table", *case)


def _published(vocab_size: int, d_model: int, d_embedding: int, n_layers: int, sharing: Any) -> ModelConfig:
    return ModelConfig(
        vocab_size=vocab_size,
        max_len=512,
        d_model=d_model,
        d_embedding=d_embedding,
        n_layers=n_layers,
        n_heads=d_model // 64,
        sharing=sharing,
    )
