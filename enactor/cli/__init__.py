"""The command line of the enactor."""
