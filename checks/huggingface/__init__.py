"""Checkpoints as Hugging Face stores them, read for `litebert fill-mask` and `litebert compare`."""
