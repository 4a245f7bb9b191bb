"""One training run, described in full: two equal descriptions are one run."""

import ast
import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from checks.curriculum import LESSONS
from checks.experiments.form import Form, Objective
from lessons.given.config import ModelConfig
from lessons.given.engine import Plan
from lessons.given.engine.plan import Precision

VERSION = 1  # raised when runs made before no longer count


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """All that decides a run's numbers, but for the code that is trained.

    `factorized` runs are an `ALBERTModel` (any sharing, any E), the others a `BERTModel`. `static` masks keep the
    examples of the first epoch, pairs and masks, for all epochs; `ngrams` chooses spans. A run that is not
    `trained` is only measured.
    """

    config: ModelConfig
    factorized: bool
    objective: Objective
    world: str
    documents: int
    held_out_pairs: int
    sentences: tuple[int, int]
    steps: int
    batch_size: int
    lr: float
    seed: int = 0
    probability: float = 0.15
    static: bool = False
    ngrams: bool = False
    evaluations: int = 8
    precision: Precision = "fp32"
    trained: bool = True

    @property
    def task(self) -> Literal["nsp", "sop"]:
        """The sentence task that the run's curve shows; without one it is SOP, at chance."""
        return "nsp" if self.objective == "nsp" else "sop"

    @property
    def title(self) -> str:
        """The run in a few words: what differs between runs of an experiment."""
        c = self.config
        words = ["ALBERT" if self.factorized else "BERT", f"L{c.n_layers}", f"D{c.d_model}"]
        if self.factorized:
            groups = f"/{c.n_groups}" if c.n_groups > 1 else ""
            words += [f"E{c.d_embedding}", f"{c.sharing}{groups}"]
        words += [self.objective, f"{self.steps}"]
        if self.probability != 0.15:
            words.append(f"{self.probability:.0%}")
        words += ["static"] * self.static + ["n-grams"] * self.ngrams + ["untrained"] * (not self.trained)
        return " ".join([*words, f"s{self.seed}"])

    def key(self, code: str) -> str:
        """Twelve hex digits that name the run of this code (`code_of`)."""
        text = json.dumps({"version": VERSION, "code": code, **asdict(self)}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def plan(self, device: str, workers: int = 0) -> Plan:
        """The engine's plan, with the recipe that all experiments share."""
        return Plan(
            steps=self.steps,
            batch_size=self.batch_size,
            lr=self.lr,
            max_len=self.config.max_len,
            seed=self.seed,
            device=device,
            sentences=self.sentences,
            probability=self.probability,
            precision=self.precision,
            workers=workers,
            evaluate_every=max(1, self.steps // self.evaluations),
            checkpoint_every=max(1, min(200, self.steps // 5)),
        )


def spec(form: Form, seed: int, objective: Objective, *, factorized: bool, **changes: Any) -> RunSpec:
    """A run of the form; `changes` go to the run's fields, or to its model's."""
    own = {key: changes.pop(key) for key in list(changes) if key in RunSpec.__dataclass_fields__}
    names = ("world", "documents", "held_out_pairs", "sentences", "steps", "batch_size", "lr")
    fields: dict[str, Any] = {name: getattr(form, name) for name in (*names, "evaluations", "precision")}
    fields |= {
        "config": form.config(**changes),
        "factorized": factorized,
        "objective": objective,
        "seed": seed,
    }
    return RunSpec(**{**fields, **own})


def bert(form: Form, seed: int, objective: Objective = "nsp", **changes: Any) -> RunSpec:
    """The form's BERT: E = D, nothing shared."""
    return spec(form, seed, objective, factorized=False, **changes)


def albert(form: Form, seed: int, objective: Objective = "sop", **changes: Any) -> RunSpec:
    """The form's ALBERT: the form's E, all shared."""
    return spec(
        form, seed, objective, factorized=True,
        **{"d_embedding": form.d_embedding, "sharing": "all", **changes},
    )  # fmt: skip


def with_vocabulary(run: RunSpec, vocab_size: int) -> ModelConfig:
    """The run's model once the corpus's vocabulary is known."""
    return replace(run.config, vocab_size=vocab_size)


def forward_flops(config: ModelConfig, tokens: int) -> float:
    """The encoder's matrix products of one sequence, to compare runs by their cost."""
    t, d, f = tokens, config.d_model, config.d_ff
    return config.n_layers * (8 * t * d * d + 4 * t * d * f + 4 * t * t * d)


@lru_cache
def code_of(root: Path) -> str:
    """Twelve hex digits of the lesson modules in `root`; comments, docstrings and layout do not count."""
    digest = hashlib.sha256()
    for lesson in LESSONS:
        path = root / f"{lesson.module}.py"
        if path.exists() and lesson.module != "capstone":
            digest.update(_bare(ast.parse(path.read_text(encoding="utf-8"))).encode())
    return digest.hexdigest()[:12]


def _bare(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                node.body = body[1:]  # type: ignore[attr-defined]
    return ast.dump(tree)
