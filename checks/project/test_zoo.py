"""No attack scores above its honest part, harms the host, learns a secret or delays the batch."""

import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.curriculum import BY_NAME, LESSONS
from checks.project import zoo
from checks.project.attacks import AIMS, WHENS, Attack, attacks
from checks.sandbox.echo import repeats
from checks.sandbox.processes import descendants
from checks.sandbox.sandbox import Sandbox
from checks.subject.world import REFERENCE

ALL = attacks()
needs_bubblewrap = pytest.mark.skipif(
    platform.system() != "Linux" or not shutil.which("bwrap"), reason="needs Linux and bubblewrap"
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("honest")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret" / "seed.txt"
    file.parent.mkdir()
    file.write_text("THE SECRET", encoding="utf-8")
    file.chmod(0o666)
    return file


def references(lesson: str) -> list[str]:
    """What a worker of this lesson can read."""
    earlier = [other.module for other in LESSONS if other.number < BY_NAME[lesson].number]
    return [(REFERENCE / f"{module}.py").read_text(encoding="utf-8") for module in earlier]


def test_there_is_an_attack_in_every_cell_and_at_least_forty_in_all() -> None:
    assert {(attack.when, attack.aim) for attack in ALL} == {(when, aim) for when in WHENS for aim in AIMS}
    assert len({attack.name for attack in ALL}) == len(ALL) >= 40


@needs_bubblewrap
@pytest.mark.parametrize("lesson", ["vocab", "attention"])
def test_without_an_attack_the_sandbox_gives_the_honest_points(
    lesson: str, sandbox: Sandbox, honest: Path
) -> None:
    points = zoo.honest_points(lesson, honest)
    assert points == zoo.judged_in(sandbox, honest, lesson).points > 0


@needs_bubblewrap
@pytest.mark.parametrize("attack", ALL, ids=[attack.name for attack in ALL])
def test_an_attack_gains_nothing_and_harms_nothing(
    attack: Attack, sandbox: Sandbox, honest: Path, tmp_path: Path, secret: Path
) -> None:
    zoo.honest_points(attack.lesson, honest)
    zoo.judged_in(sandbox, honest, attack.lesson)  # its zygote is there now
    kernel, processes = zoo.kernel_state(), descendants(os.getpid())
    folder = tmp_path / "submission"
    folder.mkdir()

    outcome = zoo.attacked(attack, sandbox.limited(zoo.LIMITS), folder, secret)

    assert outcome.points <= zoo.honest_points(attack.lesson, honest)
    assert outcome.seconds < zoo.LONGEST
    assert "THE SECRET" not in outcome.messages
    assert "LEAKED" not in outcome.messages
    assert attack.aim != "secrets" or not repeats(outcome.messages, references(attack.lesson))
    assert secret.read_text(encoding="utf-8") == "THE SECRET"
    assert [file.name for file in secret.parent.iterdir()] == [secret.name]
    assert zoo.kernel_state() == kernel
    assert not zoo.left_behind(processes)
    # The next job is served.
    assert zoo.judged_in(sandbox, honest, attack.lesson).points == zoo.honest_points(attack.lesson, honest)
