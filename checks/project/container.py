"""A stand-in for Gradescope's container: a root of its own, real root in it, no namespaces to be had.

What `setup.sh` would install is taken from this environment, to the same places and with the same modes.
"""

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from checks.release.gradescope import GRADERS_OWN
from checks.sandbox import packages

# What Docker leaves to root in a container. Without SYS_ADMIN no namespace can be made.
CAPABILITIES = (
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
)
SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
VENV, GRADER, AUTOGRADER = "/opt/litebert", "/opt/litebert-grader", "/autograder"
needs_root_and_bubblewrap = pytest.mark.skipif(
    platform.system() != "Linux" or os.geteuid() != 0 or not shutil.which("bwrap"),
    reason="needs Linux, root and bubblewrap",
)


class Container:
    """Folders that become `/autograder` and `/opt` of the container."""

    def __init__(self, folder: Path, autograder: Path) -> None:
        self.folder = folder
        self.autograder = folder / "autograder"
        for name in ("submission", "results", "source"):
            (self.autograder / name).mkdir(parents=True)
        with zipfile.ZipFile(autograder) as archive:
            for info in archive.infolist():
                path = Path(archive.extract(info, self.autograder / "source"))
                path.chmod(info.external_attr >> 16 & 0o777)
        shutil.copy(self.autograder / "source" / "run_autograder", self.autograder)
        self.packages = folder / "packages"
        for path in (self.packages / "bin", self.packages / SITE):
            path.mkdir(parents=True)
        (self.packages / "bin" / "python").symlink_to(_interpreter())
        (self.packages / "pyvenv.cfg").write_text(f"home = {_interpreter().parent}\n")
        self.own = folder / "own"
        self.own.mkdir(mode=0o700)
        for name, path in packages.parts(GRADERS_OWN).items():
            (shutil.copytree if path.is_dir() else shutil.copy)(path, self.own / name)

    def hand_in(self, text: str, lesson: str = "vocab") -> None:
        """Put a module into the submission."""
        (self.autograder / "submission" / f"{lesson}.py").write_text(text, encoding="utf-8")

    def run(self, *command: str, privileged: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a command in it, as root; a privileged container can make namespaces."""
        return subprocess.run(
            [*self._wrapped(privileged), *command], capture_output=True, text=True, timeout=300, check=False
        )

    def _wrapped(self, privileged: bool) -> list[str]:
        rights = ("ALL",) if privileged else tuple(f"CAP_{name}" for name in CAPABILITIES)
        # bubblewrap covers parts of a /proc that it makes; the kernel then refuses another one further in
        processes = ("--bind", "/proc", "/proc") if privileged else ("--unshare-pid", "--proc", "/proc")
        shown = {str(path): str(path) for path in (Path("/usr"), Path("/etc"), _interpreter().parent.parent)}
        shown |= {str(path): f"{VENV}/{SITE}/{name}" for name, path in packages.visible().items()}
        above = [
            path for target in (*shown, VENV) for path in reversed(Path(target).parents) if path != Path("/")
        ]
        links = [(os.readlink(path), path) for path in ("/bin", "/lib", "/lib64") if Path(path).is_symlink()]
        return [
            *("bwrap", "--unshare-ipc", "--unshare-net", "--die-with-parent", "--clearenv"),
            *("--cap-drop", "ALL", *(part for name in rights for part in ("--cap-add", name))),
            *(part for target, link in links for part in ("--symlink", target, link)),
            *(part for path in dict.fromkeys(above) for part in ("--perms", "755", "--dir", str(path))),
            *("--bind", str(self.packages), VENV, "--bind", str(self.own), GRADER),
            *(part for source, target in shown.items() for part in ("--ro-bind", source, target)),
            *("--bind", str(self.autograder), AUTOGRADER),
            *(
                *processes,
                "--dev",
                "/dev",
                "--dir",
                "/mnt",
                "--perms",
                "1777",
                "--tmpfs",
                "/tmp",
                "--chdir",
                "/",
            ),
            *("--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin"),
        ]


def _interpreter() -> Path:
    base = Path(sys.base_prefix).resolve() / "bin"
    return (base / f"python{sys.version_info.major}.{sys.version_info.minor}").resolve()
