"""Grading a batch again: to verify that it comes out the same, or after a check was mended."""

import csv
import io
from pathlib import Path

from checks.grade.batch import Batch, load_setting
from checks.grade.files import write_atomically
from checks.grade.journal import read_journal
from checks.grade.record import Record

HEADS = ("student", "lesson", "before", "after", "checks that changed")


def differences(before: Record, after: Record) -> list[tuple[str, ...]]:
    """(lesson, points before, points after, checks) for each lesson whose record changed in points or states."""
    rows: list[tuple[str, ...]] = []
    if before.failure != after.failure:
        rows.append(("all", before.failure or "graded", after.failure or "graded", ""))
    lessons = dict.fromkeys(lesson.lesson for record in (before, after) for lesson in record.lessons)
    for name in lessons:
        old, new = before.lesson(name), after.lesson(name)
        states_old = {check.name: check.state for check in old.checks} if old else {}
        states_new = {check.name: check.state for check in new.checks} if new else {}
        changed = [
            check
            for check in dict.fromkeys([*states_old, *states_new])
            if states_old.get(check) != states_new.get(check)
        ]
        points = [f"{lesson.points + lesson.bonus:g}" if lesson else "-" for lesson in (old, new)]
        if changed or points[0] != points[1]:
            rows.append((name, *points, " ".join(changed)))
    return rows


def verify(batch: Batch, pool: object, done: object, tick: object, keys: tuple[str, ...] = ()) -> list[str]:
    """Grade again with the seeds of the journal; in words where a record comes out differently."""
    header, records = read_journal(batch.journal_path)
    changed = [key for key in batch.header if header.get(key) != batch.header[key]]
    if changed:
        raise ValueError(f"the batch was graded with another {', '.join(changed)}: nothing to verify against")
    submissions = [s for s in batch.kept() if s.files and (not keys or s.key in keys)]
    unknown = set(keys) - {s.key for s in submissions}
    if unknown:
        raise ValueError(f"got {', '.join(sorted(unknown))}, expected keys as in the gradebook")
    faults = []
    for graded in pool.run([batch.job(s) for s in submissions], tick):  # type: ignore[attr-defined]
        key = graded.record.key
        if key not in records:
            faults.append(f"{key}: it is not in the journal yet")
        elif graded.record != records[key]:
            told = differences(records[key], graded.record)
            faults += [f"{key}: {name}: {old} -> {new} {checks}" for name, old, new, checks in told] or [
                f"{key}: equal points, but another message"
            ]
        done(graded)  # type: ignore[operator]
    return faults


def put_aside(batch: Batch) -> Path:
    """Move the journal out of the way; the path of the one to compare with.

    A regrading that was killed goes on: its journal carries today's header, and an older one lies beside it.
    """
    older = sorted(batch.work.glob("journal-*.jsonl"), key=lambda path: int(path.stem.partition("-")[2]))
    if batch.journal_path.exists():
        header, records = read_journal(batch.journal_path)
        same = all(header.get(key) == value for key, value in batch.header.items())
        finished = {s.key for s in batch.kept()} <= set(records)
        if same and older and not finished:
            return older[-1]
        target = batch.work / f"journal-{len(older) + 1}.jsonl"
        batch.journal_path.rename(target)
        return target
    if not older:
        raise ValueError(f"{batch.out}: there is no journal: grade it first")
    return older[-1]


def write_changes(batch: Batch, before: dict[str, Record], after: dict[str, Record]) -> list[list[str]]:
    """`changes.csv`: a row for each lesson of each submission that changed."""
    rows = [
        [key, *row]
        for key in sorted({*before, *after})
        if key in before and key in after
        for row in differences(before[key], after[key])
    ]
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([HEADS, *rows])
    write_atomically(batch.out / "changes.csv", target.getvalue())
    return rows


__all__ = ["differences", "load_setting", "put_aside", "verify", "write_changes"]
