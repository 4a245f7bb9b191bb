"""The class's page: how points are spread, which checks fail, which mistakes are made, which checks tell nothing."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from checks.curriculum import BY_NAME
from checks.grade.reports.html import Html, el, page, prose, table
from checks.grade.reports.insight import CheckFigures, Insight, insight, troubled
from checks.grade.reports.names import file_name
from checks.grade.reports.pictures import colour, grid, histogram, rows_of_bars
from checks.grade.results import Grade, Results

MOST_IN_THE_GRID = 60
MOST_MISTAKES = 8


def class_page(results: Results) -> Html:
    """The whole page."""
    figures = insight(results)
    return page(
        f"{results.course.name}: the class",
        el("h1", results.course.name),
        el("p", "What the class can do, and which mistakes it makes.", class_="soft"),
        _cards(results),
        el("h2", "How the points are spread"),
        histogram([grade.percent for grade in results.graded], "Number of learners by percent of all points"),
        el("h2", "Lessons"),
        el(
            "p",
            "Mean points of those who are graded, bonus points and lateness included.",
            class_="soft small",
        ),
        _lessons(results),
        el("h2", "Mistakes by lesson"),
        _mistakes(figures),
        el("h2", "Checks that fail most"),
        _failing(figures),
        el("h2", "Crashes and time-outs"),
        _troubles(results, figures),
        el("h2", "Checks that tell nobody apart"),
        _flat(figures),
        el("h2", "Learners"),
        _grid(results),
        _learners(results),
        _unknown(results),
        el("h2", "Every check"),
        _every(figures),
    )


def _cards(results: Results) -> Html:
    percents = [grade.percent for grade in results.graded]
    none = sum(grade.state == "no submission" for grade in results.grades)
    cards = [
        (str(len(percents)), "graded"),
        (f"{median(percents):.1f} %" if percents else "-", "median"),
        (str(none), "without a submission"),
        (str(sum(grade.state == "not graded" for grade in results.grades)), "not graded"),
        (
            str(sum(troubled(grade.record) for grade in results.graded if grade.record)),
            "with a crash or time-out",
        ),
    ]
    return el(
        "div", [el("div", el("b", value), told, class_="card") for value, told in cards], class_="cards"
    )


def _lessons(results: Results) -> Html:
    rows = []
    for name in results.course.lessons:
        shares = [
            lesson.points / lesson.weight
            for grade in results.graded
            for lesson in grade.lessons
            if lesson.lesson == name and lesson.weight
        ]
        mean = sum(shares) / len(shares) if shares else 0.0
        rows.append(
            (f"{BY_NAME[name].number} {BY_NAME[name].title}", mean, f"{100 * mean:.0f} % mean", colour(mean))
        )
    return rows_of_bars(rows, "Mean points of each lesson: " + ", ".join(f"{r[0]} {r[2]}" for r in rows))


def _mistakes(figures: Insight) -> list[Html]:
    blocks = []
    for lesson, counts in figures.mistakes.items():
        common = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_MISTAKES]
        if not common:
            continue
        most = common[0][1]
        rows = [
            (mistake.partition(".")[2] or mistake, n / most, str(n), "f-bad") for (mistake, _), n in common
        ]
        told = el(
            "ul", [el("li", el("b", str(n)), " ", prose(says)) for (_, says), n in common], class_="small"
        )
        title = el("h3", f"{BY_NAME[lesson].number} {BY_NAME[lesson].title}")
        picture = rows_of_bars(rows, f"Learners by mistake in {lesson}")
        blocks.append(el("section", title, picture, told, class_="lesson"))
    return blocks or [el("p", "No check could name a mistake.", class_="soft")]


def _failing(figures: Insight) -> Html:
    hard = sorted((f for f in figures.checks if f.passed < f.tried), key=lambda f: (f.share, f.check.name))[
        :15
    ]
    if not hard:
        return el("p", "No check failed.", class_="soft")
    rows = [[*_name_row(f), f"{f.passed} of {f.tried}"] for f in hard]
    bars = rows_of_bars(
        [
            (f"{f.lesson}: {f.check.exercise}", f.share, f"{100 * f.share:.0f} % pass", colour(f.share))
            for f in hard
        ],
        "The checks with the smallest share of learners who pass",
    )
    return el("div", bars, table(["lesson", "exercise", "check", "passed"], rows))


def _troubles(results: Results, figures: Insight) -> Html:
    who = [grade for grade in results.graded if grade.record and troubled(grade.record)]
    bad = [f for f in figures.checks if f.crashes or f.time_outs]
    if not bad:
        return el("p", "None.", class_="soft")
    rows = [[*_name_row(f), f.crashes, f.time_outs] for f in bad]
    names = el("p", "In the submissions of ", ", ".join(_name(grade) for grade in who), ".", class_="small")
    return el("div", table(["lesson", "exercise", "check", "crashes", "time-outs"], rows), names)


def _flat(figures: Insight) -> Html:
    rows = [[*_name_row(f), reason] for f, reason in figures.flat()]
    if not rows:
        return el("p", "None.", class_="soft")
    told = el("summary", f"{len(rows)} checks")
    return el("details", told, table(["lesson", "exercise", "check", "why"], rows))


def _every(figures: Insight) -> Html:
    rows = [
        [
            *_name_row(f),
            f"{f.check.points:g}",
            f"{f.passed} of {f.tried}",
            "-" if f.correlation is None else f"{f.correlation:.2f}",
        ]
        for f in figures.checks
    ]
    heads = ["lesson", "exercise", "check", "points", "passed", "goes with the other points (r)"]
    return el("details", el("summary", f"{len(rows)} checks"), table(heads, rows))


def _name_row(figures: CheckFigures) -> list[Any]:
    hidden = " (unpublished)" if figures.check.hidden else ""
    return [figures.lesson, figures.check.exercise, prose(figures.check.claim + hidden)]


def _grid(results: Results) -> Html:
    columns = [BY_NAME[name].title for name in results.course.lessons]
    chosen = sorted(results.graded, key=lambda grade: (-grade.percent, _name(grade)))[:MOST_IN_THE_GRID]
    rows: list[tuple[str, Sequence[float | None]]] = [
        (_name(grade), [lesson.points / lesson.weight if lesson.weight else None for lesson in grade.lessons])
        for grade in chosen
    ]
    more = len(results.graded) - len(chosen)
    told = (
        el("p", f"The {len(chosen)} with the most points; {more} more below.", class_="soft")
        if more
        else None
    )
    return el("div", told, grid(rows, columns, "Share of the points of each learner in each lesson"))


def _learners(results: Results) -> Html:
    rows = []
    for grade in results.grades:
        link = el("a", _name(grade), href=f"learners/{file_name(grade.assigned.student.id)}.html")
        figures = [f"{grade.total:g}", f"{grade.percent:g} %", grade.state, "; ".join(grade.notes)]
        rows.append([link, *figures])
    return table(["learner", "points", "percent", "state", "notes"], rows)


def _unknown(results: Results) -> Html | None:
    if not results.unknown:
        return None
    told = "Submissions that the roster does not know: " + ", ".join(results.unknown)
    return el("p", told, class_="wrong")


def _name(grade: Grade) -> str:
    return grade.assigned.student.name or grade.assigned.student.id
