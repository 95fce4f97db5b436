"""Stages of the metrics, each a pure function from tables to one table, and their running."""
