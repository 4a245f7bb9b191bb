"""The fifteen lessons in order: the one table that the plugin, the command line and the docs read."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Lesson:
    """One lesson. `needs` are the earlier lessons whose code it imports; `minutes` is a learner's time."""

    number: int
    module: str
    title: str
    points: int
    bonus: int
    minutes: int
    needs: tuple[str, ...]
    exercises: tuple[str, ...]
    uses_torch: bool = True

    @property
    def page(self) -> str:
        """The lesson's page, from the project's root."""
        return f"docs/lessons/{self.number:02d}-{self.module}.md"

    @property
    def checks(self) -> str:
        """The lesson's test module, from the project's root."""
        return f"checks/test_{self.module}.py"


LESSONS = (
    Lesson(1, "vocab", "Vocabulary", 5, 0, 40, (), ("tokenize", "build_vocab", "encode", "decode"), False),
    Lesson(
        2,
        "masking",
        "Masking",
        7,
        3,
        70,
        (),
        ("select_positions", "mask_tokens", "select_spans", "find_faults"),
        False,
    ),
    Lesson(
        3,
        "pairing",
        "Sentence pairs",
        7,
        0,
        60,
        (),
        ("nsp_pairs", "sop_pairs", "truncate_pair", "pack_pair"),
        False,
    ),
    Lesson(
        4,
        "datasets",
        "Datasets",
        5,
        0,
        60,
        ("masking", "pairing"),
        ("BERTDataset", "ALBERTDataset", "collate"),
    ),
    Lesson(
        5,
        "attention",
        "Attention",
        10,
        0,
        90,
        (),
        (
            "attention_weights",
            "scaled_dot_product_attention",
            "split_heads",
            "merge_heads",
            "MultiHeadAttention",
        ),
    ),
    Lesson(
        6,
        "transformer",
        "Encoder layer",
        6,
        0,
        60,
        ("attention",),
        ("gelu", "FeedForward", "TransformerLayer"),
    ),
    Lesson(7, "embeddings", "Embeddings", 7, 0, 60, (), ("BERTEmbeddings", "FactorizedEmbeddings")),
    Lesson(
        8,
        "encoders",
        "Encoders",
        9,
        2,
        60,
        ("attention", "transformer"),
        ("BERTEncoder", "ALBERTEncoder", "PartlySharedEncoder"),
    ),
    Lesson(9, "heads", "Heads", 7, 0, 60, ("transformer",), ("Pooler", "MLMHead", "SentenceHead")),
    Lesson(
        10,
        "models",
        "Models",
        7,
        0,
        60,
        ("embeddings", "encoders", "heads"),
        ("BERTModel", "ALBERTModel", "init_weights"),
    ),
    Lesson(11, "checkpoint", "Checkpoints", 5, 0, 50, ("models",), ("from_huggingface", "to_huggingface")),
    Lesson(
        12,
        "counting",
        "Counting",
        5,
        0,
        50,
        (),
        ("count_parameters", "parameter_table", "forward_flops", "break_even_embedding"),
    ),
    Lesson(
        13,
        "objective",
        "Objective",
        6,
        0,
        60,
        (),
        ("pretraining_loss", "mlm_accuracy", "sentence_accuracy", "evaluate"),
    ),
    Lesson(
        14,
        "training",
        "Training",
        9,
        0,
        75,
        ("objective",),
        ("parameter_groups", "learning_rate", "train_step", "train_model"),
    ),
    Lesson(
        15,
        "capstone",
        "Capstone",
        5,
        0,
        90,
        ("datasets", "models", "counting", "objective", "training"),
        ("configurations", "compare", "summary_table", "plot_losses", "unfair", "diagnose"),
    ),
)
BY_NAME = {lesson.module: lesson for lesson in LESSONS}
