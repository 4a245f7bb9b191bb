"""Lesson 15: the capstone.

Your BERT and your ALBERT are trained side by side on equal terms, and you say what came of it: a table, a
picture, what would make the comparison unfair, and what went wrong in runs that others recorded.

Minutes: 90. Before: datasets, models, counting, objective, training.
Check:   pytest checks/test_capstone.py
Page:    docs/lessons/15-capstone.md
"""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from matplotlib.figure import Figure

from lessons.given import engine
from lessons.given.config import ModelConfig
from lessons.given.records import Recording, Run

from .counting import parameter_table
from .datasets import ALBERTDataset, BERTDataset, collate
from .models import ALBERTModel, BERTModel
from .objective import pretraining_loss
from .training import learning_rate, parameter_groups

PIECES = engine.Pieces(collate, pretraining_loss, parameter_groups, learning_rate)


def configurations(preset: str, vocab_size: int) -> dict[str, ModelConfig]:
    """The two models of a preset: alike but for ALBERT's narrow embeddings and its shared layers.

        preset   layers  d_model  heads  ALBERT's E  max_len  dropout  activation  init_std
        quick         2      128      4          64       64        0  gelu_tanh      0.055
        classic       4      128      4          64       64      0.1  gelu           0.02
        cpu           2      128      4          64       64        0  gelu_tanh      0.0875
        gpu          12      512      8         128      128        0  gelu_tanh      0.03

    BERT has E = d_model and shares nothing, ALBERT shares all. What is not in the table is left at
    `ModelConfig`'s defaults.

    Args:
        preset: one of the four names.
        vocab_size: V of both.

    Returns:
        `{"BERT": ..., "ALBERT": ...}`, in this order.

    Raises:
        ValueError: another preset; the message names the four.

    Example:
        >>> configs = configurations("classic", vocab_size=500)
        >>> configs["BERT"].d_embedding, configs["ALBERT"].d_embedding, configs["ALBERT"].sharing
        (128, 64, 'all')

    Source: Lan et al. 2020, section 3.1.
    """
    # 1. Refuse a preset that is not in the table.
    # 2. Build BERT's configuration, and ALBERT's from the same sizes.
    raise NotImplementedError("lesson capstone: configurations is still to do")


def compare(
    configs: dict[str, ModelConfig],
    train_documents: list[list[list[int]]],
    held_out_documents: list[list[list[int]]],
    *,
    steps: int,
    batch_size: int,
    lr: float,
    max_len: int,
    seed: int,
    device: str = "cpu",
) -> dict[str, Run]:
    """Train every configuration on equal terms and score all on one held-out set.

    A name that starts with "ALBERT" is an `ALBERTModel` with the sentence order task (`"sop"`); every other
    is a `BERTModel` with next sentence prediction (`"nsp"`; negatives from the same place of another
    document).

    The given engine does the training. `engine.Plan(...)` holds the budget and takes the six last arguments
    under these names. `engine.held_out_set(documents, max_len, seed)` draws the pairs for scoring and hides
    words in them. `engine.train(model, dataset, held_out, plan, PIECES, name=..., task=...,
    training_data=..., parameters=...)` returns a `Run`; `training_data` is
    `engine.fingerprint(train_documents)` and `parameters` lesson 12's table, with a projection for every
    `ALBERTModel`, whatever its E and its sharing. The documents are left as they are.

    Equal terms: one plan and one held-out set for all, the same seed for every model's start (torch's global
    generator seeded just before the model is built) and for every dataset.

    Args:
        configs: name -> configuration; all have one vocabulary size.
        train_documents, held_out_documents: lists of sentences of ids.
        steps, batch_size, lr, max_len, seed, device: as in `engine.Plan`.

    Returns:
        name -> run, in the order of `configs`. Equal arguments give equal losses on a CPU. torch's global
        generator is left as it was.

    Raises:
        ValueError: what the engine and the datasets refuse, such as fewer pairs than a batch.
    """
    # 1. Make the plan, the held-out set and the fingerprint, once.
    # 2. For each name take the classes and the task that belong to it.
    # 3. Build the model from the seed, without a trace in the global generator.
    # 4. Train it.
    raise NotImplementedError("lesson capstone: compare is still to do")


def summary_table(runs: dict[str, Run]) -> str:
    """The runs as a Markdown table: a heading, a ruler, and a line for each run, in order.

    `embedding` sums lesson 12's rows word, position, segment, embedding_norm and projection, `heads` sums
    pooler, mlm_head and sentence_head. Losses and accuracies are the last evaluation's, so they compare.
    Counts have commas at thousands, losses and accuracies three decimals, tokens per second none (and commas),
    seconds one (and no comma).

    Example:
        >>> from lessons.given.records import Evaluation, History
        >>> table = {"word": 4000, "position": 512, "segment": 16, "embedding_norm": 16, "projection": 0,
        ...          "encoder": 872, "pooler": 72, "mlm_head": 588, "sentence_head": 18, "total": 6094}
        >>> run = Run("BERT", ModelConfig(vocab_size=500, d_model=8, n_layers=1), table, [40],
        ...           History([2.0], [0.7], [2.7]), [Evaluation(1.5, 0.5, 2.0, 0.6, 0.75)], {}, 1234.5, 6.78)
        >>> print(summary_table({"BERT": run}))
        | model | total | embedding | encoder | heads | MLM loss | total loss | MLM acc | sentence acc | tokens/s | seconds |
        |---|---|---|---|---|---|---|---|---|---|---|
        | BERT | 6,094 | 4,544 | 872 | 678 | 1.500 | 2.000 | 0.600 | 0.750 | 1,234 | 6.8 |
    """  # noqa: E501
    # 1. Write the heading and the ruler.
    # 2. Write a line for each run: counts by component, then the last evaluation, then the speed.
    raise NotImplementedError("lesson capstone: summary_table is still to do")


def plot_losses(runs: dict[str, Run], path: str | Path) -> None:
    """Draw the runs' curves against the step and write them to `path` as a PNG.

    Two panels, each with every run: the masked-token loss at the left, the total loss at the right. Each has
    a curve of the training loss (`history`) and a dashed one of the held-out loss (`evaluations`), a title,
    labels on both axes and a legend that names runs and says which is which.

    The left panel also has a horizontal line at ln V, and one for each entry of `settings["lines"]`
    (name -> nats; it may be missing): what the curves must be read against. The runs are left as they are.

    Args:
        runs: name -> run, at least one.
        path: the file to write; an older one is replaced.
    """
    # 1. Make a figure with two panels; no window may open.
    # 2. Draw each run in a colour of its own in both panels, training solid and held-out dashed.
    # 3. Draw the lines that give the left panel its meaning.
    # 4. Title, label and save.
    raise NotImplementedError("lesson capstone: plot_losses is still to do")


def unfair(run_a: Run, run_b: Run) -> list[str]:
    """What makes a comparison of two runs unfair, in the order of this table; empty if nothing does.

        word               unfair when
        "training data"    `settings["training_data"]` differs
        "steps"            `settings["steps"]` differs, or the last entry of `steps` (one stopped early)
        "batch size"       `settings["batch_size"]` differs
        "sequence length"  `settings["max_len"]` differs
        "masks"            `settings["masks"]` differs
        "evaluation set"   `settings["held_out"]` differs
        "learning rate"    the rates in `settings["rates_tried"]` differ, their order and repeats aside: a
                           model whose rate was picked from three has had help that the other has not

    Any difference counts, however small. What a run's settings do not mention cannot be trusted: a key that
    is missing in either run counts as a difference (a value that is empty is not missing). The runs are left
    as they are. Different architectures, objectives, rates (out of the same ones tried), seeds and speeds are
    no fault: they are what is compared.

    Example:
        >>> a = Run("A", None, {}, [10, 20], None, [], {"training_data": "f3", "held_out": "0a", "steps": 20,
        ...         "batch_size": 8, "max_len": 64, "masks": "15%", "rates_tried": (1e-3, 5e-4)}, 0.0, 0.0)
        >>> b = a._replace(steps=[10], settings={**a.settings, "batch_size": 16, "rates_tried": (5e-4, 1e-3)})
        >>> unfair(a, b)
        ['steps', 'batch size']
    """
    # 1. Collect, for each word of the table, what must be equal in the two runs.
    # 2. Compare; a missing entry is a difference.
    # 3. Keep the words whose two sides differ.
    raise NotImplementedError("lesson capstone: unfair is still to do")


def diagnose(history: Recording) -> str:
    """Name the fault of a recorded run.

    The signatures; where two seem to fit, the upper one is the cause.

        returned                 signature
        "N(0,1) start"           the first loss is far above ln V (a good start gives ln V, almost exactly)
        "dropout in evaluation"  the same weights, scored twice on the same pairs, give two losses
        "below the floor"        the held-out loss ends clearly below the floor: the answer is in the input
        "labels everywhere"      training ends clearly below the floor, the held-out loss above it: training
                                 counts visible words, which only need to be copied
        "frozen head"            a head never moved from its start
        "swapped labels"         the sentence accuracy ends far below one half: it knows the task and says the
                                 opposite
        "rate too high"          the held-out loss ends no better than the unigram line
        "slot-unigram plateau"   the held-out loss ends at the slot-unigram line: the template was learnt, and
                                 nothing of the context
        "healthy"                none of these

    "Clearly" and "far" leave room: losses of short runs scatter by some hundredths of a nat, accuracies by
    some hundredths. The faults are larger. Only two equal lists are the same losses twice: any entry may
    differ. The recording is left as it is.

    Example:
        >>> lines = {"ln V": 5.02, "unigram": 3.87, "slot-unigram": 1.82, "floor": 0.87}
        >>> moved = dict.fromkeys(("embeddings", "encoder", "pooler", "mlm_head", "sentence_head"), 0.5)
        >>> run = Recording([1, 300, 600], [5.03, 2.9, 1.3], [4.9, 1.5, 1.25], [4.9, 1.5, 1.25],
        ...                 [0.5, 0.6, 0.91], moved, lines)
        >>> diagnose(run)
        'healthy'
        >>> diagnose(run._replace(train_mlm=[31.0, 7.5, 6.1]))
        'N(0,1) start'
        >>> diagnose(run._replace(sentence_accuracy=[0.5, 0.4, 0.09]))
        'swapped labels'
    """
    # 1. Read the start, the end and the lines.
    # 2. Try the signatures from the top; the first that fits is the answer.
    raise NotImplementedError("lesson capstone: diagnose is still to do")
