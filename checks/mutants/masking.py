"""Mutants of lesson 2: the core functions. Those of the bonus functions are in `masking_bonus`."""

from checks.gate.edits import Edit, Mutant
from checks.mutants.masking_bonus import BONUS
from checks.mutants.masking_sizes import SIZES

_RATE = "test_each_word_is_chosen_with_the_probability_and_no_special_id"
_OWN_DRAW = "test_each_word_has_a_draw_of_its_own"
_ENDS = "test_probability_0_chooses_nothing_and_1_every_word"
_POSITIONS_RNG = "test_positions_come_from_the_generator_only"
_LABELS = "test_labels_are_the_originals_at_selected_words_and_minus_100_elsewhere"
_REST = "test_selected_words_become_mask_a_word_or_stay_and_the_rest_is_untouched"
_SHARES = "test_selected_words_become_mask_random_or_stay_by_80_10_10"
_UNIFORM = "test_random_words_are_uniform_over_the_words_the_original_included"
_ALONE = "test_without_selected_it_chooses_as_select_positions_does"
_OWN_FATE = "test_each_selected_word_meets_a_fate_of_its_own"
_UNTOUCHED = "test_the_arguments_are_left_as_they_are"
_MASKS_RNG = "test_masks_come_from_the_generator_only"

_SELECT = "return (rng.random(ids.shape) < probability) & (ids >= len(SPECIAL_TOKENS))"
_CHOSEN = "chosen = select_positions(ids, rng, probability) if selected is None else np.asarray(selected, dtype=bool)"
_WORDS_ONLY = "chosen = chosen & (ids >= len(SPECIAL_TOKENS))"
_UNLABELLED = "labels = np.full(ids.size, IGNORE_INDEX, dtype=np.int64)"
_LABELLED = "labels[places] = originals"
_FATE = "fate = rng.random(places.size)"
_DRAWN = "words = rng.integers(len(SPECIAL_TOKENS), vocab_size, size=places.size)"
_HIDE = "new = np.where(fate < 0.8, MASK_ID, originals)"
_REPLACE = "new = np.where(fate >= 0.9, words, new)"
_COPY = "masked_ids = ids.flatten()"
_IDS = "ids = np.asarray(input_ids, dtype=np.int64)"
_ORIGINALS = "originals = ids.ravel()[places]"
_RETURN = "    return masked_ids.reshape(ids.shape), labels.reshape(ids.shape)\n"

_EXACT = """
words = ids >= len(SPECIAL_TOKENS)
    k = np.rint(probability * words.sum(axis=-1, keepdims=True))
    order = np.where(words, rng.random(ids.shape), 2.0).argsort(axis=-1).argsort(axis=-1)
    return (order < k) & words
""".strip()
_EXACT_CALL = """
words = ids >= len(SPECIAL_TOKENS)
    order = np.where(words, rng.random(ids.shape), 2.0).ravel().argsort().argsort().reshape(ids.shape)
    return (order < round(probability * words.sum())) & words
""".strip()
_AT_LEAST_ONE = """
words = ids >= len(SPECIAL_TOKENS)
    draws = np.where(words, rng.random(ids.shape), 2.0)
    forced = (draws == draws.min(axis=-1, keepdims=True)) & (probability > 0)
    return ((draws < probability) | forced) & words
""".strip()
_IN_PLACE = """
    input_ids[...] = masked_ids.reshape(ids.shape)
    return input_ids, labels.reshape(ids.shape)
""".lstrip("\n")
_SPLIT = "fate = rng.permutation((np.arange(places.size) + 0.5) / max(1, places.size))"


def _swap(*changes: tuple[str, str]) -> Edit:
    return Edit(swap=changes)


def _mutants(exercise: str, *rows: tuple[str, Edit, str, str, str | None, str]) -> list[Mutant]:
    return [
        Mutant(name, exercise, edit, words, killer, mistake and f"masking.{mistake}", source)
        for name, edit, words, killer, mistake, source in rows
    ]


def _select(new: str) -> Edit:
    return _swap((_SELECT, new))


MUTANTS = (
    *_mutants(
        "select_positions",
        (
            "positions_specials",
            _select("return rng.random(ids.shape) < probability"),
            "[CLS] and [SEP] are tokens like any other",
            _RATE,
            "specials_chosen",
            "HF#1307",
        ),
        (
            "positions_padding_only",
            _select("return (rng.random(ids.shape) < probability) & (ids > 0)"),
            "only padding is special",
            _RATE,
            None,
            "graykode/nlp-tutorial#22",
        ),
        (
            "positions_unk_maskable",
            _select(
                "return (rng.random(ids.shape) < probability) & ((ids >= len(SPECIAL_TOKENS)) | (ids == 1))"
            ),
            "[UNK] stands for a word",
            _RATE,
            None,
            "HF#4391",
        ),
        (
            "positions_first_word_special",
            _select("return (rng.random(ids.shape) < probability) & (ids > len(SPECIAL_TOKENS))"),
            "words start at 6",
            _RATE,
            None,
            "",
        ),
        (
            "positions_exact",
            _select(_EXACT),
            "15 % means exactly 15 % of each row",
            _OWN_DRAW,
            "exactly_k",
            "google-research/bert",
        ),
        (
            "positions_exact_call",
            _select(_EXACT_CALL),
            "15 % means exactly 15 % of a call",
            _OWN_DRAW,
            None,
            "",
        ),
        (
            "positions_at_least_one",
            _select(_AT_LEAST_ONE),
            "no row may go without",
            _OWN_DRAW,
            None,
            "HF#684",
        ),
        (
            "positions_of_all_tokens",
            _select(
                "words = ids >= len(SPECIAL_TOKENS)\n"
                "    return (rng.random(ids.shape) < probability * ids.size / max(1, words.sum())) & words"
            ),
            "15 % of the tokens, whatever they are",
            _RATE,
            "share_of_all",
            "",
        ),
        (
            "positions_ten_percent",
            _select(_SELECT[7:].join(("return ", "")).replace("< probability", "< probability * 2 / 3")),
            "10 % is close to 15 %",
            _RATE,
            None,
            "",
        ),
        (
            "positions_fourteen_percent",
            _select(_SELECT.replace("< probability", "< probability - 0.01 * (0 < probability < 0.5)")),
            "a per cent does not matter",
            _RATE,
            None,
            "",
        ),
        (
            "positions_inverted",
            _select(_SELECT.replace("< probability", ">= probability")),
            "a place is chosen above the limit",
            _RATE,
            "inverted",
            "",
        ),
        (
            "positions_fixed_rate",
            _select(_SELECT.replace("< probability", "< 0.15")),
            "the probability is 0.15",
            _ENDS,
            None,
            "",
        ),
        (
            "positions_squared",
            _select(_SELECT.replace("< probability", "< 0.15 * (probability / 0.15) ** 2")),
            "the rate grows with the square",
            _ENDS,
            None,
            "",
        ),
        (
            "positions_whole_rows",
            _select(_SELECT.replace("ids.shape)", "(*ids.shape[:-1], 1))")),
            "one draw for a sequence",
            _OWN_DRAW,
            "whole_rows",
            "",
        ),
        (
            "positions_rows_alike",
            _select(_SELECT.replace("ids.shape)", "ids.shape[-1])")),
            "one mask serves the whole batch",
            _RATE,
            None,
            "",
        ),
        (
            "positions_last_column",
            _select(_SELECT + " & (np.arange(ids.shape[-1]) < ids.shape[-1] - 1)"),
            "the last place is [SEP] anyway",
            _RATE,
            None,
            "",
        ),
        (
            "positions_layers_alike",
            _select(_SELECT.replace("ids.shape)", "ids.shape[-2:])")),
            "ids have two axes at most",
            _OWN_DRAW,
            None,
            "",
        ),
        (
            "positions_neighbours",
            _select(
                "draws = np.repeat(rng.random((*ids.shape[:-1], ids.shape[-1] // 2 + 1)), 2, axis=-1)\n"
                "    return (draws[..., : ids.shape[-1]] < probability) & (ids >= len(SPECIAL_TOKENS))"
            ),
            "neighbours share a draw",
            _OWN_DRAW,
            None,
            "",
        ),
        (
            "positions_own_generator",
            _select(_SELECT.replace("rng.random", "np.random.default_rng(0).random")),
            "a fixed seed makes it repeatable",
            _POSITIONS_RNG,
            None,
            "pytorch#5059",
        ),
        (
            "positions_global",
            _select(_SELECT.replace("rng.random", "np.random.random_sample")),
            "numpy.random is the generator",
            _POSITIONS_RNG,
            None,
            "fairseq#1383",
        ),
        (
            "positions_reseeds",
            _select("np.random.seed(0)\n    " + _SELECT),
            "seeding the global generator makes it repeatable",
            _POSITIONS_RNG,
            None,
            "",
        ),
        (
            "positions_int",
            _select(
                "return ((rng.random(ids.shape) < probability) & (ids >= len(SPECIAL_TOKENS))).astype(int)"
            ),
            "1 and 0 are as good as True and False",
            _ENDS,
            None,
            "",
        ),
        (
            "positions_flat",
            _select("return np.ravel((rng.random(ids.shape) < probability) & (ids >= len(SPECIAL_TOKENS)))"),
            "a sequence is flat",
            _ENDS,
            None,
            "",
        ),
        (
            "positions_overwrites",
            Edit(
                swap=(
                    (_SELECT, "chosen = " + _SELECT[7:] + "\n    ids[chosen] = MASK_ID\n    return chosen"),
                )
            ),
            "hide the words at once",
            _ENDS,
            None,
            "",
        ),
    ),
    *_mutants(
        "mask_tokens",
        (
            "mask_random_overwrites",
            _swap(
                (_REPLACE, "new = np.where(rng.random(places.size) < 0.1, words, new)"),
            ),
            "one draw for [MASK], one for random words",
            _SHARES,
            "random_overwrites",
            "lucidrains/mlm-pytorch#6",
        ),
        (
            "mask_wins",
            _swap(
                (_REPLACE, "new = np.where((fate >= 0.8) & (rng.random(places.size) < 0.1), words, new)"),
            ),
            "10 % of those that were not hidden",
            _SHARES,
            "two_percent_random",
            "lucidrains/mlm-pytorch#6",
        ),
        (
            "mask_two_percent_kept",
            _swap((_REPLACE, _REPLACE.replace("fate >= 0.9", "fate >= 0.82"))),
            "nine tenths of the rest become random",
            _SHARES,
            "two_percent_kept",
            "HF#1927",
        ),
        (
            "mask_always",
            _swap((_HIDE, _HIDE.replace("fate < 0.8", "fate < 2")), (_REPLACE, "pass")),
            "every chosen word is hidden",
            _SHARES,
            "always_mask",
            "",
        ),
        (
            "mask_never_kept",
            _swap((_REPLACE, _REPLACE.replace("0.9", "0.8"))),
            "what is not hidden becomes random",
            _SHARES,
            "never_kept",
            "",
        ),
        (
            "mask_never_random",
            _swap((_REPLACE, _REPLACE.replace("fate >= 0.9", "fate > 1"))),
            "the branch of random words is dead",
            _SHARES,
            "never_random",
            "fairseq#758",
        ),
        (
            "mask_ninety",
            _swap((_HIDE, _HIDE.replace("0.8", "0.9"))),
            "the limits are 0.9 and 0.9",
            _SHARES,
            "ninety_mask",
            "",
        ),
        (
            "mask_then_nothing",
            _swap((_HIDE, _HIDE.replace("0.8", "0.9")), (_REPLACE, "pass")),
            "the rest stays",
            _SHARES,
            "ninety_kept_none_random",
            "",
        ),
        (
            "mask_81_9",
            _swap((_HIDE, _HIDE.replace("0.8", "0.81")), (_REPLACE, _REPLACE.replace("0.9", "0.91"))),
            "a per cent does not matter",
            _SHARES,
            None,
            "",
        ),
        (
            "mask_79",
            _swap((_HIDE, _HIDE.replace("0.8", "0.79"))),
            "a per cent does not matter",
            _SHARES,
            None,
            "",
        ),
        (
            "mask_kept_9",
            _swap((_REPLACE, _REPLACE.replace("0.9", "0.89"))),
            "a per cent does not matter",
            _SHARES,
            None,
            "",
        ),
        (
            "mask_fates_swapped",
            _swap((_HIDE, _HIDE.replace("0.8", "0.1")), (_REPLACE, _REPLACE.replace(">= 0.9", ">= 0.2"))),
            "80 % random, 10 % [MASK]",
            _SHARES,
            "mask_and_random_swapped",
            "",
        ),
        (
            "mask_specials_drawn",
            _swap((_DRAWN, "words = rng.integers(0, vocab_size, size=places.size)")),
            "any id of the vocabulary will do",
            _UNIFORM,
            "specials_drawn",
            "HF#15342",
        ),
        (
            "mask_mask_drawn",
            _swap((_DRAWN, "words = rng.integers(MASK_ID, vocab_size, size=places.size)")),
            "words start at 4",
            _SHARES,
            "mask_drawn",
            "",
        ),
        (
            "mask_first_word_never",
            _swap((_DRAWN, "words = rng.integers(len(SPECIAL_TOKENS) + 1, vocab_size, size=places.size)")),
            "words start at 6",
            _UNIFORM,
            "first_word_never_drawn",
            "",
        ),
        (
            "mask_last_word_never",
            _swap(
                (
                    _DRAWN,
                    "words = rng.integers(len(SPECIAL_TOKENS), max(6, vocab_size - 1), size=places.size)",
                )
            ),
            "the upper end is inside",
            _UNIFORM,
            "last_word_never_drawn",
            "",
        ),
        (
            "mask_beyond",
            _swap((_DRAWN, "words = rng.integers(len(SPECIAL_TOKENS), vocab_size + 1, size=places.size)")),
            "the last id is vocab_size",
            _REST,
            "beyond_vocabulary",
            "",
        ),
        (
            "mask_original_excluded",
            _swap(
                (
                    _DRAWN,
                    "words = rng.integers(len(SPECIAL_TOKENS), max(6, vocab_size - 1), size=places.size)\n"
                    "    words = np.where(words >= originals, words + (vocab_size > 6), words)",
                )
            ),
            "a random word must differ from the original",
            _UNIFORM,
            "original_excluded",
            "",
        ),
        (
            "mask_shuffled_words",
            _swap((_DRAWN, "words = rng.permutation(ids.ravel())[places].clip(5)")),
            "a word of the batch is random enough",
            _UNIFORM,
            None,
            "",
        ),
        (
            "mask_normal_words",
            _swap(
                (
                    _DRAWN,
                    "words = np.minimum(*rng.integers(len(SPECIAL_TOKENS), vocab_size, size=(2, places.size)))",
                )
            ),
            "frequent words are the likely ones",
            _UNIFORM,
            None,
            "HF#4391",
        ),
        (
            "mask_one_word",
            _swap((_DRAWN, "words = rng.integers(len(SPECIAL_TOKENS), vocab_size)")),
            "a random word is drawn once",
            _UNIFORM,
            None,
            "",
        ),
        (
            "mask_word_a_row",
            _swap(
                (
                    _DRAWN,
                    "words = rng.integers(len(SPECIAL_TOKENS), vocab_size, size=(*ids.shape[:-1], 1))\n"
                    "    words = np.broadcast_to(words, ids.shape).ravel()[places]",
                ),
            ),
            "a random word for each sequence",
            _OWN_FATE,
            None,
            "",
        ),
        (
            "mask_one_fate",
            _swap(
                (_FATE, "fate = np.broadcast_to(rng.random((*ids.shape[:-1], 1)), ids.shape).ravel()[places]")
            ),
            "one fate for each sequence",
            _OWN_FATE,
            None,
            "google-research/bert#910",
        ),
        (
            "mask_fates_alike",
            _swap((_FATE, "fate = np.broadcast_to(rng.random(ids.shape[-1]), ids.shape).ravel()[places]")),
            "one pattern of fates serves the batch",
            _OWN_FATE,
            None,
            "",
        ),
        (
            "mask_split_exactly",
            _swap((_FATE, _SPLIT)),
            "80 % means exactly 80 %",
            _OWN_FATE,
            None,
            "",
        ),
        (
            "mask_draw_reused",
            _swap(
                (
                    _CHOSEN,
                    "draw = rng.random(ids.shape)\n"
                    "    chosen = draw < probability if selected is None else np.asarray(selected, dtype=bool)",
                ),
                (_FATE, "fate = draw.ravel()[places]"),
            ),
            "one uniform number serves twice",
            _ALONE,
            "one_draw_for_both",
            "",
        ),
        (
            "mask_labels_masked",
            _swap(
                (_LABELLED, "pass"),
                (_RETURN, "    labels[places] = masked_ids[places]\n" + _RETURN),
            ),
            "labels and ids may be the same array",
            _LABELS,
            "labels_masked",
            "HF#8619",
        ),
        (
            "mask_labels_changed",
            _swap(
                (
                    _RETURN,
                    "    labels = np.where(masked_ids == ids.ravel(), IGNORE_INDEX, labels)\n" + _RETURN,
                )
            ),
            "what was not changed need not be predicted",
            _LABELS,
            "labels_changed_only",
            "",
        ),
        (
            "mask_labels_hidden",
            _swap(
                (_RETURN, "    labels = np.where(masked_ids == MASK_ID, labels, IGNORE_INDEX)\n" + _RETURN)
            ),
            "only [MASK] is predicted",
            _LABELS,
            "labels_hidden_only",
            "",
        ),
        (
            "mask_labels_everywhere",
            _swap((_LABELLED, "labels[:] = ids.ravel()")),
            "the loss is taken at every place",
            _LABELS,
            "labels_everywhere",
            "",
        ),
        (
            "mask_ignore_zero",
            _swap((_UNLABELLED, _UNLABELLED.replace("IGNORE_INDEX", "0"))),
            "0 means: no label",
            _LABELS,
            "ignore_zero",
            "mosaicml/examples#457",
        ),
        (
            "mask_ignore_minus_one",
            _swap((_UNLABELLED, _UNLABELLED.replace("IGNORE_INDEX", "-1"))),
            "-1 means: no label",
            _LABELS,
            "ignore_minus_one",
            "",
        ),
        (
            "mask_selected_ignored",
            _swap((_CHOSEN, "chosen = select_positions(ids, rng, probability)")),
            "the places are always drawn",
            _LABELS,
            "selected_ignored",
            "",
        ),
        (
            "mask_selected_thinned",
            _swap(
                (_WORDS_ONLY, _WORDS_ONLY + " & select_positions(ids, rng, 1 if selected is None else 0.9)")
            ),
            "the probability holds for given places too",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_selected_specials",
            _swap((_WORDS_ONLY, "chosen = chosen & (ids >= 0)")),
            "whoever gives `selected` knows what he does",
            _LABELS,
            "selected_specials",
            "HF#1395",
        ),
        (
            "mask_selected_cls",
            _swap((_WORDS_ONLY, "chosen = chosen & (ids != 0) & (ids != 2) & (ids != 3)")),
            "[UNK] and [MASK] are words",
            _LABELS,
            None,
            "HF#4391",
        ),
        (
            "mask_probability_ignored",
            _swap((_CHOSEN, _CHOSEN.replace("rng, probability)", "rng)"))),
            "the probability is 0.15",
            _ALONE,
            None,
            "",
        ),
        (
            "mask_own_ten_percent",
            _swap((_CHOSEN, _CHOSEN.replace("rng, probability)", "rng, probability * 2 / 3)"))),
            "10 % is close to 15 %",
            _ALONE,
            None,
            "",
        ),
        (
            "mask_own_sixteen_percent",
            _swap((_CHOSEN, _CHOSEN.replace("rng, probability)", "rng, min(1, probability + 0.01))"))),
            "a per cent does not matter",
            _ALONE,
            None,
            "",
        ),
        (
            "mask_own_of_all_tokens",
            _swap(
                (
                    _CHOSEN,
                    _CHOSEN.replace(
                        "rng, probability)", "rng, probability * ids.size / max(1, (ids >= 5).sum()))"
                    ),
                )
            ),
            "15 % of the tokens, whatever they are",
            _ALONE,
            "share_of_all",
            "",
        ),
        (
            "mask_ids_in_place",
            _swap((_RETURN, _IN_PLACE)),
            "the ids are not needed any more",
            _UNTOUCHED,
            "ids_in_place",
            "Fast-LLM#253",
        ),
        (
            "mask_selected_in_place",
            _swap((_WORDS_ONLY, "chosen &= ids >= len(SPECIAL_TOKENS)")),
            "&= is a short way to write it",
            _UNTOUCHED,
            "selected_in_place",
            "",
        ),
        (
            "mask_rest_hidden",
            _swap(
                (
                    _COPY,
                    _COPY
                    + "\n    masked_ids[((ids >= 5) & (rng.random(ids.shape) < 0.8)).ravel()] = MASK_ID",
                )
            ),
            "every word takes part",
            _REST,
            None,
            "",
        ),
        (
            "mask_rest_random",
            _swap(
                (
                    _COPY,
                    "masked_ids = ids.flatten()\n"
                    "    others = np.flatnonzero((ids >= 5) & (rng.random(ids.shape) >= 0.9))\n"
                    "    masked_ids[others] = rng.integers(len(SPECIAL_TOKENS), vocab_size, size=others.size)",
                )
            ),
            "every word may become random",
            _REST,
            None,
            "",
        ),
        (
            "mask_with_unk",
            _swap((_HIDE, _HIDE.replace("MASK_ID", "1"))),
            "[UNK] hides a word",
            _REST,
            None,
            "",
        ),
        (
            "mask_with_pad",
            _swap((_HIDE, _HIDE.replace("MASK_ID", "0"))),
            "[PAD] hides a word",
            _REST,
            None,
            "",
        ),
        (
            "mask_int32",
            _swap((_RETURN, _RETURN.replace("ids.shape)", "ids.shape).astype(np.int32)"))),
            "32 bits are enough",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_order_swapped",
            _swap((_RETURN, "    return labels.reshape(ids.shape), masked_ids.reshape(ids.shape)\n")),
            "labels come first",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_global_words",
            _swap((_DRAWN, "words = np.random.randint(len(SPECIAL_TOKENS), vocab_size, size=places.size)")),
            "numpy.random is the generator",
            _MASKS_RNG,
            None,
            "HF#9304",
        ),
        (
            "mask_seeded_fates",
            _swap((_FATE, "fate = np.random.default_rng(0).random(places.size)")),
            "a fixed seed makes it repeatable",
            _OWN_FATE,
            None,
            "",
        ),
        (
            "mask_dtype_kept",
            _swap((_IDS, "ids = np.asarray(input_ids)")),
            "ids are int64 as they come",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_dtype_kept_everywhere",
            _swap(
                (_IDS, "ids = np.asarray(input_ids)"),
                (_UNLABELLED, "labels = np.full_like(ids.ravel(), -100)"),
            ),
            "results have the dtype of the ids",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_zero_is_default",
            _swap((_IDS, "probability = probability or 0.15\n    " + _IDS)),
            "`or` fills in a default",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_zero_before_selected",
            _swap(
                (
                    _IDS,
                    _IDS
                    + "\n    if probability == 0:\n        return ids.copy(), np.full(ids.shape, IGNORE_INDEX)",
                )
            ),
            "at probability 0 there is nothing to do",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_nowhere_is_none",
            _swap((_IDS, _IDS + "\n    selected = selected if np.any(selected) else None")),
            "an empty selection is no selection",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_some_selected",
            _swap((_ORIGINALS, _ORIGINALS + "\n    assert originals.min() >= len(SPECIAL_TOKENS)")),
            "something is always selected",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_some_tokens",
            _swap((_IDS, _IDS + "\n    assert ids.max() < vocab_size")),
            "there is always a token",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_keeps_layout",
            _swap(
                (_COPY, 'masked_ids = ids.copy(order="K")'),
                ("    masked_ids[places] = new\n", "    masked_ids.reshape(-1)[places] = new\n"),
            ),
            "reshape is always a view",
            _LABELS,
            None,
            "",
        ),
        (
            "mask_gives_ids_back",
            _swap(
                (
                    _LABELLED,
                    _LABELLED + "\n    if not chosen.any():\n        return ids, labels.reshape(ids.shape)",
                )
            ),
            "what is not changed need not be copied",
            _UNTOUCHED,
            None,
            "",
        ),
        (
            "mask_gives_ids_back_at_zero",
            _swap(
                (
                    _IDS,
                    _IDS
                    + "\n    if selected is None and probability == 0:"
                    + "\n        return ids, np.full(ids.shape, IGNORE_INDEX)",
                )
            ),
            "what is not changed need not be copied",
            _UNTOUCHED,
            None,
            "",
        ),
        (
            "mask_row_never_kept",
            _swap((_REPLACE, _REPLACE.replace("0.9", "(0.9 if ids.ndim > 1 else 0.8)"))),
            "a single sequence has two fates",
            _OWN_FATE,
            None,
            "",
        ),
        (
            "mask_few_hidden",
            _swap((_REPLACE, _REPLACE + "\n    new = np.where(places.size < 4, MASK_ID, new)")),
            "few words are all hidden, so that there is something to predict",
            _OWN_FATE,
            None,
            "",
        ),
        (
            "mask_int16_words",
            _swap((_DRAWN, _DRAWN.replace("places.size)", "places.size, dtype=np.int16)"))),
            "16 bits hold every id",
            _UNIFORM,
            None,
            "",
        ),
        (
            "mask_frequent_words",
            _swap(
                (
                    _DRAWN,
                    "words = 5 + rng.geometric(1 / 40, size=places.size) % (vocab_size - len(SPECIAL_TOKENS))",
                )
            ),
            "frequent words are the likely ones",
            _UNIFORM,
            None,
            "",
        ),
        (
            "mask_global_fates",
            _swap((_FATE, "fate = np.random.random_sample(places.size)")),
            "numpy.random is the generator",
            _MASKS_RNG,
            None,
            "Lightning#20412",
        ),
    ),
    *BONUS,
    *SIZES,
)
