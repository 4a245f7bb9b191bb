"""The `litebert` command: one file a subcommand, loaded when it is called."""
