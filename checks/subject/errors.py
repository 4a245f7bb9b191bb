"""What can come back from judged code instead of a value.

`Raised` is an ordinary failure that Hypothesis may shrink. The others end a check at once: they are
`BaseException`s, so that Hypothesis neither shrinks nor repeats them.
"""


class Raised(Exception):
    """Judged code raised: the exception's class name, up to 200 characters of its message, and where.

    `counts_as` is the class by which it is judged: `kind`, or the nearest built-in one where the submission itself
    defines `kind`.
    """

    def __init__(self, kind: str, message: str, where: str = "", counts_as: str = "") -> None:
        super().__init__(kind, message, where, counts_as)
        self.kind = kind
        self.message = message[:200]
        self.where = where
        self.counts_as = counts_as or kind

    def __str__(self) -> str:
        text = f"{self.kind}: {self.message}" if self.message else self.kind
        return f"{text} ({self.where})" if self.where else text


class Interruption(BaseException):
    """Ends the check at once: there is no value to judge."""


class ToDo(Interruption):
    """A stub that is not filled in yet; `what` names lesson and function, `where` is file:line."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(what, where)
        self.what = what
        self.where = where

    def __str__(self) -> str:
        return self.what


class Broken(Interruption):
    """The module could not be loaded: a syntax error, or an exception while importing it."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message, where)
        self.message = message
        self.where = where

    def __str__(self) -> str:
        return f"{self.message} ({self.where})" if self.where else self.message


class Hang(Interruption):
    """Judged code did not come back in time; `where` is the line it was in."""

    def __init__(self, what: str, seconds: float, where: str = "") -> None:
        super().__init__(what, seconds, where)
        self.what = what
        self.seconds = seconds
        self.where = where

    def __str__(self) -> str:
        text = f"{self.what} did not return within {self.seconds:g} s: an endless loop?"
        return f"{text} ({self.where})" if self.where else text


class Unreachable(Interruption):
    """The process that ran the judged code died or broke the protocol."""
