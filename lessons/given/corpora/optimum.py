"""The best that any model can do on a world: MLM floor, Bayes accuracy, and the simpler lines above the floor."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from lessons.given.corpora.ideal import ideal
from lessons.given.corpora.pairs import Pairing, cut_law, evaluation_mask, sample_pairs
from lessons.given.corpora.world import SLOTS, World
from lessons.given.corpora.worlds import find_world

CHUNK = 1024


class Estimate(NamedTuple):
    """A mean over sampled pairs and its standard error."""

    mean: float
    error: float


class Optimum(NamedTuple):
    """What no model can beat, beyond noise.

    `floor` is the expected loss in nats a masked word; `slots` the same by kind of slot ("the" and "." are 0);
    `without_agreement` the floor of a reader that knows all but the agreement of adjective and noun;
    `bayes_clean` and `bayes_masked` the best accuracy on the sentence task (None when the kind is "true").
    """

    floor: Estimate
    slots: dict[str, Estimate]
    without_agreement: Estimate
    bayes_clean: Estimate | None
    bayes_masked: Estimate | None


def optimum(
    world: str | World,
    pairing: Pairing | None = None,
    n: int = 8192,
    seed: int = 0,
    probability: float = 0.15,
) -> Optimum:
    """The optimum over `n` sampled pairs, with `[MASK]` at places chosen independently with `probability`.

    Each pair's posterior is exact; only the average over pairs is sampled. The figures are those of the
    evaluation: always `[MASK]` at chosen places, all words maskable, the special tokens not.

    Args:
        world: a `World` or its name.
        pairing: which pairs; left out, pairs of 2 or 3 sentences a segment in true order.
        n: how many pairs.
        seed: which pairs and places.
        probability: how often a place is masked.

    Example:
        >>> best = optimum("small", Pairing(kind="sop"), n=1024)
        >>> 0.85 < best.floor.mean < 0.90, best.bayes_clean.mean > best.bayes_masked.mean
        (True, True)
    """
    world, pairing = find_world(world), pairing or Pairing()
    law = cut_law(world, pairing)
    rng = np.random.default_rng([seed, 2])
    losses, unaware, counts, clean, noisy = [], [], [], [], []
    for group in sample_pairs(world, pairing, n, seed):
        for start in range(0, len(group.labels), CHUNK):
            pairs = type(group)(*(part[start : start + CHUNK] for part in group))
            masked = evaluation_mask(pairs, rng, probability)
            best = ideal(world, pairing, pairs, masked, law=law)
            less = ideal(world, pairing, pairs, masked, agreement=False, law=law)
            losses.append(-(np.log(best.words) * masked).sum(axis=1))
            unaware.append(-(np.log(less.words) * masked).sum(axis=1))
            counts.append(masked.sum(axis=1))
            noisy.append(np.maximum(best.true_order, 1 - best.true_order))
            if pairing.kind != "true":
                seen = ideal(world, pairing, pairs, np.zeros_like(masked), law=law)
                clean.append(np.maximum(seen.true_order, 1 - seen.true_order))
    loss, count = np.concatenate(losses), np.concatenate(counts)
    slots = {}
    for kind in dict.fromkeys(SLOTS):
        columns = [column for column, slot in enumerate(SLOTS) if slot == kind]
        slots[kind] = _ratio(loss[:, columns].sum(axis=1), count[:, columns].sum(axis=1))
    return Optimum(
        floor=_ratio(loss.sum(axis=1), count.sum(axis=1)),
        slots=slots,
        without_agreement=_ratio(np.concatenate(unaware).sum(axis=1), count.sum(axis=1)),
        bayes_clean=_ratio(np.concatenate(clean), np.ones(n)) if clean else None,
        bayes_masked=_ratio(np.concatenate(noisy), np.ones(n)) if clean else None,
    )


def _ratio(total: Float[np.ndarray, "P"], count: Float[np.ndarray, "P"]) -> Estimate:
    """The mean over all that is counted, and its standard error by the spread between pairs."""
    mean = total.sum() / count.sum()
    spread = total - mean * count
    return Estimate(float(mean), float(np.sqrt((spread**2).sum()) / count.sum()))
