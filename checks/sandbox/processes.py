"""Processes seen from the host, by /proc: their descendants and their processor time."""

import os
from pathlib import Path

CLOCK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(process: int) -> float:
    """Processor time of a process so far; 0 where it is gone."""
    fields = _fields(process)
    return (int(fields[11]) + int(fields[12])) / CLOCK if fields else 0.0


def descendants(process: int) -> frozenset[int]:
    """Every process that descends from this one."""
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    parents = {number: int(fields[1]) for number in numbers if (fields := _fields(number))}
    found: set[int] = set()
    front = {process}
    while front:
        front = {child for child, parent in parents.items() if parent in front}
        found |= front
    return frozenset(found)


def _fields(process: int) -> list[str]:
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
