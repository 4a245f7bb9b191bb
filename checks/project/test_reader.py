"""Text files become documents, whatever their layout, and bad files are refused in plain words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.given.corpora import CorpusError, iterate, read, split_sentences, stories
from lessons.given.corpora.reader import guess_layout


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rained. We stayed in.", ["It rained.", "We stayed in."]),
        ("Dr. Who met Mr. J. Smith. They ran.", ["Dr. Who met Mr. J. Smith.", "They ran."]),
        ('"Why?" she asked. "Because!"', ['"Why?" she asked.', '"Because!"']),
        ("It cost 3.50 in the U.S. market (see Fig. 2). Fine.", None),
        ("Smith et al. (2019) found p < 0.05. Results, e.g. BERT, vary.", None),
        ("no capitals here. but two sentences.", ["no capitals here.", "but two sentences."]),
        ("So did I. Then it  broke\n off", ["So did I.", "Then it broke off"]),
        ("Well... She left. 42 came.", ["Well...", "She left.", "42 came."]),
        ("", []),
    ],
)
def test_plain_text_is_cut_at_the_ends_of_sentences(text: str, sentences: list[str] | None) -> None:
    found = split_sentences(text)
    assert len(found) == 2 if sentences is None else found == sentences
    assert " ".join(found).split() == text.split()


@given(st.text(alphabet=" aB.!?\"'(1\n。é"))
def test_cutting_loses_no_character_but_space(text: str) -> None:
    found = split_sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in found)


def write(folder: Path, content: str | bytes, name: str = "corpus.txt") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


TWO = [["It rained.", "We stayed in."], ["The sun came out."]]


@pytest.mark.parametrize(
    "content",
    [
        "It rained.\nWe stayed in.\n\nThe sun came out.\n",
        "\n\nIt rained.\nWe stayed in.\n \t\n\n\nThe sun came out.",
        "\ufeffIt rained.\r\nWe  stayed in.\r\n\r\nThe sun came out.\r\n",
        "It rained.\rWe stayed in.\r\rThe sun came out.\r",
    ],
)
def test_one_sentence_a_line_is_read_whatever_the_line_ends(tmp_path: Path, content: str) -> None:
    assert read(write(tmp_path, content)) == TWO


def test_plain_paragraphs_are_read_wrapped_or_not(tmp_path: Path) -> None:
    wrapped = "It rained. We\nstayed in.\n\nThe sun came\nout. We went. It\nwas warm.\n"
    one_a_line = "It rained. We stayed in.\nThe sun came out. We went. It was warm.\n"
    expected = [["It rained.", "We stayed in."], ["The sun came out.", "We went.", "It was warm."]]
    assert read(write(tmp_path, wrapped)) == expected
    assert read(write(tmp_path, one_a_line)) == expected
    assert read(write(tmp_path, one_a_line), layout="sentences") == [one_a_line.strip().split("\n")]


def test_several_files_are_read_in_order_and_never_joined(tmp_path: Path) -> None:
    first, second = write(tmp_path, "A b.\nC d.", "1.txt"), write(tmp_path, "E f.\n", "2.txt")
    assert read(first, str(second)) == [["A b.", "C d."], ["E f."]]


def test_stories_written_to_a_file_are_read_back(tmp_path: Path) -> None:
    documents = stories(20, 0)
    path = write(tmp_path, "\n\n".join("\n".join(document) for document in documents))
    assert read(path, require_pairs=True) == documents
    assert guess_layout(path.read_text().split("\n")) == "sentences"
    assert read(write(tmp_path, "\n".join(" ".join(document) for document in documents))) == documents


def test_a_file_is_read_as_it_is_walked_through(tmp_path: Path) -> None:
    path = write(tmp_path, b"It rained.\nWe stayed in.\n\n" * 1000 + b"\xff")
    walk = iterate(path)
    assert [next(walk) for _ in range(100)] == [TWO[0]] * 100


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a file without text"),
        (b" \n\t\r\n\n", "a file without text"),
        (b"\xef\xbb\xbf", "a file without text"),
        (b"good\nb\xe4d\n", r"line 2, byte 6: got byte 0xe4, expected UTF-8"),
        (b"\xef\xbb\xbfok \xff", r"line 1, byte 6: got byte 0xff, expected UTF-8"),
        (b"\xff\xfea\x00", "got UTF-16, expected UTF-8"),
        (b"PK\x03\x04\x00\x00", "line 1, byte 4: got a zero byte"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read(write(tmp_path, content))


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none\.txt: no such file"):
        read(tmp_path / "none.txt")
    with pytest.raises(CorpusError, match="got a folder"):
        read(tmp_path)
    with pytest.raises(ValueError, match="got no path"):
        read()
    with pytest.raises(ValueError, match="layout: got 'line'"):
        read(tmp_path, layout="line")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("It rained.\nWe stayed in.\n", "got one document, expected two or more"),
        ("It rained.\n\nWe stayed in.\n", "the longest of 2 documents has 1 sentence"),
    ],
)
def test_documents_that_give_no_pair_are_refused_on_request(
    tmp_path: Path, content: str, message: str
) -> None:
    path = write(tmp_path, content)
    assert read(path)
    with pytest.raises(CorpusError, match=message):
        read(path, require_pairs=True)
