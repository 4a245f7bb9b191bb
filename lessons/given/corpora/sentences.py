"""Plain text into sentences, by a short rule."""

import re

# A full stop, question or exclamation mark (several, or an ellipsis), closing quotes or brackets, then space;
# or a full-width mark, which no space follows.
_BOUNDARY = re.compile(r"""[.!?…]+["'”’»)\]]*\s+|[。！？]["”’」』）]*\s*""")  # noqa: RUF001

_TITLES = "mr mrs ms dr prof st sr jr rev gen col sgt capt lt gov hon mt messrs mme mlle"
_SHORT_FORMS = "vs al cf approx ca viz resp dept univ inc ltd co corp ed eds vol pp ch sec e.g i.e a.k.a"
_BEFORE_NUMBER = "no nos fig figs eq eqs ref refs art p"
_ABBREVIATIONS = frozenset(f"{_TITLES} {_SHORT_FORMS}".split())
_NUMBERED = frozenset(_BEFORE_NUMBER.split())

_LAST_WORD = re.compile(r"[\w.]*\w\Z")
_INITIALS = re.compile(r"[A-Z](\.[A-Z])*\Z")
_SENTENCE_START = re.compile(r"""["'“‘«(\[]*[^\W\d_]""")  # noqa: RUF001
_NUMBER_START = re.compile(r"""["'“‘«(\[]*\d""")  # noqa: RUF001


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph, each with its marks, runs of white space made one space.

    A sentence ends at `.`, `!`, `?` or an ellipsis, with any closing quotes or brackets, when white space and
    a capital letter (or a digit) follow. It does not end after a title or short form (`Dr.`, `e.g.`,
    `et al.`), after an initial (`J. Smith`, `the U.S. army`), or after `No.`, `Fig.` and the like before a
    number. Where the text has no capital letters at all, a small letter may start a sentence too.

    Example:
        >>> split_sentences('Dr. Who paid 3.50 for it. "Why?" she asked. See Fig. 2 first.')
        ['Dr. Who paid 3.50 for it.', '"Why?" she asked.', 'See Fig. 2 first.']
    """
    text = " ".join(text.split())
    small_letters = text == text.lower()
    sentences, start = [], 0
    for boundary in _BOUNDARY.finditer(text):
        if _ends_sentence(text, start, boundary, small_letters):
            sentences.append(text[start : boundary.end()].strip())
            start = boundary.end()
    if text[start:]:
        sentences.append(text[start:])
    return sentences


def _ends_sentence(text: str, start: int, boundary: re.Match[str], small_letters: bool) -> bool:
    mark, end = boundary.group().rstrip(), boundary.end()
    if end == len(text):
        return False
    if mark[0] in "。！？":  # noqa: RUF001
        return True
    number_follows = _NUMBER_START.match(text, end) is not None
    letter = _SENTENCE_START.match(text, end)
    if not number_follows and not (letter and (small_letters or not letter.group()[-1].islower())):
        return False
    word = _LAST_WORD.search(text[max(start, boundary.start() - 40) : boundary.start()])
    if mark != "." or word is None:
        return True
    if word.group().lower() in _NUMBERED and number_follows:
        return False
    is_initial = _INITIALS.match(word.group()) is not None and word.group() != "I"
    return not is_initial and word.group().lower() not in _ABBREVIATIONS
