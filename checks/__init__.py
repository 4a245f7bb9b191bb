"""Everything that judges: checks, oracles, the subject boundary, the pytest plugin and the `litebert` command."""
