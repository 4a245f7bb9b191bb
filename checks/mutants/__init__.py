"""Named wrong implementations, one module a lesson: small edits of the reference. Not part of a release."""

import importlib

from checks.gate.edits import Mutant

__all__ = ["Mutant", "mutants_of"]


def mutants_of(lesson: str) -> tuple[Mutant, ...]:
    """The mutants of a lesson."""
    return importlib.import_module(f"checks.mutants.{lesson}").MUTANTS
