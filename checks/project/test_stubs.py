"""Stubs keep what a learner needs, lose what gives the answer away, and never cost anybody's work."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from checks.curriculum import BY_NAME, LESSONS
from checks.stubs import backups, check, generate, reset, stub_text, sync, undo, write_stubs
from checks.stubs.generate import functions, guidance, has_work
from checks.stubs.sync import SOLUTIONS, available

SOURCE = '''"""Lesson 99: demo."""

import math
from functools import cache

HALF = 0.5  # a constant


@cache
def area(
    radius: float,  # in metres
) -> float:
    """The area of a disc.

    # 1. not guidance: it stands in the docstring
    """
    # a remark that gives the answer away
    # 1. Square the radius,
    #    and mind the sign.
    squared = radius * radius

    def times_pi(x: float) -> float:
        # 2. Multiply by pi.
        return math.pi * x  # 3. not on a line of its own

    return times_pi(squared)
    # 4. Return it.


# a comment between
class Shape:
    """A shape."""

    sides: int = 3

    def __init__(self) -> None:
        # 1. Count the sides.

        self.count = self.sides

    def protocol(self) -> None:
        """Left alone."""
        ...

    async def wait(self) -> str:
        # 1. Say so.
        return "# 9. text, no comment"

    def abstract(self) -> None:
        raise NotImplementedError("a Shape has none of its own")
'''

STUB = '''"""Lesson 99: demo."""

import math
from functools import cache

HALF = 0.5  # a constant


@cache
def area(
    radius: float,  # in metres
) -> float:
    """The area of a disc.

    # 1. not guidance: it stands in the docstring
    """
    # 1. Square the radius,
    #    and mind the sign.
    # 2. Multiply by pi.
    # 4. Return it.
    raise NotImplementedError("lesson demo: area is still to do")


# a comment between
class Shape:
    """A shape."""

    sides: int = 3

    def __init__(self) -> None:
        # 1. Count the sides.
        raise NotImplementedError("lesson demo: Shape.__init__ is still to do")

    def protocol(self) -> None:
        """Left alone."""
        ...

    async def wait(self) -> str:
        # 1. Say so.
        raise NotImplementedError("lesson demo: Shape.wait is still to do")

    def abstract(self) -> None:
        raise NotImplementedError("a Shape has none of its own")
'''


every_lesson = pytest.mark.parametrize("module", available())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project with one solution, whose backups go to a folder of its own."""
    solutions = tmp_path / "solutions"
    solutions.mkdir()
    (solutions / "vocab.py").write_text("def tokenize(text):\n    # 1. Split.\n    return text.split()\n")
    monkeypatch.setattr(sync, "SOLUTIONS", solutions)
    monkeypatch.setattr(sync, "PRISTINE", tmp_path / "pristine")
    monkeypatch.setattr(backups, "STATE", tmp_path / ".litebert")
    return tmp_path


def test_a_body_becomes_its_guidance_and_all_other_lines_stay() -> None:
    assert generate(SOURCE, "demo") == STUB


def test_the_stub_of_a_stub_is_itself() -> None:
    assert generate(STUB, "demo") == STUB


def test_a_body_on_the_line_of_its_signature_is_emptied_too() -> None:
    wanted = 'def f(x):\n    raise NotImplementedError("lesson demo: f is still to do")\n'
    assert generate("def f(x): return x\n", "demo") == wanted


def test_a_long_message_is_wrapped_to_the_line_length() -> None:
    name = "a_name_of_remarkable_length_" * 3
    stub = generate(f"def {name}():\n    return 1\n", "demo")
    assert max(map(len, stub.splitlines())) <= 130
    assert f'        "lesson demo: {name} is still to do"\n' in stub


def test_form_feeds_and_unicode_line_separators_in_strings_do_not_shift_lines() -> None:
    source = 'SEPARATORS = "\x0c\x1c\u2028"\n\n\ndef f():\n    # 1. Give one.\n    return "é\u2028"; g()\n'
    assert generate(source, "demo").startswith(
        'SEPARATORS = "\x0c\x1c\u2028"\n\n\ndef f():\n    # 1. Give one.\n    raise'
    )


@every_lesson
def test_a_stub_has_the_interface_of_its_solution_and_none_of_its_bodies(module: str) -> None:
    solution, stub = _solution(module), stub_text(module)
    assert _outside_bodies(solution) == _outside_bodies(stub)
    bodies = dict(functions(ast.parse(stub)))
    for name, function in functions(ast.parse(solution)):
        assert not has_work(bodies[name])
        if has_work(function):
            last = ast.unparse(bodies[name].body[-1])
            assert last == f"raise NotImplementedError('lesson {module}: {name} is still to do')"


@every_lesson
def test_every_exercise_has_guidance_numbered_from_one(module: str) -> None:
    source = _solution(module)
    for name, function in functions(ast.parse(source)):
        heads = [re.match(r"# (\d+)\.", line) for line in guidance(source, function)]
        numbers = [int(head[1]) for head in heads if head]
        assert numbers == list(range(1, len(numbers) + 1)), f"{module}.{name}: {numbers}"
        assert numbers or not has_work(function), f"{module}.{name} has no numbered guidance"


@every_lesson
def test_a_stub_states_minutes_check_and_page(module: str) -> None:
    lesson = BY_NAME[module]
    tree = ast.parse(stub_text(module))
    head = ast.get_docstring(tree) or ""
    assert head.startswith(f"Lesson {lesson.number}: ")
    assert f"Minutes: {lesson.minutes}." in head
    assert f"pytest {lesson.checks}" in head
    assert lesson.page in head
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert set(lesson.exercises) <= defined


def test_untouched_stubs_can_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "untouched_stubs"
    write_stubs(folder, backup=False)
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    for module in available():
        found = importlib.import_module(f"{folder.name}.{module}")
        assert all(hasattr(found, name) for name in BY_NAME[module].exercises)
    for name in [name for name in sys.modules if name.split(".")[0] == folder.name]:
        del sys.modules[name]


def test_text_lessons_do_not_import_torch() -> None:
    for lesson in LESSONS[:3]:
        imported = re.findall(r"^\s*(?:import|from) (\w+)", stub_text(lesson.module), re.MULTILINE)
        assert "torch" not in imported, lesson.module


def test_every_lesson_has_a_solution_and_its_stub_is_in_order() -> None:
    assert available() == [lesson.module for lesson in LESSONS]


def test_a_changed_stub_is_backed_up_before_it_is_overwritten(project: Path) -> None:
    stub = project / "lessons" / "vocab.py"
    assert [written.state for written in write_stubs(stub.parent)] == ["new"]
    stub.write_text("my = 'work'\n")
    (written,) = write_stubs(stub.parent)
    assert written.state == "updated"
    assert written.backup is not None
    assert written.backup.read_text() == "my = 'work'\n"
    assert stub.read_text() == stub_text("vocab")


def test_an_untouched_stub_of_an_older_solution_is_replaced_without_a_backup(project: Path) -> None:
    write_stubs(project / "lessons")
    (project / "solutions" / "vocab.py").write_text(
        "def tokenize(text, more):\n    # 1. Split.\n    return []\n"
    )
    (written,) = write_stubs(project / "lessons")
    assert (written.state, written.backup) == ("updated", None)


def test_a_file_that_is_not_utf8_is_backed_up_byte_for_byte(project: Path) -> None:
    stub = project / "lessons" / "vocab.py"
    write_stubs(stub.parent)
    stub.write_bytes(b"name = '\xff\xfe'\r\n")
    (written,) = write_stubs(stub.parent)
    assert written.backup is not None
    assert written.backup.read_bytes() == b"name = '\xff\xfe'\r\n"


def test_stubs_are_never_written_over_solutions(project: Path) -> None:
    with pytest.raises(ValueError, match="holds the solutions"):
        write_stubs(project / "solutions")
    assert "text.split" in (project / "solutions" / "vocab.py").read_text()


def test_check_names_each_difference(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "LESSONS", LESSONS[:1])
    folder = project / "lessons"
    assert check(folder) == [f"{folder / 'vocab.py'} is missing"]
    write_stubs(folder)
    assert check(folder) == []
    (folder / "vocab.py").write_text(stub_text("vocab").replace("text", "words"))
    (folder / "extra.py").write_text("")
    changed, extra = check(folder)
    assert "-def tokenize(words):" in changed
    assert extra == f"{folder / 'extra.py'} belongs to no lesson"


def test_reset_and_undo_bring_work_back_and_lose_nothing(project: Path) -> None:
    stub = project / "lessons" / "vocab.py"
    write_stubs(stub.parent)
    stub.write_text("first = 1\n")
    assert reset("vocab", stub.parent).backup is not None
    assert stub.read_text() == stub_text("vocab")
    undo("vocab", stub.parent)
    assert stub.read_text() == "first = 1\n"
    stub.write_text("second = 2\n")
    _, copy = undo("vocab", stub.parent)
    assert stub.read_text() == "first = 1\n"
    assert copy is not None
    assert copy.read_text() == "second = 2\n"
    undo("vocab", stub.parent)
    assert stub.read_text() == "second = 2\n"


def test_undo_without_a_backup_says_so(project: Path) -> None:
    write_stubs(project / "lessons")
    with pytest.raises(ValueError, match="nothing to undo"):
        undo("vocab", project / "lessons")


def test_without_solutions_the_stored_stubs_serve(project: Path) -> None:
    write_stubs(project / "pristine")
    (project / "solutions" / "vocab.py").unlink()
    (written,) = write_stubs(project / "lessons")
    assert "still to do" in written.path.read_text()


def test_a_lesson_without_any_stub_is_an_error_that_names_it(project: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no stub for lesson masking"):
        stub_text("masking")


def _solution(module: str) -> str:
    return (SOLUTIONS / f"{module}.py").read_text(encoding="utf-8")


def _outside_bodies(source: str) -> str:
    tree = ast.parse(source)
    for _, function in functions(tree):
        function.body = [ast.Expr(ast.Constant(ast.get_docstring(function) or "no docstring"))]
    return ast.unparse(tree)
