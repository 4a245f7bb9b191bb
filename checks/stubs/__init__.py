"""Stubs: the learner's modules, made from `solutions/` by command and never by hand."""

from .generate import generate
from .reset import reset, undo
from .sync import Written, check, stub_text, write_stubs

__all__ = ["Written", "check", "generate", "reset", "stub_text", "undo", "write_stubs"]
