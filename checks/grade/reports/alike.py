"""The page of suspiciously alike pairs."""

import csv
import io

from checks.curriculum import BY_NAME
from checks.grade.reports.html import Html, el, page, table
from checks.grade.reports.pictures import histogram, rows_of_bars
from checks.grade.similarity import FEWEST_SHARED, LEAST_SHARE, Pair, honest_shares

MOST_PAIRS, MOST_PLACES = 40, 12


def alike_page(pairs: list[Pair], lessons: tuple[str, ...]) -> Html:
    """Pairs, the most alike first, beside how alike honest solutions are."""
    marked = [pair for pair in pairs if pair.suspicious]
    measured = [pair for pair in pairs if pair.smaller >= FEWEST_SHARED]
    told = (
        "What two submissions share beyond stub, reference and known right solutions, as part of the smaller one. "
        f"Marked: at least {FEWEST_SHARED} fingerprints and {100 * LEAST_SHARE:.0f} %. "
        "A marked pair is a reason to look at both, never a proof."
    )
    return page(
        "Alike submissions",
        el("h1", "Alike submissions"),
        el("p", told),
        el("h2", f"{len(marked)} marked pairs"),
        [_pair(pair) for pair in marked[:MOST_PAIRS]] or el("p", "None.", class_="soft"),
        el("h2", "All pairs of the class that share anything"),
        histogram([100 * pair.share for pair in measured], "Pairs by percent shared"),
        el("h2", "How alike independent right solutions are"),
        _honest(lessons),
    )


def _pair(pair: Pair) -> Html:
    places = [[lesson, one, other] for lesson, one, other in pair.places[:MOST_PLACES]]
    more = len(pair.places) - len(places)
    head = el(
        "header",
        el("h3", f"{pair.one} and {pair.other}"),
        el("span", f"{100 * pair.share:.0f} %", class_="points"),
    )
    shared = el(
        "p",
        f"{pair.shared} of {pair.smaller} fingerprints",
        f", {more} more places" if more else "",
        class_="soft",
    )
    return el(
        "section", head, shared, table(["lesson", "line", "line of the other"], places), class_="lesson"
    )


def _honest(lessons: tuple[str, ...]) -> Html:
    rows = []
    for lesson in lessons:
        shares = honest_shares(lesson)
        if shares:
            highest = shares[-1]
            name = f"{BY_NAME[lesson].number} {BY_NAME[lesson].title}"
            rows.append((name, highest, f"{100 * highest:.0f} % at most", "f-accent"))
    return (
        rows_of_bars(rows, "Largest share between two right variants") if rows else el("p", "Not measured.")
    )


def alike_csv(pairs: list[Pair]) -> str:
    """Every pair that shares anything."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(["one", "other", "shared", "of", "share", "marked"])
    for pair in pairs:
        row = [pair.one, pair.other, pair.shared, pair.smaller, f"{pair.share:.3f}"]
        writer.writerow([*row, "yes" if pair.suspicious else ""])
    return target.getvalue()
