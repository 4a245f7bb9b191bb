"""The `quiz` fence: questions in YAML become a form that docs/assets/js/quiz.js brings to life."""

from pymdownx.superfences import SuperFencesException

from checks.site import proofs
from checks.site.questions import read_quiz
from checks.site.quiz_html import quiz_html
from checks.site.runner import reference_is_here

CATALOGUE: dict[str, tuple[str, str, list[str]]] = {}
"""By quiz id: the page's source path, the quiz's title, the ids of its questions."""

_page = ""
_complaints: dict[str, list[str]] = {}


def start_page(source: str) -> None:
    """Tells which page the next fences belong to."""
    global _page
    _page = source
    _complaints[source] = []
    for name in [name for name, entry in CATALOGUE.items() if entry[0] == source]:
        del CATALOGUE[name]


def complaints(source: str) -> list[str]:
    """What the page's quizzes have against themselves."""
    return _complaints.get(source, [])


def fence(source: str, language: str, css_class: str, options: object, md: object, **_: object) -> str:
    """SuperFences' formatter: the quiz as HTML."""
    try:
        quiz = read_quiz(source)
    except ValueError as error:
        raise SuperFencesException(f"{_page}: {error}") from error
    if quiz.id in CATALOGUE:
        raise SuperFencesException(f"{_page}: quiz id {quiz.id} is taken by {CATALOGUE[quiz.id][0]}")
    if reference_is_here():
        found = [proofs.complaint(question) for question in quiz.questions]
        _complaints.setdefault(_page, []).extend(text for text in found if text)
    CATALOGUE[quiz.id] = (_page, quiz.id.replace("-", " ").capitalize(), [q.id for q in quiz.questions])
    return quiz_html(quiz)
