"""The training engine of the capstone.

It trains any model with the course's interface and imports nothing from a lesson: the functions that it calls
come in as `Pieces`.
"""

from lessons.given.engine.batches import Part, Pools, complete_places, prepare, stream
from lessons.given.engine.errors import EngineError, Interrupted
from lessons.given.engine.evaluation import evaluate, sentence_logits, token_losses
from lessons.given.engine.held_out import HeldOut, HeldOutPair, Task, fingerprint, held_out_set
from lessons.given.engine.plan import Plan
from lessons.given.engine.run_folder import SCHEMA, RunFolder
from lessons.given.engine.train import train
from lessons.given.engine.training import Pieces

__all__ = [
    "SCHEMA",
    "EngineError",
    "HeldOut",
    "HeldOutPair",
    "Interrupted",
    "Part",
    "Pieces",
    "Plan",
    "Pools",
    "RunFolder",
    "Task",
    "complete_places",
    "evaluate",
    "fingerprint",
    "held_out_set",
    "prepare",
    "sentence_logits",
    "stream",
    "token_losses",
    "train",
]
