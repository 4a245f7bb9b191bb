"""A learner's page: points by lesson, what failed, the mistake it looks like, the smallest case, what to read."""

from checks.curriculum import BY_NAME
from checks.grade.record import CheckRecord, LessonRecord
from checks.grade.reports.html import Html, el, page, prose
from checks.grade.reports.pictures import colour, rows_of_bars
from checks.grade.results import Grade, LessonGrade, Results

MOST_IN_FULL = 6


def learner_page(results: Results, grade: Grade) -> Html:
    """The whole page."""
    student = grade.assigned.student
    name = student.name or student.id
    return page(
        f"{name}: {results.course.name}",
        el("p", results.course.name, class_="soft"),
        el("h1", name),
        _summary(grade),
        _notes(grade),
        el("h2", "Points by lesson"),
        _bars(grade),
        el("h2", "What to mend"),
        [_lesson(lesson, results.course.show_hidden) for lesson in grade.lessons if lesson.record],
        _appeals(grade),
    )


def _summary(grade: Grade) -> Html:
    checks = [check for lesson in grade.lessons if lesson.record for check in lesson.record.checks]
    done = sum(check.state == "done" for check in checks)
    cards = [(f"{grade.total:g} of {grade.possible:g}", "points"), (f"{grade.percent:g} %", "of all points")]
    cards.append((f"{done} of {len(checks)}", "checks passed"))
    return el(
        "div", [el("div", el("b", value), told, class_="card") for value, told in cards], class_="cards"
    )


def _notes(grade: Grade) -> Html | None:
    late = [f"{lesson.title}: {lesson.off:g} % off, late" for lesson in grade.lessons if lesson.off]
    notes = [*grade.notes, *late]
    return el("ul", [el("li", note) for note in notes]) if notes else None


def _bars(grade: Grade) -> Html:
    rows = []
    for lesson in grade.lessons:
        share = lesson.points / lesson.weight if lesson.weight else 0.0
        number = BY_NAME[lesson.lesson].number
        rows.append(
            (f"{number} {lesson.title}", share, f"{lesson.points:g} of {lesson.weight:g}", colour(share))
        )
    return rows_of_bars(rows, "Points of each lesson: " + ", ".join(f"{r[0]} {r[2]}" for r in rows))


def _lesson(grade: LessonGrade, show_hidden: bool) -> Html:
    record = grade.record
    assert record is not None
    failed = [check for check in record.checks if check.state != "done"]
    head = el(
        "header",
        el("h3", f"{BY_NAME[record.lesson].number} {grade.title}"),
        state_badge(record.state),
        el("span", f"{grade.points:g} of {grade.weight:g} points", class_="points"),
    )
    return el("section", head, _failed(record, failed, show_hidden), class_="lesson", id_=record.lesson)


def _failed(record: LessonRecord, failed: list[CheckRecord], show_hidden: bool) -> list[Html]:
    if not failed:
        return [el("p", "Every check passed.", class_="soft")]
    if all(check.state == "to do" for check in record.checks):
        return [el("p", record.checks[0].lines[-1] if record.checks[0].lines else "to do", class_="soft")]
    wrong = [check for check in failed if check.state == "wrong"]
    others = [check for check in failed if check.state != "wrong"]
    blocks = [check_block(check, record.page, show_hidden) for check in wrong[:MOST_IN_FULL]]
    rest = [el("li", prose(_one_line(check, show_hidden))) for check in wrong[MOST_IN_FULL:] + others]
    if rest:
        blocks.append(el("details", el("summary", f"{len(rest)} more"), el("ul", rest)))
    return blocks


def check_block(check: CheckRecord, lesson_page: str, show_hidden: bool) -> Html:
    """A failed check in full."""
    if check.hidden and not show_hidden:
        return el("div", el("p", _one_line(check, False)), class_="check")
    place = el("span", f" in {check.where}", class_="soft") if check.where else None
    mistake = None
    if check.says:
        said = el("p", el("strong", "Likely: "), prose(f"this is what you get when {check.says}."))
        mistake = el("div", said, el("p", prose(check.hint)), class_="mistake")
    lines = [line for line in check.lines if not line.startswith(("likely ", "hint ", "read "))]
    return el(
        "div",
        el("p", el("strong", check.exercise), ": ", prose(check.claim), f" ({check.points:g} points)", place),
        mistake,
        el("pre", "\n".join(lines)) if lines else None,
        el("p", f"Read {lesson_page}", class_="soft small"),
        class_="check",
    )


def _one_line(check: CheckRecord, show_hidden: bool) -> str:
    if check.hidden and not show_hidden:
        return f"{check.exercise}: an unpublished check ({check.points:g} points): {check.state}"
    reason = f" ({check.says})" if check.says else f" ({check.lines[-1]})" if check.lines else ""
    return f"{check.exercise}: {check.claim} {check.state}{reason if check.state != 'to do' else ''}"


def state_badge(state: str) -> Html:
    """A state in words and colour."""
    return el("span", state, class_=f"state {state.replace(' ', '')}")


def _appeals(grade: Grade) -> Html | None:
    if grade.record is None or not grade.record.seed:
        return None
    told = f"Submission {grade.record.digest}, seed {grade.record.seed}."
    return el(
        "div",
        el("h2", "For an appeal"),
        el("p", told, " The same files with the same seed give the same grade.", class_="small soft"),
    )
