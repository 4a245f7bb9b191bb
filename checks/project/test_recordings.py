"""The recorded runs of lesson 15: made by the project's command, and told apart by the reference."""

import json
from pathlib import Path

import pytest

from checks.cli.record_runs import FAULTS, MAX_LEN, record, save
from lessons.given.recordings import FOLDER, load_recordings
from solutions.capstone import diagnose

WHAT_DIAGNOSE_SAYS = set(FAULTS)


def test_every_fault_has_recordings_of_at_least_two_seeds() -> None:
    """And nothing else is in the folder."""
    found = load_recordings()
    assert set(found) == WHAT_DIAGNOSE_SAYS
    assert min(map(len, found.values())) >= 2


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_the_reference_names_the_fault_of_every_recording(path: Path) -> None:
    """Each of the nine words, on real runs."""
    fault = json.loads(path.read_text())["fault"]
    (recording,) = [
        r for r in load_recordings()[fault] if r.train_mlm == json.loads(path.read_text())["train_mlm"]
    ]
    assert diagnose(recording) == fault
    lengths = {len(getattr(recording, name)) for name in recording._fields[:5]}
    assert lengths == {len(recording.steps)}
    assert recording.steps[0] == 1


def test_the_command_records_what_the_folder_holds(tmp_path: Path) -> None:
    """Two steps of the real thing: the loss starts at ln V, and the file can be read back."""
    assert MAX_LEN >= 2 * 2 * 9 + 3
    recording = record(FAULTS["healthy"], seed=5, steps=2)
    save("healthy", 5, recording, tmp_path)
    (read,) = load_recordings(tmp_path)["healthy"]
    assert read.steps == [1, 2]
    assert read.train_mlm[0] == pytest.approx(read.lines["ln V"], abs=0.4)
    assert read.held_out_mlm == read.held_out_again
