"""Pictures from the learner's own code: every lesson has one, in the terminal, as PNG and as HTML."""

from pathlib import Path

import click
import pytest

from checks.curriculum import LESSONS
from checks.gate.edits import SOLUTIONS
from checks.project.calling import run
from checks.stubs import backups
from checks.workbench import page, plot, terminal
from checks.workbench.gallery import HOMES, picture_of
from checks.workbench.pictures import Bars, Curves, Heat, Note, Picture, Tokens, number


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty memory."""
    monkeypatch.setattr(backups, "STATE", tmp_path / "state")


def test_the_gallery_holds_every_lesson_once() -> None:
    assert [lesson for lessons in HOMES.values() for lesson in lessons] == [
        lesson.module for lesson in LESSONS
    ]


@pytest.mark.parametrize("lesson", [lesson.module for lesson in LESSONS])
def test_every_lesson_has_a_picture_in_three_forms(lesson: str, tmp_path: Path) -> None:
    picture = picture_of(lesson, SOLUTIONS)
    assert any(not isinstance(block, Note) for block in picture.blocks)
    text = click.unstyle("\n".join(terminal.lines(picture)))
    assert picture.title in text
    assert len(text.splitlines()) > 8
    html = page.text(picture)
    assert html.count("<h1>") == 1
    assert "<script" not in html
    plot.save(picture, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"


def test_a_picture_shows_what_the_code_does_not_what_it_should(tmp_path: Path) -> None:
    source = (SOLUTIONS / "attention.py").read_text(encoding="utf-8")
    (tmp_path / "attention.py").write_text(
        source.replace("if mask is not None:", "if False:"), encoding="utf-8"
    )
    mine, right = picture_of("attention", tmp_path), picture_of("attention", SOLUTIONS)
    hidden = [
        [row[-1] for row in block.values]
        for p in (mine, right)
        for block in p.blocks
        if isinstance(block, Heat)
    ]
    assert max(hidden[0]) > 0.01
    assert max(hidden[2]) < 1e-6


def test_every_block_is_readable_without_colours_and_safe_in_html() -> None:
    picture = Picture(
        "a <b>",
        [
            Note("<i>"),
            Tokens("row", [("<s>", "kept"), ("x", "random")]),
            Heat("heat", [[0.0, 1.0]], ["r"], ["a", "b"]),
            Bars("bars", [("one", 1.0), ("none", 0.0)]),
            Curves("curves", [0, 1, 2], {"up": [0.0, 1.0, 2.0], "flat": [1.0, 1.0, 1.0]}),
        ],
    )
    text = click.unstyle("\n".join(terminal.lines(picture)))
    assert "<s>= x~" in text
    assert "  ██" in text
    assert "▁▅█" in text
    html = page.text(picture)
    assert "<b>" not in html
    assert "<i>" not in html
    assert "<s>" not in html


def test_bars_and_curves_of_nothing_are_drawn(tmp_path: Path) -> None:
    picture = Picture("empty", [Bars("zero", [("a", 0.0)]), Curves("flat", [0], {"a": [0.0]})])
    assert "a" in "\n".join(terminal.lines(picture))
    assert page.text(picture)
    plot.save(picture, tmp_path / "empty.png")


@pytest.mark.parametrize(
    ("value", "text"), [(3.0, "3"), (110106428, "110,106,428"), (0.12345, "0.123"), (1234.5, "1,234")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


def test_show_waits_for_green_and_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    right = (SOLUTIONS / "vocab.py").read_text(encoding="utf-8")
    (folder / "vocab.py").write_text(right, encoding="utf-8")
    code, out, _ = run(capsys, "show", "vocab", "--subject", str(folder))
    assert code == 0
    assert "Your vocabulary" in out
    for kind in ("png", "html"):
        target = tmp_path / f"vocab.{kind}"
        assert run(capsys, "show", "1", "--subject", str(folder), "--out", str(target))[0] == 0
        assert target.stat().st_size > 1000
    code, _, err = run(capsys, "show", "vocab", "--subject", str(folder), "--out", "vocab.txt")
    assert code == 2
    assert "ends in .png or .html" in err
    assert run(capsys, "show", "vocab", "--subject", str(folder), "--out", "/no/such/x.html")[0] == 2
    (folder / "vocab.py").write_text(right.replace("return [", "return list() and ["), encoding="utf-8")
    code, out, err = run(capsys, "show", "vocab", "--subject", str(folder))
    assert (code, out) == (2, "")
    assert "once it passes" in err
