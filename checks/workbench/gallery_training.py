"""Pictures of lessons 13 to 15: losses, a model that has learnt, a comparison."""

import math
from dataclasses import replace
from typing import Any

import torch
from torch.utils.data import DataLoader

from checks.subject.world import World
from checks.workbench.pictures import Bars, Curves, Note, Picture, Tokens
from checks.workbench.words import as_ids, documents, vocabulary
from lessons.given.config import ModelConfig
from lessons.given.records import CLS_ID, IGNORE_INDEX, MASK_ID, SEP_ID

SMALL: dict[str, Any] = {
    "max_len": 48,
    "d_model": 64,
    "n_layers": 1,
    "n_heads": 4,
    "dropout": 0.0,
    "init_std": 0.05,
}
EPOCHS = 150
DOCUMENTS = 3  # few enough to be learnt by heart in seconds


def small_model(world: World) -> tuple[Any, Any]:
    """An untrained BERT and a dataset of a few documents."""
    size = len(vocabulary())
    torch.manual_seed(0)
    model = world.load("models").BERTModel(ModelConfig(vocab_size=size, **SMALL))
    return model, world.load("datasets").BERTDataset(as_ids()[:DOCUMENTS], size, 48, seed=0, probability=0.3)


def objective(world: World) -> Picture:
    """The loss of an untrained model against ln V and ln 2, and what each masked word costs it."""
    mine = world.load("objective")
    model, dataset = small_model(world)
    collate = world.load("datasets").collate
    batch = collate([dataset[i] for i in range(len(dataset))])
    with torch.no_grad():
        loss = mine.pretraining_loss(model, batch)
        logits = model.mlm_logits(model(batch.input_ids, batch.segment_ids, batch.attention_mask)[0])
    result = mine.evaluate(model, DataLoader(dataset, batch_size=8, collate_fn=collate))
    costs = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), batch.mlm_labels.flatten(), ignore_index=IGNORE_INDEX, reduction="none"
    ).reshape(batch.input_ids.shape)
    row = int((batch.mlm_labels != IGNORE_INDEX).sum(dim=1).argmax())
    table = vocabulary()
    places = (batch.mlm_labels[row] != IGNORE_INDEX).nonzero().flatten().tolist()
    words = [(f"{table[batch.mlm_labels[row, t]]}", costs[row, t].item()) for t in places]
    return Picture(
        "Your objective",
        [
            Bars(
                "an untrained model knows nothing",
                [
                    ("masked words", loss.mlm.item()),
                    ("ln V", math.log(len(table))),
                    ("sentence", loss.sentence.item()),
                    ("ln 2", math.log(2)),
                ],
            ),
            Bars("what the hidden words of one example cost, in nats", words),
            Bars("evaluate", [(name, float(value)) for name, value in result._asdict().items()]),
        ],
    )


def training(world: World) -> Picture:
    """The schedule, a short training, and a blank that the model fills."""
    mine = world.load("training")
    steps = list(range(100))
    rates = [mine.learning_rate(step, 1.0, 10, 100) for step in steps]
    model, dataset = small_model(world)
    loader = DataLoader(dataset, batch_size=8, collate_fn=world.load("datasets").collate)
    history = mine.train_model(model, loader, EPOCHS, lr=4e-3)
    return Picture(
        "Your training",
        [
            Curves("learning rate over 100 steps, 10 of them warming up", steps, {"rate": rates}),
            Curves(
                f"{EPOCHS} epochs on {len(dataset)} pairs",
                list(range(EPOCHS)),
                {"masked words": history.mlm_loss, "sentence": history.sentence_loss},
            ),
            *blanks(model.eval()),
            Note("+ marks a blank that was filled with the word that stood there."),
        ],
    )


def blanks(model: Any) -> list[Tokens]:
    """Pairs of sentences with a word hidden, and the model's word in its place."""
    table, texts, shown = vocabulary(), as_ids(), []
    for document, start in ((0, 0), (0, 2), (1, 0), (2, 0), (2, 2)):
        first, second = texts[document][start : start + 2]
        place = 1 + min(len(first) - 2, 3)
        ids = [CLS_ID, *first, SEP_ID, *second, SEP_ID]
        segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        hidden = [*ids[:place], MASK_ID, *ids[place + 1 :]]
        with torch.no_grad():
            output, _ = model(torch.tensor([hidden]), torch.tensor([segments]))
            guess = int(model.mlm_logits(output)[0, place].argmax())
        words = [(table[i], "plain") for i in ids[1 : len(first) + 1]]
        words[place - 1] = (table[guess], "right" if guess == ids[place] else "random")
        shown.append(Tokens(f"document {document + 1}", words))
    return shown


def capstone(world: World) -> Picture:
    """Your own comparison in small: twelve documents, forty steps."""
    mine = world.load("capstone")
    size = len(vocabulary(24))
    texts = as_ids(24)
    configs = {
        name: replace(
            config, d_model=32, d_ff=128, n_layers=1, max_len=48, d_embedding=16 if name == "ALBERT" else 32
        )
        for name, config in mine.configurations("quick", size).items()
    }
    settings: dict[str, Any] = {
        "steps": 40,
        "batch_size": 8,
        "lr": 5e-3,
        "max_len": 48,
        "seed": 0,
        "device": "cpu",
    }
    runs = mine.compare(configs, texts[:18], texts[18:], **settings)
    first, second = runs.values()
    faults = mine.unfair(first, second)
    curves = [
        Curves(
            f"{name}: masked words", run.steps, {"training": run.history.mlm_loss, "held out": held_out(run)}
        )
        for name, run in runs.items()
    ]
    return Picture(
        "Your comparison, in small",
        [
            Note(
                f"{len(documents(24))} documents, {settings['steps']} steps: far too little to tell who is better."
            ),
            Note(mine.summary_table(runs)),
            *curves,
            Note(f"unfair: {', '.join(faults) or 'nothing'}"),
        ],
    )


def held_out(run: Any) -> list[float]:
    """The held-out loss at each logged step."""
    return [evaluation.mlm_loss for evaluation in run.evaluations]
