"""A run that does not learn, read for the learner: where it sits, since when, and what usually does that."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from lessons.given.records import Recording, Run

NEAR = 0.1  # nats around a line that count as sitting on it

CAUSES = {
    "N(0,1) start": "weights that start too large (`init_std`, or an `init_weights` that is not called)",
    "below the floor": "the answer is in the input: labels at visible places, or masks that are not applied",
    "labels everywhere": "labels at visible places, which only need to be copied",
    "frozen head": "a head that is not among the optimiser's parameters",
    "swapped labels": "sentence labels with 0 and 1 exchanged",
    "rate too high": "the learning rate is too high, or the warm-up is missing",
    "slot-unigram plateau": "learning rate, attention mask, or labels; or too few steps",
}

STUCK = {
    "ln V": "too few steps, or gradients that do not reach the weights",
    "unigram": "the learning rate is too high, the warm-up is missing, or attention sees nothing",
    "slot-unigram": CAUSES["slot-unigram plateau"],
}


def recording(run: Run, moved: dict[str, float]) -> Recording:
    """The run as lesson 15's `diagnose` reads it; the engine evaluates without dropout, so twice is once."""
    held_out = [evaluation.mlm_loss for evaluation in run.evaluations]
    return Recording(
        steps=run.steps,
        train_mlm=run.history.mlm_loss,
        held_out_mlm=held_out,
        held_out_again=held_out,
        sentence_accuracy=[evaluation.sentence_accuracy for evaluation in run.evaluations],
        moved=moved,
        lines=dict(run.settings.get("lines", {})),
    )


def diagnosis(run: Run, moved: dict[str, float], diagnose: Callable[[Recording], str] | None) -> str:
    """The name that `diagnose` gives the run, or "" where it cannot be asked.

    A model without a sentence task has a sentence head that never moves: that is no fault.
    """
    record = recording(run, {**moved, "sentence_head": max(moved.get("sentence_head", 0.0), 1e-9)})
    needed = {"ln V", "unigram", "slot-unigram", "floor"}
    if diagnose is None or not needed <= set(record.lines):
        return ""
    try:
        return diagnose(record)
    except Exception:  # still to do, or a learner's mistake: the report does without
        return ""


def read_run(run: Run, verdict: str = "") -> str:
    """What the run's curves say where it has not learnt; "" where it has.

    Example: "ALBERT: the held-out loss sits at the slot unigram (1.82) since step 300; likely: learning rate,
    attention mask, or labels; or too few steps."
    """
    said = []
    losses = [evaluation.mlm_loss for evaluation in run.evaluations]
    if stuck := sits_at(run.steps, losses, run.settings.get("lines", {})):
        line, since = stuck
        likely = STUCK[line]
        nats = run.settings["lines"][line]
        said.append(
            f"the held-out loss sits at the {line.replace('-', ' ')} line ({nats:.2f}) since step {since:,}; "
            f"likely: {likely}"
        )
    elif losses[-1] > (plateau := run.settings.get("lines", {}).get("slot-unigram", math.inf)):
        said.append(
            f"the held-out loss has come down to {losses[-1]:.2f}, not to the slot unigram line ({plateau:.2f}); "
            "likely: too few steps, or too low a learning rate"
        )
    elif verdict in CAUSES:
        said.append(f"diagnosed as {verdict!r}; likely: {CAUSES[verdict]}")
    objective = run.settings.get("objective", run.settings.get("task"))
    accuracy = run.evaluations[-1].sentence_accuracy
    if objective in ("nsp", "sop") and accuracy < 0.6 and not stuck:
        said.append(
            f"the sentence task is still at chance ({accuracy:.2f}) although the masked words are learnt; it comes "
            "late and suddenly: give it more steps, then look at its labels and at what separates the segments"
        )
    return f"{run.name}: {'; '.join(said)}." if said else ""


def sits_at(steps: Sequence[int], losses: Sequence[float], lines: dict[str, Any]) -> tuple[str, int] | None:
    """The line on which the curve ends, within `2 * NEAR`, and the step since which it has been there."""
    for line in ("ln V", "unigram", "slot-unigram"):
        if line not in lines or abs(losses[-1] - lines[line]) > 2 * NEAR:
            continue
        if line == "slot-unigram" and losses[-1] < lines[line] - NEAR:
            continue  # it has left the plateau
        since = len(losses) - 1
        while since > 0 and losses[since - 1] <= losses[-1] + 2 * NEAR:
            since -= 1
        return line, steps[since]
    return None
