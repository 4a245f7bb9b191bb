"""Runs a question's code and says whether it proves the stated answer."""

from checks.site.questions import Question
from checks.site.runner import run_program


def complaint(question: Question) -> str:
    """Why the code does not prove the answer; empty when it does or when there is no code.

    With a `proof`, its assertions decide. Without one, what `code` prints is the answer.
    """
    if not (question.code or question.proof):
        return ""
    outcome = run_program((question.code + "\n" + question.proof,))[0]
    if outcome.error:
        return f"question {question.id}: its code raised\n{outcome.error}"
    if question.proof:
        return ""
    printed = outcome.printed.strip()
    if printed_is_answer(question, printed):
        return ""
    return f"question {question.id}: the code prints {printed!r}, the stated answer is another"


def printed_is_answer(question: Question, printed: str) -> bool:
    """Whether `printed` is the right answer of the question, and of no wrong option."""
    if question.type == "numeric":
        return abs(float(printed) - float(question.accept[0])) <= question.tolerance
    if question.type in ("tracing", "text"):
        wrong = [form for option in question.options for form in option.forms]
        return normal(printed) in map(normal, question.accept) and normal(printed) not in map(normal, wrong)
    return {option.text.strip("` ") for option in question.options if option.right} == {printed}


def normal(answer: str) -> str:
    """The form in which typed answers are compared; docs/assets/js/quiz.js does the same.

    Example:
        >>> normal("  Sentence-Order   prediction. "), normal("[1,  2]")
        ('sentence order prediction', '[1,2]')
    """
    text = answer.lower().replace("\u2212", "-").replace('"', "'")
    text = "".join(
        " " if char == "-" and _between_letters(text, at) else char for at, char in enumerate(text)
    )
    text = " ".join(text.split()).strip(" .")
    for mark in ",:()[]":
        text = text.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return text


def _between_letters(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and text[at - 1].isalpha() and text[at + 1].isalpha()
