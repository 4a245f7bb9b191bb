"""A batch: intake, canaries, every submission once, reports. Killed anywhere, it goes on where it was."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from checks.curriculum import LESSONS
from checks.grade import isolation
from checks.grade.canaries import PREFIX, canary_jobs, moved
from checks.grade.course import Course, load_course
from checks.grade.files import write_atomically
from checks.grade.hidden import hidden_digest
from checks.grade.intake import Submission, take_in
from checks.grade.job import Job, load_everything
from checks.grade.journal import Journal
from checks.grade.people import dated, load_times
from checks.grade.pool import Graded
from checks.grade.record import Record
from checks.grade.seeds import load_secret, submission_seed
from checks.grade.taken import keep, kept
from checks.grade.version import checks_digest

FORMAT = 1


class Pool(Protocol):
    """Whatever runs jobs: forks here, or a cluster."""

    def run(self, todo: Iterable[Job], tick: Callable[[list[str]], Any] = ...) -> Iterator[Graded]: ...


@dataclass(frozen=True)
class Setting:
    """What a batch is graded with; kept in `work/batch.json`, so that it can be graded again."""

    source: str
    course: str = ""
    hidden: str = ""
    level: str = "bwrap"

    def load_course(self) -> Course:
        """The instructor's settings."""
        return load_course(Path(self.course) if self.course else None)


class Canary(RuntimeError):
    """A submission with a known score got another one."""


class Batch:
    """One output folder. `work/` holds the journal, what was taken in, times and the secret."""

    def __init__(self, out: Path, setting: Setting) -> None:
        self.out = out
        self.work = out / "work"
        self.setting = setting
        self.course = setting.load_course()
        secret = load_secret(self.course.secret or self.work / "secret.txt")
        self._secret = secret
        self.header = {
            "format": FORMAT,
            "lessons": list(self.course.lessons),
            "level of isolation": setting.level,
            "set of hidden checks": hidden_digest(Path(setting.hidden) if setting.hidden else None),
            "set of checks": checks_digest(self.course.lessons),
            "secret": hashlib.sha256(b"shown " + secret).hexdigest()[:8],
        }

    @property
    def journal_path(self) -> Path:
        """Where results are kept as they come."""
        return self.work / "journal.jsonl"

    def submissions(self) -> list[Submission]:
        """What was handed in, with times where they are known; kept below `work/taken`."""
        every = tuple(lesson.module for lesson in LESSONS)
        source = Path(self.setting.source)
        found = dated(take_in(source, every), load_times(self.course.times, source))
        keep(self.work, found)
        write_atomically(self.work / "batch.json", json.dumps(vars(self.setting), indent=1) + "\n")
        return found

    def kept(self) -> list[Submission]:
        """What was handed in, from `work/taken`."""
        return kept(self.work)

    def job(self, submission: Submission) -> Job:
        """The job that grades a submission."""
        seed = submission_seed(self._secret, submission.digest)
        setting = self.setting
        lessons = self.course.lessons
        return Job(
            submission.key, submission.digest, submission.files, lessons, seed, setting.level, setting.hidden
        )

    def canaries(self) -> list[Job]:
        """Their jobs."""
        seed = submission_seed(self._secret, "canary")
        return canary_jobs(self.course.lessons, seed, self.setting.level, self.setting.hidden)

    def prepare(self) -> None:
        """Load what every fork shares."""
        load_everything(self.course.lessons, self.setting.hidden)
        isolation.prepare(self.setting.level, self.course.lessons)

    def run(
        self,
        submissions: list[Submission],
        pool: Pool,
        done: Callable[[Graded], Any],
        tick: Callable[[list[str]], Any],
    ) -> dict[str, Record]:
        """Records of all submissions, by key: from the journal where they are there.

        Raises:
            Canary: the grader cannot be trusted on this machine.
        """
        journal = Journal(self.journal_path, self.header)
        try:
            self._watch_canaries(pool, done, tick)
            todo = []
            for submission in submissions:
                known = journal.records.get(submission.key)
                if known is None or known.digest != submission.digest:
                    if submission.refused or not submission.files:
                        journal.append(_nothing(submission))
                    else:
                        todo.append(self.job(submission))
            with (self.work / "times.csv").open("a", encoding="utf-8") as times:
                for graded in pool.run(todo, tick):
                    journal.append(graded.record)
                    cells = (f"{name},{seconds:.3f}" for name, seconds in graded.times.lessons.items())
                    times.write(f"{graded.record.digest},{graded.cpu:.3f},{','.join(cells)}\n")
                    done(graded)
            return {s.key: journal.records[s.key] for s in submissions}
        finally:
            journal.close()

    def _watch_canaries(self, pool: Pool, done: Callable, tick: Callable) -> None:
        faults: list[str] = []
        for graded in pool.run(self.canaries(), tick):
            assert graded.record.key.startswith(PREFIX)
            faults += moved(graded.record, self.course.lessons, self.setting.hidden)
            done(graded)
        if faults:
            raise Canary("a canary moved, nothing is graded:\n  " + "\n  ".join(sorted(faults)))


def load_setting(out: Path) -> Setting:
    """What a batch in `out` was graded with."""
    path = out / "work" / "batch.json"
    if not path.is_file():
        raise ValueError(f"{out}: got no work/batch.json, expected a folder that `litebert grade --out` made")
    return Setting(**json.loads(path.read_text(encoding="utf-8")))


def _nothing(submission: Submission) -> Record:
    why = submission.refused or "no lesson module in it"
    return Record(submission.key, submission.digest, 0, failure=f"not graded: {why}")
