"""Mutants of lesson 2's bonus functions."""

from checks.gate.edits import Edit, Mutant

_BUDGET = "test_the_budget_of_each_row_is_met_exactly"
_LENGTHS = "test_span_lengths_are_drawn_in_proportion_to_one_over_n"
_START = "test_a_span_starts_anywhere_with_equal_chance"
_SPANS_RNG = "test_spans_come_from_the_generator_only"
_ACCEPT = "test_right_implementations_are_accepted"
_RULES = "test_broken_rules_are_found"
_WRONG_SHARES = "test_wrong_shares_are_found"
_SUBTLE = "test_subtle_faults_are_found"

_CHANCES = "chances = (1 / lengths) / (1 / lengths).sum()"
_ROUND = "budget = max(1, round(probability * maskable)) if maskable and probability > 0 else 0"
_LENGTH = "n = min(int(rng.choice(lengths, p=chances)), budget)"
_PLACE = "start = int(rng.choice(np.flatnonzero(fits)))"
_TAKEN = "            free_T[start : start + n] = False\n"
_WORDS = "free_T = ids_T >= len(SPECIAL_TOKENS)"


def _spans(
    name: str, old: str, new: str, words: str, killer: str, mistake: str | None = None, source: str = ""
) -> Mutant:
    mistake_id = mistake and f"masking.{mistake}"
    return Mutant(name, "select_spans", Edit(swap=((old, new),)), words, killer, mistake_id, source)


def _faults(name: str, edit: Edit, words: str, killer: str) -> Mutant:
    return Mutant(name, "find_faults", edit, words, killer)


def _whole(result: str) -> Edit:
    head = "def find_faults(mask_tokens: MaskTokens, vocab_size: int, rng: np.random.Generator) -> list[str]:"
    return Edit(functions={"find_faults": f"{head}\n    return {result}\n"})


def _limit(value: str) -> Edit:
    return Edit(swap=(("(trials * divergence > 22)", f"(trials * divergence > {value})"),))


def _gone(*lines: str) -> Edit:
    return Edit(swap=tuple((f"{line}\n", "") for line in lines))


BONUS = (
    _spans(
        "spans_uniform",
        _CHANCES,
        "chances = np.full(max_ngram, 1 / max_ngram)",
        "all lengths are equally likely",
        _LENGTHS,
        "spans_uniform",
    ),
    _spans(
        "spans_reversed",
        _CHANCES,
        "chances = ((1 / lengths) / (1 / lengths).sum())[::-1]",
        "long spans are the likely ones",
        _LENGTHS,
        "spans_reversed",
        "google-research/google-research#79",
    ),
    _spans(
        "spans_longest",
        _LENGTH,
        "n = min(max_ngram, budget)",
        "always the longest",
        _LENGTHS,
        "spans_longest",
    ),
    _spans(
        "spans_square",
        _CHANCES,
        "chances = lengths**-2.0 / (lengths**-2.0).sum()",
        "the chance falls with the square",
        _LENGTHS,
    ),
    _spans(
        "spans_cut_by_two", "n -= 1", "n -= 2", "a span that does not fit loses two words at once", _LENGTHS
    ),
    _spans("spans_single", _LENGTH, "n = 1", "spans of one word", _LENGTHS),
    _spans(
        "spans_max_is_three",
        "lengths = np.arange(1, max_ngram + 1)",
        "lengths = np.arange(1, 4)",
        "the longest span is 3",
        _LENGTHS,
    ),
    _spans(
        "spans_max_excluded",
        "lengths = np.arange(1, max_ngram + 1)",
        "lengths = np.arange(1, max(2, max_ngram))",
        "the upper end is inside",
        _LENGTHS,
    ),
    _spans(
        "spans_uniform_above_three",
        _CHANCES,
        _CHANCES + "\n    chances = chances if max_ngram <= 3 else np.full(max_ngram, 1 / max_ngram)",
        "ALBERT's chances are those of a longest span of 3",
        _LENGTHS,
    ),
    _spans(
        "spans_at_most_four",
        "lengths = np.arange(1, max_ngram + 1)",
        "lengths = np.arange(1, min(max_ngram, 4) + 1)",
        "no span is longer than 4",
        _LENGTHS,
    ),
    _spans(
        "spans_at_most_the_row",
        "lengths = np.arange(1, max_ngram + 1)",
        "lengths = np.arange(1, min(max_ngram, ids.shape[-1]) + 1)",
        "a length that cannot fit is not drawn",
        _LENGTHS,
    ),
    _spans("spans_down", _ROUND, _ROUND.replace("round(", "int("), "int rounds", _BUDGET, "budget_down"),
    _spans(
        "spans_half_up",
        _ROUND,
        _ROUND.replace("round(probability * maskable)", "int(probability * maskable + 0.5)"),
        "a half is rounded up",
        _BUDGET,
    ),
    _spans(
        "spans_up",
        _ROUND,
        _ROUND.replace("round(", "math.ceil("),
        "round up to be sure",
        _BUDGET,
        "budget_up",
    ),
    _spans(
        "spans_none",
        _ROUND,
        _ROUND.replace("max(1, round(probability * maskable))", "round(probability * maskable)"),
        "a short row may go without",
        _BUDGET,
        "budget_may_be_zero",
        "HF#684",
    ),
    _spans(
        "spans_of_all",
        _ROUND,
        "budget = min(maskable, max(1, round(probability * ids_T.size))) if maskable and probability > 0 else 0",
        "15 % of the tokens, whatever they are",
        _BUDGET,
        "budget_of_all",
    ),
    _spans(
        "spans_one_at_zero",
        _ROUND,
        "budget = max(1, round(probability * maskable)) if maskable else 0",
        "one place at least, at any probability",
        _BUDGET,
    ),
    _spans(
        "spans_uncut",
        _LENGTH,
        "n = int(rng.choice(lengths, p=chances))",
        "the last span may be longer",
        _BUDGET,
    ),
    _spans("spans_twice", _TAKEN, "", "a place may be covered twice", _BUDGET, None, "Megatron-LM#196"),
    _spans(
        "spans_specials",
        _WORDS,
        "free_T = ids_T != 0",
        "only padding is special",
        _BUDGET,
    ),
    _spans("spans_first_word", _WORDS, "free_T = ids_T > len(SPECIAL_TOKENS)", "words start at 6", _BUDGET),
    _spans(
        "spans_leftmost",
        _PLACE,
        "start = int(np.flatnonzero(fits)[0])",
        "spans are laid from the left",
        _START,
    ),
    _spans(
        "spans_long_leftmost",
        _PLACE,
        "start = int(rng.choice(np.flatnonzero(fits)[: None if n == 1 else 1]))",
        "a span of several words goes where it fits first",
        _START,
    ),
    _spans(
        "spans_nearest",
        _PLACE,
        "at, starts = int(rng.choice(np.flatnonzero(free_T))), np.flatnonzero(fits)\n"
        "            start = int(starts[np.abs(starts - at).argmin()])",
        "draw a word, then take the span that is nearest",
        _START,
    ),
    _spans(
        "spans_apart",
        _PLACE,
        "around_T = np.concatenate([[False], chosen_T, [False]])\n"
        "            apart = [s for s in np.flatnonzero(fits) if not around_T[s] and not around_T[s + n + 1]]\n"
        "            start = int(rng.choice(apart or np.flatnonzero(fits)))",
        "spans do not touch where it can be helped",
        _START,
    ),
    _spans(
        "spans_never_last",
        _PLACE,
        "start = int(rng.choice(np.flatnonzero(fits)[: max(1, fits.sum() - 1)]))",
        "the upper end is inside",
        _START,
    ),
    _spans(
        "spans_global",
        _PLACE,
        "start = int(np.random.choice(np.flatnonzero(fits)))",
        "numpy.random is the generator",
        _SPANS_RNG,
    ),
    _spans(
        "spans_seeded",
        "lengths = np.arange(1, max_ngram + 1)",
        "lengths = np.arange(1, max_ngram + 1)\n    rng = np.random.default_rng(0)",
        "a fixed seed makes it repeatable",
        _SPANS_RNG,
    ),
    _spans(
        "spans_rows_alike",
        "    return chosen\n",
        "    return chosen if chosen.ndim < 2 else np.where(ids >= 5, chosen, chosen)[[0] * len(chosen)]\n",
        "one pattern serves the whole batch",
        _BUDGET,
    ),
    _faults("faults_none", _whole("[]"), "nothing is ever wrong", _ACCEPT),
    _faults("faults_always", _whole('["something is wrong"]'), "something is always wrong", _ACCEPT),
    _faults("faults_counted", _whole("7"), "the number of faults is enough", _ACCEPT),
    _faults("faults_strict", _limit("0.5"), "any deviation is a fault", _ACCEPT),
    _faults("faults_loose", _limit("5000"), "a share may be off by some per cent", _SUBTLE),
    _faults("faults_very_loose", _limit("1e9"), "shares need no test", _WRONG_SHARES),
    _faults(
        "faults_input_trusted",
        _gone('            "the input is changed in place": np.array_equal(ids_after, ids),'),
        "nobody writes into the input",
        _RULES,
    ),
    _faults(
        "faults_passes_errors_on",
        Edit(swap=(("    except Exception as error:\n", "    except Exception as error:\n        raise\n"),)),
        "whoever calls wants to see the traceback",
        _RULES,
    ),
    _faults(
        "faults_swallows_errors",
        Edit(
            swap=(
                ('        faults.append(f"raises {type(error).__name__}: {error}")\n', "        del error\n"),
            )
        ),
        "an error is no result, so there is nothing to judge",
        _RULES,
    ),
    _faults(
        "faults_labels_trusted",
        _gone('            "labels are not the original ids": (labels == ids)[labelled].all(),'),
        "a label is what stands there",
        _RULES,
    ),
    _faults(
        "faults_without_fates",
        _gone(
            '                ("[MASK]", masked == MASK_ID, rate * 0.8),',
            '                ("unchanged words", chosen & (new == word), rate * (0.1 + 0.1 / n_words)),',
        ),
        "the fates need no test",
        _WRONG_SHARES,
    ),
    _faults(
        "faults_without_short_calls",
        Edit(swap=(("((1, 8000, 24), (250, 1, 12))", "((1, 8000, 24),)"),)),
        "one large call shows it all",
        _SUBTLE,
    ),
)
