"""The subject boundary: values cross, objects do not; what judged code does wrong is told, not suffered."""

from pathlib import Path

import numpy as np
import pytest

from checks.curriculum import ROOT
from checks.subject import Broken, Hang, Raised, Seed, Subject, ToDo
from checks.subject.inprocess import InProcess
from checks.subject.values import NotPlain, normalise
from lessons.given.records import SentencePair

HONEST = (ROOT / "solutions" / "attention.py").read_text(encoding="utf-8")


def subject_with(folder: Path, source: str, lesson: str = "attention") -> Subject:
    """A subject whose lesson is `source`."""
    (folder / f"{lesson}.py").write_text(source, encoding="utf-8")
    return Subject(InProcess(folder, lesson), lesson)


def test_tuples_become_lists_and_numpy_scalars_become_pythons() -> None:
    value = normalise((np.float64(1.5), (np.int32(2), True), {"a": np.bool_(False)}))
    assert value == [1.5, [2, True], {"a": False}]
    assert [type(entry) for entry in (value[0], value[1][0], value[2]["a"])] == [float, int, bool]


def test_arrays_cross_as_copies() -> None:
    array = np.arange(3)
    crossed = normalise(array)
    crossed[0] = 9
    assert array[0] == 0


def test_given_records_cross_by_name_and_others_do_not() -> None:
    assert normalise(SentencePair([1], [2], 1)) == SentencePair([1], [2], 1)

    class Number(int):
        """Pretends to be an integer."""

    for stranger in (object(), Number(3), np.array([object()]), {1.5: 2}, 2**70, 1j):
        with pytest.raises(NotPlain):
            normalise(stranger)


def test_a_value_nested_too_deep_is_refused() -> None:
    deep: list = []
    for _ in range(50):
        deep = [deep]
    with pytest.raises(NotPlain):
        normalise(deep)


def test_an_input_changed_in_place_shows_when_it_is_used_twice(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, "def split_heads(x, n):\n    x += 1\n    return x\n")
    array = np.zeros((1, 2, 2))
    first, second, (after,) = subject.twice("split_heads", array, 1)
    assert array.sum() == 0
    assert (first.sum(), second.sum(), after.sum()) == (4, 8, 8)


def test_a_stub_is_to_do_with_its_place(tmp_path: Path) -> None:
    subject = subject_with(
        tmp_path, "def merge_heads(x):\n    raise NotImplementedError('lesson attention: x')\n"
    )
    with pytest.raises(ToDo) as caught:
        subject.call("merge_heads", np.zeros((1, 1, 1, 1)))
    assert caught.value.what == "lesson attention: x"
    assert caught.value.where == f"{tmp_path}/attention.py:2"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def split_heads(:\n", "cannot be read"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("raise SystemExit(0)\n", "SystemExit"),
        ("import os\nos._exit(0)\n", "os._exit(0)"),
        ("x = 1\n", "has no 'split_heads'"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_broken_and_says_why(
    tmp_path: Path, source: str, said: str
) -> None:
    with pytest.raises(Broken) as caught:
        subject_with(tmp_path, source).call("split_heads", np.zeros((1, 2, 2)), 1)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "body", ["import sys; sys.exit(0)", "import os; os._exit(0)", "1 / 0", "raise KeyError('a')"]
)
def test_whatever_judged_code_raises_arrives_as_raised(tmp_path: Path, body: str) -> None:
    subject = subject_with(tmp_path, f"def split_heads(x, n):\n    {body}\n")
    with pytest.raises(Raised) as caught:
        subject.call("split_heads", np.zeros((1, 2, 2)), 1)
    assert caught.value.where.endswith("attention.py:2")


def test_an_endless_loop_is_interrupted_and_shorter_the_second_time(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, "def split_heads(x, n):\n    while True:\n        pass\n")
    with pytest.raises(Hang) as caught:
        subject.call("split_heads", np.zeros((1, 2, 2)), 1, seconds=0.3)
    assert "attention.py:" in caught.value.where
    with pytest.raises(Hang) as caught:
        subject.call("split_heads", np.zeros((1, 2, 2)), 1)
    assert caught.value.seconds == 1.0


def test_a_loop_that_swallows_every_exception_is_interrupted_too(tmp_path: Path) -> None:
    loop = "while True: pass"
    source = f"def split_heads(x, n):\n    try:\n        {loop}\n    except BaseException:\n        {loop}\n"
    with pytest.raises(Hang):
        subject_with(tmp_path, source).call("split_heads", np.zeros((1, 2, 2)), 1, seconds=0.2)


def test_an_endless_loop_at_import_is_interrupted(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, "while True:\n    pass\n")
    with pytest.raises(Hang):
        subject.execute("call", "split_heads", [1], {}, seconds=0.2)


def test_a_return_value_of_the_wrong_kind_is_told(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, "def split_heads(x, n):\n    return x.numpy()\n")
    with pytest.raises(Raised, match="NumPy array where a torch tensor is expected"):
        subject.call("split_heads", np.zeros((1, 2, 2)), 1)
    subject = subject_with(tmp_path, "def split_heads(x, n):\n    return object()\n")
    with pytest.raises(Raised, match="value of type object"):
        subject.call("split_heads", np.zeros((1, 2, 2)), 1)


def test_in_isolation_earlier_lessons_are_the_reference_and_later_ones_are_not_to_be_had(
    tmp_path: Path,
) -> None:
    (tmp_path / "attention.py").write_text("raise RuntimeError('mine')\n", encoding="utf-8")
    source = (ROOT / "solutions" / "transformer.py").read_text(encoding="utf-8")
    subject = subject_with(tmp_path, source, "transformer")
    assert subject.call("gelu", np.zeros(3)).tolist() == [0, 0, 0]
    late = subject_with(tmp_path, "from .training import train_step\ndef gelu(x): return x\n", "transformer")
    with pytest.raises(Broken, match="training is not available while transformer is checked"):
        late.call("gelu", np.zeros(3))


def test_a_missing_file_is_named_where_pieces_are_put_together(tmp_path: Path) -> None:
    source = (ROOT / "solutions" / "transformer.py").read_text(encoding="utf-8")
    (tmp_path / "transformer.py").write_text(source, encoding="utf-8")
    together = Subject(InProcess(tmp_path, "transformer", assembly=True), "transformer")
    with pytest.raises(Broken, match=r"the file attention\.py is missing") as caught:
        together.call("gelu", np.zeros(3))
    assert caught.value.where == str(tmp_path / "attention.py")


def test_a_place_is_never_a_line_of_the_standard_library(tmp_path: Path) -> None:
    source = "from pathlib import Path\ndef gelu(x):\n    return Path('/no/such').read_text()\n"
    with pytest.raises(Raised) as caught:
        subject_with(tmp_path, source, "transformer").call("gelu", np.zeros(3))
    assert caught.value.where == f"{tmp_path / 'transformer.py'}:3"


def test_absolute_imports_of_lessons_mean_the_siblings(tmp_path: Path) -> None:
    source = "from lessons.attention import merge_heads\ndef gelu(x): return merge_heads(x)\n"
    subject = subject_with(tmp_path, source, "transformer")
    assert subject.call("gelu", np.zeros((1, 2, 3, 4))).shape == (1, 3, 8)


def test_touching_a_global_generator_shows(tmp_path: Path) -> None:
    source = "import numpy as np\ndef encode(tokens, vocab):\n    np.random.rand()\n    return []\n"
    assert subject_with(tmp_path, source, "vocab").disturbed("encode", [], None) == ["numpy.random"]
    quiet = "def encode(tokens, vocab): return []\n"
    assert subject_with(tmp_path, quiet, "vocab").disturbed("encode", [], None) == []


def test_a_seed_arrives_as_a_fresh_generator_and_a_kept_one_moves_on(tmp_path: Path) -> None:
    subject = subject_with(tmp_path, "def tokenize(rng): return rng.random()\n", "vocab")
    first = subject.call("tokenize", Seed(3))
    assert first == subject.call("tokenize", Seed(3)) == np.random.default_rng(3).random()
    kept = subject.put(Seed(3))
    assert subject.call("tokenize", kept) != subject.call("tokenize", kept)
