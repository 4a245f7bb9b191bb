"""A WordPiece vocabulary in the place of lesson 1, trained on the training documents."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from lessons.given.engine.run_folder import write_atomically
from lessons.given.records import SPECIAL_TOKENS, UNK_ID, Vocab


class WordPiece:
    """Has lesson 1's `build_vocab`, `tokenize` and `encode`; the vocabulary is also kept in a file.

    Text is lower-cased and split at spaces and punctuation before it is cut into pieces, as BERT's uncased
    models do. The special tokens have the course's ids 0-4.

    Args:
        path: where the trained tokenizer is written, in the format of the `tokenizers` library.

    Raises:
        ClickException: the library is not there.
    """

    def __init__(self, path: Path) -> None:
        try:
            import tokenizers
        except ModuleNotFoundError as error:
            raise click.ClickException(
                "--tokenizer wordpiece needs the tokenizers library: pip install -e '.[tokenizers]'"
            ) from error
        self.path = path
        unknown = SPECIAL_TOKENS[UNK_ID]
        self.tokenizer: Any = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token=unknown))
        self.tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
        self.tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        self.trainers = tokenizers.trainers

    def build_vocab(self, corpus: Iterable[str], max_size: int | None = None, min_count: int = 1) -> Vocab:
        """Train on these sentences; at most `max_size` pieces, the special tokens included."""
        trainer = self.trainers.WordPieceTrainer(
            vocab_size=max_size or 30_000,
            min_frequency=min_count,
            special_tokens=list(SPECIAL_TOKENS),
            show_progress=False,
        )
        self.tokenizer.train_from_iterator(corpus, trainer)
        write_atomically(self.path, lambda part: self.tokenizer.save(str(part)))
        ids = self.tokenizer.get_vocab(with_added_tokens=True)
        return Vocab(tuple(sorted(ids, key=ids.__getitem__)), ids)

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text; a piece inside a word starts with `##`."""
        return self.tokenizer.encode(text, add_special_tokens=False).tokens

    def encode(self, tokens: list[str], vocab: Vocab) -> list[int]:
        """The ids of the pieces."""
        return [vocab.ids.get(token, UNK_ID) for token in tokens]
