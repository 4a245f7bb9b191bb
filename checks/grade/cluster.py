"""Grading on a Dask cluster: jobs go out as plain data, records come back; a lost worker's jobs are sent again.

Each job runs in a process of its own on the worker's machine (`python -m checks.grade.one`), never in Dask's
worker, which would outlive what judged code does to it. The cluster's machines have the same project installed.
"""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from checks.grade.job import Job, Times
from checks.grade.pool import SECONDS_A_LESSON, Graded
from checks.grade.record import Record, from_plain

RETRIES = 5


class DaskPool:
    """Runs jobs on the cluster of the scheduler at `address`."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ValueError(
                "--dask needs the extra `distributed`: pip install -e '.[distributed]'"
            ) from None
        try:
            self.client = Client(address, timeout="20s")
        except OSError as error:
            raise ValueError(f"--dask {address}: no scheduler answers ({error})") from None

    def run(
        self, todo: Iterable[Job], tick: Callable[[list[str]], Any] = lambda keys: None
    ) -> Iterator[Graded]:
        """Results as they come."""
        from distributed import as_completed

        jobs = list(todo)
        if not jobs:
            return
        futures = {
            self.client.submit(grade_elsewhere, packed(job), pure=False, retries=RETRIES): job for job in jobs
        }
        for future in as_completed(futures):
            job = futures[future]
            error = future.exception()
            if error is not None:
                failure = f"the cluster could not grade it: {type(error).__name__}"
                yield Graded(Record(job.key, job.digest, job.seed, failure=failure), Times())
            else:
                answer = json.loads(future.result())
                yield Graded(from_plain(answer["record"]), Times(answer["times"]), answer["cpu"])
            tick([])

    def close(self) -> None:
        """Leave the cluster."""
        self.client.close()


def grade_elsewhere(job: str) -> str:
    """Runs on a worker: one fresh process, one job."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    limit = SECONDS_A_LESSON * len(json.loads(job)["lessons"])
    command = [sys.executable, "-m", "checks.grade.one"]
    done = subprocess.run(command, input=job, capture_output=True, text=True, env=environment, timeout=limit)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-500:])
    return done.stdout


def packed(job: Job) -> str:
    """A job as text."""
    files = {name: base64.b85encode(text).decode() for name, text in job.files.items()}
    return json.dumps({**vars(job), "files": files, "lessons": list(job.lessons)})


def unpacked(text: str) -> Job:
    """The job from what `packed` gave."""
    data = json.loads(text)
    files = {name: base64.b85decode(body) for name, body in data["files"].items()}
    return Job(**{**data, "files": files, "lessons": tuple(data["lessons"])})
