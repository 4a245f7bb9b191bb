"""Recorded runs reach the pages unchanged: folders are read back whole, files are small, pictures show the numbers."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from checks.experiments import EXPERIMENTS
from checks.experiments.charts import Chart, Series, bars, ticks
from checks.experiments.findings import Claim
from checks.experiments.report import Report, Section, Table, write
from checks.site import charts, experiments, figures, plot_text, plots, record_run, results
from checks.site.preset_runs import ASKED
from checks.site.report_folder import read_report
from lessons.given.config import ModelConfig
from lessons.given.engine import RunFolder
from lessons.given.records import Evaluation, History, Run

BARS = Chart("bars", "By model", "model", "accuracy",
             [bars("own", [0.5, 0.9], [0.1, None]), ticks("paper", [0.6])], rules={"chance": 0.5},
             categories=["x", "y, z"], from_zero=True)  # fmt: skip
LINES = Chart(
    "lines", "Loss", "step", "nats", [Series("A & B", [1, 100], [5.0, 1.25])], rules={"floor": 0.87}
)
RUNS = [["r", "40"], ["s", "2"]]
REPORT = Report(
    "Does it work?",
    ["Command: `litebert capstone --experiment depth --out /tmp/somewhere --seeds 2`", "Form `quick`."],
    [
        Section("Result", ["all in one", "A note."], [Table("Figures", ["", "n"], [["a", ""], ["", "2"]])], [BARS]),
        Section("Runs", ["Nobody beats the floor."], [Table("", ["run", "seconds"], RUNS)], [LINES]),
    ],
    {"runs": {"x": 1.23456}, "claims": [Claim("it works", "yes", "1 of 1"), Claim("and well", "open", "0.5")]},
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The report, as an experiment leaves it."""
    write(REPORT, tmp_path / "depth-quick")
    return tmp_path / "depth-quick"


@pytest.fixture
def recorded(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The results file of the report, where the pages look for it."""
    entry = {**record_run.experiment_entry("depth", folder), "commit": "abcdef123456"}
    out = tmp_path / "results"
    record_run.write_results("experiment-depth", entry, out)
    monkeypatch.setattr(plots, "look_up", lambda name, key: results.look_up(name, key, out))
    return out


def test_a_report_folder_is_read_back_whole(folder: Path) -> None:
    found = read_report(folder)
    assert (found["title"], found["lead"]) == (REPORT.title, REPORT.lead)
    for section, made in zip(found["sections"], REPORT.sections, strict=True):
        assert section["text"] == made.text
        assert section["tables"] == [table._asdict() for table in made.tables]
        assert section["charts"] == json.loads(json.dumps([chart.plain() for chart in made.charts]))


def test_a_folder_without_a_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"without summary\.md"):
        read_report(tmp_path)


def test_an_entry_has_the_command_without_its_folder_and_the_seconds_of_all_runs(folder: Path) -> None:
    entry = record_run.experiment_entry("depth", folder)
    assert entry["command"] == "litebert capstone --experiment depth --seeds 2"
    assert (entry["seconds"], entry["values"]["runs"]) == (42.0, 2)
    assert entry["values"]["data"] == {"runs": {"x": 1.235}}
    assert entry["values"]["claims"][1] == {"text": "and well", "verdict": "open", "numbers": "0.5"}


@pytest.mark.parametrize(
    ("values", "message"),
    [({"a": "x" * 60_001}, "at most 60,000"), ({"a": "/tmp/there"}, "name a folder")],
    ids=["too large", "a path"],
)
def test_a_file_that_is_large_or_names_a_folder_is_refused(
    values: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        record_run.write_results("x", {"command": "c", "values": values}, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_file_is_json_with_a_line_for_each_key(recorded: Path) -> None:
    path = recorded / "experiment-depth.json"
    assert set(results.load("experiment-depth", recorded)) == set(results.REQUIRED)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 13


def test_an_unknown_commit_is_refused() -> None:
    with pytest.raises(ValueError, match="which is no commit here"):
        record_run.full_commit("no-such-commit")


def test_the_role_becomes_the_whole_section(recorded: Path) -> None:
    page = experiments.render("before\n\n{{ experiment depth }}\n\nafter", recorded)
    assert page.startswith("before\n\n## Does it work? { #depth }\n\n*What do more layers bring")
    assert "2 claims: 1 reproduced, 0 not reproduced, 1 undecided." in page
    assert "- **Reproduced:** it works (1 of 1)\n- **Undecided:** and well (0.5)" in page
    assert "all in one" not in page, "the claims say it, one by one"
    assert "|  | n |\n| :-- | --: |\n| a |  |\n|  | 2 |" in page
    assert "`litebert capstone --experiment depth --seeds 2`. 2 runs, 42 s of training" not in page
    assert "commit `abcdef123`" in page
    assert '??? info "' in page
    assert "\n    Nobody beats the floor.\n" in page


def test_a_role_in_a_block_is_left_alone_and_a_missing_file_is_an_error(recorded: Path) -> None:
    block = "```text\n{{ experiment none }}\n```\n"
    assert experiments.render(block, recorded) == block
    with pytest.raises(ValueError, match="got 'experiment-none'"):
        experiments.render("{{ experiment none }}", recorded)


@pytest.mark.usefixtures("recorded")
def test_a_recorded_chart_brings_its_title_and_says_its_numbers_in_words() -> None:
    source = "kind: chart\nid: one\nresults: experiment-depth\nchart: lines\n"
    html = figures.fence(source, "figure", "figure", {}, None)
    assert '<strong id="figure-one-title">Loss</strong>' in html
    assert "Nats by step: A &amp; B ends at 1.25. Lines across: floor 0.87." in html
    assert "<title>A &amp; B, step 100: 1.25</title>" in html
    with pytest.raises(figures.SuperFencesException, match="got 'none', expected one of bars, lines"):
        figures.fence(source.replace("lines", "none"), "figure", "figure", {}, None)


def bar_ends(html: str) -> list[float]:
    """Where the bars of a picture end."""
    rects = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height', html)
    return [float(x) + float(width) for x, width in rects]


def test_bars_are_as_long_as_their_numbers() -> None:
    ends = bar_ends(plots.plot(BARS.plain()))
    start = 4.0
    assert (ends[1] - start) / (ends[0] - start) == pytest.approx(0.9 / 0.5, rel=0.01)


def test_every_number_of_a_picture_is_in_its_table() -> None:
    html = plots.plot(BARS.plain())
    assert "<td>0.5 (0.4 to 0.6)</td><td>0.6</td>" in html
    assert "<td>0.9 (0.9 to 0.9)</td><td></td>" in html
    lines = LINES._replace(series=[*LINES.series, Series("B", [7], [3.0])]).plain()
    assert "<td>100</td><td>1.25</td>" in plots.plot(lines)
    assert "<td>7</td><td>3</td>" in plots.plot(lines)


@pytest.mark.parametrize("low", [0.0, -3.0, 0.31])
def test_ticks_are_round_and_inside(low: float) -> None:
    found = plot_text.ticks(low, low + 2)
    assert 3 <= len(found) <= 6
    assert all(low <= value <= low + 2 for value in found)
    assert len({round(b - a, 6) for a, b in pairwise(found)}) == 1


def test_the_matrix_gives_seeds_as_mean_and_interval_with_a_bar_from_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"row": {"a": [0.7, 0.8], "b": [0.4]}}
    entry = {"command": "c", "date": "d", "commit": "e", "seconds": 9, "values": values}
    (tmp_path / "demo.json").write_text(json.dumps(entry))
    monkeypatch.setattr(charts, "look_up", lambda name, key: results.look_up(name, key, tmp_path))
    data = {"results": "demo", "rows": {"R": "row"}, "columns": {"A": "a", "B": "b"}, "chance": 0.5}
    html = charts.matrix(data)
    assert re.search(r"<td>75.0% \u00b1 63.5%<span [^>]*width:50%", html)
    assert re.search(r"<td>40.0%<span [^>]*width:0%", html)


def quick_run(name: str, seed: int, losses: list[float], accuracies: list[float]) -> Run:
    """A finished run of the quick preset, as far as its figures go."""
    lines = {"ln V": 5.0, "unigram": 3.9, "slot-unigram": 1.8, "floor": 0.9}
    ends = [Evaluation(loss, 0.1, loss, 0.4, a) for loss, a in zip(losses, accuracies, strict=True)]
    settings = {
        "seed": seed, "task": "nsp" if name == "BERT" else "sop", "lines": lines, "bayes": {"nsp": 0.95, "sop": 0.9},
    }  # fmt: skip
    config = ModelConfig(vocab_size=152)
    return Run(name, config, {"total": 10}, [1, 600, 1400], History([], [], []), ends, settings, 1.0, 100.0)


def quick_folder(path: Path, seed: int, albert_ends: float) -> Path:
    """A run folder with both runs and the chart of slots."""
    slots = Chart("slots", "Slots", "slot", "nats", [bars("BERT", [1.0])], categories=["noun"])
    write(Report("Both", [], [Section("S", [], charts=[slots])]), path)
    for name, end in (("BERT", 1.2), ("ALBERT", albert_ends)):
        RunFolder(path / name.lower()).save_run(quick_run(name, seed, [5.0, 1.5, end], [0.5, 0.8, 0.88]))
    return path


def test_the_quick_capstone_is_judged_by_its_worst_seed(tmp_path: Path) -> None:
    folders = [quick_folder(tmp_path / "0", 0, 1.21), quick_folder(tmp_path / "1", 1, 1.3)]
    values: dict[str, Any] = record_run.preset_values("quick", folders, [200.0, 301.0])
    verdicts = {claim["text"]: (claim["verdict"], claim["numbers"]) for claim in values["claims"]}
    way = verdicts["each model closes at least 87 % of the way from the unigram line to the floor"]
    assert way == ("no", "at worst 86.7 %")
    assert verdicts["and at least 60 % of that from the slot unigram line"] == ("no", "at worst 55.6 %")
    assert verdicts["ALBERT ends within 0.05 nats of BERT"] == ("no", "at most 0.100 apart")
    assert verdicts["both sentence tasks reach 90 % of the best possible, counted from chance"] == (
        "no", "at worst 84.4 %",
    )  # fmt: skip
    assert verdicts["and pass an accuracy of 0.75 by step 600"] == ("yes", "the last at step 600")
    assert verdicts["a seed takes at most 5 minutes on two cores"] == ("no", "at most 301 s")
    assert values["BERT"]["mlm"] == [1.2, 1.2]
    assert values["report"]["sections"][0]["charts"][0]["series"][1]["high"] == [5.0, 1.5, 1.3]


def test_the_same_seed_twice_and_a_run_that_is_not_there_are_refused(tmp_path: Path) -> None:
    folder = quick_folder(tmp_path / "0", 0, 1.2)
    with pytest.raises(ValueError, match="expected different seeds"):
        record_run.preset_values("quick", [folder, folder])
    (folder / "albert" / "run.json").unlink()
    with pytest.raises(ValueError, match="ALBERT did not finish"):
        record_run.preset_values("quick", [folder])


def test_every_experiment_and_preset_is_on_the_page() -> None:
    page = (results.ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert experiments.ROLE.findall(page) == [*ASKED, *EXPERIMENTS]


@pytest.mark.parametrize("preset", list(ASKED))
def test_the_recorded_runs_of_a_preset_reach_what_is_asked(preset: str) -> None:
    claims = results.load(preset)["values"]["claims"]
    assert [claim["text"] for claim in claims if claim["verdict"] != "yes"] == []


def test_the_longer_capstone_is_not_asked_how_soon_it_reads_pairs(tmp_path: Path) -> None:
    folders = [quick_folder(tmp_path / "0", 0, 0.98)]
    claims = {c["text"]: c["verdict"] for c in record_run.preset_values("cpu", folders)["claims"]}
    assert claims["each model closes at least 95 % of the way from the unigram line to the floor"] == "no"
    assert claims["a seed takes at most 30 minutes on two cores"] == "yes"
    assert not any("by step" in text for text in claims)
