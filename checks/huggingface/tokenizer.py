"""The tokenizer of a checkpoint's folder: `tokenizer.json`, else BERT's `vocab.txt` or ALBERT's `spiece.model`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checks.huggingface.folder import needs
from checks.huggingface.pieces import read_pieces

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SPECIAL = ("[CLS]", "[SEP]", "[MASK]")


def open_tokenizer(folder: Path) -> "Tokenizer":
    """The tokenizer; it puts [CLS] and [SEP] around a text, keeps [MASK] whole, and neither cuts nor pads.

    Raises:
        ValueError: no tokenizer file, a damaged one, no [MASK] in it, or tokenizers is not installed.
    """
    try:
        from tokenizers import Tokenizer, processors
    except ModuleNotFoundError as error:
        raise needs("tokenizers", "the text's tokens") from error
    path = next((folder / name for name in READERS if (folder / name).is_file()), None)
    if path is None:
        raise ValueError(f"{folder}: got no tokenizer, expected one of {', '.join(READERS)}")
    settings = _settings(folder / "tokenizer_config.json")
    try:
        tokenizer: Tokenizer = READERS[path.name](path, settings)
    except Exception as error:  # tokenizers raises plain exceptions
        raise ValueError(f"{path} is damaged: {error}") from error
    absent = [token for token in SPECIAL if tokenizer.token_to_id(token) is None]
    if absent:
        raise ValueError(f"{path}: got no {absent[0]}, expected {', '.join(SPECIAL)} in the vocabulary")
    if tokenizer.post_processor is None:
        ids = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
        template = {"single": "[CLS] $A [SEP]", "pair": "[CLS] $A [SEP] $B:1 [SEP]:1"}
        tokenizer.post_processor = processors.TemplateProcessing(**template, special_tokens=ids)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _settings(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    return settings if isinstance(settings, dict) else {}


def _from_json(path: Path, settings: dict[str, Any]) -> "Tokenizer":
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


def _from_vocab(path: Path, settings: dict[str, Any]) -> "Tokenizer":
    """BERT's word pieces, one a line. Lower case unless `tokenizer_config.json` says otherwise, as with them."""
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")  # a piece may be U+2028
    vocab = {piece: i for i, piece in enumerate(lines)}
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),
        lowercase=settings.get("do_lower_case", True),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True) for token in ("[PAD]", "[UNK]", *SPECIAL) if token in vocab]
    )
    return tokenizer


def _from_pieces(path: Path, settings: dict[str, Any]) -> "Tokenizer":
    """ALBERT's SentencePiece model: two kinds of quotes made one, accents and capitals dropped, then pieces."""
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

    pieces, charsmap = read_pieces(path.read_bytes())
    # "2008," as one piece counts as a number and a comma: ALBERT's tokenizer splits it
    scores = [(piece, score - 100 * _ends_in_digit_comma(piece)) for piece, score in pieces]
    names = [piece for piece, _ in pieces]
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=names.index("<unk>")))
    steps: list[Any] = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
    if not settings.get("keep_accents", False):
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if settings.get("do_lower_case", True):
        steps.append(normalizers.Lowercase())
    if charsmap:
        steps.append(normalizers.Precompiled(charsmap))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL if token in names])
    return tokenizer


def _ends_in_digit_comma(piece: str) -> bool:
    return piece[-1:] == "," and piece[-2:-1].isdigit()


READERS = {"tokenizer.json": _from_json, "vocab.txt": _from_vocab, "spiece.model": _from_pieces}
