"""Stubs keep what a learner needs and lose what gives the answer away."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from checks.curriculum import BY_NAME, LESSONS
from checks.stubs import generate, stub_text, write_stubs
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


def _solution(module: str) -> str:
    return (SOLUTIONS / f"{module}.py").read_text(encoding="utf-8")


def _outside_bodies(source: str) -> str:
    tree = ast.parse(source)
    for _, function in functions(tree):
        function.body = [ast.Expr(ast.Constant(ast.get_docstring(function) or "no docstring"))]
    return ast.unparse(tree)
