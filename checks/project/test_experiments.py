"""The capstone's experiments at toy size: what they write, what they share, and how they end."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from checks.cli.capstone import capstone
from checks.cli.capstone_run import Outcome
from checks.curriculum import ROOT
from checks.experiments import EXPERIMENTS, main, masking
from checks.experiments import lab as lab_module
from checks.experiments.form import FORMS
from checks.experiments.lab import Lab, run_experiment
from checks.experiments.spec import albert, bert, code_of
from lessons.given.engine import Interrupted

TOY = FORMS["toy"]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all, so that runs are shared."""
    return tmp_path_factory.mktemp("experiments")


def make_lab(out: Path, say: Callable[[str], Any] = lambda text: None, **changes: Any) -> Lab:
    """A lab of the reference at toy size, in this process."""
    fields: dict[str, Any] = {"form": TOY, "seeds": [0], "at_once": 0, **changes}
    return Lab(root=ROOT / "solutions", out=out, device="cpu", say=say, **fields)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_leaves_a_report_a_picture_and_numbers(name: str, out: Path) -> None:
    said: list[str] = []
    report, outcome = run_experiment(name, make_lab(out, said.append))
    assert report is not None, outcome
    folder = out / f"{name}-toy"
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert "## Result" in summary
    assert any(word in summary for word in ("Reproduced here", "Not reproduced here", "Undecided"))
    assert report.charts
    assert all((folder / f"{chart.name}.png").read_bytes().startswith(b"\x89PNG") for chart in report.charts)
    assert json.loads((folder / "results.json").read_text(encoding="utf-8"))["claims"]
    assert "<svg" not in (folder / "report.html").read_text(
        encoding="utf-8"
    )  # drawn by the page's own script
    if name != "cost":
        assert any("expected time: about" in text for text in said)
        assert "loss by kind of slot" in summary.lower()
        assert "Every run that the figures rest on" in summary
        assert "no sign of a leak" in summary


def test_a_run_is_trained_once_however_many_experiments_want_it(out: Path) -> None:
    run_experiment("objective", make_lab(out))
    wanted = main.runs(make_lab(out))
    before = {path: path.stat().st_mtime_ns for path in out.glob("runs/*/checkpoint.pt")}
    said: list[str] = []
    report, _ = run_experiment("main", make_lab(out, said.append))
    assert report is not None
    again, _ = run_experiment("main", make_lab(out, said.append))
    assert again == report
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in before.items())
    assert f"{len({make_lab(out).key(run) for runs in wanted.values() for run in runs})} runs" in said[-1]


def test_several_seeds_give_means_with_intervals(out: Path) -> None:
    report, _ = run_experiment("depth", make_lab(out, seeds=[0, 1]))
    assert report is not None
    assert "over 2 seeds" in report.lead[0]
    assert "±" in report.sections[0].tables[0].rows[0][2]
    assert report.sections[0].charts[0].series[0].low is not None


def test_a_change_of_configuration_or_code_is_another_run_and_a_comment_is_not(tmp_path: Path) -> None:
    run, code = bert(TOY, 0), code_of(ROOT / "solutions")
    keys = {run.key(code), bert(TOY, 1).key(code), replace(run, lr=1e-4).key(code), albert(TOY, 0).key(code)}
    assert len({*keys, run.key("other")}) == 5
    shutil.copytree(ROOT / "solutions", tmp_path / "a", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "a" / "heads.py"
    file.write_text('"""Another text."""\n# and a comment\n' + file.read_text().split('"""', 2)[2])
    assert code_of(tmp_path / "a") == code
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    (tmp_path / "b" / "heads.py").write_text(file.read_text() + "\nX = 1\n")
    assert code_of(tmp_path / "b") != code


def test_a_run_that_was_stopped_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    run = albert(TOY, 0, steps=12)
    whole = make_lab(tmp_path / "whole").job(run, with_tasks=True)
    expected = whole.run(lambda entry: None, lambda: False)
    broken = make_lab(tmp_path / "broken").job(run, with_tasks=True)
    asked = iter([False] * 5 + [True])
    with pytest.raises(Interrupted):
        broken.run(lambda entry: None, lambda: next(asked))
    assert make_lab(tmp_path / "broken").found(run, with_tasks=True) is None
    resumed = broken.run(lambda entry: None, lambda: False)
    assert resumed.evaluations == expected.evaluations
    both = [
        lab.found(run, with_tasks=True)
        for lab in (make_lab(tmp_path / "whole"), make_lab(tmp_path / "broken"))
    ]
    assert both[0] is not None
    assert both[1] is not None
    assert both[0].measures == both[1].measures


def test_without_all_runs_there_is_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Outcome({}, {"BERT": 3}, {})
    monkeypatch.setattr(lab_module, "run_jobs", lambda *args, **options: stopped)
    report, outcome = run_experiment("depth", make_lab(tmp_path))
    assert report is None
    assert outcome.stopped == {"BERT": 3}


def test_the_longest_runs_begin_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deep one that began last would leave the other processor idle to the end."""
    begun: list[int] = []

    def note(jobs: Any, *_arguments: Any, **_options: Any) -> Outcome:
        begun.extend(job.spec.config.n_layers for job in jobs)
        return Outcome({}, {}, {})

    monkeypatch.setattr(lab_module, "run_jobs", note)
    run_experiment("depth", make_lab(tmp_path))
    assert begun == sorted(TOY.depths, reverse=True)
    assert len(set(begun)) > 1


def test_a_run_that_breaks_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    broken, sound = replace(bert(TOY, 0), lr=1e30), bert(TOY, 0, "sop")
    lab = make_lab(tmp_path)
    results, outcome = lab.train({"broken": [broken], "sound": [sound]}, False)
    assert list(results) == ["sound"]
    assert list(outcome.failed) == [broken.title]


def test_the_factorial_of_masks_trains_on_what_it_says(out: Path) -> None:
    wanted = masking.runs(make_lab(out))
    assert len(wanted) == 8
    assert {run.documents for (run,) in wanted.values()} == {TOY.few_documents}
    (run,) = wanted["static, n-grams, 30 %"]
    assert (run.static, run.ngrams, run.probability) == (True, True, 0.3)


def test_the_wide_albert_has_about_as_many_parameters_as_bert(tmp_path: Path) -> None:
    quick = make_lab(tmp_path, form=FORMS["quick"])
    count = quick.subject.load("counting").parameter_table
    v = quick.vocab_size(bert(quick.form, 0))
    base = count(replace(bert(quick.form, 0).config, vocab_size=v), False)["total"]
    wide = count(replace(albert(quick.form, 0, d_model=main.equal_width(quick)).config, vocab_size=v), True)[
        "total"
    ]
    assert abs(wide / base - 1) < 0.05


@pytest.mark.parametrize("name", ["quick", "gpu"])
def test_each_experiment_is_expected_to_fit_its_time(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the same estimate that the command prints, two runs at once on a CPU and one on a GPU."""
    import checks.experiments.main as main_module

    speeds = {main_module.BERT: 1.0, main_module.ALBERT: 1.0, main_module.WIDE: 2.0}
    monkeypatch.setattr(main_module, "step_seconds", lambda lab, models: speeds)
    form = FORMS[name]
    device, at_once = ("cuda", 1) if name == "gpu" else ("cpu", 2)
    for experiment in EXPERIMENTS:
        lab = Lab(form=form, root=ROOT / "solutions", out=tmp_path, device=device, seeds=[0], at_once=at_once)
        module = __import__(f"checks.experiments.{experiment}", fromlist=["runs"])
        runs = {lab.key(run): run for seeds in module.runs(lab).values() for run in seeds}
        assert lab.seconds(list(runs.values())) < 60 * form.minutes, experiment


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(capstone, ["--subject", "solutions", *arguments], standalone_mode=False)


def test_the_command_runs_an_experiment_and_says_where_the_report_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMS, "quick", replace(TOY, name="quick"))
    result = invoke("--experiment", "depth", "--steps", "2", "--at-once", "0", "--out", str(tmp_path))
    assert result.exception is None, result.output
    assert result.return_value == 0
    assert "Experiment depth" in result.output
    assert "| 2 layers |" in result.output
    assert (tmp_path / "depth-quick" / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--experiment", "depth", "--preset", "classic"), "expected quick or gpu"),
        (("--experiment", "depth", "--lr", "0.1"), "--lr: not with --experiment"),
        (("--seeds", "3"), "belongs to --experiment"),
        (("--experiment", "width"), "main"),
    ],
)
def test_options_that_do_not_go_together_are_a_usage_error(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    result = invoke("--out", str(tmp_path), *arguments)
    assert said in str(result.exception) or said in getattr(result.exception, "message", "")
