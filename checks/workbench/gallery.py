"""One picture for each lesson, drawn from the learner's own code. Each file of the gallery holds some of them."""

import warnings
from importlib import import_module
from pathlib import Path

from checks.subject.world import World
from checks.workbench.pictures import Picture

HOMES = {
    "gallery_text": ("vocab", "masking", "pairing", "datasets"),
    "gallery_layers": ("attention", "transformer", "embeddings", "encoders", "heads"),
    "gallery_models": ("models", "checkpoint", "counting"),
    "gallery_training": ("objective", "training", "capstone"),
}


def picture_of(lesson: str, root: Path) -> Picture:
    """The lesson's picture. Earlier lessons are the reference where it is at hand, as in the checks."""
    home = next(name for name, lessons in HOMES.items() if lesson in lessons)
    draw = getattr(import_module(f"checks.workbench.{home}"), lesson)
    world = World(root, lesson)
    try:
        with warnings.catch_warnings(action="ignore"):
            return draw(world)
    finally:
        world.close()
