"""A reply at the threshold itself is inconsistent, in every figure of the report."""

from dataclasses import dataclass

import duckdb
import pytest

from qsquared.report import cases, queries


@dataclass
class Scope:
    """The fields of a scope that the queries use."""

    profile: str = "compact"
    metric: str = "q2"


@pytest.fixture
def connection():
    """Turns of exactly 0.5, just above it and below it, and a baseline where the first was better."""
    with duckdb.connect() as opened:
        opened.execute(
            """
CREATE TABLE current AS SELECT 'log' AS input, n AS "position", 'log' AS source, 't' || n AS id,
  'p' || n AS pair_id, NULL::TEXT AS conversation_id, DATE '2026-11-16' AS day, NULL::TIMESTAMP AS timestamp,
  [0.5::DOUBLE, 0.5000001, 0.2, 1.0][n + 1] AS q2, q2 AS score, q2 AS support, q2 AS q2_without_nli, 'scored' AS status,
  NULL::TEXT AS reason, 1 AS questions, 0 AS no_answer, 0 AS contradicted, 'Yes.' AS response,
  NULL::TEXT AS reply_kind, false AS outdated,
  '{}' AS metadata FROM range(4) r(n);
CREATE TABLE base AS SELECT * REPLACE (CASE id WHEN 't0' THEN 0.6 WHEN 't1' THEN 0.5 ELSE q2 END AS score)
  FROM current;
CREATE TABLE pairs AS SELECT pair_id, ['Knowledge.'] AS knowledge FROM current;
CREATE TABLE turns AS SELECT input, "position", source, id, pair_id, response, metadata, timestamp,
  []::TEXT[] AS history, ['Knowledge.'] AS knowledge FROM current;
CREATE TABLE scores AS SELECT 'q2' AS metric, 'compact' AS profile, NULL::TEXT AS nli_label,
  * EXCLUDE (input, "position", source, id) FROM current;
CREATE TABLE spans (pair_id TEXT, metric TEXT, profile TEXT, span_index INTEGER, error TEXT);
CREATE TABLE evidence (pair_id TEXT, metric TEXT, profile TEXT, roundtrip TEXT, score DOUBLE,
  span_index INTEGER, rank INTEGER);
CREATE TABLE labels (pair_id TEXT, annotator TEXT, verdict TEXT);
CREATE TABLE sentences AS SELECT 'q2' AS metric, 'compact' AS profile, pair_id, 0 AS sentence,
  response AS text, 'claim' AS kind, 0 AS start, 4 AS "end" FROM current;
CREATE TABLE sentence_entailment (metric TEXT, profile TEXT, pair_id TEXT, sentence INTEGER, quotation TEXT);
CREATE TABLE sentence_scores AS SELECT 'q2' AS metric, 'compact' AS profile, pair_id,
  0 AS sentence, q2, 0.5 AS entailment, 0.5 AS support, 'partial' AS verdict, 'claim' AS kind,
  NULL::TEXT AS error FROM current"""
        )
        yield opened


def test_replies_of_exactly_the_threshold_are_counted_and_listed(connection):
    """Both of 0.5 and of 0.2 are inconsistent, the one just above 0.5 is not."""
    assert queries.overall(connection, "current", 0.5)["inconsistent"] == 2
    assert queries.wrong_pairs(connection, 0.5) == 2
    found = cases.hardest(connection, Scope(), 0.5, 10)
    assert [(case.turn["pair_id"], case.explanation.q2) for case in found] == [
        ("p2", 0.2),
        ("p0", 0.5),
    ]


def test_equal_replies_beside_other_knowledge_stand_together(connection):
    """They follow the lowest of them, before other replies of a score between."""
    connection.execute("UPDATE current SET response = 'No.', score = 0.3, q2 = 0.3 WHERE id = 't1'")
    found = cases.hardest(connection, Scope(), 0.5, 10)
    assert [(case.turn["pair_id"], case.again) for case in found] == [
        ("p2", False), ("p0", True), ("p1", False),
    ]  # fmt: skip


def test_a_reply_that_falls_to_the_threshold_became_inconsistent(connection):
    """From 0.6 to 0.5 is worse, from 0.5 to just above it is better."""
    changes = queries.changes(connection, 0.5)
    assert (changes["worse"], changes["better"], changes["equal"]) == (1, 1, 2)
