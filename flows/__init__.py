"""Prefect flows: scoring, nights, backfills and rescoring. They hold no code of the method."""
