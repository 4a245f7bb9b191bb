"""What the tests of grading share: small classes, the command as a process, and what its output is."""

import os
import subprocess
import sys
from pathlib import Path

from checks.curriculum import ROOT
from checks.gate.edits import edited_source
from checks.mutants import mutants_of
from checks.stubs import stub_text

SECRET = "an instructor's secret\n"
UNEQUAL = {"journal.jsonl", "times.csv"}


def vocab_texts() -> list[str]:
    """The reference, the stub and every mutant of lesson 1."""
    reference = (ROOT / "solutions" / "vocab.py").read_text(encoding="utf-8")
    mutants = [edited_source("vocab", mutant.edit) for mutant in mutants_of("vocab")]
    return [reference, stub_text("vocab"), *mutants]


def write_class(folder: Path, count: int) -> Path:
    """`count` submissions of lesson 1, as folders; the folder of them."""
    texts = vocab_texts()
    for number in range(count):
        place = folder / "class" / f"hand-in {number:02d} Müller" / "lessons"
        place.mkdir(parents=True)
        text = texts[number % len(texts)] + f"\n# {number}\n"
        (place / "vocab.py").write_text(text, encoding="utf-8")
    return folder / "class"


def write_course(folder: Path, more: str = "", lessons: str = '"vocab"') -> Path:
    """A course.toml of lesson 1 with a fixed secret."""
    (folder / "secret.txt").write_text(SECRET)
    path = folder / "course.toml"
    path.write_text(f'[course]\nname = "A class"\nlessons = [{lessons}]\nsecret = "secret.txt"\n{more}')
    return path


def command(*arguments: object) -> list[str]:
    """`litebert ...` as a command line."""
    return [sys.executable, "-m", "checks.cli.main", *map(str, arguments)]


def environment() -> dict[str, str]:
    """One thread, and the hash seed that the command would set for itself."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def litebert(*arguments: object, code: int = 0) -> str:
    """Run the command; what it said on both streams."""
    done = subprocess.run(
        command(*arguments), cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def contents(out: Path) -> dict[str, bytes]:
    """Every file of a batch's output that must be equal for equal inputs."""
    files = [path for path in sorted(out.rglob("*")) if path.is_file() and path.name not in UNEQUAL]
    return {str(path.relative_to(out)): path.read_bytes() for path in files if path.name != "batch.json"}
