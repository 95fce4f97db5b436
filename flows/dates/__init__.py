"""Scoring by date: nights, backfills and rescoring."""
