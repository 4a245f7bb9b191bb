"""One job from standard input, its record on standard output: for machines of a cluster."""

import os
import sys

from checks.grade.cluster import unpacked
from checks.grade.pool import ForkPool
from checks.grade.record import dumps, to_plain
from checks.grade.seeds import use_the_graders_profile


def main() -> None:
    """Grade in a fork, as on one machine: judged code never writes to our standard output."""
    os.environ["OMP_NUM_THREADS"] = "1"
    use_the_graders_profile()
    from checks.grade import isolation
    from checks.grade.job import load_everything

    job = unpacked(sys.stdin.read())
    load_everything(job.lessons, job.hidden)
    isolation.prepare(job.level, job.lessons)
    try:
        for graded in ForkPool(1).run([job]):
            answer = {"record": to_plain(graded.record), "times": graded.times.lessons, "cpu": graded.cpu}
            sys.stdout.write(dumps(answer))
    finally:
        isolation.release(job.level)


if __name__ == "__main__":
    main()
