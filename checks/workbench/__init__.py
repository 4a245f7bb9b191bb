"""The learner's workbench: watch, hints, pictures, small repros, traces and updates. `checks.cli` calls it."""
