"""Right variants of lesson 2."""

from textwrap import indent

from checks.gate.edits import Edit, Variant

_SELECT_LOOP = """
def select_positions(
    input_ids: Int[np.ndarray, "..."], rng: np.random.Generator, probability: float = 0.15
) -> Bool[np.ndarray, "..."]:
    ids = np.asarray(input_ids)
    chosen = np.zeros(ids.shape, dtype=bool)
    for place in np.ndindex(*ids.shape):
        if ids[place] >= 5:
            chosen[place] = rng.random() < probability
    return chosen
"""
_SELECT_BINOMIAL = """
def select_positions(
    input_ids: Int[np.ndarray, "..."], rng: np.random.Generator, probability: float = 0.15
) -> Bool[np.ndarray, "..."]:
    ids = np.array(input_ids)
    ones = rng.binomial(1, probability, size=ids.shape).astype(bool)
    ones[np.isin(ids, range(len(SPECIAL_TOKENS)))] = False
    return ones
"""
_SELECT_WORDS = """
def select_positions(
    input_ids: Int[np.ndarray, "..."], rng: np.random.Generator, probability: float = 0.15
) -> Bool[np.ndarray, "..."]:
    words = input_ids > 4
    chosen = np.zeros_like(words)
    chosen[words] = rng.uniform(size=int(words.sum())) >= 1 - probability
    return chosen
"""
_HEAD = """
def mask_tokens(
    input_ids: Int[np.ndarray, "..."],
    vocab_size: int,
    rng: np.random.Generator,
    probability: float = 0.15,
    selected: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Int[np.ndarray, "..."], Int[np.ndarray, "..."]]:
"""
_MASK_LOOP = (
    _HEAD
    + """
    if selected is None:
        selected = select_positions(input_ids, rng, probability)
    masked_ids, labels = np.array(input_ids, dtype=np.int64), np.full(input_ids.shape, -100, dtype=np.int64)
    for place in np.ndindex(*input_ids.shape):
        if not selected[place] or input_ids[place] < 5:
            continue
        labels[place] = input_ids[place]
        fate = rng.random()
        if fate < 0.8:
            masked_ids[place] = MASK_ID
        elif fate < 0.9:
            masked_ids[place] = rng.integers(5, vocab_size)
    return masked_ids, labels
"""
)
_MASK_NESTED = (
    _HEAD
    + """
    ids = input_ids.astype(np.int64)
    places = select_positions(ids, rng, probability) if selected is None else selected & (ids > MASK_ID)
    labels = np.full_like(ids, IGNORE_INDEX)
    labels[places] = ids[places]
    hide = places & (rng.random(ids.shape) < 0.8)
    swap = places & ~hide & (rng.random(ids.shape) < 0.5)
    ids[hide] = MASK_ID
    ids[swap] = rng.integers(5, vocab_size, size=int(swap.sum()))
    return ids, labels
"""
)
_MASK_ONE_NUMBER = (
    _HEAD
    + """
    input_ids = input_ids.astype(np.int64)
    draw = rng.random(input_ids.shape)
    words = input_ids >= len(SPECIAL_TOKENS)
    if selected is None:
        chosen = (draw < probability) & words
        fate = draw / probability if probability else draw
    else:
        chosen, fate = words & selected, draw
    new = np.select([fate < 0.1, fate < 0.2], [rng.integers(5, vocab_size, input_ids.shape), input_ids], MASK_ID)
    return np.where(chosen, new, input_ids), np.where(chosen, input_ids, -100)
"""
)
_MASK_CHOICE = (
    _HEAD
    + """
    ids = np.asarray(input_ids)
    chosen = select_positions(ids, rng, probability) if selected is None else np.logical_and(selected, ids >= 5)
    where = np.nonzero(chosen)
    originals = ids[where]
    fates = rng.choice(3, size=len(originals), p=[0.1, 0.1, 0.8])
    masked_ids, labels = ids.copy(), np.full(ids.shape, -100)
    masked_ids[where] = np.choose(fates, [originals, rng.choice(np.arange(5, vocab_size), len(originals)), 4])
    labels[where] = originals
    return masked_ids.astype(np.int64), labels
"""
)
_SPANS_HEAD = """
def select_spans(
    input_ids: Int[np.ndarray, "..."], rng: np.random.Generator, probability: float = 0.15, max_ngram: int = 3
) -> Bool[np.ndarray, "..."]:
"""
_SPANS_SETS = (
    _SPANS_HEAD
    + """
    weights = [1 / n for n in range(1, max_ngram + 1)]
    limits = np.cumsum(weights) / sum(weights)

    def one(row: np.ndarray) -> list[bool]:
        free = {i for i, token in enumerate(row.tolist()) if token >= 5}
        left = max(1, round(probability * len(free))) if free and probability > 0 else 0
        taken: set[int] = set()
        while left:
            n = min(1 + int((rng.random() >= limits[:-1]).sum()), left)
            while True:
                starts = [i for i in sorted(free) if all(i + j in free for j in range(n))]
                if starts:
                    break
                n -= 1
            start = starts[int(rng.integers(len(starts)))]
            span = set(range(start, start + n))
            taken |= span
            free -= span
            left -= n
        return [i in taken for i in range(len(row))]

    ids = np.asarray(input_ids)
    if ids.ndim == 1:
        return np.array(one(ids))
    return np.array([one(row) for row in ids])
"""
)
_SPANS_REJECTION = (
    _SPANS_HEAD
    + """
    ids = np.asarray(input_ids)
    rows = ids.reshape(-1, ids.shape[-1])
    out = np.zeros(rows.shape, bool)
    lengths = 1 + np.arange(max_ngram)
    for row, chosen in zip(rows, out):
        words = row > 4
        if not words.any() or probability == 0:
            continue
        budget = max(round(probability * int(words.sum())), 1)
        while chosen.sum() < budget:
            n = min(rng.choice(lengths, p=(1 / lengths) / np.sum(1 / lengths)), budget - chosen.sum())
            free = words & ~chosen
            longest = max(len(run) for run in "".join("x" if f else " " for f in free).split())
            n = int(min(n, longest))
            while True:
                start = int(rng.integers(0, len(row) - n + 1))
                if free[start : start + n].all():
                    break
            chosen[start : start + n] = True
    return out.reshape(ids.shape)
"""
)
_FAULTS_HEAD = """
def find_faults(mask_tokens: MaskTokens, vocab_size: int, rng: np.random.Generator) -> list[str]:
"""
_FAULTS_LOOK = """
    faults = []
    ids = rng.integers(0, 12, size=(6000, 40))
    words = ids >= 5
    before = ids.copy()
    old_state = np.random.get_state()[1].copy()
    masked, labels = mask_tokens(ids, 12, np.random.default_rng(1))
    if (old_state != np.random.get_state()[1]).any() or not np.array_equal(ids, before):
        faults.append("side effects")
    ids = before
    chosen = labels != -100
    if (chosen & ~words).any() or (labels != ids)[chosen].any() or (masked != ids)[~chosen].any():
        return [*faults, "rules of labels"]

    def off(hits: np.ndarray, share: float) -> bool:
        return abs(hits.mean() - share) > 6 * np.sqrt(share * (1 - share) / hits.size)

    if off(chosen[words], 0.15):
        faults.append("rate")
    counts = chosen[:, :].sum(axis=1)
    if off(counts[words.sum(axis=1) > 5] == 0, float((0.85 ** words.sum(axis=1)).mean())) and counts.var() < 1:
        faults.append("spread")
    selected = np.ones(ids.shape, bool)
    masked, labels = mask_tokens(ids, 12, np.random.default_rng(2), selected=selected)
    if not np.array_equal(labels != -100, words) or not selected.all():
        return [*faults, "selected"]
    for hits, share in ((masked == 4, 0.8), (masked == ids, 0.1 + 0.1 / 7)):
        if off(hits[words], share):
            faults.append("shares")
    new = masked[words & (masked != ids) & (masked != 4)]
    counts = np.bincount(new, minlength=12)[5:]
    if (new < 5).any() or (np.abs(counts - counts.mean()) > 8 * np.sqrt(counts.mean())).any():
        faults.append("words")
    few = np.full(20, 7)
    numbers = [int((mask_tokens(few, 12, np.random.default_rng(i))[1] == 7).sum()) for i in range(200)]
    if not 1.5 < np.var(numbers) < 4.5:
        faults.append("number chosen")
    return faults
"""
_FAULTS_SHORT = f"""{_FAULTS_HEAD}
    def look():
{indent(_FAULTS_LOOK, "    ")}
    try:
        return look()
    except Exception as error:
        return [repr(error)]
"""
_FAULTS_NEXT = "            faults.extend(_wrong_chance(mask_tokens, size, rng))\n"
_FAULTS_EARLY = """
            if faults:
                return ["broken rules"]
""".lstrip("\n")


def _variant(name: str, exercise: str, text: str, says: str) -> Variant:
    return Variant(name, exercise, Edit(functions={exercise: text}), says)


VARIANTS = (
    _variant("positions_loop", "select_positions", _SELECT_LOOP, "draws for words only, one at a time"),
    _variant("positions_binomial", "select_positions", _SELECT_BINOMIAL, "draws zeros and ones"),
    _variant(
        "positions_words", "select_positions", _SELECT_WORDS, "draws for all words together, above a limit"
    ),
    _variant("mask_loop", "mask_tokens", _MASK_LOOP, "goes place by place"),
    _variant("mask_nested", "mask_tokens", _MASK_NESTED, "halves the rest; draws words only where needed"),
    _variant("mask_one_number", "mask_tokens", _MASK_ONE_NUMBER, "one number chooses the place and its fate"),
    _variant("mask_choice", "mask_tokens", _MASK_CHOICE, "draws fates by name, for chosen places only"),
    _variant("spans_sets", "select_spans", _SPANS_SETS, "keeps free places in a set"),
    _variant("spans_rejection", "select_spans", _SPANS_REJECTION, "draws starts until one fits"),
    _variant("faults_short", "find_faults", _FAULTS_SHORT, "a few shares with limits of six deviations"),
    Variant(
        "faults_early",
        "find_faults",
        Edit(swap=((_FAULTS_NEXT, _FAULTS_EARLY + _FAULTS_NEXT),)),
        "stops at the first broken rule",
    ),
)
