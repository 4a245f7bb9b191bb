"""The learner's side: one module a lesson, to be filled in. See README.md."""
