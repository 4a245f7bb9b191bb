"""Run by real root only: become an ordinary user, then start bubblewrap.

An ordinary user cannot reach an interpreter below /root. So everything that will be shown is first bound to a
place that anybody can reach, in mounts that only this process and its children see.

Called as `drop.py PLAN`: JSON of {"sources": [...], "command": [...]}; a source is found by its number.
"""

import json
import os
import sys
from pathlib import Path

from checks.sandbox import kernel

NOBODY = 65534
MEETING_PLACE = "/mnt"


def staged(number: int) -> str:
    """Where the bind of this number can be found."""
    return f"{MEETING_PLACE}/{number}"


def main(plan: str) -> None:
    """Bind, drop, exec."""
    wanted = json.loads(plan)
    kernel.unshare(kernel.NEWNS)
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    held = [os.open(path, os.O_PATH) for path in wanted["sources"]]  # they may lie below the meeting place
    kernel.mount("tmpfs", MEETING_PLACE, "tmpfs", kernel.NO_SUID | kernel.NO_DEV, "mode=755")
    for number, (descriptor, path) in enumerate(zip(held, wanted["sources"], strict=True)):
        place = Path(staged(number))
        place.mkdir(0o755) if Path(path).is_dir() else place.touch(0o644)
        kernel.mount(f"/proc/self/fd/{descriptor}", str(place), None, kernel.BIND | kernel.RECURSIVE)
        os.close(descriptor)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.execv(wanted["command"][0], wanted["command"])


if __name__ == "__main__":
    main(sys.argv[1])
