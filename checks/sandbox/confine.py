"""How a fresh fork gives up everything it does not need, step by step, before it sees a line of judged code."""

import os
import resource
from pathlib import Path

from checks.sandbox import kernel, seccomp
from checks.sandbox.limits import Limits

OWN_FILES, OWN_PROCESSES = "/tmp", "/proc"
PROC_FLAGS = kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_DEV | kernel.NO_EXEC
FIRST_USER, USERS = 50_000, 10_000


def leave_shared_namespaces() -> None:
    """Own mounts, IPC, network and host name; the next fork is process 1 of its own process namespace."""
    kernel.unshare(kernel.NEWPID | kernel.NEWNS | kernel.NEWIPC | kernel.NEWNET | kernel.NEWUTS)


def own_mounts(limits: Limits) -> None:
    """A private, bounded /tmp and a /proc that shows this process only; nothing else is writable."""
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    size = f"size={limits.disk},nr_inodes=2048,mode=700"
    kernel.mount("tmpfs", OWN_FILES, "tmpfs", kernel.NO_SUID | kernel.NO_DEV, size)
    try:
        kernel.mount("proc", OWN_PROCESSES, "proc", PROC_FLAGS, "subset=pid")
    except OSError:  # before Linux 5.8
        kernel.mount("proc", OWN_PROCESSES, "proc", PROC_FLAGS)
    kernel.unshare(kernel.NEWUSER)


def become_other_user(folder: Path, number: int) -> None:
    """A user of its own that owns `folder` and nothing else (needs root)."""
    user = FIRST_USER + number % USERS
    os.chown(folder, user, user)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def keep_only(descriptors: tuple[int, ...]) -> None:
    """Close every other descriptor; standard input and output lead nowhere."""
    os.setsid()
    nowhere = os.open("/dev/null", os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    kept = sorted({0, 1, 2, *descriptors})
    for low, high in zip(kept, [*kept[1:], 4096], strict=True):
        os.closerange(low + 1, high)


def seal(limits: Limits) -> None:
    """Limits, no capability, no way to get one, and the filter of system calls. There is no way back."""
    kernel.drop_capabilities()
    cpu = int(limits.lesson_cpu) + 5
    for kind, bound in (
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.threads),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 64),
    ):
        resource.setrlimit(kind, (bound, bound))
    kernel.no_new_privileges()
    kernel.install_filter(seccomp.program())
