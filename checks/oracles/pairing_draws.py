"""Sentence pairs by Python's own random numbers, with the known mistakes as options, and what many pairs show.

Nothing random can be compared value by value: shares of what happens in many pairs are compared instead.
"""

import math
import random
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from checks.oracles.pairs import Documents, Lookup, Run, corpus, places
from checks.subject import Raised, Seed, Subject
from lessons.given.records import SentencePair

Counts = dict[str, list[int]]
WORLD = corpus((5, 1, 0, 12, 30, 8), np.random.default_rng(3), longest=2)
LOOKUP = Lookup(WORLD)
DUE = list(places(WORLD))
CALLS = 200
# The name of a setting of the naming probe, its range of sentences, and whether `same_place` is set.
SETTINGS = (("2-4", (2, 4), False), ("1-1", (1, 1), False), ("1-3 same place", (1, 3), True))
PROBE_CALLS = 40
SIGMAS = 5
# Equal documents and sentences that stand twice, for which no look-up serves; `chance_of_a_gap` is small in each.
TWINS = [[[5], [5], [6]], [[5], [5], [6]], [[8]]]
ONLY_TWINS = [[[5], [6]], [[5], [6]]]
REPEATED = [[[5], [6], [5], [7]], [[5], [5]]]
TRIES, FEW_TRIES = 250, 80


def outcomes(documents: Documents, task: str) -> list[dict[str, float]]:
    """For each place the pairs of single sentences that can come of it, as texts, and the chance of each.

    Equal documents stay two.
    """
    found = []
    for d, i in places(documents):
        first, true = documents[d][i : i + 2]
        chances = defaultdict(float, {repr((first, true, 1)): 0.5})
        others = (
            [[true]] if task == "sop" else [other for o, other in enumerate(documents) if o != d and other]
        )
        for other in others:
            for sentence in other:
                pair = (true, first) if task == "sop" else (first, sentence)
                chances[repr((*pair, 0))] += 0.5 / len(others) / len(other)
        found.append(dict(chances))
    return found


def chance_of_a_gap(documents: Documents, task: str, tries: int) -> float:
    """The chance, at most, that some outcome stays away from so many right draws."""
    return sum((1 - chance) ** tries for place in outcomes(documents, task) for chance in place.values())


def draw(
    task: str,
    rng: random.Random,
    sentences: tuple[int, int] = (1, 1),
    same_place: bool = False,
    *,
    label: str = "course",
    share: float = 0.5,
    negative: str = "",
    start: str = "uniform",
    place: str = "after",
    lengths: str = "each",
    room: int = 1,
    step: str = "one",
    last: int = 1,
) -> list[SentencePair]:
    """The pairs of WORLD, one by one.

    Options (the known mistakes): `label` "google" (1 for a negative), "noise" (says nothing), "alternates"; `share` of
    negatives; `negative` "any" document, "own", "next", "by length" of the others, "swap" (of the true pair), "others"
    (for SOP), "backward" (the sentences before); `start` "first", "fits"; `place` "ignored", "at first"; `lengths`
    "exclusive", "one" for both, "most", "exact"; `room`, sentences left after the first; `step` "whole" (pairs do not
    overlap); `last`, sentences at the end of a document where no pair begins.
    """
    low, high = sentences
    negative = negative or {"nsp": "others", "sop": "swap"}[task]
    pairs: list[SentencePair] = []
    for d, document in enumerate(WORLD):
        i = 0
        while i < len(document) - last:
            a, b = (
                rng.randint(low, high - (lengths == "exclusive")),
                rng.randint(low, high - (lengths == "exclusive")),
            )
            a, b = {"one": (a, a), "most": (high, high)}.get(lengths, (a, b))
            at = i
            i += a + b if step == "whole" else 1
            if lengths == "exact" and at + a + b > len(document):
                continue
            a = min(a, len(document) - room - at)
            odd = label == "alternates" and len(pairs) % 2 == 1
            bad = odd if label == "alternates" else rng.random() < share
            first, second = document[at : at + a], document[at + a : at + a + b]
            if bad and negative == "swap":
                first, second = second, first
            elif bad and negative == "backward":
                second = document[max(0, at - b) : at] or second
            elif bad:
                source = _source(rng, d, negative)
                second = _from(rng, source, at, a, b, same_place, start, place)
            flag = {"google": bad, "noise": rng.random() < 0.5}.get(label, not bad)
            pairs.append(SentencePair(_flat(first), _flat(second), int(flag)))
    return pairs


def _source(rng: random.Random, d: int, negative: str) -> list[list[int]]:
    others = [o for o in LOOKUP.filled if o != d]
    if negative == "by length":
        others = [o for o in others for _ in WORLD[o]]
    elif negative == "next":
        others = [LOOKUP.filled[(LOOKUP.filled.index(d) + 1) % len(LOOKUP.filled)]]
    elif negative in ("any", "own"):
        others = LOOKUP.filled if negative == "any" else [d]
    return WORLD[rng.choice(others)]


def _from(
    rng: random.Random, source: list, i: int, a: int, b: int, same_place: bool, start: str, place: str
) -> list[list[int]]:
    if same_place and place != "ignored":
        begin = min(i + (a if place == "after" else 0), len(source) - 1)
    else:
        begin = {"first": 0, "fits": rng.randint(0, max(len(source) - b, 0))}.get(
            start, rng.randrange(len(source))
        )
    return source[begin : begin + b]


def _flat(sentences: list[list[int]]) -> list[int]:
    return [word for sentence in sentences for word in sentence]


def shown(pairs: Any, sentences: tuple[int, int]) -> Counts:
    """What the pairs of one call show: each fact as [how often, of how many]."""
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()

    def note(name: str, fact: bool) -> None:
        hits[name] += fact
        tries[name] += 1

    pairs = [p for p in pairs if isinstance(p, SentencePair)] if isinstance(pairs, list) else []
    hits["pairs for each place"], tries["pairs for each place"] = len(pairs), len(DUE)
    for one, other in pairwise(pairs):
        note("a neighbour has the same label", one.label == other.label)
    for pair, due in zip(pairs, DUE, strict=False):
        first, second = LOOKUP.run(pair.first), LOOKUP.run(pair.second)
        note("label 1", pair.label == 1)
        note("a segment is empty", pair.first == [] or pair.second == [])
        note("whole sentences", first is not None and second is not None)
        if first and second:
            _note_places(note, first, second, due, f"label {pair.label}: ", sentences)
    return {name: [hits[name], tries[name]] for name in sorted(tries)}


def _note_places(
    note: Any, first: Run, second: Run, due: tuple[int, int], label: str, sentences: Any
) -> None:
    others = [o for o in LOOKUP.filled if o != first.document]
    document = WORLD[second.document]
    note(label + "begins where it is due", (first.document, first.start) == due)
    note(label + "one document", first.document == second.document)
    note(label + "follows", second[:2] == (first.document, first.end))
    note(label + "precedes", first[:2] == (second.document, second.end))
    if first.document != second.document:
        note(label + "first of the others", second.document == others[0])
        note(label + "longest of the others", second.document == max(others, key=lambda o: len(WORLD[o])))
        after = min((o for o in others if o > first.document), default=others[0])
        note(label + "next document", second.document == after)
        note(label + "from the start", second.start == 0)
        if len(document) > sentences[1]:
            note(label + "the last sentence only", second.start == len(document) - 1)
        note(label + "same place", second.start == min(first.end, len(document) - 1))
        note(label + "place of the first", second.start == min(first.start, len(document) - 1))
    room = (len(WORLD[first.document]) - 1 - first.start, len(document) - second.start)
    if min(room) >= sentences[1]:
        note(label + "equally many sentences", first.size == second.size)
        for n in range(sentences[0], sentences[1] + 1):
            note(label + f"{n} in the first", first.size == n)
            note(label + f"{n} in the second", second.size == n)


def total(parts: list[Counts]) -> Counts:
    """Counts of many calls added up."""
    names = sorted({name for part in parts for name in part})
    return {name: [sum(part.get(name, [0, 0])[k] for part in parts) for k in (0, 1)] for name in names}


def run_probe(subject: Subject, function: str) -> dict[str, Counts]:
    """What the judged function's pairs show under each setting; an exception is a fact like another."""
    key = f"{function} shows"
    if key not in subject.cache:
        subject.cache[key] = {
            setting[0]: _seen(subject, function, *setting) for setting in _settings(function)
        }
    return subject.cache[key]


def _seen(subject: Subject, function: str, name: str, sentences: tuple[int, int], same_place: bool) -> Counts:
    settings = {"sentences": sentences} | ({"same_place": True} if same_place else {})
    calls = [[WORLD, Seed(seed)] for seed in range(PROBE_CALLS)]
    try:
        results = subject.call_each(function, calls, **settings)
    except Raised as raised:
        return {raised.counts_as: [1, 1]}
    return total([shown(pairs, sentences) for pairs in results])


class Simulated:
    """What `draw` shows under some options, setting by setting as it is asked for."""

    def __init__(self, function: str, **options: Any) -> None:
        self.function = function
        self.options = tuple(sorted(options.items()))

    def part(self, name: str) -> Counts:
        """The counts under the setting `name`."""
        return _simulated(self.function, self.options, name)


@lru_cache(maxsize=256)
def _simulated(function: str, options: tuple[tuple[str, Any], ...], name: str) -> Counts:
    _, sentences, same_place = next(setting for setting in SETTINGS if setting[0] == name)
    rng = random.Random(name)
    task = function.partition("_")[0]
    try:
        calls = [draw(task, rng, sentences, same_place, **dict(options)) for _ in range(PROBE_CALLS)]
    except ValueError:
        return {"ValueError": [1, 1]}
    return total([shown(pairs, sentences) for pairs in calls])


def _settings(function: str) -> tuple:
    return SETTINGS if function == "nsp_pairs" else SETTINGS[:2]


def agree(seen: dict[str, Counts], wanted: Simulated) -> bool:
    """Two samples show the same: the same facts, none or all alike, shares within five standard errors."""
    for name, part in seen.items():
        if part.get("whole sentences", [1, 1])[0] == 0:
            return False  # nothing of the documents is in the pairs: no option does that, and none need be simulated
        other = wanted.part(name)
        if part.keys() != other.keys() or not all(_alike(part[fact], other[fact]) for fact in part):
            return False
    return True


def _alike(one: list[int], other: list[int]) -> bool:
    (a, m), (b, n) = one, other
    if (a in (0, m)) and (b in (0, n)):
        return (a == 0) == (b == 0) or 0 in (m, n)
    pooled = (a + b) / (m + n)
    return abs(a / m - b / n) <= SIGMAS * math.sqrt(pooled * (1 - pooled) * (1 / m + 1 / n))
