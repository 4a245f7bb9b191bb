"""The toy corpus: short hand-written stories of everyday events whose order can be told."""

from importlib.resources import files


def toy() -> list[list[str]]:
    """The hand-written corpus: 219 documents of 2 to 5 sentences, about 560 distinct words.

    The documents are always the same, in the same order. Every word occurs at least three times, and a
    sentence has at most 17 tokens, so two sentences fit into 64 places.

    Example:
        >>> toy()[0][:2]
        ['Anna washed the carrots and the potatoes.', 'She cut them into small pieces.']
    """
    text = (files(__package__) / "toy.txt").read_text(encoding="utf-8")
    return [document.split("\n") for document in text.strip().split("\n\n")]
