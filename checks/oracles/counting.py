"""Oracle of lesson 12: every tensor of a model listed by its shape, every matrix product by its three sizes."""

from typing import Any

import numpy as np

from checks.judge import Probe
from checks.oracles.counting_mistakes import MISTAKES
from checks.subject import Subject
from lessons.given.config import ModelConfig

__all__ = ["MISTAKES", "PROBES", "count", "flops", "table"]

Entry = tuple[str, str, Any]
KEYS = (
    "word",
    "position",
    "segment",
    "embedding_norm",
    "projection",
    "encoder",
    "pooler",
    "mlm_head",
    "sentence_head",
    "total",
)


def count(
    entries: list[Entry],
    *,
    ties: str = "once",
    kinds: str = "parameter frozen half meta",
    what: str = "numbers",
) -> int:
    """Numbers in a structure (see `Subject.structure`), entry by entry.

    Options: `ties` "each" use; `kinds` that count; `what` "tensors", "rows" (the first size only), "top" (only names
    without a dot), "shapes" (equal shapes count once).
    """
    shapes: dict[str, tuple[str, list[int]]] = {}
    total, seen = 0, set()
    for name, kind, what_for in entries:
        if kind != "tie":
            shapes[name] = (kind, what_for)
            reached = {name: shapes[name]}
        else:
            # A tie to a module reaches all that stands below it.
            reached = {
                name + other.removeprefix(what_for): found
                for other, found in shapes.items()
                if other == what_for or other.startswith(what_for + ".")
            }
            shapes |= reached
        for full, (sort, shape) in reached.items():
            counts = sort in kinds.split() and (kind != "tie" or ties == "each")
            if not counts or (what == "top" and "." in full) or (what == "shapes" and tuple(shape) in seen):
                continue
            seen.add(tuple(shape))
            total += {"tensors": 1, "rows": shape[0]}.get(what, int(np.prod(shape, dtype=int)))
    return total


def shapes(
    config: ModelConfig,
    factorized: bool,
    *,
    width: str = "E",
    projection_bias: bool = True,
    norms: int = 2,
    bias: bool = True,
    attention: int = 4,
    head: str = "narrow",
    tied: bool = True,
    head_bias: bool = True,
    layers: str = "sharing",
    sharing_swapped: bool = False,
    projection_where: str = "factorized",
    group: str = "all",
    norm_size: int = 2,
) -> list[tuple[str, tuple[int, ...]]]:
    """(component, shape) of every distinct tensor.

    Options: `width` "D" (position and segment tables, and their norm, of width D); `projection_bias`, `bias` False;
    `norms` a layer; `attention`, its linear layers; `head` "wide" (D -> D); `tied` False (the decoder has a matrix);
    `head_bias` False; `layers` "each use", "one"; `sharing_swapped` ("attention" and "ffn" exchanged);
    `projection_where` "needed" (not at E = D); `group` "any" sharing; `norm_size` 1 (no bias).
    """
    c, E, D, F = config, config.d_embedding, config.d_model, config.d_ff
    W = D if width == "D" else E
    found: list[tuple[str, tuple[int, ...]]] = []

    def linear(part: str, n: int, m: int, with_bias: bool = True) -> None:
        found.append((part, (m, n)))
        found.extend([(part, (m,))] if with_bias else [])

    def norm(part: str, n: int) -> None:
        found.extend([(part, (n,))] * norm_size)

    found += [("word", (c.vocab_size, E)), ("position", (c.max_len, W)), ("segment", (c.n_segments, W))]
    norm("embedding_norm", W)
    if factorized and not (projection_where == "needed" and E == D):
        linear("projection", E, D, projection_bias)
    sharing: str = c.sharing
    if sharing_swapped:
        sharing = {"attention": "ffn", "ffn": "attention"}.get(sharing, sharing)
    kinds: set[tuple[str, int]] = set()
    for i in range(c.n_layers):
        grouped = i * c.n_groups // c.n_layers
        own = grouped if sharing == "all" or (group == "any" and sharing != "none") else i
        own = {"each use": i, "one": 0}.get(layers, own)
        one_attention = 0 if sharing == "attention" and layers == "sharing" else own
        one_feed_forward = 0 if sharing == "ffn" and layers == "sharing" else own
        if ("attention", one_attention) not in kinds:
            kinds.add(("attention", one_attention))
            for _ in range(attention):
                linear("encoder", D, D, bias)
            for _ in range(norms // 2):
                norm("encoder", D)
        if ("feed_forward", one_feed_forward) not in kinds:
            kinds.add(("feed_forward", one_feed_forward))
            linear("encoder", D, F, bias)
            linear("encoder", F, D, bias)
            for _ in range(norms - norms // 2):
                norm("encoder", D)
    linear("pooler", D, D)
    inner = D if head == "wide" else E
    linear("mlm_head", D, inner)
    norm("mlm_head", inner)
    found += [] if tied else [("mlm_head", (c.vocab_size, E))]
    found += [("mlm_head", (c.vocab_size,))] if head_bias else []
    linear("sentence_head", D, 2)
    return found


def table(config: ModelConfig, factorized: bool, **options: Any) -> dict[str, int]:
    """Sizes added up by component."""
    sums = dict.fromkeys(KEYS, 0)
    for part, shape in shapes(config, factorized, **options):
        sums[part] += int(np.prod(shape, dtype=int))
    sums["total"] = sum(sums.values())
    return sums


def flops(
    config: ModelConfig,
    tokens: int,
    factorized: bool,
    masked: int = 0,
    *,
    each: int = 2,
    scores: str = "TT",
    depth: str = "applied",
    leave_out: str = "",
    decoder: str = "masked",
    pooled: str = "first",
    lookup: bool = False,
) -> int:
    """2 n k m for each product [n, k] x [k, m], head by head.

    Options: `each` 1 (a multiply-add is one); `scores` "T" (linear in the length), "none", "one product", "heads" (each
    as wide as D); `depth` "stored" (a shared layer works once); `leave_out` some of "value", "contract", "projection",
    "pooler", "sentence", "dense"; `decoder` or `pooled` "all" tokens; `lookup` (the word table is a product).
    """
    c, T, D, F, E, V = config, tokens, config.d_model, config.d_ff, config.d_embedding, config.vocab_size
    K = D if scores == "heads" else c.d_head
    left = leave_out.split()
    layer = [(T, D, D)] * (3 if "value" in left else 4) + [(T, D, F)]
    layer += [] if "contract" in left else [(T, F, D)]
    for _ in range(c.n_heads):
        products = {
            "TT": [(T, K, T), (T, T, K)],
            "heads": [(T, K, T), (T, T, K)],
            "T": [(T, K, 1), (1, T, K)],
        }
        layer += products.get(scores, [(T, K, T)] if scores == "one product" else [])
    stored = {"all": c.n_groups, "none": c.n_layers}.get(c.sharing, c.n_layers)
    every = layer * (stored if depth == "stored" else c.n_layers)
    every += [(T, E, D)] if factorized and "projection" not in left else []
    rows = T if pooled == "all" else 1
    every += [] if "pooler" in left else [(rows, D, D)]
    every += [] if "sentence" in left else [(rows, D, 2)]
    m = T if decoder == "all" else masked
    every += [] if "dense" in left else [(m, D, E)]
    every += [(m, E, V)] + ([(T, V, E)] if lookup else [])
    return sum(each * a * b * c for a, b, c in every)


def break_even(vocab_size: int, d_model: int, *, form: str = "right") -> float:
    """The width at which V E + E D meets V D, by bisection.

    Options: `form` "ratio", "root", "bias" (with the projection's bias), "double", "whole" (rounded down).
    """
    V, D = vocab_size, d_model
    wrong = {
        "ratio": V / D,
        "root": (V * D) ** 0.5,
        "bias": (V * D - D) / (V + D),
        "double": 2 * V * D / (V + D),
        "whole": float(V * D // (V + D)),
    }
    if form in wrong:
        return wrong[form]
    low, high = 0.0, float(D)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if V * middle + middle * D < V * D else (low, middle)
    return low


def config(**changes: Any) -> ModelConfig:
    """Sizes of which no two are equal, nor any two sums that a mistake might mix up."""
    sizes = {
        "vocab_size": 101,
        "max_len": 13,
        "n_segments": 3,
        "d_model": 12,
        "d_embedding": 5,
        "n_layers": 6,
        "n_heads": 3,
        "d_ff": 31,
    }
    return ModelConfig(**(sizes | changes))


STRUCTURE: list[Entry] = [
    ("word.weight", "parameter", [11, 3]),
    ("layers.0.dense.weight", "parameter", [3, 5]),
    ("layers.0.dense.bias", "parameter", [5]),
    ("layers.1", "tie", "layers.0"),
    ("layers.2.dense.weight", "parameter", [3, 5]),
    ("layers.2.scale", "half", [7]),
    ("decoder.weight", "tie", "word.weight"),
    ("decoder.bias", "parameter", [11]),
    ("frozen", "frozen", [2, 2, 2]),
    ("position_ids", "buffer", [1, 17]),
]
_TABLES = [
    (config(sharing=sharing, n_groups=groups, d_embedding=width), True)
    for sharing, groups in (("none", 1), ("attention", 2), ("ffn", 3), ("all", 1), ("all", 3))
    for width in (5, 12)
] + [(config(d_embedding=12), False)]
_FLOPS = [(config(sharing="all"), 7, True, 2), (config(), 7, True, 0), (config(d_embedding=12), 9, False, 4)]
_SIZES = [[30_000, 768], [400, 128], [7, 5]]


def _tables(subject: Subject, case: list) -> Any:
    found = subject.call_each("parameter_table", [list(arguments) for arguments in case])
    return [dict(sorted(t.items(), key=str)) if isinstance(t, dict) else t for t in found]


COUNT_PROBE = Probe(
    "count_parameters",
    STRUCTURE,
    lambda subject, entries: subject.call("count_parameters", subject.structure(entries)),
    count,
)
TABLE_PROBE = Probe(
    "parameter_table",
    _TABLES,
    _tables,
    lambda case, **options: [dict(sorted(table(*arguments, **options).items())) for arguments in case],
)
FLOPS_PROBE = Probe(
    "forward_flops",
    _FLOPS,
    lambda subject, case: subject.call_each("forward_flops", [list(arguments) for arguments in case]),
    lambda case, **options: [flops(*arguments, **options) for arguments in case],
)
BREAK_EVEN_PROBE = Probe(
    "break_even_embedding",
    _SIZES,
    lambda subject, case: subject.call_each("break_even_embedding", case),
    lambda case, **options: [break_even(*arguments, **options) for arguments in case],
)
PROBES = (COUNT_PROBE, TABLE_PROBE, FLOPS_PROBE, BREAK_EVEN_PROBE)
