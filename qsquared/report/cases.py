"""The replies of a report that score lowest, each with its explanation."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

import duckdb

from qsquared.method.q2.explaining.explanation import Explanation
from qsquared.method.threshold import inconsistent_sql
from qsquared.report.queries import ARTICLE
from qsquared.report.scope import Scope
from qsquared.storage.connection import quote
from qsquared.storage.logs.fields.passages import SOURCES
from qsquared.storage.outputs.explanations import Record, explained, records
from qsquared.storage.sql.phrases import TITLES

_TAG_CHARACTERS = 120

_CHOSEN = """
CREATE OR REPLACE TEMP TABLE chosen AS
WITH of_pairs AS (
  SELECT pair_id, any_value(score) AS score, any_value(status) AS status,
         any_value(questions) AS questions, any_value(contradicted) AS contradicted,
         any_value(response) AS response, count(*) AS given,
         min_by(struct_pack(source := source, input := input, "position" := "position"),
                (source, "position")) AS first
  FROM current WHERE {condition} GROUP BY pair_id
), placed AS (
  SELECT *, row_number() OVER (ORDER BY score, status = 'fallback_nli', contradicted DESC,
                               questions DESC, pair_id) AS place FROM of_pairs
)
SELECT *, min(place) OVER (PARTITION BY lower(trim(response))) AS group_place FROM placed
ORDER BY group_place, place LIMIT ?
"""
_TURNS = """
SELECT c.score, c.given, c.place <> c.group_place AS again, t.* FROM chosen c
JOIN (FROM turns WHERE pair_id IN (SELECT pair_id FROM chosen)) t
  ON t.source = c.first.source AND t.input = c.first.input AND t."position" = c.first."position"
ORDER BY c.group_place, c.place
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A reply with its explanation, its leading score, its first turn, and what people judged.

    ``given`` is the number of turns that gave it; ``again``: the case before it has the same reply beside
    other knowledge.
    """

    number: int
    score: float | None
    given: int
    turn: Record
    explanation: Explanation
    fields: list[tuple[str, str]]
    judgements: list[Record] = field(default_factory=list)
    again: bool = False

    @property
    def verdicts(self) -> set[str]:
        """The verdicts on its questions."""
        return {question.verdict for question in self.explanation.kept if question.verdict}

    @property
    def tags(self) -> list[tuple[str, str]]:
        """The fields that say something of the turn at a glance; a prompt of many words does not."""
        return [(name, value) for name, value in self.fields if len(value) <= _TAG_CHARACTERS]


def hardest(
    connection: duckdb.DuckDBPyConnection, scope: Scope, threshold: float, number: int
) -> list[Case]:
    """Return the distinct inconsistent replies that score lowest, by questions before by fallback.

    The same reply beside other knowledge follows its lowest. Equal ones come in the order of their
    `pair_id`, a hash, which is a sample that is always the same.
    """
    return _cases(connection, scope, inconsistent_sql("score", threshold), number)


def case_of(connection: duckdb.DuckDBPyConnection, scope: Scope, pair: str) -> Case | None:
    """Return one reply of the table `current` by the id of its pair, scored or not."""
    matching = _cases(connection, scope, f"pair_id = {quote(pair)}", 1)
    return matching[0] if matching else None


def _cases(
    connection: duckdb.DuckDBPyConnection, scope: Scope, condition: str, number: int
) -> list[Case]:
    connection.execute(_CHOSEN.format(condition=condition), [number])
    judged: dict[str, list[Record]] = defaultdict(list)
    for row in records(
        connection,
        "SELECT DISTINCT pair_id, annotator, verdict FROM labels "
        "WHERE pair_id IN (SELECT pair_id FROM chosen) ORDER BY annotator, verdict",
    ):
        judged[row["pair_id"]].append(row)
    turns = records(connection, _TURNS)
    return [
        Case(
            number,
            turn.turn["score"],
            turn.turn["given"],
            dict(turn.turn)
            | {"source": PurePath(turn.turn["source"]).name, "time": _time(turn.turn["timestamp"])},
            turn.explanation,
            _fields(turn.metadata, {question.passage for question in turn.explanation.kept}),
            judged[turn.turn["pair_id"]],
            turn.turn["again"],
        )
        for number, turn in enumerate(
            explained(connection, turns, scope.profile, scope.metric), start=1
        )
    ]


def _time(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _fields(values: Mapping[str, Any], answered: set[int | None]) -> list[tuple[str, str]]:
    """Return the fields of a log row that hold no lists or objects, as SQL shows them, and its articles."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in values.items()
        if value is not None and not isinstance(value, list | dict)
    ] + [(ARTICLE, title) for title in dict.fromkeys(_titles(values.get(SOURCES), answered))]


def _titles(sources: Any, answered: set[int | None]) -> list[str]:
    """Return the titles of the passages that answered a question, as `facts` groups by them."""
    given = list(enumerate(sources)) if isinstance(sources, list) else []
    named = [
        [source[name] for name in TITLES if source.get(name) is not None]
        for passage, source in given
        if isinstance(source, dict) and (len(given) == 1 or passage in answered)
    ]
    return [str(names[0]) for names in named if names]
