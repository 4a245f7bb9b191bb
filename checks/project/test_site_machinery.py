"""The site's machinery notices what an author gets wrong."""

import json
from pathlib import Path

import pytest
from pymdownx.superfences import SuperFencesException

from checks.site import charts, figures, proofs, results, shapes, snippets
from checks.site.docstrings import plain_brackets
from checks.site.fences import find_fences
from checks.site.nav import navigation
from checks.site.path import link_lessons, path_table
from checks.site.questions import Question, read_question, read_quiz
from checks.site.quiz_html import encode, quiz_html
from checks.site.runner import run_program

SINGLE = {
    "id": "one",
    "type": "single",
    "ask": "Which?",
    "options": [{"right": "`3`", "why": "yes"}, {"wrong": "`4`", "why": "no"}, {"wrong": "`5`", "why": "no"}],
}


def test_a_wrong_output_is_a_complaint() -> None:
    page = "```python run\nprint(2 + 2)\n```\n\n```output\n5\n```\n"
    assert "the code prints\n4" in snippets.complaints(page)[0]
    assert snippets.complaints(page.replace("5", "4")) == []


def test_code_that_raises_is_a_complaint() -> None:
    assert "ZeroDivisionError" in snippets.complaints("```python run\n1 / 0\n```\n")[0]


def test_printing_without_a_shown_output_is_a_complaint() -> None:
    assert "shows no output" in snippets.complaints("```python run\nprint(1)\n```\n")[0]


def test_an_output_without_code_is_a_complaint() -> None:
    assert "without a `python run` block" in snippets.complaints("```output\n1\n```\n")[0]


def test_a_block_that_needs_a_package_runs_only_where_it_is_installed() -> None:
    page = "```python run needs PACKAGE\nprint(2 + 2)\n```\n\n```output\n5\n```\n"
    assert snippets.complaints(page.replace("PACKAGE", "no_such_package")) == []
    assert "the code prints\n4" in snippets.complaints(page.replace("PACKAGE", "numpy"))[0]
    assert snippets.render(page.replace("PACKAGE", "numpy")).startswith("```python\nprint")


def test_blocks_and_numbers_of_a_page_share_one_namespace() -> None:
    page = "```python run\nwidth = 768\n```\n\nIt has {{ check 12 * width = 9,216 }} columns.\n"
    assert snippets.complaints(page) == []
    assert "got 9216, shown 9,217" in snippets.complaints(page.replace("9,216", "9,217"))[0]
    assert ">9,216</span> columns" in snippets.render(page)


def test_a_role_inside_a_block_is_left_alone() -> None:
    page = "```text\n{{ check 1 = 2 }}\n```\n"
    assert snippets.complaints(page) == []
    assert snippets.render(page) == page


@pytest.mark.parametrize(
    ("shown", "got", "agrees"),
    [
        ("9,216", "9216", True),
        ("9,216", "9216.4", True),
        ("55.7 %", "0.5568", True),
        ("55.6 %", "0.5568", False),
        ("12M", "11683584", True),
        ("11.7 M", "11683584", True),
        ("0.731", "0.7310585", True),
        ("-2.5", "-2.5", True),
        ("6.9 nats", "6.907", True),
        ("3", "3.6", False),
    ],
)
def test_a_shown_number_agrees_to_its_own_decimals(shown: str, got: str, agrees: bool) -> None:
    assert snippets.number_agrees(shown, got) is agrees


def test_the_lessons_are_the_reference_in_a_pages_code() -> None:
    code = "from lessons.attention import split_heads\nprint(split_heads.__module__)"
    assert run_program((code,))[0].printed == "solutions.attention\n"


def test_code_that_never_ends_is_stopped() -> None:
    assert "ran for more than" in run_program(("while True: pass",), seconds=1.0)[0].error


def test_a_block_inside_a_hint_is_found_with_its_indent() -> None:
    fences = find_fences("??? hint\n\n    ```python run\n    x = 1\n    ```\n")
    assert [(fence.info, fence.body) for fence in fences] == [("python run", "x = 1\n")]


def test_a_results_file_is_quoted_with_its_origin(tmp_path: Path) -> None:
    record = {
        "command": "make it",
        "date": "2025-01-02",
        "commit": "abc",
        "seconds": 9,
        "values": {"a": [0.5]},
    }
    (tmp_path / "demo.json").write_text(json.dumps(record))
    page = results.render("It is {{ result demo a.0 .2f }}.", tmp_path)
    assert page == 'It is <span class="lb-number" title="make it (2025-01-02, commit abc)">0.50</span>.'


def test_an_unknown_result_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="got 'none'"):
        results.render("{{ result none a }}", tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": SINGLE["options"][:2]}, "three or more options"),
        ({"options": [{"wrong": "a", "why": "b"}] * 3}, "exactly one"),
        ({"options": [{"right": "a"}, *SINGLE["options"][1:]]}, "needs a `why`"),
        ({"type": "essay"}, "a `type` among"),
        ({"id": "One"}, "lower-case"),
        ({"hint": "x"}, "unknown keys"),
        ({"proof": "print(1)"}, "needs an assert"),
    ],
)
def test_an_incomplete_question_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_question(SINGLE | change)


def test_a_tracing_question_needs_code_and_a_reason() -> None:
    with pytest.raises(ValueError, match="needs `code`"):
        read_question({"id": "t", "type": "tracing", "ask": "?", "answer": "1", "why": "so"})


def test_two_questions_with_one_id_are_refused() -> None:
    source = "id: q\nquestions:\n" + 2 * '  - {id: a, type: numeric, ask: "?", answer: 1, why: so}\n'
    with pytest.raises(ValueError, match="share an id"):
        read_quiz(source)


@pytest.mark.parametrize("kind", ["single", "tracing", "numeric"])
def test_code_proves_the_stated_answer_or_the_build_complains(kind: str) -> None:
    def question(answer: str) -> Question:
        if kind == "single":
            options = [{"right": f"`{answer}`", "why": "y"}, *SINGLE["options"][1:]]
            return read_question(SINGLE | {"options": options, "code": "print(1 + 2)"})
        return read_question(
            {"id": "t", "type": kind, "ask": "?", "answer": answer, "why": "so", "code": "print(1 + 2)"}
        )

    assert proofs.complaint(question("3")) == ""
    assert "prints '3'" in proofs.complaint(question("7"))


def test_a_failed_proof_is_a_complaint() -> None:
    question = read_question(SINGLE | {"proof": "assert 1 + 2 == 4"})
    assert "AssertionError" in proofs.complaint(question)


def test_answers_are_not_readable_in_the_page() -> None:
    quiz = read_quiz(
        'id: q\nquestions:\n  - {id: a, type: text, ask: "?", accept: [zanzibar], why: because}\n'
    )
    assert "zanzibar" not in quiz_html(quiz)
    assert "because" not in quiz_html(quiz)
    assert encode(quiz.questions[0]) in quiz_html(quiz)


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A results file `demo` that the charts read."""
    values = {"steps": [0, 50, 100], "bert": {"mlm": [6.0, 4.0, 3.0], "nsp": 0.9, "sop": 0.5}, "floor": 2.5}
    record = {"command": "make it", "date": "2025-01-02", "commit": "abc", "seconds": 9, "values": values}
    (tmp_path / "demo.json").write_text(json.dumps(record))
    monkeypatch.setattr(charts, "look_up", lambda name, key: results.look_up(name, key, tmp_path))


@pytest.mark.usefixtures("recorded")
def test_curves_are_drawn_with_the_floor_and_their_numbers_in_a_table() -> None:
    data = {"results": "demo", "steps": "steps", "series": {"BERT": "bert.mlm"}, "lines": {"floor": "floor"}}
    html = charts.curves(data)
    assert html.count("<polyline") == 2
    assert "<td>4.000</td><td>2.500</td>" in html


@pytest.mark.usefixtures("recorded")
def test_the_matrix_sets_the_trained_task_apart() -> None:
    columns = {"NSP": "nsp", "SOP": "sop"}
    html = charts.matrix(
        {
            "results": "demo",
            "rows": {"BERT": "bert"},
            "columns": columns,
            "own": {"BERT": "NSP"},
            "format": ".0%",
        }
    )
    assert '<td class="lb-cell--own">90%</td><td>50%</td>' in html


def test_a_figure_without_a_text_alternative_is_refused() -> None:
    with pytest.raises(SuperFencesException, match="title, text"):
        figures.fence("kind: masking\ntitle: Masking\n", "figure", "figure", {}, None)


def test_shape_letters_are_explained_and_the_first_takes_focus() -> None:
    html = shapes.explain_letters("<code>[B, T]</code> <code>B</code> <code>BERT</code>")
    assert html.count('tabindex="0"') == 2
    assert html.count("batch: examples") == 2
    assert "<code>BERT</code>" in html


def test_pages_of_no_section_come_last(tmp_path: Path) -> None:
    for name in ("index.md", "zebra.md"):
        (tmp_path / name).touch()
    assert navigation(tmp_path) == [{"Start": ["index.md"]}, {"More": ["zebra.md"]}]


def test_a_lesson_is_linked_once_its_page_exists(tmp_path: Path) -> None:
    assert link_lessons("{{ lesson masking }}", "lessons/01-vocab.md", tmp_path) == "lesson 2"
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "02-masking.md").touch()
    linked = link_lessons("{{ lesson masking }}", "lessons/01-vocab.md", tmp_path)
    assert linked == "[lesson 2](../lessons/02-masking.md)"


def test_the_path_adds_up_to_100_points() -> None:
    assert "**100 + " in path_table()


def test_brackets_in_docstrings_are_no_links_and_code_stays() -> None:
    text = "a [5][6]\n\n>>> [[1], [2]]\n[[1], [2]]\n\nand `[7]`"
    assert plain_brackets(text) == "a \\[5]\\[6]\n\n>>> [[1], [2]]\n[[1], [2]]\n\nand `[7]`"
