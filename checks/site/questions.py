"""The questions of a quiz: read from YAML, checked for what an author forgets."""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

TYPES = ("single", "multiple", "truth", "tracing", "numeric", "text")
KNOWN = {
    "id",
    "type",
    "ask",
    "options",
    "answer",
    "why",
    "wrong",
    "accept",
    "tolerance",
    "unit",
    "code",
    "proof",
}
IDENTIFIER = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Option:
    """One choice, or one foreseen wrong answer: its text (or forms), and the explanation."""

    text: str
    why: str
    right: bool = False
    forms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """One question. `code` is shown and run, `proof` is run after it and not shown."""

    id: str
    type: str
    ask: str
    options: tuple[Option, ...] = ()
    accept: tuple[str, ...] = ()
    why: str = ""
    tolerance: float = 0.0
    unit: str = ""
    code: str = ""
    proof: str = ""


@dataclass(frozen=True)
class Quiz:
    """A page's quiz: an id, and questions with ids of their own."""

    id: str
    questions: tuple[Question, ...] = field(default=())


def read_quiz(source: str) -> Quiz:
    """The quiz in a fence's YAML; ValueError names the question and what is wrong with it."""
    try:
        data = yaml.safe_load(source)
    except yaml.YAMLError as error:
        raise ValueError(f"quiz: not YAML (quote texts that hold ': '): {error}") from None
    if not isinstance(data, dict) or set(data) != {"id", "questions"} or not data["questions"]:
        raise ValueError("quiz: expected an `id` and a list of `questions`")
    _require_id("quiz", data["id"])
    questions = tuple(read_question(entry) for entry in data["questions"])
    names = [question.id for question in questions]
    if len(set(names)) < len(names):
        raise ValueError(f"quiz {data['id']}: two questions share an id")
    return Quiz(data["id"], questions)


def read_question(entry: dict[str, Any]) -> Question:
    """One question from its YAML mapping."""
    name = str(entry.get("id"))
    _require_id("question", name)
    unknown = set(entry) - KNOWN
    if unknown:
        raise ValueError(f"question {name}: unknown keys {sorted(unknown)}, expected some of {sorted(KNOWN)}")
    if entry.get("type") not in TYPES or not entry.get("ask"):
        raise ValueError(f"question {name}: expected `ask` and a `type` among {', '.join(TYPES)}")
    question = Question(
        id=name,
        type=entry["type"],
        ask=str(entry["ask"]).strip(),
        options=_options(entry),
        accept=tuple(str(form) for form in _as_list(entry.get("accept", entry.get("answer", [])))),
        why=str(entry.get("why", "")).strip() if entry["type"] != "truth" else "",
        tolerance=float(entry.get("tolerance", 0.0)),
        unit=str(entry.get("unit", "")),
        code=str(entry.get("code", "")),
        proof=str(entry.get("proof", "")),
    )
    fault = _fault(question)
    if fault:
        raise ValueError(f"question {name}: {fault}")
    return question


def _options(entry: dict[str, Any]) -> tuple[Option, ...]:
    if entry["type"] == "truth":
        why = entry.get("why", {})
        if (
            not isinstance(entry.get("answer"), bool)
            or not isinstance(why, dict)
            or set(why) != {True, False}
        ):
            raise ValueError(
                f"question {entry['id']}: expected `answer: true` or `false`, and `why` for both"
            )
        return tuple(
            Option(str(value), str(why[value]).strip(), value == entry["answer"]) for value in (True, False)
        )
    if entry["type"] in ("single", "multiple"):
        return tuple(
            Option(
                str(item.get("right", item.get("wrong"))), str(item.get("why", "")).strip(), "right" in item
            )
            for item in entry.get("options", [])
        )
    return tuple(
        Option("", str(item.get("why", "")).strip(), forms=tuple(map(str, _as_list(item.get("answer", [])))))
        for item in entry.get("wrong", [])
    )


def _fault(question: Question) -> str:
    """What an author forgot, empty when nothing."""
    if any(not option.why for option in question.options):
        return "every option needs a `why`"
    if question.proof and "assert" not in question.proof:
        return "a proof needs an assert"
    if question.type in ("single", "multiple"):
        right = sum(option.right for option in question.options)
        if len(question.options) < 3 or not right or (question.type == "single" and right > 1):
            return "expected three or more options, exactly one `right` in a single choice, at least one otherwise"
        return ""
    if question.type == "truth":
        return ""
    if not question.accept or not question.why:
        return "expected `answer` (or `accept`) and `why`"
    if question.type == "tracing" and not question.code:
        return "a tracing question needs `code`"
    if question.type == "numeric":
        float(question.accept[0])
    return ""


def _require_id(what: str, name: object) -> None:
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        raise ValueError(f"{what} id: got {name!r}, expected lower-case letters, digits and hyphens")


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
