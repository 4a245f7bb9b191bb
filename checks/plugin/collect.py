"""What is collected: the checks of the asked lessons in the order of the course; the project's own tests only
with `--subject solutions`."""

from pathlib import Path

import pytest

from checks.curriculum import BY_NAME, ROOT

PROJECT_TESTS = ROOT / "checks" / "project"


class Collection:
    """Selection and order."""

    def __init__(self, config: pytest.Config) -> None:
        self.lessons = set(config.getoption("--lesson"))
        named = [Path(str(argument).partition("::")[0]).resolve() for argument in config.args]
        self.with_project = not self.lessons and (
            config.getoption("--subject") == "solutions"
            or any(PROJECT_TESTS in (p, *p.parents) for p in named)
        )

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Other lessons and the project's own tests are not even imported."""
        if PROJECT_TESTS in (collection_path, *collection_path.parents):
            return None if self.with_project else True
        lesson = collection_path.stem.removeprefix("test_")
        if self.lessons and lesson in BY_NAME and collection_path.suffix == ".py":
            return lesson not in self.lessons
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Lessons in order, then the project's tests; `-k` finds checks by their exercise too."""
        items.sort(key=_place)
        for item in items:
            if check := getattr(getattr(item, "function", None), "litebert_check", None):
                item.extra_keyword_matches.add(check.exercise)


def _place(item: pytest.Item) -> int:
    lesson = item.path.stem.removeprefix("test_")
    return BY_NAME[lesson].number if item.path.parent != PROJECT_TESTS and lesson in BY_NAME else 99
