"""What `litebert doctor` looks at: each finding is a value, with what to do about it."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from packaging.requirements import Requirement

from checks.curriculum import LESSONS, ROOT

State = Literal["ok", "optional", "missing"]
OLDEST_PYTHON = (3, 11)
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
MAC_CHROME = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
PURPOSE = {
    "transformers": "the comparison with Hugging Face, and --hub",
    "safetensors": "fill-mask and compare with published checkpoints",
    "tokenizers": "fill-mask, and a WordPiece vocabulary",
    "distributed": "grading a class on several machines",
    "playwright": "the maintainers' tests of the site",
    "ruff": "maintainers: style",
    "mypy": "maintainers: types",
}


class Finding(NamedTuple):
    """One line of the report. `missing` stands in a learner's way, `optional` does not."""

    name: str
    state: State
    what: str
    cure: str = ""


def findings() -> Iterator[Finding]:
    """Everything, in the order in which it would be mended."""
    yield python()
    yield clone()
    yield from packages()
    yield device()
    yield from writable()
    yield from modules()
    yield bubblewrap()
    yield chromium()


def python() -> Finding:
    """Python itself."""
    what = f"{platform.python_version()} on {platform.system()} ({sys.prefix})"
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Finding("Python", "missing", what, "install Python 3.11 or newer, make a new environment")
    return Finding("Python", "ok", what)


def clone() -> Finding:
    """Whether the command runs from a clone, which it needs to find the lessons."""
    if (ROOT / "pyproject.toml").is_file():
        return Finding("project", "ok", str(ROOT))
    return Finding("project", "missing", f"{ROOT} is no clone", "in the clone: pip install -e .")


def packages() -> Iterator[Finding]:
    """Each declared package: there, too old or missing."""
    try:
        declared = [Requirement(line) for line in importlib.metadata.requires("litebert") or ()]
    except importlib.metadata.PackageNotFoundError:
        yield Finding("litebert", "missing", "not installed", "in the clone: pip install -e .")
        return
    seen: set[str] = set()
    for requirement in declared:
        if requirement.name in seen or requirement.name == "litebert":
            continue
        seen.add(requirement.name)
        yield package(requirement, is_optional=requirement.marker is not None)


def package(requirement: Requirement, is_optional: bool) -> Finding:
    """One package against what is asked of it."""
    name = requirement.name
    purpose = f" ({PURPOSE[name]})" if name in PURPOSE else ""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = None
    if version and requirement.specifier.contains(version, prereleases=True):
        return Finding(name, "ok", version)
    what = f"{version}, needs {requirement.specifier}" if version else "not installed"
    state: State = "optional" if is_optional else "missing"
    return Finding(name, state, what + purpose, f"pip install '{name}{requirement.specifier}'")


def device() -> Finding:
    """What torch would train on. torch is imported in a process of its own: a broken one is a finding."""
    code = (
        "import torch; cuda = torch.cuda.is_available(); "
        "mps = torch.backends.mps.is_available(); "
        "print(torch.cuda.get_device_name() if cuda else 'Apple GPU (mps)' if mps else "
        "f'CPU, {torch.get_num_threads()} threads (presets quick, classic and cpu)')"
    )
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return Finding("device", "missing", "torch does not start within 2 minutes", "install torch anew")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        return Finding(
            "device", "missing", f"torch does not start: {last}", "install torch anew: see README.md"
        )
    return Finding("device", "ok", done.stdout.strip())


def writable() -> Iterator[Finding]:
    """The folders that the course writes to."""
    for folder in (ROOT / "lessons", ROOT):
        if folder.is_dir() and os.access(folder, os.W_OK):
            yield Finding("write access", "ok", str(folder))
        else:
            yield Finding(
                "write access", "missing", f"{folder} cannot be written", "clone into a folder of your own"
            )


def modules() -> Iterator[Finding]:
    """Each lesson's file: there, and Python."""
    broken = 0
    for lesson in LESSONS:
        path = ROOT / "lessons" / f"{lesson.module}.py"
        try:
            compile(path.read_bytes(), str(path), "exec")
        except FileNotFoundError:
            broken += 1
            yield Finding(
                "lessons", "missing", f"lessons/{path.name} is not there", f"litebert reset {lesson.module}"
            )
        except (SyntaxError, ValueError) as error:
            broken += 1
            line = getattr(error, "lineno", None) or 1
            yield Finding(
                "lessons", "missing", f"lessons/{path.name}:{line}: {error.args[0]}", "mend this line"
            )
    if not broken:
        yield Finding("lessons", "ok", f"{len(LESSONS)} modules, all readable")


def bubblewrap() -> Finding:
    """The sandbox for grading: there, and allowed to make one."""
    program = shutil.which("bwrap")
    use = "only to grade other people's code"
    if sys.platform != "linux":
        return Finding("bubblewrap", "optional", f"Linux only; needed {use}")
    if program is None:
        return Finding("bubblewrap", "optional", f"not installed; needed {use}", "apt-get install bubblewrap")
    trial = [program, "--ro-bind", "/", "/", "--unshare-all", "true"]
    done = subprocess.run(trial, capture_output=True, text=True, timeout=20)
    if done.returncode:
        return Finding(
            "bubblewrap", "optional", f"may not make a sandbox here: {done.stderr.strip()}", f"needed {use}"
        )
    return Finding("bubblewrap", "ok", program)


def chromium() -> Finding:
    """The browser for the site's tests."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None and MAC_CHROME.exists():
        program = str(MAC_CHROME)
    if program:
        return Finding("Chromium", "ok", program)
    cure = "apt-get install chromium" if sys.platform == "linux" else "install Chromium or Chrome"
    return Finding("Chromium", "optional", "not installed; maintainers test the site with it", cure)
