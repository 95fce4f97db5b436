"""The ``q2`` command line."""
