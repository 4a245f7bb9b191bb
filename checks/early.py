"""Makes `pytest --subject FOLDER` work for a folder outside the project.

pytest takes a folder standing alone for a test path and looks for its configuration there. This small plugin
is loaded through an entry point, before the configuration counts, and starts again with `--subject=FOLDER`.
"""

from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    if early_config.inipath is None or early_config.inipath.parent != ROOT:
        _start_again(early_config)
    return (yield)


def _start_again(early_config: pytest.Config) -> None:
    arguments = list(map(str, early_config.invocation_params.args))
    here = early_config.invocation_params.dir
    if "--subject" in arguments[:-1] and ROOT in (here, *here.parents):
        at = arguments.index("--subject")
        joined = [*arguments[:at], f"--subject={arguments[at + 1]}", *arguments[at + 2 :]]
        raise SystemExit(pytest.main(joined))
