"""The filter of system calls that a worker lives under, written instruction by instruction.

A filter is a small program over one call: its number, the machine's kind and its arguments. Threads are
allowed, processes are not; whatever reaches kernel memory that no limit counts is not.
"""

import errno
import platform
import struct

from checks.sandbox import calls

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16
ALLOW, KILL = 0x7FFF0000, 0x80000000
X32 = 0x40000000
THREAD, NAMESPACES = 0x00010000, 0x7E020000
TERMINAL_INPUT, TERMINAL_CONSOLE = 0x5412, 0x541C


class UnknownMachine(RuntimeError):
    """There are no call numbers for this kind of machine."""


def program(machine: str | None = None) -> bytes:
    """The filter for this machine (x86_64 or aarch64)."""
    machine = machine or platform.machine()
    if machine not in calls.MACHINES:
        raise UnknownMachine(f"no system call numbers for {machine}: x86_64 and aarch64 are known")
    numbers = calls.OTHERS[machine]
    lines = [_op(LOAD, MACHINE_AT), _op(EQUAL, calls.MACHINES[machine], 1, 0), _op(RETURN, KILL)]
    lines += [_op(LOAD, NUMBER_AT)]
    if machine == "x86_64":
        lines += [_op(AT_LEAST, X32, 0, 1), _refuse(errno.ENOSYS)]
    for number in calls.denied(machine).values():
        lines += _if_number(number, [_refuse(errno.EPERM)])
    for name in (calls.FORK, calls.VFORK):
        if name in numbers:
            lines += _if_number(numbers[name], [_refuse(errno.EAGAIN)])
    # The C library falls back to clone, whose flags a filter can read.
    lines += _if_number(numbers[calls.CLONE3], [_refuse(errno.ENOSYS)])
    lines += _if_number(numbers[calls.CLONE], _threads_only())
    lines += _if_number(numbers[calls.IOCTL], _no_terminal())
    return b"".join([*lines, _op(RETURN, ALLOW)])


def _threads_only() -> list[bytes]:
    return [
        _op(LOAD, ARGUMENTS_AT),
        _op(ANY_BIT, THREAD, 1, 0),
        _refuse(errno.EAGAIN),
        _op(ANY_BIT, NAMESPACES, 0, 1),
        _refuse(errno.EPERM),
        _op(RETURN, ALLOW),
    ]


def _no_terminal() -> list[bytes]:
    return [
        _op(LOAD, ARGUMENTS_AT + 8),
        _op(EQUAL, TERMINAL_INPUT, 1, 0),
        _op(EQUAL, TERMINAL_CONSOLE, 0, 1),
        _refuse(errno.EPERM),
        _op(RETURN, ALLOW),
    ]


def _if_number(number: int, then: list[bytes]) -> list[bytes]:
    return [_op(EQUAL, number, 0, len(then)), *then]


def _refuse(number: int) -> bytes:
    return _op(RETURN, 0x00050000 | number)


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
