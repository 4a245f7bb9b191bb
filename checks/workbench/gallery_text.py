"""Pictures of lessons 1 to 4: text, masks, pairs, batches."""

from collections import Counter
from typing import Any

import numpy as np

from checks.subject.world import World
from checks.workbench.pictures import Bars, Note, Picture, Tokens
from checks.workbench.words import SENTENCES, as_ids, documents, sentence_ids, vocabulary
from lessons.given.records import IGNORE_INDEX, MASK_ID, SEP_ID

SPECIAL = 5


def vocab(world: World) -> Picture:
    """Tokens, their ids, and what is unknown; the most frequent words of the toy corpus."""
    from lessons.given import corpora

    mine = world.load("vocab")
    texts = [sentence for document in corpora.toy() for sentence in document]
    words = mine.build_vocab(texts, max_size=400)
    line = "Grandmother's soup was ready, but [MASK] never xylographed it!"
    tokens = mine.tokenize(line)
    ids = mine.encode(tokens, words)
    tones = ["special" if i < SPECIAL and i != 1 else "random" if i == 1 else "first" for i in ids]
    counts = Counter(token for text in texts for token in mine.tokenize(text))
    frequent = [(token, counts[token]) for token in words.tokens[SPECIAL : SPECIAL + 12]]
    return Picture(
        "Your vocabulary",
        [
            Note(f"{len(texts)} sentences, {len(counts)} different tokens, {len(words.tokens)} kept"),
            Tokens("tokens", list(zip(tokens, tones, strict=True))),
            Tokens("ids", [(str(i), tone) for i, tone in zip(ids, tones, strict=True)]),
            Tokens("and back", [(token, "plain") for token in mine.decode(ids, words)]),
            Bars("the most frequent tokens", frequent),
        ],
    )


def masking(world: World) -> Picture:
    """A sentence masked four times, and the shares over many draws."""
    mine = world.load("masking")
    ids, table = sentence_ids(" ".join(SENTENCES[:3]))
    rows = []
    for seed in range(4):
        given = np.array(ids)
        masked, labels = mine.mask_tokens(given, len(table), np.random.default_rng(seed), probability=0.25)
        rows.append(Tokens(f"draw {seed + 1}", shown_masks(masked, labels, table)))
    many = np.full((400, 200), SPECIAL)
    masked, labels = mine.mask_tokens(many, 1000, np.random.default_rng(9))
    chosen = labels != IGNORE_INDEX
    after = masked[chosen]
    shares = [
        ("chosen, of all words", 100 * chosen.mean()),
        ("[MASK], of the chosen", 100 * (after == MASK_ID).mean()),
        ("a random word (~)", 100 * ((after != MASK_ID) & (after != SPECIAL)).mean()),
        ("unchanged (=)", 100 * (after == SPECIAL).mean()),
    ]
    note = Note(
        "A chosen word becomes [MASK], a random word (~) or stays as it is (=). Here 25 % are chosen."
    )
    return Picture(
        "Your masks",
        [note, *rows, Bars("per cent over 80,000 words at 15 %", [(n, float(v)) for n, v in shares])],
    )


def shown_masks(masked: Any, labels: Any, table: list[str]) -> list[tuple[str, str]]:
    """Each word with the tone of what became of it."""
    shown = []
    for token, label in zip(masked.tolist(), labels.tolist(), strict=True):
        tone = "plain"
        if label != IGNORE_INDEX:
            tone = "masked" if token == MASK_ID else "kept" if token == label else "random"
        shown.append((table[token], tone))
    return shown


def packed(input_ids: list[int], segments: list[int], table: list[str]) -> list[tuple[str, str]]:
    """A packed pair, coloured by segment."""
    return [
        (table[i], "special" if i < SPECIAL else "second" if segment else "first")
        for i, segment in zip(input_ids, segments, strict=True)
    ]


def pairing(world: World) -> Picture:
    """A true and a false pair of each task, packed."""
    mine = world.load("pairing")
    table, texts = vocabulary(), as_ids()
    blocks: list[Any] = [Note("Segment 0 is one colour, segment 1 (marked ') the other.")]
    for name, pairs in (
        ("NSP", mine.nsp_pairs(texts, np.random.default_rng(1))),
        ("SOP", mine.sop_pairs(texts, np.random.default_rng(2))),
    ):
        for label, word in ((1, "true"), (0, "false")):
            pair = next(pair for pair in pairs if pair.label == label)
            input_ids, segments = mine.pack_pair(pair.first, pair.second, 48)
            blocks.append(Tokens(f"{name}, {word}", packed(list(input_ids), list(segments), table)))
        true = sum(pair.label for pair in pairs)
        blocks.append(Bars(f"{name} labels", [("true order", true), ("false", len(pairs) - true)]))
    return Picture("Your sentence pairs", blocks)


def datasets(world: World) -> Picture:
    """The same items in two epochs, and a padded batch."""
    mine = world.load("datasets")
    table, texts = vocabulary(), as_ids()
    dataset = mine.ALBERTDataset(texts, len(table), 48, seed=0)
    blocks: list[Any] = []
    for epoch in (0, 1):
        dataset.set_epoch(epoch)
        item = dataset[1]
        label = "true order" if item.sentence_label else "swapped"
        blocks.append(Tokens(f"epoch {epoch}", shown_masks(item.input_ids, item.mlm_labels, table)))
        blocks.append(Note(f"  label {item.sentence_label}: {label}"))
    batch = mine.collate([dataset[i] for i in range(5)])
    for row, (ids, real) in enumerate(
        zip(batch.input_ids.tolist(), batch.attention_mask.tolist(), strict=True)
    ):
        cells = [
            (
                "·" if not seen else "S" if i == SEP_ID else "m" if i == MASK_ID else "x",
                "plain" if seen else "padding",
            )
            for i, seen in zip(ids, real, strict=True)
        ]
        blocks.append(Tokens(f"row {row}", cells))
    shape = list(batch.input_ids.shape)
    blocks.append(
        Note(f"A batch {shape}: x a word, m a mask, S a separator, · padding. {len(documents())} documents.")
    )
    return Picture("Your examples and batches", blocks)
