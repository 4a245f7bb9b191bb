"""A trusted implementation of `mask_tokens` and of its faults, to be handed to a learner's `find_faults`.

It lives next to the judged code, because a function cannot cross the boundary; the check says in plain values
which fault it wants. It needs no solutions and no mutants.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from checks.subject.runtime import Runtime

Array = np.ndarray
DEFAULT = {
    "form": "vector",  # "loop": as a loop over places draws; "one draw": choice and fate from one number
    "fates": [0.8, 0.1],  # [MASK], random word
    "split": "chance",  # "exact": shares met exactly; "row": one fate a row
    "choice": "chance",  # "exact": that many in a call; "at least one"; "row": whole rows; "left": first columns
    "factor": 1.0,  # times the probability
    "basis": "words",  # "all": the share is one of all tokens
    "specials": False,  # may be chosen
    "lowest": 5,  # of the random words
    "beyond": 0,  # added to vocab_size
    "word": "each",  # "one": the same random word for a whole call; "others": never the original
    "labels": "original",  # "masked", "changed", "hidden", "everywhere"
    "ignore": -100,
    "in_place": "",  # "ids" or "selected" is written to
    "selected": "obeyed",  # "ignored", "specials" (obeyed there too)
    "generator": "given",  # "global", "fixed"
    "raises": "",  # for every "row" by itself, or where "selected" is given
}


def masker(**changes: Any) -> Callable[..., tuple[Array, Array]]:
    """`mask_tokens` with these entries of `DEFAULT` changed."""
    assert changes.keys() <= DEFAULT.keys(), changes
    options = {**DEFAULT, **changes}

    def mask_tokens(
        input_ids: Array,
        vocab_size: int,
        rng: np.random.Generator,
        probability: float = 0.15,
        selected: Array | None = None,
    ) -> tuple[Array, Array]:
        return _mask(options, input_ids, vocab_size, rng, probability, selected)

    return mask_tokens


def _mask(
    o: dict[str, Any], ids: Array, size: int, rng: Any, probability: float, selected: Array | None
) -> Any:
    rng = {"given": rng, "global": np.random, "fixed": np.random.default_rng(7)}[o["generator"]]
    ids = np.asarray(ids)
    if (o["raises"] == "row" and ids.ndim == 1) or (o["raises"] == "selected" and selected is not None):
        raise IndexError("too many indices for array")
    words = ids >= 5
    draw = rng.random(ids.shape)
    allowed = words | o["specials"]
    if selected is None or o["selected"] == "ignored":
        chosen = _choose(o, words, draw, probability, rng) & allowed
        again = draw / probability if probability and o["form"] == "one draw" else rng.random(ids.shape)
    else:
        chosen = np.asarray(selected, bool) & (allowed | (o["selected"] == "specials"))
        again = rng.random(ids.shape)
    fate = _fates(o, chosen, again, rng)
    random_words = _words(o, ids, size, rng)
    masked = np.where(fate == 1, 4, np.where(fate == 2, random_words, ids)).astype(np.int64)
    labels = _labels(o, ids, masked, chosen)
    if o["in_place"] == "ids":
        ids[...] = masked
    if o["in_place"] == "selected" and selected is not None:
        selected &= words
    return masked, labels


def _choose(o: dict[str, Any], words: Array, draw: Array, probability: float, rng: Any) -> Array:
    rate = probability * o["factor"]
    if o["basis"] == "all":
        rate *= words.size / max(1, int(words.sum()))
    if o["choice"] == "exact":
        places = np.flatnonzero(words)
        chosen = np.zeros(words.size, bool)
        chosen[rng.permutation(places)[: round(rate * len(places))]] = True
        return chosen.reshape(words.shape)
    if o["choice"] == "row":
        return np.broadcast_to(draw[..., :1] < rate, words.shape)
    if o["choice"] == "left":
        return np.arange(words.shape[-1]) < rate * words.shape[-1] + 0 * draw
    chosen = draw < rate
    if o["choice"] == "at least one" and probability and words.any() and not (chosen & words).any():
        chosen.flat[np.flatnonzero(words)[0]] = True
    return chosen


def _fates(o: dict[str, Any], chosen: Array, draw: Array, rng: Any) -> Array:
    hidden, drawn = o["fates"]
    if o["split"] == "row":
        draw = np.broadcast_to(draw[..., :1], draw.shape)
    if o["split"] == "exact":
        places = rng.permutation(np.flatnonzero(chosen))
        ranks = np.ones(chosen.size)
        ranks[places] = (np.arange(len(places)) + 0.5) / max(1, len(places))
        draw = ranks.reshape(chosen.shape)
    fate = np.where(draw < hidden, 1, np.where(draw < hidden + drawn, 2, 0))
    return np.where(chosen, fate, 0)


def _words(o: dict[str, Any], ids: Array, size: int, rng: Any) -> Array:
    integers = rng.randint if o["generator"] == "global" else rng.integers
    low, high = o["lowest"], size + o["beyond"]
    if o["form"] == "loop":
        return low + (rng.random(ids.shape) * (high - low)).astype(np.int64)
    if o["word"] == "one":
        return np.full(ids.shape, integers(low, high))
    if o["word"] == "others":
        shifted = integers(low, high - 1, size=ids.shape)
        return np.where(ids >= low, shifted + (shifted >= ids), shifted)
    return integers(low, high, size=ids.shape)


def _labels(o: dict[str, Any], ids: Array, masked: Array, chosen: Array) -> Array:
    where = {"changed": chosen & (masked != ids), "hidden": chosen & (masked == 4)}.get(o["labels"], chosen)
    if o["labels"] == "everywhere":
        where = np.ones_like(chosen)
    return np.where(where, masked if o["labels"] == "masked" else ids, o["ignore"]).astype(np.int64)


def faults_found(run: "Runtime", function: str, description: dict, vocab_size: int, seed: int) -> int:
    """How many lines `function(mask_tokens, vocab_size, rng)` returns for the implementation described."""
    found = run.attribute(function)(masker(**description), vocab_size, np.random.default_rng(seed))
    if type(found) is not list or any(type(line) is not str for line in found):
        raise TypeError(f"returned {found!r:.80}, expected a list of lines in words")
    return len(found)


OPERATIONS = {"faults_found": faults_found}
