"""Texts of a log that a spreadsheet would run as a formula when it opens a CSV.

A cell is a formula to Excel, LibreOffice and others if it begins with one of a few characters
(OWASP, "CSV Injection"); a single quote before it makes them show it as the text that it is.
Only text cells of CSV files are guarded: Parquet and JSON Lines hold everything as it was logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsquared.storage.connection import quote, quote_name

if TYPE_CHECKING:
    import polars as pl

FORMULA = "^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""The characters that begin a formula; the last four are full-width forms of the first four."""


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with a single quote before each text that a spreadsheet would run."""
    import polars as pl  # takes a tenth of a second, and a run writes no such file

    return frame.with_columns(pl.col(pl.String).str.replace(f"({FORMULA})", "'${1}"))


def guarded_column(name: str) -> str:
    """The same for a text column in SQL."""
    column, pattern = quote_name(name), quote(FORMULA)
    return f"CASE WHEN regexp_matches({column}, {pattern}) THEN '''' || {column} ELSE {column} END"
