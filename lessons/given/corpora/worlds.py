"""The worlds of the course, from one small enough for pencil and paper to one with BERT's vocabulary."""

from lessons.given.corpora.world import World

_SMALL = World(
    name="small", topics=8, nouns=8, places=4, names=8, stages=8, verbs=3,
    classes=4, adjectives=3, prepositions=3, sentences=8,
)  # fmt: skip
_CONTROL = World(
    name="control", topics=8, nouns=8, places=4, names=8, stages=8, verbs=3, moves=((0, 1.0),), start=8,
    classes=4, adjectives=3, prepositions=3, sentences=8,
)  # fmt: skip
_TINY = World(
    name="tiny", topics=2, nouns=2, places=2, names=2, stages=3, verbs=1, start=2,
    classes=2, adjectives=2, prepositions=2, sentences=4,
)  # fmt: skip
_MEDIUM = World(
    name="medium", topics=32, nouns=16, places=8, names=32, stages=16, verbs=6, start=6,
    classes=8, adjectives=6, prepositions=6, sentences=16,
)  # fmt: skip
_LARGE = World(
    name="large", topics=64, nouns=24, places=12, names=64, stages=24, verbs=8, start=9,
    classes=8, adjectives=8, prepositions=8, sentences=24,
)  # fmt: skip
_HUGE = World(
    name="huge", topics=128, nouns=41, places=16, names=128, stages=32, verbs=14, start=12,
    classes=16, adjectives=18, prepositions=23, sentences=24,
)  # fmt: skip
_FULL = World(
    name="full", topics=256, nouns=80, places=32, names=256, stages=48, verbs=16, start=18,
    classes=16, adjectives=17, prepositions=23, sentences=24,
)  # fmt: skip

# V: tiny 28, small and control 152, medium 959, large 2,641, huge 8,192, full 30,000. In "control" a document
# stays at one stage, so its sentences can be told in any order: order carries no information, and whoever reads
# it above chance has found a leak.
WORLDS: dict[str, World] = {
    world.name: world for world in (_TINY, _SMALL, _CONTROL, _MEDIUM, _LARGE, _HUGE, _FULL)
}


def find_world(world: str | World) -> World:
    """The world of that name; a `World` is returned as it is. Unknown name: ValueError."""
    if isinstance(world, World):
        return world
    if world not in WORLDS:
        raise ValueError(f"world: got {world!r}, expected one of {', '.join(WORLDS)}")
    return WORLDS[world]
