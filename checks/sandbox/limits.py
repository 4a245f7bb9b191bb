"""What a worker may use up, and for how long a call may take."""

from dataclasses import asdict, dataclass
from typing import Any

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Bounds on one worker and on all workers of one lesson of one submission.

    Args:
        call_cpu: seconds of processor time for one call.
        call_wall: how many times that a call may take on the clock.
        lesson_cpu: seconds of processor time for all calls of a lesson.
        lesson_wall: seconds on the clock for them.
        memory: bytes of address space (a worker starts with some 0.7 GB of it once torch is loaded).
        disk: bytes in the private /tmp, the worker's only writable place.
        file_size: bytes of one file.
        open_files: file descriptors.
        threads: threads; other processes cannot be started at all.
        source: bytes of one lesson's file.
    """

    call_cpu: float = 10.0
    call_wall: float = 2.5
    lesson_cpu: float = 60.0
    lesson_wall: float = 90.0
    memory: int = 2048 * MIB
    disk: int = 16 * MIB
    file_size: int = 8 * MIB
    open_files: int = 64
    threads: int = 32
    source: int = 512 * 1024

    def plain(self) -> dict[str, Any]:
        """As plain data, to be sent to a zygote."""
        return asdict(self)
