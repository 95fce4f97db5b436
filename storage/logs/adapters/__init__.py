"""Adapters, which read the logs of other programs: one small module for each format.

An adapter knows nothing of the file format of the rows (JSON lines, CSV, Parquet, …).
"""
