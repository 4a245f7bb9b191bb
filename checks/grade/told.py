"""What of judged code may reach a file: an exception's type, 200 characters of its message, a compared value.

Everything else in a verdict's lines is the checks' own. What does pass is cut, freed of control characters,
addresses and paths, and limited in sum: a worker can read the reference of earlier lessons, and a message must
not carry it out.
"""

import re
import unicodedata

from checks.curriculum import BY_NAME
from checks.judge.verdict import Verdict

MOST_LINE = 320
MOST_MESSAGE = 200
MOST_JUDGED_TEXT = 600  # characters of text from judged code in the report of one lesson

ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
PLACE = re.compile(r"(?:^|[\\/ (])(?P<file>\w+\.py)(?P<line>:\d+)?")
PATH = re.compile(r"(?<![\w.])(?:/[^\s/:'\"()]+)+/(?=[^\s/:'\"()]+)")
STUB = re.compile(r"lesson \w+: [\w.]+ is still to do")


class Teller:
    """The lines of one lesson's verdicts, with a sum of judged text that is not exceeded."""

    def __init__(self) -> None:
        self.left = MOST_JUDGED_TEXT
        self.seen: set[str] = set()

    def lines(self, verdict: Verdict) -> list[str]:
        """The verdict's lines as they may be written."""
        if verdict.state == "done":
            return []
        if verdict.state == "to do" or (verdict.state == "waiting" and not _has_got(verdict)):
            return [self._fixed(verdict, line) for line in verdict.lines[-2:]]
        if not _has_got(verdict):  # broken, hung or dead
            return [self._judged(line) for line in verdict.lines]
        return [self._judged(line) if _is_judged(line) else tidy(line) for line in verdict.lines]

    def _fixed(self, verdict: Verdict, line: str) -> str:
        if STUB.fullmatch(line) or line.startswith("put together from your own"):
            return line
        return f"{verdict.check.exercise} is still to do" if verdict.state == "to do" else self._judged(line)

    def _judged(self, line: str) -> str:
        text = tidy(line, MOST_MESSAGE + 40)
        if text in self.seen:
            return text
        if len(text) > self.left:
            return f"{text[:10]}(left out: this lesson's report already holds {MOST_JUDGED_TEXT} characters of text)"
        self.seen.add(text)
        self.left -= len(text)
        return text


def _has_got(verdict: Verdict) -> bool:
    return any(line.startswith("got  ") for line in verdict.lines)


def _is_judged(line: str) -> bool:
    """Numbers and shapes are compared values; what holds words or quotes may carry a text."""
    if not line.startswith("got  "):
        return False
    words = re.findall(r"[^\W\d_]{4,}", line[10:])
    plain = {
        "shape",
        "float",
        "bool",
        "array",
        "True",
        "False",
        "None",
        "index",
        "largest",
        "difference",
        "got",
    }
    return "'" in line or '"' in line or any(word not in plain for word in words)


def tidy(line: str, most: int = MOST_LINE) -> str:
    """One printable line without addresses, folders or characters that steer a terminal or the order of reading."""
    text = ADDRESS.sub("0x...", PATH.sub("", line))
    text = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)
    return text if len(text) <= most else text[: most - 4] + " ..."


def place(where: str) -> str:
    """file.py:line where it names a lesson module, else nothing."""
    found = PLACE.search(where)
    if not found or found["file"].removesuffix(".py") not in BY_NAME:
        return ""
    return found["file"] + (found["line"] or "")
