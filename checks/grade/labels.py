"""Whose is it? The names that learning platforms give to exported files and folders."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

# Canvas: muellerjoerg_LATE_1042_77311_attention-2.py; Moodle: Jörg Müller_4711_assignsubmission_file_/...
CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<user>\d+)_(?P<number>\d+)_(?P<file>.+)")
MOODLE = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)")
GRADESCOPE = re.compile(r"submission_(?P<user>\d+)")
COPY_NUMBER = re.compile(r"(?: ?\((?P<copy>\d+)\)|-(?P<version>\d+))$")


@dataclass(frozen=True)
class Label:
    """`who` groups what belongs together, `ids` are what a roster may name, `file` is the learner's own name."""

    who: str
    ids: tuple[str, ...]
    file: str = ""
    attempt: int = 0
    late: bool = False


def read_label(name: str, is_folder: bool) -> Label:
    """What the name of a top-level entry tells.

    >>> read_label("muellerjoerg_1042_77311_attention-2.py", False).file
    'attention-2.py'
    """
    if found := MOODLE.fullmatch(name):
        return Label(found["name"], (found["user"], found["name"], name), found["file"])
    if not is_folder and (found := CANVAS.fullmatch(name)):
        late = found["late"] is not None
        return Label(found["name"], (found["user"], found["name"]), found["file"], int(found["number"]), late)
    if found := GRADESCOPE.fullmatch(name):
        return Label(name, (found["user"], name))
    stem = name if is_folder else PurePosixPath(name).stem
    plain, number = without_copy_number(stem)
    return Label(plain if not is_folder else stem, (stem, plain), name, 0 if is_folder else number)


def without_copy_number(stem: str) -> tuple[str, int]:
    """`attention-2` and `attention (2)` are later copies of `attention`.

    >>> without_copy_number("attention (3)")
    ('attention', 3)
    """
    found = COPY_NUMBER.search(stem)
    if not found:
        return stem, 0
    return stem[: found.start()], int(found["copy"] or found["version"])
