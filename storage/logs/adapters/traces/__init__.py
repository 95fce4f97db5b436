"""Adapters of traces: spans of traced applications."""
