"""Commands that the pages show: do they exist?"""

import shlex

from checks.curriculum import ROOT

PROGRAMS = {
    "pytest",
    "litebert",
    "pip",
    "python",
    "python3",
    "git",
    "cd",
    "source",
    "mkdocs",
    "ruff",
    "mypy",
    "unzip",
    "cp",
    "apt-get",
    "docker",
}


def command_complaint(line: str) -> str:
    """What is wrong with one shown command ("$ pytest checks/test_masking.py"), empty when nothing is."""
    if not line.startswith("$ "):
        return ""
    words = shlex.split(line[2:], comments=True)
    while words and "=" in words[0]:
        words = words[1:]
    if not words or words[0] not in PROGRAMS:
        return f"unknown program in {line!r}"
    if words[0] == "litebert":
        return _litebert_complaint(words[1:], line)
    if words[0] == "pytest":
        paths = [word.partition("::")[0] for word in words[1:] if word.startswith("checks/")]
        missing = [path for path in paths if not (ROOT / path).exists()]
        return f"no {missing[0]} for {line!r}" if missing else ""
    return ""


def _litebert_complaint(words: list[str], line: str) -> str:
    from checks.cli.main import litebert

    if not words or words[0].startswith("-"):
        return ""
    command = litebert.commands.get(words[0]) or litebert.get_command(None, words[0])  # type: ignore[arg-type]
    if command is None:
        return f"no such command: {line!r}"
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    unknown = [word for word in words[1:] if word.startswith("--") and word.partition("=")[0] not in known]
    return f"no option {unknown[0]} in {line!r}" if unknown else ""
