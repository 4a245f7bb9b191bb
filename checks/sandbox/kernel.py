"""The few Linux calls that Python does not offer. Everything else in this package goes through them."""

import ctypes
import os

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x00020000,
    0x02000000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
_SET_SECCOMP, _CAPABILITY_DROP, _NO_NEW_PRIVILEGES, _AMBIENT = 22, 24, 38, 47
_FILTER_MODE, _CLEAR_ALL = 2, 4
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Leave the shared namespaces named by `flags`."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """mount(2)."""
    result = _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    _check(result, f"mount {kind or 'bind'} on {target}")


def drop_capabilities() -> None:
    """No capability now, none to be had by an exec later."""
    for number in range(64):
        if _libc.prctl(_CAPABILITY_DROP, number, 0, 0, 0) == -1:
            break  # past the kernel's last one, or not ours to drop: the sets below count
    _libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def no_new_privileges() -> None:
    """From here on no exec raises a right."""
    _check(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")


def install_filter(program: bytes) -> None:
    """Install a seccomp filter: 8 bytes an instruction."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    packed = Program(len(program) // 8, program)
    _check(_libc.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(packed), 0, 0), "seccomp")


def _check(result: int, what: str) -> None:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
