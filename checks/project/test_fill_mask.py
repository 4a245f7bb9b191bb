"""`litebert fill-mask` predicts what Hugging Face predicts, with the code of the subject."""

import shutil
from pathlib import Path

import pytest
import torch

from checks.curriculum import ROOT
from checks.huggingface.predict import best_guesses
from checks.project.calling import run
from checks.project.small_checkpoints import (
    CALL,
    TEXT,
    our_scores,
    said_in_one_line,
    saved,
    their_scores,
    tokenizers,
    word_pieces,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A BERT's folder of the test's own."""
    return saved("Bert-ForPreTraining", tmp_path / "model")[0]


KINDS = ["Bert-ForPreTraining", "Albert-ForPreTraining", "Bert-ForMaskedLM", "Albert-ForMaskedLM"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_of_the_course_predicts_what_theirs_predicts(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, model = saved(kind, tmp_path)
    text = "[MASK] capital of [MASK] is Paris ."
    expected = their_scores(folder, model, text)
    assert expected.shape[0] == 2
    assert expected.std() > 0.3  # scores that differ: the agreement says something
    # fp32 round-off through a few layers; a wrong convention shows from 1e-3 on
    torch.testing.assert_close(our_scores(folder, text), expected, rtol=0.0, atol=1e-5)

    code, out, _ = run(capsys, *CALL, "--checkpoint", str(folder), text)
    assert code == 0
    best = expected.softmax(-1).topk(5)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    shown = [tuple(line.split()) for line in out.splitlines() if line.startswith("  ")]
    assert [token for token, _ in shown] == [
        tokenizer.id_to_token(i) for i in best.indices.flatten().tolist()
    ]
    for (_, percent), probability in zip(shown, best.values.flatten().tolist(), strict=True):
        assert float(percent.rstrip("%")) == pytest.approx(100 * probability, abs=1e-3)
    assert out.count("[MASK]") == 2


def test_one_mask_and_fewer_words_on_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *CALL, "--checkpoint", str(folder), "--top", "2", TEXT)
    assert (code, err) == (0, "")
    first, *words = out.splitlines()
    assert "BERT, 3 layers of 24" in first
    assert len(words) == 2
    assert len(run(capsys, *CALL, "--checkpoint", str(folder), "--top", "10000", TEXT)[1].splitlines()) > 50


def test_an_id_without_a_token_is_shown_as_an_id() -> None:
    tokenizer = word_pieces()._tokenizer
    logits = torch.zeros(1, tokenizer.get_vocab_size() + 3)
    logits[0, -1] = 9.0
    ((guess,),) = best_guesses(logits, tokenizer, top=1)
    assert guess.token == f"[id {logits.shape[1] - 1}]"


def test_a_text_of_just_the_longest_length_runs(folder: Path) -> None:
    assert our_scores(folder, "the " * 17 + "[MASK]").shape[0] == 1


def test_the_code_that_runs_is_the_subjects(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = Path(shutil.copytree(ROOT / "solutions", tmp_path / "mine"))
    call = ("fill-mask", "--subject", str(mine), "--checkpoint", str(folder), TEXT)
    code, out, _ = run(capsys, *call)
    assert code == 0
    assert str(mine) in out
    source = (mine / "heads.py").read_text()
    (mine / "heads.py").write_text(
        source + '\n\ndef _stop(self, hidden):\n    raise NotImplementedError("to do")\n'
    )
    with (mine / "heads.py").open("a") as file:
        file.write("\n\nMLMHead.forward = _stop\n")
    code, _, err = run(capsys, *call)
    assert code == 2
    assert err.startswith("error: to do (`litebert status`")


def test_the_hub_is_asked_only_by_name(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    asked: list[str] = []

    def snapshot_download(name: str, allow_patterns: list[str]) -> str:
        assert not any("bin" in pattern for pattern in allow_patterns)
        asked.append(name)
        if name == "me/offline":
            raise ConnectionError("no network")
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    assert run(capsys, *CALL, "--checkpoint", str(folder), TEXT)[0] == 0
    assert asked == []
    code, out, _ = run(capsys, *CALL, "--hub", "me/bert", TEXT)
    assert code == 0
    assert out.startswith("me/bert: BERT")
    assert "could not be fetched (no network)" in said_in_one_line(capsys, "--hub", "me/offline", TEXT)
