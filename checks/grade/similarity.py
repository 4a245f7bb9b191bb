"""Which submissions are suspiciously alike, after what everybody was given is taken away.

Stub, reference and every right variant are subtracted: right answers to a small exercise look alike by themselves.
How alike honest solutions are is measured on the variants, which were written independently of each other; a pair
is marked only where it is far beyond that. It is a reason to look, never a proof.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from checks.gate.edits import SOLUTIONS, edited_source
from checks.grade.fingerprints import fingerprints
from checks.stubs import stub_text
from checks.variants import variants_of

FEWEST_SHARED = 8
LEAST_SHARE = 0.4


@dataclass(frozen=True)
class Pair:
    """Two submissions: what they share of the smaller one's own fingerprints, and where it stands."""

    one: str
    other: str
    shared: int
    smaller: int
    places: tuple[tuple[str, int, int], ...]

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.shared / self.smaller if self.smaller else 0.0

    @property
    def suspicious(self) -> bool:
        """Far beyond what honest solutions share."""
        return self.shared >= FEWEST_SHARED and self.share >= LEAST_SHARE


def similar_pairs(submissions: Mapping[str, Mapping[str, bytes]], lessons: tuple[str, ...]) -> list[Pair]:
    """All pairs that share anything, the most alike first."""
    own = {
        key: {lesson: _own(files[lesson], lesson) for lesson in lessons if lesson in files}
        for key, files in submissions.items()
    }
    pairs = [_pair(one, other, own[one], own[other]) for one, other in combinations(sorted(own), 2)]
    return sorted(
        (p for p in pairs if p.shared), key=lambda p: (-p.suspicious, -p.share, -p.shared, p.one, p.other)
    )


def honest_shares(lesson: str) -> list[float]:
    """How alike independent right solutions of a lesson are, each pair with everything else subtracted."""
    texts = {v.id: edited_source(lesson, v.edit) for v in variants_of(lesson)}
    found = {name: fingerprints(text) for name, text in texts.items()}
    base = _given(lesson)
    shares = []
    for one, other in combinations(found, 2):
        rest = base.union(*(set(f) for name, f in found.items() if name not in (one, other)))
        left, right = set(found[one]) - rest, set(found[other]) - rest
        if min(len(left), len(right)) >= FEWEST_SHARED:
            shares.append(len(left & right) / min(len(left), len(right)))
    return sorted(shares)


@cache
def common(lesson: str) -> frozenset[int]:
    """Fingerprints of stub, reference and all right variants."""
    variants = (fingerprints(edited_source(lesson, variant.edit)) for variant in variants_of(lesson))
    return frozenset(_given(lesson).union(*variants))


@cache
def _given(lesson: str) -> frozenset[int]:
    reference = (SOLUTIONS / f"{lesson}.py").read_text(encoding="utf-8")
    return frozenset({*fingerprints(reference), *fingerprints(stub_text(lesson))})


def _own(text: bytes, lesson: str) -> dict[int, int]:
    found = fingerprints(text.decode("utf-8", errors="replace"))
    return {value: line for value, line in found.items() if value not in common(lesson)}


def _pair(one: str, other: str, left: dict[str, dict[int, int]], right: dict[str, dict[int, int]]) -> Pair:
    shared, sizes, places = 0, [0, 0], []
    for lesson in sorted({*left, *right}):
        mine, theirs = left.get(lesson, {}), right.get(lesson, {})
        both = set(mine) & set(theirs)
        shared += len(both)
        sizes = [sizes[0] + len(mine), sizes[1] + len(theirs)]
        places += [(lesson, mine[value], theirs[value]) for value in both]
    return Pair(one, other, shared, min(sizes), tuple(sorted(set(places))))
