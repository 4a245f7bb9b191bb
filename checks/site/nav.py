"""The site's navigation, made from the pages that exist."""

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
    ("Teaching and upkeep", ("instructor.md", "discussion.md", "maintainer.md", "changelog.md")),
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
