"""Shape letters in inline code, each with its meaning on hover and focus."""

import re
from html import escape

LETTERS = {
    "B": "batch: examples",
    "T": "tokens of a sequence",
    "S": "key tokens: those looked at",
    "D": "d_model: width of the hidden states",
    "N": "attention heads",
    "K": "size of one head, D / N",
    "F": "d_ff: width inside the feed-forward block",
    "V": "vocabulary size",
    "E": "d_embedding: width of the embedding tables",
    "L": "layers",
    "M": "chosen (labelled) positions",
}
INLINE_CODE = re.compile(r"<code>([^<]*)</code>")
SHAPE = re.compile(r"^(?=.*[A-Z])[\[\]()A-Z0-9, ./+*\u00d7\u00b7-]*$")
LONE_LETTER = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z])")


def explain_letters(page_html: str) -> str:
    """The page's HTML with the shape letters of `[B, T, D]`, `V x D` or a lone `D` explained.

    The first of each letter on a page takes the keyboard's focus, so that a reader who uses no mouse
    meets each meaning once and not a hundred times.
    """
    seen: set[str] = set()

    def explain(code: re.Match[str]) -> str:
        plain = re.sub(r"(?<=[A-Z0-9]) x (?=[A-Z0-9])", " \u00d7 ", code[1])
        if not SHAPE.match(plain):
            return code[0]
        return f"<code>{LONE_LETTER.sub(letter_html, plain)}</code>"

    def letter_html(match: re.Match[str]) -> str:
        letter = match[0]
        if letter not in LETTERS:
            return letter
        focus = "" if letter in seen else ' tabindex="0"'
        seen.add(letter)
        return f'<abbr title="{escape(LETTERS[letter])}"{focus}>{letter}</abbr>'

    return INLINE_CODE.sub(explain, page_html)


def focus_first_terms(page_html: str) -> str:
    """The first of each abbreviated term on a page made reachable by the keyboard."""
    seen: set[str] = set()

    def first(match: re.Match[str]) -> str:
        if match[0] in seen:
            return match[0]
        seen.add(match[0])
        return match[0].replace("<abbr ", '<abbr tabindex="0" ', 1)

    return re.sub(r"<abbr title=\"[^\"]*\">[^<]*</abbr>", first, page_html)
