"""The README of the learners' tree."""

SETUP = """# Litebert: A Lite BERT from scratch

A course in which you rebuild BERT and ALBERT in fifteen lessons, checked as you go, and end by training both side
by side.

## Set-up

Python 3.11 or newer on Linux or macOS:

```bash
python3 -m venv .venv && source .venv/bin/activate
pip install -e .
litebert doctor
```

On Linux, `pip install torch --index-url https://download.pytorch.org/whl/cpu` first gives the small CPU build.

## How you work

Each lesson is one file in `lessons/`: signatures and docstrings that say exactly what is wanted. You write the
bodies. `lessons/given/` is given; leave it as it is.

1. `pytest` (or `litebert status`) shows all lessons, your points, and what to do next.
2. Read the lesson's page in `docs/lessons/`, or in the browser with `litebert docs`.
3. `litebert check attention` checks one lesson.
4. `litebert reset attention` starts a lesson again; your work is backed up, and `--undo` brings it back.
5. Lesson 15 is the capstone: `litebert capstone --subject lessons` trains the models that you wrote.
"""

WAITING = """
## What waits, and what is graded

Later lessons build on earlier ones. There are no reference solutions in this copy, so a lesson runs on your own
earlier lessons, as soon as their checks pass. Until then its checks are shown as *waiting*, with the lesson they
wait for. When your work is graded, each lesson is judged among right versions of the others: a mistake in an
early lesson costs its points once.
"""

SOLUTIONS = """
## Solutions

`solutions/` holds one right version of every lesson. A lesson is checked among right versions of the earlier
ones, so a mistake costs its points once. Look there when you have passed a lesson, or are stuck for good.
"""


def learners_readme(with_solutions: bool) -> str:
    """The text."""
    return SETUP + (SOLUTIONS if with_solutions else WAITING)
