"""Which installed packages judged code may see: torch, NumPy, their like and what these need, nothing else.

A worker that saw the whole environment could import an answer key (`transformers`) or the checks' own tools.
"""

import site
import sysconfig
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ALLOWED = ("torch", "numpy", "jaxtyping", "matplotlib", "msgspec")


@cache
def visible() -> dict[str, Path]:
    """What judged code may see, by name."""
    return parts(ALLOWED)


def parts(names: Iterable[str]) -> dict[str, Path]:
    """Top-level files and folders of some distributions and of what they need, by name."""
    entries: dict[str, Path] = {}
    for distribution in _closure(names):
        folder = Path(str(distribution.locate_file("")))
        for name in _top_level(distribution):
            if (folder / name).exists():
                entries[name] = folder / name
    return entries


def hidden() -> list[Path]:
    """Folders of installed packages, to be covered wherever they lie below something that is shown."""
    paths = [*site.getsitepackages(), sysconfig.get_path("purelib"), "/usr/lib/python3/dist-packages"]
    return sorted({Path(path).resolve() for path in paths if Path(path).is_dir()})


def _closure(names: Iterable[str]) -> list[metadata.Distribution]:
    found: dict[str, metadata.Distribution] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # an optional one that is not installed
            continue
        needs = [Requirement(text) for text in found[name].requires or ()]
        waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    return list(found.values())


def _top_level(distribution: metadata.Distribution) -> set[str]:
    record = distribution.read_text("RECORD") or ""
    names = {line.split(",")[0].split("/")[0] for line in record.splitlines() if not line.startswith('"')}
    return names - {"", "..", "__pycache__"}
