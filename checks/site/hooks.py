"""MkDocs' hooks: navigation, executed code, recorded numbers, tables from the curriculum, shape letters."""

import json
import logging
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from checks.curriculum import LESSONS, ROOT
from checks.site import experiments, quiz, results, shapes, snippets
from checks.site.mistakes import mistakes_list
from checks.site.nav import LESSON_PAGES, navigation, other_pages
from checks.site.path import lesson_facts, link_lessons, path_table
from checks.site.runner import reference_is_here

log = logging.getLogger("mkdocs.plugins.litebert")
PATH_TABLE, FACTS, MISTAKES = "{{ path }}", "{{ facts }}", "{{ mistakes }}"
API, CATALOGUE, PAGES = "{{ api }}", "{{ quizzes }}", "{{ pages }}"


def on_config(config: Any) -> Any:
    """The navigation, and an empty list of quizzes."""
    if not config.nav:
        config.nav = navigation(Path(config.docs_dir))
    quiz.CATALOGUE.clear()
    return config


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Runs and checks the page's code, then fills in what is computed."""
    source = page.file.src_uri
    quiz.start_page(source)
    if reference_is_here():
        for complaint in snippets.complaints(markdown):
            log.warning("%s: %s", source, complaint)
    try:
        markdown = link_lessons(results.render(experiments.render(markdown)), source)
    except ValueError as error:
        log.warning("%s: %s", source, error)
    markdown = snippets.render(markdown)
    markdown = markdown.replace(PATH_TABLE, path_table(source)).replace(API, api_blocks())
    if PAGES in markdown:
        markdown = markdown.replace(PAGES, other_pages())
    if source in LESSON_PAGES:
        lesson = LESSONS[LESSON_PAGES.index(source)]
        markdown = markdown.replace(FACTS, lesson_facts(lesson, source)).replace(
            MISTAKES, mistakes_list(lesson)
        )
    return markdown


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Complains of faulty quizzes and explains shape letters and terms."""
    for complaint in quiz.complaints(page.file.src_uri):
        log.warning("%s: %s", page.file.src_uri, complaint)
    return shapes.focus_first_terms(shapes.explain_letters(html))


def on_env(env: Any, *, files: Any, **_: Any) -> Any:
    """All pages are rendered: the page of progress gets the list of quizzes."""
    for file in files.documentation_pages():
        page = file.page
        if page is not None and page.content and CATALOGUE in page.content:
            entries = catalogue(files, partial(link_from, page))
            page.content = page.content.replace(CATALOGUE, entries)
    return env


def on_post_build(*, config: Any, **_: Any) -> None:
    """Leaves out what the theme ships for search in other languages than this site's."""
    shutil.rmtree(Path(config.site_dir) / "assets" / "javascripts" / "lunr", ignore_errors=True)


def link_from(page: Any, file: Any) -> str:
    """A relative link from one page to another file."""
    link: str = file.url_relative_to(page.file)
    return link


def catalogue(files: Any, link: Any) -> str:
    """The quizzes in the navigation's order as JSON in a script element."""
    rows = [
        {"quiz": name, "title": title, "url": link(files.get_file_from_path(source)), "questions": questions}
        for name, (source, title, questions) in sorted(quiz.CATALOGUE.items(), key=lambda item: item[1][0])
    ]
    return f'<script type="application/json" id="lb-quizzes">{json.dumps(rows)}</script>'


def api_blocks() -> str:
    """One mkdocstrings block for each module of the course that exists."""
    given = ("lessons.given.config", "lessons.given.records")
    names = [f"lessons.{lesson.module}" for lesson in LESSONS] + list(given)
    return "\n\n".join(
        f"## {name}\n\n::: {name}\n    options:\n      show_root_heading: false"
        for name in names
        if (ROOT / (name.replace(".", "/") + ".py")).exists()
    )
