"""Propose readings of an unknown log by the shape of its rows."""
