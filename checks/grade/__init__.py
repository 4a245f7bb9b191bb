"""Grading a class: intake, a trusted host that judges sandboxed submissions, a journal, and reports."""
