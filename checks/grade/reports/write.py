"""All files of a batch. Equal results give equal bytes."""

import json
from pathlib import Path

from checks.grade.files import write_atomically
from checks.grade.record import to_plain
from checks.grade.reports.classroom import class_page
from checks.grade.reports.learner import learner_page
from checks.grade.reports.names import file_name
from checks.grade.reports.tables import gradebook, gradescope
from checks.grade.results import Results


def write_reports(results: Results, out: Path) -> None:
    """gradebook.csv, class.html, results.json, and a page and a Gradescope file a learner."""
    for grade in results.grades:
        name = file_name(grade.assigned.student.id)
        write_atomically(out / "learners" / f"{name}.html", learner_page(results, grade))
        answer = gradescope(grade, results.course.show_hidden)
        text = json.dumps(answer, ensure_ascii=False, indent=1) + "\n"
        write_atomically(out / "gradescope" / f"{name}.json", text)
    write_atomically(out / "class.html", class_page(results))
    write_atomically(out / "gradebook.csv", gradebook(results))
    plain = [
        {"student": grade.assigned.student.id, "total": grade.total, "record": to_plain(grade.record)}
        for grade in results.grades
        if grade.record
    ]
    write_atomically(out / "results.json", json.dumps(plain, ensure_ascii=False, indent=1) + "\n")
