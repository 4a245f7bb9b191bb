"""What a run leaves on disk: metrics, a checkpoint that is never half written, and the finished run."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from lessons.given.config import ModelConfig
from lessons.given.engine.errors import EngineError
from lessons.given.records import Evaluation, History, Run

SCHEMA = 1  # raised when a folder written before can no longer be read


class RunFolder:
    """One model's folder: `metrics.jsonl`, `checkpoint.pt`, and `run.json` once the run has ended.

    Raises:
        EngineError: the folder cannot be made or written, or was written under another schema.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.metrics, self.checkpoint, self.result = (
            self.path / name for name in ("metrics.jsonl", "checkpoint.pt", "run.json")
        )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            probe = self.path / f".probe{os.getpid()}"
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise EngineError(f"cannot write to the run folder {self.path}: {error.strerror}") from error

    def save_checkpoint(self, state: dict[str, Any]) -> None:
        """Write the state in whole or not at all; on failure the last checkpoint stays."""
        kept = self.checkpoint.exists()
        try:
            write_atomically(self.checkpoint, lambda path: torch.save({"schema": SCHEMA, **state}, path))
        except (OSError, RuntimeError) as error:  # torch reports a full disk as a RuntimeError
            raise EngineError(
                f"cannot write the checkpoint of step {state['step']} to {self.checkpoint}: {error}. "
                + ("The checkpoint before it is kept." if kept else "There is no earlier checkpoint.")
                + " Free some space and run the same command again."
            ) from error

    def load_checkpoint(self) -> dict[str, Any] | None:
        """The last checkpoint's state, or None."""
        if not self.checkpoint.exists():
            return None
        try:
            state = torch.load(self.checkpoint, map_location="cpu", weights_only=True)
        except Exception as error:
            raise EngineError(f"cannot read {self.checkpoint}: {error}. Start anew with --fresh.") from error
        check_schema(state, self.checkpoint)
        return state

    def log(self, entry: dict[str, Any]) -> None:
        """Add one line to the metrics."""
        try:
            with open(self.metrics, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        except OSError as error:
            raise EngineError(
                f"cannot write {self.metrics}: {error.strerror}. The last checkpoint is kept."
            ) from error

    def rewind(self, step: int) -> None:
        """Drop metrics of later steps than `step`, written after the checkpoint that a run resumes from."""
        if not self.metrics.exists():
            return
        lines = self.metrics.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = "".join(line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step)
        self._write(self.metrics, kept)

    def clear(self) -> None:
        """Remove what an earlier run left."""
        for path in (self.metrics, self.checkpoint, self.result):
            path.unlink(missing_ok=True)

    def save_run(self, run: Run) -> None:
        """Write the finished run; the checkpoint stays for further use."""
        self._write(self.result, json.dumps({"schema": SCHEMA, **run_to_plain(run)}, indent=1) + "\n")

    def _write(self, path: Path, text: str) -> None:
        try:
            write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
        except OSError as error:
            raise EngineError(
                f"cannot write {path}: {error.strerror}. The last checkpoint is kept."
            ) from error

    def load_run(self) -> Run | None:
        """The finished run, or None."""
        if not self.result.exists():
            return None
        plain = json.loads(self.result.read_text(encoding="utf-8"))
        check_schema(plain, self.result)
        return run_from_plain(plain)


def check_schema(plain: dict[str, Any], path: Path) -> None:
    """Refuse what another version wrote."""
    if plain.get("schema") != SCHEMA:
        raise EngineError(
            f"{path}: got schema {plain.get('schema')!r}, expected {SCHEMA}; "
            "another version of the project wrote it. Start anew with --fresh or another --out."
        )


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a neighbour file, push it to the disk, then take the place of `path` in one move."""
    temporary = path.with_name(path.name + ".part")
    try:
        write(temporary)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def run_to_plain(run: Run) -> dict[str, Any]:
    """A run as JSON can hold it."""
    plain = run._asdict()
    plain["config"] = vars(run.config).copy()
    plain["history"] = run.history._asdict()
    plain["evaluations"] = [evaluation._asdict() for evaluation in run.evaluations]
    plain["settings"] = dict(run.settings)
    return plain


def run_from_plain(plain: dict[str, Any]) -> Run:
    """The run that `run_to_plain` took apart."""
    fields = {name: plain[name] for name in Run._fields}
    fields["config"] = ModelConfig(**plain["config"])
    fields["history"] = History(**plain["history"])
    fields["evaluations"] = [Evaluation(**evaluation) for evaluation in plain["evaluations"]]
    settings = plain["settings"]
    fields["settings"] = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
    return Run(**fields)
