"""Inside Gradescope's container: one submission, one results.json.

    python -m checks.grade.gradescope SUBMISSION RESULTS --secret FILE [--config course.toml] [--sandbox LEVEL]

Without `--sandbox` it takes the strongest level that the container allows, and prints which that is. Where the
grader itself fails no file is written: Gradescope then says that the autograder failed, and nobody gets a zero
for it. Lateness is Gradescope's to judge.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from checks.grade import isolation
from checks.grade.isolation import CONFINED, UNSAFE
from checks.grade.seeds import use_the_graders_profile


def main() -> int:
    """Grade; 0 when results were written."""
    parser = argparse.ArgumentParser(prog="python -m checks.grade.gradescope")
    parser.add_argument("submission", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--secret", type=Path, required=True)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--sandbox", choices=CONFINED)
    parser.add_argument("--unsafe", action="store_true")
    asked = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    use_the_graders_profile()
    try:
        level = UNSAFE if asked.unsafe else asked.sandbox
        return grade(asked.submission, asked.results, asked.secret, asked.config, level)
    except (ValueError, RuntimeError) as error:
        print(f"the grader refuses: {error}", file=sys.stderr)
        return 2


def grade(submission: Path, results: Path, secret: Path, config: Path | None, level: str | None) -> int:
    """Take in, judge in a fork, write. Without a `level`: at the strongest that holds here."""
    from checks.curriculum import LESSONS
    from checks.grade.containers import Refused, folder_entries
    from checks.grade.course import load_course
    from checks.grade.intake import one_submission
    from checks.grade.job import Job, load_everything
    from checks.grade.people import Assigned, Student
    from checks.grade.pool import ForkPool
    from checks.grade.reports.tables import gradescope
    from checks.grade.results import grade_of
    from checks.grade.seeds import load_secret, submission_seed

    course = load_course(config)
    try:
        entries: list | str = folder_entries(submission)
    except Refused as error:
        entries = str(error)
    taken = one_submission("submission", entries, tuple(lesson.module for lesson in LESSONS))
    seed = submission_seed(load_secret(secret), taken.digest)
    assigned = Assigned(Student("submission", "submission"), taken, taken.notes)
    load_everything(course.lessons)
    if level:
        isolation.prepare(level, course.lessons)
    else:
        level = isolation.strongest(course.lessons)
    print(f"level of isolation: {level}")
    try:
        job = Job("submission", taken.digest, taken.files, course.lessons, seed, level)
        record = next(iter(ForkPool(1).run([job]))).record
    finally:
        isolation.release(level)
    if record.failure:
        raise RuntimeError(record.failure)
    answer = gradescope(grade_of(course, assigned, {"submission": record}), course.show_hidden)
    if taken.refused:
        answer["output"] = f"nothing was taken: {taken.refused}\n{answer['output']}"
    results.write_text(json.dumps(answer, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
