"""The command ``q2 explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.errors import UsageError
from qsquared.storage.catalogue import connect
from qsquared.storage.store import Store

Record = dict[str, Any]

_STYLES = {
    "supported": "green",
    "partial": "yellow",
    "no_answer": "magenta",
    "contradicted": "red",
}
_REASONS = {
    "mismatch": "→ the reply itself answers otherwise",
    "no_answer": "→ the reply itself does not answer",
    "personal": "→ a personal question",
    "not_needed": "→ not asked, a better one was valid",
}
# What pulls a score down decides a span's colour when several questions were kept for it.
_GRAVITY = ("contradicted", "no_answer", "partial", "supported")


def _records(connection: duckdb.DuckDBPyConnection, sql: str, *values: object) -> list[Record]:
    found = connection.execute(sql, list(values))
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def run_explain(folder: Path, turn: str, profile: str, everything: bool) -> None:
    """Explain every turn with that id; ``everything`` shows the questions that do not count too.

    Raises:
        UsageError: no turn has the id.
        StoreError: there is no store.
    """
    console = Console()
    with connect(Store.open(folder)) as connection:
        turns = _records(
            connection, "SELECT * FROM turns WHERE id = ? ORDER BY source, position", turn
        )
        if not turns:
            near = _records(
                connection,
                "SELECT DISTINCT id FROM turns ORDER BY jaro_winkler_similarity(id, ?) DESC, id LIMIT 3",
                turn,
            )
            named = ", ".join(visible(row["id"]) for row in near)
            raise UsageError(
                f"No turn in the store has the id {turn!r}.",
                f"The nearest are: {named}"
                if near
                else "The store has no turns; score a log first.",
            )
        for number, found in enumerate(turns):
            if number:
                console.rule()
            _explain(console, connection, found, profile, everything)


def _explain(
    console: Console,
    connection: duckdb.DuckDBPyConnection,
    turn: Record,
    profile: str,
    everything: bool,
) -> None:
    key, which = turn["pair_id"], (profile, turn["pair_id"])
    scores = _records(connection, "SELECT * FROM scores WHERE profile = ? AND pair_id = ?", *which)
    evidence = _records(
        connection,
        "SELECT * FROM evidence WHERE profile = ? AND pair_id = ? ORDER BY span_index, rank",
        *which,
    )
    spans = _records(
        connection,
        "SELECT * FROM spans WHERE profile = ? AND pair_id = ? AND error IS NULL ORDER BY span_index",
        *which,
    )
    console.print(
        Text(f"{visible(turn['id'])}  ({visible(turn['source'])}:{turn['line']})", "bold")
    )
    for said in turn["history"]:
        console.print(Text(f"  … {visible(said)}", "dim"))
    console.print(_response(turn["response"], spans, evidence))
    for number, passage in enumerate(turn["knowledge"]):
        console.print(_passage(number, passage, evidence))
    console.print()
    if key is None:
        console.print(Text(f"Not scored ({turn['status']}): {turn['reason']}"))
    elif not scores:
        console.print(f"Not scored with the profile {profile} yet: run q2 score again.")
    else:
        _verdict(console, scores[0], evidence, everything)


def _mark(text: Text, start: int, end: int, offset: int, style: str) -> None:
    text.stylize(style, start + offset, end + offset)


def _response(response: str, spans: list[Record], evidence: list[Record]) -> Text:
    label = "reply      "
    shown = Text(label + visible(response))
    for span in spans:
        of_span = {row["verdict"] for row in evidence if row["span_index"] == span["span_index"]}
        worst = next((verdict for verdict in _GRAVITY if verdict in of_span), None)
        style = f"bold {_STYLES[worst]}" if worst else "underline dim"
        _mark(shown, span["start"], span["end"], len(label), style)
    return shown


def _passage(number: int, passage: str, evidence: list[Record]) -> Text:
    label = "knowledge  " if number == 0 else f"        {number + 1}  "
    shown = Text(label + visible(passage))
    for row in evidence:
        if row["passage"] == number:
            style = f"underline {_STYLES.get(row['verdict'] or '', '')}"
            _mark(shown, row["knowledge_start"], row["knowledge_end"], len(label), style)
    return shown


def _verdict(console: Console, score: Record, evidence: list[Record], everything: bool) -> None:
    if score["q2"] is None:
        console.print(Text(f"Not scored ({score['status']}): {visible(score['reason'])}"))
    else:
        line = f"Q² {score['q2']:.2f}, without NLI {score['q2_without_nli']:.2f}"
        if score["status"] == "fallback_nli":
            line += f" (end-to-end NLI: {score['nli_label']}). {score['reason']}"
        else:
            line += f", the mean over {count(score['questions'], 'valid question')}"
        console.print(Text(line, "bold"))
    kept = [row for row in evidence if row["roundtrip"] == "kept"]
    if kept:
        console.print()
        console.print(_questions(kept))
    _left_out(console, evidence, everything)


def _questions(kept: list[Record]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("question", "reply says", "knowledge says", "verdict", "score"):
        table.add_column(name, overflow="fold", justify="right" if name == "score" else "left")
    for row in kept:
        verdict = row["verdict"] or ""
        outcome = Text(verdict.replace("_", " "), _STYLES.get(verdict, ""))
        if row["nli_label"]:
            outcome.append(f", NLI {row['nli_label']}", "dim")
        table.add_row(
            Text(visible(row["question"])),
            Text(visible(row["response_answer"] or "—")),
            Text(visible(row["knowledge_answer"] or "—")),
            outcome,
            "" if row["score"] is None else f"{row['score']:.2f}",
        )
    return table


def _left_out(console: Console, evidence: list[Record], everything: bool) -> None:
    """The questions that do not count: of spans without a valid question, or all of them."""
    valid = {row["span_index"] for row in evidence if row["roundtrip"] == "kept"}
    rows = [
        row
        for row in evidence
        if row["roundtrip"] != "kept" and (everything or row["span_index"] not in valid)
    ]
    if not rows:
        return
    if not everything:
        # One question of each span is enough to show why it does not count.
        rows = list({row["span_index"]: row for row in reversed(rows)}.values())[::-1]
    console.print()
    console.print("Other questions:" if everything else "Spans without a valid question:")
    for row in rows:
        answer = row["response_answer"]
        says = f" ({visible(answer)})" if answer and row["roundtrip"] == "mismatch" else ""
        line = f"  {visible(row['span'])}: {visible(row['question'])}  {_REASONS.get(row['roundtrip'], '→ a model failed')}"
        console.print(Text(line + says, "dim"))
