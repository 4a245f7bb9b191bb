"""`mask_tokens` of lesson 2 against the usual collator, both given arrays."""

import statistics
from typing import Any

import numpy as np

from checks.benchmark.rounds import in_turn, median_ratio
from checks.subject.world import World
from lessons.given.records import SPECIAL_TOKENS

CALLS = {"ours": 60, "usual": 3, "bare": 3}


def collator(vocab_size: int, kind: str) -> Any:
    """`DataCollatorForLanguageModeling` with a tokenizer of our special tokens; gives torch's or NumPy's."""
    from tokenizers import Tokenizer, models
    from transformers import DataCollatorForLanguageModeling, PreTrainedTokenizerFast

    words = [*SPECIAL_TOKENS, *(f"w{i}" for i in range(vocab_size - len(SPECIAL_TOKENS)))]
    model = models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    special = dict(zip(names, SPECIAL_TOKENS, strict=True))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(model), **special)
    return DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15, return_tensors=kind)


def compare_masking(world: World, rounds: int, shape: tuple[int, int] = (32, 128)) -> dict[str, float]:
    """Ratios of process CPU time a batch: against the collator as a loop calls it, and in its cheapest form.

    The usual form takes a dict an example, `{"input_ids": array}`, and gives torch tensors; the cheapest
    takes bare arrays and gives arrays.
    """
    vocab_size = 8192
    ids = np.random.default_rng(0).integers(len(SPECIAL_TOKENS), vocab_size, shape)
    rng = np.random.default_rng(1)
    mask_tokens = world.load("masking").mask_tokens
    usual, bare = collator(vocab_size, "pt"), collator(vocab_size, "np")
    calls = {
        "ours": lambda: mask_tokens(ids, vocab_size, rng),
        "usual": lambda: usual([{"input_ids": row} for row in ids]),
        "bare": lambda: bare(list(ids)),
    }

    def repeated(name: str) -> Any:
        return lambda: [calls[name]() for _ in range(CALLS[name])]

    sides = {name: repeated(name) for name in calls}
    in_turn(sides, 1, "cpu")
    taken = {name: [t / CALLS[name] for t in times] for name, times in in_turn(sides, rounds, "cpu").items()}
    return {
        "ratio": median_ratio(taken["usual"], taken["ours"]),
        "ratio_to_cheapest_form": median_ratio(taken["bare"], taken["ours"]),
        "tokens_a_second": ids.size / statistics.median(taken["ours"]),
    }
