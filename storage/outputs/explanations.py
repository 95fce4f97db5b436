"""Explain turns by the tables of a store."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from qsquared.method.q2.explaining.explanation import Explanation, explain
from qsquared.storage.logs.fields.passages import SOURCES

Record = dict[str, Any]
_PENDING = {"status": "pending", "reason": "The turn has not been scored yet."}
_AT_ONCE = 10_000

_NEAREST = """
SELECT DISTINCT id FROM turns ORDER BY jaro_winkler_similarity(id, ?) DESC, id LIMIT 3
"""


@dataclass(frozen=True, slots=True)
class ExplainedTurn:
    """A turn's row in the log (with `source`, its metadata read) and its explanation."""

    turn: Mapping[str, Any]
    metadata: Mapping[str, Any]
    explanation: Explanation

    def to_json(self) -> Record:
        """Return the explanation as a plain JSON object, with its place in the log and the metadata."""
        origin = {"source": self.turn["source"], "line": self.turn["line"]} if self.turn else {}
        return self.explanation.to_json() | origin | {"metadata": dict(self.metadata)}


def records(connection: duckdb.DuckDBPyConnection, sql: str, *values: object) -> list[Record]:
    """The rows of a query as dicts."""
    cursor = connection.execute(sql, list(values))
    return _named(cursor, cursor.fetchall())


def _named(cursor: duckdb.DuckDBPyConnection, rows: Iterable[tuple[Any, ...]]) -> list[Record]:
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in rows]


def explain_turns(
    connection: duckdb.DuckDBPyConnection, turn: str, profile: str
) -> list[ExplainedTurn]:
    """Every turn with an id, explained by the scores of a profile; empty if none has it."""
    turns = records(connection, "SELECT * FROM turns WHERE id = ? ORDER BY source, position", turn)
    return explained(connection, turns, profile)


def nearest_ids(connection: duckdb.DuckDBPyConnection, turn: str) -> list[str]:
    """The ids in the store that are most like one that is not there."""
    return [row["id"] for row in records(connection, _NEAREST, turn)]


def all_explained(connection: duckdb.DuckDBPyConnection, profile: str) -> Iterator[ExplainedTurn]:
    """Every turn of the store, in the order of the logs; no more than a few are held at a time."""
    turns = connection.cursor()
    cursor = turns.execute("SELECT * FROM turns ORDER BY source, position")
    while rows := cursor.fetchmany(_AT_ONCE):
        yield from explained(connection, _named(cursor, rows), profile)


def explained(
    connection: duckdb.DuckDBPyConnection,
    turns: Sequence[Record],
    profile: str,
    metric: str | None = None,
) -> list[ExplainedTurn]:
    """Explain rows of `turns` by the scores of a profile."""
    pairs = sorted({turn["pair_id"] for turn in turns if turn["pair_id"] is not None})
    which = (
        "SEMI JOIN (SELECT unnest(?) AS pair_id) USING (pair_id) "
        "WHERE profile = ? AND metric = coalesce(?, metric)"
    )
    values = (pairs, profile, metric)

    def by_pair(sql: str) -> dict[str, list[Record]]:
        grouped: dict[str, list[Record]] = defaultdict(list)
        for row in records(connection, sql, *values):
            # Metrics share their first stages; one of them is enough.
            same = grouped[row["pair_id"]]
            if not same or same[0]["metric"] == row["metric"]:
                same.append(row)
        return grouped

    first = "ORDER BY metric = 'q2' DESC, metric"
    scores = by_pair(f"SELECT * FROM scores {which} {first}")
    spans = by_pair(f"SELECT * FROM spans {which} AND error IS NULL {first}, span_index")
    evidence = by_pair(f"SELECT * FROM evidence {which} {first}, span_index, rank")
    sentences = by_pair(
        "SELECT * FROM sentences JOIN "
        "(SELECT * EXCLUDE (kind, error) FROM sentence_scores) "
        "USING (metric, profile, pair_id, sentence) LEFT JOIN "
        "(SELECT metric, profile, pair_id, sentence, quotation FROM sentence_entailment) "
        f"USING (metric, profile, pair_id, sentence) {which} {first}, sentence"
    )
    explained_turns = []
    for turn in turns:
        pair, metadata = turn["pair_id"], json.loads(turn["metadata"])
        if pair is None:
            score = {"status": turn["status"], "reason": turn["reason"]}
        else:
            score = next(iter(scores[pair]), _PENDING)
        explanation = explain(
            turn["response"],
            turn["knowledge"],
            spans[pair],
            [row for row in evidence[pair] if row["question"] is not None],
            score,
            id=turn["id"],
            history=turn["history"],
            sources=_objects(metadata.get(SOURCES)),
            sentences=sentences[pair],
        )
        explained_turns.append(ExplainedTurn(turn, metadata, explanation))
    return explained_turns


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the records of passages; none if a log's own field of the name holds others."""
    fits = isinstance(value, list) and all(isinstance(item, Mapping) for item in value)
    return value if fits else []
