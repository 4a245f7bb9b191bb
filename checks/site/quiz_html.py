"""The HTML of a quiz: a form a question, the answers and explanations encoded beside it."""

import base64
import hashlib
import json
from html import escape

import markdown

from checks.site.proofs import normal
from checks.site.questions import Option, Question, Quiz

EXTENSIONS = ["pymdownx.arithmatex", "pymdownx.highlight", "pymdownx.superfences", "pymdownx.inlinehilite"]
SETTINGS = {"pymdownx.arithmatex": {"generic": True}, "pymdownx.highlight": {"anchor_linenums": False}}
HINTS = {
    "single": "Choose one.",
    "multiple": "Choose all that hold.",
    "truth": "True or false?",
    "tracing": "What does it print?",
    "numeric": "A number.",
    "text": "A word or a short phrase.",
}


def to_html(text: str) -> str:
    """Markdown as HTML; a lone paragraph loses its `<p>`."""
    html = markdown.markdown(text, extensions=EXTENSIONS, extension_configs=SETTINGS)
    single = html.startswith("<p>") and html.count("<p>") == 1 and html.endswith("</p>")
    return html[3:-4] if single else html


def quiz_html(quiz: Quiz) -> str:
    """The whole quiz."""
    forms = "\n".join(
        question_html(quiz.id, question, number) for number, question in enumerate(quiz.questions, start=1)
    )
    return (
        f'<div class="lb-quiz" data-quiz="{quiz.id}" id="quiz-{quiz.id}">\n'
        f'<p class="lb-quiz__score" role="status"></p>\n{forms}\n'
        "<noscript><p>Answers are checked by a script of this page; without scripts the questions can be read only."
        "</p></noscript>\n</div>"
    )


def question_html(quiz: str, question: Question, number: int) -> str:
    """One question as a form of its own."""
    name = f"{quiz}-{question.id}"
    code = to_html(f"```python\n{question.code.rstrip()}\n```") if question.code else ""
    body = "".join(_inputs(question, name))
    return (
        f'<form class="lb-question" id="q-{name}" data-question="{question.id}" data-type="{question.type}" '
        f'data-key="{encode(question)}" novalidate>\n'
        f'<fieldset aria-describedby="{name}-hint"><legend><span class="lb-question__number">{number}.</span> '
        f'<span class="lb-question__ask">{to_html(question.ask)}</span></legend>\n{code}'
        f'<p class="lb-question__hint" id="{name}-hint">{HINTS[question.type]}</p>\n{body}</fieldset>\n'
        '<p class="lb-question__buttons"><button type="submit" class="lb-button">Check</button> '
        '<button type="button" class="lb-button lb-button--quiet" data-again hidden>Try again</button></p>\n'
        '<div class="lb-question__verdict" role="status"></div>\n</form>'
    )


def _inputs(question: Question, name: str) -> list[str]:
    if question.type in ("single", "multiple", "truth"):
        kind = "checkbox" if question.type == "multiple" else "radio"
        return [
            f'<div class="lb-option" data-option="{index}"><label><input type="{kind}" name="{name}" value="{index}"> '
            f"<span>{to_html(option.text.capitalize() if question.type == 'truth' else option.text)}</span></label>"
            '<div class="lb-option__why" hidden></div></div>\n'
            for index, option in _order(question, name)
        ]
    label = "Your answer" + (f" ({escape(question.unit)})" if question.unit else "")
    tall = question.type == "tracing" and "\n" in question.accept[0].strip()
    attributes = (
        f'id="{name}-answer" name="{name}" autocomplete="off" spellcheck="false" autocapitalize="off"'
    )
    mode = ' inputmode="decimal"' if question.type == "numeric" else ""
    field = (
        f'<textarea {attributes} rows="3"></textarea>' if tall else f'<input type="text" {attributes}{mode}>'
    )
    return [f'<p class="lb-answer"><label for="{name}-answer">{label}</label> {field}</p>\n']


def _order(question: Question, name: str) -> list[tuple[int, Option]]:
    """Options in an order that depends on the texts only, so that the right one is not always first."""
    pairs = list(enumerate(question.options))
    if question.type == "truth":
        return pairs
    return sorted(pairs, key=lambda pair: hashlib.sha256(f"{name} {pair[1].text}".encode()).hexdigest())


def encode(question: Question) -> str:
    """Answers and explanations, base64 over JSON: not secret, only out of a reader's sight."""
    if question.type in ("single", "multiple", "truth"):
        key = {
            "right": [index for index, option in enumerate(question.options) if option.right],
            "why": [to_html(option.why) for option in question.options],
        }
    else:
        key = {
            "accept": [normal(form) for form in question.accept],
            "shown": question.accept[0].strip(),
            "tolerance": question.tolerance,
            "why": to_html(question.why),
            "wrong": [
                [[normal(form) for form in option.forms], to_html(option.why)] for option in question.options
            ],
        }
    return base64.b64encode(json.dumps(key).encode()).decode()
