"""Imported before any check: Hypothesis settles how many examples a check gets when the check is made."""

from checks.judge.profiles import load_profile

load_profile()
