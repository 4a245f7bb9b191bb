"""Turns finished runs into a results file: `python -m checks.site.record_run NAME FOLDER... --commit REV`.

NAME is a preset, `quick` or `cpu`, with the run folders of several seeds of `litebert capstone`, or an experiment's
name, with the folder of its report. The file docs/results/NAME.json (`experiment-NAME.json`) then holds the tables,
claims and charts that pages show. Nothing in it names a folder of the machine that trained.
"""

import datetime
import json
import re
import shlex
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from checks.experiments import EXPERIMENTS
from checks.site.preset_runs import ASKED, preset_values
from checks.site.report_folder import read_report, rounded
from checks.site.results import RESULTS, ROOT

LARGEST = 60_000  # bytes: a page that draws it must stay light
COMMAND = "Command: `"


def experiment_entry(name: str, folder: Path) -> dict[str, Any]:
    """Command, date, seconds of training and values of an experiment's report folder."""
    report = read_report(folder)
    commands = [text[len(COMMAND) : -1] for text in report["lead"] if text.startswith(COMMAND)]
    if not commands:
        raise ValueError(f"{folder.name}: its summary names no command")
    report["lead"] = [text for text in report["lead"] if not text.startswith(COMMAND)]
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    claims = [
        dict(zip(("text", "verdict", "numbers"), claim, strict=True)) for claim in data.pop("claims", [])
    ]
    if name == "objective":
        data["matrix"] = {label: matrix_row(found.pop("tasks")) for label, found in data["runs"].items()}
    seconds = [float(row[-1]) for row in runs_table(report)]
    return {
        "command": without_folder(commands[0]),
        "date": day_of(folder / "summary.md"),
        "seconds": sum(seconds),
        "values": {
            "report": report,
            "question": question_of(name),
            "claims": claims,
            "runs": len(seconds),
            "data": rounded({key: {slug(k): v for k, v in found.items()} for key, found in data.items()}),
        },
    }


def question_of(name: str) -> str:
    """The question that an experiment asks."""
    text: str = import_module(f"checks.experiments.{name}").QUESTION
    return text[0].upper() + text[1:]


def slug(label: str) -> str:
    """A row's name as a key that pages can quote.

    Example:
        >>> slug("not shared, E = 16"), slug("ALBERT-base")
        ('not_shared_e_16', 'albert_base')
    """
    return re.sub(r"\W+", "_", label.lower()).strip("_")


def matrix_row(tasks: list[dict[str, Any]]) -> dict[str, Any]:
    """One row of the objective matrix: for each task and reading an accuracy a seed, and their mean."""
    names = [(task, reading) for task in ("nsp", "sop") for reading in ("head", "probe")]
    row = {f"{task}_{reading}": [seed[task][reading] for seed in tasks] for task, reading in names}
    return {**row, "mean": {name: sum(found) / len(found) for name, found in row.items()}}


def runs_table(report: dict[str, Any]) -> list[list[str]]:
    """The rows of the table of all runs; none where nothing was trained."""
    return [
        row for part in report["sections"] if part["title"] == "Runs" for row in part["tables"][0]["rows"]
    ]


def without_folder(command: str) -> str:
    """The command without the folder that it wrote to.

    Example:
        >>> without_folder("litebert capstone --seed 1 --out /somewhere/else")
        'litebert capstone --seed 1'
    """
    kept, words = [], iter(shlex.split(command))
    for word in words:
        if word == "--out":
            next(words)
        elif not word.startswith("--out="):
            kept.append(word)
    return shlex.join(kept)


def day_of(path: Path) -> str:
    """The day on which a file was written."""
    return datetime.date.fromtimestamp(path.stat().st_mtime).isoformat()


def full_commit(revision: str) -> str:
    """The whole hash of a commit of this repository."""
    done = subprocess.run(
        ["git", "rev-parse", "--verify", revision + "^{commit}"], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise ValueError(f"--commit: got {revision!r}, which is no commit here")
    return done.stdout.strip()


def by_lines(value: dict[str, Any]) -> str:
    """JSON with a line for each key of the entry and of its values, so that a change can be read."""
    rows = [
        f"{json.dumps(key)}:{by_lines(item) if key == 'values' else compact(item)}"
        for key, item in value.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n}"


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_results(name: str, entry: dict[str, Any], out: Path = RESULTS) -> Path:
    """Write the file; ValueError when it is too large or names a folder."""
    text = by_lines(entry) + "\n"
    if len(text.encode()) > LARGEST:
        raise ValueError(f"{name}: got {len(text.encode()):,} bytes, expected at most {LARGEST:,}")
    if "/tmp/" in text or "/home/" in text or str(ROOT) in text:
        raise ValueError(f"{name}: the values name a folder of this machine")
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}.json"
    path.write_text(text, encoding="utf-8")
    return path


@click.command()
@click.argument("name", type=click.Choice([*ASKED, *EXPERIMENTS]))
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--commit", required=True, help="The commit whose code made the runs.")
@click.option(
    "--seconds",
    multiple=True,
    type=click.FloatRange(0, min_open=True),
    help="What the command took in all, once a folder. Default: the seconds of training.",
)
@click.option("--out", type=click.Path(path_type=Path), default=RESULTS, help="Default: docs/results.")
def main(name: str, folders: tuple[Path, ...], commit: str, seconds: tuple[float, ...], out: Path) -> None:
    """Record the finished runs in FOLDERS as docs/results/NAME.json or experiment-NAME.json."""
    try:
        if seconds and len(seconds) != len(folders):
            raise ValueError(
                f"--seconds: got {len(seconds)}, expected one for each of {len(folders)} folders"
            )
        if name in ASKED:
            values = preset_values(name, folders, seconds)
            start = "litebert capstone" + (f" --preset {name}" if name != "quick" else "")
            entry = {
                "command": "; ".join(f"{start} --seed {seed}" for seed in values["seeds"]),
                "date": day_of(folders[-1] / "summary.md"),
                "seconds": round(sum(values["seconds"]), 1),
                "values": values,
            }
        else:
            entry = experiment_entry(name, *folders[:1])
            entry["seconds"] = round(seconds[0] if seconds else entry["seconds"], 1)
            entry["values"]["in_all"] = bool(seconds)
        target = name if name in ASKED else f"experiment-{name}"
        path = write_results(target, {**entry, "commit": full_commit(commit)}, out)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{path.name}: {path.stat().st_size:,} bytes, {entry['command']}, {entry['seconds']:,} s")


if __name__ == "__main__":
    main()
