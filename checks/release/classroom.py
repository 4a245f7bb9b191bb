"""GitHub Classroom: a workflow that runs each lesson's checks on every push and reports points."""

from checks.curriculum import LESSONS

HEAD = """# GitHub Classroom: points by lesson on every push. They are feedback; `litebert grade` gives the grades.
name: classroom

on:
  push:
    branches: [main]
  workflow_dispatch:

permissions:
  checks: write
  actions: read
  contents: read

jobs:
  autograding:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    if: github.actor != 'github-classroom[bot]'
    env:
      PIP_EXTRA_INDEX_URL: https://download.pytorch.org/whl/cpu
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install
        run: pip install -e .
"""

STEP = """      - name: {title}
        id: {module}
        if: always()
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: {title}
          command: litebert check {module}
          timeout: 10
          max-score: {points}
"""

REPORT = """      - name: Report
        if: always()
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}
        with:
          runners: {runners}
"""


def classroom_workflow() -> str:
    """The workflow's text: a step a lesson, and a report."""
    steps = [STEP.format(title=x.title, module=x.module, points=x.points) for x in LESSONS]
    results = "\n".join(
        f"          {x.module.upper()}_RESULTS: ${{{{ steps.{x.module}.outputs.result }}}}" for x in LESSONS
    )
    return HEAD + "".join(steps) + REPORT.format(results=results, runners=",".join(x.module for x in LESSONS))
