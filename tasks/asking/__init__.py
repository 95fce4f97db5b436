"""Calls of models over many rows that isolate the rows on which a model fails."""
