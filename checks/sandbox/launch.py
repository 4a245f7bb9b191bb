"""Starting a zygote: the command line of bubblewrap, as an ordinary user or as root that drops its rights."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from checks.curriculum import ROOT
from checks.sandbox import drop, packages

APP, SITE = "/app", "/site"
# All that is shown of the project: the boundary, this package, and what is given to every learner.
SHOWN = (
    "checks/__init__.py",
    "checks/curriculum.py",
    "checks/subject",
    "checks/sandbox",
    "lessons/__init__.py",
    "lessons/given",
)
SYSTEM = ("/usr/lib", "/usr/lib64")
# How many processors there are: torch wants to know before it makes a half-precision number.
PROCESSORS = tuple(f"/sys/devices/system/cpu/{name}" for name in ("kernel_max", "possible", "present"))
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "HOME": "/tmp",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
PYTHON_FLAGS = ("-s", "-S", "-P", "-B")


class Refused(RuntimeError):
    """There is no safe place for judged code on this machine. Never the submission's fault."""

    for_the_user = True  # the command line shows its message and no traceback


def start(level: str, kind: str, hash_seed: int) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A zygote's process and the host's end of its control socket, before it has said "ready"."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        try:
            command, environment = (_wrapped if level == "bwrap" else _plain)(
                kind, theirs.fileno(), hash_seed
            )
            process = subprocess.Popen(
                command,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                cwd="/",
            )
        except BaseException:
            ours.close()
            raise
    return process, ours


def _boot(app: str, level: str, kind: str, descriptor: int, site: str) -> list[str]:
    return [*PYTHON_FLAGS, f"{app}/checks/sandbox/boot.py", level, kind, str(descriptor), app, site]


def _plain(kind: str, descriptor: int, hash_seed: int) -> tuple[list[str], dict[str, str]]:
    """Without namespaces: the zygote stays root, every worker becomes a user of its own."""
    if os.geteuid() != 0:
        raise Refused("the level uid needs root: it gives every worker a user of its own")
    site = str(next(iter(packages.visible().values())).parent)
    environment = {**ENVIRONMENT, "PYTHONHASHSEED": str(hash_seed)}
    return [_interpreter(), *_boot(_copied(), "uid", kind, descriptor, site)], environment


def _copied() -> str:
    """A copy of what is shown of the project that everybody may read; the zygote removes it at its end."""
    app = Path(tempfile.mkdtemp(prefix="litebert-app-"))
    for name in SHOWN:
        source, target = ROOT / name, app / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    for path in (app, *app.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return str(app)


def _wrapped(kind: str, descriptor: int, hash_seed: int) -> tuple[list[str], dict[str, str] | None]:
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise Refused("bubblewrap is not installed (on Debian and Ubuntu: apt-get install bubblewrap)")
    shown = _shown()
    root = os.geteuid() == 0
    sources = [drop.staged(number) for number in range(len(shown))] if root else [s for s, _ in shown]
    binds = [
        part
        for source, (_, target) in zip(sources, shown, strict=True)
        for part in ("--ro-bind", source, target)
    ]
    command = [
        *(
            bubblewrap,
            "--unshare-all",
            "--unshare-user",
            "--new-session",
            "--clearenv",
            "--hostname",
            "check",
        ),
        *("--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"),
        *binds,
        *(part for path in _covered(shown) for part in ("--tmpfs", path)),
        *_links(),
        *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"),
        *(part for path in ("/dev", "/proc", "/") for part in ("--remount-ro", path)),
        *(part for name, value in ENVIRONMENT.items() for part in ("--setenv", name, value)),
        *("--setenv", "PYTHONHASHSEED", str(hash_seed), "--chdir", "/"),
        *(_interpreter(), *_boot(APP, "bwrap", kind, descriptor, SITE)),
    ]
    if not root:
        return command, None
    plan = json.dumps({"sources": [source for source, _ in shown], "command": command})
    return [sys.executable, "-P", "-m", "checks.sandbox.drop", plan], {**os.environ, "PYTHONPATH": str(ROOT)}


def _shown() -> list[tuple[str, str]]:
    """What is bound, and where: the system's libraries, the interpreter, packages, the runtime."""
    pairs = [(path, path) for path in SYSTEM if Path(path).is_dir() and not Path(path).is_symlink()]
    prefix = Path(sys.base_prefix).resolve()
    if prefix == Path("/usr"):
        pairs.append((_interpreter(), _interpreter()))
    else:
        pairs.append((str(prefix), str(prefix)))
    pairs += [(path, path) for path in PROCESSORS if Path(path).is_file()]
    pairs += [(str(path), f"{SITE}/{name}") for name, path in packages.visible().items()]
    return pairs + [(str(ROOT / path), f"{APP}/{path}") for path in SHOWN]


def _covered(shown: list[tuple[str, str]]) -> list[str]:
    """Folders of installed packages that would show below what is bound."""
    targets = [Path(target) for _, target in shown if not target.startswith((SITE, APP))]
    return [str(path) for path in packages.hidden() if any(target in path.parents for target in targets)]


def _links() -> list[str]:
    """/lib and /lib64 as this system has them."""
    links = [(os.readlink(path), path) for path in ("/lib", "/lib64") if Path(path).is_symlink()]
    return [part for target, path in links for part in ("--symlink", target, path)]


def _interpreter() -> str:
    base = (
        Path(sys.base_prefix).resolve() / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    )
    return str(base.resolve())
