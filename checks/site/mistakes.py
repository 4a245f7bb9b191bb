"""The mistakes that the checks know by name, as a list on the lesson's page."""

import importlib.util
from importlib import import_module

from checks.curriculum import Lesson


def mistakes_list(lesson: Lesson) -> str:
    """The named mistakes of a lesson's oracle as a folded Markdown list, one entry a mistake."""
    if importlib.util.find_spec(f"checks.oracles.{lesson.module}") is None:
        return ""
    entries: dict[str, tuple[str, str, list[str]]] = {}
    for mistake in import_module(f"checks.oracles.{lesson.module}").MISTAKES:
        entries.setdefault(mistake.id, (mistake.says, mistake.hint, []))[2].append(mistake.exercise)
    lines = ['??? note "All mistakes that the checks of this lesson know by name"', ""]
    for says, hint, exercises in entries.values():
        where = ", ".join(f"`{name}`" for name in dict.fromkeys(exercises))
        lines.append(f"    - {says[0].upper()}{says[1:]} ({where}). *{hint}*")
    return "\n".join(lines) if entries else ""
