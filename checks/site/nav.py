"""The site's navigation, made from the pages that exist."""

import re
from pathlib import Path
from typing import Any

from checks.curriculum import LESSONS, ROOT

DOCS = ROOT / "docs"
LESSON_PAGES = tuple(Path(lesson.page).relative_to("docs").as_posix() for lesson in LESSONS)
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("index.md", "setup.md", "playground.md", "progress.md")),
    ("Lessons", LESSON_PAGES),
    (
        "Experiments",
        ("capstone.md", "experiments.md", "exact-floor.md", "gpu.md", "practice.md", "simplifies.md"),
    ),
    ("Background", ("errata.md", "next.md", "glossary.md", "references.md", "api.md")),
    (
        "For instructors",
        (
            "instructor/index.md",
            "instructor/settings.md",
            "instructor/platforms.md",
            "instructor/trust.md",
            "instructor/appeals.md",
            "instructor/hidden.md",
            "instructor/discussion.md",
        ),
    ),
    (
        "For maintainers",
        ("maintainer/index.md", "maintainer/lesson.md", "maintainer/upkeep.md", "changelog.md"),
    ),
)


def navigation(docs: Path = DOCS) -> list[dict[str, Any]]:
    """MkDocs' `nav` for the pages in `docs`: the sections above in order, then `More` for pages in none."""
    existing = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    nav: list[dict[str, Any]] = []
    for title, pages in SECTIONS:
        present = [page for page in pages if page in existing]
        if present:
            nav.append({title: present})
        existing -= set(present)
    if existing:
        nav.append({"More": sorted(existing)})
    return nav


def other_pages(docs: Path = DOCS) -> str:
    """The pages behind the lessons as Markdown lists, by section, each with its description; for the start page."""
    parts = []
    for section in navigation(docs)[2:]:
        for title, pages in section.items():
            rows = [
                f"- [{_head(docs / page, 'title')}]({page}): {_head(docs / page, 'description')}"
                for page in pages
            ]
            parts.append("\n".join([f"**{title}**", "", *rows]))
    return "\n\n".join(parts)


def _head(page: Path, key: str) -> str:
    """A value of a page's front matter; for a title left out, the first heading."""
    text = page.read_text(encoding="utf-8")
    front = text.split("---\n")[1]
    found = re.search(rf"^{key}: (.+)$", front, re.MULTILINE) or re.search(r"^# (.+)$", text, re.MULTILINE)
    assert found, f"{page}: neither {key} nor a heading"
    return found[1]
