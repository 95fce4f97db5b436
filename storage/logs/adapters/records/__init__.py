"""Adapters of records: a question, its answer and the passages in one row."""
