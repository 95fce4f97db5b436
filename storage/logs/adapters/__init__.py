"""Logs of other programs as rows of ours: one small module for each format.

How rows lie in a file (JSON lines, CSV, Parquet, …) is no matter of an adapter.
"""
