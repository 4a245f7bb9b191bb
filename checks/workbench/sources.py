"""Where an update comes from: a folder, a git address, or a branch of a remote; laid out as a plain folder."""

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from checks.curriculum import ROOT

MARK = Path("checks") / "curriculum.py"


@contextmanager
def opened(source: str | None) -> Iterator[Path]:
    """The folder of the new release. `source`: a folder, ADDRESS, ADDRESS@REF, or REMOTE/BRANCH of this clone.

    Raises:
        ValueError: there is no such source, or it is no release of this course.
    """
    if source is not None and (folder := Path(source).expanduser()).is_dir() and not is_bare(folder):
        yield checked(folder.resolve(), source)
        return
    with TemporaryDirectory(prefix="litebert-update-") as temporary:
        target = Path(temporary) / "new"
        if source is not None and (":" in source or Path(source.partition("@")[0]).expanduser().is_dir()):
            fetch_address(source, target)
        else:
            fetch_branch(source, target)
        yield checked(target, source or "the remote's branch")


def is_bare(folder: Path) -> bool:
    """Whether a folder is a bare git repository: it holds commits and no files."""
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def checked(folder: Path, source: str) -> Path:
    """The folder, if it is a release."""
    if not (folder / MARK).is_file() or not (folder / "lessons").is_dir():
        raise ValueError(f"{source}: got no release of this course, expected {MARK} and lessons/ in it")
    if folder == ROOT.resolve():
        raise ValueError(f"{source}: that is this clone itself")
    return folder


def fetch_address(source: str, target: Path) -> None:
    """Clone ADDRESS or ADDRESS@REF (a branch or tag), its newest commit only."""
    address, at, ref = source.rpartition("@")
    if not at or "/" in ref or ":" in ref:  # the @ of git@host:path
        address, ref = source, ""
    chosen = ["--branch", ref] if ref else []
    git(["clone", "--quiet", "--depth", "1", *chosen, "--", address, str(target)], f"cannot fetch {source}")


def fetch_branch(source: str | None, target: Path) -> None:
    """Fetch REMOTE/BRANCH (left out: origin and its own branch) and lay the commit's files out."""
    if not (ROOT / ".git").exists():
        raise ValueError(
            f"got {source or 'no source'}, expected a folder or a git address: this is no git clone"
        )
    remote, _, branch = (source or "origin").partition("/")
    known = git(["remote"], "git does not answer").split()
    if remote not in known:
        there = f"the remotes are {', '.join(known)}" if known else "this clone has no remote"
        raise ValueError(f"{source or 'origin'}: there is no such folder or remote; {there}")
    git(["fetch", "--quiet", remote, branch or "HEAD"], f"cannot fetch {source or remote}")
    target.mkdir()
    packed = target.with_suffix(".tar")
    git(["archive", "--output", str(packed), "FETCH_HEAD"], "git does not answer")
    with tarfile.open(packed) as archive:
        archive.extractall(target, filter="data")


def git(arguments: list[str], failed: str, folder: Path | None = None) -> str:
    """Run git without asking for passwords; what it says, or a ValueError with its last line."""
    command = ["git", "-c", "core.askPass=true", *arguments]
    try:
        done = subprocess.run(
            command, cwd=folder or ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        raise ValueError("git is not installed: give the folder of a release instead") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise ValueError(f"{failed}: {said[-1] if said else f'git ended with code {done.returncode}'}")
    return done.stdout
