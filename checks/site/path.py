"""The path through the lessons, as a table made from the curriculum."""

import re
from pathlib import Path

from checks.curriculum import BY_NAME, LESSONS, Lesson
from checks.site.nav import DOCS

LESSON_ROLE = re.compile(r"\{\{ lesson (\w+) \}\}")


def page_link(lesson: Lesson, start: str = "index.md", docs: Path = DOCS) -> str:
    """The lesson's title, linked from the page `start` when the lesson's page exists."""
    page = Path(lesson.page).relative_to("docs")
    up = "../" * start.count("/")
    return f"[{lesson.title}]({up}{page.as_posix()})" if (docs / page).exists() else lesson.title


def link_lessons(markdown: str, start: str, docs: Path = DOCS) -> str:
    """Every `{{ lesson NAME }}` as "lesson 5", linked when that page exists."""

    def link(role: re.Match[str]) -> str:
        if role[1] not in BY_NAME:
            raise ValueError(f"no lesson {role[1]!r}, expected one of {', '.join(BY_NAME)}")
        lesson = BY_NAME[role[1]]
        name = f"lesson {lesson.number}"
        return (
            page_link(lesson, start, docs)
            .replace(f"[{lesson.title}]", f"[{name}]")
            .replace(lesson.title, name)
        )

    return LESSON_ROLE.sub(link, markdown)


def path_table(start: str = "index.md", docs: Path = DOCS) -> str:
    """All lessons with what they need, their minutes and points, as a Markdown table."""
    rows = ["| # | Lesson | Needs the code of | Minutes | Points |", "|--:|:--|:--|--:|--:|"]
    for lesson in LESSONS:
        needs = ", ".join(str(BY_NAME[name].number) for name in lesson.needs) or "-"
        points = f"{lesson.points} + {lesson.bonus}" if lesson.bonus else str(lesson.points)
        rows.append(
            f"| {lesson.number} | {page_link(lesson, start, docs)} | {needs} | {lesson.minutes} | {points} |"
        )
    hours = sum(lesson.minutes for lesson in LESSONS) / 60
    total, extra = sum(lesson.points for lesson in LESSONS), sum(lesson.bonus for lesson in LESSONS)
    rows.append(f"| | **In all** | | **{hours:.0f} hours** | **{total} + {extra} bonus** |")
    return "\n".join(rows)


def lesson_facts(lesson: Lesson, start: str) -> str:
    """The box at the head of a lesson's page: points, time, needs, file and command."""
    needs = ", ".join(page_link(BY_NAME[name], start) for name in lesson.needs) or "no earlier lesson's code"
    bonus = f" and {lesson.bonus} bonus" if lesson.bonus else ""
    return "\n".join(
        [
            '<div class="lb-facts" markdown>',
            "",
            f"- **Lesson** {lesson.number} of {len(LESSONS)}",
            f"- **Time** about {lesson.minutes} minutes",
            f"- **Points** {lesson.points}{bonus}",
            f"- **Needs** {needs}",
            f"- **File** `lessons/{lesson.module}.py`",
            f"- **Check** `pytest {lesson.checks}`",
            "",
            "</div>",
        ]
    )
