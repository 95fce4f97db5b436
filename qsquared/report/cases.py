"""The replies of a report that score lowest, each with its explanation."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from qsquared.method.q2.explaining.attribution import Questioned, attribute
from qsquared.method.threshold import inconsistent_sql
from qsquared.report.facts import ARTICLE
from qsquared.report.segments import Segment, cut, shorten
from qsquared.storage.connection import quote
from qsquared.storage.logs.fields.passages import SOURCES
from qsquared.storage.outputs.explanations import Record, records
from qsquared.storage.sql.views.knowledge import TITLES

if TYPE_CHECKING:
    import duckdb

    from qsquared.report.scope import Scope

CHARACTERS = 6 << 20
"""The most characters of all cases together; the report leaves out the cases beyond, and says so."""

_AROUND = 300
_HISTORY_SHOWN = 6
_HISTORY_CHARACTERS = 400
_RESPONSE_CHARACTERS = 1500
_TAG_CHARACTERS = 120

_CHOSEN = """
CREATE OR REPLACE TEMP TABLE chosen AS
WITH of_pairs AS (
SELECT pair_id, any_value(score) AS score, any_value(support) AS support,
       any_value(q2) AS q2, any_value(q2_without_nli) AS q2_without_nli,
       any_value(status) AS status, any_value(reason) AS reason, any_value(questions) AS questions,
       any_value(no_answer) AS no_answer, any_value(contradicted) AS contradicted,
       any_value(response) AS response, count(*) AS turns,
       min_by(struct_pack(id := id, source := parse_filename(source), input := input,
                          "position" := "position", timestamp := timestamp::TEXT,
                          metadata := metadata), (source, "position")) AS first
FROM current WHERE {condition} GROUP BY pair_id
), placed AS (
SELECT *, row_number() OVER (ORDER BY score, status = 'fallback_nli', contradicted DESC,
                             questions DESC, pair_id) AS place FROM of_pairs
)
SELECT *, min(place) OVER (PARTITION BY lower(trim(response))) AS group_place FROM placed
ORDER BY group_place, place LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A reply with its marks, its knowledge, its questions, what people judged, and its first turn.

    ``again``: the case before it has the same reply beside other knowledge.
    """

    number: int
    pair_id: str
    score: float | None
    support: float | None
    q2: float | None
    q2_without_nli: float | None
    status: str
    reason: str
    turns: int
    turn: Record
    fields: list[tuple[str, str]]
    history: list[str]
    response: list[Segment]
    passages: list[list[Segment]]
    questions: list[Record]
    verdicts: frozenset[str] = field(default_factory=frozenset)
    sentences: list[Record] = field(default_factory=list)
    judgements: list[Record] = field(default_factory=list)
    again: bool = False

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
    found = _cases(connection, scope, f"pair_id = {quote(pair)}", 1)
    return found[0] if found else None


def _cases(
    connection: duckdb.DuckDBPyConnection, scope: Scope, condition: str, number: int
) -> list[Case]:
    connection.execute(_CHOSEN.format(condition=condition), [number])
    evidence: dict[str, list[Record]] = defaultdict(list)
    for row in records(
        connection,
        "SELECT * FROM evidence WHERE metric = ? AND profile = ? AND roundtrip = 'kept' "
        "AND pair_id IN (SELECT pair_id FROM chosen) ORDER BY score, span_index, rank",
        scope.metric,
        scope.profile,
    ):
        evidence[row["pair_id"]].append(row)
    sentences = _sentences(connection, scope)
    judged: dict[str, list[Record]] = defaultdict(list)
    for row in records(
        connection,
        "SELECT DISTINCT pair_id, annotator, verdict FROM labels "
        "WHERE pair_id IN (SELECT pair_id FROM chosen) ORDER BY annotator, verdict",
    ):
        judged[row["pair_id"]].append(row)
    cases: list[Case] = []
    room = CHARACTERS
    for row in records(
        connection,
        """
SELECT c.*, p.knowledge, t.history FROM chosen c
JOIN (SELECT pair_id, knowledge FROM pairs WHERE pair_id IN (SELECT pair_id FROM chosen)) p
  USING (pair_id)
LEFT JOIN (
  SELECT input, "position", history FROM turns
  WHERE pair_id IN (SELECT pair_id FROM chosen)
) t ON t.input = c.first.input AND t."position" = c.first."position"
QUALIFY row_number() OVER (PARTITION BY c.pair_id) = 1
ORDER BY c.group_place, c.place""",
    ):
        case = replace(
            _case(len(cases) + 1, row, evidence[row["pair_id"]], sentences[row["pair_id"]]),
            judgements=judged[row["pair_id"]],
        )
        room -= _size(case)
        if room < 0:
            break
        cases.append(case)
    return cases


def _sentences(connection: duckdb.DuckDBPyConnection, scope: Scope) -> dict[str, list[Record]]:
    """Return the sentences of the chosen replies of several sentences, with their scores."""
    found: dict[str, list[Record]] = defaultdict(list)
    for row in records(
        connection,
        "SELECT s.pair_id, sentence, s.text, s.kind, c.q2, c.entailment, c.verdict FROM sentences s "
        "JOIN sentence_scores c USING (metric, profile, pair_id, sentence) "
        "WHERE metric = ? AND profile = ? AND pair_id IN (SELECT pair_id FROM chosen) "
        # The worst first: those that claim something before those that claim nothing.
        "ORDER BY pair_id, c.q2 IS NULL, c.q2, coalesce(c.entailment, 2), sentence",
        scope.metric,
        scope.profile,
    ):
        found[row["pair_id"]].append(row)
    return found


def _case(number: int, row: Record, evidence: list[Record], sentences: list[Record]) -> Case:
    marks = [(e["span_start"], e["span_end"], e["verdict"] or "") for e in evidence]
    response = row["response"]
    segments = cut(response, marks)
    if len(response) > _RESPONSE_CHARACTERS:
        segments = shorten(segments, _AROUND)
    passages = [
        shorten(
            cut(
                passage,
                [
                    (e["knowledge_start"], e["knowledge_end"], e["verdict"] or "")
                    for e in evidence
                    if e["passage"] == index
                ],
            ),
            _AROUND,
        )
        for index, passage in enumerate(row["knowledge"])
    ]
    asked = [
        Questioned(e["span_index"], e["score"], e["verdict"])
        for e in evidence
        if e["score"] is not None
    ]
    pulls = {share.span_index: share.pull for share in attribute(asked)}
    history = [said[:_HISTORY_CHARACTERS] for said in (row["history"] or [])[-_HISTORY_SHOWN:]]
    return Case(
        number=number,
        pair_id=row["pair_id"],
        score=row["score"],
        support=row["support"],
        q2=row["q2"],
        q2_without_nli=row["q2_without_nli"],
        status=row["status"],
        reason=row["reason"] or "",
        turns=row["turns"],
        turn=row["first"],
        fields=_fields(row["first"]["metadata"], {e["passage"] for e in evidence}),
        history=history,
        response=segments,
        passages=passages,
        questions=[e | {"pull": pulls.get(e["span_index"])} for e in evidence],
        again=row["place"] != row["group_place"],
        verdicts=frozenset(e["verdict"] for e in evidence if e["verdict"]),
        # One sentence has the score of the reply.
        sentences=sentences if len(sentences) > 1 else [],
    )


def _fields(metadata: str, answered: set[int | None]) -> list[tuple[str, str]]:
    """Return the fields of a log row that hold no lists or objects, as SQL shows them, and its articles."""
    values: dict[str, Any] = json.loads(metadata)
    return [
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in values.items()
        if value is not None and not isinstance(value, list | dict)
    ] + [(ARTICLE, title) for title in dict.fromkeys(_titles(values.get(SOURCES), answered))]


def _titles(sources: Any, answered: set[int | None]) -> list[str]:
    """Return the titles of the passages that answered a question, as `facts` groups by them."""
    given = list(enumerate(sources)) if isinstance(sources, list) else []
    named = [
        [one[name] for name in TITLES if one.get(name) is not None]
        for place, one in given
        if isinstance(one, dict) and (len(given) == 1 or place in answered)
    ]
    return [str(names[0]) for names in named if names]


def _size(case: Case) -> int:
    """Return the number of characters of all texts of a case."""
    parts = [*case.response, *(segment for passage in case.passages for segment in passage)]
    texts = [
        value
        for e in [*case.questions, *case.sentences]
        for value in e.values()
        if isinstance(value, str)
    ]
    fields = [text for pair in case.fields for text in pair]
    return sum(map(len, [*(part.text for part in parts), *texts, *fields, *case.history]))
