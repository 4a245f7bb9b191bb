"""Tests of the project itself: what judges is judged here."""
