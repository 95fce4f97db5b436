"""The command line ``q2``."""
