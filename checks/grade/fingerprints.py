"""Fingerprints of code: what is left of it when names, layout and comments are taken away.

Winnowing as in MOSS: hashes of every run of tokens, of which each window keeps its smallest. Two texts that share a
run of `RUN + WINDOW - 1` tokens share a fingerprint, whatever their names. The standard library does it in a page;
the libraries for it compare whole files and cannot subtract what was handed out.

Source: Schleimer, Wilkerson, Aiken 2003, Winnowing: Local Algorithms for Document Fingerprinting, section 3.
"""

import hashlib
import io
import keyword
import tokenize
from collections.abc import Iterator

RUN, WINDOW = 10, 6
PLACELESS = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER, tokenize.NEWLINE}
# Names that say what is done stay; a learner's own names do not count.
TELLING = frozenset(
    ("self", "range", "len", "enumerate", "zip", "torch", "np", "nn", "numpy", "math", "sorted")
)


def fingerprints(source: str) -> dict[int, int]:
    """Fingerprint -> the line where it stands first. Empty for text that is not Python."""
    tokens = list(_tokens(source))
    hashes = [
        (_hash(" ".join(text for text, _ in tokens[at : at + RUN])), tokens[at][1])
        for at in range(len(tokens) - RUN + 1)
    ]
    found: dict[int, int] = {}
    for at in range(max(1, len(hashes) - WINDOW + 1)):
        window = hashes[at : at + WINDOW]
        if window:
            value, line = min(window)
            found.setdefault(value, line)
    return found


def _tokens(source: str) -> Iterator[tuple[str, int]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in PLACELESS or (token.type == tokenize.STRING and _is_docstring(token)):
                continue
            yield _plain(token), token.start[0]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return


def _is_docstring(token: tokenize.TokenInfo) -> bool:
    return token.string.lstrip("rRuUbB").startswith(('"""', "'''"))


def _plain(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        kept = keyword.iskeyword(token.string) or token.string in TELLING
        return token.string if kept else "name"
    if token.type in (tokenize.INDENT, tokenize.DEDENT):
        return tokenize.tok_name[token.type]
    return "text" if token.type == tokenize.STRING else token.string


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
