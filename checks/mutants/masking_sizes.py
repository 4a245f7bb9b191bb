"""Mutants of lesson 2 that are wrong only for some sizes, dtypes or probabilities, by default, or between calls."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Mutant

_RATE = "test_each_word_is_chosen_with_the_probability_and_no_special_id"
_ENDS = "test_probability_0_chooses_nothing_and_1_every_word"
_LABELS = "test_labels_are_the_originals_at_selected_words_and_minus_100_elsewhere"
_UNIFORM = "test_random_words_are_uniform_over_the_words_the_original_included"
_ALONE = "test_without_selected_it_chooses_as_select_positions_does"
_OWN_FATE = "test_each_selected_word_meets_a_fate_of_its_own"
_UNTOUCHED = "test_the_arguments_are_left_as_they_are"
_BUDGET = "test_the_budget_of_each_row_is_met_exactly"
_LENGTHS = "test_span_lengths_are_drawn_in_proportion_to_one_over_n"

_SELECT = "return (rng.random(ids.shape) < probability) & (ids >= len(SPECIAL_TOKENS))"
_CHOSEN = "chosen = select_positions(ids, rng, probability) if selected is None else np.asarray(selected, dtype=bool)"
_IDS = "ids = np.asarray(input_ids, dtype=np.int64)"
_UNLABELLED = "labels = np.full(ids.size, IGNORE_INDEX, dtype=np.int64)"
_COPY = "masked_ids = ids.flatten()"
_DRAWN = "words = rng.integers(len(SPECIAL_TOKENS), vocab_size, size=places.size)"
_REPLACE = "new = np.where(fate >= 0.9, words, new)"
_BUDGETS = "budget = max(1, round(probability * maskable)) if maskable and probability > 0 else 0"
_FREE = "free_T = ids_T >= len(SPECIAL_TOKENS)"
_SELECT_DEFAULT = "rng: np.random.Generator, probability: float = {}\n) -> Bool"
_SPANS_DEFAULTS = "probability: float = {}, max_ngram: int = {}"
_KEPT = "_KEPT.setdefault(ids.size, np.empty(ids.size, np.int64))"


def _select(id: str, new: str, why: str, by: str = _ENDS) -> Mutant:
    return Mutant(f"positions_{id}", "select_positions", Edit(swap=((_SELECT, new),)), why, by)


def _cast(id: str, dtype: str, why: str) -> Mutant:
    return _select(id, _SELECT.replace("(ids >=", f"(ids.astype(np.{dtype}) >="), why)


def _mask(id: str, old: str, new: str, why: str, by: str = _LABELS, extra: str = "") -> Mutant:
    return Mutant(f"mask_{id}", "mask_tokens", Edit(swap=((old, new),), extra=extra), why, by)


def _spans(id: str, old: str, new: str, why: str, by: str = _BUDGET) -> Mutant:
    return Mutant(f"spans_{id}", "select_spans", Edit(swap=((old, new),)), why, by)


SIZES = (
    _select("first_512", f"ids = np.where(np.arange(ids.shape[-1]) < 512, ids, 0)\n    {_SELECT}", "no sequence is longer than 512"),
    _select("whole_per_cent", _SELECT.replace("rng.random(ids.shape) < probability", "rng.integers(0, 100, ids.shape) < probability * 100"), "a probability is a number of per cents"),
    _select("rounded", _SELECT.replace("< probability", "< round(probability, 2)"), "a probability is a number of per cents"),
    _select("per_cent_down", _SELECT.replace("< probability", "< int(probability * 100) / 100"), "a probability is a number of per cents"),
    _select("seldom_is_never", _SELECT.replace("< probability", "< (probability if probability > 0.01 else 0)"), "a small probability is none"),
    _select("wraps_below_zero", _SELECT.replace("ids >= len(SPECIAL_TOKENS)", "ids - ids.dtype.type(len(SPECIAL_TOKENS)) >= 0"), "a difference may be negative, in any dtype"),
    _cast("in_8_bits", "uint8", "8 bits tell words from special ids"),
    _cast("in_16_bits", "int16", "16 bits hold every id"),
    _cast("in_32_bits", "int32", "32 bits hold every id"),
    _select("some_tokens", f"assert ids.max() < 2**62\n    {_SELECT}", "there is always a token"),
    _select("single_always", f"if ids.size == 1:\n        return ids >= len(SPECIAL_TOKENS)\n    {_SELECT}", "a single word is the one to predict"),
    _select("single_never", f"if ids.size == 1 and probability < 1:\n        return ids < 0\n    {_SELECT}", "a single word has nothing to be predicted from"),
    Mutant("positions_default", "select_positions", Edit(swap=((_SELECT_DEFAULT.format(0.15), _SELECT_DEFAULT.format(0.2)),)), "20 % is usual", _RATE),
    _mask("default", "    probability: float = 0.15,\n    selected", "    probability: float = 0.2,\n    selected", "20 % is usual", _ALONE),
    _mask("ids_in_16_bits", _IDS, "ids = np.asarray(input_ids).astype(np.int16).astype(np.int64)", "16 bits hold every id"),
    _mask("ids_in_unsigned_16_bits", _IDS, "ids = np.asarray(input_ids).astype(np.uint16).astype(np.int64)", "16 bits hold every id"),
    _mask("labels_in_16_bits", "labels[places] = originals", "labels[places] = originals.astype(np.int16)", "16 bits hold every id"),
    _mask("first_512", _CHOSEN, f"{_CHOSEN}\n    chosen = chosen & (np.arange(ids.shape[-1]) < 512)", "no sequence is longer than 512"),
    _mask("at_most_76", _CHOSEN, f"{_CHOSEN}\n    chosen = chosen & (np.cumsum(chosen, axis=-1) <= 76)", "max_predictions_per_seq bounds the number"),
    _mask("each_word_once", _DRAWN, "words = rng.choice(np.arange(len(SPECIAL_TOKENS), vocab_size), places.size, replace=places.size > vocab_size - 5)", "random words are drawn without putting them back", _UNIFORM),
    _mask("each_new_word_once", _REPLACE, "n = int((fate >= 0.9).sum())\n    words[fate >= 0.9] = rng.choice(np.arange(len(SPECIAL_TOKENS), vocab_size), n, replace=n > vocab_size - 5)\n    " + _REPLACE, "random words are drawn without putting them back", _UNIFORM),
    _mask("single_hidden", _REPLACE, f"{_REPLACE}\n    new = np.where(places.size < 2, MASK_ID, new)", "a single word is hidden, so that there is something to predict", _OWN_FATE),
    _mask("labels_kept", _UNLABELLED, f"labels = {_KEPT}\n    labels[:] = IGNORE_INDEX", "an array of the right size can be used again", _UNTOUCHED, "_KEPT: dict = {}"),
    _mask("masked_kept", _COPY, f"masked_ids = {_KEPT}\n    masked_ids[:] = ids.ravel()", "an array of the right size can be used again", _UNTOUCHED, "_KEPT: dict = {}"),
    _spans("first_512", _FREE, f"{_FREE}\n        free_T[512:] = False", "no sequence is longer than 512"),
    _spans("in_8_bits", _FREE, "free_T = ids_T.astype(np.uint8) >= len(SPECIAL_TOKENS)", "8 bits tell words from special ids"),
    _spans("seldom_is_never", _BUDGETS, _BUDGETS.replace("> 0 ", "> 0.01 "), "a small probability is none"),
    _spans("rounded", _BUDGETS, _BUDGETS.replace("probability *", "round(probability, 2) *"), "a probability is a number of per cents"),
    _spans("default", _SPANS_DEFAULTS.format(0.15, 3), _SPANS_DEFAULTS.format(0.2, 3), "20 % is usual"),
    _spans("longest_by_default", _SPANS_DEFAULTS.format(0.15, 3), _SPANS_DEFAULTS.format(0.15, 4), "the longest span is 4", _LENGTHS),
    _spans("drawn_again", "                n -= 1\n", "                n = int(rng.integers(1, n))\n", "a length that does not fit is drawn again", _LENGTHS),
)  # fmt: skip
