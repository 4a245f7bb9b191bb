"""A folder of unpublished checks to start from: two checks of lesson 1, and how to go on."""

from pathlib import Path

README = """# Unpublished checks

Each file `test_<lesson>.py` here is graded with `litebert grade ... --hidden THIS_FOLDER`, beside the published
checks, with the points that it states. Write at least two properties a lesson; they are written like the published
ones in `checks/test_<lesson>.py`, with the same oracles.

- A check reaches the judged code through `subject` only, and compares values for inputs that the code could not
  foresee. It states its claim in the first line of its docstring.
- Prove them before you use them: `litebert hidden-gate THIS_FOLDER`. The reference and every right variant must
  pass, code that does nothing must fail, and each check must catch at least one known wrong implementation.
- Learners see that an unpublished check of an exercise failed, not which; `show = true` in [hidden] of
  `course.toml` names it.
- Keep this folder out of what learners get.
"""

EXAMPLE = '''"""Unpublished checks of lesson 1: an example to replace."""

from hypothesis import given
from hypothesis import strategies as st

from checks.judge import check, equal
from checks.oracles import vocab as oracle
from checks.subject import Subject

sentences = st.lists(st.sampled_from(["Night", "owl", "r2", "_", "it\\'s", "--", "No.7"]), min_size=1, max_size=9)


@check("tokenize", points=0.5)
@given(words=sentences)
def test_joined_pieces_are_split_as_the_lesson_says(subject: Subject, words: list[str]) -> None:
    """Text without blanks is split at marks only."""
    text = "".join(words) + " Tea,Milk"
    equal(subject.call("tokenize", text), oracle.tokenize(text), "letters, digits and _ join; marks stand alone")


@check("build_vocab", points=0.5)
@given(words=st.lists(st.sampled_from(["ash", "birch", "cedar", "elm"]), min_size=6, max_size=30))
def test_a_vocabulary_counts_over_all_texts(subject: Subject, words: list[str]) -> None:
    """The order of words comes from their counts over the whole corpus."""
    corpus = [" ".join(words[::2]), " ".join(words[1::2]), "elm Elm ELM"]
    got = oracle.ORDER_PROBE(subject, {"corpus": corpus})
    equal(got, oracle.plain_vocab(corpus), "words stand by falling count over all texts, ties by code point")
'''


def write_template(folder: Path) -> list[Path]:
    """Write the template; ValueError where a file of it is there already."""
    files = {"README.md": README, "test_vocab.py": EXAMPLE}
    there = [name for name in files if (folder / name).exists()]
    if there:
        raise ValueError(f"{folder}: {', '.join(there)} exists already; expected a new or empty folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]
