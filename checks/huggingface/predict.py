"""What a model puts in the place of [MASK]."""

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Guess(NamedTuple):
    """A token of the vocabulary, as it is written there, and its probability."""

    token: str
    probability: float


class Encoded(NamedTuple):
    """A text as ids, `[1, T]`, with the places of its [MASK]s, `[M]`."""

    input_ids: Tensor
    segment_ids: Tensor
    positions: Tensor


def encode(tokenizer: "Tokenizer", text: str, max_len: int, vocab_size: int) -> Encoded:
    """The text with [CLS] and [SEP].

    Raises:
        ValueError: no [MASK] in it, more than `max_len` tokens, or an id that the model does not have.
    """
    found = tokenizer.encode(text)
    mask = tokenizer.token_to_id("[MASK]")
    if mask not in found.ids:
        raise ValueError(f"text: got {text!r}, expected a [MASK] in it (in capitals)")
    if len(found.ids) > max_len:
        raise ValueError(
            f"text: got {len(found.ids)} tokens with [CLS] and [SEP], expected {max_len} or fewer"
        )
    if max(found.ids) >= vocab_size:
        raise ValueError(
            f"tokenizer: got id {max(found.ids)}, expected ids below the model's vocab_size, {vocab_size}"
        )
    ids = torch.tensor(found.ids)
    return Encoded(ids[None], torch.tensor(found.type_ids)[None], (ids == mask).nonzero().flatten())


def mask_logits(model: Any, encoded: Encoded) -> Tensor:
    """Scores over the vocabulary at each [MASK], `[M, V]`. Only these places go through the head."""
    with torch.inference_mode():
        sequence_output, _ = model(encoded.input_ids, encoded.segment_ids, None)
        return model.mlm_logits(sequence_output, encoded.positions)


def best_guesses(logits: Tensor, tokenizer: "Tokenizer", top: int) -> list[list[Guess]]:
    """For each [MASK] the `top` most probable tokens, best first. An id without a token is shown as `[id 7]`."""
    best = logits.float().softmax(-1).topk(min(top, logits.shape[-1]))
    return [
        [
            Guess(tokenizer.id_to_token(i) or f"[id {i}]", p)
            for i, p in zip(row_ids, row_probabilities, strict=True)
        ]
        for row_ids, row_probabilities in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
