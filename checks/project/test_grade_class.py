"""The recorded class of 200: graded in time, at the strongest level, every score as its mistakes imply."""

from checks.curriculum import LESSONS
from checks.site import results


def test_a_class_of_200_is_graded_within_40_minutes_and_every_score_is_what_its_mistakes_imply() -> None:
    entry = results.load("class")
    measured = entry["values"]
    assert entry["command"] == "python -m checks.grade.trial 200 --jobs 2"
    assert (measured["submissions"], measured["lessons"], measured["level"]) == (200, len(LESSONS), "bwrap")
    assert measured["minutes"] <= 40
    assert measured["wrong_scores"] == measured["not_graded"] == 0
    assert measured["different_mutants"] > 300
    assert measured["mutants_missed_by_their_own_check"] <= 0.02 * measured["modules"]["mutant"]
