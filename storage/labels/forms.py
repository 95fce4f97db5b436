"""Forms with drawn replies, as CSV for a spreadsheet or as one HTML page for a browser."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from qsquared.method.rates.judgements import VERDICTS
from qsquared.method.statistics.threshold import is_inconsistent
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.labels.drawing import Drawn
from qsquared.storage.outputs.spreadsheets import guarded

FORM_VERSION = 1
"""Raised when the form or its guidelines change in a way that could change a judgement."""

TEXTS = ("draw", "item", "turn", "history", "knowledge", "response")
ANSWERS = ("annotator", "verdict", "spans")

GUIDELINES = (
    "Compare the reply with the knowledge only, whatever you know yourself.",
    "Consistent: all that the reply states as a fact is supported by the knowledge.",
    "Inconsistent: at least one statement contradicts the knowledge or cannot be found in it.",
    "Ignore chit-chat: greetings, questions, opinions and what the speaker tells of itself.",
    "If you like, mark the words that make it inconsistent.",
)
"""After the instructions to annotators in Q²'s appendix (Honovich et al. 2021); the wording is ours."""

_ROWS = """
SELECT t.pair_id, any_value(t.id), any_value(array_to_string(t.history, chr(10))),
       any_value(array_to_string(t.knowledge, chr(10))), any_value(t.response)
FROM (FROM turns WHERE pair_id IN (SELECT unnest($pairs)) ORDER BY input, position) t GROUP BY ALL
"""


def write_form(connection: duckdb.DuckDBPyConnection, drawn: Drawn, out: Path) -> int:
    """Write a form with drawn replies in their random order, and return their number.

    A file that ends in ``.html`` is a page for a browser, any other a CSV; only the page has the
    scores, and shows each after its judgement.

    Raises:
        UsageError: the file cannot be written.
    """
    pairs = list(drawn.scores)
    row_of = {row[0]: row for row in connection.execute(_ROWS, {"pairs": pairs}).fetchall()}
    rows = [(drawn.name, *map(_text, row_of[pair])) for pair in pairs if pair in row_of]
    with written_whole(out) as temporary:
        if out.suffix.lower() == ".html":
            temporary.write_text(_page(rows, drawn.scores), encoding="utf-8")
        else:
            frame = pl.DataFrame(rows, schema=dict.fromkeys(TEXTS, pl.String), orient="row")
            blank = dict.fromkeys(ANSWERS, pl.lit(""))
            form = frame.with_columns(**blank, form_version=pl.lit(FORM_VERSION))
            guarded(form).write_csv(temporary)
    return len(rows)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _page(rows: list[tuple[str, ...]], scores: dict[str, float]) -> str:
    """Return the page with the form as JSON, in which no text can end its element."""
    form: dict[str, Any] = {
        "rows": [
            dict(zip(TEXTS, row, strict=True))
            | {
                "score": round(scores[row[1]], 3),
                "model": VERDICTS[is_inconsistent(scores[row[1]])],
            }
            for row in rows
        ],
        "columns": ("draw", "item", *ANSWERS, "form_version"),
        "verdicts": VERDICTS,
        "guidelines": GUIDELINES,
        "version": FORM_VERSION,
    }
    text = json.dumps(form, ensure_ascii=False).replace("<", "\\u003c")
    page = files("qsquared.storage.labels").joinpath("label_form.html").read_text(encoding="utf-8")
    return page.replace("{{ form }}", text)
