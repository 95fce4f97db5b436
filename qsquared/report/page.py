"""The page of a report: one HTML file that needs no other file or machine."""

import base64
import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
from markupsafe import Markup

from qsquared import __version__
from qsquared.display import STATUSES
from qsquared.errors import UsageError
from qsquared.report import cases, queries
from qsquared.report.scope import (
    ALL_TURNS,
    ReportOptions,
    Scope,
    current_scope,
    logs_read,
    make_baseline,
    make_tables,
)
from qsquared.report.templates import environment, part, trend
from qsquared.storage.connection import QueryLimits
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.labels.corrected_rates import labelled, rate_of
from qsquared.storage.labels.judged_replies import TurnFilter, draws_for_rates, find_score
from qsquared.storage.records.indexes.store_index import StoreIndex, open_index
from qsquared.storage.records.runs import note_written
from qsquared.storage.sql.phrases import DAY
from qsquared.storage.sql.rates import difference
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store

MOST_BYTES = 15_000_000
"""A report is never larger."""

_TITLE = "How often do the replies leave their knowledge?"
"""The heading of a report unless another is asked for."""

READS = (
    "outcomes turns scores sentences sentence_scores sentence_entailment evidence pairs rejects "
    "labels costs"
)
"""The views that a report reads."""

_UNJUDGED = (
    "Nobody has judged these replies, and scores err. The judgements of a hundred tell the true rate: "
    "q2 label draw --n 100 --out form.html"
)


def write_report(store: Store, out: Path, options: ReportOptions) -> dict[str, Any]:
    """Write the report, and return its figures under the names of the template.

    Raises:
        UsageError: there is nothing to report, or the file cannot be written.
        DamagedFile: a table cannot be trusted.
    """
    index = open_index(store, needs_runs=options.run is not None)
    figures = gather(store, index, options)
    text = render(figures)
    size = len(text.encode())
    while size > MOST_BYTES and figures["cases"]:
        figures["cases"] = figures["cases"][: len(figures["cases"]) * 2 // 3]
        text = render(figures)
        size = len(text.encode())
    with written_whole(out, "report", "Choose another place: --out FILE") as temporary:
        temporary.write_text(text, encoding="utf-8")
    note_written(store, out)
    return figures | {"bytes": size}


def gather(store: Store, index: StoreIndex, options: ReportOptions) -> dict[str, Any]:
    """Return everything that the page shows.

    Raises:
        UsageError: there is nothing to report, or no such baseline.
        DamagedFile: a table cannot be trusted.
    """
    scope = current_scope(index, options)
    inputs, reads = logs_read(index, scope, options), f"{READS} {options.selection.where}"
    with connect(store, reads, QueryLimits(), inputs=inputs) as connection:
        figures = figures_of(connection, index, scope, options)
    return figures | {"corrected": corrected(store, scope)}


def figures_of(
    connection: duckdb.DuckDBPyConnection, index: StoreIndex, scope: Scope, options: ReportOptions
) -> dict[str, Any]:
    """Return what the page shows but the corrected rate, by a connection with the views of `READS`.

    The connection keeps the turns of the report as the table `current`.

    Raises:
        UsageError: there is nothing to report, or no such baseline.
    """
    threshold = options.threshold
    make_tables(connection, scope)
    base = None
    if options.baseline is not None:
        base = make_baseline(connection, index, options.baseline)
    lead = queries.scores_led_by(connection, with_base=base is not None)
    total = queries.overall(connection, "current", threshold)
    if not total["turns"]:
        every = replace(scope, selection=ALL_TURNS).where()
        sql = f"SELECT min({DAY}), max({DAY}) FROM outcomes WHERE {every}"
        days = connection.execute(sql).fetchone()
        span = " to ".join(str(day) for day in days or () if day is not None) or "no known day"
        raise UsageError(
            "There are no turns to report.",
            f"Select other turns; those of {_whole(scope)} are of {span} (UTC)."
            if options.selection != ALL_TURNS
            else "Score a log first: q2 score LOGS",
        )
    by_day = queries.by_day(connection, threshold)
    return {
        "title": _TITLE if options.title is None else options.title,
        "threshold": threshold,
        "lead": lead,
        "scope": scope,
        "total": total,
        "days": by_day,
        "trend": trend(by_day),
        "fields": queries.by_field(connection, threshold),
        "statuses": queries.statuses(connection),
        "rejects": queries.rejects(connection, scope),
        "costs": queries.costs(connection),
        "cases": cases.hardest(connection, scope, threshold, options.cases),
        "wrong_pairs": queries.wrong_pairs(connection, threshold),
        "baseline": base and _comparison(connection, total, base, threshold),
        "run": scope.run or {},
        "version": __version__,
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _whole(scope: Scope) -> str:
    """Return what the turns of a scope are selected from, in words."""
    return "the store" if scope.inputs is None else "the run"


def _comparison(
    connection: Any, total: dict[str, Any], base: Scope, threshold: float
) -> dict[str, Any]:
    before = queries.overall(connection, "base", threshold)
    comparable = total["rate"] is not None and before["rate"] is not None
    change, low, high = difference(total, before) if comparable else (None, None, None)
    return {
        "scope": base,
        "total": before,
        "change": change,
        "low": low,
        "high": high,
        "changes": queries.changes(connection, threshold),
    }


def corrected(store: Store, scope: Scope) -> dict[str, Any]:
    """Return the corrected rate of a report's turns (`rate`), or, without one, the reason (`why`)."""
    where = ""
    if scope.inputs is not None or scope.selection != ALL_TURNS:
        of_scope = f'SELECT input, "position" FROM outcomes WHERE {scope.where()}'
        where = f'(t.input, t."position") IN ({of_scope})'
    try:
        score = find_score(store, profile=scope.profile)
        if draws_for_rates(store).is_empty():
            return {"rate": None, "why": _UNJUDGED}
        inputs = None if scope.selection.where else scope.inputs
        rate = rate_of(labelled(store, score, TurnFilter(where=where, inputs=inputs)))
    except UsageError as error:
        return {"rate": None, "why": error.message}
    assert rate is not None
    return {"rate": rate.to_json(), "why": ""}


def render(figures: dict[str, Any]) -> str:
    """Return the page as HTML, in which nothing but its own style and script may run or load."""
    style, script = part("report.css"), part("report.js")
    # The style and the script are the package's own files.
    trusted = {"style": Markup(style), "script": Markup(script)}  # noqa: S704
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    why = why_unscored(figures["statuses"])
    template = environment().get_template("report.html")
    return template.render(**figures, **trusted, policy=policy, why_unscored=why)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def why_unscored(statuses: list[dict[str, Any]]) -> str:
    """Return the most frequent status of turns that have no score, as a sentence."""
    if not statuses:
        return ""
    row = statuses[0]
    words = STATUSES.get(row["status"], row["status"])
    return f"Most of them: {words} ({row['turns']:,} turns). {row['reason'] or ''}".strip()
